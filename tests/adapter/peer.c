/* SPDX-License-Identifier: Apache-2.0 */
/* peer.c: servers on loopback, one thread a connection. */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>

#include "adapter/peer.h"

const char *peer_program;

struct http *peer_http(void)
{
    struct error e = { 0 };
    struct http *h = NULL;

    if (!http_open(peer_program, NULL, &h, &e))
        fail_msg("%s", e.msg);
    return h;
}

struct served {
    struct peer *peer;
    int fd;
};

static void *serve_one(void *arg)
{
    struct served s = *(struct served *)arg;

    free(arg);
    s.peer->serve(s.peer, s.fd);
    (void)shutdown(s.fd, SHUT_WR);
    return NULL;
}

static void *serve_all(void *arg)
{
    struct peer *p = arg;

    while (!atomic_load(&p->over)) {
        int fd = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC);
        int n = atomic_load(&p->connections);
        struct served *s;

        if (fd < 0 || n == PEER_CONNECTIONS)
            break;
        s = calloc(1, sizeof *s);
        *s = (struct served){ p, fd };
        p->fds[n] = fd;
        if (pthread_create(&p->each[n], NULL, serve_one, s) != 0)
            break;
        atomic_fetch_add(&p->connections, 1);
    }
    return NULL;
}

void peer_start(struct peer *p, void (*serve)(struct peer *p, int fd))
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof at;

    p->serve = serve;
    p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(p->listener >= 0);
    assert_int_equal(bind(p->listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(p->listener, 128), 0);
    assert_int_equal(getsockname(p->listener, (struct sockaddr *)&at, &n), 0);
    p->port = ntohs(at.sin_port);
    assert_int_equal(pthread_create(&p->thread, NULL, serve_all, p), 0);
}

void peer_stop(struct peer *p)
{
    atomic_store(&p->over, true);
    (void)shutdown(p->listener, SHUT_RDWR);
    (void)pthread_join(p->thread, NULL);
    for (int i = 0; i < atomic_load(&p->connections); i++) {
        (void)shutdown(p->fds[i], SHUT_RDWR);
        (void)pthread_join(p->each[i], NULL);
        (void)close(p->fds[i]);
    }
    (void)close(p->listener);
}

static bool drop(int fd, size_t n)
{
    char bytes[4096];

    while (n > 0) {
        ssize_t got = recv(fd, bytes, n < sizeof bytes ? n : sizeof bytes, 0);

        if (got <= 0)
            return false;
        n -= (size_t)got;
    }
    return true;
}

bool peer_ask(struct peer *p, int fd, char head[PEER_ASK])
{
    size_t n = 0;
    const char *length;

    head[0] = '\0';
    while (!strstr(head, "\r\n\r\n")) {
        size_t seen;
        ssize_t got;

        if (n + 1 >= PEER_ASK)
            return false;
        got = recv(fd, head + n, PEER_ASK - 1 - n, MSG_PEEK);
        if (got <= 0)
            return false;
        head[n + (size_t)got] = '\0';
        seen = strstr(head, "\r\n\r\n") ? (size_t)(strstr(head, "\r\n\r\n") + 4 - head) - n
                                        : (size_t)got;
        (void)recv(fd, head + n, seen, MSG_WAITALL);
        n += seen;
        head[n] = '\0';
    }
    atomic_fetch_add(&p->requests, 1);
    length = strcasestr(head, "\r\ncontent-length:");
    return !length || drop(fd, strtoul(length + 17, NULL, 10));
}

bool peer_send(int fd, const void *bytes, size_t n)
{
    const char *at = bytes;

    while (n > 0) {
        ssize_t sent = send(fd, at, n, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        at += sent;
        n -= (size_t)sent;
    }
    return true;
}

bool peer_say(int fd, const char *text)
{
    return peer_send(fd, text, strlen(text));
}

void peer_wait_end(int fd)
{
    char byte;

    while (recv(fd, &byte, 1, 0) > 0)
        ;
}

/* ---- visits ---- */

void visit_begin(struct visit *v, const struct peer *p, const char *path)
{
    struct str *host = arena_new(&v->a, struct str);

    *host = str_of("127.0.0.1");
    v->request =
        (struct http_request){ .method = "GET",
                               .url = arena_printf(&v->a, "http://127.0.0.1:%d%s", p->port, path),
                               .hosts = { .allow = host, .allow_count = 1 },
                               .timeout_ms = 20000,
                               .body_max = 1 << 20,
                               .redirects_max = 5,
                               .cancel = -1 };
}

bool visit_go(struct visit *v, struct http *h)
{
    v->answer = (struct http_answer){ 0 };
    v->e = (struct error){ 0 };
    return http_call(h, &v->request, &v->a, &v->answer, &v->e);
}

void visit_free(struct visit *v)
{
    arena_free(&v->a);
}
