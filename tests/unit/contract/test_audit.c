/* SPDX-License-Identifier: Apache-2.0 */
/* test_audit.c: the audit record of an action, which holds digests and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/executor_doc.h"
#include "unit/contract/check.h"

#define UUID   "6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11"
#define DIGEST "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static const char audit[] = "{\"event_type\":\"action_audit\",\"executor_id\":\"text_digest\","
                            "\"executor_version\":\"1.0.0\",\"status\":\"SUCCESS\","
                            "\"trace_id\":\"" UUID "\",\"duration_ms\":3,"
                            "\"input_digest\":\"" DIGEST "\",\"output_digest\":\"" DIGEST "\"}";

static void refused(const struct refusal *rows, size_t count)
{
    check_refusals(&audit_shape, audit, rows, count);
}

static void accepted(const char *from, const char *to)
{
    check_accepts(&audit_shape, audit, from, to);
}

static void a_record_is_read_as_written(void **state)
{
    _checked_ struct checked c = { 0 };
    const struct audit_doc *doc = check_text(&c, &audit_shape, audit);

    (void)state;
    check_clean(&c);
    check_is(doc->executor_id, "text_digest");
    check_is(doc->executor_version, "1.0.0");
    assert_int_equal(doc->status, ACTION_SUCCESS);
    check_is(doc->trace_id, UUID);
    assert_int_equal(doc->duration_ms, 3);
    check_is(doc->input_digest, DIGEST);
    check_is(doc->output_digest, DIGEST);
    assert_int_equal(doc->digest_alg, DIGEST_JCS);
    assert_false(doc->delivered);
}

static void R_003_047_event_type_is_action_audit(void **state)
{
    static const struct refusal rows[] = {
        { "\"event_type\":\"action_audit\",", "", "", CODE_VALIDATION_ERROR,
          "a record of an action needs 'event_type'" },
        { "action_audit", "audit", "/event_type", CODE_VALIDATION_ERROR,
          "event_type is 'audit', must be 'action_audit'" },
    };

    (void)state;
    refused(rows, COUNT(rows));
}

static void R_003_048_R_003_049_R_003_051_R_003_052_R_003_053_fields_are_needed(void **state)
{
    static const struct refusal rows[] = {
        { "\"executor_id\":\"text_digest\",", "", "", CODE_VALIDATION_ERROR,
          "a record of an action needs 'executor_id'" },
        { "text_digest", "Text", "/executor_id", CODE_VALIDATION_ERROR,
          "'Text' is not a lower_snake name such as text_digest" },
        { "1.0.0", "1", "/executor_version", CODE_VALIDATION_ERROR,
          "'1' is not a version such as 1.0.0" },
        { "\"executor_version\":\"1.0.0\",", "", "", CODE_VALIDATION_ERROR,
          "a record of an action needs 'executor_version'" },
        { "\"trace_id\":\"" UUID "\",", "", "", CODE_VALIDATION_ERROR,
          "a record of an action needs 'trace_id'" },
        { UUID, "trace-1", "/trace_id", CODE_VALIDATION_ERROR,
          "'trace-1' is not a UUID v4 such as 6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11" },
        { "\"duration_ms\":3,", "", "", CODE_VALIDATION_ERROR,
          "a record of an action needs 'duration_ms'" },
        { "\"duration_ms\":3", "\"duration_ms\":-1", "/duration_ms", CODE_VALIDATION_ERROR,
          "duration_ms is -1, allowed 0 or more" },
        { "\"input_digest\":\"" DIGEST "\",", "", "", CODE_VALIDATION_ERROR,
          "a record of an action needs 'input_digest'" },
        { "\"input_digest\":\"" DIGEST "\"", "\"input_digest\":null", "/input_digest",
          CODE_VALIDATION_ERROR, "input_digest is null, must be text" },
        { "\"input_digest\":\"" DIGEST "\"", "\"input_digest\":\"hello\"", "/input_digest",
          CODE_VALIDATION_ERROR, "'hello' is not a digest such as " DIGEST },
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted("\"duration_ms\":3", "\"duration_ms\":0");
}

static void R_003_050_status_is_one_of_four(void **state)
{
    static const struct refusal rows[] = {
        { "\"status\":\"SUCCESS\",", "", "", CODE_VALIDATION_ERROR,
          "a record of an action needs 'status'" },
        { "SUCCESS", "OK", "/status", CODE_VALIDATION_ERROR,
          "'OK' is not one of SUCCESS, FAILED, BLOCKED, PENDING" },
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted("SUCCESS", "FAILED");
    accepted("SUCCESS", "BLOCKED");
    accepted("SUCCESS", "PENDING");
}

static void R_003_054_output_digest_is_a_digest_or_null_but_there(void **state)
{
    static const struct refusal rows[] = {
        { ",\"output_digest\":\"" DIGEST "\"", "", "", CODE_VALIDATION_ERROR,
          "a record of an action needs 'output_digest'" },
        { "\"output_digest\":\"" DIGEST "\"", "\"output_digest\":\"\"", "/output_digest",
          CODE_VALIDATION_ERROR, "'' is not a digest such as " DIGEST },
        { "\"output_digest\":\"" DIGEST "\"", "\"output_digest\":{}", "/output_digest",
          CODE_VALIDATION_ERROR, "output_digest is a map of 0, must be text" },
    };
    _checked_ struct checked c = { 0 };
    const struct audit_doc *doc = check_text(
        &c, &audit_shape,
        check_swap(&c.a, audit, "\"output_digest\":\"" DIGEST "\"", "\"output_digest\":null"));
    _buf_ struct buf written = { .max = 1 << 16 };

    (void)state;
    check_clean(&c);
    assert_null(doc->output_digest.s);
    shape_json(&audit_shape, doc, &written);
    assert_non_null(strstr(written.s, "\"output_digest\":null"));
    refused(rows, COUNT(rows));
}

static void the_schema_asks_for_output_digest_and_lets_it_be_null(void **state)
{
    _buf_ struct buf schema = { .max = 1 << 16 };

    (void)state;
    shape_schema(&audit_shape, &schema);
    assert_non_null(strstr(schema.s, "\"required\":[\"duration_ms\",\"event_type\","
                                     "\"executor_id\",\"executor_version\",\"input_digest\","
                                     "\"output_digest\",\"status\",\"trace_id\"]"));
    assert_non_null(strstr(schema.s, "\"output_digest\":{\"type\":[\"string\",\"null\"]"));
    assert_non_null(strstr(schema.s, "\"input_digest\":{\"type\":\"string\""));
}

static void R_003_032_nothing_raw_can_be_recorded(void **state)
{
    static const struct refusal rows[] = {
        { "\"duration_ms\":3", "\"duration_ms\":3,\"input\":{}", "/input", CODE_VALIDATION_ERROR,
          "a record of an action has no field 'input' (did you mean 'input_digest'?)" },
        { "\"duration_ms\":3", "\"duration_ms\":3,\"reason_codes\":[\"\"]", "/reason_codes/0",
          CODE_VALIDATION_ERROR, "reason_codes has 0 characters, allowed 1 or more" },
        { "\"duration_ms\":3", "\"duration_ms\":3,\"payload\":1", "/payload", CODE_VALIDATION_ERROR,
          "a record of an action has no field 'payload'" },
        { "\"duration_ms\":3", "\"duration_ms\":3,\"digest_alg\":\"md5\"", "/digest_alg",
          CODE_VALIDATION_ERROR, "'md5' is not one of sha256-jcs, sha256-raw" },
    };

    (void)state;
    refused(rows, COUNT(rows));
    accepted(
        "\"duration_ms\":3",
        "\"duration_ms\":3,\"reason_codes\":[\"EXECUTION_ATTEMPT\"],"
        "\"digest_alg\":\"sha256-raw\",\"delivered\":true,\"ts_utc\":\"2026-01-16T10:15:30Z\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_is_read_as_written),
        cmocka_unit_test(R_003_047_event_type_is_action_audit),
        cmocka_unit_test(R_003_048_R_003_049_R_003_051_R_003_052_R_003_053_fields_are_needed),
        cmocka_unit_test(R_003_050_status_is_one_of_four),
        cmocka_unit_test(R_003_054_output_digest_is_a_digest_or_null_but_there),
        cmocka_unit_test(the_schema_asks_for_output_digest_and_lets_it_be_null),
        cmocka_unit_test(R_003_032_nothing_raw_can_be_recorded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
