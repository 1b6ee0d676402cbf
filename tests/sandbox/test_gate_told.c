/* SPDX-License-Identifier: Apache-2.0 */
/* test_gate_told.c: whatever is refused is told, with the host that was named and nothing else. */
#include "gates.h"

struct row {
    const char *text;
    size_t n; /* 0: up to its end */
    const char *answer, *via, *host;
    int port;
    const char *rule;
};

#define BYTES(text) text, sizeof(text) - 1

static void play(const struct row *rows, size_t n)
{
    struct rig r = { 0 };

    rig_allow(&r, "example.org", 0);
    rig_open(&r);
    for (size_t i = 0; i < n; i++) {
        int fd = dial(r.proxy);

        assert_true(send_all(fd, rows[i].text, rows[i].n ? rows[i].n : strlen(rows[i].text)));
        (void)shutdown(fd, SHUT_WR);
        if (!strstr(hear_all(fd), rows[i].answer))
            fail_msg("%zu is not answered with %s", i, rows[i].answer);
        (void)close(fd);
    }
    rig_close(&r);
    assert_int_equal(r.log.n, n);
    for (size_t i = 0; i < n; i++) {
        const struct gate_event *event = rig_event(&r, i);

        if (!event->refused || strcmp(event->via, rows[i].via) != 0 ||
            !str_is(event->host, rows[i].host) || event->port != rows[i].port ||
            !strstr(event->rule, rows[i].rule))
            fail_msg("%zu: %s %.*s:%d %s", i, event->via, STR_ARG(event->host), event->port,
                     event->rule);
    }
    rig_free(&r);
}

static void what_is_refused_early_is_told(void **state)
{
    static const struct row rows[] = {
        { "TRACE http://evil.test/?q=1 HTTP/1.1\r\n\r\n", 0, " 405 ", "http", "evil.test", 80,
          "TRACE" },
        { "GET https://evil.test/ HTTP/1.1\r\n\r\n", 0, " 501 ", "http", "evil.test", 443,
          "CONNECT" },
        { "CONNECT evil.test:443 HTTP/1.1\r\nContent-Length: 1\r\n\r\nx", 0, " 400 ", "connect",
          "evil.test", 443, "no body" },
        { "CONNECT evil.test:22 HTTP/1.1\r\nX\r\n\r\n", 0, " 400 ", "connect", "evil.test", 22,
          "no ':'" },
        { "GET http://evil.test:81/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 0,
          " 400 ", "http", "evil.test", 81, "more than once" },
        { "GET http://evil.test/\r\n\r\n", 0, " 400 ", "http", "evil.test", 80, "first line" },
        { "GET\r\n\r\n", 0, " 400 ", "http", "?", 0, "first line" },
        { BYTES("\4\1\0\120\0\0\0\1\0evil.test\0"), " 400 ", "http", "?", 0, "neither" },
        { BYTES("\5\1\0\5\3\0\3\11evil.test\0\65"), "", "socks5", "evil.test", 53, "only conn" },
        { BYTES("\5\1\0\5\2\0\1\12\1\2\3\0\65"), "", "socks5", "10.1.2.3", 53, "only conn" },
        { BYTES("\5\1\0\5\1\0\1\12\1\2\3\0\0"), "", "socks5", "10.1.2.3", 0, "its port" },
        { BYTES("\5\1\0\5\1\0\7\12\1\2\3\0\0"), "", "socks5", "?", 0, "unknown kind" },
        { BYTES("\5\1\0\5\1\1\3\11evil.test\0\65"), "", "socks5", "?", 0, "no SOCKS 5" },
        { BYTES("\5\1\2"), "", "socks5", "?", 0, "password" },
    };

    (void)state;
    play(rows, COUNT(rows));
}

/* Who puts a password or a token where the host stands does not find it in the record. */
static void of_what_was_named_only_the_host_is_told(void **state)
{
    static const struct row rows[] = {
        { "GET http://bob:hunter2@example.org/ HTTP/1.1\r\n\r\n", 0, " 403 ", "http", "example.org",
          0, "a user or a password" },
        { "GET http://bob:hunter2@example.org:81/ HTTP/1.1\r\n\r\n", 0, " 403 ", "http",
          "example.org", 0, "a user or a password" },
        { "GET http://bob:hun/ter2@example.org/ HTTP/1.1\r\n\r\n", 0, " 403 ", "http", "bob", 0,
          "its port" },
        { "GET http://example.org/\303\274?access_token=tok-1 HTTP/1.1\r\n\r\n", 0, " 403 ", "http",
          "example.org", 80, "its path" },
        { "GET ftp://me:pw@example.org/?key=tok-1 HTTP/1.1\r\n\r\n", 0, " 403 ", "http",
          "example.org", 0, "no URL" },
        { "GET /hello?key=tok-1 HTTP/1.1\r\nHost: example.org\r\n\r\n", 0, " 403 ", "http", "?", 0,
          "no URL" },
        { "CONNECT me:pw@example.org:443 HTTP/1.1\r\n\r\n", 0, " 403 ", "connect", "example.org", 0,
          "a user or a password" },
        { "CONNECT example.org:65616 HTTP/1.1\r\n\r\n", 0, " 403 ", "connect", "example.org", 0,
          "its port" },
        { "CONNECT ::1:80 HTTP/1.1\r\n\r\n", 0, " 403 ", "connect", "::1:80", 0, "between" },
        { BYTES("\5\1\0\5\1\0\3\22me:pw@example.org:x\0\120"), "", "socks5", "example.org", 0,
          "not allowed" },
    };

    (void)state;
    play(rows, COUNT(rows));
}

/* Allowed, and nobody there: that address was not reached. */
static void who_does_not_answer_was_not_connected_to(void **state)
{
    struct rig r = { 0 };
    int port, fd = loop_socket(SOCK_STREAM, &port);
    char text[128];

    (void)state;
    (void)close(fd);
    rig_allow(&r, "127.0.0.1", port);
    rig_open(&r);
    fd = dial(r.proxy);
    (void)snprintf(text, sizeof text, "CONNECT 127.0.0.1:%d HTTP/1.1\r\n\r\n", port);
    say(fd, text);
    assert_non_null(strstr(hear_all(fd), " 502 "));
    (void)close(fd);
    rig_close(&r);
    assert_int_equal(r.log.n, 1);
    assert_true(!rig_event(&r, 0)->refused && rig_event(&r, 0)->address.n == 0);
    rig_free(&r);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_refused_early_is_told),
        cmocka_unit_test(of_what_was_named_only_the_host_is_told),
        cmocka_unit_test(who_does_not_answer_was_not_connected_to),
    };

    gate_program = argc > 1 ? argv[1] : "writ-net";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
