/* SPDX-License-Identifier: Apache-2.0 */
/* tail.h: the entries since the last complete block, as far as the next block needs them. */
#pragma once

#include "ledger/links.h"
#include "ledger/store.h"

/* Of the entries after the last multiple of 256, up to size - 1. Zero is the tail of an empty
 * ledger. */
struct tail {
    int64_t size;
    struct digest leaves[BLOCK];
    struct names names;
};

/* A store that is open. */
struct keep {
    const struct store_kind *kind;
    struct store *store;
};

/* Before appending `count` entries to a ledger of this size: reads what others appended, when a
 * block will be complete. */
bool tail_ready(struct tail *t, int64_t size, size_t count, const struct keep *keep,
                struct error *e) NODISCARD;

/* An entry was appended; a block that is complete with it goes to the store. */
bool tail_take(struct tail *t, const struct entry *entry, const struct links *links,
               const struct keep *keep, struct error *e) NODISCARD;

/* An entry and what it points at. */
struct linked {
    const struct entry *entry;
    struct links links;
};

/* The names of an entry, into the filter of its block. `before`: one whose names are there already,
 * for neighbours have most of them in common; or NULL. */
void tail_names(struct names *names, const struct linked *of, const struct linked *before);
