/* SPDX-License-Identifier: Apache-2.0 */
/* test_frame.c: frames of the worker protocol, written and read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "contract/codes.h"
#include "route/frame.h"

static struct str some(size_t n)
{
    static char bytes[FRAME_MAX + 1];

    for (size_t i = 0; i < n; i++)
        bytes[i] = (char)(i * 7 + i / 256);
    return (struct str){ bytes, n };
}

static const struct frame every[] = {
    { FRAME_HELLO, 0, { "{}", 2 } },
    { FRAME_INPUT, 1, { "a\0b", 3 } },
    { FRAME_RUN, 1, { "{\"request\":{}}", 14 } },
    { FRAME_READY, 1, { "", 0 } },
    { FRAME_REFUSED, 2, { "{\"status\":77}", 13 } },
    { FRAME_GO, 1, { "", 0 } },
    { FRAME_STOP, UINT32_MAX, { "", 0 } },
    { FRAME_OUT, 0x01020304, { "out", 3 } },
    { FRAME_ERR, 7, { "err", 3 } },
    { FRAME_FILE, 7, { "file", 4 } },
    { FRAME_FILE_END, 7, { "sha256:", 7 } },
    { FRAME_RESULT, 7, { "{}", 2 } },
};

/* A pipe or a socket; what is read is of that side. */
static void lay(int ends[2], bool is_socket, struct frame_reader *r, enum frame_side side)
{
    assert_int_equal(is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends), 0);
    if (is_socket) {
        int other = ends[0];

        ends[0] = ends[1];
        ends[1] = other;
    }
    frame_reader_open(r, ends[0], side);
}

static void hang_up(int ends[2], struct frame_reader *r)
{
    frame_reader_close(r);
    if (ends[0] >= 0)
        (void)close(ends[0]);
    if (ends[1] >= 0)
        (void)close(ends[1]);
}

/* Waits for the next one. */
static bool next_frame(struct frame_reader *r, struct frame *came, struct error *e)
{
    struct pollfd in = { .fd = r->fd, .events = POLLIN };
    bool whole = false;

    while (frame_take(r, came, &whole, e) && !whole)
        (void)poll(&in, 1, -1);
    return whole;
}

static void every_kind_comes_as_it_was_sent(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * COUNT(every); i++) {
        const struct frame *sent = &every[i / 2];
        struct frame_reader r;
        struct frame came;
        struct error e;
        int ends[2];

        lay(ends, i % 2 != 0, &r, frames[sent->kind].from);
        assert_true(frame_write(ends[1], -1, sent, &e));
        assert_true(frame_write(ends[1], -1, sent, &e));
        for (int k = 0; k < 2; k++) {
            assert_true(next_frame(&r, &came, &e));
            assert_int_equal(came.kind, sent->kind);
            assert_int_equal(came.errand, sent->errand);
            assert_true(str_eq(came.body, sent->body));
        }
        hang_up(ends, &r);
    }
}

static void the_bytes_of_a_frame_are_these(void **state)
{
    static const char bytes[] = { 0, 0, 0, 3, FRAME_OUT, 0, 0, 0, 1, 2, 3, 4, 'o', 'u', 't' };
    char came[64];
    struct frame_reader r;
    struct error e;
    int ends[2];

    (void)state;
    lay(ends, false, &r, SIDE_WORKER);
    assert_true(frame_write(ends[1], -1, &every[7], &e));
    assert_int_equal(read(ends[0], came, sizeof came), sizeof bytes);
    assert_memory_equal(came, bytes, sizeof bytes);
    hang_up(ends, &r);
}

struct sending {
    int fd;
    struct frame frame;
    bool ok;
};

static void *send_it(void *self)
{
    struct sending *s = self;
    struct error e;

    s->ok = frame_write(s->fd, -1, &s->frame, &e);
    return NULL;
}

/* A pipe holds 64 KiB: both sides meet many short writes and short reads. */
static void the_longest_frame_comes_whole(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        struct sending s = { .frame = { FRAME_RUN, 5, some(FRAME_MAX) } };
        struct frame_reader r;
        struct frame came;
        struct error e;
        pthread_t thread;
        int ends[2];

        lay(ends, way == 1, &r, SIDE_CALLER);
        if (way == 2)
            assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
        s.fd = ends[1];
        assert_int_equal(pthread_create(&thread, NULL, send_it, &s), 0);
        assert_true(next_frame(&r, &came, &e));
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_true(s.ok);
        assert_int_equal(came.body.n, FRAME_MAX);
        assert_memory_equal(came.body.s, s.frame.body.s, FRAME_MAX);
        hang_up(ends, &r);
    }
}

/* Not by a signal: this program would be gone. */
static void who_writes_to_nobody_is_told(void **state)
{
    (void)state;
    for (int is_socket = 0; is_socket < 2; is_socket++) {
        struct frame_reader r;
        struct error e;
        int ends[2];

        lay(ends, is_socket != 0, &r, SIDE_WORKER);
        (void)close(ends[0]);
        ends[0] = -1;
        assert_false(frame_write(ends[1], -1, &every[0], &e));
        assert_int_equal(e.code, CODE_IO);
        hang_up(ends, &r);
    }
}

static void a_body_that_is_too_long_is_not_sent(void **state)
{
    static const struct {
        enum frame_kind kind;
        size_t bytes;
    } rows[] = {
        { FRAME_GO, 1 },
        { FRAME_OUT, FRAME_PIECE + 1 },
        { FRAME_FILE_END, 72 },
        { FRAME_RESULT, (4 << 20) + 1 },
        { FRAME_RUN, FRAME_MAX + 1 },
    };
    struct frame_reader r;
    struct error e;
    int ends[2];

    (void)state;
    lay(ends, false, &r, SIDE_WORKER);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct frame f = { rows[i].kind, 1, some(rows[i].bytes) };

        assert_false(frame_write(ends[1], -1, &f, &e));
        assert_int_equal(e.code, CODE_CEILING);
    }
    hang_up(ends, &r);
}

static void what_is_no_frame_is_refused(void **state)
{
    static const struct {
        const char *bytes;
        enum frame_side from;
        int code;
        const char *message;
    } rows[] = {
        { "Welcome to host!", SIDE_WORKER, CODE_SYNTAX, "what came is no frame" },
        { "\0\0\0\0\0\0\0\0\0\0\0\1", SIDE_WORKER, CODE_SYNTAX, "what came is no frame" },
        { "\0\0\0\0\20\0\0\0\0\0\0\1", SIDE_WORKER, CODE_SYNTAX, "what came is no frame" },
        { "\0\0\0\0\4\1\0\0\0\0\0\1", SIDE_WORKER, CODE_SYNTAX, "what came is no frame" },
        { "\0\0\0\0\4\0\1\0\0\0\0\1", SIDE_WORKER, CODE_SYNTAX, "what came is no frame" },
        { "\0\0\0\0\4\0\0\1\0\0\0\1", SIDE_WORKER, CODE_SYNTAX, "what came is no frame" },
        { "\0\0\0\0\6\0\0\0\0\0\0\1", SIDE_WORKER, CODE_SYNTAX,
          "a frame 'go' came, which is the caller's to send" },
        { "\0\0\0\0\4\0\0\0\0\0\0\1", SIDE_CALLER, CODE_SYNTAX,
          "a frame 'ready' came, which is the worker's to send" },
        { "\0\0\0\1\16\0\0\0\0\0\0\1", SIDE_WORKER, CODE_CEILING,
          "a frame 'echo' of 1 bytes came, allowed are 0" },
        { "\377\377\377\377\14\0\0\0\0\0\0\1", SIDE_WORKER, CODE_CEILING,
          "a frame 'result' of 4294967295 bytes came, allowed are 4194304" },
        { "\0\1\0\1\10\0\0\0\0\0\0\1", SIDE_WORKER, CODE_CEILING,
          "a frame 'out' of 65537 bytes came, allowed are 65536" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct frame_reader r;
        struct frame came;
        struct error e = { 0 };
        int ends[2];

        lay(ends, false, &r, rows[i].from);
        assert_int_equal(write(ends[1], rows[i].bytes, FRAME_HEAD), FRAME_HEAD);
        assert_false(next_frame(&r, &came, &e));
        assert_int_equal(e.code, rows[i].code);
        assert_string_equal(e.msg, rows[i].message);
        hang_up(ends, &r);
    }
}

static void the_end_between_frames_is_not_the_end_within_one(void **state)
{
    (void)state;
    for (size_t cut = 0; cut < FRAME_HEAD + 3; cut++) {
        static const char bytes[] = { 0, 0, 0, 3, FRAME_OUT, 0, 0, 0, 1, 2, 3, 4, 'o', 'u', 't' };
        struct frame_reader r;
        struct frame came;
        struct error e = { 0 };
        int ends[2];

        lay(ends, false, &r, SIDE_WORKER);
        assert_int_equal(write(ends[1], bytes, cut), cut);
        (void)close(ends[1]);
        ends[1] = -1;
        assert_false(next_frame(&r, &came, &e));
        assert_int_equal(e.code, cut ? CODE_IO : CODE_NONE);
        hang_up(ends, &r);
    }
}

/* Both ends of one connection over the loopback. */
static void lay_tcp(int ends[2])
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t size = sizeof at;
    int door = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(bind(door, (struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(door, 1), 0);
    assert_int_equal(getsockname(door, (struct sockaddr *)&at, &size), 0);
    ends[1] = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(ends[1], (struct sockaddr *)&at, size), 0);
    ends[0] = accept(door, NULL, NULL);
    assert_true(ends[0] >= 0);
    (void)close(door);
}

/* Who goes without a word has gone: it is the end as any other. */
static void a_connection_that_is_reset_has_ended(void **state)
{
    static const struct linger at_once = { .l_onoff = 1 };
    struct frame_reader r;
    struct frame came;
    struct error e = { .code = CODE_IO };
    int ends[2];

    (void)state;
    lay_tcp(ends);
    frame_reader_open(&r, ends[0], SIDE_WORKER);
    assert_int_equal(setsockopt(ends[1], SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
    (void)close(ends[1]);
    ends[1] = -1;
    assert_false(next_frame(&r, &came, &e));
    assert_int_equal(e.code, CODE_NONE);
    assert_string_equal(e.msg, "the stream ended");
    hang_up(ends, &r);
}

static void who_does_not_wait_is_told_what_is_missing(void **state)
{
    static const char bytes[] = { 0, 0, 0, 3, FRAME_OUT, 0, 0, 0, 1, 2, 3, 4, 'o', 'u', 't' };
    struct frame_reader r;
    struct frame came;
    struct error e = { 0 };
    int ends[2];
    bool whole = true;

    (void)state;
    lay(ends, false, &r, SIDE_WORKER);
    for (size_t i = 0; i < sizeof bytes; i++) {
        assert_true(frame_take(&r, &came, &whole, &e));
        assert_false(whole);
        assert_int_equal(write(ends[1], &bytes[i], 1), 1);
    }
    assert_true(frame_take(&r, &came, &whole, &e));
    assert_true(whole);
    assert_true(str_is(came.body, "out"));
    (void)close(ends[1]);
    ends[1] = -1;
    assert_false(frame_take(&r, &came, &whole, &e));
    assert_int_equal(e.code, CODE_NONE);
    hang_up(ends, &r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_comes_as_it_was_sent),
        cmocka_unit_test(the_bytes_of_a_frame_are_these),
        cmocka_unit_test(the_longest_frame_comes_whole),
        cmocka_unit_test(who_writes_to_nobody_is_told),
        cmocka_unit_test(a_body_that_is_too_long_is_not_sent),
        cmocka_unit_test(what_is_no_frame_is_refused),
        cmocka_unit_test(the_end_between_frames_is_not_the_end_within_one),
        cmocka_unit_test(a_connection_that_is_reset_has_ended),
        cmocka_unit_test(who_does_not_wait_is_told_what_is_missing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
