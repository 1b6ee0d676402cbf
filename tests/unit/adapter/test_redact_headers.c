/* SPDX-License-Identifier: Apache-2.0 */
/* test_redact_headers.c: values of headers are taken out of texts, and what was JSON stays that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "adapter/secret.h"
#include "base/json_read.h"
#include "base/json_write.h"

static const struct secrets all = { .headers_too = true };

static void check_redacted(const char *text, const char *want)
{
    _arena_ struct arena a = { 0 };
    struct str got = redact(str_of(text), &all, &a);

    if (!str_is(got, want))
        fail_msg("'%s' became '%.*s', not '%s'", text, STR_ARG(got), want);
}

static void values_of_known_headers_are_taken_out_where_that_is_asked_for(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "Authorization: Bearer abc\r\nHost: x\r\n", "Authorization: [redacted]\r\nHost: x\r\n" },
        { "> authorization:Basic zz\n", "> authorization:[redacted]\n" },
        { "{\"Set-Cookie\": \"a=\\\"b\\\"; c\", \"n\": 1}",
          "{\"Set-Cookie\": \"[redacted]\", \"n\": 1}" },
        { "{\"cookie\": null, \"x\": 1}", "{\"cookie\": null, \"x\": 1}" },
        { "{\"cookie\":{\"a\":1},\"x\":2}", "{\"cookie\":{\"a\":1},\"x\":2}" },
        { "{\"Cookie\": [\"a=b\"], \"x\": 1}", "{\"Cookie\": [\"[redacted]\"], \"x\": 1}" },
        { "{\"Set-Cookie\":[\"a=b\",\"\", \"c=\\\"]d\"],\"x\":[\"kept\"]}",
          "{\"Set-Cookie\":[\"[redacted]\",\"\", \"[redacted]\"],\"x\":[\"kept\"]}" },
        { "{\"cookie\": [\n  \"a=b\",\n  \"c=d\"\n],\n\"x\": \"kept\"}",
          "{\"cookie\": [\n  \"[redacted]\",\n  \"[redacted]\"\n],\n\"x\": \"kept\"}" },
        { "{\"authorization\": [null, [\"a\"], \"b\"], \"x\": [\"kept\"]}",
          "{\"authorization\": [null, [\"[redacted]\"], \"[redacted]\"], \"x\": [\"kept\"]}" },
        { "{\"cookie\": [{\"name\": \"kept\"}]}", "{\"cookie\": [{\"name\": \"kept\"}]}" },
        { "{\"cookie\": [\"a=b\", \"c", "{\"cookie\": [\"[redacted]\", \"[redacted]" },
        { "{\"cookie\":\n\"a=b\"}", "{\"cookie\":\n\"[redacted]\"}" },
        { "\"cookie\": [", "\"cookie\": [" },
        { "x-api-key : k\nProxy-Authorization: p",
          "x-api-key : [redacted]\nProxy-Authorization: [redacted]" },
        { "the cookie is good", "the cookie is good" },
        { "no-cookie: kept", "no-cookie: kept" },
        { "cookie:", "cookie:" },
        { "COOKIE: \"", "COOKIE: \"" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_redacted(rows[i].text, rows[i].want);
}

/* A name in a text has its value there: what is behind the text is JSON, and stays. What is not all
 * JSON is no JSON. */
static void headers_in_a_text_of_json_leave_it_json(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "{\"log\":\"sent Cookie: abc; d\",\"x\":1}",
          "{\"log\":\"sent Cookie: [redacted]\",\"x\":1}" },
        { "{\n  \"log\": \"Authorization: Bearer abc\",\n  \"x\": [1.5e-3, true]\n}",
          "{\n  \"log\": \"Authorization: [redacted]\",\n  \"x\": [1.5e-3, true]\n}" },
        { "[\"GET /\\r\\nCookie: abc\\r\\nHost: kept\", \"x-api-key: a\\\"b\"]\n",
          "[\"GET /\\r\\nCookie: [redacted]\\r\\nHost: kept\", \"x-api-key: [redacted]\"]\n" },
        { "{\"log\":\"{\\\"Cookie\\\": \\\"a\\\\\\\"b\\\", \\\"x\\\": 1}\",\"y\":2}",
          "{\"log\":\"{\\\"Cookie\\\": \\\"[redacted]\\\", \\\"x\\\": 1}\",\"y\":2}" },
        { "{\"log\":\"{\\\"cookie\\\": 1, \\\"x\\\": 2}\"}",
          "{\"log\":\"{\\\"cookie\\\": 1, \\\"x\\\": 2}\"}" },
        { "[\"'Cookie': abc, d\", 1]", "[\"'Cookie': [redacted]\", 1]" },
        { "{\"a\":\"Cookie: abc\",\"Cookie\":\"d\",\"b\":\"Cookie: e\"}",
          "{\"a\":\"Cookie: [redacted]\",\"Cookie\":\"[redacted]\",\"b\":\"Cookie: [redacted]\"}" },
        { "{\"a\":\"Cookie: abc\"}\n{\"a\":\"Cookie: d\"}\nCookie: \"e\"; f\n",
          "{\"a\":\"Cookie: [redacted]\"}\n{\"a\":\"Cookie: [redacted]\"}\nCookie: \"[redacted]\"; f\n" },
        { "{\"a\":\"Cookie: abc\",\"b\":\"cut of", "{\"a\":\"Cookie: [redacted]\",\"b\":\"cut of" },
        { "{\"a\":\"Cookie: abc\\", "{\"a\":\"Cookie: [redacted]" },
        { "{\"a\":\"Cookie: abc", "{\"a\":\"Cookie: [redacted]" },
        { "he said \"Cookie: abc\" and went\n", "he said \"Cookie: [redacted]\n" },
        { "\"Cookie: a=\"b\"; c\"\n", "\"Cookie: [redacted]\n" },
        { "\"Cookie: id=\"123456\"; path\"\n", "\"Cookie: [redacted]\n" },
        { "[\"Cookie: abc\" \"kept\"]\n", "[\"Cookie: [redacted]\" \"kept\"]\n" },
        { "[\"x-api-key: \\\"abc\\\" def\"]", "[\"x-api-key: [redacted]\"]" },
        { "[\"{\\\"Cookie\\\": [\\\"a\\\", \\\"b\\\"], \\\"x\\\": 1}\"]",
          "[\"{\\\"Cookie\\\": [\\\"[redacted]\\\", \\\"[redacted]\\\"], \\\"x\\\": 1}\"]" },
        { "[\"{\\\"a\\\":\\\"{\\\\\\\"Cookie\\\\\\\":\\\\\\\"abc\\\\\\\"}\\\"}\", 1]",
          "[\"{\\\"a\\\":\\\"{\\\\\\\"Cookie\\\\\\\":\\\\\\\"[redacted]\\\\\\\"}\\\"}\", 1]" },
        { "[\"Cookie: abc\", nil]\n", "[\"Cookie: [redacted]\n" },
        { "[\"Cookie: abc\", \"\t\"]\n", "[\"Cookie: [redacted]\n" },
        { "[\"Cookie: abc\", \"open]\n1", "[\"Cookie: [redacted]\n1" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_redacted(rows[i].text, rows[i].want);
}

/* What a text says may be lines, or JSON again: they are looked for as if that stood alone. */
static void headers_in_what_a_text_of_json_says_are_found(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "[\"{\\n  \\\"Set-Cookie\\\": [\\n    \\\"abc\\\"\\n  ]\\n}\"]",
          "[\"{\\n  \\\"Set-Cookie\\\": [\\n    \\\"[redacted]\\\"\\n  ]\\n}\"]" },
        { "[\"\\\"Cookie\\\":\\n  \\\"abc\\\"\"]", "[\"\\\"Cookie\\\":\\n  \\\"[redacted]\\\"\"]" },
        { "[\"{\\t\\\"Cookie\\\":\\t\\\"abc\\\"}\"]",
          "[\"{\\t\\\"Cookie\\\":\\t\\\"[redacted]\\\"}\"]" },
        { "[\"{\\\"Cookie\\\": [[\\\"abc\\\"]]}\"]",
          "[\"{\\\"Cookie\\\": [[\\\"[redacted]\\\"]]}\"]" },
        { "[\"{\\\"Cookie\\\": [null, \\\"abc\\\"], \\\"c\\\": [\\\"d\\\"]}\"]",
          "[\"{\\\"Cookie\\\": [null, \\\"[redacted]\\\"], \\\"c\\\": [\\\"d\\\"]}\"]" },
        { "[\"{\\\"Cookie\\\": {\\\"c\\\": 1}}\"]", "[\"{\\\"Cookie\\\": {\\\"c\\\": 1}}\"]" },
        { "[\"sent {\\\"Cookie\\\": \\\"abc\\\"} at 12\"]",
          "[\"sent {\\\"Cookie\\\": \\\"[redacted]\\\"} at 12\"]" },
        { "[\"GET\\n\\\"Cookie: abc\\nHost: kept\"]",
          "[\"GET\\n\\\"Cookie: [redacted]\\nHost: kept\"]" },
        { "[\"{\\\"a\\\": \\\"\\\\nCookie: abc\\\\r\\\\nHost: d\\\"}\"]",
          "[\"{\\\"a\\\": \\\"\\\\nCookie: [redacted]\\\\r\\\\nHost: d\\\"}\"]" },
        { "[\"{\\u0022Cookie\\u0022: \\u0022abc\\u0022, \\u0022c\\u0022: 1}\"]",
          "[\"{\\u0022Cookie\\u0022: \\u0022[redacted]\\u0022, \\u0022c\\u0022: 1}\"]" },
        { "[\"\\u00e9\\ud83d\\ude00\\nCookie: abc\\n\\u00e9\"]",
          "[\"\\u00e9\\ud83d\\ude00\\nCookie: [redacted]\\n\\u00e9\"]" },
        { "[\"{\\\"Cookie\\\": [\\\"abc", "[\"{\\\"Cookie\\\": [\\\"[redacted]" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_redacted(rows[i].text, rows[i].want);
}

/* In each text the one before, from one text to more than are read in each other. */
static void headers_in_texts_in_texts_are_found_however_deep(void **state)
{
    enum { MOST = 8 };
    _arena_ struct arena a = { 0 };
    struct str text = str_of("[{\"Cookie\": [\"abc\", \"abc\"]}, \"Cookie:\", \"abc\"]"), clean;
    const struct document *d;
    struct ceilings max = ceilings_default();
    struct error e;

    (void)state;
    for (int i = 0; i < MOST; i++) {
        _buf_ struct buf next = { .max = 64 * 1024 };

        json_open(&next, '{');
        json_put_text(&next, "said", text);
        json_close(&next, '}');
        text = str_of(arena_text(&a, buf_str(&next)));
        clean = redact(text, &all, &a);
        assert_null(memmem(clean.s, clean.n, "abc", 3));
        assert_true(json_read("clean", clean, &max, &a, &d, &e));
    }
}

/* What is moved in further than the line of the header is more of its value. */
static void folded_headers_are_taken_out_to_their_end(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "Authorization: Bearer\r\n abc\r\nHost: kept\r\n",
          "Authorization: [redacted]\r\nHost: kept\r\n" },
        { "Cookie: abc\n\tabc;\n abc\nHost: kept", "Cookie: [redacted]\nHost: kept" },
        { "Cookie:\n abc\n", "Cookie:[redacted]\n" },
        { "Cookie: \"abc\n abc\"\nHost", "Cookie: [redacted]\nHost" },
        { "  Cookie: abc\n    abc\n  Host: kept\n", "  Cookie: [redacted]\n  Host: kept\n" },
        { "> Cookie: abc\n> Host: kept\n", "> Cookie: [redacted]\n> Host: kept\n" },
        { "Cookie: abc\r\n\r\n kept", "Cookie: [redacted]\r\n\r\n kept" },
        { "Cookie: abc\r abc\rkept", "Cookie: [redacted]\rkept" },
        { "Cookie: abc\n ", "Cookie: [redacted]" },
        { "[\"Authorization: Bearer\\r\\n abc\\r\\nHost: kept\"]",
          "[\"Authorization: [redacted]\\r\\nHost: kept\"]" },
        { "[\"Cookie: abc\\n\\tabc\\nHost: kept\"]", "[\"Cookie: [redacted]\\nHost: kept\"]" },
        { "[\"{\\\"a\\\": \\\"Cookie: abc\\\\n abc\\\\nd\\\"}\"]",
          "[\"{\\\"a\\\": \\\"Cookie: [redacted]\\\\nd\\\"}\"]" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_redacted(rows[i].text, rows[i].want);
}

/* Lists of arguments, and of headers as they came, have the value in a text of its own. */
static void what_is_next_in_a_list_is_the_value_of_a_name_with_a_colon(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "[\"Authorization:\", \"Bearer abc\", \"kept\"]",
          "[\"Authorization:\", \"[redacted]\", \"kept\"]" },
        { "[\n  \"-H\",\n  \"Cookie: \",\n  \"abc\",\n  \"kept\"\n]",
          "[\n  \"-H\",\n  \"Cookie: \",\n  \"[redacted]\",\n  \"kept\"\n]" },
        { "[\"Cookie:\",\"a\\\"abc\",\"Cookie:\",\"abc\"]",
          "[\"Cookie:\",\"[redacted]\",\"Cookie:\",\"[redacted]\"]" },
        { "[\"GET\\r\\nCookie:\\r\\n\", \"abc\", \"kept\"]",
          "[\"GET\\r\\nCookie:\\r\\n\", \"[redacted]\", \"kept\"]" },
        { "[\"[\\\"Cookie:\\\", \\\"abc\\\"]\", \"kept\"]",
          "[\"[\\\"Cookie:\\\", \\\"[redacted]\\\"]\", \"kept\"]" },
        { "{\"a\": \"Cookie:\", \"b\": \"kept\", \"c\": \"kept\"}",
          "{\"a\": \"Cookie:\", \"b\": \"kept\", \"c\": \"kept\"}" },
        { "{\"a\": \"Cookie:\",\n \"b\"\n: \"kept\"}",
          "{\"a\": \"Cookie:\",\n \"b\"\n: \"kept\"}" },
        { "{\"Cookie:\": \"abc\", \"c\": \"kept\"}",
          "{\"Cookie:\": \"[redacted]\", \"c\": \"kept\"}" },
        { "[\"Cookie:\"]\n[\"kept\"]\n", "[\"Cookie:\"]\n[\"kept\"]\n" },
        { "\"Cookie:\"\n\"kept\"\n", "\"Cookie:\"\n\"kept\"\n" },
        { "[\"Cookie:\", 1, \"kept\"]", "[\"Cookie:\", 1, \"kept\"]" },
        { "[\"Cookie:\", \"abc", "[\"Cookie:\", \"[redacted]" },
        { "[\"Cookie:\",", "[\"Cookie:\"," },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_redacted(rows[i].text, rows[i].want);
}

/* Logs have JSON in lines that are none. */
static void quotes_in_lines_that_are_no_json_hide_no_value(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "argv: [\"Cookie:\", \"abc\"]\n", "argv: [\"Cookie:[redacted]\n" },
        { "curl -H \"Cookie:\" \"abc\"\nkept", "curl -H \"Cookie:[redacted]\nkept" },
        { "msg=\"{\\\"Cookie\\\": \\\"abc\\\", \\\"x\\\": 1}\" n=1",
          "msg=\"{\\\"Cookie\\\": [redacted]\" n=1" },
        { "data: {\"a\":\"{\\\"Cookie\\\":[\\\"abc\\\"]}\",\"x\":1}\n",
          "data: {\"a\":\"{\\\"Cookie\\\":[redacted]\",\"x\":1}\n" },
        { "data: {\"a\":\"{\\\"b\\\":\\\"{\\\\\\\"Cookie\\\\\\\":\\\\\\\"abc\\\\\\\"}\\\"}\",\"x\":1}",
          "data: {\"a\":\"{\\\"b\\\":\\\"{\\\\\\\"Cookie\\\\\\\":[redacted]\",\"x\":1}" },
        { "[\"msg=\\\"{\\\\\\\"Cookie\\\\\\\": \\\\\\\"abc\\\\\\\"}\\\" n=1\"]",
          "[\"msg=\\\"{\\\\\\\"Cookie\\\\\\\": [redacted]\\\" n=1\"]" },
        { "the \\\"cookie\\\" is kept", "the \\\"cookie\\\" is kept" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_redacted(rows[i].text, rows[i].want);
}

/* A tail may begin in a list of values, which goes on in lines of its own; what has no such lines
 * loses its first line alone. */
static void a_tail_loses_the_rest_of_a_list_that_it_begins_in(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "f\n", "" },
        { "\": [\n \"a=abc\",\n \"b=abc\"\n ],\n \"c\": \"kept\"\n", " ],\n \"c\": \"kept\"\n" },
        { "ie\": [\r\n\"a=abc\",\r\n\"b=abc\"\r\n]\r\n", "]\r\n" },
        { "bc\",\n \"b=abc\"\n],\n\"c\": [\n\"kept\"\n]", "],\n\"c\": [\n\"kept\"\n]" },
        { "bc\",\n \"a\\\"abc\" ,\n \"b=abc\"", "" },
        { "bc\",\n \"b=abc\",", "" },
        { "bc\",\n \"b=abc", "" },
        { "\": \"x\",\n \"c\": \"kept\",\n \"d\": \"kept\"\n",
          " \"c\": \"kept\",\n \"d\": \"kept\"\n" },
        { "zed\n  at kept\n  at kept\n", "  at kept\n  at kept\n" },
        { "zed\n\"kept\",\"kept\"\n\"kept\",\"kept\"\n", "\"kept\",\"kept\"\n\"kept\",\"kept\"\n" },
        { "zed\n\"gone\"\n\"kept\"\n\"kept\"\n", "\"kept\"\n\"kept\"\n" },
        { "zed\n\"kept\" is said\n", "\"kept\" is said\n" },
        { "zed\n{\"a\": [\"kept\"]}\n", "{\"a\": [\"kept\"]}\n" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };
        struct str got = redact_tail(str_of(rows[i].text), &all, &a);

        if (!str_is(got, rows[i].want))
            fail_msg("'%s' became '%.*s', not '%s'", rows[i].text, STR_ARG(got), rows[i].want);
    }
}

/* Steps are not counted, so a large one stands for all: what looked at the text again for each name
 * would not come back. */
static void many_headers_in_one_text_are_read_once(void **state)
{
    enum { NAMES = 100000 };
    static const char name[] = "\\n Cookie";
    _arena_ struct arena a = { 0 };
    _buf_ struct buf text = { .max = (sizeof name + 1) * NAMES };

    (void)state;
    buf_adds(&text, "[\"");
    for (int i = 0; i < NAMES; i++)
        buf_adds(&text, name);
    buf_adds(&text, "\"]");
    assert_ptr_equal(redact(buf_str(&text), &all, &a).s, text.s);
}

/* Each of these is what some program prints of a header. */
static void values_go_however_a_program_writes_them(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        { "[\"-H\" \"Authorization:\" \"Bearer abc\"]\n",
          "[\"-H\" \"Authorization:\" \"[redacted]\"]\n" },
        { "{\"out\": \"[\\\"-H\\\" \\\"Authorization:\\\" \\\"Bearer abc\\\"]\\n\"}",
          "{\"out\": \"[\\\"-H\\\" \\\"Authorization:\\\" \\\"[redacted]\\\"]\\n\"}" },
        { "[\"curl\",\"-H\",\"Authorization:\",\"Bearer\",\"abc\",\"kept\"]",
          "[\"curl\",\"-H\",\"Authorization:\",\"[redacted]\",\"[redacted]\",\"kept\"]" },
        { "[\"x-api-key:\", \"k1\", \"kept\"]", "[\"x-api-key:\", \"[redacted]\", \"kept\"]" },
        { "[\"Cookie:\", \"\", \"kept\"]", "[\"Cookie:\", \"\", \"kept\"]" },
        { "{\"out\": \"\\\"Authorization\\\": \\\"Bearer\\n  abc\\\"\"}",
          "{\"out\": \"\\\"Authorization\\\": \\\"[redacted]\\\"\"}" },
        { "\"Authorization\": \"Bearer\n  abc\"\nkept\n",
          "\"Authorization\": \"[redacted]\nkept\n" },
        { "b'{\"msg\": \"{\\\\\"Cookie\\\\\": \\\\\"abc\\\\\"}\"}'\nkept\n",
          "b'{\"msg\": \"{\\\\\"Cookie\\\\\": [redacted]\nkept\n" },
        { "data: {\"a\":\"{\\u0022Cookie\\u0022: \\u0022abc\\u0022}\"}\nkept\n",
          "data: {\"a\":\"{\\u0022Cookie\\u0022: [redacted]\"}\nkept\n" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_redacted(rows[i].text, rows[i].want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_go_however_a_program_writes_them),
        cmocka_unit_test(values_of_known_headers_are_taken_out_where_that_is_asked_for),
        cmocka_unit_test(headers_in_a_text_of_json_leave_it_json),
        cmocka_unit_test(headers_in_what_a_text_of_json_says_are_found),
        cmocka_unit_test(headers_in_texts_in_texts_are_found_however_deep),
        cmocka_unit_test(folded_headers_are_taken_out_to_their_end),
        cmocka_unit_test(what_is_next_in_a_list_is_the_value_of_a_name_with_a_colon),
        cmocka_unit_test(quotes_in_lines_that_are_no_json_hide_no_value),
        cmocka_unit_test(a_tail_loses_the_rest_of_a_list_that_it_begins_in),
        cmocka_unit_test(many_headers_in_one_text_are_read_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
