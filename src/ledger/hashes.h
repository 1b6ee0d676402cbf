/* SPDX-License-Identifier: Apache-2.0 */
/* hashes.h: the hashes of a ledger's tree, from its entries and blocks. */
#pragma once

#include "ledger/ledger.h"
#include "ledger/tree.h"

/* The tile that was read last is kept: proofs ask for neighbours. */
struct hashes {
    struct keep *keep;
    int level;
    int64_t n;
    size_t count;
    struct digest tile[BLOCK];
};

/* A source for tree.h, good between look and look_end. */
struct tree_source hashes_of(struct hashes *hashes, struct ledger *l);
