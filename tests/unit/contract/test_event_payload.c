/* SPDX-License-Identifier: Apache-2.0 */
/* test_event_payload.c: what an event may say besides, and its lineage (contract 002, section 6).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/contract/event_text.h"

#define MORE(member) "\"dryRun\": false, " member

static void R_002_003_R_002_055_R_002_057_R_002_058_R_002_059_what_may_be_there_has_its_type(
    void **state)
{
    static const struct refusal rows[] = {
        { "\"dryRun\": false", MORE("\"result\": 7"), "/payload/result", CODE_VALIDATION_ERROR,
          "result is 7, must be a map" },
        { "\"dryRun\": false", MORE("\"cancelReason\": {}"), "/payload/cancelReason",
          CODE_VALIDATION_ERROR, "cancelReason is a map of 0, must be text" },
        { "\"dryRun\": false", MORE("\"externalRefs\": []"), "/payload/externalRefs",
          CODE_VALIDATION_ERROR, "externalRefs is a list of 0, must be a map" },
        { "\"dryRun\": false", MORE("\"durationMs\": \"7\""), "/payload/durationMs",
          CODE_VALIDATION_ERROR, "durationMs is '7', must be a number" },
    };
    _checked_ struct checked c = { 0 };
    const struct event_doc *event =
        check_text(&c, &event_shape,
                   check_swap(&c.a, valid(), "\"dryRun\": false",
                              MORE("\"result\": {\"a\": 1}, \"cancelReason\": \"c\", "
                                   "\"externalRefs\": {\"pr\": 7}, \"durationMs\": 1.5")));

    (void)state;
    check_clean(&c);
    assert_int_equal(event->payload->result->count, 1);
    check_is(event->payload->cancelReason, "c");
    assert_int_equal(event->payload->externalRefs->count, 1);
    assert_true(event->payload->durationMs == 1.5);
    refuse(valid(), rows, COUNT(rows));
    check_accepts(&event_shape, valid(), "\"dryRun\": false", MORE("\"durationMs\": 7"));
}

/* What is written again has neither more nor less than was read; a duration of 0 is one. */
static void a_duration_is_written_only_if_it_was_read(void **state)
{
    _buf_ struct buf without = { .max = 1 << 16 }, zero = { .max = 1 << 16 };
    _checked_ struct checked c = { 0 }, c2 = { 0 };

    (void)state;
    shape_json(&event_shape, check_text(&c, &event_shape, valid()), &without);
    assert_null(strstr(without.s, "durationMs"));
    shape_json(
        &event_shape,
        check_text(&c2, &event_shape,
                   check_swap(&c2.a, valid(), "\"dryRun\": false", MORE("\"durationMs\": 0"))),
        &zero);
    assert_non_null(strstr(zero.s, "\"durationMs\":0"));
}

static void R_002_056_error_has_code_message_and_retryable(void **state)
{
    static const char failed[] = PAYLOAD("failed", "coherent", ERROR("MINE", "true"));
    static const struct refusal rows[] = {
        { "\"code\":\"MINE\",", "", "/payload/error", CODE_VALIDATION_ERROR,
          "a payload error needs 'code'" },
        { "\"code\":\"MINE\"", "\"code\":\"\"", "/payload/error/code", CODE_VALIDATION_ERROR,
          "code has 0 characters, allowed 1 or more" },
        { "\"message\":\"m\",", "", "/payload/error", CODE_VALIDATION_ERROR,
          "a payload error needs 'message'" },
        { ",\"retryable\":true", "", "/payload/error", CODE_VALIDATION_ERROR,
          "a payload error needs 'retryable'" },
        { "\"retryable\":true", "\"retryable\":1", "/payload/error/retryable",
          CODE_VALIDATION_ERROR, "retryable is 1, must be true or false" },
        { "{\"code\":\"MINE\",\"message\":\"m\",\"retryable\":true}", "\"MINE\"", "/payload/error",
          CODE_VALIDATION_ERROR, "error is 'MINE', must be a map" },
    };
    _checked_ struct checked c = { 0 };
    const struct event_doc *event = check_text(&c, &event_shape, failed);

    (void)state;
    check_clean(&c);
    check_is(event->payload->error->code, "MINE"); /* A02-17: the set is open */
    assert_true(event->payload->error->retryable);
    refuse(failed, rows, COUNT(rows));
}

/* A02-8 */
static void R_002_056_an_error_on_another_event_is_only_warned_of(void **state)
{
    static const struct refusal row = { "\"dryRun\": false",
                                        MORE("\"error\": {\"code\": \"X\", "
                                             "\"message\": \"\", \"retryable\": false}"),
                                        "/payload/error", CODE_ERROR_UNEXPECTED,
                                        "a planned event carries an error; only failed ones "
                                        "should" };

    (void)state;
    check_refusal(&event_shape, valid(), &row); /* it asserts good == warning */
}

static void R_002_010_R_002_061_R_002_067_lineage_names_ledger_entries(void **state)
{
    static const struct refusal rows[] = {
        { "[\"led-100\", \"led-200\"]", "[]", "/lineage/dependsOnLedgerIds", CODE_VALIDATION_ERROR,
          "dependsOnLedgerIds has 0 entries, allowed 1 or more" },
        { "\"led-200\"", "\"\"", "/lineage/dependsOnLedgerIds/1", CODE_VALIDATION_ERROR,
          "dependsOnLedgerIds has 0 characters, allowed 1 or more" },
        { "\"led-200\"", "200", "/lineage/dependsOnLedgerIds/1", CODE_VALIDATION_ERROR,
          "dependsOnLedgerIds is 200, must be text" },
        { "[\"led-100\", \"led-200\"]", "\"led-100\"", "/lineage/dependsOnLedgerIds",
          CODE_VALIDATION_ERROR,
          "dependsOnLedgerIds is 'led-100', must be a list of texts, as [\"led-100\"]" },
        { "\"dependsOnLedgerIds\":", "\"depends\":", "/lineage", CODE_VALIDATION_ERROR,
          "a lineage needs 'dependsOnLedgerIds'" },
    };

    (void)state;
    refuse(valid(), rows, COUNT(rows));
}

static void R_002_009_R_002_062_a_rerun_may_name_what_it_repeats(void **state)
{
    static const struct refusal row = { "\"led-200\"]", "\"led-200\"], \"rerunOfExecutionId\": 7",
                                        "/lineage/rerunOfExecutionId", CODE_VALIDATION_ERROR,
                                        "rerunOfExecutionId is 7, must be text" };
    _checked_ struct checked c = { 0 };
    const struct event_doc *event =
        check_text(&c, &event_shape,
                   check_swap(&c.a, valid(), "\"led-200\"]",
                              "\"led-200\"], \"rerunOfExecutionId\": \"exec-000\""));

    (void)state;
    check_clean(&c);
    check_is(event->lineage->rerunOfExecutionId, "exec-000");
    check_refusal(&event_shape, valid(), &row);
}

/* A02-9 */
static void unknown_fields_are_accepted_everywhere(void **state)
{
    static const char failed[] = PAYLOAD("failed", "coherent", ERROR("MINE", "true"));

    (void)state;
    check_accepts(&event_shape, valid(), "\"tenantId\"", "\"tenantid\": 1, \"tenantId\"");
    check_accepts(&event_shape, valid(), "\"attempt\"", "\"atempt\": 1, \"attempt\"");
    check_accepts(&event_shape, valid(), "\"dependsOnLedgerIds\"",
                  "\"more\": null, \"dependsOnLedgerIds\"");
    check_accepts(&event_shape, failed, "\"code\"", "\"detail\": {}, \"code\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            R_002_003_R_002_055_R_002_057_R_002_058_R_002_059_what_may_be_there_has_its_type),
        cmocka_unit_test(a_duration_is_written_only_if_it_was_read),
        cmocka_unit_test(R_002_056_error_has_code_message_and_retryable),
        cmocka_unit_test(R_002_056_an_error_on_another_event_is_only_warned_of),
        cmocka_unit_test(R_002_010_R_002_061_R_002_067_lineage_names_ledger_entries),
        cmocka_unit_test(R_002_009_R_002_062_a_rerun_may_name_what_it_repeats),
        cmocka_unit_test(unknown_fields_are_accepted_everywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
