/* SPDX-License-Identifier: Apache-2.0 */
/* hashes.c: any hash of the tree is the root over a part of one tile of 256. */
#include "ledger/hashes.h"

enum { TILE_LEVELS = 8 };

static bool take_leaf(void *self, const struct entry *entry, struct error *e)
{
    struct hashes *h = self;

    (void)e;
    if (h->count < BLOCK)
        h->tile[h->count++] = entry->leaf;
    return true;
}

static bool take_root(void *self, const struct block *block, struct error *e)
{
    struct hashes *h = self;

    (void)e;
    if (h->count < BLOCK)
        h->tile[h->count++] = block->root;
    return true;
}

static bool read_tile(struct hashes *h, int level, int64_t n, struct error *e)
{
    const struct store_kind *kind = h->keep->kind;
    struct entry_range leaves = { .from = n * BLOCK, .to = (n + 1) * BLOCK };
    struct block_range roots = { level - 1, leaves.from, leaves.to };

    if (h->count > 0 && h->level == level && h->n == n)
        return true;
    h->level = level;
    h->n = n;
    h->count = 0;
    if (level == 0)
        return kind->read_entries(h->keep->store, &leaves, take_leaf, h, e);
    return kind->read_blocks(h->keep->store, &roots, take_root, h, e);
}

static bool hash(void *self, int level, int64_t index, struct digest *out, struct error *e)
{
    struct hashes *h = self;
    int inside = level % TILE_LEVELS;
    int64_t first = index << inside, width = (int64_t)1 << inside;

    if (!read_tile(h, level / TILE_LEVELS, first / BLOCK, e))
        return false;
    first %= BLOCK;
    if ((int64_t)h->count < first + width)
        return error_set(e, ERROR_IO, "the ledger lacks hashes of its tree at level %d", level);
    *out = tree_root(h->tile + first, (size_t)width);
    return true;
}

struct tree_source hashes_of(struct hashes *hashes, struct ledger *l)
{
    *hashes = (struct hashes){ .keep = &l->keep };
    return (struct tree_source){ hash, hashes };
}
