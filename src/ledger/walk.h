/* SPDX-License-Identifier: Apache-2.0 */
/* walk.h: goes through a ledger chunk by chunk; while one is looked at, the next is read. */
#pragma once

#include "ledger/ledger.h"

enum { CHUNK_BLOCKS = 16, CHUNK = CHUNK_BLOCKS * BLOCK };

/* Consecutive entries, from a multiple of 256 on, with the blocks that are complete in them. */
struct chunk {
    struct arena a;
    int64_t first;
    size_t count, block_count;
    struct entry entries[CHUNK];
    struct block blocks[CHUNK_BLOCKS];
};

/* Looks at one chunk, in a thread of its own but one at a time and in order. False: enough. */
typedef bool (*chunk_reader)(void *self, const struct chunk *chunk);

/* When something cannot be read, what was read before it is looked at first. */
bool ledger_walk(struct ledger *l, chunk_reader reader, void *self, struct error *e) NODISCARD;
