/* SPDX-License-Identifier: Apache-2.0 */
/* gates.h: a gate with doors on this machine's loop, a server behind it, and clients before it. */
#pragma once

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "base/buf.h"
#include "sandbox/gate.h"

enum { GATE_DOORS = 4, REPLY_MAX = 1 << 20 };

static const char *gate_program; /* writ-net; main() sets it */

/* ---- sockets ---- */

static inline int loop_socket(int type, int *port)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof at;
    int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0 && bind(fd, (struct sockaddr *)&at, n) == 0);
    assert_true(type != SOCK_STREAM || listen(fd, 1024) == 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    *port = ntohs(at.sin_port);
    return fd;
}

static inline int dial(int port)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct timeval patience = { .tv_sec = 60 };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

static inline bool send_all(int fd, const void *bytes, size_t n)
{
    for (const char *p = bytes; n > 0;) {
        ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);

        if (sent <= 0)
            return false;
        p += sent;
        n -= (size_t)sent;
    }
    return true;
}

static inline void say(int fd, const char *text)
{
    assert_true(send_all(fd, text, strlen(text)));
}

/* Everything up to the end of the connection. */
static inline const char *hear_all(int fd)
{
    static char reply[REPLY_MAX + 1];
    size_t n = 0;
    ssize_t got;

    while (n < REPLY_MAX && (got = recv(fd, reply + n, REPLY_MAX - n, 0)) > 0)
        n += (size_t)got;
    reply[n] = '\0';
    return reply;
}

/* Up to and with that text; "" at the end: it did not come. */
static inline const char *hear_until(int fd, const char *text)
{
    static char reply[REPLY_MAX + 1];
    size_t n = 0, k = strlen(text);

    while (n < REPLY_MAX && recv(fd, reply + n, 1, 0) == 1)
        if (++n >= k && memcmp(reply + n - k, text, k) == 0)
            break;
    reply[n] = '\0';
    return reply;
}

/* ---- a server ---- */

struct server {
    int listener, port;
    atomic_int connections;
    pthread_mutex_t lock;
    struct buf heard; /* all that came, of every connection */
    const char *answer;
    pthread_t thread;
};

/* Echoes when there is no answer; else answers each head of a request with it, and ends. */
static inline void *serve_one(void *with)
{
    struct server *v = ((struct server **)with)[0];
    int fd = (int)((intptr_t *)with)[1];
    char bytes[64 << 10];
    struct buf head = { .max = 1 << 20 };
    ssize_t n;

    free(with);
    while ((n = recv(fd, bytes, sizeof bytes, 0)) > 0) {
        (void)pthread_mutex_lock(&v->lock);
        buf_add(&v->heard, bytes, (size_t)n);
        (void)pthread_mutex_unlock(&v->lock);
        if (!v->answer && !send_all(fd, bytes, (size_t)n))
            break;
        buf_add(&head, bytes, (size_t)n);
        if (v->answer && strstr(buf_str(&head).s, "\r\n\r\n")) {
            (void)send_all(fd, v->answer, strlen(v->answer));
            (void)shutdown(fd, SHUT_WR);
        }
    }
    buf_free(&head);
    (void)close(fd);
    return NULL;
}

static inline void *serve_all(void *with)
{
    struct server *v = with;
    int fd;

    while ((fd = accept(v->listener, NULL, NULL)) >= 0) {
        intptr_t *each = malloc(2 * sizeof *each);
        pthread_t thread;

        each[0] = (intptr_t)v;
        each[1] = fd;
        v->connections++;
        if (pthread_create(&thread, NULL, serve_one, each) == 0)
            (void)pthread_detach(thread);
    }
    return NULL;
}

static inline struct server *server_start(const char *answer)
{
    struct server *v = calloc(1, sizeof *v); /* threads may outlive the test */

    (void)pthread_mutex_init(&v->lock, NULL);
    v->heard.max = 1 << 26;
    v->answer = answer;
    v->listener = loop_socket(SOCK_STREAM, &v->port);
    assert_int_equal(pthread_create(&v->thread, NULL, serve_all, v), 0);
    return v;
}

static inline void server_stop(struct server *v)
{
    (void)shutdown(v->listener, SHUT_RDWR);
    (void)pthread_join(v->thread, NULL);
    (void)close(v->listener);
}

static inline bool server_heard(struct server *v, const char *text)
{
    bool found;

    (void)pthread_mutex_lock(&v->lock);
    found = v->heard.len && memmem(v->heard.s, v->heard.len, text, strlen(text));
    (void)pthread_mutex_unlock(&v->lock);
    return found;
}

/* ---- the gate ---- */

struct rig {
    struct gate *gate;
    struct arena a;
    struct gate_log log;
    int proxy, names_udp, names_tcp, straight; /* ports */
    char entry[4][300];
    struct str allow[4], deny[4];
    struct hosts hosts;
    struct gate_inject inject;
};

static inline void rig_allow(struct rig *r, const char *host, int port)
{
    char *entry = r->entry[r->hosts.allow_count];

    (void)snprintf(entry, sizeof r->entry[0], port ? "%s:%d" : "%s", host, port);
    r->allow[r->hosts.allow_count++] = str_of(entry);
}

static inline void rig_open(struct rig *r)
{
    struct gate_ask ask = { .hosts = &r->hosts,
                            .program = gate_program,
                            .environment = (const char *const *)environ };
    struct error e = { 0 };
    struct door doors[GATE_DOORS] = { { .kind = DOOR_PROXY },
                                      { .kind = DOOR_NAMES_UDP },
                                      { .kind = DOOR_NAMES_TCP },
                                      { .kind = DOOR_STRAIGHT } };
    int *ports[GATE_DOORS] = { &r->proxy, &r->names_udp, &r->names_tcp, &r->straight };

    r->hosts.allow = r->allow;
    r->hosts.deny = r->deny;
    if (r->inject.host.n) {
        ask.injects = &r->inject;
        ask.inject_count = 1;
    }
    if (r->hosts.level == NET_OFFLINE)
        r->hosts.level = NET_API;
    if (!gate_open(&ask, world_real(), &r->gate, &e))
        fail_msg("%s", e.msg);
    for (int i = 0; i < GATE_DOORS; i++)
        doors[i].fd = loop_socket(i == 1 ? SOCK_DGRAM : SOCK_STREAM, ports[i]);
    if (!gate_serve(r->gate, doors, GATE_DOORS, &e))
        fail_msg("%s", e.msg);
}

static inline void rig_close(struct rig *r)
{
    gate_close(r->gate, &r->a, &r->log);
}

static inline void rig_free(struct rig *r)
{
    arena_free(&r->a);
}

/* The only event, or the i-th. */
static inline const struct gate_event *rig_event(const struct rig *r, size_t i)
{
    assert_in_range(i + 1, 1, r->log.n);
    return &r->log.v[i];
}
