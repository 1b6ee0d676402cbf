/* SPDX-License-Identifier: Apache-2.0 */
/* test_cli_bind.c: parameters become words: literal, in their order, or refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapter/cli_bind.h"
#include "unit/contract/check.h"

static const char tool[] =
    "adapter_id: A\n"
    "name: a\n"
    "version: 1.0.0\n"
    "tool_id: T\n"
    "type: cli\n"
    "interface:\n"
    "  cli:\n"
    "    executable: rg\n"
    "    base_args: [--json, --no-heading]\n"
    "    arg_mapping:\n"
    "      pattern: '{pattern}'\n"
    "      path: '{path}'\n"
    "      ignore_case: -i\n"
    "      max_count: '-m {value}'\n"
    "      glob: '--glob={value}'\n"
    "      both: '--from {value} --to {both}'\n"
    "      file: 'file {value}'\n"
    "      colour: '--colour=always {value}'\n"
    "      rest: '-- {value}'\n"
    "      inner: '-- run {value}'\n"
    "    env_mapping: {shade: RG_COLOUR}\n"
    "    stdin_mapping: text\n"
    "operations:\n"
    "  search: {}\n"
    "  ended: {args: [--]}\n"
    "  files: {args: [--files], takes: [path, glob]}\n"
    "metadata: {author: x, created: 2026-01-16, updated: 2026-01-16, status: "
    "active}\n";

struct bound {
    struct checked adapter, params;
    struct adapter loaded;
    struct cli_call call;
    struct error e;
    bool ok;
};

static void bound_free(struct bound *b)
{
    checked_free(&b->adapter);
    checked_free(&b->params);
}

#define _bound_ _cleanup_(bound_free)

static void bind(struct bound *b, const char *operation, const char *params)
{
    struct ceilings max = ceilings_default();
    const struct adapter_doc *doc = check_text(&b->adapter, &adapter_shape, tool);

    check_clean(&b->adapter);
    b->loaded = (struct adapter){ .doc = *doc, .tree = &b->adapter.document->root };
    if (!doc_read("params.yaml", str_of(params), &max, &b->params.a, &b->params.document, &b->e))
        fail_msg("%s", b->e.msg);
    b->ok = cli_bind(&b->loaded, str_of(operation), &b->params.document->root, &b->params.a,
                     &b->call, &b->e);
}

/* The words, each between [ and ]. */
static const char *words(struct bound *b)
{
    const struct str *all = b->call.arguments.v;
    const char *text = "";

    if (!b->ok)
        fail_msg("%s: %s", b->e.at.ptr, b->e.msg);
    for (size_t i = 0; i < b->call.arguments.n; i++)
        text = arena_printf(&b->params.a, "%s[%.*s]", text, STR_ARG(all[i]));
    return text;
}

#define BASE "[--json][--no-heading]"

static void R_001_087_R_001_088_words_come_in_their_order(void **state)
{
    /* clang-format off */
    static const struct { const char *operation, *params, *wanted; } rows[] = {
        { "search", "{}",                                             BASE },
        { "search", "{pattern: x}",                                   BASE "[x]" },
        { "search", "{path: src, pattern: x, ignore_case: true}",     BASE "[-i][x][src]" },
        { "search", "{pattern: x, ignore_case: false}",               BASE "[x]" },
        { "search", "{pattern: x, ignore_case: 'true'}",              BASE "[-i][x]" },
        { "search", "{pattern: x, ignore_case: null}",                BASE "[x]" },
        { "search", "{pattern: x, max_count: 3}",                     BASE "[-m][3][x]" },
        { "search", "{pattern: x, max_count: '-3'}",                  BASE "[-m][-3][x]" },
        { "search", "{pattern: x, glob: ['*.c', '*.h']}",             BASE "[--glob=*.c][--glob=*.h][x]" },
        { "search", "{pattern: x, both: 'a b'}",                      BASE "[--from][a b][--to][a b][x]" },
        { "search", "{pattern: x, path: [a, b]}",                     BASE "[x][a][b]" },
        { "search", "{pattern: 1.5, path: true}",                     BASE "[1.5][true]" },
        { "search", "{pattern: x, file: a}",                          BASE "[file][a][x]" },
        { "search", "{pattern: '-x', rest: '-y'}",                    BASE "[--][-y][-x]" },
        { "search", "{rest: ['-a', b, '-c']}",                        BASE "[--][-a][b][-c]" },
        { "search", "{inner: [a, b]}",                                BASE "[--][run][a][run][b]" },
        { "ended",  "{pattern: '-x', path: ['-y']}",                  BASE "[--][-x][-y]" },
        { "files",  "{path: src}",                                    BASE "[--files][src]" },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _bound_ struct bound b = { 0 };

        bind(&b, rows[i].operation, rows[i].params);
        assert_string_equal(words(&b), rows[i].wanted);
        assert_true(str_is(b.call.command, "rg"));
    }
}

static void values_are_literal_whatever_they_hold(void **state)
{
    static const char *const values[] = {
        "a b",     "$(rm -rf /)", "; ls",      "`id`",   "../../etc/passwd",
        "a\\nb c", "*",           "{pattern}", "{path}", "'quoted' \\\"twice\\\"",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(values); i++) {
        _bound_ struct bound b = { 0 };
        const struct str *all;

        bind(&b, "search",
             arena_printf(&b.params.a, "{\"pattern\": \"%s\", \"glob\": \"%s\"}", values[i],
                          values[i]));
        assert_true(b.ok);
        all = b.call.arguments.v;
        assert_int_equal(b.call.arguments.n, 4);
        assert_true(str_eq(all[3], doc_text(&b.params.document->root, "pattern")));
        assert_int_equal(all[2].n, all[3].n + strlen("--glob="));
    }
}

static void R_001_089_variables_and_standard_input(void **state)
{
    _bound_ struct bound b = { 0 }, other = { 0 };
    const struct pair *env;

    (void)state;
    bind(&b, "search", "{pattern: x, shade: never, text: \"line\\n\"}");
    assert_string_equal(words(&b), BASE "[x]");
    env = b.call.environment.v;
    assert_int_equal(b.call.environment.n, 1);
    assert_true(str_is(env[0].key, "RG_COLOUR") && str_is(env[0].text, "never"));
    assert_true(str_is(b.call.input, "line\n"));
    bind(&other, "search", "{text: {b: [1, 2], a: null}}");
    assert_true(str_is(other.call.input, "{\"a\":null,\"b\":[1,2]}"));
}

static void what_would_be_read_as_more_than_a_value_is_refused(void **state)
{
    /* clang-format off */
    static const struct { const char *operation, *params, *pointer, *msg; } rows[] = {
        { "search", "{pattern: '-e'}",             "/pattern",     "'pattern' begins with '-', so the tool would take it for an option" },
        { "search", "{path: a}",                   "",             "search needs 'pattern' before 'path'" },
        { "search", "{path: a, pattern: null}",    "",             "search needs 'pattern' before 'path'" },
        { "search", "{path: a, pattern: []}",      "",             "search needs 'pattern' before 'path'" },
        { "search", "{pattern: x, path: [a, '--pre=sh']}",   "/path",        "'path' begins with '-', so the tool would take it for an option" },
        { "search", "{pattern: \"a\\0b\"}",        "/pattern",     "'pattern' holds a NUL byte, which no argument or variable can" },
        { "search", "{pattern: {a: b}}",           "/pattern",     "'pattern' must be a text, a number, true or false, or a list of these" },
        { "search", "{ignore_case: 1}",            "/ignore_case", "'ignore_case' is a flag: it takes true or false" },
        { "search", "{file: '-o'}",                "/file",        "'file' begins with '-', so the tool would take it for an option" },
        { "search", "{colour: '-o'}",              "/colour",      "'colour' begins with '-', so the tool would take it for an option" },
        { "search", "{inner: '-o'}",               "/inner",       "'inner' begins with '-', so the tool would take it for an option" },
        { "search", "{max_count: '--', pattern: '-e'}", "/pattern", "'pattern' begins with '-', so the tool would take it for an option" },
        { "search", "{shade: [a]}",                "/shade",       "'shade' must be a text, a number, true or false" },
        { "search", "{pre: sh}",                   "/pre",         "'pre' is no parameter; there are pattern, path, ignore_case, max_count, glob, both, file, colour, rest, inner, shade, text" },
        { "files",  "{pattern: x}",                "/pattern",     "'pattern' is no parameter; there are path, glob" },
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _bound_ struct bound b = { 0 };

        bind(&b, rows[i].operation, rows[i].params);
        assert_false(b.ok);
        assert_int_equal(b.e.code, CODE_PARAMETER_REFUSED);
        assert_string_equal(b.e.at.ptr, rows[i].pointer);
        assert_string_equal(b.e.msg, rows[i].msg);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_087_R_001_088_words_come_in_their_order),
        cmocka_unit_test(values_are_literal_whatever_they_hold),
        cmocka_unit_test(R_001_089_variables_and_standard_input),
        cmocka_unit_test(what_would_be_read_as_more_than_a_value_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
