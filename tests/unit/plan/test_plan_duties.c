/* SPDX-License-Identifier: Apache-2.0 */
/* test_plan_duties.c: what is done when a plan has ended, and in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/plan/scene.h"

static void R_004_093_R_004_094_R_004_096_R_004_097_R_004_098_R_004_099_R_004_100_R_004_101_success(
    void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    PLAY(&s, { .step = 0, .ms = 10 }, { .step = 1, .ms = 5 });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_completed 0.1\n"
                   "step_started 1.1\nbegin 1.1\nstep_completed 1.1\n"
                   "persist success\nplan_execution_success\ncomplete\nrelease\n");
    assert_string_equal(
        s.end.text.s, "{\"plan_id\":\"" PLAN_ID "\",\"execution_id\":\"" RUN_ID
                      "\",\"status\":\"success\",\"completed_at\":1766000015,\"duration_ms\":15,"
                      "\"steps_executed\":2,\"steps_total\":2,\"result_payload\":{\"steps\":{\"" ID0
                      "\":{},\"" ID1 "\":{}}}}");
}

static void R_004_110_R_004_119_R_004_120_partial(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.steps[0].on_failure = ON_FAILURE_SKIP;
    PLAY(&s, { .step = 0, .code = CODE_STEP_FAILED, .message = "exit 2" });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_failed 0.1 STEP_FAILED error\n"
                   "step_started 1.1\nbegin 1.1\nstep_completed 1.1\n"
                   "persist partial\nplan_execution_partial\nincomplete 0\nrelease\n");
    expect_trace(&s, "STEP_FAILED STEP_SKIPPED");
    expect_steps(&s, "failed_steps", "0");
    expect_steps(&s, "incomplete_steps", "0");
}

static void R_004_131_R_004_133_R_004_144_failure(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 3);
    s.jobs = 2;
    PLAY(&s, { .step = 0, .code = CODE_STEP_FAILED, .ms = 10 }, { .step = 1, .ms = NEVER });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_started 1.1\nbegin 1.1\n"
                   "step_failed 0.1 STEP_FAILED error\nstop 1\n"
                   "step_failed 1.1 EXECUTION_HALTED error\n"
                   "persist failure\nplan_execution_failure\nrelease\nalarm EXECUTION_HALTED\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            R_004_093_R_004_094_R_004_096_R_004_097_R_004_098_R_004_099_R_004_100_R_004_101_success),
        cmocka_unit_test(R_004_110_R_004_119_R_004_120_partial),
        cmocka_unit_test(R_004_131_R_004_133_R_004_144_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
