/* SPDX-License-Identifier: Apache-2.0 */
/* test_result_error.c: the errors of a result, and a result held against its context (contract
 * 004). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/contract/result_text.h"

/* The failure with a text of so many characters, each two bytes long. */
static const char *long_text(struct arena *a, const char *from, const char *key, size_t chars)
{
    _buf_ struct buf text = { .max = 8192 };

    buf_addf(&text, "%s: ", key);
    for (size_t i = 0; i < chars; i++)
        buf_adds(&text, "\xc3\xa9");
    return check_swap(a, failure, from, text.s);
}

static void check_length(const char *from, const char *key, size_t most, const char *msg)
{
    _checked_ struct checked c = { 0 }, c2 = { 0 };
    const struct refusal row = { .pointer = arena_printf(&c.a, "/error/%s", key),
                                 .code = CODE_INVALID_PAYLOAD,
                                 .msg = msg };

    (void)check_text(&c, &result_shape, long_text(&c.a, from, key, most));
    check_clean(&c);
    (void)check_text(&c2, &result_shape, long_text(&c2.a, from, key, most + 1));
    check_problems(&c2, &row, 1);
}

static void R_004_055_error_code_has_1_to_50_characters(void **state)
{
    static const struct refusal rows[] = {
        { "error_code: STEP_FAILED", "error_code: ''", "/error/error_code", CODE_INVALID_PAYLOAD,
          "error_code has 0 characters, allowed 1..50" },
        { "error_code: STEP_FAILED, ", "", "/error", CODE_INVALID_PAYLOAD,
          "a plan error needs 'error_code'" },
    };

    (void)state;
    refuse(failure, rows, COUNT(rows));
    check_length("error_code: STEP_FAILED", "error_code", 50,
                 "error_code has 51 characters, allowed 1..50");
}

static void R_004_056_message_has_at_most_1000_characters(void **state)
{
    static const struct refusal row = { "message: exit 2, ", "", "/error", CODE_INVALID_PAYLOAD,
                                        "a plan error needs 'message'" };

    (void)state;
    check_refusal(&result_shape, failure, &row);
    check_length("message: exit 2", "message", 1000,
                 "message has 1001 characters, allowed 0..1000");
    check_accepts(&result_shape, failure, "message: exit 2", "message: ''");
}

static void R_004_057_step_id_is_a_uuid_v4_or_null(void **state)
{
    static const struct refusal rows[] = {
        { STEP, "build", "/error/step_id", CODE_INVALID_PAYLOAD, NOT_UUID("build") },
        { STEP, V1, "/error/step_id", CODE_INVALID_PAYLOAD, NOT_UUID(V1) },
    };
    _checked_ struct checked c = { 0 }, c2 = { 0 };

    (void)state;
    refuse(failure, rows, COUNT(rows));
    check_is(accept(&c, failure)->error->step_id, STEP);
    assert_null(accept(&c2, check_swap(&c2.a, failure, STEP, "null"))->error->step_id.s);
    check_accepts(&result_shape, failure, "step_id: " STEP ", ", "");
}

static void R_004_058_severity_is_warn_error_or_fatal(void **state)
{
    static const struct refusal rows[] = {
        { "severity: fatal", "severity: critical", "/error/severity", CODE_INVALID_PAYLOAD,
          "'critical' is not one of warn, error, fatal" },
        { "severity: fatal, ", "", "/error", CODE_INVALID_PAYLOAD,
          "a plan error needs 'severity'" },
    };
    static const char *const names[] = { "warn", "error", "fatal" };

    (void)state;
    refuse(failure, rows, COUNT(rows));
    for (int i = 0; i < SEVERITY_COUNT; i++)
        assert_string_equal(severities[i].name, names[i]);
}

static void R_004_059_recoverable_follows_severity(void **state)
{
    static const struct refusal failures[] = {
        { "recoverable: false", "recoverable: true", "/error/recoverable", CODE_INVALID_PAYLOAD,
          "recoverable is true, must be false where severity is fatal" },
        { "recoverable: false", "recoverable: 0", "/error/recoverable", CODE_INVALID_PAYLOAD,
          "recoverable is 0, must be true or false" },
        { "recoverable: false, ", "", "/error", CODE_INVALID_PAYLOAD,
          "a plan error needs 'recoverable'" },
    };
    static const struct refusal partials[] = {
        { "severity: error, recoverable: true", "severity: error, recoverable: false",
          "/error/recoverable", CODE_INVALID_PAYLOAD,
          "recoverable is false, must be true where severity is error" },
        { "severity: error, recoverable: true", "severity: warn, recoverable: false",
          "/error/recoverable", CODE_INVALID_PAYLOAD,
          "recoverable is false, must be true where severity is warn" },
    };

    (void)state;
    refuse(failure, failures, COUNT(failures));
    refuse(partial, partials, COUNT(partials));
}

#define CAUSE(recoverable, cause)                                                          \
    "{error_code: STEP_TIMEOUT, message: late, severity: error, recoverable: " recoverable \
    ", cause: " cause "}"

static void R_004_060_cause_is_an_error_or_null(void **state)
{
    static const struct refusal rows[] = {
        { "cause: null", "cause: timeout", "/error/cause", CODE_INVALID_PAYLOAD,
          "cause is 'timeout', must be a map" },
        { "cause: null", "cause: {message: m, severity: warn, recoverable: true}", "/error/cause",
          CODE_INVALID_PAYLOAD, "a plan error needs 'error_code'" },
        { "cause: null", "cause: " CAUSE("true", CAUSE("false", "null")),
          "/error/cause/cause/recoverable", CODE_INVALID_PAYLOAD,
          "recoverable is false, must be true where severity is error" },
    };
    _checked_ struct checked c = { 0 };
    const struct error_doc *error;

    (void)state;
    refuse(failure, rows, COUNT(rows));
    error = accept(&c, check_swap(&c.a, failure, "cause: null",
                                  "cause: " CAUSE("true", CAUSE("true", "null"))))
                ->error;
    check_is(error->cause->cause->message, "late");
    assert_null(error->cause->cause->cause);
    check_accepts(&result_shape, failure, "cause: null, ", "");
}

static void R_004_061_context_is_a_map_and_may_be_left_out(void **state)
{
    static const struct refusal row = { "{exit_code: 2}", "2", "/error/context",
                                        CODE_INVALID_PAYLOAD, "context is 2, must be a map" };

    _checked_ struct checked c = { 0 }, bare = { 0 };
    const struct doc *given = accept(&c, failure)->error->context, *left_out;

    (void)state;
    check_refusal(&result_shape, failure, &row);
    assert_int_equal(doc_get(given, "exit_code")->whole, 2);
    left_out = accept(&bare, check_swap(&bare.a, failure, ", context: {exit_code: 2}", ""))
                   ->error->context;
    assert_int_equal(left_out->kind, DOC_MAP);
    assert_int_equal(left_out->count, 0);
    check_accepts(&result_shape, failure, "{exit_code: 2}", "{}");
}

/* ---- the result and its context ---- */

static const char context[] =
    "plan:\n"
    "  id: " PLAN "\n"
    "  version: 1\n"
    "  created_at: 1766000000000\n"
    "  name: nightly\n"
    "  context_requirements: [region]\n"
    "  timeout_ms: 60000\n"
    "  steps:\n"
    "  - {id: 0d9c8a50-7d2b-4c4e-8f4a-0a5b1c2d3e01, action: a, payload: {}, on_failure: halt}\n"
    "  - {id: 0d9c8a50-7d2b-4c4e-8f4a-0a5b1c2d3e02, action: a, payload: {}, on_failure: halt}\n"
    "  - {id: 0d9c8a50-7d2b-4c4e-8f4a-0a5b1c2d3e03, action: a, payload: {}, on_failure: halt}\n"
    "execution_id: " RUN "\n"
    "started_at: 1766000000500\n"
    "deadline_ms: 1766000090000\n"
    "environment: {region: eu-1}\n";

/* The problems of the result with a swap, held against the context alone. */
static void fit(struct checked *c, const char *from, const char *to)
{
    _checked_ struct checked run = { 0 };
    const struct result_doc *result =
        check_text(c, &result_shape, check_swap(&c->a, success, from, to));

    c->report = report_new(&c->a, "text", c->document->text);
    result_fits_context(result, check_text(&run, &context_shape, context), &c->document->root,
                        &c->report);
    report_finish(&c->report);
}

static void R_004_043_R_004_044_R_004_049_R_004_232_a_result_fits_its_context(void **state)
{
    static const struct refusal rows[] = {
        { PLAN, STEP, "/plan_id", CODE_INVALID_PAYLOAD,
          "plan_id is '" STEP "', must be '" PLAN "' as in the context" },
        { RUN, STEP, "/execution_id", CODE_INVALID_PAYLOAD,
          "execution_id is '" STEP "', must be '" RUN "' as in the context" },
        { "steps_total: 3", "steps_total: 4", "/steps_total", CODE_INVALID_PAYLOAD,
          "steps_total is 4, must be 3, the steps of the plan" },
        { "1766000000500", "1766000000499", "/completed_at", CODE_INVALID_PAYLOAD,
          "completed_at is 1766000000499, must not be before started_at, 1766000000500" },
    };
    _checked_ struct checked equal = { 0 }, later = { 0 };

    (void)state;
    fit(&equal, "1766000000500", "1766000000500");
    check_problems(&equal, NULL, 0);
    fit(&later, "1766000000500", "1766000000501");
    check_problems(&later, NULL, 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        _checked_ struct checked c = { 0 };

        fit(&c, rows[i].from, rows[i].to);
        check_problems(&c, &rows[i], 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_004_055_error_code_has_1_to_50_characters),
        cmocka_unit_test(R_004_056_message_has_at_most_1000_characters),
        cmocka_unit_test(R_004_057_step_id_is_a_uuid_v4_or_null),
        cmocka_unit_test(R_004_058_severity_is_warn_error_or_fatal),
        cmocka_unit_test(R_004_059_recoverable_follows_severity),
        cmocka_unit_test(R_004_060_cause_is_an_error_or_null),
        cmocka_unit_test(R_004_061_context_is_a_map_and_may_be_left_out),
        cmocka_unit_test(R_004_043_R_004_044_R_004_049_R_004_232_a_result_fits_its_context),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
