/* SPDX-License-Identifier: Apache-2.0 */
/* test_codes.c: codes, severities and recoverability. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "contract/codes.h"

static void check_code(enum code code, const char *name, const char *severity, bool retryable)
{
    assert_string_equal(codes[code].name, name);
    assert_string_equal(codes[code].severity, severity);
    assert_int_equal(codes[code].retryable, retryable);
}

static void R_000_035_R_000_066_R_000_067_R_000_068_taxonomy_entries_are_whole(void **state)
{
    static const enum code taxonomy[] = { CODE_COMMAND_FAILED, CODE_COMMAND_TIMEOUT,
                                          CODE_INVALID_TRANSITION, CODE_RCH_UNAVAILABLE };

    (void)state;
    check_code(CODE_COMMAND_FAILED, "command_failed", "high", false);
    check_code(CODE_COMMAND_TIMEOUT, "command_timeout", "high", true);
    check_code(CODE_INVALID_TRANSITION, "invalid_transition", "critical", false);
    for (size_t i = 0; i < COUNT(taxonomy); i++) {
        assert_string_equal(codes[taxonomy[i]].origin, "000");
        assert_true(strlen(codes[taxonomy[i]].action) > 0);
    }
    assert_string_equal(codes[CODE_COMMAND_FAILED].action,
                        "Inspect stderr and open remediation workflow.");
    assert_string_equal(codes[CODE_COMMAND_TIMEOUT].action,
                        "Retry with bounded policy and attach transcript artifact.");
    assert_string_equal(codes[CODE_INVALID_TRANSITION].action,
                        "Abort run and emit state-machine diagnostics.");
}

static void R_000_036_R_000_069_rch_unavailable(void **state)
{
    (void)state;
    check_code(CODE_RCH_UNAVAILABLE, "rch_unavailable", "medium", true);
    assert_string_equal(codes[CODE_RCH_UNAVAILABLE].action,
                        "Apply local fallback policy and log route downgrade.");
}

/* Whoever tries again what may have been done does it twice. */
static void a_command_whose_worker_was_lost_is_not_tried_again(void **state)
{
    (void)state;
    check_code(CODE_WORKER_LOST, "worker_lost", "high", false);
    assert_string_equal(codes[CODE_WORKER_LOST].origin, "000");
    assert_int_equal(code_severity(CODE_WORKER_LOST, false), SEVERITY_ERROR);
    assert_string_equal(codes[CODE_WORKER_LOST].action,
                        "Look at what it did before running it again.");
}

/* contract 000's words, weighed in contract 004's. */
static void words_of_contract_000_have_a_weight_in_004(void **state)
{
    (void)state;
    assert_int_equal(code_severity(CODE_INVALID_TRANSITION, false), SEVERITY_FATAL);
    assert_int_equal(code_severity(CODE_RCH_UNAVAILABLE, true), SEVERITY_WARN);
    assert_int_equal(code_severity(CODE_COMMAND_FAILED, false), SEVERITY_ERROR);
    assert_int_equal(code_severity(CODE_COMMAND_TIMEOUT, true), SEVERITY_ERROR);
}

static void check_reserved(enum code code, const char *name, const char *severity, enum severity is)
{
    assert_int_equal(code_named(str_of(name)), code);
    assert_string_equal(codes[code].origin, "004");
    assert_string_equal(codes[code].severity, severity);
    assert_int_equal(code_severity(code, false), is);
    assert_int_equal(codes[code].retryable, code == CODE_STEP_TIMEOUT);
    assert_int_equal(code_severity(code, true), code == CODE_STEP_TIMEOUT ? SEVERITY_ERROR : is);
}

static void R_004_074_R_004_075_R_004_076_R_004_077_R_004_078_R_004_079_fatal_codes(void **state)
{
    (void)state;
    check_reserved(CODE_CONTEXT_MISSING, "CONTEXT_MISSING", "fatal", SEVERITY_FATAL);
    check_reserved(CODE_INVALID_PAYLOAD, "INVALID_PAYLOAD", "fatal", SEVERITY_FATAL);
    check_reserved(CODE_STEP_TIMEOUT, "STEP_TIMEOUT", "error/fatal", SEVERITY_FATAL);
    check_reserved(CODE_PLAN_TIMEOUT, "PLAN_TIMEOUT", "fatal", SEVERITY_FATAL);
    check_reserved(CODE_DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED", "fatal", SEVERITY_FATAL);
    check_reserved(CODE_DEPENDENCY_UNRESOLVED, "DEPENDENCY_UNRESOLVED", "fatal", SEVERITY_FATAL);
}

static void R_004_080_R_004_081_R_004_082_R_004_083_R_004_084_other_codes(void **state)
{
    (void)state;
    check_reserved(CODE_ACTION_NOT_FOUND, "ACTION_NOT_FOUND", "fatal", SEVERITY_FATAL);
    check_reserved(CODE_RESOURCE_EXHAUSTED, "RESOURCE_EXHAUSTED", "fatal", SEVERITY_FATAL);
    check_reserved(CODE_EXECUTION_HALTED, "EXECUTION_HALTED", "error", SEVERITY_ERROR);
    check_reserved(CODE_STEP_SKIPPED, "STEP_SKIPPED", "warn", SEVERITY_WARN);
    check_reserved(CODE_UNKNOWN_ERROR, "UNKNOWN_ERROR", "fatal", SEVERITY_FATAL);
}

static void R_004_073_eleven_codes_are_reserved_by_004(void **state)
{
    size_t reserved = 0;

    (void)state;
    for (int i = 0; i < CODE_COUNT; i++)
        reserved += strcmp(codes[i].origin, "004") == 0;
    assert_int_equal(reserved, 11);
}

/* clang-format off */
static const struct { enum code code; const char *name, *origin, *severity; bool retryable; } others[] = {
    { CODE_IO,                          "IO",                          "writ", "error", false },
    { CODE_SYNTAX,                      "SYNTAX",                      "writ", "error", false },
    { CODE_ENCODING,                    "ENCODING",                    "writ", "error", false },
    { CODE_DUPLICATE_KEY,               "DUPLICATE_KEY",               "writ", "error", false },
    { CODE_CEILING,                     "CEILING",                     "writ", "error", false },
    { CODE_NUMBER,                      "NUMBER",                      "writ", "error", false },
    { CODE_YAML_SUBSET,                 "YAML_SUBSET",                 "writ", "error", false },
    { CODE_KIND_UNKNOWN,                "KIND_UNKNOWN",                "writ", "error", false },
    { CODE_CONTRACT_INVALID,            "CONTRACT_INVALID",            "writ", "error", false },
    { CODE_LIMIT_RANGE,                 "LIMIT_RANGE",                 "writ", "error", false },
    { CODE_APPROVAL_MISSING,            "APPROVAL_MISSING",            "writ", "error", false },
    { CODE_REGISTRY_SHELL,              "REGISTRY_SHELL",              "writ", "warn",  false },
    { CODE_LAYER_MISSING,               "LAYER_MISSING",               "writ", "fatal", false },
    { CODE_COMMAND_NOT_ALLOWED,         "COMMAND_NOT_ALLOWED",         "writ", "error", false },
    { CODE_ARGUMENT_REFUSED,            "ARGUMENT_REFUSED",            "writ", "error", false },
    { CODE_PATH_REFUSED,                "PATH_REFUSED",                "writ", "error", false },
    { CODE_INPUT_TOO_LARGE,             "INPUT_TOO_LARGE",             "writ", "error", false },
    { CODE_VALIDATION_ERROR,            "VALIDATION_ERROR",            "writ", "error", false },
    { CODE_COHERENCE_BLOCKED,           "COHERENCE_BLOCKED",           "002",  "error", false },
    { CODE_COHERENCE_GATE_PLANNED_ONLY, "COHERENCE_GATE_PLANNED_ONLY", "writ", "error", false },
    { CODE_IDEMPOTENCY_CONFLICT,        "IDEMPOTENCY_CONFLICT",        "002",  "error", false },
    { CODE_EVENT_TRANSITION,            "INVALID_TRANSITION",          "writ", "error", false },
    { CODE_MODEL_OUTPUT_INVALID,        "MODEL_OUTPUT_INVALID",        "002",  "error", true },
    { CODE_PARTIAL_REQUIRES_REVIEW,     "PARTIAL_REQUIRES_REVIEW",     "002",  "error", false },
    { CODE_RESULT_MISSING,              "RESULT_MISSING",              "writ", "warn",  false },
    { CODE_ERROR_UNEXPECTED,            "ERROR_UNEXPECTED",            "writ", "warn",  false },
    { CODE_EXECUTOR_EXCEPTION,          "EXECUTOR_EXCEPTION",          "003",  "error", false },
    { CODE_EXECUTOR_TIMEOUT,            "EXECUTOR_TIMEOUT",            "003",  "error", false },
    { CODE_LIMIT_EXCEEDED,              "LIMIT_EXCEEDED",              "003",  "error", false },
    { CODE_NON_JSON_PAYLOAD,            "NON_JSON_PAYLOAD",            "writ", "error", false },
    { CODE_OUTPUT_NOT_JSON,             "OUTPUT_NOT_JSON",             "writ", "error", false },
    { CODE_AUDIT_LOG_FAILED,            "AUDIT_LOG_FAILED",            "writ", "fatal", false },
    { CODE_EXECUTION_ATTEMPT,           "EXECUTION_ATTEMPT",           "writ", "warn",  false },
    { CODE_STEP_FAILED,                 "STEP_FAILED",                 "writ", "error", true },
    { CODE_PLAN_PARTIAL,                "PLAN_PARTIAL",                "writ", "error", false },
    { CODE_PLAN_MODIFIED,               "PLAN_MODIFIED",               "writ", "fatal", false },
    { CODE_RETRY_WITHOUT_EFFECT,        "RETRY_WITHOUT_EFFECT",        "writ", "warn",  false },
    { CODE_ON_FAILURE_WITHOUT_EFFECT,   "ON_FAILURE_WITHOUT_EFFECT",   "writ", "warn",  false },
};
/* clang-format on */

static void the_other_codes_keep_their_names_and_weight(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(others); i++) {
        check_code(others[i].code, others[i].name, others[i].severity, others[i].retryable);
        assert_string_equal(codes[others[i].code].origin, others[i].origin);
        assert_string_equal(severities[code_severity(others[i].code, false)].name,
                            others[i].severity);
    }
}

static void every_code_is_explained_once(void **state)
{
    (void)state;
    for (int i = CODE_NONE + 1; i < CODE_COUNT; i++) {
        const struct code_row *row = &codes[i];

        assert_non_null(row->name);
        assert_int_equal(code_named(str_of(row->name)), i);
        assert_true(strlen(row->name) <= 50); /* as contract 004 wants error codes */
        assert_int_equal(row->meaning[strlen(row->meaning) - 1], '.');
        assert_int_equal(row->action[strlen(row->action) - 1], '.');
        assert_true(row->origin[0] && row->severity[0]);
    }
    assert_int_equal(code_named(str_of("")), CODE_NONE);
    assert_int_equal(code_named(str_of("plan_timeout")), CODE_NONE);
}

static void R_004_059_R_004_062_R_004_063_R_004_064_severities(void **state)
{
    static const struct severity_row want[SEVERITY_COUNT] = {
        { "warn", true, NULL, "Log a warning and continue." },
        { "error", true, NULL, "Apply the step's on_failure policy." },
        { "fatal", false, NULL, "Halt the execution; the plan ends in failure." },
    };

    (void)state;
    for (int i = 0; i < SEVERITY_COUNT; i++) {
        assert_string_equal(severities[i].name, want[i].name);
        assert_int_equal(severities[i].recoverable, want[i].recoverable);
        assert_string_equal(severities[i].response, want[i].response);
    }
}

static void check_recovery(size_t row, const char *condition, const char *code,
                           enum recoverable recoverable)
{
    enum code which = code_named(str_of(code));

    assert_string_equal(recovery[row].condition, condition);
    assert_string_equal(recovery[row].code, code);
    assert_int_equal(recovery[row].recoverable, recoverable);
    assert_int_not_equal(which, CODE_NONE);
    if (recoverable == RECOVERY_NEVER) {
        assert_false(severities[code_severity(which, true)].recoverable);
        assert_false(severities[code_severity(which, false)].recoverable);
        assert_false(codes[which].retryable);
    }
}

static void R_004_065_R_004_067_R_004_068_R_004_069_R_004_070_never_recoverable(void **state)
{
    (void)state;
    check_recovery(0, "context requirement missing", "CONTEXT_MISSING", RECOVERY_NEVER);
    check_recovery(2, "dependency resolution failed", "DEPENDENCY_UNRESOLVED", RECOVERY_NEVER);
    check_recovery(3, "execution deadline exceeded", "DEADLINE_EXCEEDED", RECOVERY_NEVER);
    check_recovery(4, "payload validation failed", "INVALID_PAYLOAD", RECOVERY_NEVER);
    check_recovery(5, "action handler missing", "ACTION_NOT_FOUND", RECOVERY_NEVER);
}

static void R_004_066_step_timeout_is_recoverable_if_retryable(void **state)
{
    (void)state;
    check_recovery(1, "step timeout exceeded", "STEP_TIMEOUT", RECOVERY_IF_RETRYABLE);
    assert_true(severities[code_severity(CODE_STEP_TIMEOUT, true)].recoverable);
    assert_false(severities[code_severity(CODE_STEP_TIMEOUT, false)].recoverable);
}

static void R_004_071_R_004_072_recovery_that_depends_on_the_step_or_the_resource(void **state)
{
    (void)state;
    check_recovery(6, "step logic error", "STEP_FAILED", RECOVERY_IF_ON_FAILURE);
    check_recovery(7, "resource exhaustion", "RESOURCE_EXHAUSTED", RECOVERY_BY_RESOURCE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_000_035_R_000_066_R_000_067_R_000_068_taxonomy_entries_are_whole),
        cmocka_unit_test(R_000_036_R_000_069_rch_unavailable),
        cmocka_unit_test(a_command_whose_worker_was_lost_is_not_tried_again),
        cmocka_unit_test(words_of_contract_000_have_a_weight_in_004),
        cmocka_unit_test(R_004_074_R_004_075_R_004_076_R_004_077_R_004_078_R_004_079_fatal_codes),
        cmocka_unit_test(R_004_080_R_004_081_R_004_082_R_004_083_R_004_084_other_codes),
        cmocka_unit_test(R_004_073_eleven_codes_are_reserved_by_004),
        cmocka_unit_test(the_other_codes_keep_their_names_and_weight),
        cmocka_unit_test(every_code_is_explained_once),
        cmocka_unit_test(R_004_059_R_004_062_R_004_063_R_004_064_severities),
        cmocka_unit_test(R_004_065_R_004_067_R_004_068_R_004_069_R_004_070_never_recoverable),
        cmocka_unit_test(R_004_066_step_timeout_is_recoverable_if_retryable),
        cmocka_unit_test(R_004_071_R_004_072_recovery_that_depends_on_the_step_or_the_resource),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
