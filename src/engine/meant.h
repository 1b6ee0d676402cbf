/* SPDX-License-Identifier: Apache-2.0 */
/* meant.h: which entry or which execution of a ledger somebody means by an id or its beginning. */
#pragma once

#include "engine/record.h"
#include "ledger/lineage.h"

struct meant {
    struct writ_ledger *w;
    struct arena *a;
    struct str asked, tenant, robot; /* the two may be empty: any */
    struct entries entries;          /* that the id may mean, without their bodies */
    struct entries runs;             /* one event of each execution it may mean */
    struct entries about;            /* of what is no event: some that are about what was asked */
    bool by_subject;                 /* entries: about what was asked for, which is no execution */
    bool whole;                      /* something is called just what was asked for */
    struct error e;
};

/* Fills entries and runs: one is meant when there is one in both. Between look and look_end; false:
 * the ledger could not be read, e says why. */
bool meant_find(struct meant *m) NODISCARD;

/* The entry that is meant, with its body; of an execution its last event. *there: it is one. */
bool meant_entry(struct meant *m, struct entry *out, bool *there) NODISCARD;

/* Where there is none, or more than one: {"code":..,"message":..,"candidates":[..]} */
void meant_candidates(const struct meant *m, struct buf *to);
