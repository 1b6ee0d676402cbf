/* SPDX-License-Identifier: Apache-2.0 */
/* test_http.c: calls by writ-http: what is sent, what comes back, side by side, stopped, kept. */
#include "adapter/peer.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

#include "adapter/http/line.h"

/* Answers every request with what it was asked. */
static void echo(struct peer *p, int fd)
{
    static const char body[] = "hello";
    char head[PEER_ASK], answer[PEER_ASK + 256];

    while (peer_ask(p, fd, head)) {
        bool only_head = strncmp(head, "HEAD ", 5) == 0;

        (void)snprintf(answer, sizeof answer,
                       "HTTP/1.1 200 OK\r\nX-Empty:\r\nX-Two: a\r\nx-two: b\r\n"
                       "Set-Cookie: taste=good\r\nContent-Length: %zu\r\n\r\n%s",
                       only_head ? sizeof body - 1 : strlen(head), only_head ? "" : head);
        if (!peer_say(fd, answer))
            return;
    }
}

static bool has(const struct visit *v, const char *text)
{
    return strstr(v->answer.body.s, text) != NULL;
}

static void a_request_is_sent_and_its_answer_comes_back(void **state)
{
    static struct peer p;
    _visit_ struct visit v = { 0 };
    struct http *h = peer_http();
    struct http_header headers[] = { { str_of("X-Key"), str_of("secret") },
                                     { str_of("X-None"), str_of("") } };

    (void)state;
    peer_start(&p, echo);
    visit_begin(&v, &p, "/a/../b?q=%20");
    v.request.headers = headers;
    v.request.header_count = COUNT(headers);
    assert_true(visit_go(&v, h));
    assert_int_equal(v.answer.end, HTTP_DONE);
    assert_int_equal(v.answer.status, 200);
    assert_true(has(&v, "GET /a/../b?q=%20 HTTP/1.1\r\n"));
    assert_true(has(&v, "\r\nX-Key: secret\r\n"));
    assert_true(has(&v, "\r\nX-None:\r\n"));
    assert_true(has(&v, "\r\nUser-Agent: writ/"));
    assert_true(str_is(http_header(&v.answer, "X-TWO"), "a"));
    assert_true(str_is(http_header(&v.answer, "x-empty"), ""));
    assert_null(http_header(&v.answer, "x-missing").s);
    assert_int_equal(v.answer.bytes, (int64_t)v.answer.body.n);
    assert_string_equal(v.answer.address, arena_printf(&v.a, "127.0.0.1:%d", p.port));
    assert_false(v.answer.reused);
    http_close(h);
    peer_stop(&p);
}

static void a_connection_is_kept_and_no_cookie_is(void **state)
{
    static struct peer p;
    struct http *h = peer_http();

    (void)state;
    peer_start(&p, echo);
    for (int i = 0; i < 20; i++) {
        _visit_ struct visit v = { 0 };

        visit_begin(&v, &p, "/");
        assert_true(visit_go(&v, h));
        assert_int_equal(v.answer.end, HTTP_DONE);
        assert_int_equal(v.answer.reused, i > 0);
        assert_false(has(&v, "Cookie"));
    }
    assert_int_equal(atomic_load(&p.connections), 1);
    http_close(h);
    peer_stop(&p);
}

static void methods_and_bodies_are_sent_as_they_are(void **state)
{
    static const struct {
        const char *method, *body, *begins, *has;
    } rows[] = {
        { "POST", "{\"a\":1}", "POST / ", "\r\nContent-Length: 7\r\n" },
        { "POST", "", "POST / ", "\r\nContent-Length: 0\r\n" },
        { "PUT", "x", "PUT / ", "\r\nContent-Length: 1\r\n" },
        { "PATCH", "xy", "PATCH / ", "\r\nContent-Length: 2\r\n" },
        { "DELETE", NULL, "DELETE / ", "\r\nHost: " },
        { "GET", "q", "GET / ", "\r\nContent-Length: 1\r\n" },
        { "GET", NULL, "GET / ", "\r\nHost: " }, /* on the same handle: nothing is left of before */
    };
    static struct peer p;
    struct http *h = peer_http();

    (void)state;
    peer_start(&p, echo);
    for (size_t i = 0; i < COUNT(rows); i++) {
        _visit_ struct visit v = { 0 };

        visit_begin(&v, &p, "/");
        v.request.method = rows[i].method;
        if (rows[i].body)
            v.request.body = str_of(rows[i].body);
        assert_true(visit_go(&v, h));
        assert_int_equal(v.answer.end, HTTP_DONE);
        assert_ptr_equal(strstr(v.answer.body.s, rows[i].begins), v.answer.body.s);
        assert_true(has(&v, rows[i].has));
        assert_false(has(&v, "Expect"));
        assert_false(has(&v, "Content-Type"));
        assert_true(rows[i].body || !has(&v, "Content-Length"));
    }
    http_close(h);
    peer_stop(&p);
}

static void an_answer_to_HEAD_has_no_body(void **state)
{
    static struct peer p;
    _visit_ struct visit v = { 0 };
    struct http *h = peer_http();

    (void)state;
    peer_start(&p, echo);
    visit_begin(&v, &p, "/");
    v.request.method = "HEAD";
    assert_true(visit_go(&v, h));
    assert_int_equal(v.answer.end, HTTP_DONE);
    assert_true(str_is(http_header(&v.answer, "content-length"), "5"));
    assert_int_equal(v.answer.body.n, 0);
    http_close(h);
    peer_stop(&p);
}

/* ---- what is refused before anything is sent ---- */

static void what_is_not_the_caller_s_to_ask_is_refused(void **state)
{
    static const struct {
        const char *method, *url, *host, *name, *value, *why;
    } rows[] = {
        { "GET", "http://example.org/", "127.0.0.1", NULL, NULL,
          "'example.org' is not reached: it is not in the list of hosts" },
        { "GET", "http://2130706433/", "127.0.0.1", NULL, NULL, "unusual form" },
        { "GET", "http://169.254.169.254/latest/?token=planted", "*.example.org", NULL, NULL,
          "'169.254.169.254' is not reached: it is not in the list of hosts" },
        { "GET", "http://me:planted@127.0.0.1/", "127.0.0.1", NULL, NULL, "the URL is not one" },
        { "GET", "ftp://127.0.0.1/", "127.0.0.1", NULL, NULL, "its scheme is not http or https" },
        { "GET", "ws://127.0.0.1/", "127.0.0.1", NULL, NULL, "its scheme is not http or https" },
        { "GET", "file:///etc/passwd", "127.0.0.1", NULL, NULL, "its scheme is not http or https" },
        { "GET", "http://10.1.2.3/", "10.1.2.3", NULL, NULL, "https is needed" },
        { "G T", "http://127.0.0.1/", "127.0.0.1", NULL, NULL, "the method has a character" },
        { "GET", "http://127.0.0.1/", "127.0.0.1", "X-A", "planted\r\nX-B: 1",
          "the value of header 'X-A' has a control character" },
        { "GET", "http://127.0.0.1/", "127.0.0.1", "X A", "1", "the name of a header" },
        { "GET", "http://127.0.0.1/", "127.0.0.1", "host", "planted.example",
          "the header 'Host' is not the caller's to set" },
        { "GET", "http://127.0.0.1/", "127.0.0.1", "Transfer-Encoding", "chunked",
          "the header 'Transfer-Encoding' is not the caller's to set" },
    };
    struct http *h = peer_http();

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        static const struct peer nobody;
        _visit_ struct visit v = { 0 };
        struct str host = str_of(rows[i].host);
        struct http_header header = { { 0 }, { 0 } };

        visit_begin(&v, &nobody, "");
        v.request.method = rows[i].method;
        v.request.url = rows[i].url;
        v.request.hosts.allow = &host;
        if (rows[i].name)
            header = (struct http_header){ str_of(rows[i].name), str_of(rows[i].value) };
        v.request.headers = &header;
        v.request.header_count = rows[i].name != NULL;
        assert_true(visit_go(&v, h));
        assert_int_equal(v.answer.end, HTTP_REFUSED);
        assert_int_equal(v.answer.status, 0);
        if (!strstr(v.answer.why, rows[i].why))
            fail_msg("row %zu: %s", i, v.answer.why);
        assert_null(strstr(v.answer.why, "planted"));
    }
    http_close(h);
}

/* ---- listening ---- */

struct heard {
    int heads, pieces, most;
    struct buf text;
    int go_on; /* an eventfd: the server sends on when a piece was heard */
};

static bool hear_head(void *self, int status, const struct http_header *headers, size_t n)
{
    struct heard *heard = self;

    (void)headers;
    heard->heads += status == 200 && n > 0;
    return heard->most != 0;
}

static bool hear_piece(void *self, struct str bytes)
{
    struct heard *heard = self;

    assert_int_equal(heard->heads, 1);
    buf_add(&heard->text, bytes.s, bytes.n);
    (void)eventfd_write(heard->go_on, 1);
    return ++heard->pieces < heard->most;
}

/* Sends the next event only when the one before was heard: nothing is held back on the way. */
static void events(struct peer *p, int fd)
{
    char head[PEER_ASK], line[64];
    eventfd_t count;

    if (!peer_ask(p, fd, head))
        return;
    (void)peer_say(fd, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
    for (int i = 0; i < 5; i++) {
        (void)snprintf(line, sizeof line, "data: %d\n\n", i);
        if (!peer_say(fd, line) || eventfd_read(*(int *)p->self, &count) != 0)
            return;
    }
}

static void listen_to_events(int most, enum http_end end, int pieces, const char *text)
{
    static struct peer p;
    _visit_ struct visit v = { 0 };
    struct http *h = peer_http();
    struct heard heard = { .most = most,
                           .go_on = eventfd(0, EFD_SEMAPHORE),
                           .text = { .max = 1000 } };

    p = (struct peer){ .self = &heard.go_on };
    peer_start(&p, events);
    visit_begin(&v, &p, "/");
    v.request.head = hear_head;
    v.request.piece = hear_piece;
    v.request.self = &heard;
    assert_true(visit_go(&v, h));
    assert_int_equal(v.answer.end, end);
    assert_int_equal(v.answer.status, 200);
    assert_int_equal(heard.pieces, pieces);
    assert_true(str_is(buf_str(&heard.text), text));
    assert_int_equal(v.answer.body.n, 0);
    assert_int_equal(v.answer.bytes, (int64_t)heard.text.len);
    (void)eventfd_write(heard.go_on, 10);
    buf_free(&heard.text);
    http_close(h);
    peer_stop(&p);
    (void)close(heard.go_on);
}

static void pieces_are_told_as_they_come(void **state)
{
    (void)state;
    listen_to_events(100, HTTP_DONE, 5, "data: 0\n\ndata: 1\n\ndata: 2\n\ndata: 3\n\ndata: 4\n\n");
}

static void a_listener_may_have_enough(void **state)
{
    (void)state;
    listen_to_events(2, HTTP_ENOUGH, 2, "data: 0\n\ndata: 1\n\n");
    listen_to_events(0, HTTP_ENOUGH, 0, "");
}

/* ---- stopping ---- */

static void never(struct peer *p, int fd)
{
    char head[PEER_ASK];

    (void)peer_ask(p, fd, head);
    if (p->self)
        (void)eventfd_write(*(int *)p->self, 1); /* the call is under way: now it is stopped */
    peer_wait_end(fd);
}

static void a_call_is_cancelled_in_the_middle(void **state)
{
    static struct peer p;
    _visit_ struct visit v = { 0 };
    struct http *h = peer_http();
    int stop = eventfd(0, 0);

    (void)state;
    p.self = &stop;
    peer_start(&p, never);
    visit_begin(&v, &p, "/");
    v.request.cancel = stop;
    assert_true(visit_go(&v, h));
    assert_int_equal(v.answer.end, HTTP_CANCELLED);
    (void)pthread_join(p.each[0], NULL); /* its connection was closed, too */
    p.each[0] = pthread_self();
    atomic_store(&p.connections, 0);
    (void)close(p.fds[0]);
    http_close(h);
    peer_stop(&p);
    (void)close(stop);
}

static void a_call_ends_in_time(void **state)
{
    static struct peer p;
    _visit_ struct visit v = { 0 };
    struct http *h = peer_http();

    (void)state;
    peer_start(&p, never);
    visit_begin(&v, &p, "/?planted");
    v.request.timeout_ms = 50;
    assert_true(visit_go(&v, h));
    assert_int_equal(v.answer.end, HTTP_TIMEOUT);
    assert_string_equal(v.answer.why, "no whole answer came in time");
    v.request.timeout_ms = 0;
    assert_true(visit_go(&v, h));
    assert_int_equal(v.answer.end, HTTP_TIMEOUT);
    http_close(h);
    peer_stop(&p);
}

/* ---- side by side ---- */

enum { THREADS = 8, EACH = 8 };

static struct http *shared;
static struct peer shared_peer;

static void *call_some(void *arg)
{
    intptr_t me = (intptr_t)arg;
    intptr_t good = 0;

    for (int i = 0; i < EACH; i++) {
        _visit_ struct visit v = { 0 };
        char path[64];

        (void)snprintf(path, sizeof path, "/%d/%d", (int)me, i);
        visit_begin(&v, &shared_peer, path);
        if (visit_go(&v, shared) && v.answer.end == HTTP_DONE && has(&v, path))
            good++;
    }
    return (void *)good; /* NOLINT(performance-no-int-to-ptr) */
}

static void many_threads_call_at_once(void **state)
{
    pthread_t threads[THREADS];
    intptr_t good = 0;
    void *some;

    (void)state;
    shared = peer_http();
    peer_start(&shared_peer, echo);
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_some, (void *)i), 0); /* NOLINT */
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(threads[i], &some);
        good += (intptr_t)some;
    }
    assert_int_equal(good, THREADS * EACH);
    assert_true(atomic_load(&shared_peer.connections) <= THREADS);
    http_close(shared);
    peer_stop(&shared_peer);
}

/* ---- when writ-http dies ---- */

static void kill_it(struct peer *p, int fd)
{
    char head[PEER_ASK];

    (void)peer_ask(p, fd, head);
    (void)syscall(SYS_pidfd_send_signal, ((struct http *)p->self)->child.handle, SIGTERM, NULL, 0);
    peer_wait_end(fd);
}

static void a_crash_is_told_and_it_can_be_opened_again(void **state)
{
    static struct peer p, good;
    _visit_ struct visit v = { 0 }, after = { 0 };
    struct http *h = peer_http();

    (void)state;
    p.self = h;
    peer_start(&p, kill_it);
    visit_begin(&v, &p, "/");
    assert_false(visit_go(&v, h));
    assert_string_equal(v.e.msg, "writ-http was ended by SIGTERM");
    assert_false(visit_go(&v, h));
    assert_string_equal(v.e.msg, "writ-http was ended by SIGTERM");
    http_close(h);
    peer_stop(&p);
    h = peer_http();
    peer_start(&good, echo);
    visit_begin(&after, &good, "/");
    assert_true(visit_go(&after, h));
    assert_int_equal(after.answer.end, HTTP_DONE);
    http_close(h);
    peer_stop(&good);
}

static void a_program_that_is_not_there_or_not_ours_is_told(void **state)
{
    static const struct peer nobody;
    _visit_ struct visit v = { 0 };
    struct http *h = NULL;
    struct error e = { 0 };

    (void)state;
    assert_false(http_open("/nowhere/writ-http", NULL, &h, &e));
    assert_non_null(strstr(e.msg, "/nowhere/writ-http cannot be started"));
    assert_true(http_open("/bin/false", NULL, &h, &e));
    visit_begin(&v, &nobody, "/");
    assert_false(visit_go(&v, h));
    assert_string_equal(v.e.msg, "writ-http ended with status 1");
    http_close(h);
    http_close(NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_sent_and_its_answer_comes_back),
        cmocka_unit_test(a_connection_is_kept_and_no_cookie_is),
        cmocka_unit_test(methods_and_bodies_are_sent_as_they_are),
        cmocka_unit_test(an_answer_to_HEAD_has_no_body),
        cmocka_unit_test(what_is_not_the_caller_s_to_ask_is_refused),
        cmocka_unit_test(pieces_are_told_as_they_come),
        cmocka_unit_test(a_listener_may_have_enough),
        cmocka_unit_test(a_call_is_cancelled_in_the_middle),
        cmocka_unit_test(a_call_ends_in_time),
        cmocka_unit_test(many_threads_call_at_once),
        cmocka_unit_test(a_crash_is_told_and_it_can_be_opened_again),
        cmocka_unit_test(a_program_that_is_not_there_or_not_ours_is_told),
    };

    if (argc < 2)
        return 64;
    peer_program = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
