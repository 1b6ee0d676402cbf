/* SPDX-License-Identifier: Apache-2.0 */
/* test_executor.c: executors, calls of them and what comes of a call (contract 003). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/executor_doc.h"
#include "unit/contract/check.h"

#define UUID   "6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11"
#define DIGEST "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static const char executor[] = "executor_id: text_digest\n"
                               "version: '1.0.0'\n"
                               "capabilities: [TEXT]\n"
                               "limits: {timeout_ms: 1000, max_payload_bytes: 65536, max_depth: 8, "
                               "max_list_items: 100}\n";

static const char action[] = "{\"executor_id\":\"text_digest\",\"payload\":{\"text\":\"a\"}}";

static const char result[] = "{\"executor_id\":\"text_digest\",\"executor_version\":\"1.0.0\","
                             "\"status\":\"SUCCESS\",\"reason_codes\":[],"
                             "\"input_digest\":\"" DIGEST "\",\"output_digest\":\"" DIGEST "\","
                             "\"trace_id\":\"" UUID "\",\"duration_ms\":3,"
                             "\"ts_utc\":\"2026-01-16T10:15:30Z\"}";

static void R_003_004_R_003_062_executor_id_is_lower_snake(void **state)
{
    static const struct refusal rows[] = {
        { "executor_id: text_digest\n", "", "", CODE_VALIDATION_ERROR,
          "a pure executor needs 'executor_id'" },
        { "text_digest", "TextDigest", "/executor_id", CODE_VALIDATION_ERROR,
          "'TextDigest' is not a lower_snake name such as text_digest" },
        { "text_digest", "text-digest", "/executor_id", CODE_VALIDATION_ERROR,
          "'text-digest' is not a lower_snake name such as text_digest" },
        { "text_digest", "text__digest", "/executor_id", CODE_VALIDATION_ERROR,
          "'text__digest' is not a lower_snake name such as text_digest" },
        { "text_digest", "_text", "/executor_id", CODE_VALIDATION_ERROR,
          "'_text' is not a lower_snake name such as text_digest" },
        { "text_digest",
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
          "/executor_id", CODE_VALIDATION_ERROR, "executor_id has 201 characters, allowed 1..200" },
        { "text_digest", "7", "/executor_id", CODE_VALIDATION_ERROR,
          "executor_id is 7, must be text" },
    };

    (void)state;
    check_refusals(&executor_shape, executor, rows, COUNT(rows));
    check_accepts(&executor_shape, executor, "text_digest", "noop");
    check_accepts(&executor_shape, executor, "text_digest", "sha256_of_text");
}

static void R_003_005_R_003_028_R_003_063_version_is_x_y_z(void **state)
{
    static const struct refusal rows[] = {
        { "version: '1.0.0'\n", "", "", CODE_VALIDATION_ERROR, "a pure executor needs 'version'" },
        { "'1.0.0'", "'1.0'", "/version", CODE_VALIDATION_ERROR,
          "'1.0' is not a version such as 1.0.0" },
        { "'1.0.0'", "'1.0.0-rc1'", "/version", CODE_VALIDATION_ERROR,
          "'1.0.0-rc1' is not a version such as 1.0.0" },
        { "'1.0.0'", "'1.0.x'", "/version", CODE_VALIDATION_ERROR,
          "'1.0.x' is not a version such as 1.0.0" },
    };

    (void)state;
    check_refusals(&executor_shape, executor, rows, COUNT(rows));
    check_accepts(&executor_shape, executor, "'1.0.0'", "'10.20.30'");
}

static void R_003_006_R_003_064_capabilities_are_declared_and_may_be_none(void **state)
{
    static const struct refusal rows[] = {
        { "capabilities: [TEXT]\n", "", "", CODE_VALIDATION_ERROR,
          "a pure executor needs 'capabilities'" },
        { "[TEXT]", "TEXT", "/capabilities", CODE_VALIDATION_ERROR,
          "capabilities is 'TEXT', must be a list of texts, as [\"TEXT\"]" },
        { "[TEXT]", "[TEXT, 5]", "/capabilities/1", CODE_VALIDATION_ERROR,
          "capabilities is 5, must be text" },
        { "[TEXT]", "['']", "/capabilities/0", CODE_VALIDATION_ERROR,
          "capabilities has 0 characters, allowed 1 or more" },
    };

    (void)state;
    check_refusals(&executor_shape, executor, rows, COUNT(rows));
    check_accepts(&executor_shape, executor, "[TEXT]", "[]");
    check_accepts(&executor_shape, executor, "[TEXT]", "[text]");
}

static void R_003_007_capabilities_are_normalised(void **state)
{
    static const char *const normal[] = { "A_B", "DIGEST", "TEXT" };
    _checked_ struct checked c = { 0 }, none = { 0 };
    const struct executor_doc *doc = check_text(
        &c, &executor_shape,
        check_swap(&c.a, executor, "[TEXT]", "[text, ' Digest ', TEXT, \"a_B\\t\", '  ', digest]"));
    struct items out;

    (void)state;
    check_clean(&c);
    capabilities_normal(&doc->capabilities, &c.a, &out);
    check_texts(&out, normal, COUNT(normal));
    check_is(((const struct str *)doc->capabilities.v)[0],
             "text"); /* the document stays as it is */

    doc = check_text(&none, &executor_shape, check_swap(&none.a, executor, "[TEXT]", "[]"));
    capabilities_normal(&doc->capabilities, &none.a, &out);
    assert_int_equal(out.n, 0);
}

static void
R_003_008_R_003_009_R_003_010_R_003_011_R_003_012_R_003_065_all_four_limits_are_positive_whole_numbers(
    void **state)
{
    static const struct refusal rows[] = {
        { "limits: {", "more: {", "", CODE_VALIDATION_ERROR, "a pure executor needs 'limits'" },
        { "limits: {", "limits: 1000\nmore: {", "/limits", CODE_VALIDATION_ERROR,
          "limits is 1000, must be a map" },
        { "timeout_ms: 1000, ", "", "/limits", CODE_VALIDATION_ERROR,
          "a pure executor's limits needs 'timeout_ms'" },
        { "max_payload_bytes: 65536, ", "", "/limits", CODE_VALIDATION_ERROR,
          "a pure executor's limits needs 'max_payload_bytes'" },
        { "max_depth: 8, ", "", "/limits", CODE_VALIDATION_ERROR,
          "a pure executor's limits needs 'max_depth'" },
        { ", max_list_items: 100", "", "/limits", CODE_VALIDATION_ERROR,
          "a pure executor's limits needs 'max_list_items'" },
        { "timeout_ms: 1000", "timeout_ms: 0", "/limits/timeout_ms", CODE_VALIDATION_ERROR,
          "timeout_ms is 0, allowed 1 or more" },
        { "timeout_ms: 1000", "timeout_ms: 1.5", "/limits/timeout_ms", CODE_VALIDATION_ERROR,
          "timeout_ms is 1.5, must be a whole number" },
        { "max_payload_bytes: 65536", "max_payload_bytes: 64k", "/limits/max_payload_bytes",
          CODE_VALIDATION_ERROR, "max_payload_bytes is '64k', must be a whole number" },
        { "max_payload_bytes: 65536", "max_payload_bytes: 0", "/limits/max_payload_bytes",
          CODE_VALIDATION_ERROR, "max_payload_bytes is 0, allowed 1 or more" },
        { "max_list_items: 100", "max_list_items: 0", "/limits/max_list_items",
          CODE_VALIDATION_ERROR, "max_list_items is 0, allowed 1 or more" },
        { "max_depth: 8", "max_depth: -1", "/limits/max_depth", CODE_VALIDATION_ERROR,
          "max_depth is -1, allowed 1 or more" },
        { "max_list_items: 100", "max_list_items: null", "/limits/max_list_items",
          CODE_VALIDATION_ERROR, "max_list_items is null, must be a whole number" },
        { "max_depth: 8", "max_depth: 8, max_keys: 5", "/limits/max_keys", CODE_VALIDATION_ERROR,
          "a pure executor's limits has no field 'max_keys'; it has timeout_ms, max_payload_bytes, max_depth, max_list_items" },
    };
    _checked_ struct checked c = { 0 };
    const struct executor_doc *doc = check_text(&c, &executor_shape, executor);

    (void)state;
    check_clean(&c);
    assert_int_equal(doc->limits->timeout_ms, 1000);
    assert_int_equal(doc->limits->max_payload_bytes, 65536);
    assert_int_equal(doc->limits->max_depth, 8);
    assert_int_equal(doc->limits->max_list_items, 100);
    check_refusals(&executor_shape, executor, rows, COUNT(rows));
    check_accepts(&executor_shape, executor, "max_payload_bytes: 65536", "max_payload_bytes: 1");
    check_accepts(&executor_shape, executor, "max_list_items: 100", "max_list_items: 1");
}

static void R_003_058_more_fields_may_come_but_known_ones_keep_their_type(void **state)
{
    static const struct refusal rows[] = {
        { "version:", "kind: python\nversion:", "/kind", CODE_VALIDATION_ERROR,
          "'python' is not one of builtin, wasm, jq" },
        { "version:", "fixtures: {}\nversion:", "/fixtures", CODE_VALIDATION_ERROR,
          "fixtures is a map of 0, must be a list of maps" },
    };

    (void)state;
    check_refusals(&executor_shape, executor, rows, COUNT(rows));
    check_accepts(&executor_shape, executor, "version:", "description: hashes text\nversion:");
    check_accepts(&executor_shape, executor, "version:",
                  "kind: wasm\nsource: digest.wasm\nfixtures: [{payload: {}}]\nversion:");
}

static void R_003_014_an_action_names_an_executor_and_has_a_payload(void **state)
{
    static const struct refusal rows[] = {
        { "\"executor_id\":\"text_digest\",", "", "", CODE_VALIDATION_ERROR,
          "a call of an executor needs 'executor_id'" },
        { ",\"payload\":{\"text\":\"a\"}", "", "", CODE_VALIDATION_ERROR,
          "a call of an executor needs 'payload'" },
        { ",\"payload\"", ",\"trace_id\":\"7\",\"payload\"", "/trace_id", CODE_VALIDATION_ERROR,
          "'7' is not a UUID v4 such as 6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11" },
        { ",\"payload\"", ",\"executor_version\":\"1\",\"payload\"", "/executor_version",
          CODE_VALIDATION_ERROR, "'1' is not a version such as 1.0.0" },
        { ",\"payload\"", ",\"env\":{},\"payload\"", "/env", CODE_VALIDATION_ERROR,
          "a call of an executor has no field 'env'; it has executor_id, payload, trace_id, executor_version" },
    };

    (void)state;
    check_refusals(&action_shape, action, rows, COUNT(rows));
    check_accepts(&action_shape, action, "{\"text\":\"a\"}", "null");
    check_accepts(&action_shape, action, "{\"text\":\"a\"}", "[1,2]");
    check_accepts(&action_shape, action, ",\"payload\"",
                  ",\"trace_id\":\"" UUID "\",\"executor_version\":\"1.0.0\",\"payload\"");
}

static void R_003_032_a_result_has_digests_and_whose_they_are(void **state)
{
    static const struct refusal rows[] = {
        { "\"executor_id\":\"text_digest\",", "", "", CODE_VALIDATION_ERROR,
          "a result of an action needs 'executor_id'" },
        { "text_digest", "Text", "/executor_id", CODE_VALIDATION_ERROR,
          "'Text' is not a lower_snake name such as text_digest" },
        { "\"executor_version\":\"1.0.0\",", "", "", CODE_VALIDATION_ERROR,
          "a result of an action needs 'executor_version'" },
        { "1.0.0", "1", "/executor_version", CODE_VALIDATION_ERROR,
          "'1' is not a version such as 1.0.0" },
        { "\"status\":\"SUCCESS\",", "", "", CODE_VALIDATION_ERROR,
          "a result of an action needs 'status'" },
        { "\"reason_codes\":[]", "\"reason_codes\":[\"\"]", "/reason_codes/0",
          CODE_VALIDATION_ERROR, "reason_codes has 0 characters, allowed 1 or more" },
        { "\"input_digest\":\"" DIGEST "\",", "", "", CODE_VALIDATION_ERROR,
          "a result of an action needs 'input_digest'" },
        { "\"input_digest\":\"" DIGEST "\"", "\"input_digest\":\"hello\"", "/input_digest",
          CODE_VALIDATION_ERROR, "'hello' is not a digest such as " DIGEST },
        { "\"output_digest\":\"" DIGEST "\",", "", "", CODE_VALIDATION_ERROR,
          "a result of an action needs 'output_digest'" },
        { "\"output_digest\":\"" DIGEST "\"", "\"output_digest\":\"hello\"", "/output_digest",
          CODE_VALIDATION_ERROR, "'hello' is not a digest such as " DIGEST },
        { "\"trace_id\":\"" UUID "\",", "", "", CODE_VALIDATION_ERROR,
          "a result of an action needs 'trace_id'" },
        { UUID, "7", "/trace_id", CODE_VALIDATION_ERROR,
          "'7' is not a UUID v4 such as 6f1c1f6e-3c1e-4b0a-9d3e-2f6f0c0a7b11" },
        { "\"duration_ms\":3,", "", "", CODE_VALIDATION_ERROR,
          "a result of an action needs 'duration_ms'" },
        { ",\"ts_utc\":\"2026-01-16T10:15:30Z\"", "", "", CODE_VALIDATION_ERROR,
          "a result of an action needs 'ts_utc'" },
    };

    (void)state;
    check_refusals(&action_result_shape, result, rows, COUNT(rows));
    check_accepts(&action_result_shape, result, "\"reason_codes\":[]", "\"reason_codes\":[\"X\"]");
}

static void R_003_032_a_result_is_closed_and_says_why_it_failed(void **state)
{
    static const struct refusal rows[] = {
        { "\"SUCCESS\"", "\"PENDING\"", "/status", CODE_VALIDATION_ERROR,
          "'PENDING' is not one of SUCCESS, FAILED, BLOCKED" },
        { "\"SUCCESS\"", "\"FAILED\"", "/reason_codes", CODE_VALIDATION_ERROR,
          "a FAILED result needs a reason code" },
        { "\"SUCCESS\"", "\"BLOCKED\"", "/reason_codes", CODE_VALIDATION_ERROR,
          "a BLOCKED result needs a reason code" },
        { "\"reason_codes\":[],", "", "", CODE_VALIDATION_ERROR,
          "a result of an action needs 'reason_codes'" },
        { "\"input_digest\":\"" DIGEST "\"", "\"input_digest\":null", "/input_digest",
          CODE_VALIDATION_ERROR, "input_digest is null, must be text" },
        { "\"duration_ms\":3", "\"duration_ms\":-1", "/duration_ms", CODE_VALIDATION_ERROR,
          "duration_ms is -1, allowed 0 or more" },
        { "\"duration_ms\":3", "\"duration_ms\":3,\"output\":{}", "/output", CODE_VALIDATION_ERROR,
          "a result of an action has no field 'output' (did you mean 'output_digest'?)" },
    };

    (void)state;
    check_refusals(&action_result_shape, result, rows, COUNT(rows));
    check_accepts(&action_result_shape, result, "\"SUCCESS\",\"reason_codes\":[]",
                  "\"FAILED\",\"reason_codes\":[\"EXECUTOR_EXCEPTION\"]");
    check_accepts(&action_result_shape, result, "\"output_digest\":\"" DIGEST "\"",
                  "\"output_digest\":null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_003_004_R_003_062_executor_id_is_lower_snake),
        cmocka_unit_test(R_003_005_R_003_028_R_003_063_version_is_x_y_z),
        cmocka_unit_test(R_003_006_R_003_064_capabilities_are_declared_and_may_be_none),
        cmocka_unit_test(R_003_007_capabilities_are_normalised),
        cmocka_unit_test(
            R_003_008_R_003_009_R_003_010_R_003_011_R_003_012_R_003_065_all_four_limits_are_positive_whole_numbers),
        cmocka_unit_test(R_003_058_more_fields_may_come_but_known_ones_keep_their_type),
        cmocka_unit_test(R_003_014_an_action_names_an_executor_and_has_a_payload),
        cmocka_unit_test(R_003_032_a_result_has_digests_and_whose_they_are),
        cmocka_unit_test(R_003_032_a_result_is_closed_and_says_why_it_failed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
