/* SPDX-License-Identifier: Apache-2.0 */
/* walk.h: goes through a ledger chunk by chunk, with as many threads as help.
 *
 * A store is read by one thread at a time. What can be said of a chunk alone is worked out by the
 * thread that read it, while the others read and work; what depends on the chunks before it comes
 * after, in order.
 */
#pragma once

#include "ledger/ledger.h"

enum { CHUNK_BLOCKS = 4, CHUNK = CHUNK_BLOCKS * BLOCK };

/* Consecutive entries, from a multiple of 256 on, with the blocks that are complete in them. */
struct chunk {
    struct arena a;
    int64_t first;
    size_t count, block_count;
    struct entry entries[CHUNK];
    struct str salted[CHUNK]; /* salt and body, of which the body's digest is made */
    struct block blocks[CHUNK_BLOCKS];

    /* As computed from the entries. */
    struct digest leaves[CHUNK];
    struct digest roots[CHUNK_BLOCKS];
    struct names names[CHUNK_BLOCKS];
    struct index_sum sum;
    struct buf scratch[2];
};

struct chunk_reader {
    void (*apart)(void *self, struct chunk *chunk);          /* several at once */
    bool (*in_order)(void *self, const struct chunk *chunk); /* false: enough */
    void *self;
};

/* When something cannot be read, what was read before it is looked at first. */
bool ledger_walk(struct ledger *l, const struct chunk_reader *reader, struct error *e) NODISCARD;
