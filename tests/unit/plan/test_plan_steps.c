/* SPDX-License-Identifier: Apache-2.0 */
/* test_plan_steps.c: what the end of a step means: on_failure, severities, dependencies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/plan/scene.h"

/* ---- success ---- */

static void R_004_048_R_004_049_R_004_052_R_004_091_R_004_105_all_completed_is_a_success(
    void **state)
{
    (void)state;
    for (size_t n = 1; n <= 5; n++) {
        _scene_ struct scene s;

        scene_set(&s, n);
        PLAY(&s, { .step = 0, .ms = 1 });
        expect_end(&s, PLAN_SUCCESS, (int64_t)n);
        assert_int_equal(s.end.result.steps_total, n);
        assert_null(s.decoded->error);
    }
}

/* A code of contract 000 that is only a warning. */
static void R_004_062_R_004_091_warnings_alone_are_a_success(void **state)
{
    _scene_ struct scene s;

    (void)state;
    assert_int_equal(code_severity(CODE_RCH_UNAVAILABLE, false), SEVERITY_WARN);
    scene_set(&s, 2);
    PLAY(&s, { .step = 0, .code = CODE_RCH_UNAVAILABLE, .message = "run locally" });
    expect_end(&s, PLAN_SUCCESS, 2);
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_completed 0.1\n"
                   "step_started 1.1\nbegin 1.1\nstep_completed 1.1\n"
                   "persist success\nplan_execution_success\ncomplete\nrelease\n");
    expect_text(&s, "\"warnings\":[{\"error_code\":\"rch_unavailable\",\"message\":\"run locally\","
                    "\"step_id\":\"" ID0 "\",\"severity\":\"warn\",\"recoverable\":true,"
                    "\"cause\":null,\"context\":{}}]},\"error\":null}");
}

/* ---- skip ---- */

static void R_004_053_R_004_063_R_004_083_R_004_106_R_004_107_R_004_109_skip_goes_on(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 3);
    s.steps[1].on_failure = ON_FAILURE_SKIP;
    PLAY(&s, { .step = 1, .code = CODE_STEP_FAILED, .message = "exit 2" });
    expect_end(&s, PLAN_PARTIAL, 2);
    expect_trace(&s, "STEP_FAILED STEP_SKIPPED");
    expect_steps(&s, "failed_steps", "1");
    expect_steps(&s, "incomplete_steps", "1");
    expect_text(&s, "{\"error_code\":\"STEP_SKIPPED\",\"message\":\"on_failure is skip\","
                    "\"step_id\":\"" ID1 "\",\"severity\":\"warn\",\"recoverable\":true,"
                    "\"cause\":null,\"context\":{}}");
}

/* A04-22: the first, as it happened, not as the plan lists them. */
static void R_004_111_R_004_121_the_primary_error_is_the_first_of_the_plan(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 3);
    scene_policies(&s, (int[]){ ON_FAILURE_SKIP, ON_FAILURE_SKIP, ON_FAILURE_HALT });
    s.jobs = 2;
    PLAY(&s, { .step = 0, .code = CODE_STEP_FAILED, .ms = 20, .message = "late" },
         { .step = 1, .code = CODE_COMMAND_FAILED, .ms = 10, .message = "early" });
    expect_end(&s, PLAN_PARTIAL, 1);
    expect_code(s.decoded->error, "STEP_FAILED", SEVERITY_ERROR); /* as with one job: A04-7 */
    check_is(s.decoded->error->message, "late");
    check_is(s.decoded->error->step_id, ID0);
    assert_null(s.decoded->error->cause);
    expect_steps(&s, "failed_steps", "0 1");
    expect_steps(&s, "incomplete_steps", "0 1");
}

/* A04-2 */
static void R_004_054_R_004_108_R_004_132_nothing_completed_is_a_failure(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    scene_policies(&s, (int[]){ ON_FAILURE_SKIP, ON_FAILURE_RETRY });
    PLAY(&s, { .step = 0, .code = CODE_STEP_FAILED, .message = "exit 2" },
         { .step = 1, .code = CODE_COMMAND_FAILED });
    expect_end(&s, PLAN_FAILURE, 0);
    expect_code(s.decoded->error, "STEP_FAILED", SEVERITY_FATAL);
    check_is(s.decoded->error->message, "exit 2");
    check_is(s.decoded->error->step_id, ID0);
    expect_code(s.decoded->error->cause, "STEP_FAILED", SEVERITY_ERROR);
    assert_null(s.decoded->error->cause->cause);
    expect_trace(&s, "STEP_FAILED STEP_SKIPPED command_failed STEP_SKIPPED");
}

/* ---- halt ---- */

static void R_004_071_R_004_082_R_004_127_R_004_137_R_004_145_halt_ends_the_plan(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 3);
    PLAY(&s, { .step = 1, .code = CODE_STEP_FAILED, .message = "exit 2" });
    expect_end(&s, PLAN_FAILURE, 1);
    expect_code(s.decoded->error, "EXECUTION_HALTED", SEVERITY_FATAL);
    assert_null(s.decoded->error->step_id.s);
    expect_code(s.decoded->error->cause, "STEP_FAILED", SEVERITY_ERROR);
    check_is(s.decoded->error->cause->step_id, ID1);
    check_is(s.decoded->error->cause->message, "exit 2");
    expect_trace(&s, "STEP_FAILED EXECUTION_HALTED");
    expect_text(&s,
                "{\"error_code\":\"EXECUTION_HALTED\",\"message\":\"step " ID1
                " failed, and its on_failure is halt\",\"step_id\":null,\"severity\":\"error\"");
    expect_steps(&s, "incomplete_steps", "1 2");
    assert_null(strstr(s.log.s, "begin 2"));
}

/* What runs beside it is stopped and does not count, though it says that it is done. */
static void R_004_133_R_004_135_R_004_146_what_is_stopped_does_not_count(void **state)
{
    for (int jobs = 2; jobs <= 4; jobs++) {
        _scene_ struct scene s;

        (void)state;
        scene_set(&s, 4);
        s.jobs = jobs;
        PLAY(&s, { .step = 0, .code = CODE_STEP_FAILED, .ms = 5 }, { .step = 1, .ms = NEVER },
             { .step = 2, .ms = NEVER }, { .step = 3, .ms = NEVER });
        expect_end(&s, PLAN_FAILURE, 0);
        expect_text(&s, "\"result_payload\":{\"steps\":{}}");
        expect_steps(&s, "failed_steps", "0");
        expect_steps(&s, "incomplete_steps", "0 1 2 3");
        assert_int_equal(s.most_flights, jobs);
        assert_non_null(strstr(s.log.s, "stop 1\n"));
    }
}

/* ---- fatal codes ---- */

static void R_004_064_R_004_072_R_004_081_R_004_084_R_004_126_R_004_163_fatal_ends_the_plan(
    void **state)
{
    static const enum code fatal[] = { CODE_INVALID_PAYLOAD, CODE_RESOURCE_EXHAUSTED,
                                       CODE_UNKNOWN_ERROR, CODE_ACTION_NOT_FOUND,
                                       CODE_CONTEXT_MISSING };

    (void)state;
    for (size_t i = 0; i < COUNT(fatal); i++) {
        for (int on_failure = ON_FAILURE_HALT; on_failure <= ON_FAILURE_RETRY; on_failure++) {
            _scene_ struct scene s;
            struct act act = { .step = 1, .code = fatal[i], .message = "no" };

            scene_set(&s, 3);
            s.steps[1].on_failure = on_failure;
            scene_retries(&s, 3, (const char *const[]){ codes[fatal[i]].name, NULL });
            scene_play(&s, &act, 1);
            expect_end(&s, PLAN_FAILURE, 1);
            expect_code(s.decoded->error, codes[fatal[i]].name, SEVERITY_FATAL);
            check_is(s.decoded->error->step_id, ID1);
            assert_null(s.decoded->error->cause);
            expect_trace(&s, codes[fatal[i]].name);
            assert_null(strstr(s.log.s, "begin 2"));
        }
    }
}

/* Whatever code an attempt ends with, it is taken as it is, and the result is right. */
static void R_004_055_R_004_059_R_004_073_every_code_is_taken_as_it_is(void **state)
{
    static const int64_t executed[] = { [SEVERITY_WARN] = 2, [SEVERITY_ERROR] = 1 };
    static const enum plan_status statuses[] = { [SEVERITY_WARN] = PLAN_SUCCESS,
                                                 [SEVERITY_ERROR] = PLAN_PARTIAL,
                                                 [SEVERITY_FATAL] = PLAN_FAILURE };

    (void)state;
    for (int code = CODE_NONE + 1; code < CODE_COUNT; code++) {
        enum severity severity = code_severity((enum code)code, false);
        struct act act = { .step = 0, .code = (enum code)code };
        _scene_ struct scene s;

        scene_set(&s, 2);
        s.steps[0].on_failure = ON_FAILURE_SKIP;
        scene_play(&s, &act, 1);
        expect_end(&s, statuses[severity], severity == SEVERITY_FATAL ? 0 : executed[severity]);
        expect_text(&s, codes[code].name);
    }
}

/* What hands say that nobody understands is an unclassified error. */
static void R_004_084_a_code_that_is_none_is_unknown(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 1);
    PLAY(&s, { .step = 0, .code = CODE_COUNT });
    expect_code(s.decoded->error, "UNKNOWN_ERROR", SEVERITY_FATAL);
}

/* It is tried no more than it can be, and its own error stays. */
static void R_004_107_what_is_used_up_is_not_tried_again(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.steps[0].on_failure = ON_FAILURE_RETRY;
    scene_retries(&s, 3, (const char *const[]){ "STEP_FAILED", NULL });
    PLAY(&s, { .step = 0, .code = CODE_STEP_FAILED, .final = true });
    expect_end(&s, PLAN_PARTIAL, 1);
    expect_text(&s, "what it runs is used once, and not tried again");
    assert_null(strstr(s.log.s, "begin 0.2"));
}

static void R_004_049_what_has_ended_does_not_end_again(void **state)
{
    for (int jobs = 1; jobs <= 3; jobs++) {
        _scene_ struct scene s;

        (void)state;
        scene_set(&s, 4);
        s.jobs = jobs;
        s.stutters = true;
        s.steps[1].on_failure = ON_FAILURE_SKIP;
        PLAY(&s, { .step = 0, .ms = 5 }, { .step = 1, .code = CODE_STEP_FAILED, .ms = 7 },
             { .step = 2, .ms = 9 });
        expect_end(&s, PLAN_PARTIAL, 3);
        expect_trace(&s, "STEP_FAILED STEP_SKIPPED");
    }
}

/* ---- dependencies ---- */

static void R_004_067_R_004_079_what_depends_on_a_skipped_step_fails_the_plan(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 4);
    s.steps[0].on_failure = ON_FAILURE_SKIP;
    scene_after(&s, 2, 0);
    PLAY(&s, { .step = 0, .code = CODE_STEP_FAILED });
    expect_end(&s, PLAN_FAILURE, 1); /* step 1 had its turn before */
    expect_code(s.decoded->error, "DEPENDENCY_UNRESOLVED", SEVERITY_FATAL);
    check_is(s.decoded->error->step_id, ID2);
    check_is(s.decoded->error->message, "it depends on step " ID0 ", which was not completed");
    expect_trace(&s, "STEP_FAILED STEP_SKIPPED DEPENDENCY_UNRESOLVED");
    expect_steps(&s, "failed_steps", "0 2");
    expect_steps(&s, "incomplete_steps", "0 2 3");
    assert_null(strstr(s.log.s, "begin 2"));
    assert_null(strstr(s.log.s, "begin 3"));
}

static void R_004_079_it_fails_at_once_also_beside_others(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 3);
    s.steps[0].on_failure = ON_FAILURE_SKIP;
    s.jobs = 2;
    scene_after(&s, 2, 0);
    PLAY(&s, { .step = 0, .code = CODE_STEP_FAILED, .ms = 5 }, { .step = 1, .ms = NEVER });
    expect_end(&s, PLAN_FAILURE, 0);
    expect_code(s.decoded->error, "DEPENDENCY_UNRESOLVED", SEVERITY_FATAL);
    assert_non_null(strstr(s.log.s, "stop 1\nstep_failed 1.1 EXECUTION_HALTED error\npersist"));
}

/* A04-6: off unless who runs the plan says so. */
static void R_004_083_R_004_107_a_skip_can_go_on_to_what_depends_on_it(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 5);
    s.steps[1].on_failure = ON_FAILURE_SKIP;
    s.cascade = true;
    scene_after(&s, 2, 1);
    scene_after(&s, 3, 2);
    scene_after(&s, 3, 0);
    PLAY(&s, { .step = 1, .code = CODE_STEP_FAILED });
    expect_end(&s, PLAN_PARTIAL, 2);
    expect_trace(&s, "STEP_FAILED STEP_SKIPPED STEP_SKIPPED STEP_SKIPPED");
    expect_steps(&s, "failed_steps", "1");
    expect_steps(&s, "incomplete_steps", "1 2 3");
    expect_text(&s, "\"it depends on step " ID2 ", which was not completed\",\"step_id\":\"" ID3
                    "\",\"severity\":\"warn\"");
    assert_null(strstr(s.log.s, "begin 2"));
    assert_null(strstr(s.log.s, "begin 3"));
    assert_non_null(strstr(s.log.s, "begin 4"));
}

static void R_004_108_a_skip_that_leaves_nothing_is_a_failure(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.steps[0].on_failure = ON_FAILURE_SKIP;
    s.cascade = true;
    scene_after(&s, 1, 0);
    PLAY(&s, { .step = 0, .code = CODE_STEP_FAILED });
    expect_end(&s, PLAN_FAILURE, 0);
    expect_code(s.decoded->error, "STEP_FAILED", SEVERITY_FATAL);
    expect_code(s.decoded->error->cause, "STEP_FAILED", SEVERITY_ERROR);
}

/* A check refuses such plans; should one get here it ends all the same. */
static void R_004_079_a_dependency_that_is_no_step_and_a_circle_are_unresolved(void **state)
{
    struct str nobody = str_of(RUN_ID);

    for (int i = 0; i < 2; i++) {
        _scene_ struct scene s;

        (void)state;
        scene_set(&s, 2);
        s.cascade = true;
        if (i == 0)
            s.steps[1].depends_on = (struct items){ &nobody, 1 };
        else
            scene_after(&s, 1, 1);
        PLAY(&s, { .step = 0 });
        expect_end(&s, PLAN_FAILURE, 1);
        expect_code(s.decoded->error, "DEPENDENCY_UNRESOLVED", SEVERITY_FATAL);
        check_is(s.decoded->error->step_id, ID1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            R_004_048_R_004_049_R_004_052_R_004_091_R_004_105_all_completed_is_a_success),
        cmocka_unit_test(R_004_062_R_004_091_warnings_alone_are_a_success),
        cmocka_unit_test(R_004_053_R_004_063_R_004_083_R_004_106_R_004_107_R_004_109_skip_goes_on),
        cmocka_unit_test(R_004_111_R_004_121_the_primary_error_is_the_first_of_the_plan),
        cmocka_unit_test(R_004_054_R_004_108_R_004_132_nothing_completed_is_a_failure),
        cmocka_unit_test(R_004_071_R_004_082_R_004_127_R_004_137_R_004_145_halt_ends_the_plan),
        cmocka_unit_test(R_004_133_R_004_135_R_004_146_what_is_stopped_does_not_count),
        cmocka_unit_test(
            R_004_064_R_004_072_R_004_081_R_004_084_R_004_126_R_004_163_fatal_ends_the_plan),
        cmocka_unit_test(R_004_055_R_004_059_R_004_073_every_code_is_taken_as_it_is),
        cmocka_unit_test(R_004_084_a_code_that_is_none_is_unknown),
        cmocka_unit_test(R_004_107_what_is_used_up_is_not_tried_again),
        cmocka_unit_test(R_004_049_what_has_ended_does_not_end_again),
        cmocka_unit_test(R_004_067_R_004_079_what_depends_on_a_skipped_step_fails_the_plan),
        cmocka_unit_test(R_004_079_it_fails_at_once_also_beside_others),
        cmocka_unit_test(R_004_083_R_004_107_a_skip_can_go_on_to_what_depends_on_it),
        cmocka_unit_test(R_004_108_a_skip_that_leaves_nothing_is_a_failure),
        cmocka_unit_test(R_004_079_a_dependency_that_is_no_step_and_a_circle_are_unresolved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
