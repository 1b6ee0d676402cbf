/* SPDX-License-Identifier: Apache-2.0 */
/* test_step.c: the steps of a plan, and what depends on what (contract 004, section 1 and
 * appendix). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/contract/plan_text.h"

/* ---- steps ---- */

static void R_004_021_R_004_216_step_id_is_a_uuid_v4(void **state)
{
    static const struct refusal rows[] = {
        { FETCH, "fetch", "/steps/0/id", CODE_INVALID_PAYLOAD, NOT_UUID("fetch") },
        { FETCH, V1, "/steps/0/id", CODE_INVALID_PAYLOAD, NOT_UUID(V1) },
        { FETCH, "''", "/steps/0/id", CODE_INVALID_PAYLOAD, NOT_UUID("") },
    };

    (void)state;
    refuse(rows, COUNT(rows));
}

static void R_004_021_step_ids_are_unique(void **state)
{
    static const struct refusal rows[] = {
        { REPORT, FETCH, "/steps/2/id", CODE_INVALID_PAYLOAD,
          "'" FETCH "' is the id of step 0 already; ids are unique within a plan" },
        { FETCH, REPORT, "/steps/2/id", CODE_INVALID_PAYLOAD,
          "'" REPORT "' is the id of step 0 already; ids are unique within a plan" },
        { REPORT, "0D9C8A50-7D2B-4C4E-8F4A-0A5B1C2D3E01", "/steps/2/id", CODE_INVALID_PAYLOAD,
          "'0D9C8A50-7D2B-4C4E-8F4A-0A5B1C2D3E01' is the id of step 0 already; "
          "ids are unique within a plan" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
}

static void R_004_022_R_004_023_action_has_1_to_100_characters(void **state)
{
    static const struct refusal rows[] = {
        { "action: execute", "action: ''", "/steps/0/action", CODE_INVALID_PAYLOAD,
          "action has 0 characters, allowed 1..100" },
        { "action: execute", "action: true", "/steps/0/action", CODE_INVALID_PAYLOAD,
          "action is true, must be text" },
    };
    static const struct refusal row = { .pointer = "/steps/0/action",
                                        .code = CODE_INVALID_PAYLOAD,
                                        .msg = "action has 101 characters, allowed 1..100" };
    _checked_ struct checked c = { 0 }, c2 = { 0 };

    (void)state;
    refuse(rows, COUNT(rows));
    (void)check_text(&c, &plan_shape, long_text(&c.a, "action: execute", "action", 100));
    check_clean(&c);
    (void)check_text(&c2, &plan_shape, long_text(&c2.a, "action: execute", "action", 101));
    check_problems(&c2, &row, 1);
}

static void R_004_024_payload_is_a_map_and_may_be_empty(void **state)
{
    static const struct refusal rows[] = {
        { "payload: {}", "payload: []", "/steps/0/payload", CODE_INVALID_PAYLOAD,
          "payload is a list of 0, must be a map" },
        { "payload: {}", "payload: null", "/steps/0/payload", CODE_INVALID_PAYLOAD,
          "payload is null, must be a map" },
    };
    _checked_ struct checked c = { 0 };
    const struct step_doc *steps = accept(&c, "{}", "{any: [1, {a: null}]}")->steps.v;

    (void)state;
    refuse(rows, COUNT(rows));
    assert_int_equal(steps[0].payload->count, 1);
    assert_int_equal(steps[1].payload->count, 0);
}

static void R_004_025_depends_on_defaults_to_none(void **state)
{
    static const struct refusal rows[] = {
        { "halt", "halt, depends_on: " BUILD, "/steps/0/depends_on", CODE_INVALID_PAYLOAD,
          "depends_on is '" BUILD "', must be a list of texts, as [\"" BUILD "\"]" },
        { "halt", "halt, depends_on: [build]", "/steps/0/depends_on/0", CODE_INVALID_PAYLOAD,
          NOT_UUID("build") },
    };
    _checked_ struct checked c = { 0 };
    const struct step_doc *steps = accept(&c, "skip", "skip, depends_on: [" FETCH "]")->steps.v;

    (void)state;
    assert_int_equal(steps[0].depends_on.n, 0);
    check_texts(&steps[1].depends_on, (const char *const[]){ FETCH }, 1);
    refuse(rows, COUNT(rows));
    check_accepts(&plan_shape, plan, "halt", "halt, depends_on: []");
    check_accepts(&plan_shape, plan, "halt", "halt, depends_on: [" REPORT "]"); /* A04-7 */
}

static void R_004_026_R_004_220_on_failure_is_halt_skip_or_retry(void **state)
{
    static const struct refusal rows[] = {
        { "halt", "abort", "/steps/0/on_failure", CODE_INVALID_PAYLOAD,
          "'abort' is not one of halt, skip, retry" },
        { "halt", "Halt", "/steps/0/on_failure", CODE_INVALID_PAYLOAD,
          "'Halt' is not one of halt, skip, retry (did you mean 'halt'?)" },
        { "halt", "null", "/steps/0/on_failure", CODE_INVALID_PAYLOAD,
          "null is not one of halt, skip, retry" },
    };
    _checked_ struct checked c = { 0 };
    const struct step_doc *steps = accept(&c, "x", "x")->steps.v;

    (void)state;
    refuse(rows, COUNT(rows));
    assert_int_equal(steps[0].on_failure, ON_FAILURE_HALT);
    assert_int_equal(steps[1].on_failure, ON_FAILURE_SKIP);
    assert_int_equal(steps[2].on_failure, ON_FAILURE_RETRY);
}

static void R_004_027_step_timeout_null_inherits(void **state)
{
    static const struct refusal row = { "halt", "halt, timeout_ms: 0", "/steps/0/timeout_ms",
                                        CODE_INVALID_PAYLOAD,
                                        "timeout_ms is 0, allowed 1 or more" };
    _checked_ struct checked c = { 0 };
    const struct step_doc *steps = accept(&c, "halt", "halt, timeout_ms: 5")->steps.v;

    (void)state;
    assert_int_equal(steps[0].timeout_ms, 5);
    assert_int_equal(steps[1].timeout_ms, 0);
    refuse(&row, 1);
    check_accepts(&plan_shape, plan, "halt", "halt, timeout_ms: null");
}

/* ---- what depends on what ---- */

static void R_004_217_no_step_waits_for_itself(void **state)
{
    static const struct refusal rows[] = {
        { "halt", "halt, depends_on: [" FETCH "]", "/steps/0/depends_on/0", CODE_INVALID_PAYLOAD,
          "step 0 waits for itself: 0 -> 0" },
        { "halt}\n- {id: " BUILD ", action: validate, payload: {}, on_failure: skip",
          "halt, depends_on: [" BUILD "]}\n"
          "- {id: " BUILD ", action: validate, payload: {}, on_failure: skip, "
          "depends_on: [" FETCH "]",
          "/steps/1/depends_on/0", CODE_INVALID_PAYLOAD, "step 0 waits for itself: 0 -> 1 -> 0" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
}

static void R_004_158_R_004_160_R_004_217_three_steps_in_a_circle_are_refused(void **state)
{
    static const struct refusal rows[] = {
        { .pointer = "/steps/2/depends_on/0",
          .code = CODE_INVALID_PAYLOAD,
          .msg = "step 0 waits for itself: 0 -> 1 -> 2 -> 0" },
        { .pointer = "/steps/2/depends_on/1",
          .code = CODE_INVALID_PAYLOAD,
          .msg = "step 1 waits for itself: 1 -> 2 -> 1" },
    };
    _checked_ struct checked c = { 0 };
    const char *text = check_swap(&c.a, plan, "halt", "halt, depends_on: [" BUILD "]");

    (void)state;
    text = check_swap(&c.a, text, "skip", "skip, depends_on: [" REPORT "]");
    text = check_swap(&c.a, text, "retry", "retry, depends_on: [" FETCH ", " BUILD "]");
    (void)check_text(&c, &plan_shape, text);
    check_problems(&c, rows, COUNT(rows));
}

/* Whoever mends a doubled id is not to find another circle behind it. */
static void R_004_217_a_circle_is_found_through_each_of_two_steps_with_one_id(void **state)
{
    static const struct refusal rows[] = {
        { .pointer = "/steps/2/id",
          .code = CODE_INVALID_PAYLOAD,
          .msg = "'" BUILD "' is the id of step 1 already; ids are unique within a plan" },
        { .pointer = "/steps/3/depends_on/0",
          .code = CODE_INVALID_PAYLOAD,
          .msg = "step 1 waits for itself: 1 -> 3 -> 1" },
    };
    static const char first[] = "skip, depends_on: [" REPORT "]}\n"
                                "- {id: " BUILD ", action: a, payload: {}, on_failure: skip";
    static const char second[] = "skip}\n- {id: " BUILD ", action: a, payload: {}, "
                                 "on_failure: skip, depends_on: [" REPORT "]";

    (void)state;
    for (int i = 0; i < 2; i++) {
        _checked_ struct checked c = { 0 };
        const char *text = check_swap(&c.a, plan, "skip", i ? second : first);

        text = check_swap(&c.a, text, "retry", "retry, depends_on: [" BUILD "]");
        (void)check_text(&c, &plan_shape, text);
        check_problems(&c, rows, COUNT(rows));
    }
}

/* a UUID is the same in either case. */
static void R_004_021_R_004_219_letters_of_either_case_name_one_step(void **state)
{
    _arena_ struct arena a = { 0 };
    char *upper = arena_text(&a, str_of("halt, depends_on: [" BUILD "]"));
    static const struct refusal row = { .pointer = "/steps/1/depends_on/0",
                                        .code = CODE_INVALID_PAYLOAD,
                                        .msg = "step 0 waits for itself: 0 -> 1 -> 0" };
    _checked_ struct checked c = { 0 };
    const char *text;

    (void)state;
    for (char *p = strchr(upper, '['); *p; p++)
        *p = *p >= 'a' && *p <= 'f' ? (char)(*p - 'a' + 'A') : *p;
    text = check_swap(&c.a, plan, "halt", upper);
    text = check_swap(&c.a, text, "skip", "skip, depends_on: [" FETCH "]");
    (void)check_text(&c, &plan_shape, text);
    check_problems(&c, &row, 1);
}

static void R_004_217_steps_that_share_a_dependency_are_no_circle(void **state)
{
    _checked_ struct checked c = { 0 };
    const char *text = check_swap(&c.a, plan, "skip", "skip, depends_on: [" FETCH "]");

    (void)state;
    text = check_swap(&c.a, text, "retry", "retry, depends_on: [" FETCH ", " BUILD "]");
    (void)check_text(&c, &plan_shape, text);
    check_clean(&c);
}

static void R_004_219_dependencies_are_steps_of_the_plan(void **state)
{
    static const struct refusal rows[] = {
        { "halt", "halt, depends_on: [0d9c8a50-7d2b-4c4e-8f4a-0a5b1c2d3e22]",
          "/steps/0/depends_on/0", CODE_DEPENDENCY_UNRESOLVED,
          "no step has the id '0d9c8a50-7d2b-4c4e-8f4a-0a5b1c2d3e22' (did you mean '" BUILD "'?)" },
        { "halt", "halt, depends_on: [" BUILD ", ffffffff-ffff-4fff-bfff-ffffffffffff]",
          "/steps/0/depends_on/1", CODE_DEPENDENCY_UNRESOLVED,
          "no step has the id 'ffffffff-ffff-4fff-bfff-ffffffffffff'" },
    };

    (void)state;
    refuse(rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_004_021_R_004_216_step_id_is_a_uuid_v4),
        cmocka_unit_test(R_004_021_step_ids_are_unique),
        cmocka_unit_test(R_004_022_R_004_023_action_has_1_to_100_characters),
        cmocka_unit_test(R_004_024_payload_is_a_map_and_may_be_empty),
        cmocka_unit_test(R_004_025_depends_on_defaults_to_none),
        cmocka_unit_test(R_004_026_R_004_220_on_failure_is_halt_skip_or_retry),
        cmocka_unit_test(R_004_027_step_timeout_null_inherits),
        cmocka_unit_test(R_004_217_no_step_waits_for_itself),
        cmocka_unit_test(R_004_158_R_004_160_R_004_217_three_steps_in_a_circle_are_refused),
        cmocka_unit_test(R_004_217_a_circle_is_found_through_each_of_two_steps_with_one_id),
        cmocka_unit_test(R_004_021_R_004_219_letters_of_either_case_name_one_step),
        cmocka_unit_test(R_004_217_steps_that_share_a_dependency_are_no_circle),
        cmocka_unit_test(R_004_219_dependencies_are_steps_of_the_plan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
