/* SPDX-License-Identifier: Apache-2.0 */
/* test_show_plan.c: the steps of a plan as the ledger has them, compared as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>

#include "base/fs.h"
#include "cli/answer.h"
#include "cli/print.h"
#include "cli/show.h"

/* What is printed of an answer on a terminal that wide: all, or where is_plan is given, its steps.
 */
static struct str printed(const char *text_of, size_t width, bool *is_plan, struct arena *a)
{
    _fd_ int file = memfd_create("out", MFD_CLOEXEC), before = dup(STDOUT_FILENO);
    const struct doc *answer = answer_read(text_of, a);
    struct str text;
    struct error e;

    assert_true(print_flush());
    assert_true(file >= 0 && before >= 0 && dup2(file, STDOUT_FILENO) >= 0);
    print_setup(false, false, width);
    if (is_plan)
        *is_plan = show_plan(answer);
    else
        show_execution(answer);
    assert_true(print_flush());
    assert_true(dup2(before, STDOUT_FILENO) >= 0);
    assert_int_equal(lseek(file, 0, SEEK_SET), 0);
    assert_true(fd_read(file, 1 << 20, a, &text, &e));
    return text;
}

/* What show_plan() prints of manifests with these bodies. */
static struct str shown(const char *bodies, size_t width, bool *is_plan, struct arena *a)
{
    return printed(arena_printf(a, "{\"manifests\":[%s]}", bodies), width, is_plan, a);
}

#define STEPS(rows) \
    "{\"kind\":\"manifest\",\"body\":{\"what\":\"plan_steps\",\"steps\":[" rows "]}}"
#define ROW(name, state, more) \
    "{\"name\":\"" name "\",\"action\":\"execute\",\"state\":\"" state "\"," more "}"

static void steps_have_bars_where_there_is_room(void **state)
{
    static const char bodies[] =
        STEPS(ROW("find", "completed", "\"started_at\":1000,\"duration_ms\":500,\"note\":\"214 matches\"") "," ROW("flaky", "failed", "\"started_at\":1500,\"duration_ms\":250,\"attempt\":1,\"code\":\"STEP_FAILED\",\"message\":\"exit 1\"")) "," STEPS(
            ROW("flaky", "completed", "\"started_at\":1750,\"duration_ms\":250,\"attempt\":2,\"execution_id\":\"8d2f61aa-3c1e-4b0a-9d3e-2f6f0c0a7b11\"") "," ROW(
                "last", "not_run", "\"started_at\":null,\"duration_ms\":null"));
    _arena_ struct arena a = { 0 };
    bool is_plan;

    (void)state;
    assert_string_equal(
        shown(bodies, 78, &is_plan, &a).s,
        "  ✓ find   execute    500 ms  ████████████              214 matches\n"
        "  ✗ flaky  execute    250 ms              ██████\n"
        "      STEP_FAILED: exit 1\n"
        "  ✓ flaky  execute    250 ms                    ██████  attempt 2, 8d2f61aa\n"
        "  · last   execute   not run\n");
    assert_true(is_plan);
    assert_string_equal(
        shown(bodies, NO_EDGE, &is_plan, &a).s,
        "  ✓ find   execute    500 ms  214 matches\n"
        "  ✗ flaky  execute    250 ms\n"
        "      STEP_FAILED: exit 1\n"
        "  ✓ flaky  execute    250 ms  attempt 2, 8d2f61aa-3c1e-4b0a-9d3e-2f6f0c0a7b11\n"
        "  · last   execute   not run\n");
}

static void a_step_that_the_plan_went_on_without_is_not_what_ended_it(void **state)
{
#define FAILURE(more) "\"started_at\":1000,\"duration_ms\":250,\"code\":\"STEP_FAILED\"" more
    static const char bodies[] = STEPS(
        ROW("a", "failed", FAILURE(",\"on_failure\":\"skip\",\"severity\":\"error\"")) "," ROW("b", "failed", FAILURE(",\"on_failure\":\"skip\",\"severity\":\"fatal\"")) "," ROW(
            "c", "failed",
            FAILURE(",\"on_failure\":\"halt\",\"severity\":\"error\"")) "," ROW("d", "failed",
                                                                                FAILURE("")));
    _arena_ struct arena a = { 0 };
    bool is_plan;

    (void)state;
    assert_string_equal(shown(bodies, NO_EDGE, &is_plan, &a).s,
                        "  ! a  execute    250 ms\n      STEP_FAILED\n"
                        "  ✗ b  execute    250 ms\n      STEP_FAILED\n"
                        "  ✗ c  execute    250 ms\n      STEP_FAILED\n"
                        "  ✗ d  execute    250 ms\n      STEP_FAILED\n");
}

static void a_step_that_has_not_begun_is_told_so(void **state)
{
#define UNENDED(rows)        "],\"steps_unended\":[" rows
#define OPEN_ROW(name, more) "{\"name\":\"" name "\",\"action\":\"execute\"" more "}"
    static const char bodies[] = UNENDED(
        OPEN_ROW("a", ",\"begun\":true,\"execution_id\":\"8d2f61aa-3c1e-4b0a-9d3e-2f6f0c0a7b11\"") "," OPEN_ROW(
            "b", ",\"begun\":false,\"execution_id\":null") "," OPEN_ROW("c", ",\"begun\":null"));
    _arena_ struct arena a = { 0 };
    bool is_plan;

    (void)state;
    assert_string_equal(shown(bodies, 78, &is_plan, &a).s, "  ? a  execute    no end  8d2f61aa\n"
                                                           "  · b  execute not begun\n"
                                                           "  ? c  execute    no end\n");
}

static void the_span_is_from_the_first_start_to_the_last_end(void **state)
{
    static const char bodies[] =
        STEPS(ROW("b", "completed", "\"started_at\":1500,\"duration_ms\":500") "," ROW(
            "a", "completed", "\"started_at\":1000,\"duration_ms\":250"));
    _arena_ struct arena a = { 0 };
    bool is_plan;

    (void)state;
    assert_string_equal(shown(bodies, 58, &is_plan, &a).s,
                        "  ✓ b  execute    500 ms          ████████\n"
                        "  ✓ a  execute    250 ms  ████\n");
}

static void a_name_that_is_cut_keeps_its_gap(void **state)
{
    static const char bodies[] = STEPS(ROW("a-very-long-step-name-that-is-cut", "completed",
                                           "\"started_at\":1000,\"duration_ms\":500"));
    _arena_ struct arena a = { 0 };
    bool is_plan;

    (void)state;
    assert_string_equal(shown(bodies, NO_EDGE, &is_plan, &a).s,
                        "  ✓ a-very-long-step-name-t…  execute    500 ms\n");
}

/* clang-format off */
static const struct { const char *bodies; bool is_plan; } odd[] = {
    { "", false },
    { "{\"body\":null},{},{\"body\":[3]}", false },
    { "{\"body\":{\"what\":\"run\",\"steps\":[{}]}}", false },
    { "{\"body\":{\"what\":\"plan_steps\",\"steps\":{}}}", false },
    { STEPS("3,null,[]"), false },
    { STEPS("{}"), true },
    { STEPS("{\"started_at\":9007199254740991,\"duration_ms\":9007199254740991},{\"started_at\":1}"), true },
    { STEPS("{\"started_at\":5,\"duration_ms\":-3},{\"started_at\":\"x\",\"name\":[]}"), true },
    { STEPS(ROW("\\u001b[2J", "", "\"code\":\"\\u0007\",\"note\":\"\\u001b\"")), true },
};
/* clang-format on */

static void odd_manifests_are_shown_as_far_as_they_go(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(odd); i++) {
        for (size_t width = 40; width <= 200; width += 40) {
            _arena_ struct arena a = { 0 };
            bool is_plan;
            struct str text = shown(odd[i].bodies, width, &is_plan, &a);

            assert_int_equal(is_plan, odd[i].is_plan);
            assert_int_equal(text.n > 0, is_plan);
            assert_null(memchr(text.s, '\033', text.n));
        }
    }
}

static void on_a_narrow_terminal_lines_are_broken_at_blanks(void **state)
{
    static const char answer[] =
        "{\"execution\":\"8d2f61aa-3c1e-4b0a-9d3e-2f6f0c0a7b11\",\"state\":\"succeeded\","
        "\"events\":[{\"kind\":\"execution_event\",\"ledger_id\":\"led-1\",\"state\":\"succeeded\","
        "\"createdAt\":\"2026-11-19T04:00:00.000Z\",\"body\":{\"payload\":{\"durationMs\":7,"
        "\"result\":{\"memory_peak_bytes\":507904}}}}],"
        "\"rests_on\":[{\"kind\":\"input\",\"ledger_id\":\"led-0f48726e-3c1e-4b0a-9d3e-2f6f0c0a7b11\","
        "\"createdAt\":\"2026-11-19T04:00:00.000Z\","
        "\"subject\":\"8d2f61aa-3c1e-4b0a-9d3e-2f6f0c0a7b11\"}],\"evidence\":{\"directory\":\"/e\"}}";
    _arena_ struct arena a = { 0 };
    const char *narrow, *wide;

    (void)state;
    narrow = printed(answer, 40, NULL, &a).s;
    assert_non_null(strstr(narrow, "2026-11-19 04:00:00 UTC, took 7 ms, at\nmost 496 kB\n"));
    assert_non_null(strstr(narrow, "  rests on   led-0f48726e input\n"
                                   "             2026-11-19 04:00:00\n"
                                   "             8d2f61aa\n"));
    wide = printed(answer, 80, NULL, &a).s;
    assert_non_null(strstr(wide, "2026-11-19 04:00:00 UTC, took 7 ms, at most 496 kB\n"));
    assert_non_null(
        strstr(wide, "  rests on   led-0f48726e  input      2026-11-19 04:00:00  8d2f61aa\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_have_bars_where_there_is_room),
        cmocka_unit_test(a_step_that_the_plan_went_on_without_is_not_what_ended_it),
        cmocka_unit_test(a_step_that_has_not_begun_is_told_so),
        cmocka_unit_test(on_a_narrow_terminal_lines_are_broken_at_blanks),
        cmocka_unit_test(the_span_is_from_the_first_start_to_the_last_end),
        cmocka_unit_test(a_name_that_is_cut_keeps_its_gap),
        cmocka_unit_test(odd_manifests_are_shown_as_far_as_they_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
