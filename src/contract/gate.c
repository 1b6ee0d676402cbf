/* SPDX-License-Identifier: Apache-2.0 */
/* gate.c: the coherence matrix as twelve rows. */
#include "contract/gate.h"

/* clang-format off */
const char *const coherence_names[] = {
    [COHERENCE_COHERENT] = "coherent",
    [COHERENCE_PARTIAL]  = "partial",
    [COHERENCE_STALE]    = "stale",
    [COHERENCE_COUNT]    = NULL,
};

const char *const policy_names[] = {
    [POLICY_BLOCK]      = "block",
    [POLICY_DRAFT_ONLY] = "draft_only",
    [POLICY_COUNT]      = NULL,
};

/* Where the contract does not ask for the policy, both policies have the same row. A row is:
 * coherence, policy, dry run; runs, ends, code, its name, retryable, cancel reason, draft. */
const struct gate_row gate[GATE_ROWS] = {
    { COHERENCE_COHERENT, POLICY_BLOCK,      true,  true,  EVENT_SUCCEEDED, CODE_NONE,                        NULL,                          false, NULL,                      false },
    { COHERENCE_COHERENT, POLICY_BLOCK,      false, false, EVENT_PLANNED,   CODE_COHERENCE_GATE_PLANNED_ONLY, "COHERENCE_GATE_PLANNED_ONLY", false, NULL,                      false },
    { COHERENCE_COHERENT, POLICY_DRAFT_ONLY, true,  true,  EVENT_SUCCEEDED, CODE_NONE,                        NULL,                          false, NULL,                      false },
    { COHERENCE_COHERENT, POLICY_DRAFT_ONLY, false, false, EVENT_PLANNED,   CODE_COHERENCE_GATE_PLANNED_ONLY, "COHERENCE_GATE_PLANNED_ONLY", false, NULL,                      false },
    { COHERENCE_PARTIAL,  POLICY_BLOCK,      true,  false, EVENT_FAILED,    CODE_COHERENCE_BLOCKED,           "COHERENCE_BLOCKED",           false, NULL,                      false },
    { COHERENCE_PARTIAL,  POLICY_BLOCK,      false, false, EVENT_FAILED,    CODE_COHERENCE_BLOCKED,           "COHERENCE_BLOCKED",           false, NULL,                      false },
    { COHERENCE_PARTIAL,  POLICY_DRAFT_ONLY, true,  true,  EVENT_SUCCEEDED, CODE_NONE,                        NULL,                          false, NULL,                      true },
    { COHERENCE_PARTIAL,  POLICY_DRAFT_ONLY, false, false, EVENT_CANCELLED, CODE_PARTIAL_REQUIRES_REVIEW,     "PARTIAL_REQUIRES_REVIEW",     false, "PARTIAL_REQUIRES_REVIEW", false },
    { COHERENCE_STALE,    POLICY_BLOCK,      true,  false, EVENT_FAILED,    CODE_COHERENCE_BLOCKED,           "COHERENCE_BLOCKED",           false, NULL,                      false },
    { COHERENCE_STALE,    POLICY_BLOCK,      false, false, EVENT_FAILED,    CODE_COHERENCE_BLOCKED,           "COHERENCE_BLOCKED",           false, NULL,                      false },
    { COHERENCE_STALE,    POLICY_DRAFT_ONLY, true,  false, EVENT_FAILED,    CODE_COHERENCE_BLOCKED,           "COHERENCE_BLOCKED",           false, NULL,                      false },
    { COHERENCE_STALE,    POLICY_DRAFT_ONLY, false, false, EVENT_FAILED,    CODE_COHERENCE_BLOCKED,           "COHERENCE_BLOCKED",           false, NULL,                      false },
};

static const struct column gate_columns[] = {
    { "coherence",     COLUMN_NAME, offsetof(struct gate_row, coherence), coherence_names },
    { "policy",        COLUMN_NAME, offsetof(struct gate_row, policy),    policy_names },
    { "dry_run",       COLUMN_BOOL, offsetof(struct gate_row, dry_run) },
    { "runs",          COLUMN_BOOL, offsetof(struct gate_row, runs) },
    { "ends",          COLUMN_NAME, offsetof(struct gate_row, ends),      event_state_names },
    { "code",          COLUMN_TEXT, offsetof(struct gate_row, reason) },
    { "retryable",     COLUMN_BOOL, offsetof(struct gate_row, retryable) },
    { "cancel_reason", COLUMN_TEXT, offsetof(struct gate_row, cancel_reason) },
    { "draft",         COLUMN_BOOL, offsetof(struct gate_row, draft) },
};
/* clang-format on */

const struct table gate_table = {
    .name = "gate",
    .about = "How an execution may end, given how its inputs fit together; contract 002.",
    COLUMNS(gate_columns),
    .keys = 2,
    ROWS(gate),
};

const struct gate_row *gate_for(enum coherence coherence, enum policy policy, bool dry_run)
{
    for (size_t i = 0; i < GATE_ROWS; i++) {
        if (gate[i].coherence == coherence && gate[i].policy == policy &&
            gate[i].dry_run == dry_run)
            return &gate[i];
    }
    return &gate[GATE_ROWS - 1]; /* what is none of them is stale */
}
