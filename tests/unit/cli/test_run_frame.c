/* SPDX-License-Identifier: Apache-2.0 */
/* test_run_frame.c: frames and lines of a plan that runs, compared as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "cli/answer.h"
#include "cli/run_frame.h"
#include "cli/run_lines.h"
#include "cli/run_live.h"
#include "cli/run_watch.h"

/* Steps s0, s1, ..; the last waits for all others. */
static void begin(struct run_state *s, size_t steps, struct arena *a)
{
    _buf_ struct buf plan = { .max = 1 << 20 };

    buf_adds(&plan, "{\"name\":\"audit\",\"timeout_ms\":300000,\"retry_policy\":{"
                    "\"retryable_error_codes\":[\"STEP_FAILED\"]},\"steps\":[");
    for (size_t i = 0; i < steps; i++) {
        buf_addf(&plan,
                 "%s{\"id\":\"s%zu\",\"action\":\"execute\",\"payload\":{\"inputs\":{"
                 "\"command\":\"make\"}},\"depends_on\":[",
                 i ? "," : "", i);
        for (size_t on = 0; i + 1 == steps && on < i; on++)
            buf_addf(&plan, "%s\"s%zu\"", on ? "," : "", on);
        buf_adds(&plan, "]}");
    }
    buf_adds(&plan, "]}");
    run_state_plan(s, answer_read(arena_text(a, buf_str(&plan)), a), 1, 1000);
}

PRINTF(3, 4)
static struct run_change tell(struct run_state *s, struct arena *a, const char *fmt, ...)
{
    va_list ap;
    char line[512];

    va_start(ap, fmt);
    (void)vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    return run_state_take(s, answer_read(arena_text(a, str_of(line)), a));
}

static void start(struct run_state *s, struct arena *a, size_t step)
{
    (void)tell(s, a,
               "{\"event\":\"step_started\",\"index\":%zu,\"attempt\":1,\"max_attempts\":3,"
               "\"at\":2000}",
               step);
}

static const char *region(const struct run_state *s, size_t rows, size_t edge, struct paint *p)
{
    buf_free(&p->text);
    *p = (struct paint){ .text.max = PAINT_MAX, .edge = edge };
    frame_region(s, 14300, rows, 0, p);
    return buf_str(&p->text).s;
}

static size_t rows_of(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* ---- the region ---- */

static void what_runs_pauses_and_waits_is_shown(void **state)
{
    _arena_ struct arena a = { 0 };
    struct run_state s;
    struct paint p = { 0 };

    (void)state;
    begin(&s, 5, &a);
    start(&s, &a, 0);
    start(&s, &a, 1);
    (void)tell(&s, &a,
               "{\"event\":\"step_failed\",\"index\":1,\"attempt\":1,"
               "\"code\":\"STEP_FAILED\",\"on_failure\":\"retry\"}");
    (void)tell(&s, &a, "{\"event\":\"step_retries\",\"index\":1,\"wait_ms\":800,\"at\":14300}");
    assert_string_equal(region(&s, 24, 79, &p),
                        "  ⠋ s0  execute make    12.3 s\n"
                        "  ⟳ s1  execute make            attempt 2 of 3 in 800 ms\n"
                        "  · s2  waits\n"
                        "  · s3  waits\n"
                        "  · s4  waits for s0, s1 and 2 more\n"
                        "  0 of 5 steps · 13.3 s\n");
    s.forced = true;
    s.lost = 3;
    assert_string_equal(region(&s, 1, 120, &p),
                        "  stopping: its time is up · Ctrl-C leaves at once · "
                        "0 of 5 steps · 13.3 s · 3 changes were missed\n");
    buf_free(&p.text);
    run_state_free(&s);
}

/* Where there is no room for all, what a step does goes first, then the ends of names; never its
 * state, its time, and when it is tried again. */
static void what_matters_fits_into_narrow_terminals(void **state)
{
    _arena_ struct arena a = { 0 };
    struct run_state s;
    struct paint p = { 0 };

    (void)state;
    begin(&s, 3, &a);
    s.steps[1].name = str_of("flaky-integration-tests");
    s.name_width = 23;
    start(&s, &a, 0);
    start(&s, &a, 1);
    (void)tell(&s, &a,
               "{\"event\":\"step_failed\",\"index\":1,\"attempt\":1,"
               "\"code\":\"STEP_FAILED\",\"on_failure\":\"retry\"}");
    (void)tell(&s, &a, "{\"event\":\"step_retries\",\"index\":1,\"wait_ms\":12000,\"at\":14300}");
    s.steps[0].attempt = 2;
    assert_string_equal(region(&s, 24, 39, &p), "  ⠋ s0                   12.3 s  2 of 3\n"
                                                "  ⟳ flaky-integratio…  2 of 3 in 12.0 s\n"
                                                "  · s2                 waits for s0, f…\n"
                                                "  0 of 3 steps · 13.3 s\n");
    assert_string_equal(region(&s, 3, 59, &p),
                        "  ⠋ s0                       execute make    12.3 s  2 of 3\n"
                        "  ⟳ flaky-integration-tests  execute make  2 of 3 in 12.0 s\n"
                        "  0 of 3 steps · 13.3 s\n");
    s.steps[0].state = STEP_DONE;
    s.states[STEP_RUNS]--;
    s.steps[1].max_attempts = 10;
    assert_string_equal(region(&s, 2, 28, &p), "  ⟳ flaky…  in 12.0 s\n"
                                               "  0 of 3 steps · 13.3 s\n");
    s.steps[1].max_attempts = 3;
    for (size_t edge = 26; edge < 120; edge++)
        assert_non_null(strstr(region(&s, 24, edge, &p), "2 of 3 in 12.0 s\n"));
    buf_free(&p.text);
    run_state_free(&s);
}

static void there_are_never_more_rows_than_room(void **state)
{
    _arena_ struct arena a = { 0 };
    struct run_state s;
    struct paint p = { 0 };

    (void)state;
    begin(&s, 60, &a);
    for (size_t runs = 0; runs <= 40; runs++) {
        for (size_t rows = 1; rows < 30; rows++)
            assert_true(rows_of(region(&s, rows, 40, &p)) <= rows);
        assert_int_equal(rows_of(region(&s, 3, 40, &p)), 3);
        start(&s, &a, runs);
    }
    assert_string_equal(region(&s, 3, 40, &p), "  ⠋ s0   execute make    12.3 s\n"
                                               "    and 40 more running\n"
                                               "  0 of 60 steps · 13.3 s\n");
    buf_free(&p.text);
    run_state_free(&s);
}

static void lines_end_at_the_edge(void **state)
{
    _arena_ struct arena a = { 0 };
    struct run_state s;
    struct paint p = { 0 };

    (void)state;
    begin(&s, 3, &a);
    start(&s, &a, 0);
    s.steps[0].name = str_of("日本語の名前");
    for (size_t edge = 1; edge < 60; edge++) {
        struct str text = str_of(region(&s, 9, edge, &p));

        for (const char *end; text.n > 0; text.n -= (size_t)(end + 1 - text.s), text.s = end + 1) {
            end = memchr(text.s, '\n', text.n);
            assert_non_null(end);
            assert_true(print_columns((struct str){ text.s, (size_t)(end - text.s) }) <= edge);
        }
    }
    buf_free(&p.text);
    run_state_free(&s);
}

/* ---- lines that stay ---- */

#define FAILURE                                                                                     \
    "{\"event\":\"step_failed\",\"index\":0,\"attempt\":1,\"duration_ms\":7,"                       \
    "\"code\":\"STEP_FAILED\",\"message\":\"exit 6\",\"severity\":\"error\",\"on_failure\":\"%s\"," \
    "\"last_words\":\"0\\n1\\n2\\n3\\n\\n\\u001b[31m4\\u001b[0m\\tx\\r\\n50%%\\r100%%\\n\\n\"}"

static void an_end_is_a_line_that_stays(void **state)
{
    _arena_ struct arena a = { 0 };
    struct run_state s;
    struct paint p = { .text.max = PAINT_MAX, .edge = 60 };
    struct run_change change;

    (void)state;
    begin(&s, 2, &a);
    change = tell(&s, &a,
                  "{\"event\":\"step_completed\",\"index\":0,\"duration_ms\":38,"
                  "\"note\":\"214 matches \\u001b[2J\"}");
    frame_change(&s, &change, &p);
    change = tell(&s, &a, FAILURE, "halt");
    frame_change(&s, &change, &p);
    change = tell(&s, &a, "{\"event\":\"step_started\",\"index\":1}");
    frame_change(&s, &change, &p);
    change = tell(&s, &a, "{\"event\":\"notify\",\"index\":1,\"payload\":{\"to\":[\"x\"]}}");
    frame_change(&s, &change, &p);
    assert_string_equal(p.text.s, "  ✓ s0  execute make     38 ms  214 matches \\x1b[2J\n"
                                  "  ✗ s0  execute make      7 ms  STEP_FAILED (halts)\n"
                                  "      STEP_FAILED: exit 6\n"
                                  "      │ 2\n"
                                  "      │ 3\n"
                                  "      │ 4 x\n"
                                  "      │ 100%\n"
                                  "  » s1  to x\n");
    buf_free(&p.text);
    run_state_free(&s);
}

static void a_last_line_that_the_message_tells_keeps_its_place(void **state)
{
#define RED(words)                                                                  \
    "{\"event\":\"step_failed\",\"index\":0,\"attempt\":1,\"duration_ms\":7,"       \
    "\"code\":\"STEP_FAILED\",\"message\":\"exit 1: red\",\"on_failure\":\"halt\"," \
    "\"last_words\":\"" words "\"}"
#define HEAD "  ✗ s0  execute make      7 ms  STEP_FAILED (halts)\n      STEP_FAILED: exit 1: red\n"
    static const char *const lines[][2] = {
        { RED("err 8\\nerr 9\\nerr 10\\nerr 11\\nerr 12\\nred\\n"),
          HEAD "      │ err 9\n      │ err 10\n      │ err 11\n      │ err 12\n      │ red\n" },
        { RED("red\\n"), HEAD },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(lines); i++) {
        _arena_ struct arena a = { 0 };
        struct run_state s;
        struct paint p = { .text.max = PAINT_MAX, .edge = 60 };
        struct run_change change;

        begin(&s, 2, &a);
        change = tell(&s, &a, "%s", lines[i][0]);
        frame_change(&s, &change, &p);
        assert_string_equal(p.text.s, lines[i][1]);
        buf_free(&p.text);
        run_state_free(&s);
    }
}

static void in_a_pipe_a_change_is_a_line(void **state)
{
    _arena_ struct arena a = { 0 };
    struct run_state s;
    struct paint p = { .text.max = PAINT_MAX, .edge = NO_EDGE };
    struct run_change change;

    (void)state;
    begin(&s, 6, &a);
    change = tell(&s, &a, FAILURE, "skip");
    run_lines_change(&s, &change, &p);
    for (size_t i = 1; i < 5; i++)
        start(&s, &a, i);
    run_lines_beat(&s, 46000, &p);
    assert_string_equal(p.text.s, "audit: s0: failed 7 ms, STEP_FAILED: exit 6 (skipped)\n"
                                  "audit: s0: | 2\n"
                                  "audit: s0: | 3\n"
                                  "audit: s0: | 4 x\n"
                                  "audit: s0: | 100%\n"
                                  "audit: 0 of 6 steps, 4 running (s1, s2, s3, ..), 45.0 s\n");
    buf_free(&p.text);
    run_state_free(&s);
}

/* ---- frames over each other ---- */

static void paint(struct paint *p, const char *text)
{
    paint_reset(p);
    buf_adds(&p->text, text);
}

static struct run_live new_live(size_t rows, size_t columns)
{
    return (struct run_live){ .stays = { .text.max = 1000, .edge = 9 },
                              .region = { .text.max = 1000, .edge = 9 },
                              .shown.max = 1000,
                              .rows = rows,
                              .columns = columns };
}

static void a_frame_replaces_the_one_before(void **state)
{
    struct run_live live = new_live(24, 80);
    _buf_ struct buf out = { .max = 10000 };

    (void)state;
    paint(&live.region, "one\ntwo\n");
    run_live_frame(&live, &out);
    assert_string_equal(out.s, "\033[?2026h\033[?25l\rone\033[K\ntwo\033[K\n\033[J\033[?2026l");
    buf_reset(&out);
    run_live_frame(&live, &out);
    assert_int_equal(out.len, 0); /* nothing has changed */
    paint(&live.stays, "done\n");
    paint(&live.region, "two\n");
    run_live_frame(&live, &out);
    assert_string_equal(out.s, "\033[?2026h\r\033[2Adone\033[K\ntwo\033[K\n\033[J\033[?2026l");
    buf_reset(&out);
    run_live_clear(&live, &out);
    assert_string_equal(out.s, "\r\033[1A\033[J\033[?25h");
    run_live_free(&live);
}

static void rows_that_a_narrow_terminal_broke_are_counted(void **state)
{
    struct run_live live = new_live(24, 80);

    (void)state;
    buf_adds(&live.shown, "\033[31mabcdefghij\033[0mk\n\n日本\n");
    assert_int_equal(run_live_rows(&live, 80), 3);
    assert_int_equal(run_live_rows(&live, 11), 3);
    assert_int_equal(run_live_rows(&live, 10), 4);
    assert_int_equal(run_live_rows(&live, 4), 5);
    run_live_free(&live);
}

/* ---- bytes ---- */

static void count_raw(void *self, struct str line)
{
    (void)line;
    ++*(int *)self;
}

static void lines_come_in_any_parts(void **state)
{
    static const char bytes[] = "{\"event\":\"step_started\",\"index\":0}\nodd\n\n"
                                "{\"event\":\"step_completed\",\"index\":0}\n{\"cut";

    (void)state;
    for (size_t part = 1; part < sizeof bytes; part++) {
        _arena_ struct arena a = { 0 };
        struct run_state s;
        int raw = 0;
        struct run_view view = { .raw = count_raw, .self = &raw };
        struct run_watch w = { .state = &s, .view = &view };

        begin(&s, 2, &a);
        for (size_t at = 0; at < sizeof bytes - 1; at += part) {
            size_t left = sizeof bytes - 1 - at;

            run_watch_feed(&w, (struct str){ bytes + at, left < part ? left : part });
        }
        assert_int_equal(s.steps[0].state, STEP_DONE);
        assert_int_equal(raw, 2);
        buf_free(&w.line);
        run_state_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_runs_pauses_and_waits_is_shown),
        cmocka_unit_test(what_matters_fits_into_narrow_terminals),
        cmocka_unit_test(there_are_never_more_rows_than_room),
        cmocka_unit_test(lines_end_at_the_edge),
        cmocka_unit_test(an_end_is_a_line_that_stays),
        cmocka_unit_test(a_last_line_that_the_message_tells_keeps_its_place),
        cmocka_unit_test(in_a_pipe_a_change_is_a_line),
        cmocka_unit_test(a_frame_replaces_the_one_before),
        cmocka_unit_test(rows_that_a_narrow_terminal_broke_are_counted),
        cmocka_unit_test(lines_come_in_any_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
