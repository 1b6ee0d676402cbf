/* SPDX-License-Identifier: Apache-2.0 */
/* conflict.h: where an event differs from the one that is at its place already. */
#pragma once

#include "ledger/draft.h"

/* Of a draft that was refused for a conflict: says where its payload or its lineage is another, and
 * points there. Values of the event that is kept are not quoted: a refusal outlives their erasure.
 * Where its body is gone, the whole event is pointed at. */
void conflict_tell(struct draft *d, const struct entry *kept, struct arena *a);
