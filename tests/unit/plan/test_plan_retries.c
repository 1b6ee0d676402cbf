/* SPDX-License-Identifier: Apache-2.0 */
/* test_plan_retries.c: steps that are tried again: when, how often, and the errors that stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/trace.h"
#include "unit/plan/scene.h"

static const char *const step_failed[] = { "STEP_FAILED", NULL };

static void R_004_016_R_004_017_R_004_018_R_004_019_R_004_104_R_004_151_retries_wait(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.steps[0].on_failure = ON_FAILURE_RETRY;
    scene_retries(&s, 5, step_failed);
    s.retry.backoff_ms = 100;
    s.retry.backoff_multiplier = 2;
    s.retry.max_backoff_ms = 300;
    PLAY(&s, { .step = 0, .attempt = 5 }, { .step = 0, .code = CODE_STEP_FAILED, .ms = 1 });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_failed 0.1 STEP_FAILED error\n"
                   "step_retries 0.2 +100\nstep_started 0.2\nbegin 0.2\n"
                   "step_failed 0.2 STEP_FAILED error\n"
                   "step_retries 0.3 +200\nstep_started 0.3\nbegin 0.3\n"
                   "step_failed 0.3 STEP_FAILED error\n"
                   "step_retries 0.4 +300\nstep_started 0.4\nbegin 0.4\n"
                   "step_failed 0.4 STEP_FAILED error\n"
                   "step_retries 0.5 +300\nstep_started 0.5\nbegin 0.5\nstep_completed 0.5\n"
                   "step_started 1.1\nbegin 1.1\nstep_completed 1.1\n"
                   "persist success\nplan_execution_success\ncomplete\nrelease\n");
    expect_end(&s, PLAN_SUCCESS, 2);
    assert_int_equal(s.end.result.duration_ms, 904);
}

/* The errors before it stand in the payload, for a success has no error. */
static void R_004_111_a_success_keeps_the_errors_of_attempts_before_it(void **state)
{
    for (int jobs = 1; jobs <= 2; jobs++) {
        _scene_ struct scene s;

        (void)state;
        scene_set(&s, 2);
        s.jobs = jobs;
        s.steps[0].on_failure = ON_FAILURE_RETRY;
        scene_retries(&s, 5, step_failed);
        PLAY(&s, { .step = 0, .attempt = 1, .code = CODE_STEP_FAILED, .message = "exit 7" },
             { .step = 0, .attempt = 2, .code = CODE_STEP_FAILED, .message = "exit 8" });
        expect_end(&s, PLAN_SUCCESS, 2);
        assert_null(s.decoded->error);
        expect_text(&s,
                    "\"retried_errors\":[{\"error_code\":\"STEP_FAILED\",\"message\":\"exit 7\","
                    "\"step_id\":\"" ID0 "\",\"severity\":\"error\",\"recoverable\":true,"
                    "\"cause\":null,\"context\":{\"attempt\":1}},{\"error_code\":\"STEP_FAILED\","
                    "\"message\":\"exit 8\",\"step_id\":\"" ID0 "\",\"severity\":\"error\","
                    "\"recoverable\":true,\"cause\":null,\"context\":{\"attempt\":2}}]}");
        assert_null(strstr(s.end.text.s, "\"warnings\""));
    }
}

/* They are in the trace of a plan that another step kept from success, and not why. */
static void R_004_110_R_004_111_R_004_139_what_was_overcome_is_not_the_primary_error(void **state)
{
    for (int halts = 0; halts <= 1; halts++) {
        _scene_ struct scene s;

        (void)state;
        scene_set(&s, 3);
        s.steps[0].on_failure = ON_FAILURE_RETRY;
        s.steps[1].on_failure = halts ? ON_FAILURE_HALT : ON_FAILURE_SKIP;
        scene_retries(&s, 2, step_failed);
        PLAY(&s, { .step = 0, .attempt = 1, .code = CODE_STEP_FAILED, .message = "exit 7" },
             { .step = 1, .code = CODE_COMMAND_FAILED, .message = "exit 1" });
        expect_end(&s, halts ? PLAN_FAILURE : PLAN_PARTIAL, halts ? 1 : 2);
        expect_trace(&s, halts ? "STEP_FAILED command_failed EXECUTION_HALTED"
                               : "STEP_FAILED command_failed STEP_SKIPPED");
        expect_steps(&s, "failed_steps", "1");
        expect_code(halts ? s.decoded->error->cause : s.decoded->error, "command_failed",
                    SEVERITY_ERROR);
        expect_text(&s,
                    "\"retried_errors\":[{\"error_code\":\"STEP_FAILED\",\"message\":\"exit 7\"");
    }
}

/* The time of the plan ends while a step waits to be tried again: what its attempts said stays. */
static void R_004_139_a_failure_has_the_errors_of_all_attempts(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 1);
    s.steps[0].on_failure = ON_FAILURE_RETRY;
    scene_retries(&s, 9, step_failed);
    s.retry.backoff_ms = 40;
    s.plan.timeout_ms = 100;
    PLAY(&s, { .step = 0, .code = CODE_STEP_FAILED });
    expect_end(&s, PLAN_FAILURE, 0);
    expect_trace(&s, "STEP_FAILED STEP_FAILED STEP_FAILED PLAN_TIMEOUT");
    expect_steps(&s, "failed_steps", "0");
}

/* A result is not larger than one may be: the plan ends, and no error of an attempt is lost. */
static void R_004_072_R_004_111_more_attempts_than_a_result_may_tell_of_end_the_plan(void **state)
{
    const struct doc *errors;
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.steps[0].on_failure = ON_FAILURE_RETRY;
    scene_retries(&s, 10 * (int64_t)TRACE_MAX, step_failed);
    s.plan.timeout_ms = 1 << 30;
    PLAY(&s, { .step = 0, .code = CODE_STEP_FAILED });
    expect_end(&s, PLAN_FAILURE, 0);
    expect_code(s.decoded->error, "RESOURCE_EXHAUSTED", SEVERITY_FATAL);
    errors = doc_get(s.decoded->error->context, "errors");
    assert_int_equal(errors->count, TRACE_MAX + 1);
}

static void R_004_107_a_step_whose_attempts_are_used_up_is_skipped(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.steps[0].on_failure = ON_FAILURE_RETRY;
    scene_retries(&s, 3, step_failed);
    PLAY(&s, { .step = 0, .code = CODE_STEP_FAILED });
    expect_end(&s, PLAN_PARTIAL, 1);
    expect_trace(&s, "STEP_FAILED STEP_FAILED STEP_FAILED STEP_SKIPPED");
    expect_steps(&s, "failed_steps", "0");
    expect_text(&s, "\"all 3 attempts have failed\"");
    assert_non_null(strstr(s.log.s, "begin 0.3\n"));
    assert_null(strstr(s.log.s, "begin 0.4\n"));
}

/* A04-22: the first of them is the primary one. */
static void R_004_111_the_errors_of_all_attempts_stand_in_the_trace(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.steps[0].on_failure = ON_FAILURE_RETRY;
    scene_retries(&s, 5, step_failed);
    PLAY(&s, { .step = 0, .attempt = 1, .code = CODE_STEP_FAILED },
         { .step = 0, .attempt = 2, .code = CODE_COMMAND_FAILED });
    expect_end(&s, PLAN_PARTIAL, 1);
    expect_trace(&s, "STEP_FAILED command_failed STEP_SKIPPED");
    expect_code(s.decoded->error, "STEP_FAILED", SEVERITY_ERROR);
    expect_text(&s, "\"command_failed is not among retryable_error_codes\"");
}

static const struct {
    int on_failure;
    const char *const *listed;
    int64_t attempts;
    enum code code;
} not_retried[] = {
    { ON_FAILURE_RETRY, (const char *const[]){ NULL }, 3, CODE_STEP_FAILED },
    { ON_FAILURE_RETRY, (const char *const[]){ "COMMAND_FAILED", NULL }, 3, CODE_STEP_FAILED },
    { ON_FAILURE_RETRY, step_failed, 1, CODE_STEP_FAILED },
    { ON_FAILURE_SKIP, step_failed, 3, CODE_STEP_FAILED },
    { ON_FAILURE_HALT, step_failed, 3, CODE_STEP_FAILED },
    { ON_FAILURE_RETRY, (const char *const[]){ "UNKNOWN_ERROR", NULL }, 3, CODE_UNKNOWN_ERROR },
    { ON_FAILURE_RETRY, (const char *const[]){ "rch_unavailable", NULL }, 3, CODE_RCH_UNAVAILABLE },
};

/* A04-5, A04-35 */
static void R_004_020_only_listed_codes_of_steps_that_retry_are_tried_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(not_retried); i++) {
        _scene_ struct scene s;
        struct act act = { .step = 0, .code = not_retried[i].code };

        scene_set(&s, 2);
        s.steps[0].on_failure = not_retried[i].on_failure;
        scene_retries(&s, not_retried[i].attempts, not_retried[i].listed);
        scene_play(&s, &act, 1);
        assert_null(strstr(s.log.s, "begin 0.2"));
        assert_null(strstr(s.log.s, "retries"));
    }
}

static void R_004_012_a_plan_without_a_policy_retries_nothing(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.steps[0].on_failure = ON_FAILURE_RETRY;
    s.plan.retry_policy = NULL;
    PLAY(&s, { .step = 0, .code = CODE_STEP_FAILED });
    expect_end(&s, PLAN_PARTIAL, 1);
}

/* One at a time means the same order every time, so who waits to be tried again keeps its place. */
static void R_004_159_R_004_202_a_step_that_waits_keeps_its_place(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 4);
    s.steps[0].on_failure = ON_FAILURE_RETRY;
    s.jobs = 2;
    scene_retries(&s, 2, step_failed);
    s.retry.backoff_ms = 50;
    PLAY(&s, { .step = 0, .attempt = 1, .code = CODE_STEP_FAILED, .ms = 5 },
         { .step = 1, .ms = 10 }, { .step = 2, .ms = 10 }, { .step = 3, .ms = 60 });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_started 1.1\nbegin 1.1\n"
                   "step_failed 0.1 STEP_FAILED error\nstep_retries 0.2 +50\n"
                   "step_completed 1.1\nstep_started 2.1\nbegin 2.1\n"
                   "step_completed 2.1\nstep_started 3.1\nbegin 3.1\n"
                   "step_started 0.2\nbegin 0.2\nstep_completed 0.2\nstep_completed 3.1\n"
                   "persist success\nplan_execution_success\ncomplete\nrelease\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_004_016_R_004_017_R_004_018_R_004_019_R_004_104_R_004_151_retries_wait),
        cmocka_unit_test(R_004_111_a_success_keeps_the_errors_of_attempts_before_it),
        cmocka_unit_test(R_004_110_R_004_111_R_004_139_what_was_overcome_is_not_the_primary_error),
        cmocka_unit_test(R_004_139_a_failure_has_the_errors_of_all_attempts),
        cmocka_unit_test(R_004_072_R_004_111_more_attempts_than_a_result_may_tell_of_end_the_plan),
        cmocka_unit_test(R_004_107_a_step_whose_attempts_are_used_up_is_skipped),
        cmocka_unit_test(R_004_111_the_errors_of_all_attempts_stand_in_the_trace),
        cmocka_unit_test(R_004_020_only_listed_codes_of_steps_that_retry_are_tried_again),
        cmocka_unit_test(R_004_012_a_plan_without_a_policy_retries_nothing),
        cmocka_unit_test(R_004_159_R_004_202_a_step_that_waits_keeps_its_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
