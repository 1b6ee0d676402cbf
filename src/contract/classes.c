/* SPDX-License-Identifier: Apache-2.0 */
/* classes.c: the command classes, timeouts and route policies writ ships (contract 000). */
#include "contract/classes.h"

/* clang-format off */
const struct class_row classes[CLASS_COUNT] = {
    /*  class_id          label                prefixes                                                                         rch    secs  soft  hard  grace */
    { "cargo_build",     "cargo build",       { "cargo build" },                                                               true,  1800, 1500, 1800, 30 },
    { "cargo_check",     "cargo check",       { "cargo check" },                                                               true,  1800, 1500, 1800, 30 },
    { "cargo_clippy",    "cargo clippy",      { "cargo clippy" },                                                              true,  1800, 1500, 1800, 30 },
    { "cargo_fmt_check", "cargo fmt --check", { "cargo fmt -- --check", "cargo fmt --all --check", "cargo fmt --check" },      true,  1800, 1500, 1800, 30 },
    { "cargo_test",      "cargo test",        { "cargo test" },                                                                true,  1800, 1500, 1800, 30 },
    { "generic",         "any command",       { PREFIX_ANY },                                                                  false,  600,  500,  600, 10 },
    { "make_build",      "make",              { "make" },                                                                      false, 1800, 1500, 1800, 30 },
    { "ninja_build",     "ninja",             { "ninja" },                                                                     false, 1800, 1500, 1800, 30 },
    { "npm_test",        "npm test",          { "npm run test", "npm test" },                                                  false,  900,  750,  900, 30 },
    { "pytest",          "pytest",            { "pytest", "python -m pytest", "python3 -m pytest" },                           false,  900,  750,  900, 30 },
};

static const struct column class_columns[] = {
    { "class_id",             COLUMN_TEXT,  offsetof(struct class_row, class_id) },
    { "label",                COLUMN_TEXT,  offsetof(struct class_row, label) },
    { "allowed_prefix",       COLUMN_TEXT,  offsetof(struct class_row, prefixes[0]) },
    { "second_prefix",        COLUMN_TEXT,  offsetof(struct class_row, prefixes[1]) },
    { "third_prefix",         COLUMN_TEXT,  offsetof(struct class_row, prefixes[2]) },
    { "force_rch",            COLUMN_BOOL,  offsetof(struct class_row, force_rch) },
    { "default_timeout_secs", COLUMN_INT64, offsetof(struct class_row, default_timeout_secs) },
};

static const struct column timeout_columns[] = {
    { "class_id",          COLUMN_TEXT,  offsetof(struct class_row, class_id) },
    { "soft_timeout_secs", COLUMN_INT64, offsetof(struct class_row, soft_timeout_secs) },
    { "hard_timeout_secs", COLUMN_INT64, offsetof(struct class_row, hard_timeout_secs) },
    { "cancel_grace_secs", COLUMN_INT64, offsetof(struct class_row, cancel_grace_secs) },
};

const char *const condition_names[] = {
    [CONDITION_RCH_AVAILABLE]   = "prefer_remote_and_rch_available",
    [CONDITION_RCH_UNAVAILABLE] = "prefer_remote_and_rch_unavailable",
    [CONDITION_RCH_REQUIRED]    = "rch_unavailable_and_fallback_refused",
    NULL,
};

const char *const route_names[] = {
    [ROUTE_LOCAL_DIRECT] = "local_direct",
    [ROUTE_REMOTE_RCH]   = "remote_rch",
    [ROUTE_NOWHERE]      = "none",
    [ROUTE_LOCAL_WORKER] = "local_worker",
    [ROUTE_REMOTE_SLURM] = "remote_slurm",
    [ROUTE_REMOTE_SSH]   = "remote_ssh",
    NULL,
};

const char *const retry_strategy_names[] = {
    [RETRY_BOUNDED_BACKOFF] = "bounded_backoff",
    [RETRY_NONE]            = "none",
    NULL,
};

const struct policy_row policies[ROUTE_POLICIES] = {
    { "fail_closed",                       CONDITION_RCH_REQUIRED,    ROUTE_NOWHERE,      RETRY_NONE,            0 },
    { "local_fallback_on_rch_unavailable", CONDITION_RCH_UNAVAILABLE, ROUTE_LOCAL_DIRECT, RETRY_BOUNDED_BACKOFF, 2 },
    { "remote_rch_default",                CONDITION_RCH_AVAILABLE,   ROUTE_REMOTE_RCH,   RETRY_BOUNDED_BACKOFF, 2 },
};

static const struct column policy_columns[] = {
    { "policy_id",      COLUMN_TEXT,  offsetof(struct policy_row, policy_id) },
    { "condition",      COLUMN_NAME,  offsetof(struct policy_row, condition),      condition_names },
    { "route",          COLUMN_NAME,  offsetof(struct policy_row, route),          route_names },
    { "retry_strategy", COLUMN_NAME,  offsetof(struct policy_row, retry_strategy), retry_strategy_names },
    { "max_retries",    COLUMN_INT64, offsetof(struct policy_row, max_retries) },
};

const enum code taxonomy[TAXONOMY_COUNT] = {
    CODE_COMMAND_FAILED, CODE_COMMAND_TIMEOUT, CODE_INVALID_TRANSITION, CODE_RCH_UNAVAILABLE,
};

const char *const risk_names[] = { "low", "medium", "high", "critical", NULL };

const char *const route_reason_names[] = {
    [REASON_FORCE_RCH]       = "force_rch",
    [REASON_PREFER_REMOTE]   = "prefer_remote",
    [REASON_CALLER_LOCAL]    = "caller_local",
    [REASON_RCH_UNAVAILABLE] = "rch_unavailable",
    NULL,
};

const char *const fallback_names[] = {
    [FALLBACK_LOCAL]       = "local",
    [FALLBACK_FAIL_CLOSED] = "fail_closed",
    NULL,
};

const char *const outcome_class_names[] = {
    [OUTCOME_SUCCESS]   = "success",
    [OUTCOME_FAILED]    = "failed",
    [OUTCOME_CANCELLED] = "cancelled",
    NULL,
};

const char *const lane_request_fields[] = {
    "command_class", "command_id", "correlation_id", "prefer_remote", "raw_command", NULL,
};

const char *const lane_result_fields[] = {
    "artifact_manifest", "command_id", "exit_code", "outcome_class", "route", "routed_command",
    "state", NULL,
};

const char *const lane_manifest_fields[] = {
    "command_provenance", "outcome_class", "run_id", "scenario_id", "trace_id", "transcript_path",
    "worker_route", NULL,
};
/* clang-format on */

const struct table classes_table = {
    .name = "classes",
    .about = "Which commands belong to which class; the prefix * takes any command.",
    COLUMNS(class_columns),
    .keys = 1,
    ROWS(classes),
};

/* The same rows: a class cannot be without its timeouts. */
const struct table timeouts_table = {
    .name = "timeouts",
    .about = "When a command of a class is warned of, cancelled and killed.",
    COLUMNS(timeout_columns),
    .keys = 1,
    ROWS(classes),
};

const struct table policies_table = {
    .name = "policies",
    .about = "Where a command runs, when, and how often it is tried again.",
    COLUMNS(policy_columns),
    .keys = 1,
    ROWS(policies),
};

const struct class_row *class_named(struct str class_id)
{
    for (size_t i = 0; i < CLASS_COUNT; i++) {
        if (str_is(class_id, classes[i].class_id))
            return &classes[i];
    }
    return NULL;
}
