/* SPDX-License-Identifier: Apache-2.0 */
/* coherence.h: do the inputs of an execution still fit together? (A02-20) */
#pragma once

#include "ledger/ledger.h"

/* Says coherenceStatus and snapshotAt of an event that leaves them to the ledger. Stale: an entry
 * in the lineage, or one that such an entry depends on, has a newer one about the same subject.
 * Partial: one of them is not
 * in the ledger, or its body was erased. Between begin and commit, or look and look_end. */
bool coherence_complete(struct ledger *l, struct draft *d, struct arena *a,
                        struct error *e) NODISCARD;

/* What a lineage came to. */
struct weighed {
    const struct uuid *ids; /* lent by the draft */
    size_t id_count;
    enum coherence coherence;
    struct uuid decided_by; /* the entry that was superseded or is missing; of coherent ones none */
    bool moves;             /* it rests on events: the next event that is appended may change it */
};

/* Computes the coherence of an event that may begin an attempt (A02-20), from what was appended
 * before it; `last` is that of the one before it, for many have the same lineage. */
bool coherence_weigh(struct ledger *l, struct draft *d, struct weighed *last,
                     struct error *e) NODISCARD;
