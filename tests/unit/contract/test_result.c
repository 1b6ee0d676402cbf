/* SPDX-License-Identifier: Apache-2.0 */
/* test_result.c: how a plan ended (contract 004, sections 3 and 5, and appendix). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/contract/result_text.h"

static void R_004_043_R_004_044_R_004_226_ids_are_uuid_v4(void **state)
{
    static const struct refusal rows[] = {
        { PLAN, "nightly", "/plan_id", CODE_INVALID_PAYLOAD, NOT_UUID("nightly") },
        { PLAN, V1, "/plan_id", CODE_INVALID_PAYLOAD, NOT_UUID(V1) },
        { RUN, V1, "/execution_id", CODE_INVALID_PAYLOAD, NOT_UUID(V1) },
        { RUN, "''", "/execution_id", CODE_INVALID_PAYLOAD, NOT_UUID("") },
    };

    (void)state;
    refuse(success, rows, COUNT(rows));
}

static void R_004_045_R_004_227_status_is_one_of_three(void **state)
{
    static const struct refusal rows[] = {
        { "status: success", "status: succeeded", "/status", CODE_INVALID_PAYLOAD,
          "'succeeded' is not one of success, partial, failure (did you mean 'success'?)" },
        { "status: success", "status: 1", "/status", CODE_INVALID_PAYLOAD,
          "1 is not one of success, partial, failure" },
    };
    _checked_ struct checked a = { 0 }, b = { 0 }, c = { 0 };

    (void)state;
    refuse(success, rows, COUNT(rows));
    assert_int_equal(accept(&a, success)->status, PLAN_SUCCESS);
    assert_int_equal(accept(&b, partial)->status, PLAN_PARTIAL);
    assert_int_equal(accept(&c, failure)->status, PLAN_FAILURE);
}

static void R_004_046_R_004_047_R_004_231_times_are_whole_and_not_negative(void **state)
{
    static const struct refusal rows[] = {
        { "1766000000500", "0", "/completed_at", CODE_INVALID_PAYLOAD,
          "completed_at is 0, allowed 1 or more" },
        { "duration_ms: 500", "duration_ms: -1", "/duration_ms", CODE_INVALID_PAYLOAD,
          "duration_ms is -1, allowed 0 or more" },
        { "duration_ms: 500", "duration_ms: 0.5", "/duration_ms", CODE_INVALID_PAYLOAD,
          "duration_ms is 0.5, must be a whole number" },
    };

    (void)state;
    refuse(success, rows, COUNT(rows));
    check_accepts(&result_shape, success, "duration_ms: 500", "duration_ms: 0");
}

static void R_004_048_R_004_230_steps_executed_is_0_to_steps_total(void **state)
{
    static const struct refusal rows[] = {
        { "steps_executed: 1", "steps_executed: -1", "/steps_executed", CODE_INVALID_PAYLOAD,
          "steps_executed is -1, allowed 0 or more" },
        { "steps_executed: 1", "steps_executed: 4", "/steps_executed", CODE_INVALID_PAYLOAD,
          "steps_executed is 4, must not be above steps_total, 3" },
        { "steps_total: 3", "steps_total: 0", "/steps_executed", CODE_INVALID_PAYLOAD,
          "steps_executed is 1, must not be above steps_total, 0" },
    };
    static const struct refusal row = { "steps_executed: 3", "steps_executed: 4", "/steps_executed",
                                        CODE_INVALID_PAYLOAD,
                                        "steps_executed is 4, must not be above steps_total, 3" };

    (void)state;
    refuse(failure, rows, COUNT(rows));
    check_refusal(&result_shape, success, &row);
}

static void R_004_050_result_payload_is_always_there(void **state)
{
    static const struct refusal rows[] = {
        { "result_payload: {a: 1}\n", "", "", CODE_INVALID_PAYLOAD,
          "a result needs 'result_payload'" },
        { "{a: 1}", "null", "/result_payload", CODE_INVALID_PAYLOAD,
          "result_payload is null, must be a map" },
    };
    _checked_ struct checked c = { 0 };

    (void)state;
    refuse(success, rows, COUNT(rows));
    assert_int_equal(accept(&c, success)->result_payload->count, 1);
    check_accepts(&result_shape, success, "{a: 1}", "{}");
}

static void every_other_field_is_needed(void **state)
{
    static const struct refusal rows[] = {
        { "plan_id: " PLAN "\n", "", "", CODE_INVALID_PAYLOAD, "a result needs 'plan_id'" },
        { "execution_id: " RUN "\n", "", "", CODE_INVALID_PAYLOAD,
          "a result needs 'execution_id'" },
        { "status: failure\n", "", "", CODE_INVALID_PAYLOAD, "a result needs 'status'" },
        { "completed_at: 1766000000500\n", "", "", CODE_INVALID_PAYLOAD,
          "a result needs 'completed_at'" },
        { "duration_ms: 500\n", "", "", CODE_INVALID_PAYLOAD, "a result needs 'duration_ms'" },
        { "steps_executed: 1\n", "", "", CODE_INVALID_PAYLOAD, "a result needs 'steps_executed'" },
        { "steps_total: 3\n", "", "", CODE_INVALID_PAYLOAD, "a result needs 'steps_total'" },
    };

    (void)state;
    refuse(failure, rows, COUNT(rows));
}

static void R_004_051_R_004_095_R_004_228_a_success_has_no_error(void **state)
{
    static const struct refusal row = { "error: null\n", ERROR("warn", "true"), "/error",
                                        CODE_INVALID_PAYLOAD, "a success must not have an error" };
    _checked_ struct checked c = { 0 };

    (void)state;
    check_refusal(&result_shape, success, &row);
    assert_null(accept(&c, success)->error);
    check_accepts(&result_shape, success, "error: null\n", "");
}

static void R_004_051_R_004_115_R_004_121_R_004_138_R_004_229_a_partial_and_a_failure_have_one(
    void **state)
{
    static const struct refusal partials[] = {
        { ERROR("error", "true"), "", "", CODE_INVALID_PAYLOAD, "a partial needs an error" },
        { ERROR("error", "true"), "error: null\n", "/error", CODE_INVALID_PAYLOAD,
          "a partial needs an error" },
        { ERROR("error", "true"), "error: exit 2\n", "/error", CODE_INVALID_PAYLOAD,
          "error is 'exit 2', must be a map" },
    };
    static const struct refusal failures[] = {
        { ERROR("fatal", "false"), "", "", CODE_INVALID_PAYLOAD, "a failure needs an error" },
        { ERROR("fatal", "false"), "error: null\n", "/error", CODE_INVALID_PAYLOAD,
          "a failure needs an error" },
    };

    (void)state;
    refuse(partial, partials, COUNT(partials));
    refuse(failure, failures, COUNT(failures));
}

static void R_004_052_R_004_092_in_a_success_all_steps_were_executed(void **state)
{
    static const struct refusal rows[] = {
        { "steps_executed: 3", "steps_executed: 2", "/steps_executed", CODE_INVALID_PAYLOAD,
          "steps_executed is 2, must be 3 (all) in a success" },
        { "steps_executed: 3", "steps_executed: 0", "/steps_executed", CODE_INVALID_PAYLOAD,
          "steps_executed is 0, must be 3 (all) in a success" },
    };

    (void)state;
    refuse(success, rows, COUNT(rows));
}

static void R_004_053_R_004_108_R_004_112_in_a_partial_some_but_not_all(void **state)
{
    static const struct refusal rows[] = {
        { "steps_executed: 2", "steps_executed: 0", "/steps_executed", CODE_INVALID_PAYLOAD,
          "steps_executed is 0 of 3, must be some but not all in a partial" },
        { "steps_executed: 2", "steps_executed: 3", "/steps_executed", CODE_INVALID_PAYLOAD,
          "steps_executed is 3 of 3, must be some but not all in a partial" },
    };

    (void)state;
    refuse(partial, rows, COUNT(rows));
    check_accepts(&result_shape, partial, "steps_executed: 2", "steps_executed: 1");
}

static void R_004_136_in_a_failure_not_all(void **state)
{
    static const struct refusal row = { "steps_executed: 1", "steps_executed: 3", "/steps_executed",
                                        CODE_INVALID_PAYLOAD,
                                        "steps_executed is 3 of 3, must not be all in a failure" };

    (void)state;
    check_refusal(&result_shape, failure, &row);
    check_accepts(&result_shape, failure, "steps_executed: 1", "steps_executed: 0");
    check_accepts(&result_shape, failure, "steps_executed: 1", "steps_executed: 2");
    /* A04-24: of a plan without steps none were executed, and that is a failure. */
    check_accepts(&result_shape, failure, "steps_executed: 1\nsteps_total: 3",
                  "steps_executed: 0\nsteps_total: 0");
}

static void R_004_053_R_004_054_R_004_137_R_004_145_fatal_and_failure_go_together(void **state)
{
    static const struct refusal failures[] = {
        { ERROR("fatal", "false"), ERROR("error", "true"), "/error/severity", CODE_INVALID_PAYLOAD,
          "severity is error, must be fatal in a failure" },
        { ERROR("fatal", "false"), ERROR("warn", "true"), "/error/severity", CODE_INVALID_PAYLOAD,
          "severity is warn, must be fatal in a failure" },
    };
    static const struct refusal row = { ERROR("error", "true"), ERROR("fatal", "false"),
                                        "/error/severity", CODE_INVALID_PAYLOAD,
                                        "severity is fatal, must be warn or error in a partial" };

    (void)state;
    refuse(failure, failures, COUNT(failures));
    check_refusal(&result_shape, partial, &row);
    check_accepts(&result_shape, partial, "severity: error", "severity: warn");
}

static void a_result_is_written_as_it_was_read(void **state)
{
    static const char *const texts[] = { success, partial, failure };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        _buf_ struct buf once = { .max = 1 << 16 }, twice = { .max = 1 << 16 };
        _checked_ struct checked c = { 0 }, c2 = { 0 };

        shape_json(&result_shape, accept(&c, texts[i]), &once);
        shape_json(&result_shape, accept(&c2, once.s), &twice);
        assert_string_equal(once.s, twice.s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_004_043_R_004_044_R_004_226_ids_are_uuid_v4),
        cmocka_unit_test(R_004_045_R_004_227_status_is_one_of_three),
        cmocka_unit_test(R_004_046_R_004_047_R_004_231_times_are_whole_and_not_negative),
        cmocka_unit_test(R_004_048_R_004_230_steps_executed_is_0_to_steps_total),
        cmocka_unit_test(R_004_050_result_payload_is_always_there),
        cmocka_unit_test(every_other_field_is_needed),
        cmocka_unit_test(R_004_051_R_004_095_R_004_228_a_success_has_no_error),
        cmocka_unit_test(
            R_004_051_R_004_115_R_004_121_R_004_138_R_004_229_a_partial_and_a_failure_have_one),
        cmocka_unit_test(R_004_052_R_004_092_in_a_success_all_steps_were_executed),
        cmocka_unit_test(R_004_053_R_004_108_R_004_112_in_a_partial_some_but_not_all),
        cmocka_unit_test(R_004_136_in_a_failure_not_all),
        cmocka_unit_test(R_004_053_R_004_054_R_004_137_R_004_145_fatal_and_failure_go_together),
        cmocka_unit_test(a_result_is_written_as_it_was_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
