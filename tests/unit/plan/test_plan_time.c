/* SPDX-License-Identifier: Apache-2.0 */
/* test_plan_time.c: timeouts, deadlines and clocks that jump. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/plan/scene.h"

static const char *const timeout[] = { "STEP_TIMEOUT", NULL };

/* ---- a step's time ---- */

/* A04-4: fatal, though on_failure is skip; and what it says when it is stopped does not count. */
static void R_004_066_R_004_076_R_004_178_R_004_179_a_step_over_its_time_is_fatal(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.steps[0].on_failure = ON_FAILURE_SKIP;
    s.steps[0].timeout_ms = 50;
    PLAY(&s, { .step = 0, .ms = NEVER });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstop 0\nstep_failed 0.1 STEP_TIMEOUT fatal\n"
                   "persist failure\nplan_execution_failure\nrelease\nalarm STEP_TIMEOUT\n");
    expect_end(&s, PLAN_FAILURE, 0);
    expect_code(s.decoded->error, "STEP_TIMEOUT", SEVERITY_FATAL);
    check_is(s.decoded->error->step_id, ID0);
    check_is(s.decoded->error->message, "the attempt took longer than 50 ms");
    assert_int_equal(s.end.result.duration_ms, 50);
}

static void R_004_066_R_004_076_it_is_an_error_where_it_is_retryable(void **state)
{
    static const struct {
        int on_failure;
        enum plan_status status;
        const char *code;
    } rows[] = { { ON_FAILURE_SKIP, PLAN_PARTIAL, "STEP_TIMEOUT" },
                 { ON_FAILURE_RETRY, PLAN_PARTIAL, "STEP_TIMEOUT" },
                 { ON_FAILURE_HALT, PLAN_FAILURE, "EXECUTION_HALTED" } };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _scene_ struct scene s;

        scene_set(&s, 2);
        s.steps[0].on_failure = rows[i].on_failure;
        s.steps[0].timeout_ms = 50;
        scene_retries(&s, 1, timeout);
        PLAY(&s, { .step = 0, .ms = NEVER });
        assert_int_equal(s.end.result.status, rows[i].status);
        check_is(s.decoded->error->error_code, rows[i].code);
        assert_non_null(strstr(s.log.s, "step_failed 0.1 STEP_TIMEOUT error\n"));
    }
}

/* A04-31: each attempt has all of its time. */
static void R_004_027_R_004_181_a_timeout_is_tried_again_by_the_policy_alone(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 1);
    s.steps[0].on_failure = ON_FAILURE_RETRY;
    s.steps[0].timeout_ms = 50;
    scene_retries(&s, 3, timeout);
    s.retry.backoff_ms = 10;
    PLAY(&s, { .step = 0, .attempt = 3, .ms = 49 }, { .step = 0, .ms = NEVER });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstop 0\nstep_failed 0.1 STEP_TIMEOUT error\n"
                   "step_retries 0.2 +10\n"
                   "step_started 0.2\nbegin 0.2\nstop 0\nstep_failed 0.2 STEP_TIMEOUT error\n"
                   "step_retries 0.3 +10\n"
                   "step_started 0.3\nbegin 0.3\nstep_completed 0.3\n"
                   "persist success\nplan_execution_success\ncomplete\nrelease\n");
    assert_int_equal(s.end.result.duration_ms, 169);
}

/* What ends when its time does has ended in time. */
static void R_004_179_the_last_moment_is_in_time(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 1);
    s.steps[0].timeout_ms = 50;
    PLAY(&s, { .step = 0, .ms = 50 });
    expect_end(&s, PLAN_SUCCESS, 1);
}

/* What it came to is recorded before it is heard of, and that may take long. */
static void R_004_179_A04_9_what_is_heard_of_late_ended_in_time(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.steps[0].timeout_ms = 50;
    PLAY(&s, { .step = 0, .ms = 50, .told_ms = 100 });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstop 0\nstep_completed 0.1\n"
                   "step_started 1.1\nbegin 1.1\nstep_completed 1.1\n"
                   "persist success\nplan_execution_success\ncomplete\nrelease\n");
    expect_end(&s, PLAN_SUCCESS, 2);
}

/* What is done on the spot cannot be stopped; it is late all the same. */
static void R_004_076_R_004_077_R_004_178_what_is_late_is_late_though_nobody_stopped_it(
    void **state)
{
    static const struct {
        int64_t step_ms, plan_ms;
        const char *code;
    } rows[] = { { 50, 300, "STEP_TIMEOUT" },
                 { 200, 50, "PLAN_TIMEOUT" },
                 { 50, 60, "STEP_TIMEOUT" } };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _scene_ struct scene s;

        scene_set(&s, 1);
        s.steps[0].timeout_ms = rows[i].step_ms;
        s.plan.timeout_ms = rows[i].plan_ms;
        PLAY(&s, { .step = 0, .ms = 99, .told_ms = 1, .hands_ms = 100 });
        expect_end(&s, PLAN_FAILURE, 0);
        expect_code(s.decoded->error, rows[i].code, SEVERITY_FATAL);
        assert_null(strstr(s.log.s, "stop 0"));
    }
}

/* Hands that hold the time themselves say so. */
static void R_004_076_hands_may_report_the_timeout_themselves(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.steps[0].timeout_ms = 50;
    PLAY(&s, { .step = 0, .code = CODE_STEP_TIMEOUT, .ms = 50, .message = "killed" });
    assert_int_equal(s.last_budget, 50);
    expect_code(s.decoded->error, "STEP_TIMEOUT", SEVERITY_FATAL);
    check_is(s.decoded->error->message, "killed");
}

static void R_004_133_what_ended_beside_a_fatal_timeout_does_not_count(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 3);
    s.steps[0].timeout_ms = 50;
    s.jobs = 3;
    s.stop_ms = 10;
    PLAY(&s, { .step = 0, .ms = NEVER }, { .step = 1, .ms = 55 }, { .step = 2, .ms = NEVER });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_started 1.1\nbegin 1.1\n"
                   "step_started 2.1\nbegin 2.1\nstop 0\n"
                   "step_failed 0.1 STEP_TIMEOUT fatal\n"
                   "step_failed 1.1 EXECUTION_HALTED error\n"
                   "stop 2\nstep_failed 2.1 EXECUTION_HALTED error\n"
                   "persist failure\nplan_execution_failure\nrelease\nalarm STEP_TIMEOUT\n");
    expect_end(&s, PLAN_FAILURE, 0);
}

/* Two at the same time: the first of the list, and then the other. */
static void R_004_179_of_two_that_are_due_the_first_of_the_list_goes_first(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 3);
    scene_policies(&s, (int[]){ ON_FAILURE_SKIP, ON_FAILURE_SKIP, ON_FAILURE_HALT });
    s.steps[0].timeout_ms = s.steps[1].timeout_ms = 50;
    s.jobs = 2;
    scene_retries(&s, 1, timeout);
    PLAY(&s, { .step = 0, .ms = NEVER }, { .step = 1, .ms = NEVER });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_started 1.1\nbegin 1.1\n"
                   "stop 0\nstep_failed 0.1 STEP_TIMEOUT error\n"
                   "stop 1\nstep_failed 1.1 STEP_TIMEOUT error\n"
                   "step_started 2.1\nbegin 2.1\nstep_completed 2.1\n"
                   "persist partial\nplan_execution_partial\nincomplete 0 1\nrelease\n");
}

/* ---- the plan's time ---- */

struct time_row {
    int64_t plan_ms;     /* the plan's timeout_ms */
    int64_t deadline_ms; /* from started_at */
    int64_t step_ms;     /* the second step's timeout_ms */
    int64_t late_ms;     /* between started_at and the beginning */
    const char *code;
    int64_t duration_ms, budget_ms;
};

/* The first step takes 60 ms, the second for ever. */
static const struct time_row times[] = {
    { 100, 100, 0, 0, "PLAN_TIMEOUT", 100, 40 },
    { 100, 500, 0, 0, "PLAN_TIMEOUT", 100, 40 },
    { 100, 500, 41, 0, "PLAN_TIMEOUT", 100, 40 },
    { 100, 500, 40, 0, "PLAN_TIMEOUT", 100, 40 },
    { 100, 500, 39, 0, "STEP_TIMEOUT", 99, 39 },
    { 100, 110, 0, 10, "PLAN_TIMEOUT", 100, 40 },
    { 100, 109, 0, 10, "DEADLINE_EXCEEDED", 99, 39 },
    { 100, 109, 39, 10, "DEADLINE_EXCEEDED", 99, 39 },
    { 100, 109, 38, 10, "STEP_TIMEOUT", 98, 38 },
};

static void
R_004_011_R_004_031_R_004_068_R_004_077_R_004_078_R_004_128_R_004_129_the_first_time_wins(
    void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(times); i++) {
        const struct time_row *row = &times[i];
        _scene_ struct scene s;

        scene_set(&s, 3);
        s.plan.timeout_ms = row->plan_ms;
        s.context.deadline_ms = s.context.started_at + row->deadline_ms;
        s.wall_jump = row->late_ms;
        s.steps[1].timeout_ms = row->step_ms;
        PLAY(&s, { .step = 0, .ms = 60 }, { .step = 1, .ms = NEVER });
        expect_end(&s, PLAN_FAILURE, 1);
        expect_code(s.decoded->error, row->code, SEVERITY_FATAL);
        assert_null(s.decoded->error->cause);
        assert_int_equal(s.end.result.duration_ms, row->duration_ms);
        assert_int_equal(s.last_budget, row->budget_ms);
        expect_steps(&s, "incomplete_steps", "1 2");
        assert_non_null(strstr(s.log.s, "stop 1\n"));
    }
}

/* The time of a plan is nobody's step. */
static void R_004_057_R_004_077_R_004_180_the_plans_time_is_the_plans_error(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 3);
    s.plan.timeout_ms = 100;
    s.jobs = 2;
    PLAY(&s, { .step = 0, .ms = NEVER }, { .step = 1, .ms = NEVER });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_started 1.1\nbegin 1.1\nstop 0\nstop 1\n"
                   "step_failed 0.1 PLAN_TIMEOUT fatal\nstep_failed 1.1 PLAN_TIMEOUT fatal\n"
                   "persist failure\nplan_execution_failure\nrelease\nalarm PLAN_TIMEOUT\n");
    assert_null(s.decoded->error->step_id.s);
    check_is(s.decoded->error->message, "the plan took longer than 100 ms");
    expect_trace(&s, "PLAN_TIMEOUT");
    expect_steps(&s, "failed_steps", "");
    expect_steps(&s, "incomplete_steps", "0 1 2");
}

/* A04-9: done before is done; the last step done before is a success. */
static void R_004_136_what_ended_in_time_counts(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 2; n++) {
        _scene_ struct scene s;

        scene_set(&s, n);
        s.plan.timeout_ms = 100;
        PLAY(&s, { .step = 0, .ms = 100 });
        expect_end(&s, n == 1 ? PLAN_SUCCESS : PLAN_FAILURE, 1);
        if (n == 2)
            expect_code(s.decoded->error, "PLAN_TIMEOUT", SEVERITY_FATAL);
        assert_null(strstr(s.log.s, "begin 1"));
    }
}

/* Several may have ended by then; all of them are taken. */
static void R_004_136_all_that_ended_in_time_count(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 4);
    s.plan.timeout_ms = 100;
    s.jobs = 3;
    PLAY(&s, { .step = 0, .ms = 100 }, { .step = 1, .ms = 100 }, { .step = 2, .ms = NEVER });
    expect_end(&s, PLAN_FAILURE, 2);
    expect_steps(&s, "incomplete_steps", "2 3");
}

/* A04-31: waiting is the plan's time, not the step's. The attempt's error is not lost. */
static void R_004_180_the_plans_time_is_up_while_a_step_waits(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.plan.timeout_ms = 100;
    s.steps[0].on_failure = ON_FAILURE_RETRY;
    scene_retries(&s, 2, (const char *const[]){ "STEP_FAILED", NULL });
    s.retry.backoff_ms = 95;
    PLAY(&s, { .step = 0, .code = CODE_STEP_FAILED, .ms = 5 });
    expect_code(s.decoded->error, "PLAN_TIMEOUT", SEVERITY_FATAL);
    expect_trace(&s, "STEP_FAILED PLAN_TIMEOUT");
    expect_steps(&s, "failed_steps", "0");
    assert_null(strstr(s.log.s, "begin 0.2"));
    assert_int_equal(s.end.result.duration_ms, 100);
}

/* The budget was the plan's, so it was the plan's time that was up. */
static void R_004_077_hands_cannot_know_whose_time_it_was(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.plan.timeout_ms = 100;
    scene_retries(&s, 2, timeout);
    PLAY(&s, { .step = 0, .code = CODE_STEP_TIMEOUT, .ms = 100 });
    assert_int_equal(s.last_budget, 100);
    expect_code(s.decoded->error, "PLAN_TIMEOUT", SEVERITY_FATAL);
    expect_trace(&s, "PLAN_TIMEOUT");
}

static void R_004_078_a_deadline_that_has_passed_lets_nothing_begin(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.wall_jump = 300000;
    PLAY(&s, { .step = 0 });
    expect_log(&s, "persist failure\nplan_execution_failure\nrelease\nalarm DEADLINE_EXCEEDED\n");
    check_is(s.decoded->error->message, "deadline_ms, 1766300000, has passed");
}

/* ---- it can be told that its time is up, and nothing else ---- */

static void R_004_198_R_004_199_R_004_200_time_can_be_forced(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 3);
    s.forced_at = SCENE_START + 30;
    PLAY(&s, { .step = 0, .ms = 10 }, { .step = 1, .ms = NEVER });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_completed 0.1\nstep_started 1.1\nbegin 1.1\n"
                   "stop 1\nstep_failed 1.1 PLAN_TIMEOUT fatal\n"
                   "persist failure\nplan_execution_failure\nrelease\nalarm PLAN_TIMEOUT\n");
    expect_end(&s, PLAN_FAILURE, 1);
    check_is(s.decoded->error->message, "the plan was told that its time is up");
    assert_int_equal(s.end.result.duration_ms, 30);
}

static void R_004_199_what_has_ended_by_then_counts(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 1);
    s.forced_at = SCENE_START + 10;
    PLAY(&s, { .step = 0, .ms = 10 });
    expect_end(&s, PLAN_SUCCESS, 1);
}

static void R_004_199_a_step_that_waits_is_not_tried_again(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 1);
    s.forced_at = SCENE_START + 20;
    s.steps[0].on_failure = ON_FAILURE_RETRY;
    scene_retries(&s, 2, (const char *const[]){ "STEP_FAILED", NULL });
    s.retry.backoff_ms = 1000;
    PLAY(&s, { .step = 0, .code = CODE_STEP_FAILED });
    expect_code(s.decoded->error, "PLAN_TIMEOUT", SEVERITY_FATAL);
    assert_null(strstr(s.log.s, "begin 0.2"));
}

/* Told while a step that took too long is being stopped. */
static void R_004_199_it_is_not_forgotten_while_a_step_is_stopped(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.steps[0].on_failure = ON_FAILURE_SKIP;
    s.steps[0].timeout_ms = 50;
    s.stop_ms = 10;
    s.forced_at = SCENE_START + 55;
    scene_retries(&s, 1, timeout);
    PLAY(&s, { .step = 0, .ms = NEVER });
    expect_trace(&s, "STEP_TIMEOUT STEP_SKIPPED PLAN_TIMEOUT");
    assert_null(strstr(s.log.s, "begin 1"));
}

/* ---- clocks that jump ---- */

static void R_004_031_R_004_078_a_jump_of_the_wall_clock_is_seen_soon(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 1);
    s.jumps_at = SCENE_START + 1500;
    s.jumps_by = 3600000;
    PLAY(&s, { .step = 0, .ms = NEVER });
    expect_code(s.decoded->error, "DEADLINE_EXCEEDED", SEVERITY_FATAL);
    assert_in_range(s.end.result.duration_ms, 1500, 2500);
    assert_in_range(s.longest_wait, 1, 1000);
}

static void R_004_046_R_004_047_R_004_232_a_wall_clock_that_went_back(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 1);
    s.jumps_at = SCENE_START + 5;
    s.jumps_by = -3600000;
    PLAY(&s, { .step = 0, .ms = 20 });
    expect_end(&s, PLAN_SUCCESS, 1);
    assert_int_equal(s.end.result.completed_at, s.context.started_at);
    assert_int_equal(s.end.result.duration_ms, 20);
}

/* The plan's own time does not care. */
static void R_004_077_R_004_129_the_plans_time_is_on_the_other_clock(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 1);
    s.plan.timeout_ms = 5000;
    s.jumps_at = SCENE_START + 5;
    s.jumps_by = -3600000;
    PLAY(&s, { .step = 0, .ms = NEVER });
    expect_code(s.decoded->error, "PLAN_TIMEOUT", SEVERITY_FATAL);
    assert_int_equal(s.end.result.duration_ms, 5000);
}

/* Both have passed when somebody looks: the one that passed first. */
static void R_004_077_R_004_078_of_two_that_have_passed_the_first_wins(void **state)
{
    for (int64_t by = 299890; by <= 299910; by += 20) {
        _scene_ struct scene s;

        (void)state;
        scene_set(&s, 1);
        s.plan.timeout_ms = 100;
        s.jumps_at = SCENE_START + 100;
        s.jumps_by = by;
        PLAY(&s, { .step = 0, .ms = NEVER });
        expect_code(s.decoded->error, by > 299900 ? "DEADLINE_EXCEEDED" : "PLAN_TIMEOUT",
                    SEVERITY_FATAL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_004_066_R_004_076_R_004_178_R_004_179_a_step_over_its_time_is_fatal),
        cmocka_unit_test(R_004_066_R_004_076_it_is_an_error_where_it_is_retryable),
        cmocka_unit_test(R_004_027_R_004_181_a_timeout_is_tried_again_by_the_policy_alone),
        cmocka_unit_test(R_004_179_the_last_moment_is_in_time),
        cmocka_unit_test(R_004_179_A04_9_what_is_heard_of_late_ended_in_time),
        cmocka_unit_test(
            R_004_076_R_004_077_R_004_178_what_is_late_is_late_though_nobody_stopped_it),
        cmocka_unit_test(R_004_076_hands_may_report_the_timeout_themselves),
        cmocka_unit_test(R_004_133_what_ended_beside_a_fatal_timeout_does_not_count),
        cmocka_unit_test(R_004_179_of_two_that_are_due_the_first_of_the_list_goes_first),
        cmocka_unit_test(
            R_004_011_R_004_031_R_004_068_R_004_077_R_004_078_R_004_128_R_004_129_the_first_time_wins),
        cmocka_unit_test(R_004_057_R_004_077_R_004_180_the_plans_time_is_the_plans_error),
        cmocka_unit_test(R_004_136_what_ended_in_time_counts),
        cmocka_unit_test(R_004_136_all_that_ended_in_time_count),
        cmocka_unit_test(R_004_180_the_plans_time_is_up_while_a_step_waits),
        cmocka_unit_test(R_004_077_hands_cannot_know_whose_time_it_was),
        cmocka_unit_test(R_004_078_a_deadline_that_has_passed_lets_nothing_begin),
        cmocka_unit_test(R_004_198_R_004_199_R_004_200_time_can_be_forced),
        cmocka_unit_test(R_004_199_what_has_ended_by_then_counts),
        cmocka_unit_test(R_004_199_a_step_that_waits_is_not_tried_again),
        cmocka_unit_test(R_004_199_it_is_not_forgotten_while_a_step_is_stopped),
        cmocka_unit_test(R_004_031_R_004_078_a_jump_of_the_wall_clock_is_seen_soon),
        cmocka_unit_test(R_004_046_R_004_047_R_004_232_a_wall_clock_that_went_back),
        cmocka_unit_test(R_004_077_R_004_129_the_plans_time_is_on_the_other_clock),
        cmocka_unit_test(R_004_077_R_004_078_of_two_that_have_passed_the_first_wins),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
