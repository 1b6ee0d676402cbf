/* SPDX-License-Identifier: Apache-2.0 */
/* test_gate_ends.c: how one end leaves is how the other sees it leave. */
#include "gates.h"

/* Between a client and a server that the test plays itself. */
struct wire {
    struct rig rig;
    int listener, port, client, server;
};

static void open_wire(struct wire *w)
{
    w->listener = loop_socket(SOCK_STREAM, &w->port);
    rig_allow(&w->rig, "127.0.0.1", w->port);
    rig_open(&w->rig);
}

static void join_wire(struct wire *w, const char *before, const char *behind)
{
    char text[256];

    (void)snprintf(text, sizeof text, "%s127.0.0.1:%d%s", before, w->port, behind);
    w->client = dial(w->rig.proxy);
    say(w->client, text);
    w->server = accept(w->listener, NULL, NULL);
    assert_true(w->server >= 0);
}

static void open_tunnel(struct wire *w)
{
    join_wire(w, "CONNECT ", " HTTP/1.1\r\n\r\n");
    assert_non_null(strstr(hear_until(w->client, "\r\n\r\n"), " 200 "));
}

static void close_wire(struct wire *w)
{
    rig_close(&w->rig);
    rig_free(&w->rig);
    (void)close(w->listener);
}

/* Without a word: what was not read is thrown away, and the other end is told so. */
static void break_off(int fd)
{
    static const struct linger at_once = { 1, 0 };

    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    (void)close(fd);
}

/* All that came, and then a tidy end (0) or the number of an error. */
static int end_of(int fd, size_t *heard)
{
    char bytes[4096];
    ssize_t n;

    *heard = 0;
    while ((n = recv(fd, bytes, sizeof bytes, 0)) > 0)
        *heard += (size_t)n;
    return n < 0 ? errno : 0;
}

static void a_server_that_breaks_off_is_seen_to(void **state)
{
    struct wire w = { 0 };
    size_t heard;

    (void)state;
    open_wire(&w);
    open_tunnel(&w);
    say(w.server, "half");
    assert_string_equal(hear_until(w.client, "half"), "half");
    break_off(w.server);
    assert_int_equal(end_of(w.client, &heard), ECONNRESET);
    assert_int_equal(heard, 0);
    (void)close(w.client);
    close_wire(&w);
}

static void a_client_that_breaks_off_is_seen_to(void **state)
{
    struct wire w = { 0 };
    size_t heard;

    (void)state;
    open_wire(&w);
    open_tunnel(&w);
    say(w.client, "half");
    assert_string_equal(hear_until(w.server, "half"), "half");
    break_off(w.client);
    assert_int_equal(end_of(w.server, &heard), ECONNRESET);
    assert_int_equal(heard, 0);
    (void)close(w.server);
    close_wire(&w);
}

static void who_ends_in_peace_is_seen_to(void **state)
{
    struct wire w = { 0 };
    size_t heard;

    (void)state;
    open_wire(&w);
    open_tunnel(&w);
    say(w.client, "all");
    (void)shutdown(w.client, SHUT_WR);
    assert_int_equal(end_of(w.server, &heard), 0);
    assert_int_equal(heard, 3);
    say(w.server, "answer");
    (void)close(w.server);
    assert_int_equal(end_of(w.client, &heard), 0);
    assert_int_equal(heard, 6);
    (void)close(w.client);
    close_wire(&w);
}

/* What is left of it would stand before the next request: who waits with that for an answer
 * (Expect) may send the next one instead, and is to know that nobody reads it. */
static void an_answer_to_half_a_request_is_the_last(void **state)
{
    static const struct {
        const char *body, *connection;
    } rows[] = { { "half", "Connection: close\r\n" },
                 { "all of it", "Connection: keep-alive\r\n" } };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct wire w = { 0 };
        char behind[96];

        (void)snprintf(behind, sizeof behind, "/ HTTP/1.1\r\nContent-Length: 9\r\n\r\n%s",
                       rows[i].body);
        open_wire(&w);
        join_wire(&w, "POST http://", behind);
        assert_non_null(strstr(hear_until(w.server, rows[i].body), "POST / "));
        say(w.server, "HTTP/1.1 413 Large\r\nContent-Length: 0\r\n\r\n");
        assert_non_null(strstr(hear_until(w.client, "\r\n\r\n"), rows[i].connection));
        (void)close(w.client);
        (void)close(w.server);
        close_wire(&w);
    }
}

/* First it says that it says no more, then it is gone: the server is told. */
static void an_answer_that_nobody_takes_is_not_read_on(void **state)
{
    enum { PIECE = 1 << 16, MOST = 1 << 28 };
    static char piece[PIECE];
    struct wire w = { 0 };
    int64_t sent = 0;

    (void)state;
    open_wire(&w);
    join_wire(&w, "GET http://", "/ HTTP/1.1\r\n\r\n");
    assert_non_null(strstr(hear_until(w.server, "\r\n\r\n"), "GET / "));
    say(w.server, "HTTP/1.1 200 OK\r\n\r\nbegun");
    assert_non_null(strstr(hear_until(w.client, "begun"), " 200 "));
    (void)shutdown(w.client, SHUT_WR);
    (void)close(w.client);
    while (sent < MOST && send_all(w.server, piece, sizeof piece))
        sent += PIECE;
    assert_true(sent < MOST);
    (void)close(w.server);
    rig_close(&w.rig);
    assert_int_equal(w.rig.log.n, 1);
    assert_true(!rig_event(&w.rig, 0)->refused && rig_event(&w.rig, 0)->down <= MOST);
    rig_free(&w.rig);
    (void)close(w.listener);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_that_breaks_off_is_seen_to),
        cmocka_unit_test(a_client_that_breaks_off_is_seen_to),
        cmocka_unit_test(who_ends_in_peace_is_seen_to),
        cmocka_unit_test(an_answer_to_half_a_request_is_the_last),
        cmocka_unit_test(an_answer_that_nobody_takes_is_not_read_on),
    };

    gate_program = argc > 1 ? argv[1] : "writ-net";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
