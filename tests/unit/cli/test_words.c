/* SPDX-License-Identifier: Apache-2.0 */
/* test_words.c: verbs of two words, queries, and entries in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/json_read.h"
#include "cli/args.h"
#include "cli/entry_line.h"
#include "cli/pretty.h"
#include "cli/query.h"
#include "cli/units.h"

enum { NOW = 1794751200, WIDTH = 80 }; /* 2026-11-15T14:00:00Z */

/* ---- verbs ---- */

/* clang-format off */
static const struct { const char *typed[3], *name; int words; } verbs[] = {
    { { "ledger", "append", "e.json" }, "ledger append", 2 },
    { { "ledger", "--help" },           "ledger",        1 },
    { { "ledger" },                     "ledger",        1 },
    { { "log", "append" },              "log",           1 },
    { { "ledgers", "append" },          NULL,            0 },
    { { "ledge" },                      NULL,            0 },
    { { "ledger append" },              NULL,            0 },
    { { "" },                           NULL,            0 },
    { { 0 },                            NULL,            0 },
};
/* clang-format on */

static void a_verb_below_a_group_is_two_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(verbs); i++) {
        const struct command *c;
        char texts[3][16], *argv[3];
        int argc = 0, words;

        for (; argc < 3 && verbs[i].typed[argc]; argc++) {
            (void)snprintf(texts[argc], sizeof texts[argc], "%s", verbs[i].typed[argc]);
            argv[argc] = texts[argc];
        }
        c = command_typed(argc, argv, &words);
        assert_int_equal(words, verbs[i].words);
        assert_int_equal(c != NULL, verbs[i].name != NULL);
        if (c)
            assert_string_equal(c->name, verbs[i].name);
    }
}

static void a_group_has_no_work_of_its_own_and_names_its_verbs(void **state)
{
    const struct command *group = command_named("ledger");
    size_t below = 0;

    (void)state;
    assert_null(group->run);
    assert_string_equal(command_below(group, command_named("ledger erase")), "erase");
    assert_null(command_below(group, command_named("log")));
    assert_null(command_below(group, group));
    for (size_t i = 0; i < command_count; i++)
        below += command_below(group, commands[i]) != NULL;
    assert_int_equal(below, 4);
}

static void a_verb_mistyped_below_a_group_is_suggested(void **state)
{
    (void)state;
    assert_string_equal(command_near(command_named("ledger"), "apend"), "ledger append");
    assert_string_equal(command_near(NULL, "chekpoint"), "checkpoint");
    assert_null(command_near(command_named("golden"), "foo"));
}

/* ---- queries ---- */

/* clang-format off */
static const struct {
    const char *options[8]; /* name, value, .. */
    const char *json;       /* NULL: refused */
} queries[] = {
    { { 0 },                                                "{\"limit\":20}" },
    { { "limit", "5" },                                     "{\"limit\":5}" },
    { { "limit", "0" },                                     "{}" },
    { { "state", "failed", "tenant", "a\"b", "limit", "0" }, "{\"tenant\":\"a\\\"b\",\"state\":\"failed\"}" },
    { { "since", "2026-11-15", "limit", "0" },              "{\"since\":\"2026-11-15T00:00:00.000Z\"}" },
    { { "until", "2026-11-15", "limit", "0" },              "{\"until\":\"2026-11-15T23:59:59.999Z\"}" },
    { { "since", "2026-11-15T14:00:00+01:00", "limit", "0" }, "{\"since\":\"2026-11-15T14:00:00+01:00\"}" },
    { { "since", "90s", "limit", "0" },                     "{\"since\":\"2026-11-15T13:58:30.000Z\"}" },
    { { "since", "15m", "limit", "0" },                     "{\"since\":\"2026-11-15T13:45:00.000Z\"}" },
    { { "since", "2h", "until", "1h", "limit", "0" },       "{\"since\":\"2026-11-15T12:00:00.000Z\",\"until\":\"2026-11-15T13:00:00.000Z\"}" },
    { { "since", "7d", "limit", "0" },                      "{\"since\":\"2026-11-08T14:00:00.000Z\"}" },
    { { "since", "1000000d", "limit", "0" },                "{\"since\":\"0001-01-01T00:00:00.000Z\"}" },
    { { "until", "1000000d", "limit", "9007199254740991" }, "{\"until\":\"0001-01-01T00:00:00.000Z\",\"limit\":9007199254740991}" },
    { { "limit", "9007199254740992" },                      NULL },
    { { "since", "1000001d" },                              NULL },
    { { "since", "2w" },                                    NULL },
    { { "since", "h" },                                     NULL },
    { { "since", "" },                                      NULL },
    { { "since", "-2h" },                                   NULL },
    { { "since", "2026-02-30" },                            NULL },
    { { "until", "yesterday" },                             NULL },
    { { "limit", "-1" },                                    NULL },
    { { "limit", "ten" },                                   NULL },
    { { "limit", "" },                                      NULL },
};
/* clang-format on */

static void options_become_a_query_or_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(queries); i++) {
        struct args args = { .command = command_named("log") };
        _buf_ struct buf json = { .max = 1 << 16 };
        bool ok;

        for (size_t o = 0; o < COUNT(queries[i].options) && queries[i].options[o]; o += 2)
            args.given[args.given_count++] =
                (struct given){ queries[i].options[o], queries[i].options[o + 1] };
        ok = query_write(&args, 20, (int64_t)NOW * 1000, &json);
        assert_int_equal(ok, queries[i].json != NULL);
        if (ok)
            assert_string_equal(json.s, queries[i].json);
    }
}

/* ---- units ---- */

/* clang-format off */
static const struct { int64_t n; const char *time, *bytes; } units[] = {
    { 0,              "0 ms",      "0 B" },
    { 999,            "999 ms",    "999 B" },
    { 1000,           "1.0 s",     "1000 B" },
    { 1024,           "1.0 s",     "1 kB" },
    { 10000,          "10.0 s",    "9.7 kB" },
    { 59999,          "59.9 s",    "58 kB" },
    { 60000,          "1 m 00 s",  "58 kB" },
    { 245678,         "4 m 05 s",  "239 kB" },
    { 3600000,        "1 h 00 m",  "3.4 MB" },
    { 86399999,       "23 h 59 m", "82 MB" },
    { 439200000,      "5 d 02 h",  "418 MB" },
    { 5497558138880,  "63629 d 03 h", "5 TB" },
};
/* clang-format on */

static void times_and_sizes_take_a_few_characters(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(units); i++) {
        char text[UNITS_TEXT];

        units_time(units[i].n, text);
        assert_string_equal(text, units[i].time);
        units_bytes(units[i].n, text);
        assert_string_equal(text, units[i].bytes);
    }
}

/* ---- columns ---- */

/* clang-format off */
static const struct { const char *text; size_t columns; } columns[] = {
    { "", 0 }, { "abc", 3 }, { "caf\u00e9", 4 }, { "\u65e5\u672c", 4 }, { "\U0001f600", 2 },
    { "\x1b[2J", 7 }, { "\n", 4 }, { "\xc2\x9b", 8 }, { "\xff", 4 }, { "\u202e", 12 }, { "…", 1 },
};
/* clang-format on */

static void a_text_is_as_wide_as_it_is_shown(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(columns); i++)
        assert_int_equal(print_columns(str_of(columns[i].text)), columns[i].columns);
}

/* clang-format off */
static const struct { const char *text; size_t room, bytes; } folds[] = {
    { "", 5, 0 },             { "ab cd", 5, 5 },       { "ab cde", 5, 2 },    { "abcde f", 5, 5 },
    { "abcdef", 5, 5 },       { "ab c d", 5, 4 },      { " abcdef", 5, 5 },   { "abc", 0, 1 },
    { "日本語", 5, 6 },       { "日本 語", 5, 6 },     { "日本 語x", 6, 6 },  { "日本", 1, 3 },
    { "a\033bcd", 5, 2 },     { "\xff\xff", 3, 1 },
};
/* clang-format on */

static void a_text_is_folded_at_the_column_where_it_is_shown(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(folds); i++)
        assert_int_equal(print_fold(str_of(folds[i].text), folds[i].room), folds[i].bytes);
}

/* ---- entries ---- */

#define EVENT(state, attempt, payload)                                                             \
    "{\"kind\":\"execution_event\",\"subject\":\"x\",\"state\":\"" state "\",\"attempt\":" attempt \
    ",\"erased\":false,\"body\":{\"payload\":" payload "}}"
#define WORK "\"target\":\"exec\",\"action\":\"make -j2\""
#define SHIM "# call.py: calls one function with keyword arguments\\nimport sys\\n"

/* clang-format off */
static const struct { const char *entry, *what; int64_t took, memory; } entries[] = {
    { EVENT("planned", "1", "{" WORK "}"), "exec make -j2", -1, -1 },
    { EVENT("running", "2", "{" WORK "}"), "attempt 2 exec make -j2", -1, -1 },
    { EVENT("succeeded", "2", "{" WORK ",\"durationMs\":1920,\"result\":{\"memory_peak_bytes\":7}}"), "exec make -j2", 1920, 7 },
    { EVENT("succeeded", "1", "{" WORK ",\"durationMs\":0.9,\"result\":{\"memory_peak_bytes\":\"7\"}}"), "exec make -j2", 0, -1 },
    { EVENT("failed", "1", "{" WORK ",\"error\":{\"code\":\"C\",\"message\":\"m\"},\"durationMs\":-1}"), "C  m", -1, -1 },
    { EVENT("failed", "1", "{" WORK ",\"error\":{\"code\":\"C\"}}"), "C", -1, -1 },
    { EVENT("failed", "1", "{" WORK ",\"error\":3,\"durationMs\":1e300}"), "exec make -j2", -1, -1 },
    { EVENT("cancelled", "1", "{" WORK ",\"cancelReason\":\"by hand\"}"), "by hand", -1, -1 },
    { EVENT("planned", "1", "[1]"), "", -1, -1 },
    { EVENT("planned", "1", "{\"target\":\"exec\",\"action\":\"python3 -B -c " SHIM "  json dumps\"}"), "exec python3 … json dumps", -1, -1 },
    { EVENT("planned", "1", "{\"target\":\"exec\",\"action\":\"git commit -m a\\n\\nb\"}"), "exec git commit -m a\n\nb", -1, -1 },
    { "{\"kind\":\"input\",\"subject\":\"x\",\"body\":{\"adapter_id\":\"A\",\"call\":{\"operation\":\"op\"},\"inputs\":{\"command\":\"python3\",\"arguments\":[\"-c\",\"" SHIM "\",\"json\"]}}}", "x  call A.op: python3 -c … json", -1, -1 },
    { "{\"kind\":\"input\",\"subject\":\"x\",\"body\":{\"adapter_id\":\"A\",\"call\":{\"operation\":\"op\"},\"inputs\":{\"command\":\"rg\",\"arguments\":[\"a\"]}}}", "x  rg a", -1, -1 },
    { "{\"kind\":\"manifest\",\"subject\":\"x\",\"body\":{\"state\":\"failed\",\"request\":{\"purpose\":\"call p.op\"},\"command\":[\"python3\",\"" SHIM "\"]}}", "x  failed  call p.op: python3 …", -1, -1 },
    { "{\"kind\":\"manifest\",\"subject\":\"x\",\"body\":{\"state\":\"failed\",\"request\":{\"purpose\":3},\"command\":[\"python3\",\"" SHIM "\"]}}", "x  failed  python3 …", -1, -1 },
    { "{\"kind\":\"execution_event\",\"state\":\"planned\",\"erased\":true,\"body\":null}", "(erased)", -1, -1 },
    { "{\"kind\":\"execution_event\"}", "", -1, -1 },
    { "{\"kind\":\"input\",\"subject\":\"plan.yaml\",\"body\":{\"name\":\"audit\"}}", "plan.yaml  audit", -1, -1 },
    { "{\"kind\":\"input\",\"subject\":\"x\",\"body\":[1,2]}", "x", -1, -1 },
    { "{\"kind\":\"input\",\"subject\":\"x\",\"body\":{\"inputs\":{\"command\":\"rg\",\"arguments\":[\"-n\",3,\"a\"]}}}", "x  rg -n a", -1, -1 },
    { "{\"kind\":\"manifest\",\"subject\":\"x\",\"body\":{\"state\":\"failed\",\"command\":[\"make\",\"all\"],\"usage\":{\"memory_peak_bytes\":9}}}", "x  failed  make all", -1, 9 },
    { "{\"kind\":\"plan_result\",\"subject\":\"x\",\"body\":{\"status\":\"partial\",\"steps_executed\":6,\"steps_total\":7}}", "x  partial  6 of 7", -1, -1 },
    { "{\"kind\":\"plan_result\",\"subject\":\"x\",\"erased\":true,\"body\":null}", "x  (erased)", -1, -1 },
    { "{\"kind\":\"manifest\",\"subject\":\"x\",\"body\":{\"what\":\"plan_steps\",\"name\":\"audit\",\"steps\":[1,2]}}", "x  audit  2 steps", -1, -1 },
    { "{\"kind\":\"manifest\",\"subject\":\"x\",\"body\":{\"what\":\"plan_steps\",\"steps\":3}}", "x ", -1, -1 },
    { "{\"kind\":\"note\",\"subject\":\"led-1\",\"erased\":true,\"body\":null}", "led-1 (erased)", -1, -1 },
};
/* clang-format on */

static const struct doc *read_json(const char *text, struct arena *a)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e;

    assert_true(json_read("entry", str_of(text), &max, a, &document, &e));
    return &document->root;
}

static void an_entry_is_told_in_a_few_words_whatever_its_body(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(entries); i++) {
        _arena_ struct arena a = { 0 };
        _buf_ struct buf what = { .max = 1 << 16 };
        const struct doc *entry = read_json(entries[i].entry, &a);

        line_what(entry, &what);
        assert_string_equal(buf_str(&what).s, entries[i].what);
        assert_int_equal(line_took(entry), entries[i].took);
        assert_int_equal(line_memory(entry), entries[i].memory);
    }
}

static void ids_are_short_for_people_and_whole_in_a_pipe(void **state)
{
    struct str entry = str_of("led-8d2f61aa-3c1e-4b0a-9d3e-2f6f0c0a7b11"), run = entry;
    struct str named = str_of("nightly-2026-11-15");

    (void)state;
    run.s += 4;
    run.n -= 4;
    print_setup(false, false, WIDTH);
    assert_true(str_is(line_short(entry), "led-8d2f61aa"));
    assert_true(str_is(line_short(run), "8d2f61aa"));
    assert_true(str_eq(line_short(named), named));
    print_setup(false, false, NO_EDGE);
    assert_true(str_eq(line_short(entry), entry));
    assert_true(str_eq(line_short(run), run));
}

static void the_parts_of_a_time_are_found_or_it_is_kept(void **state)
{
    (void)state;
    assert_true(str_is(line_day(str_of("2026-11-15T14:02:11.120Z")), "2026-11-15"));
    assert_true(str_is(line_clock(str_of("2026-11-15T14:02:11.120Z")), "14:02:11"));
    assert_true(str_is(line_day(str_of("")), ""));
    assert_true(str_is(line_clock(str_of("2026-11-15")), "2026-11-15"));
}

static void a_value_is_told_without_the_signs_of_json(void **state)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf words = { .max = 1 << 16 };

    (void)state;
    pretty_words(read_json("{\"a\":1,\"digest\":\"sha256:0\",\"b\":[\"x\",null,{\"c\":true}]}", &a),
                 &words);
    assert_string_equal(words.s, "a 1, b x, null, c true");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_verb_below_a_group_is_two_words),
        cmocka_unit_test(a_group_has_no_work_of_its_own_and_names_its_verbs),
        cmocka_unit_test(a_verb_mistyped_below_a_group_is_suggested),
        cmocka_unit_test(options_become_a_query_or_are_refused),
        cmocka_unit_test(times_and_sizes_take_a_few_characters),
        cmocka_unit_test(a_text_is_as_wide_as_it_is_shown),
        cmocka_unit_test(a_text_is_folded_at_the_column_where_it_is_shown),
        cmocka_unit_test(an_entry_is_told_in_a_few_words_whatever_its_body),
        cmocka_unit_test(ids_are_short_for_people_and_whole_in_a_pipe),
        cmocka_unit_test(the_parts_of_a_time_are_found_or_it_is_kept),
        cmocka_unit_test(a_value_is_told_without_the_signs_of_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
