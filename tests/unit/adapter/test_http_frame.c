/* SPDX-License-Identifier: Apache-2.0 */
/* test_http_frame.c: what writ and writ-http say to each other, and a WebSocket's opening. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapter/http/frame.h"
#include "adapter/http/pack.h"
#include "adapter/http/ws.h"

static void a_request_comes_out_as_it_went_in(void **state)
{
    struct http_header headers[] = { { str_of("A"), str_of("b") }, { str_of("C"), { "", 0 } } };
    struct str hosts[] = { str_of("example.org"), str_of("localhost") };
    struct http_request r = {
        .method = "POST",
        .url = "https://example.org/x",
        .headers = headers,
        .header_count = 2,
        .hosts = { .allow = hosts, .allow_count = 2, .deny = hosts + 1, .deny_count = 1 },
        .body = { "a\0b", 3 },
        .timeout_ms = -5,
        .body_max = SIZE_MAX,
        .redirects_max = 3,
        .plain = true
    };
    _buf_ struct buf b = { .max = 1 << 16 };
    _arena_ struct arena a = { 0 };
    struct http_ask ask;

    (void)state;
    http_pack_ask(&b, &r, "mcp");
    assert_true(http_read_ask(buf_str(&b), &a, &ask));
    assert_true(str_is(ask.method, "POST"));
    assert_true(str_is(ask.url, r.url));
    assert_true(str_is(ask.protocol, "mcp"));
    assert_true(str_is(ask.headers[0].value, "b"));
    assert_true(str_is(ask.headers[1].name, "C"));
    assert_true(str_is(ask.hosts.allow[1], "localhost"));
    assert_int_equal(ask.hosts.deny_count, 1);
    assert_true(str_is(ask.hosts.deny[0], "localhost"));
    assert_true(str_eq(ask.body, r.body));
    assert_int_equal(ask.timeout_ms, 0);
    assert_int_equal(ask.body_max, INT64_MAX);
    assert_int_equal(ask.redirects_max, 3);
    assert_true(ask.plain);
    for (size_t n = 0; n < b.len; n++)
        assert_false(http_read_ask((struct str){ b.s, n }, &a, &ask));
    buf_addc(&b, 'x');
    assert_false(http_read_ask(buf_str(&b), &a, &ask));
}

static void frames_are_read_in_any_pieces(void **state)
{
    _buf_ struct buf b = { .max = 1 << 16 };
    struct http_reader r;
    struct http_frame f;
    struct error e = { 0 };
    bool whole;
    int seen = 0;

    (void)state;
    http_frame_add(&b, &(struct http_frame){ HTTP_BODY, 7, str_of("hello") });
    http_frame_add(&b, &(struct http_frame){ HTTP_OPENED, 8, { 0 } });
    http_reader_open(&r, HTTP_PROGRAM);
    for (size_t i = 0; i < b.len; i++) {
        buf_add(&r.bytes, b.s + i, 1);
        assert_true(http_reader_take(&r, &f, &whole, &e));
        seen += whole;
        if (whole && seen == 1)
            assert_true(f.kind == HTTP_BODY && f.call == 7 && str_is(f.body, "hello"));
        if (whole && seen == 2)
            assert_true(f.kind == HTTP_OPENED && f.call == 8 && f.body.n == 0);
    }
    assert_int_equal(seen, 2);
    http_reader_close(&r);
}

static void what_is_no_frame_is_refused(void **state)
{
    static const struct {
        uint32_t head[3];
        enum http_side from;
    } rows[] = {
        { { 0, 0, 1 }, HTTP_WRIT },
        { { 0, HTTP_KINDS, 1 }, HTTP_WRIT },
        { { 0, HTTP_END, 1 }, HTTP_WRIT },
        { { 0, HTTP_CALL, 1 }, HTTP_PROGRAM },
        { { HTTP_ASK_MAX + 1, HTTP_CALL, 1 }, HTTP_WRIT },
        { { 1, HTTP_STOP, 1 }, HTTP_WRIT },
        { { HTTP_PIECE + 1, HTTP_BODY, 1 }, HTTP_PROGRAM },
        { { UINT32_MAX, HTTP_TEXT, 1 }, HTTP_PROGRAM },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct http_reader r;
        struct http_frame f;
        struct error e = { 0 };
        bool whole;

        http_reader_open(&r, rows[i].from);
        buf_add(&r.bytes, rows[i].head, sizeof rows[i].head);
        assert_false(http_reader_take(&r, &f, &whole, &e));
        assert_true(e.msg[0]);
        http_reader_close(&r);
    }
}

/* The example of RFC 6455, 1.3. */
static void the_key_is_answered_as_the_rfc_says(void **state)
{
    _buf_ struct buf text = { .max = 100 }, accept = { .max = 100 };

    (void)state;
    ws_key_add(&text, (const uint8_t *)"the sample nonce");
    ws_accept_add(&accept, (const uint8_t *)"the sample nonce");
    assert_true(str_is(buf_str(&text), "dGhlIHNhbXBsZSBub25jZQ=="));
    assert_true(str_is(buf_str(&accept), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
}

/* The examples of RFC 6455, 5.7. */
static void frames_are_written_as_the_rfc_says(void **state)
{
    static const uint8_t mask[] = { 0x37, 0xfa, 0x21, 0x3d };
    static char large[70000];
    static const struct {
        size_t n;
        const char *head;
        size_t head_bytes;
    } rows[] = { { 125, "\x81\xfd", 2 },
                 { 126, "\x81\xfe\x00\x7e", 4 },
                 { 65535, "\x81\xfe\xff\xff", 4 },
                 { 65536, "\x81\xff\0\0\0\0\0\x01\0\0", 10 } };
    _buf_ struct buf b = { .max = 1 << 20 };

    (void)state;
    ws_frame_add(&b, WS_TEXT, str_of("Hello"), mask);
    assert_int_equal(b.len, 11);
    assert_memory_equal(b.s, "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58", 11);
    for (size_t i = 0; i < COUNT(rows); i++) {
        buf_reset(&b);
        ws_frame_add(&b, WS_TEXT, (struct str){ large, rows[i].n }, mask);
        assert_int_equal(b.len, rows[i].head_bytes + 4 + rows[i].n);
        assert_memory_equal(b.s, rows[i].head, rows[i].head_bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_comes_out_as_it_went_in),
        cmocka_unit_test(frames_are_read_in_any_pieces),
        cmocka_unit_test(what_is_no_frame_is_refused),
        cmocka_unit_test(the_key_is_answered_as_the_rfc_says),
        cmocka_unit_test(frames_are_written_as_the_rfc_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
