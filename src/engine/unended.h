/* SPDX-License-Identifier: Apache-2.0 */
/* unended.h: the steps of a plan whose ends the ledger does not have: it still runs, or was killed.
 */
#pragma once

#include "engine/record.h"
#include "ledger/lineage.h"

/* An execution that has no end. */
struct unended_run {
    const struct entry *event;       /* its last */
    const struct entries *rests_on;  /* what it depends on */
    const struct entries *manifests; /* what it left */
};

/* "steps_unended":[..], as writ_show() promises it; nothing where the execution is not a plan's.
 * Between look and look_end. */
bool unended_put(struct writ_ledger *w, const struct unended_run *run, struct arena *a,
                 struct buf *to, struct error *e) NODISCARD;
