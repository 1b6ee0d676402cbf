/* SPDX-License-Identifier: Apache-2.0 */
/* codes.h: every code writ reports, as one table.
 *
 * A row is the whole truth about a code: messages, JSON, `writ explain`, the man page and the
 * tests read it. The names are the contracts' own, so some are upper and some are lower case.
 */
#pragma once

#include "base/error.h"
#include "base/table.h"

enum code {
    CODE_NONE = ERROR_NONE,
    CODE_IO = ERROR_IO,
    CODE_SYNTAX = ERROR_SYNTAX,
    CODE_ENCODING = ERROR_ENCODING,
    CODE_DUPLICATE_KEY = ERROR_DUPLICATE,
    CODE_CEILING = ERROR_CEILING,
    CODE_NUMBER = ERROR_NUMBER,
    CODE_YAML_SUBSET = ERROR_SUBSET,
    CODE_KIND_UNKNOWN = ERROR_CODES,
    CODE_SCHEMA_INVALID,
    CODE_SCHEMA_MISMATCH,
    CODE_USAGE,

    /* contract 000 */
    CODE_CONTRACT_INVALID,
    CODE_COMMAND_FAILED,
    CODE_COMMAND_TIMEOUT,
    CODE_INVALID_TRANSITION,
    CODE_RCH_UNAVAILABLE,
    CODE_WORKER_LOST,
    CODE_WORKER_UNKNOWN,
    CODE_LANE_NOT_RUNNING,

    /* contract 001 */
    CODE_LIMIT_RANGE,
    CODE_APPROVAL_MISSING,
    CODE_REGISTRY_SHELL,
    CODE_LAYER_MISSING,
    CODE_COMMAND_NOT_ALLOWED,
    CODE_ARGUMENT_REFUSED,
    CODE_PATH_REFUSED,
    CODE_PATH_CHANGED,
    CODE_NOT_ADOPTED,
    CODE_INPUT_TOO_LARGE,
    CODE_CHANGE_REFUSED,
    CODE_CHANGE_CONFLICT,

    /* contract 002 */
    CODE_ADAPTER_UNKNOWN,
    CODE_ADAPTER_AMBIGUOUS,
    CODE_OPERATION_UNKNOWN,
    CODE_OPERATION_NOT_ALLOWED,
    CODE_PARAMETER_REFUSED,
    CODE_TOOL_VERSION,
    CODE_TOOL_CHANGED,
    CODE_TRANSFORM_FAILED,
    CODE_SECRET_MISSING,
    CODE_SECRET_IN_PARAMETER,
    CODE_HOST_REFUSED,
    CODE_PEER_UNAVAILABLE,
    CODE_PEER_ERROR,
    CODE_PEER_PROTOCOL,
    CODE_GOLDEN_DIFFERS,
    CODE_SCHEMA_MISSING,

    CODE_VALIDATION_ERROR,
    CODE_COHERENCE_BLOCKED,
    CODE_COHERENCE_GATE_PLANNED_ONLY,
    CODE_IDEMPOTENCY_CONFLICT,
    CODE_EVENT_TRANSITION, /* INVALID_TRANSITION: the ledger's, not the route's */
    CODE_MODEL_OUTPUT_INVALID,
    CODE_PARTIAL_REQUIRES_REVIEW,
    CODE_RESULT_MISSING,
    CODE_ERROR_UNEXPECTED,
    CODE_LINEAGE_MISSING,
    CODE_LINEAGE_LATER,
    CODE_EXECUTION_USED,
    CODE_ENTRY_UNKNOWN,
    CODE_ENTRY_AMBIGUOUS,
    CODE_LEDGER_MISSING,
    CODE_LEDGER_DAMAGED,
    CODE_KEY_UNKNOWN,
    CODE_TOPIC_UNKNOWN,

    /* contract 003 */
    CODE_EXECUTOR_EXCEPTION,
    CODE_EXECUTOR_TIMEOUT,
    CODE_LIMIT_EXCEEDED,
    CODE_NON_JSON_PAYLOAD,
    CODE_OUTPUT_NOT_JSON,
    CODE_AUDIT_LOG_FAILED,
    CODE_EXECUTION_ATTEMPT,
    CODE_EXECUTOR_UNKNOWN,
    CODE_EXECUTOR_REFUSED,
    CODE_EXECUTOR_CHANGED,

    /* contract 004 */
    CODE_CONTEXT_MISSING,
    CODE_INVALID_PAYLOAD,
    CODE_STEP_TIMEOUT,
    CODE_PLAN_TIMEOUT,
    CODE_DEADLINE_EXCEEDED,
    CODE_DEPENDENCY_UNRESOLVED,
    CODE_ACTION_NOT_FOUND,
    CODE_RESOURCE_EXHAUSTED,
    CODE_EXECUTION_HALTED,
    CODE_STEP_SKIPPED,
    CODE_UNKNOWN_ERROR,
    CODE_STEP_FAILED,
    CODE_PLAN_PARTIAL,
    CODE_PLAN_MODIFIED,
    CODE_RETRY_WITHOUT_EFFECT,
    CODE_ON_FAILURE_WITHOUT_EFFECT,
    CODE_COUNT,
};

/* Contract 004 speaks of warn, error and fatal; contract 000 of low to critical. Both are kept. */
enum severity { SEVERITY_WARN, SEVERITY_ERROR, SEVERITY_FATAL, SEVERITY_COUNT };

struct code_row {
    const char *name;
    const char *origin;   /* the contract that names it, or "writ" */
    const char *severity; /* in the words of that contract; 004's where it has none */
    bool retryable;
    const char *meaning; /* one sentence, for people */
    const char *action;  /* what the operator does next */
};

struct severity_row {
    const char *name;
    bool recoverable;
    const char *meaning;
    const char *response;
};

/* Contract 004's recoverability matrix: a condition, its code, and when a plan can go on. */
enum recoverable {
    RECOVERY_NEVER,
    RECOVERY_IF_RETRYABLE,
    RECOVERY_IF_ON_FAILURE,
    RECOVERY_BY_RESOURCE,
};

enum { RECOVERY_ROWS = 8 };

struct recovery_row {
    const char *condition;
    const char *code;
    enum recoverable recoverable;
};

extern const struct code_row codes[CODE_COUNT];
extern const struct severity_row severities[SEVERITY_COUNT];
extern const struct recovery_row recovery[RECOVERY_ROWS];
extern const struct table codes_table, severities_table, recovery_table;

/* The row of that name, or CODE_NONE. */
enum code code_named(struct str name);

/* The severity in contract 004's words, also for the codes of contract 000. STEP_TIMEOUT alone
 * depends on whether the plan lists it as retryable. */
enum severity code_severity(enum code code, bool retryable);
