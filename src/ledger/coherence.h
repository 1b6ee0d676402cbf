/* SPDX-License-Identifier: Apache-2.0 */
/* coherence.h: do the inputs of an execution still fit together? (A02-20) */
#pragma once

#include "ledger/ledger.h"

/* Says coherenceStatus and snapshotAt of an event that leaves them to the ledger. Stale: an entry
 * in the lineage, or one that such an entry depends on, has a newer one about the same subject.
 * Partial: an id is not in the ledger. Between begin and commit, or look and look_end. */
bool coherence_complete(struct ledger *l, struct draft *d, struct arena *a,
                        struct error *e) NODISCARD;
