/* SPDX-License-Identifier: Apache-2.0 */
/* test_http_names.c: names whose addresses are not what they seem, and certificates nobody signed.
 *
 * usage: test_http_names FICKLE_HTTP WRIT_HTTP
 */
#include "adapter/peer.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>

static const char *real_program;

static void answer(struct peer *p, int fd)
{
    char head[PEER_ASK];

    while (peer_ask(p, fd, head))
        if (!peer_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
            return;
}

static void visit_name(struct visit *v, struct http *h, const char *name, int port,
                       const char *address)
{
    struct str *hosts = arena_alloc(&v->a, 2 * sizeof *hosts);
    static const struct peer nobody;

    visit_begin(v, &nobody, "");
    hosts[0] = str_of(name);
    hosts[1] = str_of(address);
    v->request.hosts.allow = hosts;
    v->request.hosts.allow_count = 2;
    v->request.url = arena_printf(&v->a, "http://%s:%d/", name, port);
    v->request.plain = true;
    assert_true(visit_go(v, h));
}

/* The first lookup gives the address that may be reached. It is that one that is connected to:
 * nothing is looked up again, neither between the check and the connection nor for the next call.
 */
static void the_address_that_was_judged_is_the_one_that_is_reached(void **state)
{
    static struct peer p;
    struct http *h = peer_http();

    (void)state;
    peer_start(&p, answer);
    for (int i = 0; i < 3; i++) {
        _visit_ struct visit v = { 0 };

        visit_name(&v, h, "fickle.test", p.port, "127.0.0.1");
        assert_int_equal(v.answer.end, HTTP_DONE);
        assert_string_equal(v.answer.address, arena_printf(&v.a, "127.0.0.1:%d", p.port));
    }
    http_close(h);
    peer_stop(&p);
}

static void a_name_does_not_open_what_its_address_closes(void **state)
{
    static const struct {
        const char *name, *why;
    } rows[] = {
        { "fickle.test", "'fickle.test' is not reached: its address is this machine's" },
        { "private.test", "'private.test' is not reached: its address is private" },
        { "metadata.test",
          "'metadata.test' is not reached: its address is a cloud's metadata service" },
    };
    struct http *h = peer_http();

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _visit_ struct visit v = { 0 };

        visit_name(&v, h, rows[i].name, 80, "example.org");
        assert_int_equal(v.answer.end, HTTP_REFUSED);
        assert_string_equal(v.answer.why, rows[i].why);
    }
    http_close(h);
}

/* A connection that one call may use is not for another, whose list lacks the address. */
static void a_kept_connection_is_judged_again(void **state)
{
    static struct peer p;
    struct http *h = peer_http();
    _visit_ struct visit may = { 0 }, may_not = { 0 };

    (void)state;
    peer_start(&p, answer);
    visit_name(&may, h, "fickle.test", p.port, "127.0.0.1");
    assert_int_equal(may.answer.end, HTTP_DONE);
    visit_name(&may_not, h, "fickle.test", p.port, "example.org");
    assert_int_equal(may_not.answer.end, HTTP_REFUSED);
    assert_int_equal(atomic_load(&p.requests), 1);
    http_close(h);
    peer_stop(&p);
}

static void a_name_that_is_not_there_is_unreachable(void **state)
{
    struct http *h = peer_http();
    _visit_ struct visit v = { 0 };

    (void)state;
    visit_name(&v, h, "nowhere.test", 80, "example.org");
    assert_int_equal(v.answer.end, HTTP_UNREACHABLE);
    assert_string_equal(v.answer.why, "its name has no address");
    http_close(h);
}

/* ---- TLS: openssl's own server, with a certificate it signed itself ---- */

extern char **environ;

static pid_t run(const char *const words[], int in, int out)
{
    enum { WORDS = 32 };
    _arena_ struct arena a = { 0 };
    char *argv[WORDS] = { 0 };
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;

    for (size_t i = 0; words[i] && i + 1 < WORDS; i++)
        argv[i] = arena_text(&a, str_of(words[i]));
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    (void)posix_spawn_file_actions_adddup2(&actions, in, 0);
    (void)posix_spawn_file_actions_adddup2(&actions, out, 1);
    (void)posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) != 0)
        pid = -1;
    (void)posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static bool make_certificate(const char *key, const char *certificate, int nothing)
{
    const char *const argv[] = {
        "openssl",  "req",           "-x509",   "-newkey",
        "rsa:2048", "-nodes",        "-keyout", key,
        "-out",     certificate,     "-days",   "2",
        "-subj",    "/CN=localhost", "-addext", "subjectAltName=DNS:proxied.test,IP:127.0.0.1",
        NULL
    };
    pid_t pid = run(argv, nothing, nothing);
    int status = 1;

    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* Waits for the line in which s_server says its port. */
static int port_of(int out)
{
    char text[4096];
    size_t n = 0;
    const char *at = NULL;

    while (n + 1 < sizeof text && (!at || !strchr(at, '\n'))) {
        ssize_t got = read(out, text + n, 1);

        if (got <= 0)
            return 0;
        text[++n] = '\0';
        at = strstr(text, "ACCEPT ");
    }
    at = at ? strrchr(at, ':') : NULL;
    return at ? (int)strtol(at + 1, NULL, 10) : 0;
}

static void https(const char *certificates, int port, enum http_end end, const char *why)
{
    const char *variable[] = { certificates, NULL };
    struct error e = { 0 };
    struct http *h = NULL;
    struct peer p = { .port = port };
    _visit_ struct visit v = { 0 };

    assert_true(http_open(real_program, variable, &h, &e));
    visit_begin(&v, &p, "/");
    v.request.url = arena_printf(&v.a, "https://127.0.0.1:%d/", port);
    assert_true(visit_go(&v, h));
    if (v.answer.end != end || !strstr(v.answer.why, why))
        fail_msg("end %d: %s", (int)v.answer.end, v.answer.why);
    assert_int_equal(v.answer.status, end == HTTP_DONE ? 200 : 0);
    http_close(h);
}

/* ---- a proxy, which connects to a port of this machine or says no ---- */

struct proxy {
    int port;
    const char *no; /* NULL: it connects */
};

static void pass_on(int one, int other)
{
    struct pollfd ends[2] = { { .fd = one, .events = POLLIN }, { .fd = other, .events = POLLIN } };
    char bytes[4096];

    while (poll(ends, 2, -1) > 0)
        for (int i = 0; i < 2; i++) {
            ssize_t n = ends[i].revents ? recv(ends[i].fd, bytes, sizeof bytes, 0) : -1;

            if (ends[i].revents && (n <= 0 || !peer_send(ends[1 - i].fd, bytes, (size_t)n)))
                return;
        }
}

static void connect_for(struct peer *p, int fd)
{
    const struct proxy *proxy = p->self;
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)proxy->port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    _fd_ int to = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char head[PEER_ASK];

    if (!peer_ask(p, fd, head) || !str_begins(str_of(head), "CONNECT proxied.test:443 "))
        return;
    if (proxy->no)
        (void)peer_say(fd, proxy->no);
    else if (connect(to, (struct sockaddr *)&at, sizeof at) == 0 &&
             peer_say(fd, "HTTP/1.1 200 Connection established\r\nX-Proxy: 1\r\n\r\n"))
        pass_on(fd, to);
}

/* What https://proxied.test/ answers through that proxy. */
static void visit_through(struct visit *v, struct proxy *proxy, const char *certificates)
{
    static const struct str name = { "proxied.test", 12 };
    static struct peer p;
    const char *variables[] = { certificates, NULL, NULL };
    struct error e = { 0 };
    struct http *h = NULL;

    p = (struct peer){ .self = proxy };
    peer_start(&p, connect_for);
    variables[1] = arena_printf(&v->a, "HTTPS_PROXY=http://127.0.0.1:%d", p.port);
    assert_true(http_open(real_program, variables, &h, &e));
    visit_begin(v, &p, "/");
    v->request.url = "https://proxied.test/";
    v->request.hosts.allow = &name;
    v->request.hosts.allow_count = 1;
    assert_true(visit_go(v, h));
    http_close(h);
    peer_stop(&p);
}

static void who_is_called_through_a_proxy_answers_for_himself(int port, const char *certificates)
{
    struct proxy proxy = { .port = port };
    _visit_ struct visit v = { 0 };

    visit_through(&v, &proxy, certificates);
    if (v.answer.end != HTTP_DONE)
        fail_msg("end %d: %s", (int)v.answer.end, v.answer.why);
    assert_int_equal(v.answer.status, 200);
    assert_true(v.answer.body.n > 0);
    assert_null(http_header(&v.answer, "X-Proxy").s);
}

static void a_proxy_that_does_not_connect_is_told(void **state)
{
    static const char *const statuses[] = { "403", "407", "502" };

    (void)state;
    for (size_t i = 0; i < COUNT(statuses); i++) {
        _visit_ struct visit v = { 0 };
        struct proxy proxy = {
            .no = arena_printf(&v.a, "HTTP/1.1 %s No\r\nContent-Length: 0\r\n\r\n", statuses[i])
        };

        visit_through(&v, &proxy, "NOTHING=1");
        assert_int_equal(v.answer.end, HTTP_UNREACHABLE);
        assert_string_equal(v.answer.why, arena_printf(&v.a, "the proxy answered %s", statuses[i]));
        assert_false(v.answer.sent);
    }
}

static void a_certificate_that_nobody_vouches_for_is_refused(void **state)
{
    char key[] = "/tmp/writ-http-key-XXXXXX", certificate[] = "/tmp/writ-http-crt-XXXXXX";
    const char *const argv[] = { "openssl", "s_server", "-accept",   "127.0.0.1:0", "-key",
                                 key,       "-cert",    certificate, "-www",        NULL };
    _arena_ struct arena a = { 0 };
    _fd_ int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    int said[2], port;
    pid_t pid;

    (void)state;
    (void)close(mkstemp(key));
    (void)close(mkstemp(certificate));
    if (!make_certificate(key, certificate, nothing)) {
        (void)unlink(key);
        (void)unlink(certificate);
        print_message("# openssl is not here\n");
        skip();
    }
    assert_int_equal(pipe2(said, O_CLOEXEC), 0);
    pid = run(argv, nothing, said[1]);
    (void)close(said[1]);
    port = port_of(said[0]);
    assert_true(port > 0);
    https("NOTHING=1", port, HTTP_UNREACHABLE, "self-signed certificate");
    https(arena_printf(&a, "SSL_CERT_FILE=%s", certificate), port, HTTP_DONE, "");
    who_is_called_through_a_proxy_answers_for_himself(
        port, arena_printf(&a, "SSL_CERT_FILE=%s", certificate));
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
    (void)close(said[0]);
    (void)unlink(key);
    (void)unlink(certificate);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_address_that_was_judged_is_the_one_that_is_reached),
        cmocka_unit_test(a_name_does_not_open_what_its_address_closes),
        cmocka_unit_test(a_kept_connection_is_judged_again),
        cmocka_unit_test(a_name_that_is_not_there_is_unreachable),
        cmocka_unit_test(a_proxy_that_does_not_connect_is_told),
        cmocka_unit_test(a_certificate_that_nobody_vouches_for_is_refused),
    };

    if (argc < 3)
        return 64;
    peer_program = argv[1];
    real_program = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
