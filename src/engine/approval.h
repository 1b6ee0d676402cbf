/* SPDX-License-Identifier: Apache-2.0 */
/* approval.h: that an executor was reviewed, as the ledger has it. */
#pragma once

#include "executor/review.h"
#include "ledger/ledger.h"

/* The entry of an accepted review: what was registered, and what its fixtures came to. */
void approval_write(const struct review *r, const struct digest *manifest, struct buf *to);

/* Does the ledger say that this, and nothing else, was approved? */
bool approval_holds(struct ledger *l, const struct executor *x, struct arena *a,
                    struct error *e) NODISCARD;
