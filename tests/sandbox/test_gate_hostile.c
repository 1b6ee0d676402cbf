/* SPDX-License-Identifier: Apache-2.0 */
/* test_gate_hostile.c: clients that hold on, say too much, or say two things at once. */
#include "gates.h"

static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

static const char *connect_text(int port)
{
    static char text[128];

    (void)snprintf(text, sizeof text, "CONNECT 127.0.0.1:%d HTTP/1.1\r\n\r\n", port);
    return text;
}

static void N19_256_connections_are_held_and_one_more_waits(void **state)
{
    enum { MANY = 256 };
    struct rig r = { 0 };
    struct server *v = server_start(NULL);
    struct pollfd last = { .events = POLLIN };
    int fds[MANY];
    char byte;

    (void)state;
    rig_allow(&r, "127.0.0.1", v->port);
    rig_open(&r);
    for (int i = 0; i < MANY; i++) {
        fds[i] = dial(r.proxy);
        say(fds[i], connect_text(v->port));
        assert_non_null(strstr(hear_until(fds[i], "\r\n\r\n"), " 200 "));
    }
    last.fd = dial(r.proxy);
    say(last.fd, connect_text(v->port));
    for (int i = 0; i < MANY; i++) { /* every one is alive; the last has not been let in */
        say(fds[i], "x");
        assert_int_equal(recv(fds[i], &byte, 1, 0), 1);
    }
    assert_int_equal(poll(&last, 1, 0), 0);
    assert_int_equal(v->connections, MANY);
    (void)close(fds[0]);
    assert_non_null(strstr(hear_until(last.fd, "\r\n\r\n"), " 200 "));
    rig_close(&r);
    for (int i = 1; i < MANY; i++) {
        assert_int_not_equal(recv(fds[i], &byte, 1, 0), 1); /* the run is over, and so is it */
        (void)close(fds[i]);
    }
    (void)close(last.fd);
    assert_int_equal(r.log.n, MANY + 1);
    assert_int_equal(r.log.unlisted, 0);
    rig_free(&r);
    server_stop(v);
}

static void N19_10000_connections_are_served_in_the_end(void **state)
{
    enum { MANY = 10000, AT_ONCE = 500 };
    struct rig r = { 0 };
    int fds[AT_ONCE];

    (void)state;
    rig_allow(&r, "example.org", 0);
    rig_open(&r);
    for (int done = 0; done < MANY; done += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++) {
            fds[i] = dial(r.proxy);
            say(fds[i], "CONNECT evil.example:443 HTTP/1.1\r\n\r\n");
        }
        for (int i = 0; i < AT_ONCE; i++) {
            assert_non_null(strstr(hear_until(fds[i], "\n\r\n"), " 403 "));
            (void)close(fds[i]);
        }
        gate_hear(r.gate);
    }
    rig_close(&r);
    assert_int_equal(r.log.n + (size_t)r.log.unlisted, MANY);
    rig_free(&r);
}

static void N19_who_does_not_hear_is_counted_for(void **state)
{
    enum { MANY = 3000 };
    struct rig r = { 0 };

    (void)state;
    rig_allow(&r, "example.org", 0);
    rig_open(&r);
    for (int i = 0; i < MANY; i++) { /* nobody calls gate_hear() */
        int fd = dial(r.proxy);

        say(fd, "CONNECT evil.example:443 HTTP/1.1\r\n\r\n");
        assert_non_null(strstr(hear_until(fd, "\n\r\n"), " 403 "));
        (void)close(fd);
    }
    rig_close(&r);
    assert_true(r.log.unlisted > 0);
    assert_int_equal(r.log.n + (size_t)r.log.unlisted, MANY);
    rig_free(&r);
}

static void N19_a_head_of_any_size_is_cut_off(void **state)
{
    enum { PIECE = 1 << 16 };
    static char piece[PIECE];
    struct rig r = { 0 };
    int64_t sent = 0;
    int fd;

    (void)state;
    memset(piece, 'x', sizeof piece);
    rig_allow(&r, "example.org", 0);
    rig_open(&r);
    fd = dial(r.proxy);
    say(fd, "GET http://example.org/ HTTP/1.1\r\nX: ");
    while (sent < (1 << 30) && send_all(fd, piece, sizeof piece))
        sent += PIECE;
    (void)close(fd);
    fd = dial(r.proxy);
    say(fd, "GET http://example.org/ HTTP/1.1\r\nX: ");
    assert_true(send_all(fd, piece, 17 << 10));
    assert_non_null(strstr(hear_until(fd, "\r\n"), "HTTP/1.1 431 "));
    (void)close(fd);
    rig_close(&r);
    assert_true(sent < (1 << 30));
    assert_int_equal(r.log.n, 2);
    for (size_t i = 0; i < r.log.n; i++)
        assert_true(rig_event(&r, i)->refused && str_is(rig_event(&r, i)->host, "example.org"));
    rig_free(&r);
}

/* Slow ones hold places, not the others: a request that comes meanwhile is answered. */
static void N19_slow_clients_hold_up_nobody(void **state)
{
    enum { SLOW = 200 };
    struct rig r = { 0 };
    struct server *v = server_start(answer);
    char text[128];
    int fds[SLOW], fd;

    (void)state;
    rig_allow(&r, "127.0.0.1", v->port);
    rig_open(&r);
    for (int i = 0; i < SLOW; i++) {
        fds[i] = dial(r.proxy);
        say(fds[i], i % 2 ? "CONN" : "\5\2"); /* and never another byte */
    }
    (void)snprintf(text, sizeof text,
                   "GET http://127.0.0.1:%d/ HTTP/1.1\r\nConnection: close\r\n\r\n", v->port);
    for (int i = 0; i < SLOW; i++) {
        fd = dial(r.proxy);
        say(fd, text);
        assert_non_null(strstr(hear_all(fd), "hello"));
        (void)close(fd);
    }
    rig_close(&r);
    for (int i = 0; i < SLOW; i++)
        (void)close(fds[i]);
    assert_int_equal(r.log.n, SLOW);
    rig_free(&r);
    server_stop(v);
}

/* ---- more than one request ---- */

static void each_request_is_judged_again(void **state)
{
    struct rig r = { 0 };
    struct server *v = server_start(answer), *other = server_start(answer);
    char text[512];
    const char *reply;
    int fd;

    (void)state;
    rig_allow(&r, "127.0.0.1", v->port);
    rig_open(&r);
    fd = dial(r.proxy);
    (void)snprintf(text, sizeof text,
                   "GET http://127.0.0.1:%d/1 HTTP/1.1\r\n\r\n"
                   "POST http://127.0.0.1:%d/2 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
                   "GET http://127.0.0.1:%d/3 HTTP/1.1\r\n\r\n"
                   "GET http://127.0.0.1:%d/4 HTTP/1.1\r\n\r\n",
                   v->port, v->port, other->port, v->port);
    say(fd, text);
    reply = hear_all(fd);
    assert_non_null(strstr(reply, "hello"));
    assert_non_null(strstr(strstr(reply, "hello") + 1, "hello"));
    assert_non_null(strstr(reply, "HTTP/1.1 403 "));
    (void)close(fd);
    rig_close(&r);
    assert_int_equal(r.log.n, 3);
    assert_true(!rig_event(&r, 0)->refused && !rig_event(&r, 1)->refused);
    assert_true(rig_event(&r, 2)->refused);
    assert_true(server_heard(v, "POST /2 ") && server_heard(v, "\r\n\r\nabc"));
    assert_false(server_heard(v, "GET /4 ")); /* a refusal ends the connection */
    assert_int_equal(other->connections, 0);
    rig_free(&r);
    server_stop(v);
    server_stop(other);
}

static void a_body_is_passed_on_exactly(void **state)
{
    static const char *const bodies[][2] = {
        { "Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n" },
        { "Transfer-Encoding: chunked\r\n", "3;a=b\r\nabc\r\n1\r\nd\r\n0\r\nX: y\r\n\r\n" },
        { "Content-Length: 5\r\n", "GET /" },
        { "Expect: 100-continue\r\nContent-Length: 2\r\n", "ab" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(bodies); i++) {
        struct rig r = { 0 };
        struct server *v = server_start(answer);
        char text[512];
        int fd;

        rig_allow(&r, "127.0.0.1", v->port);
        rig_open(&r);
        fd = dial(r.proxy);
        (void)snprintf(text, sizeof text,
                       "PUT http://127.0.0.1:%d/1 HTTP/1.1\r\n%s\r\n%s"
                       "GET http://127.0.0.1:%d/2 HTTP/1.1\r\nConnection: close\r\n\r\n",
                       v->port, bodies[i][0], bodies[i][1], v->port);
        say(fd, text);
        (void)hear_all(fd);
        (void)close(fd);
        rig_close(&r);
        assert_int_equal(r.log.n, 2);
        (void)snprintf(text, sizeof text, "\r\n\r\n%s", bodies[i][1]);
        assert_true(server_heard(v, text) && server_heard(v, "GET /2 "));
        rig_free(&r);
        server_stop(v);
    }
}

static void a_request_that_can_be_read_in_two_ways_is_refused(void **state)
{
    static const char *const heads[] = {
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
        "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "Content-Length: 5, 5\r\n\r\nhello",
        "Content-Length: +5\r\n\r\nhello",
        "Content-Length: 0x5\r\n\r\nhello",
        "Content-Length: -1\r\n\r\n",
        "Content-Length: 99999999999999999999\r\n\r\n",
        "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding\r\n : chunked\r\n\r\n0\r\n\r\n",
        "X: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "X: y\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "X: y\rTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Host: a\r\nHost: b\r\n\r\n",
        ": empty\r\n\r\n",
        "X Y: z\r\n\r\n",
    };
    struct rig r = { 0 };
    struct server *v = server_start(answer);

    (void)state;
    rig_allow(&r, "127.0.0.1", v->port);
    rig_open(&r);
    for (size_t i = 0; i < COUNT(heads); i++) {
        char text[512];
        int fd = dial(r.proxy);

        (void)snprintf(text, sizeof text, "POST http://127.0.0.1:%d/ HTTP/1.1\r\n%s", v->port,
                       heads[i]);
        say(fd, text);
        if (!strstr(hear_all(fd), "HTTP/1.1 400 "))
            fail_msg("%zu: %s", i, heads[i]);
        (void)close(fd);
    }
    rig_close(&r);
    assert_int_equal(v->connections, 0);
    rig_free(&r);
    server_stop(v);
}

static void chunks_that_are_none_end_the_connection(void **state)
{
    static const char *const bodies[] = {
        "x\r\n",  "3\nabc\r\n0\r\n\r\n",  "3\r\nabcd\r\n0\r\n\r\n", "\r\n",
        "-1\r\n", "fffffffffffffffff\r\n"
    };
    struct rig r = { 0 };
    struct server *v = server_start(NULL);

    (void)state;
    rig_allow(&r, "127.0.0.1", v->port);
    rig_open(&r);
    for (size_t i = 0; i < COUNT(bodies); i++) {
        char text[512];
        int fd = dial(r.proxy);

        (void)snprintf(text, sizeof text,
                       "POST http://127.0.0.1:%d/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n%s"
                       "GET http://127.0.0.1:%d/smuggled HTTP/1.1\r\n\r\n",
                       v->port, bodies[i], v->port);
        say(fd, text);
        (void)hear_all(fd);
        (void)close(fd);
    }
    rig_close(&r);
    assert_false(server_heard(v, "smuggled"));
    rig_free(&r);
    server_stop(v);
}

static void an_answer_that_can_be_read_in_two_ways_is_no_answer(void **state)
{
    static const char *const answers[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "HTTP/1.1 101 Switching\r\n\r\nhello",
        "HTTP/2 200\r\n\r\n",
        "hello",
        "",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(answers); i++) {
        struct rig r = { 0 };
        struct server *v = server_start(answers[i]);
        char text[128];
        int fd;

        rig_allow(&r, "127.0.0.1", v->port);
        rig_open(&r);
        fd = dial(r.proxy);
        (void)snprintf(text, sizeof text, "GET http://127.0.0.1:%d/ HTTP/1.1\r\n\r\n", v->port);
        say(fd, text);
        if (!strstr(hear_all(fd), "HTTP/1.1 502 "))
            fail_msg("%zu", i);
        (void)close(fd);
        rig_close(&r);
        rig_free(&r);
        server_stop(v);
    }
}

static void an_answer_ends_where_it_says(void **state)
{
    static const struct {
        const char *answer, *body;
    } rows[] = {
        { "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 200 OK\r\n\r\nevil", "hi" },
        { "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\nevil",
          "2\r\nhi\r\n0\r\n\r\n" },
        { "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\nevil", "" },
        { "HTTP/1.1 200 OK\r\n\r\nto the end", "to the end" },
        { "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n", "" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig r = { 0 };
        struct server *v = server_start(rows[i].answer);
        char text[256];
        const char *reply;
        int fd;

        rig_allow(&r, "127.0.0.1", v->port);
        rig_open(&r);
        fd = dial(r.proxy);
        (void)snprintf(text, sizeof text,
                       "GET http://127.0.0.1:%d/ HTTP/1.1\r\nConnection: close\r\n\r\n", v->port);
        say(fd, text);
        reply = hear_all(fd);
        (void)snprintf(text, sizeof text, "Connection: close\r\n\r\n%s", rows[i].body);
        if (!strstr(reply, text) || strcmp(strstr(reply, text), text) != 0)
            fail_msg("%zu: %s", i, reply);
        (void)close(fd);
        rig_close(&r);
        rig_free(&r);
        server_stop(v);
    }
}

/* ---- what is no host ---- */

static void N11_N15_what_is_no_host_is_refused(void **state)
{
    static const char *const lines[] = {
        "CONNECT 0x7f.1:80",
        "CONNECT 2130706433:80",
        "CONNECT 127.1:80",
        "CONNECT me@127.0.0.1:80",
        "CONNECT 127.0.0.1",
        "CONNECT 127.0.0.1:0",
        "CONNECT ::1:80",
        "CONNECT exa%6dple.org:443",
        "GET http://0177.0.0.1/",
        "GET http://me@127.0.0.1/",
        "GET http://127.0.0.1#@example.org/",
        "GET http://127.0.0.1\\@example.org/",
        "GET http://example.org%00.evil/",
        "GET ftp://127.0.0.1/",
        "GET /",
        "OPTIONS *",
    };
    struct rig r = { 0 };

    (void)state;
    rig_allow(&r, "127.0.0.1", 0);
    rig_open(&r);
    for (size_t i = 0; i < COUNT(lines); i++) {
        char text[128];
        int fd = dial(r.proxy);

        (void)snprintf(text, sizeof text, "%s HTTP/1.1\r\n\r\n", lines[i]);
        say(fd, text);
        if (!strstr(hear_all(fd), "HTTP/1.1 403 "))
            fail_msg("%s", lines[i]);
        (void)close(fd);
    }
    rig_close(&r);
    assert_int_equal(r.log.n, COUNT(lines));
    for (size_t i = 0; i < r.log.n; i++)
        assert_true(rig_event(&r, i)->refused);
    rig_free(&r);
}

/* Whoever started it is gone: so is writ-net, and every connection. */
static void N19_it_ends_with_the_run(void **state)
{
    struct rig r = { 0 };
    struct server *v = server_start(NULL);
    char byte;
    int fd, late;

    (void)state;
    rig_allow(&r, "127.0.0.1", v->port);
    rig_open(&r);
    fd = dial(r.proxy);
    say(fd, connect_text(v->port));
    assert_non_null(strstr(hear_until(fd, "\r\n\r\n"), " 200 "));
    (void)shutdown(gate_waits(r.gate), SHUT_RDWR); /* as when the supervisor is killed */
    assert_int_not_equal(recv(fd, &byte, 1, 0), 1);
    rig_close(&r);
    late = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(late,
                             (struct sockaddr *)&(struct sockaddr_in){
                                 .sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)r.proxy),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
                             sizeof(struct sockaddr_in)),
                     -1);
    assert_int_equal(errno, ECONNREFUSED);
    (void)close(late);
    (void)close(fd);
    rig_free(&r);
    server_stop(v);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(N19_256_connections_are_held_and_one_more_waits),
        cmocka_unit_test(N19_10000_connections_are_served_in_the_end),
        cmocka_unit_test(N19_who_does_not_hear_is_counted_for),
        cmocka_unit_test(N19_a_head_of_any_size_is_cut_off),
        cmocka_unit_test(N19_slow_clients_hold_up_nobody),
        cmocka_unit_test(N19_it_ends_with_the_run),
        cmocka_unit_test(each_request_is_judged_again),
        cmocka_unit_test(a_body_is_passed_on_exactly),
        cmocka_unit_test(a_request_that_can_be_read_in_two_ways_is_refused),
        cmocka_unit_test(chunks_that_are_none_end_the_connection),
        cmocka_unit_test(an_answer_that_can_be_read_in_two_ways_is_no_answer),
        cmocka_unit_test(an_answer_ends_where_it_says),
        cmocka_unit_test(N11_N15_what_is_no_host_is_refused),
    };

    gate_program = argc > 1 ? argv[1] : "writ-net";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
