/* SPDX-License-Identifier: Apache-2.0 */
/* postgres_add.c: what a transaction adds to a ledger in PostgreSQL. */
#include "contract/codes.h"
#include "ledger/store/postgres.h"

/* The server works on one part while the next is laid out. */
enum { STREAM_PART = 32 << 10 };

static void put_str(struct buf *to, struct str text)
{
    pg_put_bytes(to, text.s, text.n);
}

static struct uuid key_of(const struct entry *entry)
{
    bool event = entry->kind == ENTRY_EVENT;

    return store_postgres_key(entry->tenant, event ? entry->robot : str_of(""), entry->subject);
}

/* In the order of store_postgres_copy. */
static void put_entry(struct buf *to, const struct entry *entry, struct uuid key)
{
    pg_put_row(to, COPY_COLUMNS);
    pg_put_int(to, entry->seq);
    pg_put_int(to, entry->place);
    pg_put_int(to, traits_pack(&entry->traits));
    pg_put_int(to, entry->traits.snapshot_ms);
    pg_put_int(to, entry->created_ms);
    pg_put_int(to, entry->recorded_ms);
    pg_put_bytes(to, entry->id.b, sizeof entry->id.b);
    pg_put_bytes(to, key.b, sizeof key.b);
    pg_put_small(to, (int16_t)entry->kind);
    put_str(to, entry->subject);
    put_str(to, entry->tenant);
    put_str(to, entry->robot);
    pg_put_bytes(to, entry->content.b, sizeof entry->content.b);
    pg_put_bytes(to, entry->leaf.b, sizeof entry->leaf.b);
    if (entry->erased) {
        pg_put_null(to);
        pg_put_bytes(to, entry->body_digest.b, sizeof entry->body_digest.b);
        pg_put_null(to);
    } else {
        pg_put_bytes(to, entry->salt, sizeof entry->salt);
        pg_put_null(to);
        put_str(to, entry->body);
    }
}

/* A stream takes half the time of an INSERT from lists: nothing is sorted into rows twice. */
bool store_postgres_add_entries(struct store *store, const struct entry *entries, size_t n,
                                struct error *e)
{
    struct uuid key = { 0 };
    int64_t taken;

    if (n == 0)
        return true;
    if (!pg_stream_begin(store->pg, store_postgres_copy, &store->copy, e))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || !entry_same_execution(&entries[i - 1], &entries[i]))
            key = key_of(&entries[i]);
        put_entry(&store->copy, &entries[i], key);
        if (store->copy.len >= STREAM_PART && !pg_stream_add(store->pg, &store->copy, e))
            return false;
    }
    if (!pg_stream_end(store->pg, &store->copy, &taken, e))
        return false;
    if (taken != (int64_t)n)
        return error_set(e, CODE_LEDGER_DAMAGED,
                         "%s does not take what is entered: somebody has changed how it keeps "
                         "entries",
                         pg_shown(store->pg));
    store->added = (struct written){ entries[n - 1].seq + 1, entries[n - 1].id };
    return true;
}

/* Lists that travel as one statement's values. */
struct lists {
    struct buf list[PG_VALUES];
    int count;
};

static void lists_free(struct lists *l)
{
    for (int i = 0; i < l->count; i++)
        buf_free(&l->list[i]);
}

static void lists_begin(struct lists *l, const enum pg_type *of, size_t n)
{
    for (int i = 0; i < l->count; i++) {
        l->list[i].max = PG_BUFFER_MAX;
        pg_put_list(&l->list[i], of[i], n);
    }
}

/* Sent with whatever is asked next, and before it: what fails here is told there. */
static bool lists_send(struct store *store, const struct lists *l, const enum pg_type *of,
                       enum sql statement, struct error *e)
{
    struct pg_value values[PG_VALUES];

    for (int i = 0; i < l->count; i++) {
        if (!buf_ok(&l->list[i]))
            return error_set(e, CODE_IO, "%s: more at once than PostgreSQL takes",
                             pg_shown(store->pg));
        values[i] = (struct pg_value){ pg_list_of(of[i]), buf_str(&l->list[i]) };
    }
    return pg_send(store->pg, statement, values, l->count, e);
}

bool store_postgres_add_blocks(struct store *store, const struct block *blocks, size_t n,
                               struct error *e)
{
    static const enum pg_type types[] = { PG_INT, PG_INT, PG_BYTES, PG_BYTES };
    _cleanup_(lists_free) struct lists l = { .count = COUNT(types) };

    if (n == 0)
        return true;
    lists_begin(&l, types, n);
    for (size_t i = 0; i < n; i++) {
        pg_put_int(&l.list[0], blocks[i].level);
        pg_put_int(&l.list[1], blocks[i].n);
        pg_put_bytes(&l.list[2], blocks[i].root.b, sizeof blocks[i].root.b);
        pg_put_bytes(&l.list[3], blocks[i].names.bits, blocks[i].level == 0 ? NAMES_BYTES : 0);
    }
    return lists_send(store, &l, types, SQL_ADD_BLOCKS, e);
}

bool store_postgres_add_checkpoint(struct store *store, const struct kept_checkpoint *c,
                                   struct error *e)
{
    uint8_t size[8], made[8];
    struct pg_value row[] = { pg_number(c->size, size),
                              pg_number(c->made_ms, made),
                              { PG_BYTES, c->note } };

    return pg_ask(store->pg, SQL_ADD_CHECKPOINT, row, COUNT(row), NULL, e);
}

bool store_postgres_erase(struct store *store, int64_t seq, const struct digest *body_digest,
                          struct error *e)
{
    uint8_t room[8];
    struct pg_value values[] = { pg_number(seq, room),
                                 { PG_BYTES, { (const char *)body_digest->b, DIGEST_BYTES } } };
    _rows_ struct pg_rows rows = { 0 };

    if (!pg_ask(store->pg, SQL_ERASE, values, COUNT(values), &rows, e))
        return false;
    if (rows.count != 1)
        return error_set(e, CODE_IO, "%s: entry %lld has no body to erase", pg_shown(store->pg),
                         (long long)seq);
    store->erased = true;
    return true;
}
