/* SPDX-License-Identifier: Apache-2.0 */
/* test_http_socket.c: WebSockets by writ-http, with servers that keep the rules and that do not. */
#include "adapter/ws_peer.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "contract/codes.h"
#include "sanitized.h"

/* ---- the client ---- */

static struct http_socket *open_at(struct http *h, struct visit *v, const struct peer *p,
                                   const char *protocol)
{
    struct http_socket *s = NULL;
    int status;

    visit_begin(v, p, "");
    v->request.url = arena_printf(&v->a, "ws://127.0.0.1:%d/mcp?x=1", p->port);
    return http_socket_open(h, &v->request, protocol, &s, &status, &v->e) ? s : NULL;
}

static struct str next(struct http_socket *s, struct visit *v)
{
    struct str text = { "?", 1 };

    if (!http_socket_next(s, 20000, -1, &v->a, &text, &v->e))
        fail_msg("%s", v->e.msg);
    return text;
}

/* ---- who keeps the rules ---- */

static void echo(struct peer *p, int fd)
{
    _buf_ struct buf text = { .max = 1 << 24 };
    int op;

    if (!agree(p, fd, "Sec-WebSocket-Protocol: mcp\r\n"))
        return;
    while ((op = hear(fd, &text)) >= 0 && op != WS_CLOSE)
        if (!frame(fd, 0x80 | op, buf_str(&text)))
            return;
    if (op == WS_CLOSE)
        atomic_fetch_add(&p->requests, 100); /* it said good-bye */
}

static void messages_go_and_come(void **state)
{
    static struct peer p;
    static char large[60000];
    _visit_ struct visit v = { 0 };
    struct http *h = peer_http();
    struct http_socket *s;

    (void)state;
    peer_start(&p, echo);
    s = open_at(h, &v, &p, "mcp");
    assert_non_null(s);
    memset(large, 'y', sizeof large);
    for (int i = 0; i < 3; i++) {
        assert_true(http_socket_send(s, str_of("hello \xe2\x82\xac"), &v.e));
        assert_true(http_socket_send(s, str_of(""), &v.e));
        assert_true(http_socket_send(s, (struct str){ large, sizeof large }, &v.e));
        assert_true(str_is(next(s, &v), "hello \xe2\x82\xac"));
        assert_true(str_is(next(s, &v), ""));
        assert_int_equal(next(s, &v).n, sizeof large);
    }
    http_socket_close(s);
    (void)pthread_join(p.each[0], NULL);
    p.each[0] = p.thread;
    assert_int_equal(atomic_load(&p.requests), 101);
    atomic_store(&p.connections, 0);
    (void)close(p.fds[0]);
    http_close(h);
    peer_stop(&p);
}

static void pieces(struct peer *p, int fd)
{
    _buf_ struct buf text = { .max = 1 << 16 };

    if (!agree(p, fd, ""))
        return;
    (void)(frame(fd, WS_TEXT, str_of("one ")) && frame(fd, 0x80 | WS_PING, str_of("are you?")) &&
           frame(fd, WS_GOES_ON, str_of("two ")) && frame(fd, 0x80 | WS_PONG, str_of("")));
    if (hear(fd, &text) != WS_PONG || !str_is(buf_str(&text), "are you?"))
        return;
    (void)(frame(fd, 0x80 | WS_GOES_ON, str_of("three")) &&
           frame(fd, 0x80 | WS_CLOSE, str_of("\x03\xe8good-bye")));
    if (hear(fd, &text) == WS_CLOSE && str_is(buf_str(&text), "\x03\xe8"))
        atomic_fetch_add(&p->requests, 100);
}

static void pieces_pings_and_a_close(void **state)
{
    static struct peer p;
    _visit_ struct visit v = { 0 };
    struct http *h = peer_http();
    struct http_socket *s;

    (void)state;
    peer_start(&p, pieces);
    s = open_at(h, &v, &p, NULL);
    assert_non_null(s);
    assert_true(str_is(next(s, &v), "one two three"));
    assert_string_equal(http_socket_farewell(s), "");
    assert_null(next(s, &v).s);
    assert_null(next(s, &v).s);
    assert_string_equal(http_socket_farewell(s), "1000 good-bye");
    http_socket_close(s);
    http_close(h);
    peer_stop(&p);
    assert_int_equal(atomic_load(&p.requests), 101);
}

/* Pings more than its line holds before it reads, and tells whether each was answered. The window
 * is what ends its line, and not the room behind it: of what finds no room the kernel drops some,
 * and after that each side may wait for an acknowledgement that the other takes for a stray. */
static void ping_much(struct peer *p, int fd)
{
    enum { PINGS = 100000 };
    _buf_ struct buf all = { .max = PINGS * (2 + WS_CONTROL) }, text = { .max = 1 << 16 };
    char payload[WS_CONTROL + 1];
    int pongs = 0;

    (void)setsockopt(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, &(int){ 64 << 10 }, sizeof(int));
    if (!agree(p, fd, ""))
        return;
    for (int i = 0; i < PINGS; i++) {
        (void)snprintf(payload, sizeof payload, "%0125d", i);
        buf_addc(&all, (char)(0x80 | WS_PING));
        buf_addc(&all, WS_CONTROL);
        buf_add(&all, payload, WS_CONTROL);
    }
    if (!peer_send(fd, all.s, all.len) || !frame(fd, 0x80 | WS_TEXT, str_of("answer them")))
        return;
    while (hear(fd, &text) == WS_PONG && pongs++ >= 0)
        if (str_is(buf_str(&text), payload))
            break;
    (void)frame(fd, 0x80 | WS_TEXT, str_of(pongs < PINGS ? "the last one" : "all"));
    peer_wait_end(fd);
}

static void of_many_pings_the_last_is_answered(void **state)
{
    static struct peer p;
    _visit_ struct visit v = { 0 };
    struct http *h = peer_http();
    struct http_socket *s;

    (void)state;
    peer_start(&p, ping_much);
    s = open_at(h, &v, &p, NULL);
    assert_non_null(s);
    assert_true(str_is(next(s, &v), "answer them"));
    assert_true(str_is(next(s, &v), "the last one"));
    http_socket_close(s);
    http_close(h);
    peer_stop(&p);
}

/* ---- who does not ---- */

struct wrong {
    const char *bytes;
    size_t n;
    const char *why;
};

static void be_wrong(struct peer *p, int fd)
{
    const struct wrong *w = p->self;

    if (agree(p, fd, "") && peer_send(fd, w->bytes, w->n))
        peer_wait_end(fd);
}

static void a_server_that_breaks_the_rules_is_left(void **state)
{
#define BYTES(text) text, sizeof text - 1
    static const struct wrong rows[] = {
        { BYTES("\x81\x82zzzzab"), "the server masks its frames" },
        { BYTES("\xc1\x01x"), "a frame has bits set that were not agreed on" },
        { BYTES("\x83\x01x"), "a frame is of an unknown kind" },
        { BYTES("\x09\x01x"), "a control frame is too long or in pieces" },
        { BYTES("\x80\x01x"), "a message goes on that has not begun" },
        { BYTES("\x82\x01x"), "a message is not text" },
        { BYTES("\x81\x02\xc0\x80"), "a message is not UTF-8" },
        { BYTES("\x81\x7e\x00\x01x"), "the length of a frame is written in too many bytes" },
        { BYTES("\x81\x7f\x7f\xff\xff\xff\xff\xff\xff\xff"),
          "a message is larger than is allowed" },
        { BYTES("\x88\x01x"), "the server closes with a code that there is not" },
    };
#undef BYTES
    struct http *h = peer_http();

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        static struct peer p;
        union {
            const struct wrong *lent;
            void *self;
        } u = { &rows[i] };
        _visit_ struct visit v = { 0 };
        struct http_socket *s;
        struct str text;

        p = (struct peer){ .self = u.self };
        peer_start(&p, be_wrong);
        s = open_at(h, &v, &p, NULL);
        assert_non_null(s);
        assert_false(http_socket_next(s, 20000, -1, &v.a, &text, &v.e));
        assert_int_equal(v.e.code, CODE_PEER_PROTOCOL);
        assert_string_equal(v.e.msg, rows[i].why);
        http_socket_close(s);
        peer_stop(&p);
    }
    http_close(h);
}

static void answer_wrong(struct peer *p, int fd)
{
    char head[PEER_ASK];

    if (((const char *)p->self)[0] != 'H')
        (void)agree(p, fd, p->self);
    else if (peer_ask(p, fd, head))
        (void)peer_say(fd, p->self);
    if (p->over)
        return;
    peer_wait_end(fd);
}

/* Whoever stands between may have its own word there, and something to say before. */
static void agree_by_list(struct peer *p, int fd)
{
    static const char before[] = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n"
                                 "Link: </a>\r\n\r\n";

    if (peer_say(fd, before) &&
        agree_by(p, fd, "keep-alive , upGrade, x", "Sec-WebSocket-Protocol: mcp\r\n"))
        peer_wait_end(fd);
}

static void an_agreement_may_be_one_of_several_words(void **state)
{
    static struct peer p;
    _visit_ struct visit v = { 0 };
    struct http *h = peer_http();
    struct http_socket *s;

    (void)state;
    peer_start(&p, agree_by_list);
    s = open_at(h, &v, &p, "mcp");
    if (!s)
        fail_msg("%s", v.e.msg);
    http_socket_close(s);
    http_close(h);
    peer_stop(&p);
}

static void hang_up(struct peer *p, int fd)
{
    (void)agree(p, fd, "");
}

/* Who goes away says nothing wrong. */
static void who_hangs_up_is_not_there(void **state)
{
    static struct peer p;
    _visit_ struct visit v = { 0 };
    struct http *h = peer_http();
    struct http_socket *s;
    struct str text;

    (void)state;
    peer_start(&p, hang_up);
    s = open_at(h, &v, &p, NULL);
    assert_non_null(s);
    assert_false(http_socket_next(s, 20000, -1, &v.a, &text, &v.e));
    assert_int_equal(v.e.code, CODE_PEER_UNAVAILABLE);
    assert_string_equal(v.e.msg, "the connection was closed in the middle");
    http_socket_close(s);
    http_close(h);
    peer_stop(&p);
}

static void what_is_no_agreement_opens_nothing(void **state)
{
    static const struct {
        const char *says, *protocol, *why;
        int code; /* 0: PEER_PROTOCOL */
    } rows[] = {
        { "HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n", NULL,
          "the server opens no WebSocket there: HTTP status 401", CODE_PEER_ERROR },
        { "HTTP/1.1 103 Wait\r\n\r\nHTTP/1.1 200 No\r\n\r\n", NULL,
          "the server opens no WebSocket there: HTTP status 200", CODE_PEER_ERROR },
        { "HTTP/1.1 101 Yes\r\n\r\n", NULL, "the server does not agree to what was asked" },
        { "HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
          NULL, "the server does not agree to what was asked" },
        { "HELLO\r\n\r\n", NULL, "what came is not HTTP" },
        { "Sec-WebSocket-Protocol: other\r\n", "mcp",
          "the server does not agree to what was asked" },
        { "\r\n", "mcp", "the server does not speak the protocol that was asked for" },
        { "Sec-WebSocket-Extensions: permessage-deflate\r\n", NULL,
          "the server does not agree to what was asked" },
    };
    struct http *h = peer_http();

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        static struct peer p;
        _visit_ struct visit v = { 0 };

        p = (struct peer){ .self = strdup(rows[i].says) };
        peer_start(&p, answer_wrong);
        assert_null(open_at(h, &v, &p, rows[i].protocol));
        assert_int_equal(v.e.code, rows[i].code ? rows[i].code : CODE_PEER_PROTOCOL);
        assert_string_equal(v.e.msg, rows[i].why);
        peer_stop(&p);
        free(p.self);
    }
    http_close(h);
}

static void silence(struct peer *p, int fd)
{
    if (p->self)
        (void)agree(p, fd, "");
    peer_wait_end(fd);
}

static void nothing_is_waited_for_too_long(void **state)
{
    static struct peer deaf, mute;
    _visit_ struct visit v = { 0 };
    struct http *h = peer_http();
    struct http_socket *s = NULL;
    struct str text;
    int stop = eventfd(1, 0), status;

    (void)state;
    mute.self = &mute;
    peer_start(&deaf, silence);
    peer_start(&mute, silence);
    visit_begin(&v, &deaf, "");
    v.request.url = arena_printf(&v.a, "ws://127.0.0.1:%d", deaf.port);
    v.request.timeout_ms = 50;
    assert_false(http_socket_open(h, &v.request, NULL, &s, &status, &v.e));
    assert_int_equal(v.e.code, CODE_PEER_UNAVAILABLE);
    assert_string_equal(v.e.msg, "no WebSocket was opened in time");
    s = open_at(h, &v, &mute, NULL);
    assert_non_null(s);
    assert_false(http_socket_next(s, 50, -1, &v.a, &text, &v.e));
    assert_int_equal(v.e.code, CODE_PEER_UNAVAILABLE);
    assert_false(http_socket_next(s, 20000, stop, &v.a, &text, &v.e));
    assert_string_equal(v.e.msg, "it was cancelled");
    http_socket_close(s);
    v.request.url = "ws://example.org/";
    assert_false(http_socket_open(h, &v.request, NULL, &s, &status, &v.e));
    assert_int_equal(v.e.code, CODE_HOST_REFUSED);
    http_close(h);
    peer_stop(&deaf);
    peer_stop(&mute);
    (void)close(stop);
}

/* ---- who is faster than we are ---- */

enum { FLOOD = 4000, AT_A_TIME = 8, FLOOD_KIB = 64 << 10 };

static void flood(struct peer *p, int fd)
{
    static char text[60000];

    memset(text, 'x', sizeof text);
    if (!agree(p, fd, ""))
        return;
    for (int i = 0; i < FLOOD; i++)
        if (!frame(fd, 0x80 | WS_TEXT, (struct str){ text, sizeof text }))
            return;
    peer_wait_end(fd);
}

/* There is always something that waits to be read; what was read is not kept for that. */
static void a_flood_takes_no_more_memory_than_what_waits(void **state)
{
    static struct peer p;
    _visit_ struct visit v = { 0 };
    struct http *h = peer_http();
    struct http_socket *s;
    struct rusage used;

    (void)state;
    peer_start(&p, flood);
    s = open_at(h, &v, &p, NULL);
    assert_non_null(s);
    for (int i = 0; i < FLOOD; i++) {
        _arena_ struct arena own = { 0 };
        struct str text;

        if (!http_socket_next(s, 20000, -1, &own, &text, &v.e))
            fail_msg("%s", v.e.msg);
        assert_int_equal(text.n, 60000);
        if (i % AT_A_TIME == 0)
            (void)usleep(2000);
    }
    http_socket_close(s);
    http_close(h);
    peer_stop(&p);
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &used), 0);
    if (!SANITIZED)
        assert_true(used.ru_maxrss < FLOOD_KIB);
}

enum { SENT = 90, SENT_BYTES = 1 << 20, BEHIND = 12 << 20 };

/* When one more was sent it reads, and is always behind by more than the system holds. */
static void lag(struct peer *p, int fd)
{
    static char bytes[64 << 10];
    int64_t got = 0;
    eventfd_t one;

    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &(int){ sizeof bytes }, sizeof(int));
    if (!agree(p, fd, ""))
        return;
    for (int64_t i = 1; i <= SENT && eventfd_read(*(int *)p->self, &one) == 0; i++) {
        for (ssize_t n; got < i * SENT_BYTES - BEHIND; got += n)
            if ((n = recv(fd, bytes, sizeof bytes, 0)) <= 0)
                return;
        if (!frame(fd, 0x80 | WS_TEXT, str_of("more")))
            return;
    }
    peer_wait_end(fd);
}

/* Something always waits to be sent: what was sent does not count as if it waited, too. */
static void who_reads_slowly_may_be_sent_any_amount(void **state)
{
    int sent = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    static struct peer p;
    _visit_ struct visit v = { 0 };
    struct http *h = peer_http();
    struct http_socket *s;
    struct str text = { memset(arena_alloc(&v.a, SENT_BYTES), 'x', SENT_BYTES), SENT_BYTES }, more;

    (void)state;
    p.self = &sent;
    peer_start(&p, lag);
    s = open_at(h, &v, &p, NULL);
    assert_non_null(s);
    for (int i = 0; i < SENT; i++)
        if (!http_socket_send(s, text, &v.e) || eventfd_write(sent, 1) != 0 ||
            !http_socket_next(s, 20000, -1, &v.a, &more, &v.e))
            fail_msg("%d: %s", i, v.e.msg);
    http_socket_close(s);
    http_close(h);
    peer_stop(&p);
    (void)close(sent);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_go_and_come),
        cmocka_unit_test(pieces_pings_and_a_close),
        cmocka_unit_test(of_many_pings_the_last_is_answered),
        cmocka_unit_test(a_server_that_breaks_the_rules_is_left),
        cmocka_unit_test(an_agreement_may_be_one_of_several_words),
        cmocka_unit_test(who_hangs_up_is_not_there),
        cmocka_unit_test(what_is_no_agreement_opens_nothing),
        cmocka_unit_test(nothing_is_waited_for_too_long),
        cmocka_unit_test(a_flood_takes_no_more_memory_than_what_waits),
        cmocka_unit_test(who_reads_slowly_may_be_sent_any_amount),
    };

    if (argc < 2)
        return 64;
    peer_program = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
