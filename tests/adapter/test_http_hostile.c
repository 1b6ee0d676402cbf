/* SPDX-License-Identifier: Apache-2.0 */
/* test_http_hostile.c: servers that mean no good: a clear end each time, and nothing hangs. */
#include "adapter/peer.h"

#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>

/* ---- one answer, said once to each request, or said and then closed ---- */

struct saying {
    const char *name, *text;
    bool stays; /* the connection stays open */
    enum http_end end;
    int status;
    const char *body;
};

static void say(struct peer *p, int fd)
{
    const struct saying *s = p->self;
    char head[PEER_ASK];

    while (peer_ask(p, fd, head))
        if (!peer_say(fd, s->text) || !s->stays)
            return;
}

/* clang-format off */
static const struct saying sayings[] = {
    { "plain",          "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", true, HTTP_DONE, 200, "ok" },
    { "until the end",  "HTTP/1.1 200 OK\r\n\r\nok", false, HTTP_DONE, 200, "ok" },
    { "HTTP/1.0",       "HTTP/1.0 404 Gone\r\n\r\nno", false, HTTP_DONE, 404, "no" },
    { "100 first",      "HTTP/1.1 100 Continue\r\nX-A: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", true, HTTP_DONE, 200, "ok" },
    { "chunks",         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x=y\r\no\r\n1\r\nk\r\n0\r\nX-Late: 1\r\n\r\n", true, HTTP_DONE, 200, "ok" },
    { "no length 204",  "HTTP/1.1 204 None\r\n\r\n", true, HTTP_DONE, 204, "" },
    { "nothing",        "", false, HTTP_BROKEN, 0, "" },
    { "garbage",        "\x7f""ELF\x02\x01\x01 what is this?\r\n\r\n", false, HTTP_BROKEN, 0, "" },
    { "no status",      "HTTP/1.1\r\n\r\n", false, HTTP_BROKEN, 0, "" },
    { "another number", "HTTP/1.1 20x OK\r\n\r\n", false, HTTP_BROKEN, 0, "" },
    { "half a head",    "HTTP/1.1 200 OK\r\nContent-Le", false, HTTP_BROKEN, 0, "" },
    { "half a body",    "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", false, HTTP_BROKEN, 200, "half" },
    { "half a chunk",   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf", false, HTTP_BROKEN, 200, "half" },
    { "no last chunk",  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", false, HTTP_BROKEN, 200, "half" },
    { "bad chunk",      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhalf\r\n", false, HTTP_BROKEN, 200, "" },
    { "huge chunk",     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx", false, HTTP_BROKEN, 200, "" },
    { "bad length",     "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", false, HTTP_TOO_LARGE, -1, "" },
    { "one length",     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\ncontent-length:2 \r\n\r\nok", true, HTTP_DONE, 200, "ok" },
    { "two lengths",    "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 2\r\n\r\nhalf", false, HTTP_BROKEN, 200, "" },
    { "more lengths",   "HTTP/1.1 200 OK\r\nContent-Length: 2\r\ncontent-length: 4\r\n\r\nhalf", false, HTTP_BROKEN, 200, "" },
    { "a list of them", "HTTP/1.1 200 OK\r\nContent-Length: 2, 4\r\n\r\nhalf", false, HTTP_BROKEN, 200, "" },
    { "packed",         "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: 30\r\n\r\n"
                        "\x78\x01\x2b\xcf\x48\x2c\x51\x28\x4f\x2c\x56\x28\x48\x4c\xce\x4e\x4d\x51\xc8\x2c\x56\x28\xcd\x83\xb0\x01\x8c\x27\x0a\x0f", true, HTTP_DONE, 200, "what was packed is unpacked" },
    { "packed, cut",    "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nContent-Length: 26\r\n\r\n"
                        "\x78\x01\x2b\xcf\x48\x2c\x51\x28\x4f\x2c\x56\x28\x48\x4c\xce\x4e\x4d\x51\xc8\x2c\x56\x28\xcd\x83\xb0\x01", true, HTTP_BROKEN, 200, "what was packed is unpacked" },
    { "packed wrongly", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 12\r\n\r\nno gzip here", true, HTTP_BROKEN, 200, "" },
    { "packed somehow", "HTTP/1.1 200 OK\r\nContent-Encoding: unheard-of\r\nContent-Length: 2\r\n\r\nok", true, HTTP_BROKEN, 200, "" },
};
/* clang-format on */

static void whatever_is_said_has_one_end(void **state)
{
    struct http *h = peer_http();
    int bad = 0;

    (void)state;
    for (size_t i = 0; i < COUNT(sayings); i++) {
        static struct peer p;
        const struct saying *s = &sayings[i];
        union {
            const struct saying *lent;
            void *self;
        } u = { s };
        _visit_ struct visit v = { 0 };
        bool good;

        p = (struct peer){ .self = u.self };
        peer_start(&p, say);
        visit_begin(&v, &p, "/");
        good = visit_go(&v, h) && v.answer.end == s->end &&
               (s->status < 0 || v.answer.status == s->status) && str_is(v.answer.body, s->body) &&
               (s->end == HTTP_DONE || v.answer.why[0]);
        if (!good)
            print_error("# %s: end %d, status %d, %s\n", s->name, (int)v.answer.end,
                        v.answer.status, v.answer.why);
        bad += !good;
        peer_stop(&p);
    }
    assert_int_equal(bad, 0);
    http_close(h);
}

/* ---- too much ---- */

static void endless_body(struct peer *p, int fd)
{
    static const char zeros[1 << 16];
    char head[PEER_ASK];

    if (!peer_ask(p, fd, head))
        return;
    (void)peer_say(fd, p->self ? p->self : "HTTP/1.1 200 OK\r\n\r\n");
    while (peer_send(fd, zeros, sizeof zeros))
        ;
}

static void endless_headers(struct peer *p, int fd)
{
    char head[PEER_ASK];

    if (!peer_ask(p, fd, head))
        return;
    (void)peer_say(fd, "HTTP/1.1 200 OK\r\n");
    while (peer_say(fd, p->self))
        ;
}

static void expect(void (*serve)(struct peer *, int), const void *self, enum http_end end)
{
    static struct peer p;
    union {
        const void *lent;
        void *self;
    } u = { self };
    _visit_ struct visit v = { 0 };
    struct http *h = peer_http();

    p = (struct peer){ .self = u.self };
    peer_start(&p, serve);
    visit_begin(&v, &p, "/");
    assert_true(visit_go(&v, h));
    if (v.answer.end != end)
        fail_msg("end %d: %s", (int)v.answer.end, v.answer.why);
    assert_true(v.answer.body.n <= 1 << 20);
    http_close(h);
    peer_stop(&p);
}

static void a_body_or_a_head_has_a_ceiling(void **state)
{
    static char line[64 << 10];

    (void)state;
    expect(endless_body, NULL, HTTP_TOO_LARGE);
    expect(endless_body, "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n", HTTP_TOO_LARGE);
    expect(endless_headers, "X-A: b\r\n", HTTP_TOO_LARGE);
    expect(endless_headers, "X-A", HTTP_TOO_LARGE);
    memset(line, 'x', sizeof line - 3);
    line[1] = ':';
    line[sizeof line - 3] = '\r';
    line[sizeof line - 2] = '\n';
    expect(endless_headers, line, HTTP_TOO_LARGE);
}

struct counted {
    size_t bytes;
    bool zeros;
};

static bool count(void *self, struct str bytes)
{
    struct counted *c = self;

    for (size_t i = 0; i < bytes.n; i++)
        c->zeros = c->zeros && bytes.s[i] == 0;
    c->bytes += bytes.n;
    return true;
}

/* 64 MiB go through, and writ-http does not keep them. */
static void a_gigabyte_s_beginning_goes_through(void **state)
{
    enum { MOST = 64 << 20 };
    static struct peer p;
    _visit_ struct visit v = { 0 };
    struct http *h = peer_http();
    struct counted counted = { 0, true };
    struct rusage used;

    (void)state;
    peer_start(&p, endless_body);
    visit_begin(&v, &p, "/");
    v.request.body_max = MOST;
    v.request.piece = count;
    v.request.self = &counted;
    assert_true(visit_go(&v, h));
    assert_int_equal(v.answer.end, HTTP_TOO_LARGE);
    assert_true(counted.zeros);
    assert_in_range(counted.bytes, MOST - (1 << 20), MOST);
    http_close(h);
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &used), 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
    assert_true(used.ru_maxrss < 60 << 10);
#endif
    peer_stop(&p);
}

/* ---- too slow ---- */

static void drip(struct peer *p, int fd)
{
    struct pollfd end = { fd, POLLIN, 0 };
    char head[PEER_ASK];

    if (!peer_ask(p, fd, head))
        return;
    (void)peer_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    while (poll(&end, 1, 10) == 0)
        if (!peer_say(fd, "x"))
            return;
}

static void who_drips_meets_the_deadline(void **state)
{
    static struct peer p;
    _visit_ struct visit v = { 0 };
    struct http *h = peer_http();

    (void)state;
    peer_start(&p, drip);
    visit_begin(&v, &p, "/");
    v.request.timeout_ms = 200;
    assert_true(visit_go(&v, h));
    assert_int_equal(v.answer.end, HTTP_TIMEOUT);
    assert_int_equal(v.answer.status, 200);
    http_close(h);
    peer_stop(&p);
}

/* ---- redirects ---- */

static void redirect(struct peer *p, int fd)
{
    char head[PEER_ASK], answer[512], *path;

    while (peer_ask(p, fd, head)) {
        path = strchr(head, ' ') + 1;
        if (strncmp(path, "/end", 4) == 0)
            (void)snprintf(answer, sizeof answer,
                           "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n%.4s", head);
        else
            (void)snprintf(answer, sizeof answer,
                           "HTTP/1.1 %s Go\r\nLocation: %s\r\nContent-Length: 5\r\n\r\nmoved",
                           strncmp(path, "/307", 4) == 0 ? "307" : "302", (const char *)p->self);
        if (!peer_say(fd, answer))
            return;
    }
}

static void redirects_stay_in_their_place(void **state)
{
    static const struct {
        const char *to, *path, *method;
        enum http_end end;
        const char *body;
    } rows[] = {
        { "/end", "/", "GET", HTTP_DONE, "GET " },
        { "end", "/", "POST", HTTP_DONE, "GET " },
        { "/end", "/307", "POST", HTTP_DONE, "POST" },
        { "/again", "/", "GET", HTTP_REFUSED, "" },
        { "http://169.254.169.254/latest/meta-data/?planted", "/", "GET", HTTP_REFUSED, "" },
        { "http://127.0.0.1:1/end", "/", "GET", HTTP_REFUSED, "" },
        { "https://127.0.0.1/end", "/", "GET", HTTP_REFUSED, "" },
        { "//localhost/end", "/", "GET", HTTP_REFUSED, "" },
        { "file:///etc/passwd", "/", "GET", HTTP_REFUSED, "" },
        { "gopher://127.0.0.1:1/_x", "/", "GET", HTTP_REFUSED, "" },
        { "http://me:planted@127.0.0.1/", "/", "GET", HTTP_REFUSED, "" },
    };
    struct http *h = peer_http();

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        static struct peer p;
        _visit_ struct visit v = { 0 };

        p = (struct peer){ .self = strdup(rows[i].to) };
        peer_start(&p, redirect);
        visit_begin(&v, &p, rows[i].path);
        v.request.method = rows[i].method;
        assert_true(visit_go(&v, h));
        if (v.answer.end != rows[i].end || !str_is(v.answer.body, rows[i].body))
            fail_msg("%s: end %d, %s", rows[i].to, (int)v.answer.end, v.answer.why);
        assert_null(strstr(v.answer.why, "planted"));
        assert_true(v.answer.end == HTTP_DONE || strstr(v.answer.why, "it redirects "));
        v.request.redirects_max = 0; /* then it is an answer as others are */
        assert_true(visit_go(&v, h));
        assert_int_equal(v.answer.end, HTTP_DONE);
        assert_true(str_is(http_header(&v.answer, "location"), rows[i].to));
        assert_true(str_is(v.answer.body, "moved"));
        peer_stop(&p);
        free(p.self);
    }
    http_close(h);
}

/* ---- more than was asked for ---- */

/* To each request two answers; the second must never be taken for the next one's. */
static void twice(struct peer *p, int fd)
{
    char head[PEER_ASK];

    while (peer_ask(p, fd, head))
        if (!peer_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"
                          "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond"))
            return;
}

/* The answer to this request, on a connection on which nothing else was said. */
static void expect_first(const struct peer *p, struct http *h)
{
    _visit_ struct visit v = { 0 };

    visit_begin(&v, p, "/");
    assert_true(visit_go(&v, h));
    assert_int_equal(v.answer.end, HTTP_DONE);
    assert_true(str_is(v.answer.body, "first"));
    assert_false(v.answer.reused);
}

static void an_answer_too_many_is_not_the_next_one_s(void **state)
{
    static struct peer p;
    struct http *h = peer_http();

    (void)state;
    peer_start(&p, twice);
    for (int i = 0; i < 5; i++)
        expect_first(&p, h);
    http_close(h);
    peer_stop(&p);
}

/* The second answer comes when the first was taken, on a connection that rests. */
static sem_t taken, said_again;

static void later(struct peer *p, int fd)
{
    char head[PEER_ASK];

    while (peer_ask(p, fd, head)) {
        (void)peer_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst");
        (void)sem_wait(&taken);
        (void)peer_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond");
        (void)sem_post(&said_again);
    }
}

static void an_answer_that_comes_later_is_not_the_next_one_s(void **state)
{
    static struct peer p;
    struct http *h = peer_http();

    (void)state;
    assert_int_equal(sem_init(&taken, 0, 0), 0);
    assert_int_equal(sem_init(&said_again, 0, 0), 0);
    peer_start(&p, later);
    for (int i = 0; i < 5; i++) {
        expect_first(&p, h);
        (void)sem_post(&taken);
        (void)sem_wait(&said_again);
    }
    http_close(h);
    peer_stop(&p);
}

/* Answers once, and ends a connection that is used again without a word. */
static void once(struct peer *p, int fd)
{
    char head[PEER_ASK];

    if (peer_ask(p, fd, head) && peer_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
        (void)peer_ask(p, fd, head);
}

static void what_may_not_be_repeated_is_sent_once(void **state)
{
    static const struct {
        const char *method;
        enum http_end end;
        int requests;
    } rows[] = { { "POST", HTTP_BROKEN, 2 }, { "GET", HTTP_DONE, 3 } };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        static struct peer p;
        struct http *h = peer_http();
        _visit_ struct visit v = { 0 };

        p = (struct peer){ 0 };
        peer_start(&p, once);
        visit_begin(&v, &p, "/");
        assert_true(visit_go(&v, h));
        assert_int_equal(v.answer.end, HTTP_DONE);
        v.request.method = rows[i].method;
        assert_true(visit_go(&v, h));
        assert_int_equal(v.answer.end, rows[i].end);
        assert_int_equal(atomic_load(&p.requests), rows[i].requests);
        http_close(h);
        peer_stop(&p);
    }
}

/* As that, and nobody is there for another connection. */
static void once_and_gone(struct peer *p, int fd)
{
    char head[PEER_ASK];

    if (!peer_ask(p, fd, head) || !peer_say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") ||
        !peer_ask(p, fd, head))
        return;
    atomic_store(&p->over, true);
    (void)shutdown(p->listener, SHUT_RDWR);
}

static void what_was_sent_is_told_of_who_is_unreachable(void **state)
{
    static struct peer p;
    struct http *h = peer_http();
    _visit_ struct visit v = { 0 };

    (void)state;
    peer_start(&p, once_and_gone);
    visit_begin(&v, &p, "/");
    assert_true(visit_go(&v, h));
    assert_int_equal(v.answer.end, HTTP_DONE);
    for (int i = 0; i < 2; i++) {
        v.request.method = "POST";
        assert_true(visit_go(&v, h));
        assert_int_equal(v.answer.end, HTTP_UNREACHABLE);
        assert_int_equal(v.answer.sent, i == 0);
    }
    http_close(h);
    peer_stop(&p);
}

static void nobody_there_is_unreachable(void **state)
{
    static struct peer p;
    _visit_ struct visit v = { 0 };
    struct http *h = peer_http();

    (void)state;
    peer_start(&p, once);
    peer_stop(&p);
    visit_begin(&v, &p, "/");
    assert_true(visit_go(&v, h));
    assert_int_equal(v.answer.end, HTTP_UNREACHABLE);
    assert_string_equal(v.answer.why, "no connection can be made");
    http_close(h);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_said_has_one_end),
        cmocka_unit_test(a_body_or_a_head_has_a_ceiling),
        cmocka_unit_test(a_gigabyte_s_beginning_goes_through),
        cmocka_unit_test(who_drips_meets_the_deadline),
        cmocka_unit_test(redirects_stay_in_their_place),
        cmocka_unit_test(an_answer_too_many_is_not_the_next_one_s),
        cmocka_unit_test(an_answer_that_comes_later_is_not_the_next_one_s),
        cmocka_unit_test(what_may_not_be_repeated_is_sent_once),
        cmocka_unit_test(what_was_sent_is_told_of_who_is_unreachable),
        cmocka_unit_test(nobody_there_is_unreachable),
    };

    if (argc < 2)
        return 64;
    peer_program = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
