/* SPDX-License-Identifier: Apache-2.0 */
/* test_plan_duties.c: what is done when a plan has ended, and in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "unit/plan/scene.h"

/* ---- the order, seen through the seams ---- */

static void R_004_090_R_004_092_R_004_093_R_004_094_R_004_095_R_004_096_R_004_097_success_1_to_5(
    void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    PLAY(&s, { .step = 0, .ms = 10 }, { .step = 1, .ms = 5 });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_completed 0.1\n"
                   "step_started 1.1\nbegin 1.1\nstep_completed 1.1\n"
                   "persist success\nplan_execution_success\ncomplete\nrelease\n");
    assert_string_equal(s.end.text.s,
                        "{\"plan_id\":\"" PLAN_ID "\",\"execution_id\":\"" RUN_ID
                        "\",\"status\":\"success\",\"completed_at\":1766000015,\"duration_ms\":15,"
                        "\"steps_executed\":2,\"steps_total\":2,\"result_payload\":{\"steps\":{"
                        "\"" ID0 "\":{},\"" ID1 "\":{}}},\"error\":null}");
}

/* Whatever comes after a duty sees what it did: release comes last, and nothing is told twice. */
static void R_004_098_R_004_099_R_004_100_R_004_101_R_004_103_success_6_to_8(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 1);
    PLAY(&s, { .step = 0 });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_completed 0.1\n"
                   "persist success\nplan_execution_success\ncomplete\nrelease\n");
    expect_end(&s, PLAN_SUCCESS, 1);
    check_is(s.end.result.plan_id, PLAN_ID);
    check_is(s.end.result.execution_id, RUN_ID);
    assert_null(s.end.result.error);
    assert_non_null(s.end.result.result_payload);
}

static void R_004_110_R_004_111_R_004_112_R_004_113_R_004_114_R_004_115_R_004_116_partial_1_to_7(
    void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 3);
    scene_policies(&s, (int[]){ ON_FAILURE_SKIP, ON_FAILURE_SKIP, ON_FAILURE_HALT });
    PLAY(&s, { .step = 0, .code = CODE_STEP_FAILED, .ms = 7, .message = "exit 2" },
         { .step = 1, .code = CODE_COMMAND_FAILED, .message = "exit 3" });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_failed 0.1 STEP_FAILED error\n"
                   "step_started 1.1\nbegin 1.1\nstep_failed 1.1 command_failed error\n"
                   "step_started 2.1\nbegin 2.1\nstep_completed 2.1\n"
                   "persist partial\nplan_execution_partial\nincomplete 0 1\nrelease\n");
    expect_end(&s, PLAN_PARTIAL, 1);
    expect_code(s.end.result.error, "STEP_FAILED", SEVERITY_ERROR);
    check_is(s.end.result.error->message, "exit 2");
    expect_trace(&s, "STEP_FAILED STEP_SKIPPED command_failed STEP_SKIPPED");
    expect_steps(&s, "failed_steps", "0 1");
    expect_steps(&s, "incomplete_steps", "0 1");
    expect_text(&s, "\"completed_at\":1766000007,\"duration_ms\":7,\"steps_executed\":1,"
                    "\"steps_total\":3,\"result_payload\":{\"steps\":{\"" ID2 "\":{}}");
}

static void R_004_117_R_004_118_R_004_119_R_004_120_partial_8_to_10(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 4);
    scene_policies(&s,
                   (int[]){ ON_FAILURE_HALT, ON_FAILURE_SKIP, ON_FAILURE_HALT, ON_FAILURE_SKIP });
    PLAY(&s, { .step = 1, .code = CODE_STEP_FAILED }, { .step = 3, .code = CODE_STEP_FAILED });
    assert_non_null(strstr(s.log.s, "persist partial\nplan_execution_partial\n"
                                    "incomplete 1 3\nrelease\n"));
    assert_null(strstr(s.log.s, "complete\n"));
    assert_null(strstr(s.log.s, "alarm"));
    expect_end(&s, PLAN_PARTIAL, 2);
}

static void R_004_131_R_004_132_R_004_133_R_004_134_R_004_135_R_004_136_R_004_137_failure_1_to_7(
    void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 4);
    s.jobs = 2;
    PLAY(&s, { .step = 0, .ms = 4 }, { .step = 1, .code = CODE_STEP_FAILED, .ms = 10 },
         { .step = 2, .ms = NEVER });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_started 1.1\nbegin 1.1\n"
                   "step_completed 0.1\nstep_started 2.1\nbegin 2.1\n"
                   "step_failed 1.1 STEP_FAILED error\nstop 2\n"
                   "step_failed 2.1 EXECUTION_HALTED error\n"
                   "persist failure\nplan_execution_failure\nrelease\nalarm EXECUTION_HALTED\n");
    expect_end(&s, PLAN_FAILURE, 1);
    expect_code(s.end.result.error, "EXECUTION_HALTED", SEVERITY_FATAL);
    expect_code(s.end.result.error->cause, "STEP_FAILED", SEVERITY_ERROR);
    expect_trace(&s, "STEP_FAILED EXECUTION_HALTED");
    expect_steps(&s, "failed_steps", "1");
    expect_steps(&s, "incomplete_steps", "1 2 3");
    expect_text(&s, "\"completed_at\":1766000010,\"duration_ms\":10,\"steps_executed\":1,"
                    "\"steps_total\":4,\"result_payload\":{\"steps\":{\"" ID0 "\":{}}}");
}

static void R_004_138_R_004_139_R_004_140_R_004_141_R_004_143_R_004_144_failure_8_to_13(
    void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 1);
    PLAY(&s, { .step = 0, .code = CODE_INVALID_PAYLOAD });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_failed 0.1 INVALID_PAYLOAD fatal\n"
                   "persist failure\nplan_execution_failure\nrelease\nalarm INVALID_PAYLOAD\n");
    expect_end(&s, PLAN_FAILURE, 0);
    assert_non_null(s.end.result.error);
}

static void without_an_error_handler_all_else_is_done(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 1);
    s.no_alarm = true;
    PLAY(&s, { .step = 0, .code = CODE_STEP_FAILED });
    expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_failed 0.1 STEP_FAILED error\n"
                   "persist failure\nplan_execution_failure\nrelease\n");
}

/* ---- the tables are the contract's lists ---- */

static const struct {
    const struct table *table;
    size_t rows;
    int first; /* the requirement of the first duty */
} lists[] = {
    { &plan_success_table, 8, 93 },
    { &plan_partial_table, 10, 110 },
    { &plan_failure_table, 13, 131 },
};

static void R_004_085_R_004_101_R_004_120_R_004_144_duties_are_numbered_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(lists); i++) {
        assert_int_equal(lists[i].table->row_count, lists[i].rows);
        for (size_t row = 0; row < lists[i].rows; row++) {
            _arena_ struct arena a = { 0 };
            _buf_ struct buf n = { .max = 64 }, req = { .max = 64 };

            table_cell(lists[i].table, row, 1, &n);
            table_cell(lists[i].table, row, 2, &req);
            assert_string_equal(n.s, arena_printf(&a, "%zu", row + 1));
            assert_string_equal(req.s, arena_printf(&a, "R-004-%03d", lists[i].first + (int)row));
        }
    }
}

/* ---- what cannot be recorded is not told (A04-25) ---- */

static const struct {
    struct act act;
    int on_failure;
    const char *log;
} unrecorded[] = {
    { { .step = 0 }, ON_FAILURE_HALT, "persist success\nrelease\n" },
    { { .step = 0, .code = CODE_STEP_FAILED }, ON_FAILURE_SKIP, "persist partial\nrelease\n" },
    { { .step = 0, .code = CODE_STEP_FAILED }, ON_FAILURE_HALT, "persist failure\nrelease\n" },
};

static void R_004_096_R_004_116_R_004_139_no_result_without_a_record(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(unrecorded); i++) {
        _scene_ struct scene s;
        const char *duties;

        scene_set(&s, 2);
        s.no_record = true;
        s.steps[0].on_failure = unrecorded[i].on_failure;
        assert_false(scene_run(&s, &unrecorded[i].act, 1));
        assert_string_equal(s.e.msg, "the disk is full");
        assert_null(s.end.text.s);
        duties = strstr(s.log.s, "persist");
        assert_non_null(duties);
        assert_string_equal(duties, unrecorded[i].log);
        assert_int_equal(s.released, 1);
    }
}

/* ---- who listens changes nothing ---- */

static void says_nothing(struct scene *s, const struct telling *t)
{
    (void)s, (void)t;
}

static void breaks_things(struct scene *s, const struct telling *t)
{
    (void)t;
    errno = EPIPE;
    buf_reset(&s->log); /* what it was told is lost */
    (void)s->clock.world.new_id(s->clock.world.self);
}

/* It runs a plan of its own each time it is told something. */
static void plays_itself(struct scene *s, const struct telling *t)
{
    _scene_ struct scene inner;

    (void)s, (void)t;
    scene_set(&inner, 2);
    inner.steps[0].on_failure = ON_FAILURE_SKIP;
    PLAY(&inner, { .step = 0, .code = CODE_STEP_FAILED });
    expect_end(&inner, PLAN_PARTIAL, 1);
}

static char *told_by(void (*on_tell)(struct scene *, const struct telling *), enum code code,
                     int on_failure, struct arena *a)
{
    struct act act = { .step = 1, .code = code, .ms = 3 };
    _scene_ struct scene s;

    scene_set(&s, 3);
    s.steps[1].on_failure = on_failure;
    s.on_tell = on_tell;
    scene_play(&s, &act, 1);
    return arena_text(a, s.end.text);
}

static void R_004_086_R_004_087_R_004_088_R_004_089_R_004_196_emission_changes_nothing(void **state)
{
    static void (*const listeners[])(struct scene *, const struct telling *) = { breaks_things,
                                                                                 plays_itself };
    static const struct {
        enum code code;
        int on_failure;
    } ends[] = { { CODE_NONE, ON_FAILURE_HALT },
                 { CODE_STEP_FAILED, ON_FAILURE_SKIP },
                 { CODE_STEP_FAILED, ON_FAILURE_HALT },
                 { CODE_UNKNOWN_ERROR, ON_FAILURE_RETRY } };
    _arena_ struct arena a = { 0 };

    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++) {
        const char *quiet = told_by(says_nothing, ends[i].code, ends[i].on_failure, &a);

        for (size_t j = 0; j < COUNT(listeners); j++)
            assert_string_equal(told_by(listeners[j], ends[i].code, ends[i].on_failure, &a), quiet);
    }
}

/* ---- what is told ---- */

static void keeps_the_result(struct scene *s, const struct telling *t)
{
    if (t->news >= NEWS_SUCCESS)
        s->told = arena_text(&s->a, t->result);
}

static void R_004_097_R_004_117_R_004_140_the_event_has_the_result(void **state)
{
    static const struct {
        enum code code;
        int on_failure;
    } ends[] = { { CODE_NONE, ON_FAILURE_HALT },
                 { CODE_STEP_FAILED, ON_FAILURE_SKIP },
                 { CODE_STEP_FAILED, ON_FAILURE_HALT } };

    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++) {
        _scene_ struct scene s;
        struct act act = { .step = 0, .code = ends[i].code };

        scene_set(&s, 2);
        s.steps[0].on_failure = ends[i].on_failure;
        s.on_tell = keeps_the_result;
        scene_play(&s, &act, 1);
        assert_string_equal(s.told, s.end.text.s);
        assert_int_equal(s.end.result.status, i);
    }
}

static void R_004_097_R_004_117_R_004_140_events_have_the_contracts_names(void **state)
{
    (void)state;
    assert_string_equal(news_names[NEWS_SUCCESS], "plan_execution_success");
    assert_string_equal(news_names[NEWS_PARTIAL], "plan_execution_partial");
    assert_string_equal(news_names[NEWS_FAILURE], "plan_execution_failure");
    for (size_t i = 0; i < NEWS_COUNT; i++)
        assert_non_null(news_names[i]);
}

/* ---- a plan that is refused ---- */

static bool refuse(struct scene *s, const struct refused *why)
{
    struct seams seams;

    scene_seams(s, &seams);
    seams.ask.hands = NULL;
    return plan_refuse(&seams.ask, why, &s->a, &s->end, &s->e);
}

static void R_004_065_R_004_074_R_004_130_a_refused_plan_fails_by_the_same_duties(void **state)
{
    static const struct refused why = { .code = CODE_CONTEXT_MISSING,
                                        .message = "environment has no key 'region'" };
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    assert_true(refuse(&s, &why));
    scene_check(&s);
    expect_log(&s, "persist failure\nplan_execution_failure\nrelease\nalarm CONTEXT_MISSING\n");
    expect_end(&s, PLAN_FAILURE, 0);
    expect_code(s.decoded->error, "CONTEXT_MISSING", SEVERITY_FATAL);
    assert_null(s.decoded->error->step_id.s);
    assert_null(s.decoded->error->cause);
    expect_trace(&s, "CONTEXT_MISSING");
    expect_steps(&s, "failed_steps", "");
    expect_steps(&s, "incomplete_steps", "0 1");
}

static void R_004_069_R_004_070_R_004_075_R_004_080_a_step_can_be_why(void **state)
{
    static const enum code refusals[] = { CODE_INVALID_PAYLOAD, CODE_ACTION_NOT_FOUND };

    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        _scene_ struct scene s;
        struct refused why = { .code = refusals[i], .message = "no" };

        scene_set(&s, 3);
        why.step_id = s.steps[1].id;
        assert_true(refuse(&s, &why));
        scene_check(&s);
        expect_code(s.decoded->error, codes[refusals[i]].name, SEVERITY_FATAL);
        check_is(s.decoded->error->step_id, ID1);
        expect_steps(&s, "failed_steps", "1");
        expect_steps(&s, "incomplete_steps", "0 1 2");
    }
}

/* Of a refused plan the number of its steps may be all there is. */
static void R_004_130_R_004_136_a_refused_plan_may_have_no_steps_to_look_at(void **state)
{
    static const struct refused why = { .code = CODE_INVALID_PAYLOAD };
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    s.plan.steps.v = NULL;
    assert_true(refuse(&s, &why));
    scene_check(&s);
    expect_text(&s, "\"steps_total\":2");
    expect_text(&s, "\"incomplete_steps\":[]");
}

static void R_004_139_a_refusal_is_recorded_or_there_is_none(void **state)
{
    static const struct refused why = { .code = CODE_INVALID_PAYLOAD };
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 1);
    s.no_record = true;
    assert_false(refuse(&s, &why));
    expect_log(&s, "persist failure\nrelease\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            R_004_090_R_004_092_R_004_093_R_004_094_R_004_095_R_004_096_R_004_097_success_1_to_5),
        cmocka_unit_test(R_004_098_R_004_099_R_004_100_R_004_101_R_004_103_success_6_to_8),
        cmocka_unit_test(
            R_004_110_R_004_111_R_004_112_R_004_113_R_004_114_R_004_115_R_004_116_partial_1_to_7),
        cmocka_unit_test(R_004_117_R_004_118_R_004_119_R_004_120_partial_8_to_10),
        cmocka_unit_test(
            R_004_131_R_004_132_R_004_133_R_004_134_R_004_135_R_004_136_R_004_137_failure_1_to_7),
        cmocka_unit_test(
            R_004_138_R_004_139_R_004_140_R_004_141_R_004_143_R_004_144_failure_8_to_13),
        cmocka_unit_test(without_an_error_handler_all_else_is_done),
        cmocka_unit_test(R_004_085_R_004_101_R_004_120_R_004_144_duties_are_numbered_rows),
        cmocka_unit_test(R_004_096_R_004_116_R_004_139_no_result_without_a_record),
        cmocka_unit_test(
            R_004_086_R_004_087_R_004_088_R_004_089_R_004_196_emission_changes_nothing),
        cmocka_unit_test(R_004_097_R_004_117_R_004_140_the_event_has_the_result),
        cmocka_unit_test(R_004_097_R_004_117_R_004_140_events_have_the_contracts_names),
        cmocka_unit_test(R_004_065_R_004_074_R_004_130_a_refused_plan_fails_by_the_same_duties),
        cmocka_unit_test(R_004_069_R_004_070_R_004_075_R_004_080_a_step_can_be_why),
        cmocka_unit_test(R_004_130_R_004_136_a_refused_plan_may_have_no_steps_to_look_at),
        cmocka_unit_test(R_004_139_a_refusal_is_recorded_or_there_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
