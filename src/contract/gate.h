/* SPDX-License-Identifier: Apache-2.0 */
/* gate.h: what an execution may come to, given how its inputs fit together (contract 002).
 *
 * The matrix of section 5, written out: every coherence, policy and dry run has its row. The names
 * are lists that NULL ends.
 */
#pragma once

#include "base/table.h"
#include "contract/codes.h"
#include "contract/states.h"

enum coherence { COHERENCE_COHERENT, COHERENCE_PARTIAL, COHERENCE_STALE, COHERENCE_COUNT };
enum policy { POLICY_BLOCK, POLICY_DRAFT_ONLY, POLICY_COUNT };

enum { GATE_ROWS = COHERENCE_COUNT * POLICY_COUNT * 2 };

struct gate_row {
    enum coherence coherence;
    enum policy policy;
    bool dry_run;
    bool runs;                 /* may it run at all */
    enum event_state ends;     /* the last state the gate lets through */
    enum code code;            /* why it may not run, or CODE_NONE */
    const char *reason;        /* the code's name */
    bool retryable;            /* of the error, where it ends as failed */
    const char *cancel_reason; /* where it ends as cancelled, or NULL */
    bool draft;                /* artifacts stay drafts */
};

extern const char *const coherence_names[];
extern const char *const policy_names[];
extern const struct gate_row gate[GATE_ROWS];
extern const struct table gate_table;

/* The row; never NULL. */
const struct gate_row *gate_for(enum coherence coherence, enum policy policy, bool dry_run);
