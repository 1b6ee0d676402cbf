/* SPDX-License-Identifier: Apache-2.0 */
/* test_net_opening.c: for whom a hello of TLS is, however it comes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "sandbox/net/opening.h"

/* What a hello says beside its fixed part. */
struct said {
    const char *name;
    int kind;       /* of the name; 0 is a host's */
    bool twice;     /* the name's extension is there twice */
    int more;       /* another extension, before the name's; 0: none */
    bool too_long;  /* the list of extensions leads beyond the hello */
    size_t padding; /* bytes of an extension that means nothing */
    bool none;      /* it ends before there are extensions */
};

static void put16(struct buf *to, size_t v)
{
    buf_addc(to, (char)(v >> 8));
    buf_addc(to, (char)v);
}

static void put_bytes(struct buf *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_addc(to, (char)i);
}

static void put_name(struct buf *to, const struct said *s)
{
    size_t n = strlen(s->name);

    put16(to, 0);
    put16(to, n + 5);
    put16(to, n + 3);
    buf_addc(to, (char)s->kind);
    put16(to, n);
    buf_add(to, s->name, n);
}

static void put_extensions(struct buf *to, const struct said *s)
{
    _buf_ struct buf all = { .max = 1 << 20 };

    if (s->more) {
        put16(&all, (size_t)s->more);
        put16(&all, 1);
        buf_addc(&all, 1);
    }
    if (s->padding) {
        put16(&all, 21);
        put16(&all, s->padding);
        put_bytes(&all, s->padding);
    }
    for (int i = 0; s->name && i < 1 + s->twice; i++)
        put_name(&all, s);
    put16(to, all.len + s->too_long);
    buf_add(to, all.s, all.len);
}

/* The message, cut into records of at most `each` bytes. */
static void put_hello(struct buf *to, const struct said *s, size_t each)
{
    _buf_ struct buf body = { .max = 1 << 20 }, message = { .max = 1 << 20 };

    put16(&body, 0x0303);
    put_bytes(&body, 32);
    buf_adds(&body, "\x04"
                    "ABCD"); /* session */
    put16(&body, 2);
    put16(&body, 0x1301);
    buf_addc(&body, 1);
    buf_addc(&body, 0);
    if (!s->none)
        put_extensions(&body, s);
    buf_addc(&message, 1);
    buf_addc(&message, (char)(body.len >> 16));
    put16(&message, body.len);
    buf_add(&message, body.s, body.len);
    for (size_t at = 0; at < message.len; at += each) {
        size_t n = message.len - at < each ? message.len - at : each;

        buf_addc(to, 22);
        put16(to, 0x0301);
        put16(to, n);
        buf_add(to, message.s + at, n);
    }
}

static const struct host named = { .name = "allowed.test", .length = 12 };
static const struct host numbered = { .name = "192.0.2.1", .length = 9, .is_address = true };

static const char *judged(const struct said *s, const struct host *host)
{
    _buf_ struct buf bytes = { .max = 1 << 20 };
    const char *why = NULL;
    size_t taken = 0;
    enum opening_found found;

    put_hello(&bytes, s, 1 << 14);
    found = opening_judge(buf_str(&bytes), host, false, &taken, &why);
    assert_int_equal(found, why ? OPENING_WRONG : OPENING_FITS);
    return why;
}

static void assert_why(const struct said *s, const struct host *host, const char *part)
{
    const char *why = judged(s, host);

    assert_non_null(why);
    assert_non_null(strstr(why, part));
}

static void N08_a_hello_for_the_host_that_was_asked_for_fits(void **state)
{
    (void)state;
    assert_null(judged(&(struct said){ "allowed.test" }, &named));
    assert_null(judged(&(struct said){ "ALLOWED.Test", .more = 43 }, &named));
    assert_null(judged(&(struct said){ NULL }, &numbered));
    assert_null(judged(&(struct said){ .none = true }, &numbered));
}

static void N08_a_hello_for_somebody_else_does_not(void **state)
{
    (void)state;
    assert_why(&(struct said){ "other.test" }, &named, "another host");
    assert_why(&(struct said){ "allowed.test.other.test" }, &named, "another host");
    assert_why(&(struct said){ "allowed.tes" }, &named, "another host");
    assert_why(&(struct said){ "allowed.test." }, &named, "another host");
    assert_why(&(struct said){ NULL }, &named, "for whom");
    assert_why(&(struct said){ .none = true }, &named, "for whom");
    assert_why(&(struct said){ "allowed.test" }, &numbered, "an address");
    assert_why(&(struct said){ "allowed.test", .more = 0xfe0d }, &named, "another inside");
    assert_why(&(struct said){ "allowed.test", .more = 0xffce }, &named, "another inside");
}

static void N08_a_hello_that_can_be_read_in_two_ways_does_not(void **state)
{
    (void)state;
    assert_why(&(struct said){ "allowed.test", .twice = true }, &named, "not one of TLS");
    assert_why(&(struct said){ "allowed.test", .kind = 1 }, &named, "not one of TLS");
    assert_why(&(struct said){ "allowed.test", .too_long = true }, &named, "not one of TLS");
    assert_why(&(struct said){ "" }, &named, "not one of TLS");
}

static void N08_a_hello_counts_once_all_of_it_is_there(void **state)
{
    static const size_t pieces[] = { 1, 3, 4, 5, 60, 1 << 14 };
    const struct said s = { "allowed.test", .padding = 300 };

    (void)state;
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        _buf_ struct buf bytes = { .max = 1 << 20 };
        const char *why = NULL;
        size_t taken = 0;

        put_hello(&bytes, &s, pieces[i]);
        for (size_t n = 0; n < bytes.len; n++)
            assert_int_equal(opening_judge((struct str){ bytes.s, n }, &named, false, &taken, &why),
                             OPENING_PART);
        assert_int_equal(opening_judge(buf_str(&bytes), &named, false, &taken, &why), OPENING_FITS);
        assert_int_equal(taken, bytes.len);
        buf_adds(&bytes, "and more");
        assert_int_equal(opening_judge(buf_str(&bytes), &named, false, &taken, &why), OPENING_FITS);
    }
}

static void N08_what_is_no_hello_is_refused_by_its_first_bytes(void **state)
{
    static const struct str wrong[] = {
        { "GET / HTTP/1.1\r\n", 16 },
        { "SSH-2.0", 7 },
        { "\x15\x03\x01\x00\x02\x02\x28", 7 }, /* an alert */
        { "\x16\x02\x01\x00\x05", 5 },
        { "\x16\x03\x01\x00\x00", 5 },
        { "\x16\x03\x01\x40\x01", 5 },
        { "\x16\x03\x01\x00\x05\x02", 6 },
        { "\x16\x03\x01\x00\x05\x01\x01\x00\x00\x00", 10 }, /* a hello of 64 KiB */
        { "\x80\x2e\x01\x03\x01", 5 },                      /* a hello of SSL 2 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *why = NULL;
        size_t taken = 0;

        assert_int_equal(opening_judge(wrong[i], &named, false, &taken, &why), OPENING_WRONG);
        assert_non_null(why);
    }
}

static void N08_a_hello_without_end_is_refused(void **state)
{
    const struct said s = { "allowed.test", .padding = 20000 };
    _buf_ struct buf bytes = { .max = 1 << 20 };
    const char *why = NULL;
    size_t taken = 0;

    (void)state;
    put_hello(&bytes, &s, 1); /* six bytes for each of it */
    assert_int_equal(
        opening_judge((struct str){ bytes.s, OPENING_MOST - 1 }, &named, false, &taken, &why),
        OPENING_PART);
    assert_int_equal(
        opening_judge((struct str){ bytes.s, OPENING_MOST }, &named, false, &taken, &why),
        OPENING_WRONG);
    assert_string_equal(why, "its hello is too long");
}

/* What may stand between a HelloRetryRequest and the second hello: a change of the cipher, an
 * alert, data that was sent early. */
static const struct str between = { "\x14\x03\x03\x00\x01\x01"
                                    "\x15\x03\x03\x00\x02\x01\x70"
                                    "\x17\x03\x03\x00\x03"
                                    "ABC",
                                    21 };

static void N08_a_second_hello_is_judged_as_the_first(void **state)
{
    static const struct {
        struct said said;
        enum opening_found found;
    } rows[] = {
        { { "allowed.test", .padding = 300 }, OPENING_FITS },
        { { "other.test" }, OPENING_WRONG },
        { { NULL }, OPENING_WRONG },
        { { .none = true }, OPENING_WRONG },
        { { "allowed.test", .twice = true }, OPENING_WRONG },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        _buf_ struct buf bytes = { .max = 1 << 20 };
        const char *why = NULL;
        size_t taken = 0;

        buf_add(&bytes, between.s, between.n);
        put_hello(&bytes, &rows[i].said, 60);
        assert_int_equal(opening_judge(buf_str(&bytes), &named, false, &taken, &why),
                         OPENING_WRONG);
        for (size_t n = 0; n < bytes.len; n++) {
            assert_int_equal(opening_judge((struct str){ bytes.s, n }, &named, true, &taken, &why),
                             OPENING_PART);
            assert_true(taken <= between.n && taken <= n && (n < between.n || taken == between.n));
        }
        assert_int_equal(opening_judge(buf_str(&bytes), &named, true, &taken, &why), rows[i].found);
        assert_true(rows[i].found != OPENING_FITS || taken == bytes.len);
    }
}

static void N08_a_record_with_more_than_a_hello_is_refused(void **state)
{
    _buf_ struct buf bytes = { .max = 1 << 20 };
    const char *why = NULL;
    size_t taken = 0;

    (void)state;
    put_hello(&bytes, &(struct said){ "allowed.test" }, 1 << 14);
    bytes.s[4]++;
    assert_int_equal(opening_judge(buf_str(&bytes), &named, false, &taken, &why), OPENING_WRONG);
}

/* A server's hello, in records of at most `each` bytes of it, and what comes with it in the last.
 */
static void put_answer(struct buf *to, bool retry, size_t each, size_t more)
{
    static const uint8_t chance[] = {
        0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c,
        0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb,
        0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
    };
    _buf_ struct buf message = { .max = 1 << 20 };

    buf_addc(&message, 2);
    buf_addc(&message, 0);
    put16(&message, 34 + 6);
    put16(&message, 0x0303);
    buf_add(&message, chance, sizeof chance - 1);
    buf_addc(&message, (char)(retry ? 0x9c : 0x9d));
    put_bytes(&message, 6 + more);
    for (size_t at = 0; at < message.len; at += each) {
        size_t n = message.len - at < each ? message.len - at : each;

        buf_addc(to, 22);
        put16(to, 0x0303);
        put16(to, n);
        buf_add(to, message.s + at, n);
    }
}

static void N08_an_answer_tells_whether_there_is_a_second_hello(void **state)
{
    static const size_t pieces[] = { 1, 3, 38, 1 << 14 };
    static const struct str before = { "\x15\x03\x03\x00\x02\x01\x70", 7 };

    (void)state;
    for (size_t i = 0; i < 2 * sizeof pieces / sizeof pieces[0]; i++) {
        _buf_ struct buf bytes = { .max = 1 << 20 };
        enum opening_found wanted = i & 1 ? OPENING_RETRY : OPENING_FITS;
        const char *why = NULL;
        size_t taken = 0, end;

        buf_add(&bytes, before.s, before.n);
        put_answer(&bytes, i & 1, pieces[i / 2], 0);
        end = bytes.len;
        for (size_t n = 0; n < end; n++) {
            enum opening_found found = opening_answer((struct str){ bytes.s, n }, &taken, &why);

            assert_true(found == OPENING_PART || (found == wanted && wanted == OPENING_FITS));
            assert_int_equal(taken, n < before.n ? 0 : before.n);
        }
        buf_add(&bytes, between.s, between.n);
        assert_int_equal(opening_answer(buf_str(&bytes), &taken, &why), wanted);
        assert_true(wanted == OPENING_FITS || taken == end);
    }
}

static void N08_an_answer_that_is_none_is_refused(void **state)
{
    static const struct str wrong[] = {
        { "HTTP/1.1 400 Bad Request", 24 },
        { "\x16\x03\x03\x00\x05\x00\x00\x00\x00", 9 },          /* begin anew */
        { "\x16\x03\x03\x00\x05\x06\x00\x00\x00", 9 },          /* a retry as drafts had it */
        { "\x16\x03\x03\x00\x06\x02\x00\x00\x02\x03\x03", 11 }, /* a short one */
        { "\x17\x03\x03\x00\x01\x01", 6 },
        { "\x15\x03\x03\xff\xff\x01", 6 },
    };
    _buf_ struct buf bytes = { .max = 1 << 20 };
    const char *why;
    size_t taken = 0;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        why = NULL;
        assert_int_equal(opening_answer(wrong[i], &taken, &why), OPENING_WRONG);
        assert_non_null(strstr(why, "TLS"));
    }
    put_answer(&bytes, true, 1 << 14, 9); /* what follows in the same record is hidden from us */
    assert_int_equal(opening_answer(buf_str(&bytes), &taken, &why), OPENING_WRONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(N08_a_hello_for_the_host_that_was_asked_for_fits),
        cmocka_unit_test(N08_a_hello_for_somebody_else_does_not),
        cmocka_unit_test(N08_a_hello_that_can_be_read_in_two_ways_does_not),
        cmocka_unit_test(N08_a_hello_counts_once_all_of_it_is_there),
        cmocka_unit_test(N08_what_is_no_hello_is_refused_by_its_first_bytes),
        cmocka_unit_test(N08_a_hello_without_end_is_refused),
        cmocka_unit_test(N08_a_second_hello_is_judged_as_the_first),
        cmocka_unit_test(N08_a_record_with_more_than_a_hello_is_refused),
        cmocka_unit_test(N08_an_answer_tells_whether_there_is_a_second_hello),
        cmocka_unit_test(N08_an_answer_that_is_none_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
