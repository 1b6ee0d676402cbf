/* SPDX-License-Identifier: Apache-2.0 */
/* test_mcp_rpc.c: what a stranger's text is, and what ours looks like. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapter/mcp_rpc.h"
#include "base/json_write.h"

static void each_text_is_what_it_is(void **state)
{
    static const struct {
        const char *text;
        enum rpc_kind kind;
        const char *wrong;
    } rows[] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", RPC_ANSWER, NULL },
        { "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}", RPC_ANSWER, NULL },
        { "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-1,\"message\":\"\"}}", RPC_ANSWER,
          NULL },
        { "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-1}}", RPC_ANSWER, NULL },
        { "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-1}}", RPC_ANSWER, NULL },
        { "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}", RPC_REQUEST, NULL },
        { "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}", RPC_NOTE, NULL },
        { "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", RPC_BROKEN,
          "a request whose id is null" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"result\":{}}", RPC_BROKEN,
          "an id that is neither a text nor a whole number" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", RPC_BROKEN,
          "a method that is not a text" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1}", RPC_BROKEN,
          "an answer that has not either a result or an error" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{\"code\":1}}", RPC_BROKEN,
          "an answer that has not either a result or an error" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[]}", RPC_BROKEN,
          "an answer whose result is not an object" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":\"1\"}}", RPC_BROKEN,
          "an error without a whole number for its code" },
        { "{\"id\":1,\"result\":{}}", RPC_BROKEN, "JSON that is not of JSON-RPC 2.0" },
        { "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]", RPC_BROKEN,
          "a batch, which MCP does not have" },
        { "7", RPC_BROKEN, "JSON that is no message" },
        { "hello", RPC_NOISE, "a line that is no message: 'hello'" },
        { "", RPC_NOISE, "a line that is no message: ''" },
        { "\xbc x", RPC_NOISE, "a line that is no message: '? x'" },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"result\":{}}", RPC_BROKEN,
          "the key 'id' is given twice" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };
        struct rpc_message m;

        rpc_read(str_of(rows[i].text), &a, &m);
        if (m.kind != rows[i].kind || (rows[i].wrong && strcmp(m.wrong, rows[i].wrong) != 0))
            fail_msg("%s: kind %d, %s", rows[i].text, (int)m.kind, m.wrong ? m.wrong : "");
        assert_int_equal(m.refused, i == COUNT(rows) - 1);
    }
}

static void a_broken_answer_still_says_what_it_answers(void **state)
{
    static const struct {
        const char *text;
        bool ours;
    } rows[] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":7}", true },
        { "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"done\"}", true },
        { "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{},\"error\":{\"code\":1}}", true },
        { "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":\"1\"}}", true },
        { "{\"id\":7,\"result\":{}}", true },
        { "[{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}]", true },
        { "[{\"jsonrpc\":\"2.0\",\"method\":\"n\"},{\"id\":7,\"result\":{}}]", true },
        { "[{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"},7,[]]", false },
        { "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":7}", false },
        { "{\"id\":7,\"method\":\"ping\"}", false },
        { "{\"jsonrpc\":\"2.0\",\"id\":7.5,\"result\":{}}", false },
        { "{\"jsonrpc\":\"2.0\",\"id\":\"7\"}", false },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };
        struct rpc_message m;

        rpc_read(str_of(rows[i].text), &a, &m);
        if (m.kind != RPC_BROKEN || rpc_id_is(m.id, 7) != rows[i].ours)
            fail_msg("%s: kind %d", rows[i].text, (int)m.kind);
    }
}

static void an_id_is_ours_by_number_alone(void **state)
{
    static const struct {
        const char *id;
        bool ours;
    } rows[] = { { "7", true }, { "\"7\"", false }, { "8", false }, { "0", false } };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _arena_ struct arena a = { 0 };
        struct rpc_message m;

        rpc_read(
            str_of(arena_printf(&a, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}", rows[i].id)),
            &a, &m);
        assert_int_equal(m.kind, RPC_ANSWER);
        assert_int_equal(rpc_id_is(m.id, 7), rows[i].ours);
    }
    assert_false(rpc_id_is(NULL, 7));
}

static void ours_are_written_as_they_should(void **state)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf to = { .max = 1024 };
    struct rpc_message m;

    (void)state;
    rpc_begin(&to, 3, "tools/list");
    json_put(&to, "cursor", "a\nb");
    rpc_end(&to);
    assert_string_equal(to.s, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{"
                              "\"cursor\":\"a\\nb\"}}");
    buf_reset(&to);
    rpc_begin(&to, 0, "notifications/initialized");
    rpc_end(&to);
    assert_string_equal(
        to.s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\",\"params\":{}}");
    rpc_read(str_of("{\"jsonrpc\":\"2.0\",\"id\":\"x\\ny\",\"method\":\"ping\"}"), &a, &m);
    buf_reset(&to);
    rpc_answer(&to, m.id, str_of("{\"a\":1}"));
    assert_string_equal(to.s, "{\"jsonrpc\":\"2.0\",\"id\":\"x\\ny\",\"result\":{\"a\":1}}");
    buf_reset(&to);
    rpc_refuse(&to, NULL, RPC_UNKNOWN_METHOD, "no");
    assert_string_equal(
        to.s, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32601,\"message\":\"no\"}}");
}

static void words_of_a_stranger_are_one_short_line(void **state)
{
    _arena_ struct arena a = { 0 };
    char many[4000];
    const char *words;

    (void)state;
    assert_string_equal(rpc_words(str_of("a\nb\x1b[31m\x7f\xc2\x9b"
                                         "c"),
                                  &a),
                        "a b [31m  c");
    assert_string_equal(rpc_words(str_of("\xbc\xbc \xe4\xb8"), &a), "?? ??");
    for (size_t i = 0; i < sizeof many; i += 2)
        memcpy(many + i, "\xc3\xa4", 2);
    words = rpc_words((struct str){ many, sizeof many }, &a);
    assert_int_equal(strlen(words), 2 * RPC_WORDS);
    assert_string_equal(rpc_words((struct str){ 0 }, &a), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_text_is_what_it_is),
        cmocka_unit_test(a_broken_answer_still_says_what_it_answers),
        cmocka_unit_test(an_id_is_ours_by_number_alone),
        cmocka_unit_test(ours_are_written_as_they_should),
        cmocka_unit_test(words_of_a_stranger_are_one_short_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
