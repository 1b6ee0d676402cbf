/* SPDX-License-Identifier: Apache-2.0 */
/* test_mcp_headers.c: which parameters go along as headers, and as what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapter/mcp/headers.h"
#include "base/json_read.h"

static const struct doc *read_doc(const char *text, struct arena *a)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e;

    if (!json_read("test", str_of(text), &max, a, &document, &e))
        fail_msg("%s: %s", text, e.msg);
    return &document->root;
}

static void a_text_is_itself_or_base64(void **state)
{
    static const char *const rows[][2] = {
        { "us-west1", "us-west1" },
        { "", "" },
        { "a b", "a b" },
        { "Hello, \xe4\xb8\x96\xe7\x95\x8c", "=?base64?SGVsbG8sIOS4lueVjA==?=" },
        { " padded ", "=?base64?IHBhZGRlZCA=?=" },
        { "line1\nline2", "=?base64?bGluZTEKbGluZTI=?=" },
        { "=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=" },
        { "=?base64?x", "=?base64?x" },
        { "\ta", "=?base64?CWE=?=" },
    };
    _arena_ struct arena a = { 0 };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct str value = header_value(str_of(rows[i][0]), &a);

        if (!str_is(value, rows[i][1]))
            fail_msg("'%s' became '%.*s'", rows[i][0], (int)value.n, value.s);
    }
}

static void values_are_found_by_their_names_alone(void **state)
{
    static const char schema[] =
        "{\"properties\":{\"r\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"
        "\"n\":{\"type\":\"integer\",\"x-mcp-header\":\"N\"},"
        "\"b\":{\"type\":\"boolean\",\"x-mcp-header\":\"B\"},"
        "\"o\":{\"type\":\"object\",\"properties\":{\"i\":{\"type\":\"string\",\"x-mcp-header\":"
        "\"Inner\"}}},\"plain\":{\"type\":\"string\",\"default\":{\"x-mcp-header\":\"no\"}}}}";
    _arena_ struct arena a = { 0 };
    const struct tool_headers *marks;
    const struct http_header *headers;
    const char *why;
    size_t n;

    (void)state;
    assert_true(headers_read(read_doc(schema, &a), &a, &marks, &why));
    assert_non_null(marks);
    headers = headers_of(
        marks,
        read_doc("{\"r\":\"x\",\"n\":-7,\"b\":false,\"o\":{\"i\":\"y\"},\"plain\":\"z\"}", &a), &a,
        &n);
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++) {
        static const char *const expected[][2] = { { "Mcp-Param-Inner", "y" },
                                                   { "Mcp-Param-B", "false" },
                                                   { "Mcp-Param-N", "-7" },
                                                   { "Mcp-Param-Region", "x" } };

        assert_true(str_is(headers[i].name, expected[i][0]));
        assert_true(str_is(headers[i].value, expected[i][1]));
    }
    (void)headers_of(marks, read_doc("{\"r\":null,\"n\":9007199254740994,\"o\":7}", &a), &a, &n);
    assert_int_equal(n, 0);
    (void)headers_of(marks, NULL, &a, &n);
    assert_int_equal(n, 0);
}

static void marks_that_must_not_be_are_refused(void **state)
{
    static const char *const rows[] = {
        "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"\"}}}",
        "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":7}}}",
        "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"a b\"}}}",
        "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"a\\r\\nX: y\"}}}",
        "{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"\xc3\xa4\"}}}",
        "{\"properties\":{\"a\":{\"type\":\"number\",\"x-mcp-header\":\"A\"}}}",
        "{\"properties\":{\"a\":{\"type\":\"object\",\"x-mcp-header\":\"A\"}}}",
        "{\"properties\":{\"a\":{\"type\":[\"string\",\"null\"],\"x-mcp-header\":\"A\"}}}",
        "{\"properties\":{\"a\":{\"x-mcp-header\":\"A\"}}}",
        "{\"type\":\"string\",\"x-mcp-header\":\"A\"}",
        ("{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"},\"b\":{\"type\":"
         "\"string\",\"x-mcp-header\":\"a\"}}}"),
        "{\"properties\":{\"a\":{\"items\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}}",
        "{\"allOf\":[{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}]}",
        "{\"$defs\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"}}}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };
        const struct tool_headers *marks;
        const char *why = NULL;

        if (headers_read(read_doc(rows[i], &a), &a, &marks, &why) || !why)
            fail_msg("%s", rows[i]);
    }
}

static void where_nothing_is_marked_there_is_nothing(void **state)
{
    _arena_ struct arena a = { 0 };
    const struct tool_headers *marks;
    const char *why;

    (void)state;
    assert_true(headers_read(read_doc("{\"properties\":{\"x-mcp-header\":{\"type\":\"string\"},"
                                      "\"b\":true}}",
                                      &a),
                             &a, &marks, &why));
    assert_null(marks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_itself_or_base64),
        cmocka_unit_test(values_are_found_by_their_names_alone),
        cmocka_unit_test(marks_that_must_not_be_are_refused),
        cmocka_unit_test(where_nothing_is_marked_there_is_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
