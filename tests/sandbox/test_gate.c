/* SPDX-License-Identifier: Apache-2.0 */
/* test_gate.c: what is let through, in every language that is spoken at the doors. */
#include "gates.h"

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

static void N06_a_connect_is_relayed_and_told(void **state)
{
    struct rig r = { 0 };
    struct server *v = server_start(NULL);
    char text[256], echo[5];
    int fd;

    (void)state;
    rig_allow(&r, "127.0.0.1", v->port);
    rig_open(&r);
    fd = dial(r.proxy);
    (void)snprintf(text, sizeof text, "CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\n\r\nhello",
                   v->port);
    say(fd, text);
    assert_string_equal(hear_until(fd, "\r\n\r\n"), "HTTP/1.1 200 Connection established\r\n\r\n");
    assert_int_equal(recv(fd, echo, 5, MSG_WAITALL), 5);
    assert_memory_equal(echo, "hello", 5);
    (void)shutdown(fd, SHUT_WR);
    assert_string_equal(hear_all(fd), "");
    (void)close(fd);
    rig_close(&r);
    assert_int_equal(r.log.n, 1);
    assert_string_equal(rig_event(&r, 0)->via, "connect");
    assert_true(str_is(rig_event(&r, 0)->host, "127.0.0.1"));
    assert_int_equal(rig_event(&r, 0)->port, v->port);
    assert_false(rig_event(&r, 0)->refused);
    assert_string_equal(rig_event(&r, 0)->rule, r.entry[0]);
    assert_int_equal(rig_event(&r, 0)->up, 5);
    assert_true(rig_event(&r, 0)->at_ms > 0 && rig_event(&r, 0)->ms >= 0);
    (void)snprintf(text, sizeof text, "127.0.0.1:%d", v->port);
    assert_true(str_is(rig_event(&r, 0)->address, text));
    rig_free(&r);
    server_stop(v);
}

static void N06_a_request_is_written_anew(void **state)
{
    struct rig r = { 0 };
    struct server *v = server_start(answer);
    char text[1024], host[64];
    const char *reply;
    int fd;

    (void)state;
    rig_allow(&r, "localhost", v->port);
    rig_open(&r);
    fd = dial(r.proxy);
    (void)snprintf(text, sizeof text,
                   "GET http://LOCALHOST:%d/a?b=c HTTP/1.1\r\nHost: evil.example\r\n"
                   "Proxy-Connection: close\r\nProxy-Authorization: Basic eA==\r\n"
                   "Connection: x-mine, keep-alive\r\nX-Mine: 1\r\nX-Other: 2\r\nTE: trailers\r\n"
                   "Upgrade: websocket\r\n\r\n",
                   v->port);
    say(fd, text);
    reply = hear_all(fd);
    assert_non_null(strstr(reply, "HTTP/1.1 200 OK\r\n"));
    assert_non_null(strstr(reply, "Connection: close\r\n"));
    assert_non_null(strstr(reply, "\r\n\r\nhello"));
    (void)close(fd);
    rig_close(&r);
    (void)snprintf(host, sizeof host, "GET /a?b=c HTTP/1.1\r\nHost: localhost:%d\r\n", v->port);
    assert_true(server_heard(v, host));
    assert_true(server_heard(v, "X-Other: 2\r\n"));
    assert_true(server_heard(v, "Connection: close\r\n\r\n"));
    assert_false(server_heard(v, "evil"));
    assert_false(server_heard(v, "Mine"));
    assert_false(server_heard(v, "Proxy"));
    assert_false(server_heard(v, "Upgrade"));
    assert_false(server_heard(v, "trailers"));
    assert_int_equal(r.log.n, 1);
    assert_string_equal(rig_event(&r, 0)->via, "http");
    assert_true(!rig_event(&r, 0)->refused && rig_event(&r, 0)->down > 0);
    rig_free(&r);
    server_stop(v);
}

static void N06_socks_knows_names_and_addresses(void **state)
{
    static const char name[] = "\5\1\0\5\1\0\3\11localhost", four[] = "\5\1\0\5\1\0\1\177\0\0\1";
    struct rig r = { 0 };
    struct server *v = server_start(NULL);
    char port[2] = { (char)(v->port >> 8), (char)v->port }, reply[12 + 2];

    (void)state;
    rig_allow(&r, "localhost", v->port);
    rig_open(&r);
    for (int i = 0; i < 2; i++) {
        int fd = dial(r.proxy);

        assert_true(send_all(fd, i ? four : name, i ? sizeof four - 1 : sizeof name - 1));
        assert_true(send_all(fd, port, 2) && send_all(fd, "hi", 2));
        assert_int_equal(recv(fd, reply, 14, MSG_WAITALL), 14);
        assert_memory_equal(reply, "\5\0\5\0\0\1\0\0\0\0\0\0hi", 14);
        (void)close(fd);
    }
    rig_close(&r);
    assert_int_equal(r.log.n, 2);
    assert_string_equal(rig_event(&r, 0)->via, "socks5");
    rig_free(&r);
    server_stop(v);
}

static void N07_what_is_not_listed_is_refused_and_not_reached(void **state)
{
    struct rig r = { 0 };
    struct server *v = server_start(answer);
    char text[256], socks[] = "\5\1\0\5\1\0\1\177\0\0\1XX", reply[12];
    int fd;

    (void)state;
    rig_allow(&r, "example.org", 0);
    rig_open(&r);
    fd = dial(r.proxy);
    (void)snprintf(text, sizeof text, "GET http://127.0.0.1:%d/ HTTP/1.1\r\n\r\n", v->port);
    say(fd, text);
    (void)snprintf(text, sizeof text, "\r\n\r\nwrit: 127.0.0.1:%d is not in the list of hosts\n",
                   v->port);
    assert_non_null(strstr(hear_all(fd), text));
    (void)close(fd);
    fd = dial(r.proxy);
    say(fd, "CONNECT example.org:22 HTTP/1.1\r\n\r\n");
    assert_non_null(strstr(hear_all(fd),
                           "\r\n\r\nwrit: example.org:22: its port is not in the list of hosts\n"));
    (void)close(fd);
    fd = dial(r.proxy);
    socks[11] = (char)(v->port >> 8);
    socks[12] = (char)v->port;
    assert_true(send_all(fd, socks, sizeof socks - 1));
    assert_int_equal(recv(fd, reply, 12, MSG_WAITALL), 12);
    assert_int_equal(reply[3], 2);
    (void)close(fd);
    rig_close(&r);
    assert_int_equal(v->connections, 0);
    assert_int_equal(r.log.n, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(rig_event(&r, i)->refused);
        assert_int_equal(rig_event(&r, i)->address.n, 0);
    }
    rig_free(&r);
    server_stop(v);
}

/* ---- what it is itself ---- */

/* That line of /proc/PID/status of our only child, without its name. */
static void read_status(const char *name, char out[64])
{
    char line[256] = "";
    size_t n = strlen(name);
    FILE *f = fopen("/proc/thread-self/children", "re");
    int pid = 0;

    if (!f)
        skip();
    assert_int_equal(fscanf(f, "%d", &pid), 1);
    (void)fclose(f);
    (void)snprintf(line, sizeof line, "/proc/%d/status", pid);
    f = fopen(line, "re");
    assert_non_null(f);
    while (strncmp(line, name, n) != 0 && fgets(line, sizeof line, f))
        ;
    (void)fclose(f);
    assert_int_equal(sscanf(line + n, " %63s", out), 1);
}

static void whoever_starts_it_it_has_no_rights(void **state)
{
    static const char *const rows[][2] = { { "CapInh:", "0000000000000000" },
                                           { "CapPrm:", "0000000000000000" },
                                           { "CapEff:", "0000000000000000" },
                                           { "CapAmb:", "0000000000000000" },
                                           { "NoNewPrivs:", "1" },
                                           { "Seccomp:", "2" } };
    struct rig r = { 0 };
    char text[64];

    (void)state;
    rig_allow(&r, "example.org", 0);
    rig_open(&r);
    for (size_t i = 0; i < COUNT(rows); i++) {
        read_status(rows[i][0], text);
        assert_string_equal(text, rows[i][1]);
    }
    rig_close(&r);
    rig_free(&r);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(N06_a_connect_is_relayed_and_told),
        cmocka_unit_test(N06_a_request_is_written_anew),
        cmocka_unit_test(N06_socks_knows_names_and_addresses),
        cmocka_unit_test(N07_what_is_not_listed_is_refused_and_not_reached),
        cmocka_unit_test(whoever_starts_it_it_has_no_rights),
    };

    gate_program = argc > 1 ? argv[1] : "writ-net";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
