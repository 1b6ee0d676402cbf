/* SPDX-License-Identifier: Apache-2.0 */
/* walk.c: two chunks take turns: one is read from the store, the other is looked at. */
#include "ledger/walk.h"

#include <pthread.h>

static bool take_entry(void *self, const struct entry *entry, struct error *e)
{
    struct chunk *c = self;

    (void)e;
    if (c->count < CHUNK)
        c->entries[c->count++] = entry_copy(entry, &c->a);
    return true;
}

static bool take_block(void *self, const struct block *block, struct error *e)
{
    struct chunk *c = self;

    (void)e;
    if (c->block_count < CHUNK_BLOCKS)
        c->blocks[c->block_count++] = *block;
    return true;
}

static bool fill(struct ledger *l, struct chunk *c, int64_t first, struct error *e)
{
    const struct store_kind *kind = l->keep.kind;
    struct entry_range range = { .from = first, .to = first + CHUNK, .bodies = true };
    struct block_range blocks = { .from = first / BLOCK, .to = first / BLOCK + CHUNK_BLOCKS };

    arena_reset(&c->a);
    c->first = first;
    c->count = c->block_count = 0;
    return kind->read_blocks(l->keep.store, &blocks, take_block, c, e) &&
           kind->read_entries(l->keep.store, &range, take_entry, c, e);
}

struct look {
    pthread_t thread;
    chunk_reader reader;
    void *self;
    const struct chunk *chunk;
    bool more;
};

static void *look_at(void *self)
{
    struct look *k = self;

    k->more = k->reader(k->self, k->chunk);
    return NULL;
}

/* Without a second thread it only takes longer. */
static bool begin(struct look *k)
{
    if (pthread_create(&k->thread, NULL, look_at, k) == 0)
        return true;
    (void)look_at(k);
    return false;
}

static bool walk(struct ledger *l, struct chunk *chunks[2], struct look *k, struct error *e)
{
    int64_t first = 0;
    bool ok = fill(l, chunks[0], 0, e);
    int turn = 0;

    for (; ok && k->more && chunks[turn]->count > 0; turn = !turn) {
        bool beside;

        k->chunk = chunks[turn];
        beside = begin(k);
        first += CHUNK;
        ok = fill(l, chunks[!turn], first, e);
        if (beside)
            (void)pthread_join(k->thread, NULL);
    }
    if (!ok && k->more) { /* what could be read is looked at all the same */
        k->chunk = chunks[turn];
        (void)look_at(k);
    }
    return ok;
}

bool ledger_walk(struct ledger *l, chunk_reader reader, void *self, struct error *e)
{
    struct chunk *chunks[2] = { calloc(1, sizeof **chunks), calloc(1, sizeof **chunks) };
    struct look k = { .reader = reader, .self = self, .more = true };
    bool ok;

    if (!chunks[0] || !chunks[1])
        mem_end();
    ok = walk(l, chunks, &k, e);
    for (int i = 0; i < 2; i++) {
        arena_free(&chunks[i]->a);
        free(chunks[i]);
    }
    return ok;
}
