/* SPDX-License-Identifier: Apache-2.0 */
/* test_plan_result.c: what a result says, and what a plan is given and leaves alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_write.h"
#include "unit/plan/scene.h"

/* A map read from JSON; it lives in the arena. */
static const struct doc *map(struct arena *a, const char *json)
{
    struct ceilings max = ceilings_default();
    const struct document *d;
    struct error e;

    if (!doc_read("text", str_of(json), &max, a, &d, &e))
        fail_msg("%s", e.msg);
    return &d->root;
}

/* ---- what completed steps gave ---- */

static void R_004_050_R_004_113_R_004_122_outputs_are_kept_by_id_in_the_plans_order(void **state)
{
    _arena_ struct arena a = { 0 };
    _scene_ struct scene s;
    struct act acts[] = {
        { .step = 0, .ms = 30, .output = map(&a, "{\"z\":[1,{\"deep\":true}],\"a\":\"x\"}") },
        { .step = 1, .code = CODE_STEP_FAILED, .output = map(&a, "{\"lost\":1}") },
        { .step = 2, .ms = 10, .output = map(&a, "{\"n\":0.5}") },
    };

    (void)state;
    scene_set(&s, 3);
    s.steps[1].on_failure = ON_FAILURE_SKIP;
    s.jobs = 3;
    scene_play(&s, acts, COUNT(acts));
    expect_text(&s, "\"result_payload\":{\"steps\":{"
                    "\"" ID0 "\":{\"z\":[1,{\"deep\":true}],\"a\":\"x\"},"
                    "\"" ID2 "\":{\"n\":0.5}},\"warnings\":[");
    assert_null(strstr(s.end.text.s, "lost"));
}

static void R_004_135_R_004_146_a_failure_keeps_what_was_completed(void **state)
{
    _arena_ struct arena a = { 0 };
    _scene_ struct scene s;
    struct act acts[] = { { .step = 0, .output = map(&a, "{\"kept\":1}") },
                          { .step = 1, .output = map(&a, "{\"stopped\":1}"), .ms = NEVER } };

    (void)state;
    scene_set(&s, 2);
    s.plan.timeout_ms = 10;
    scene_play(&s, acts, COUNT(acts));
    expect_end(&s, PLAN_FAILURE, 1);
    expect_text(&s, "\"result_payload\":{\"steps\":{\"" ID0 "\":{\"kept\":1}}}");
    assert_null(strstr(s.end.text.s, "stopped\":1"));
}

/* ---- the error ---- */

static void R_004_061_R_004_171_R_004_173_diagnostics_are_in_the_context(void **state)
{
    static const int policies[] = { ON_FAILURE_SKIP, ON_FAILURE_HALT };
    static const char own[] =
        "\"context\":{\"exit_code\":2,\"errors\":[{\"error_code\":\""
        "STEP_FAILED\",\"message\":\"exit 2\",\"step_id\":\"" ID0
        "\",\"severity\":\"error\",\"recoverable\":true,\"cause\":null,\"context\":{"
        "\"exit_code\":2,\"failed_steps\":\"mine\"}}";
    _arena_ struct arena a = { 0 };
    struct act act = { .step = 0,
                       .code = CODE_STEP_FAILED,
                       .message = "exit 2",
                       .context = map(&a, "{\"exit_code\":2,\"failed_steps\":\"mine\"}") };

    (void)state;
    for (size_t i = 0; i < COUNT(policies); i++) {
        _scene_ struct scene s;

        scene_set(&s, 2);
        s.steps[0].on_failure = policies[i];
        scene_play(&s, &act, 1);
        if (policies[i] == ON_FAILURE_SKIP)
            expect_text(&s, own);
        else
            expect_text(&s,
                        "\"cause\":{\"error_code\":\"STEP_FAILED\",\"message\":\"exit 2\","
                        "\"step_id\":\"" ID0 "\",\"severity\":\"error\",\"recoverable\":true,"
                        "\"cause\":null,\"context\":{\"exit_code\":2,\"failed_steps\":\"mine\"}}");
        expect_steps(&s, "failed_steps", "0");
    }
}

/* What is no map cannot be a context. */
static void R_004_061_a_context_that_is_no_map_is_left_out(void **state)
{
    _arena_ struct arena a = { 0 };
    struct act act = { .step = 0, .code = CODE_STEP_FAILED, .context = map(&a, "[1]") };
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 1);
    scene_play(&s, &act, 1);
    assert_int_equal(s.decoded->error->cause->context->count, 0);
}

static void R_004_056_a_message_has_at_most_1000_characters(void **state)
{
    _arena_ struct arena a = { 0 };

    (void)state;
    for (size_t chars = 999; chars <= 1001; chars++) {
        _buf_ struct buf text = { .max = 1 << 16 };
        _scene_ struct scene s;
        struct act act = { .step = 0, .code = CODE_UNKNOWN_ERROR };

        for (size_t i = 0; i < chars; i++)
            buf_adds(&text, "\xe2\x82\xac");
        act.message = arena_text(&a, buf_str(&text));
        scene_set(&s, 1);
        scene_play(&s, &act, 1);
        assert_int_equal(str_chars(s.decoded->error->message), chars < 1000 ? chars : 1000);
    }
}

static void R_004_056_a_message_that_is_not_utf_8_is_made_so(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 1);
    PLAY(&s, { .step = 0, .code = CODE_UNKNOWN_ERROR, .message = "a\xff\xc3(b" });
    check_is(s.decoded->error->message, "a\xef\xbf\xbd\xef\xbf\xbd(b");
}

static void R_004_056_without_a_message_the_code_says_what_it_means(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 1);
    PLAY(&s, { .step = 0, .code = CODE_RESOURCE_EXHAUSTED });
    check_is(s.decoded->error->message, codes[CODE_RESOURCE_EXHAUSTED].meaning);
}

/* Names of codes fit, however many there will be. */
static void R_004_055_every_code_has_a_name_that_fits(void **state)
{
    (void)state;
    for (int code = CODE_NONE + 1; code < CODE_COUNT; code++)
        assert_in_range(strlen(codes[code].name), 1, ERROR_CODE_CHARS);
}

/* ---- it is finished when it is told ---- */

/* Scribbles over the plan and the outputs once the result has been handed over. */
static void R_004_102_R_004_170_a_result_no_longer_depends_on_the_run(void **state)
{
    _arena_ struct arena a = { 0 };
    struct arena lent = { 0 };
    _scene_ struct scene s;
    struct act act = { .step = 0, .output = map(&lent, "{\"kept\":1}") };
    const char *text;

    (void)state;
    scene_set(&s, 1);
    scene_play(&s, &act, 1);
    text = arena_text(&a, s.end.text);
    arena_free(&lent);
    memset(s.steps, 0, sizeof s.steps);
    assert_string_equal(s.end.text.s, text);
}

/* ---- what it is given ---- */

/* scene_run() compares the plan, its steps, its policy and the context byte by byte; here also
 * what they point to. */
static void
R_004_028_R_004_037_R_004_041_R_004_153_R_004_154_R_004_155_R_004_157_R_004_183_nothing_is_changed(
    void **state)
{
    static const char json[] = "{\"region\":\"x\",\"n\":[1,2,{\"${steps}\":null}]}";
    _arena_ struct arena a = { 0 };
    const struct doc *environment = map(&a, json), *payload = map(&a, json);
    struct doc before[2] = { *environment, *payload };
    _buf_ struct buf after = { .max = 1 << 16 };
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 3);
    s.context.environment = environment;
    s.steps[0].payload = s.steps[1].payload = payload;
    s.steps[0].on_failure = ON_FAILURE_RETRY;
    scene_after(&s, 2, 1);
    scene_retries(&s, 2, (const char *const[]){ "STEP_FAILED", NULL });
    PLAY(&s, { .step = 0, .attempt = 1, .code = CODE_STEP_FAILED },
         { .step = 1, .code = CODE_STEP_FAILED });
    assert_memory_equal(&before[0], environment, sizeof *environment);
    assert_memory_equal(&before[1], payload, sizeof *payload);
    json_doc(&after, environment);
    assert_string_equal(after.s, json);
    buf_reset(&after);
    json_doc(&after, payload);
    assert_string_equal(after.s, json);
}

/* The environment may be anything, or not be there: nobody looks. */
static void R_004_040_R_004_042_the_environment_is_not_looked_at(void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 1);
    s.context.environment = (const struct doc *)(uintptr_t)16;
    PLAY(&s, { .step = 0 });
    expect_end(&s, PLAN_SUCCESS, 1);
}

/* Neither what a step does nor what it is given matters to who runs it: nobody looks. */
static void R_004_174_R_004_175_R_004_177_R_004_184_R_004_204_R_004_205_R_004_207_steps_are_opaque(
    void **state)
{
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 2);
    for (size_t i = 0; i < 2; i++) {
        s.steps[i].payload = (const struct doc *)(uintptr_t)16;
        s.steps[i].action = (struct str){ (const char *)(uintptr_t)16, 100 };
    }
    s.plan.metadata = (const struct doc *)(uintptr_t)16;
    PLAY(&s, { .step = 0 });
    expect_end(&s, PLAN_SUCCESS, 2);
}

/* ---- each run stands alone ---- */

static void R_004_123_R_004_148_R_004_150_R_004_201_R_004_203_each_run_is_a_run(void **state)
{
    static const struct act fails = { .step = 1, .code = CODE_STEP_FAILED };
    _arena_ struct arena a = { 0 };
    const char *first = NULL;
    _scene_ struct scene s;

    (void)state;
    scene_set(&s, 3);
    for (int i = 0; i < 3; i++) {
        struct seams seams;
        struct plan_end end;

        s.acts = &fails;
        s.act_count = 1;
        buf_reset(&s.log);
        scene_seams(&s, &seams);
        assert_true(plan_run(&seams.ask, &a, &end, &s.e));
        expect_log(&s, "step_started 0.1\nbegin 0.1\nstep_completed 0.1\n"
                       "step_started 1.1\nbegin 1.1\nstep_failed 1.1 STEP_FAILED error\n"
                       "persist failure\nplan_execution_failure\nrelease\n"
                       "alarm EXECUTION_HALTED\n");
        if (!first)
            first = end.text.s;
        assert_string_equal(end.text.s, first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_004_050_R_004_113_R_004_122_outputs_are_kept_by_id_in_the_plans_order),
        cmocka_unit_test(R_004_135_R_004_146_a_failure_keeps_what_was_completed),
        cmocka_unit_test(R_004_061_R_004_171_R_004_173_diagnostics_are_in_the_context),
        cmocka_unit_test(R_004_061_a_context_that_is_no_map_is_left_out),
        cmocka_unit_test(R_004_056_a_message_has_at_most_1000_characters),
        cmocka_unit_test(R_004_056_a_message_that_is_not_utf_8_is_made_so),
        cmocka_unit_test(R_004_056_without_a_message_the_code_says_what_it_means),
        cmocka_unit_test(R_004_055_every_code_has_a_name_that_fits),
        cmocka_unit_test(R_004_102_R_004_170_a_result_no_longer_depends_on_the_run),
        cmocka_unit_test(
            R_004_028_R_004_037_R_004_041_R_004_153_R_004_154_R_004_155_R_004_157_R_004_183_nothing_is_changed),
        cmocka_unit_test(R_004_040_R_004_042_the_environment_is_not_looked_at),
        cmocka_unit_test(
            R_004_174_R_004_175_R_004_177_R_004_184_R_004_204_R_004_205_R_004_207_steps_are_opaque),
        cmocka_unit_test(R_004_123_R_004_148_R_004_150_R_004_201_R_004_203_each_run_is_a_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
