/* SPDX-License-Identifier: Apache-2.0 */
/* walk.h: goes through a ledger chunk by chunk, with as many threads as help.
 *
 * A store is read by one thread at a time. What can be said of a chunk alone is worked out by the
 * thread that read it, while the others read and work; what depends on the chunks before it comes
 * after, in order.
 */
#pragma once

#include "ledger/ledger.h"

enum { CHUNK_BLOCKS = 4, CHUNK = CHUNK_BLOCKS * BLOCK, CHUNK_BYTES = 16 << 20 };

/* Consecutive entries, with the blocks they are in as far as those are complete. There are CHUNK of
 * them; where their bodies are large there are fewer, and a block may be in several chunks. */
struct chunk {
    struct arena a;
    int64_t turn; /* how many chunks come before it */
    int64_t first;
    size_t bytes; /* of the bodies */
    size_t count, block_count;
    struct entry entries[CHUNK];
    struct str salted[CHUNK]; /* salt and body, of which the body's digest is made */
    struct block blocks[CHUNK_BLOCKS];

    /* As computed from the entries. */
    struct digest leaves[CHUNK];
    size_t hashed; /* entries that have a leaf: behind the last, one has a header without room */
    struct digest roots[CHUNK_BLOCKS]; /* of blocks that are in it from their first entry on */
    struct names names[CHUNK_BLOCKS];  /* of as many entries of a block as are in it */
    struct index_sum sum;
    struct buf scratch;
};

struct chunk_reader {
    void (*apart)(void *self, struct chunk *chunk);          /* several at once */
    bool (*in_order)(void *self, const struct chunk *chunk); /* false: enough */
    void *self;
};

/* When something cannot be read, what was read before it is looked at first. */
bool ledger_walk(struct ledger *l, const struct chunk_reader *reader, struct error *e) NODISCARD;
