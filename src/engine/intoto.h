/* SPDX-License-Identifier: Apache-2.0 */
/* intoto.h: an execution that ended, as an in-toto Statement (v1) for supply-chain tools. */
#pragma once

#include "ledger/ledger.h"

/* Can it be one? It is the event that ends an execution, and its body was not erased. */
bool intoto_can(const struct entry *entry);

/* Writes one that can be. Between look and look_end. */
bool intoto_write(struct ledger *l, const struct entry *entry, struct arena *a, struct buf *to,
                  struct error *e) NODISCARD;
