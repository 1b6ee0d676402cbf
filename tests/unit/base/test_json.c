/* SPDX-License-Identifier: Apache-2.0 */
/* test_json.c: the JSON reader and writer: places, ceilings, exact numbers, canonical form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/doc_read.h"
#include "base/doc_same.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/number.h"
#include "base/report.h"

static bool parse(const char *text, struct arena *a, const struct document **d, struct error *e)
{
    struct ceilings max = ceilings_default();

    return json_read("x.json", str_of(text), &max, a, d, e);
}

static void refusals_say_what_and_where(void **state)
{
    static const struct {
        const char *text, *msg, *ptr;
        int code, line, col;
    } cases[] = {
        { "", "the text ends where a value should be", "", ERROR_SYNTAX, 1, 1 },
        { "{\n  \"a\": 1,\n  \"b\" 2}", "found '2', expected ':' after the key", "", ERROR_SYNTAX,
          3, 7 },
        { "{\"a\": [1, 2,, 3]}", "found ',', expected a value", "/a", ERROR_SYNTAX, 1, 13 },
        { "{\"a\": 1, }", "found ',' before '}': a comma too many", "", ERROR_SYNTAX, 1, 8 },
        { "{\"a\": [1,]}", "found ',' before ']': a comma too many", "/a", ERROR_SYNTAX, 1, 9 },
        { "{\"a\": [1 2]}", "found '2', expected ',' or ']'", "/a", ERROR_SYNTAX, 1, 10 },
        { "{\"a\": 1, \"b\": 2, \"a\": 3}", "the key 'a' is given twice", "", ERROR_DUPLICATE, 1,
          18 },
        { "{\"a\\u0000\": 1}", "a key must not hold the character NUL", "", ERROR_SUBSET, 1, 2 },
        { "[\"\\ud800\"]", "\\ud800 is half of a surrogate pair", "", ERROR_ENCODING, 1, 3 },
        { "[\"\\udc00\\ud800\"]", "\\udc00 is half of a surrogate pair", "", ERROR_ENCODING, 1, 3 },
        { "[\"\\ud800\\u0041\"]", "\\ud800 is half of a surrogate pair", "", ERROR_ENCODING, 1, 3 },
        { "[\"é\xff\"]", "byte 0xff is not UTF-8", "", ERROR_ENCODING, 1, 4 },
        { "[\"a\nb\"]", "found byte 0x0a, expected '\"' to end the text", "", ERROR_SYNTAX, 1, 4 },
        { "[9007199254740993]",
          "9007199254740993 cannot be held exactly by a double; write it as text", "", ERROR_NUMBER,
          1, 2 },
        { "[18446744073709551616, 18446744073709551615]",
          "18446744073709551615 cannot be held exactly by a double; write it as text", "",
          ERROR_NUMBER, 1, 24 },
        { "[1e400]", "1e400 is beyond the range of a double (about 1.8e308)", "", ERROR_NUMBER, 1,
          2 },
        { "[1e-400]", "1e-400 is too small for a double and would become 0", "", ERROR_NUMBER, 1,
          2 },
        { "[01]", "found '1', expected ',' or ']'", "", ERROR_SYNTAX, 1, 3 },
        { "1 2", "found '2', expected the end of the text", "", ERROR_SYNTAX, 1, 3 },
        { "\xef\xbb\xbf{}", "found a byte order mark, expected a value", "", ERROR_SYNTAX, 1, 1 },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        const struct document *d = NULL;
        struct error e = { 0 };

        assert_false(parse(cases[i].text, &a, &d, &e));
        assert_null(d);
        assert_string_equal(e.msg, cases[i].msg);
        assert_string_equal(e.at.ptr, cases[i].ptr);
        assert_string_equal(e.at.file, "x.json");
        assert_int_equal(e.code, cases[i].code);
        assert_int_equal(e.at.line, cases[i].line);
        assert_int_equal(e.at.col, cases[i].col);
    }
}

/* As an answer without a body is. */
static void no_text_at_all_is_refused_like_an_empty_one(void **state)
{
    _arena_ struct arena a = { 0 };
    struct ceilings max = ceilings_default();
    const struct document *d = NULL;
    struct error e = { 0 };

    (void)state;
    assert_false(json_read("x.json", (struct str){ 0 }, &max, &a, &d, &e));
    assert_string_equal(e.msg, "the text ends where a value should be");
    assert_int_equal(e.at.line, 1);
    assert_int_equal(e.at.col, 1);
}

static void every_value_knows_its_place(void **state)
{
    _arena_ struct arena a = { 0 };
    const struct document *d;
    struct error e;
    struct at at;

    (void)state;
    assert_true(parse("{\n \"é\": [1,\n  {\"a/b~c\": true}]}", &a, &d, &e));
    at = doc_at(d->root.first->last->first);
    assert_string_equal(at.ptr, "/é/1/a~1b~0c");
    assert_int_equal(at.line, 3);
    assert_int_equal(at.col, 13);
    at = doc_at(d->root.first);
    assert_int_equal(at.line, 2);
    assert_int_equal(at.col, 7);
}

static void each_ceiling_holds_at_its_number(void **state)
{
    static const struct {
        enum ceiling which;
        uint32_t value;
        const char *fits, *breaks;
    } cases[] = {
        { CEILING_BYTES, 4, "1234", "12345" },          { CEILING_DEPTH, 2, "[[1]]", "[[[1]]]" },
        { CEILING_VALUES, 3, "[1,2]", "[1,2,3]" },      { CEILING_TEXT, 3, "\"abc\"", "\"abcd\"" },
        { CEILING_TEXT, 1, "{\"a\":1}", "{\"ab\":1}" }, { CEILING_NUMBER, 3, "1.5", "1.25" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        struct ceilings max = ceilings_default();
        const struct document *d;
        struct error e = { 0 };

        max.v[cases[i].which] = cases[i].value;
        assert_true(json_read("x", str_of(cases[i].fits), &max, &a, &d, &e));
        assert_false(json_read("x", str_of(cases[i].breaks), &max, &a, &d, &e));
        assert_int_equal(e.code, ERROR_CEILING);
        assert_non_null(strstr(e.msg, ceiling_rows[cases[i].which].name));
    }
}

static void many_keys_are_still_checked_for_twins(void **state)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf text = { .max = 1 << 20 };
    const struct document *d;
    struct error e = { 0 };

    (void)state;
    buf_addc(&text, '{');
    for (int i = 0; i < 5000; i++)
        buf_addf(&text, "\"k%d\":%d,", i, i);
    buf_adds(&text, "\"k2500\":0}");
    assert_false(parse(text.s, &a, &d, &e));
    assert_string_equal(e.msg, "the key 'k2500' is given twice");
    assert_int_equal(e.at.col, text.len - strlen("\"k2500\":0}") + 1);
}

/* Whole numbers are exact or refused; what RFC 8785 writes can be read again. */
static void numbers_keep_their_value(void **state)
{
    static const struct {
        const char *text, *canon;
        enum doc_kind kind;
    } cases[] = {
        { "0", "0", DOC_INT },
        { "-0", "0", DOC_INT },
        { "-0.0", "0", DOC_NUMBER },
        { "9007199254740991", "9007199254740991", DOC_INT },
        { "9007199254740992", "9007199254740992", DOC_NUMBER },
        { "-9007199254740992", "-9007199254740992", DOC_NUMBER },
        { "1152921504606846976", "1152921504606847000", DOC_NUMBER },
        { "1152921504606847000", "1152921504606847000", DOC_NUMBER },
        { "1.0", "1", DOC_NUMBER },
        { "1e3", "1000", DOC_NUMBER },
        { "1e21", "1e+21", DOC_NUMBER },
        { "0.000001", "0.000001", DOC_NUMBER },
        { "0.0000001", "1e-7", DOC_NUMBER },
        { "123456789012345678.5", "123456789012345680", DOC_NUMBER },
        { "2.2250738585072011e-308", "2.225073858507201e-308", DOC_NUMBER },
        { "0.1000000000000000055511151231257827", "0.1", DOC_NUMBER },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        _buf_ struct buf out = { .max = 100 };
        const struct document *d;
        struct error e = { 0 };

        assert_true(parse(cases[i].text, &a, &d, &e));
        assert_int_equal(d->root.kind, cases[i].kind);
        json_canon(&d->root, &a, &out);
        assert_string_equal(out.s, cases[i].canon);
        assert_true(parse(out.s, &a, &d, &e));
    }
}

/* Of answers: what would be refused, or would get other digits, has its own. */
static void numbers_of_answers_keep_their_digits(void **state)
{
    static const struct {
        const char *text, *canon;
    } cases[] = {
        { "9007199254740991", NULL },
        { "9007199254740993", NULL },
        { "-18446744073709551615", NULL },
        { "1152921504606846976", NULL },
        { "1e400", NULL },
        { "-1E-400", NULL },
        { "123456789012345678.5", NULL },
        { "1.50", "1.5" },
        { "1e3", "1000" },
        { "0.1", NULL },
        { "0.0e999", "0" },
        { "10000000000000000000000", "1e+22" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        _buf_ struct buf out = { .max = 100 };
        struct ceilings max = ceilings_answer();
        const struct document *d;
        struct error e = { 0 };

        assert_true(json_read("t", str_of(cases[i].text), &max, &a, &d, &e));
        json_canon(&d->root, &a, &out);
        assert_string_equal(out.s, cases[i].canon ? cases[i].canon : cases[i].text);
    }
}

static void numbers_are_in_the_order_of_their_digits(void **state)
{
    static const char *const rising[] = { "-1e401",
                                          "-1e400",
                                          "-9007199254740993",
                                          "-9007199254740992",
                                          "-2e-400",
                                          "0",
                                          "1e-400",
                                          "1.5e-400",
                                          "0.1",
                                          "9007199254740991",
                                          "9007199254740992",
                                          "9007199254740993",
                                          "9007199254740993.5",
                                          "18446744073709551615",
                                          "1e400",
                                          "10.5e400" };
    static const char *const same[][2] = { { "9007199254740993", "9007199254740993.0" },
                                           { "1e400", "0.10e401" },
                                           { "0.1", "0.10000000000000001" },
                                           { "0", "-0.0" } };
    _arena_ struct arena a = { 0 };
    struct doc x = { 0 }, y = { 0 };

    (void)state;
    for (size_t i = 0; i < COUNT(rising); i++) {
        for (size_t k = 0; k < COUNT(rising); k++) {
            number_keep(str_of(rising[i]), &a, &x);
            number_keep(str_of(rising[k]), &a, &y);
            assert_int_equal(doc_number_cmp(&x, &y), (i > k) - (i < k));
        }
    }
    for (size_t i = 0; i < COUNT(same); i++) {
        number_keep(str_of(same[i][0]), &a, &x);
        number_keep(str_of(same[i][1]), &a, &y);
        assert_int_equal(doc_number_cmp(&x, &y), 0);
    }
}

static void canon_sorts_by_utf16_and_escapes_only_what_it_must(void **state)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = 1000 };
    const struct document *d;
    struct error e;

    (void)state;
    assert_true(
        parse("{\"\\ufb33\":1,\"\\ud83d\\ude00\":2,\"b\":\"\\u0007\\t\\\"\\/\x7f\",\"a\":[]}", &a,
              &d, &e));
    json_canon(&d->root, &a, &out);
    assert_string_equal(out.s,
                        "{\"a\":[],\"b\":\"\\u0007\\t\\\"/\x7f\",\"😀\":2,\"\xef\xac\xb3\":1}");
}

static void calls_place_the_commas(void **state)
{
    _buf_ struct buf b = { .max = 1000 };

    (void)state;
    json_open(&b, '{');
    json_key(&b, "a");
    json_open(&b, '[');
    json_int(&b, INT64_MIN);
    json_bool(&b, true);
    json_nil(&b);
    json_close(&b, ']');
    json_key(&b, "b");
    json_text(&b, str_of("x:"));
    json_key(&b, "c");
    json_open(&b, '{');
    json_close(&b, '}');
    json_close(&b, '}');
    assert_string_equal(b.s, "{\"a\":[-9223372036854775808,true,null],\"b\":\"x:\",\"c\":{}}");
}

/* What makes a document wrong is listed, however many warnings came before it. */
static void no_warning_hides_an_error(void **state)
{
    _arena_ struct arena a = { 0 };
    struct ceilings max = ceilings_default();
    struct str text = str_of("[1, \"\xc3\xa4\", 2]");
    struct report r = report_new(&a, "x", text);
    const struct document *d;
    struct error e;
    uint32_t listed = 0, errors = 0;

    (void)state;
    assert_true(json_read("x", text, &max, &a, &d, &e));
    for (uint32_t i = 0; i < r.most + 1; i++)
        report_add(&r, ABOUT_ODD, d->root.first, 0, "odd");
    report_add(&r, ABOUT_VALUE, d->root.last, 0, "wrong");
    report_finish(&r);
    for (const struct problem *p = r.first; p; p = p->next, listed++) {
        errors += !p->warning;
        assert_int_equal(p->col, p->warning ? 2 : 10);
    }
    assert_int_equal(listed, r.most);
    assert_int_equal(errors, 1);
}

/* It used to become an empty text, and nobody knew. */
static void a_member_is_a_key_with_its_value(void **state)
{
    static const char expected[] =
        "{\"c\":\"a\uFFFD\",\"no\":null,\"text\":\"ab\",\"empty\":\"\",\"outside\":\"a\uFFFD\",\"digest\":"
        "\"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\",\"none\":null,"
        "\"n\":-1,\"yes\":true}";
    _buf_ struct buf to = { .max = 1000 };
    struct digest d = digest_of("", 0);

    (void)state;
    json_open(&to, '{');
    json_put(&to, "c", "a\xff");
    json_put(&to, "no", NULL);
    json_put_text(&to, "text", (struct str){ "abc", 2 });
    json_put_text(&to, "empty", (struct str){ 0 });
    json_put_outside(&to, "outside", (struct str){ "a\xff!", 2 });
    json_put_digest(&to, "digest", &d);
    json_put_digest(&to, "none", NULL);
    json_put_int(&to, "n", -1);
    json_put_bool(&to, "yes", true);
    json_close(&to, '}');
    assert_int_equal(to.len, strlen(expected));
    assert_memory_equal(to.s, expected, to.len);
}

static void a_text_longer_than_the_buffer_takes_is_its_fault(void **state)
{
    _buf_ struct buf to = { .max = 16 };

    (void)state;
    json_outside(&to, str_of("seventeen letters"));
    assert_false(buf_ok(&to));
    buf_reset(&to);
    json_outside(&to, str_of("fourteen ones."));
    assert_true(buf_ok(&to));
}

/* Editors of some systems put one before every text. What is not a file has none. */
static void a_byte_order_mark_before_a_document_says_nothing(void **state)
{
    static const char *const names[] = { "x.json", "x.yaml", "x" };
    struct ceilings max = ceilings_default();

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        _arena_ struct arena a = { 0 };
        const struct document *d;
        struct error e = { 0 };

        assert_true(doc_read(names[i], str_of("\xef\xbb\xbf{\"a\": 1}"), &max, &a, &d, &e));
        assert_int_equal(doc_get(&d->root, "a")->whole, 1);
        assert_false(doc_read(names[i], str_of("\xef\xbb\xbf\xef\xbb\xbf{}"), &max, &a, &d, &e));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_byte_order_mark_before_a_document_says_nothing),
        cmocka_unit_test(refusals_say_what_and_where),
        cmocka_unit_test(no_text_at_all_is_refused_like_an_empty_one),
        cmocka_unit_test(every_value_knows_its_place),
        cmocka_unit_test(each_ceiling_holds_at_its_number),
        cmocka_unit_test(many_keys_are_still_checked_for_twins),
        cmocka_unit_test(numbers_keep_their_value),
        cmocka_unit_test(numbers_of_answers_keep_their_digits),
        cmocka_unit_test(numbers_are_in_the_order_of_their_digits),
        cmocka_unit_test(canon_sorts_by_utf16_and_escapes_only_what_it_must),
        cmocka_unit_test(calls_place_the_commas),
        cmocka_unit_test(a_member_is_a_key_with_its_value),
        cmocka_unit_test(a_text_longer_than_the_buffer_takes_is_its_fault),
        cmocka_unit_test(no_warning_hides_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
