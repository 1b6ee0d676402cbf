/* SPDX-License-Identifier: Apache-2.0 */
/* test_sse.c: events are the same however the bytes come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapter/sse.h"

static bool note(void *self, struct str type, struct str data)
{
    struct buf *to = self;

    buf_add(to, type.s, type.n);
    buf_addc(to, '=');
    buf_add(to, data.s, data.n);
    buf_addc(to, ';');
    return !str_is(type, "last");
}

static void events_are_read_however_they_come(void **state)
{
    static const struct {
        const char *text, *events, *last_id;
        int64_t retry_ms;
    } rows[] = {
        { "data: a\n\n", "message=a;", "", 0 },
        { "data: a\r\n\r\ndata: b\r\rdata: c\n\n", "message=a;message=b;message=c;", "", 0 },
        { "data:a\ndata\ndata:  b\n\n", "message=a\n\n b;", "", 0 },
        { ": a comment\n\ndata: a\n: another\n\n", "message=a;", "", 0 },
        { "id: 7\nretry: 500\ndata: \n\n", "message=;", "7", 500 },
        { "id: 7\n\nid: 8\n", "", "7", 0 },
        { "event: e\ndata: a\n\ndata: b\n\n", "e=a;message=b;", "", 0 },
        { "event: e\n\ndata: b\n\n", "message=b;", "", 0 },
        { "\xef\xbb\xbf"
          "data: a\n\n",
          "message=a;", "", 0 },
        { "data: a\n\ndata: unfinished", "message=a;", "", 0 },
        { "retry: 5x\nretry: \ncolour: red\ndata: a\n\n", "message=a;", "", 0 },
        { "retry: 99999999999999999999\n\n", "", "", 3600000 },
        { "event: last\ndata: a\n\ndata: b\n\n", "last=a;", "", 0 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t piece = 1; piece < 20; piece++) {
            struct sse s = { .max = 1000 };
            _buf_ struct buf events = { .max = 1000 };
            bool more = true;

            for (size_t at = 0; more && at < strlen(rows[i].text); at += piece) {
                size_t left = strlen(rows[i].text + at);

                more = sse_feed(&s, (struct str){ rows[i].text + at, left < piece ? left : piece },
                                note, &events);
            }
            if (!str_is(buf_str(&events), rows[i].events) ||
                !str_is(buf_str(&s.last_id), rows[i].last_id) || s.retry_ms != rows[i].retry_ms)
                fail_msg("row %zu by %zu: '%.*s'", i, piece, (int)events.len,
                         events.s ? events.s : "");
            assert_false(sse_full(&s));
            sse_free(&s);
        }
}

static void what_is_too_long_ends_it(void **state)
{
    static const char *const texts[] = {
        "data: 0123456789012345678901234567890123456789\n\n",
        "data: 01234567890\ndata: 01234567890\ndata: 0123456789\n"
    };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct sse s = { .max = 32 };
        _buf_ struct buf events = { .max = 1000 };

        assert_false(sse_feed(&s, str_of(texts[i]), note, &events));
        assert_true(sse_full(&s));
        assert_int_equal(events.len, 0);
        sse_free(&s);
    }
}

static void a_stream_that_is_taken_up_begins_anew_and_knows_its_last_id(void **state)
{
    struct sse s = { .max = 100 };
    _buf_ struct buf events = { .max = 1000 };

    (void)state;
    assert_true(sse_feed(&s, str_of("id: 1\ndata: a\n\nevent: e\ndata: half"), note, &events));
    sse_again(&s);
    assert_true(sse_feed(&s, str_of("data: b\n\n"), note, &events));
    assert_string_equal(events.s, "message=a;message=b;");
    assert_string_equal(s.last_id.s, "1");
    sse_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_read_however_they_come),
        cmocka_unit_test(what_is_too_long_ends_it),
        cmocka_unit_test(a_stream_that_is_taken_up_begins_anew_and_knows_its_last_id),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
