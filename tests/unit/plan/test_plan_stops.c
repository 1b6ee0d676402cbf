/* SPDX-License-Identifier: Apache-2.0 */
/* test_plan_stops.c: several at a time, of which some are stopped or keep hands busy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/plan/scene.h"

static const char *const timeout[] = { "STEP_TIMEOUT", NULL };

/* While a stopped attempt is waited for others end: they have their turn after it. */
static void R_004_179_a_timeout_comes_before_what_ends_later(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 3);
    s.steps[0].on_failure = ON_FAILURE_SKIP;
    s.steps[0].timeout_ms = 50;
    s.jobs = 2;
    s.stop_ms = 10;
    scene_retries(&s, 1, timeout);
    PLAY(&s, { .step = 0, .ms = NEVER }, { .step = 1, .ms = 55 });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_started 1.1\nbegin 1.1\nstop 0\n"
                   "step_failed 0.1 STEP_TIMEOUT error\nstep_completed 1.1\n"
                   "step_started 2.1\nbegin 2.1\nstep_completed 2.1\n"
                   "persist partial\nplan_execution_partial\nincomplete 0\nrelease\n");
    expect_end(&s, PLAN_PARTIAL, 2);
}

/* One that takes long to stop keeps nobody else's time from being held. */
static void R_004_179_each_is_stopped_when_its_own_time_is_over(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    for (size_t i = 0; i < 2; i++) {
        s.steps[i].on_failure = ON_FAILURE_SKIP;
        s.steps[i].timeout_ms = 50 + 30 * (int64_t)i;
    }
    s.jobs = 2;
    s.stop_ms = 1000;
    scene_retries(&s, 1, timeout);
    PLAY(&s, { .step = 0, .ms = NEVER }, { .step = 1, .ms = NEVER });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_started 1.1\nbegin 1.1\nstop 0\nstop 1\n"
                   "step_failed 0.1 STEP_TIMEOUT error\nstep_failed 1.1 STEP_TIMEOUT error\n"
                   "persist failure\nplan_execution_failure\nrelease\nalarm STEP_TIMEOUT\n");
    assert_int_equal(s.end.result.duration_ms, 1080);
}

/* Whoever has left before, and whatever came into his place. */
static void R_004_179_of_two_that_are_due_the_first_of_the_list_is_stopped_first(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 3);
    scene_policies(&s, (int[]){ ON_FAILURE_HALT, ON_FAILURE_SKIP, ON_FAILURE_SKIP });
    s.steps[1].timeout_ms = s.steps[2].timeout_ms = 50;
    s.jobs = 3;
    scene_retries(&s, 1, timeout);
    PLAY(&s, { .step = 0, .ms = 10 }, { .step = 1, .ms = NEVER }, { .step = 2, .ms = NEVER });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_started 1.1\nbegin 1.1\n"
                   "step_started 2.1\nbegin 2.1\nstep_completed 0.1\n"
                   "stop 1\nstep_failed 1.1 STEP_TIMEOUT error\n"
                   "stop 2\nstep_failed 2.1 STEP_TIMEOUT error\n"
                   "persist partial\nplan_execution_partial\nincomplete 1 2\nrelease\n");
}

static void check_without_output(struct scene *s, const struct telling *telling)
{
    (void)s;
    if (telling->news == NEWS_STEP_FAILED)
        assert_null(telling->ending->output);
}

/* What an attempt said when it was stopped is nobody's to read. */
static void R_004_179_what_is_said_too_late_is_not_told(void **state)
{
    static const struct doc late = { .kind = DOC_MAP };
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.steps[0].on_failure = ON_FAILURE_SKIP;
    s.steps[0].timeout_ms = 50;
    s.on_tell = check_without_output;
    scene_retries(&s, 1, timeout);
    PLAY(&s, { .step = 0, .ms = NEVER, .output = &late });
    expect_end(&s, PLAN_PARTIAL, 1);
    assert_non_null(strstr(s.log.s, "step_failed 0.1 STEP_TIMEOUT error"));
}

static void R_004_077_the_plan_s_time_holds_while_one_is_stopped(void **state)
{
    (void)state;
    for (int forced = 0; forced < 2; forced++) {
        _scene_ struct scene s;

        scene_set(&s, 3);
        s.steps[0].on_failure = ON_FAILURE_SKIP;
        s.steps[0].timeout_ms = 50;
        s.plan.timeout_ms = forced ? 60000 : 100;
        s.forced_at = forced ? s.clock.now_ms + 100 : NEVER;
        s.jobs = 2;
        s.stop_ms = 1000;
        scene_retries(&s, 1, timeout);
        PLAY(&s, { .step = 0, .ms = NEVER }, { .step = 1, .ms = NEVER });
        expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_started 1.1\nbegin 1.1\nstop 0\nstop 1\n"
                       "step_failed 0.1 STEP_TIMEOUT error\nstep_failed 1.1 PLAN_TIMEOUT fatal\n"
                       "persist failure\nplan_execution_failure\nrelease\nalarm PLAN_TIMEOUT\n");
        assert_true(s.end.result.duration_ms <= 1100);
    }
}

/* What is done on the spot takes time, which is not the next one's. */
static void R_004_179_a_step_s_time_begins_when_it_does(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.steps[1].timeout_ms = 50;
    s.jobs = 2;
    PLAY(&s, { .step = 0, .ms = 60, .hands_ms = 60 }, { .step = 1, .ms = 50 });
    expect_end(&s, PLAN_SUCCESS, 2);
}

static void R_004_077_nothing_is_begun_when_the_plan_s_time_is_over(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.plan.timeout_ms = 50;
    s.jobs = 2;
    PLAY(&s, { .step = 0, .ms = 70, .hands_ms = 60 });
    assert_null(strstr(s.log.s, "begin 1.1"));
    expect_code(s.decoded->error, "PLAN_TIMEOUT", SEVERITY_FATAL);
}

/* What it came to is recorded before it is heard of; the plan's time may be over by then, or be
 * said to be. */
static void R_004_136_A04_9_what_is_heard_of_after_the_plans_time_ended_in_time(void **state)
{
    static const struct {
        int64_t plan_ms, forced_ms;
        const char *end;
    } rows[] = { { 50, NEVER, "step_completed 0.1\n" },
                 { 49, NEVER, "step_failed 0.1 PLAN_TIMEOUT fatal\n" },
                 { 900, 50, "step_completed 0.1\n" },
                 { 900, 49, "step_failed 0.1 PLAN_TIMEOUT fatal\n" } };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool done = strstr(rows[i].end, "completed");
        _scene_ struct scene s;

        scene_set(&s, 2);
        s.plan.timeout_ms = rows[i].plan_ms;
        if (rows[i].forced_ms != NEVER)
            s.forced_at = s.clock.now_ms + rows[i].forced_ms;
        PLAY(&s, { .step = 0, .ms = 50, .told_ms = 100, .ends_itself = true });
        assert_non_null(strstr(s.log.s, rows[i].end));
        assert_null(strstr(s.log.s, "begin 1.1"));
        expect_end(&s, PLAN_FAILURE, done);
        check_is(s.decoded->error->error_code, "PLAN_TIMEOUT");
    }
}

/* Where that is the last step, it was not time that ended the plan. */
static void R_004_136_A04_9_when_all_ended_in_time_the_plan_did(void **state)
{
    (void)state;
    for (int forced = 0; forced < 2; forced++) {
        for (size_t n = 1; n <= 2; n++) {
            _scene_ struct scene s;

            scene_set(&s, n);
            s.plan.timeout_ms = forced ? 900 : 60;
            if (forced)
                s.forced_at = s.clock.now_ms + 60;
            s.steps[n - 1].on_failure = ON_FAILURE_SKIP;
            s.jobs = 2;
            PLAY(&s, { .step = 0, .ms = 50, .told_ms = 100 },
                 { .step = 1, .ms = 5, .code = CODE_STEP_FAILED });
            expect_end(&s, n == 1 ? PLAN_SUCCESS : PLAN_PARTIAL, 1);
            if (n == 2)
                expect_trace(&s, "STEP_FAILED STEP_SKIPPED");
        }
    }
}

/* The error of an attempt that was made again, and better, is overcome; that of no other is. */
static void R_004_111_A04_9_what_ended_in_time_overcomes_its_own_error(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 3);
    s.steps[0].on_failure = ON_FAILURE_SKIP;
    s.steps[1].on_failure = ON_FAILURE_RETRY;
    scene_retries(&s, 2, (const char *const[]){ "STEP_FAILED", NULL });
    s.plan.timeout_ms = 100;
    s.jobs = 2;
    PLAY(&s, { .step = 0, .ms = 30, .code = CODE_STEP_FAILED },
         { .step = 1, .attempt = 1, .ms = 5, .code = CODE_STEP_FAILED },
         { .step = 1, .attempt = 2, .ms = 50, .told_ms = 100 }, { .step = 2, .ms = NEVER });
    expect_end(&s, PLAN_FAILURE, 1);
    expect_trace(&s, "STEP_FAILED STEP_SKIPPED STEP_FAILED PLAN_TIMEOUT");
    expect_steps(&s, "failed_steps", "0");
    expect_steps(&s, "incomplete_steps", "0 2");
}

/* What ran beside a step that halts the plan, and was done, is done, also where it ended while it
 * was being stopped. */
static void R_004_135_what_was_done_beside_a_halt_counts(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 4);
    s.jobs = 4;
    PLAY(&s, { .step = 0, .ms = 50, .code = CODE_STEP_FAILED },
         { .step = 1, .ms = 50, .told_ms = 10 },
         { .step = 2, .ms = 52, .told_ms = 10, .ends_itself = true },
         { .step = 3, .ms = 53, .told_ms = 10 });
    expect_end(&s, PLAN_FAILURE, 2);
    expect_code(s.decoded->error, "EXECUTION_HALTED", SEVERITY_FATAL);
    expect_steps(&s, "incomplete_steps", "0 3");
    assert_non_null(strstr(s.log.s, "step_failed 3.1 EXECUTION_HALTED error\n"));
    assert_non_null(strstr(s.log.s, "step_completed 1.1\nstep_completed 2.1\npersist"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_004_179_a_timeout_comes_before_what_ends_later),
        cmocka_unit_test(R_004_179_each_is_stopped_when_its_own_time_is_over),
        cmocka_unit_test(R_004_179_of_two_that_are_due_the_first_of_the_list_is_stopped_first),
        cmocka_unit_test(R_004_179_what_is_said_too_late_is_not_told),
        cmocka_unit_test(R_004_077_the_plan_s_time_holds_while_one_is_stopped),
        cmocka_unit_test(R_004_179_a_step_s_time_begins_when_it_does),
        cmocka_unit_test(R_004_077_nothing_is_begun_when_the_plan_s_time_is_over),
        cmocka_unit_test(R_004_136_A04_9_what_is_heard_of_after_the_plans_time_ended_in_time),
        cmocka_unit_test(R_004_136_A04_9_when_all_ended_in_time_the_plan_did),
        cmocka_unit_test(R_004_111_A04_9_what_ended_in_time_overcomes_its_own_error),
        cmocka_unit_test(R_004_135_what_was_done_beside_a_halt_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
