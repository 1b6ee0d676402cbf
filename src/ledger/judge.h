/* SPDX-License-Identifier: Apache-2.0 */
/* judge.h: may this event enter the ledger? The rules that need to know what is already there. */
#pragma once

#include "ledger/draft.h"
#include "ledger/store.h"

/* What the ledger knows that bears on one draft. */
struct known {
    const struct event_mark *twin;      /* the event at the same place, or NULL */
    const struct event_mark *last;      /* the last event of the execution, or NULL */
    struct asked_entry *const *depends; /* one for each of draft->depends */
};

extern const struct table judge_table;

/* Walks the rules in their order; the first that does not hold decides. The verdict is in the
 * draft: none so far means that it may be appended. Where a conflict is, conflict_tell() tells. */
void judge(struct draft *d, const struct known *known, struct arena *a);
