/* SPDX-License-Identifier: Apache-2.0 */
/* intoto.h: an execution that ended, as an in-toto Statement (v1) for supply-chain tools. */
#pragma once

#include "ledger/entry.h"

/* False: this is no event that ends an execution, or its body was erased. */
bool intoto_write(const struct entry *entry, struct arena *a, struct buf *to);
