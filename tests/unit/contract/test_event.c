/* SPDX-License-Identifier: Apache-2.0 */
/* test_event.c: what every event says (contract 002, sections 6 and 9). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/contract/event_text.h"

/* ---- section 9 ---- */

static void R_002_081_the_valid_example_passes(void **state)
{
    _checked_ struct checked c = { 0 };
    const struct event_doc *event = check_text(&c, &event_shape, valid());

    (void)state;
    check_clean(&c);
    check_is(event->tenantId, "t-001");
    check_is(event->robotId, "r-001");
    assert_int_equal(event->state, EVENT_PLANNED);
    check_is(event->payload->executionId, "exec-001");
    check_is(event->payload->action, "plan_site_plan");
    assert_int_equal(event->payload->attempt, 1);
    assert_int_equal(event->payload->coherenceStatus, COHERENCE_COHERENT);
    assert_false(event->payload->dryRun);
    check_texts(&event->lineage->dependsOnLedgerIds, (const char *const[]){ "led-100", "led-200" },
                2);
}

static void R_002_082_the_invalid_example_fails_for_the_stated_reasons(void **state)
{
    static const struct refusal rows[] = {
        { .pointer = "/payload/error/code",
          .code = CODE_VALIDATION_ERROR,
          .msg = "a stale event has error.code COHERENCE_BLOCKED, not 'MODEL_OUTPUT_INVALID'" },
        { .pointer = "/payload/error/retryable",
          .code = CODE_VALIDATION_ERROR,
          .msg = "a stale event has error.retryable false, not true" },
        { .pointer = "/lineage/dependsOnLedgerIds",
          .code = CODE_VALIDATION_ERROR,
          .msg = "dependsOnLedgerIds has 0 entries, allowed 1 or more" },
    };
    _checked_ struct checked c = { 0 };

    (void)state;
    (void)check_text(&c, &event_shape, data_text(&c.a, "contract-002/invalid.json"));
    check_problems(&c, rows, COUNT(rows));
    assert_false(c.good);
}

/* ---- section 6 ---- */

static void R_002_002_R_002_037_R_002_038_tenant_and_robot_are_not_empty(void **state)
{
    static const struct refusal rows[] = {
        { "\"t-001\"", "\"\"", "/tenantId", CODE_VALIDATION_ERROR,
          "tenantId has 0 characters, allowed 1 or more" },
        { "\"t-001\"", "7", "/tenantId", CODE_VALIDATION_ERROR, "tenantId is 7, must be text" },
        { "\"tenantId\": \"t-001\",", "", "", CODE_VALIDATION_ERROR,
          "a ledger event needs 'tenantId'" },
        { "\"r-001\"", "\"\"", "/robotId", CODE_VALIDATION_ERROR,
          "robotId has 0 characters, allowed 1 or more" },
        { "\"robotId\": \"r-001\",", "", "", CODE_VALIDATION_ERROR,
          "a ledger event needs 'robotId'" },
    };

    (void)state;
    refuse(valid(), rows, COUNT(rows));
}

static void R_002_039_R_002_040_R_002_041_R_002_063_literals_do_not_vary(void **state)
{
    static const struct refusal rows[] = {
        { "\"module\": \"agent-builder\"", "\"module\": \"writ\"", "/module", CODE_VALIDATION_ERROR,
          "module is 'writ', must be 'agent-builder'" },
        { "\"module\": \"agent-builder\",", "", "", CODE_VALIDATION_ERROR,
          "a ledger event needs 'module'" },
        { "\"source\": \"agent-builder\"", "\"source\": \"Agent-Builder\"", "/source",
          CODE_VALIDATION_ERROR, "source is 'Agent-Builder', must be 'agent-builder'" },
        { "\"source\": \"agent-builder\",", "", "", CODE_VALIDATION_ERROR,
          "a ledger event needs 'source'" },
        { "\"execution_event\"", "\"event\"", "/type", CODE_VALIDATION_ERROR,
          "type is 'event', must be 'execution_event'" },
        { "\"execution_event\"", "null", "/type", CODE_VALIDATION_ERROR,
          "type is null, must be 'execution_event'" },
        { "\"type\": \"execution_event\",", "", "", CODE_VALIDATION_ERROR,
          "a ledger event needs 'type'" },
    };

    (void)state;
    refuse(valid(), rows, COUNT(rows));
}

static void R_002_003_R_002_019_R_002_042_state_is_one_of_five(void **state)
{
    static const struct refusal rows[] = {
        { "\"planned\"", "\"queued\"", "/state", CODE_VALIDATION_ERROR,
          "'queued' is not one of planned, running, succeeded, failed, cancelled" },
        { "\"planned\"", "\"canceled\"", "/state", CODE_VALIDATION_ERROR,
          "'canceled' is not one of planned, running, succeeded, failed, cancelled (did you mean "
          "'cancelled'?)" },
        { "\"planned\"", "\"Planned\"", "/state", CODE_VALIDATION_ERROR,
          "'Planned' is not one of planned, running, succeeded, failed, cancelled (did you mean "
          "'planned'?)" },
        { "\"state\": \"planned\",", "", "", CODE_VALIDATION_ERROR,
          "a ledger event needs 'state'" },
    };

    (void)state;
    refuse(valid(), rows, COUNT(rows));
    check_accepts(&event_shape, valid(), "\"planned\"", "\"running\"");
}

static void R_002_043_R_002_052_R_002_065_times_are_rfc_3339(void **state)
{
    static const struct refusal rows[] = {
        { "2025-01-19T10:15:30.000Z", "yesterday", "/createdAt", CODE_VALIDATION_ERROR, NULL },
        { "2025-01-19T10:15:30.000Z", "2025-01-19", "/createdAt", CODE_VALIDATION_ERROR, NULL },
        { "2025-01-19T10:15:30.000Z", "2025-01-19T10:15:30", "/createdAt", CODE_VALIDATION_ERROR,
          NULL },
        { "2025-01-19T10:00:00.000Z", "2025-02-30T10:00:00Z", "/payload/snapshotAt",
          CODE_VALIDATION_ERROR, NULL },
        { "2025-01-19T10:00:00.000Z", "", "/payload/snapshotAt", CODE_VALIDATION_ERROR, NULL },
    };
    static const struct refusal kinds[] = {
        { "\"2025-01-19T10:15:30.000Z\"", "1737281730000", "/createdAt", CODE_VALIDATION_ERROR,
          "createdAt is 1737281730000, must be text" },
        { "\"createdAt\": \"2025-01-19T10:15:30.000Z\",", "", "", CODE_VALIDATION_ERROR,
          "a ledger event needs 'createdAt'" },
        { "\"snapshotAt\": \"2025-01-19T10:00:00.000Z\",", "", "/payload", CODE_VALIDATION_ERROR,
          "a payload needs 'snapshotAt'" },
    };

    (void)state;
    refuse(valid(), kinds, COUNT(kinds));
    for (size_t i = 0; i < COUNT(rows); i++) {
        _checked_ struct checked c = { 0 };
        const char *begin;

        (void)check_text(&c, &event_shape, check_swap(&c.a, valid(), rows[i].from, rows[i].to));
        begin = arena_printf(&c.a, NOT_STAMP("%s"), rows[i].to);
        assert_int_equal(c.report.errors, 1);
        assert_string_equal(c.report.first->pointer, rows[i].pointer);
        assert_int_equal(c.report.first->code, rows[i].code);
        /* What follows the colon is the reason; test_values.c has those. */
        assert_memory_equal(c.report.first->msg, begin, strlen(begin));
    }
    check_accepts(&event_shape, valid(), "2025-01-19T10:15:30.000Z", "2025-01-19T10:15:30Z");
    check_accepts(&event_shape, valid(), "2025-01-19T10:15:30.000Z",
                  "2025-01-19T12:15:30.123456+02:00");
}

static void R_002_044_R_002_060_payload_and_lineage_are_objects(void **state)
{
    static const struct refusal rows[] = {
        { "\"payload\": {", "\"payload\": 7, \"x\": {", "/payload", CODE_VALIDATION_ERROR,
          "payload is 7, must be a map" },
        { "\"payload\": {", "\"payload\": [], \"x\": {", "/payload", CODE_VALIDATION_ERROR,
          "payload is a list of 0, must be a map" },
        { "\"payload\": {", "\"x\": {", "", CODE_VALIDATION_ERROR,
          "a ledger event needs 'payload'" },
        { "\"lineage\": {", "\"lineage\": \"led-1\", \"x\": {", "/lineage", CODE_VALIDATION_ERROR,
          "lineage is 'led-1', must be a map" },
        { "\"lineage\": {", "\"x\": {", "", CODE_VALIDATION_ERROR,
          "a ledger event needs 'lineage'" },
    };

    (void)state;
    refuse(valid(), rows, COUNT(rows));
}

static void
R_002_002_R_002_005_R_002_006_R_002_045_R_002_046_R_002_047_R_002_050_R_002_051_texts_are_not_empty(
    void **state)
{
    static const struct refusal rows[] = {
        { "\"exec-001\"", "\"\"", "/payload/executionId", CODE_VALIDATION_ERROR,
          "executionId has 0 characters, allowed 1 or more" },
        { "\"executionId\": \"exec-001\",", "", "/payload", CODE_VALIDATION_ERROR,
          "a payload needs 'executionId'" },
        { "\"workflowVersion\": \"v1\"", "\"workflowVersion\": \"\"", "/payload/workflowVersion",
          CODE_VALIDATION_ERROR, "workflowVersion has 0 characters, allowed 1 or more" },
        { "\"workflowVersion\": \"v1\",", "", "/payload", CODE_VALIDATION_ERROR,
          "a payload needs 'workflowVersion'" },
        { "\"agentVersion\": \"v1\"", "\"agentVersion\": \"\"", "/payload/agentVersion",
          CODE_VALIDATION_ERROR, "agentVersion has 0 characters, allowed 1 or more" },
        { "\"agentVersion\": \"v1\"", "\"agentVersion\": 1", "/payload/agentVersion",
          CODE_VALIDATION_ERROR, "agentVersion is 1, must be text" },
        { "\"agentVersion\": \"v1\",", "", "/payload", CODE_VALIDATION_ERROR,
          "a payload needs 'agentVersion'" },
        { "\"site_builder\"", "\"\"", "/payload/target", CODE_VALIDATION_ERROR,
          "target has 0 characters, allowed 1 or more" },
        { "\"target\": \"site_builder\",", "", "/payload", CODE_VALIDATION_ERROR,
          "a payload needs 'target'" },
        { "\"plan_site_plan\"", "\"\"", "/payload/action", CODE_VALIDATION_ERROR,
          "action has 0 characters, allowed 1 or more" },
        { "\"action\": \"plan_site_plan\",", "", "/payload", CODE_VALIDATION_ERROR,
          "a payload needs 'action'" },
    };

    (void)state;
    refuse(valid(), rows, COUNT(rows));
}

static void R_002_048_R_002_064_the_contract_version_is_v1(void **state)
{
    static const struct refusal rows[] = {
        { "\"executionContractVersion\": \"v1\"", "\"executionContractVersion\": \"v2\"",
          "/payload/executionContractVersion", CODE_VALIDATION_ERROR,
          "executionContractVersion is 'v2', must be 'v1'" },
        { "\"executionContractVersion\": \"v1\"", "\"executionContractVersion\": 1",
          "/payload/executionContractVersion", CODE_VALIDATION_ERROR,
          "executionContractVersion is 1, must be 'v1'" },
        { "\"executionContractVersion\": \"v1\",", "", "/payload", CODE_VALIDATION_ERROR,
          "a payload needs 'executionContractVersion'" },
    };

    (void)state;
    refuse(valid(), rows, COUNT(rows));
}

static void R_002_049_attempt_is_a_whole_number_from_1(void **state)
{
    static const struct refusal rows[] = {
        { "\"attempt\": 1", "\"attempt\": 0", "/payload/attempt", CODE_VALIDATION_ERROR,
          "attempt is 0, allowed 1 or more" },
        { "\"attempt\": 1", "\"attempt\": -1", "/payload/attempt", CODE_VALIDATION_ERROR,
          "attempt is -1, allowed 1 or more" },
        { "\"attempt\": 1", "\"attempt\": 1.5", "/payload/attempt", CODE_VALIDATION_ERROR,
          "attempt is 1.5, must be a whole number" },
        { "\"attempt\": 1", "\"attempt\": 1.0", "/payload/attempt", CODE_VALIDATION_ERROR,
          "attempt is 1.0, must be a whole number" },
        { "\"attempt\": 1", "\"attempt\": 9007199254740992", "/payload/attempt",
          CODE_VALIDATION_ERROR, "attempt is 9007199254740992, must be at most 9007199254740991" },
        { "\"attempt\": 1", "\"attempt\": -1e300", "/payload/attempt", CODE_VALIDATION_ERROR,
          "attempt is -1e300, must be at least -9007199254740991" },
        { "\"attempt\": 1", "\"attempt\": \"1\"", "/payload/attempt", CODE_VALIDATION_ERROR,
          "attempt is '1', must be a whole number" },
        { "\"attempt\": 1", "\"attempt\": true", "/payload/attempt", CODE_VALIDATION_ERROR,
          "attempt is true, must be a whole number" },
        { "\"attempt\": 1,", "", "/payload", CODE_VALIDATION_ERROR, "a payload needs 'attempt'" },
    };

    (void)state;
    refuse(valid(), rows, COUNT(rows));
    check_accepts(&event_shape, valid(), "\"attempt\": 1", "\"attempt\": 9007199254740991");
}

static void R_002_012_R_002_053_coherence_is_one_of_three(void **state)
{
    static const struct refusal rows[] = {
        { "\"coherent\"", "\"coherrent\"", "/payload/coherenceStatus", CODE_VALIDATION_ERROR,
          "'coherrent' is not one of coherent, partial, stale (did you mean 'coherent'?)" },
        { "\"coherenceStatus\": \"coherent\",", "", "/payload", CODE_VALIDATION_ERROR,
          "a payload needs 'coherenceStatus'" },
    };

    (void)state;
    refuse(valid(), rows, COUNT(rows));
    check_accepts(&event_shape, valid(), "\"coherent\"", "\"partial\"");
}

static void R_002_054_dry_run_is_a_boolean(void **state)
{
    static const struct refusal rows[] = {
        { "\"dryRun\": false", "\"dryRun\": \"false\"", "/payload/dryRun", CODE_VALIDATION_ERROR,
          "dryRun is 'false', must be true or false" },
        { "\"dryRun\": false", "\"dryRun\": null", "/payload/dryRun", CODE_VALIDATION_ERROR,
          "dryRun is null, must be true or false" },
        { ",\n    \"dryRun\": false", "", "/payload", CODE_VALIDATION_ERROR,
          "a payload needs 'dryRun'" },
    };

    (void)state;
    refuse(valid(), rows, COUNT(rows));
    check_accepts(&event_shape, valid(), "\"dryRun\": false", "\"dryRun\": true");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_002_081_the_valid_example_passes),
        cmocka_unit_test(R_002_082_the_invalid_example_fails_for_the_stated_reasons),
        cmocka_unit_test(R_002_002_R_002_037_R_002_038_tenant_and_robot_are_not_empty),
        cmocka_unit_test(R_002_039_R_002_040_R_002_041_R_002_063_literals_do_not_vary),
        cmocka_unit_test(R_002_003_R_002_019_R_002_042_state_is_one_of_five),
        cmocka_unit_test(R_002_043_R_002_052_R_002_065_times_are_rfc_3339),
        cmocka_unit_test(R_002_044_R_002_060_payload_and_lineage_are_objects),
        cmocka_unit_test(
            R_002_002_R_002_005_R_002_006_R_002_045_R_002_046_R_002_047_R_002_050_R_002_051_texts_are_not_empty),
        cmocka_unit_test(R_002_048_R_002_064_the_contract_version_is_v1),
        cmocka_unit_test(R_002_049_attempt_is_a_whole_number_from_1),
        cmocka_unit_test(R_002_012_R_002_053_coherence_is_one_of_three),
        cmocka_unit_test(R_002_054_dry_run_is_a_boolean),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
