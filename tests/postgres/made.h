/* SPDX-License-Identifier: Apache-2.0 */
/* made.h: entries that are made from their number alone, and a writer of them. */
#pragma once

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/world.h"
#include "contract/codes.h"
#include "ledger/store.h"

/* Three events an execution, and an input now and then. Texts live in the arena. */
static inline struct entry made_entry(int64_t seq, struct arena *a)
{
    struct entry entry = {
        .seq = seq,
        .kind = seq % 10 == 9 ? ENTRY_INPUT : ENTRY_EVENT,
        .tenant = str_of("tenant"),
        .robot = str_of("robot"),
        .subject = str_of(arena_printf(a, "run-%" PRId64, seq / 3)),
        .place = event_place(1, (enum event_state)(seq % 3)),
        .traits = { COHERENCE_PARTIAL, POLICY_DRAFT_ONLY, true, true, seq * 7, 999999 },
        .created_ms = 1000 + seq,
        .recorded_ms = 2000 + seq,
        .body = str_of(arena_printf(a, "{\"n\":%" PRId64 "}", seq)),
    };

    if (entry.kind != ENTRY_EVENT) {
        entry.robot = str_of("");
        entry.place = 0;
        entry.traits = (struct traits){ 0 };
    }
    memset(entry.id.b, (int)(seq % 251), sizeof entry.id.b);
    entry_id_make(seq, &entry.id);
    memset(entry.salt, (int)(seq % 255) + 1, sizeof entry.salt);
    entry.content = digest_of(&seq, sizeof seq);
    entry.leaf = digest_of(entry.id.b, sizeof entry.id.b);
    return entry;
}

/* Complete blocks for what was added, so that the store is as a ledger would have it. */
static inline bool made_blocks(struct store *store, int64_t from, int64_t to, struct error *e)
{
    for (int64_t n = from / BLOCK; n < to / BLOCK; n++) {
        struct block block = { .level = 0, .n = n, .root = digest_of(&n, sizeof n) };

        memset(&block.names, (int)(n % 256), sizeof block.names);
        if (!store_postgres.add_blocks(store, &block, 1, e))
            return false;
    }
    return true;
}

static inline bool made_add(struct store *store, int64_t at, size_t n, struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct entry *entries = arena_alloc(&a, n * sizeof *entries);

    for (size_t i = 0; i < n; i++)
        entries[i] = made_entry(at + (int64_t)i, &a);
    return store_postgres.add_entries(store, entries, n, e) &&
           made_blocks(store, at, at + (int64_t)n, e);
}

static inline bool made_append(struct store *store, size_t n, struct tip *after, struct error *e)
{
    struct tip tip;

    if (!store_postgres.begin(store, &tip, e))
        return false;
    if (!made_add(store, tip.size, n, e) || !store_postgres.commit(store, true, e)) {
        store_postgres.rollback(store);
        return false;
    }
    after->size = tip.size + (int64_t)n;
    return true;
}

static inline bool made_same(const struct entry *x, const struct entry *y)
{
    return x->seq == y->seq && memcmp(&x->id, &y->id, sizeof x->id) == 0 && x->kind == y->kind &&
           str_eq(x->subject, y->subject) && str_eq(x->tenant, y->tenant) &&
           str_eq(x->robot, y->robot) && x->place == y->place &&
           traits_pack(&x->traits) == traits_pack(&y->traits) &&
           x->traits.snapshot_ms == y->traits.snapshot_ms && x->created_ms == y->created_ms &&
           x->recorded_ms == y->recorded_ms &&
           memcmp(&x->content, &y->content, sizeof x->content) == 0 &&
           memcmp(&x->leaf, &y->leaf, sizeof x->leaf) == 0 &&
           memcmp(x->salt, y->salt, sizeof x->salt) == 0 && str_eq(x->body, y->body) &&
           x->erased == y->erased;
}
