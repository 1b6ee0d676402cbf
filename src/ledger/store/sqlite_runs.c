/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite_runs.c: writes the index of executions: sorted runs of keys that are merged.
 *
 * An index that is a tree has a page to change for every random key; that alone made appending
 * three to six times slower. So keys wait until a block of 256 entries is complete, are then
 * written in one piece, sorted, and eight pieces of a size are merged into one of the next. Which
 * pieces there are follows from the number of complete blocks, as its digits in base 8: nothing
 * keeps a list of them.
 *
 *     83 blocks = 1 * 64 + 2 * 8 + 3: one run of level 2, two of level 1, three of level 0
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "ledger/store/sqlite.h"

/* ---- keys ---- */

/* Tests make keys collide with a mask of few bits. */
#ifndef KEY_MASK
#define KEY_MASK UINT64_MAX
#endif

static void put_number(uint8_t *to, uint64_t v)
{
    v = __builtin_bswap64(v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    memcpy(to, &v, sizeof v);
}

static uint64_t get_number(const uint8_t *from)
{
    uint64_t v;
    uint8_t turned[sizeof v];

    memcpy(&v, from, sizeof v);
    put_number(turned, v);
    memcpy(&v, turned, sizeof v);
    return v;
}

static size_t add_text(uint8_t *to, size_t at, struct str text)
{
    put_number(to + at, text.n);
    if (text.n)
        memcpy(to + at + 8, text.s, text.n);
    return at + 8 + text.n;
}

/* Each text with its length before it: no two executions have the same bytes. */
static uint64_t execution_hash(struct str tenant, struct str robot, struct str execution)
{
    uint8_t few[256], length[8];
    const struct str texts[] = { tenant, robot, execution };
    struct sha256 sum;
    struct digest d;
    size_t at = 0;

    if (tenant.n + robot.n + execution.n + 24 <= sizeof few) {
        for (size_t i = 0; i < COUNT(texts); i++)
            at = add_text(few, at, texts[i]);
        d = digest_of(few, at);
        return get_number(d.b);
    }
    sha256_begin(&sum);
    for (size_t i = 0; i < COUNT(texts); i++) {
        put_number(length, texts[i].n);
        sha256_add(&sum, length, sizeof length);
        sha256_add(&sum, texts[i].s, texts[i].n);
    }
    d = sha256_end(&sum);
    return get_number(d.b);
}

struct run_key run_key_of(struct str tenant, struct str robot, struct str execution, int64_t place,
                          int64_t seq)
{
    return (struct run_key){ execution_hash(tenant, robot, execution) & KEY_MASK, (uint64_t)place,
                             (uint64_t)seq };
}

void run_key_write(const struct run_key *key, uint8_t out[KEY_BYTES])
{
    put_number(out, key->hash);
    put_number(out + 8, key->place);
    put_number(out + 16, key->seq);
}

struct run_key run_key_read(const uint8_t bytes[KEY_BYTES])
{
    return (struct run_key){ get_number(bytes), get_number(bytes + 8), get_number(bytes + 16) };
}

int run_key_cmp(const struct run_key *a, const struct run_key *b)
{
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static int key_order(const void *a, const void *b)
{
    return run_key_cmp(a, b);
}

/* ---- merging ---- */

/* Where a merge takes keys from: an older run, part by part, or memory. */
struct source {
    int64_t run; /* -1: memory */
    const struct run_key *keys;
    size_t n, at;
    struct run_part *part;
};

/* A new run on its way into the table. */
struct sink {
    int64_t run;
    size_t n;
    uint8_t keys[PART_BYTES];
};

/* Anything else would make a merge go round and round, or lose keys. */
static bool in_order(const struct run_part *part, const struct run_key *after)
{
    for (size_t i = 0; i < part->n; after = &part->keys[i++])
        if (after && run_key_cmp(after, &part->keys[i]) >= 0)
            return false;
    return true;
}

bool run_next(struct store *s, int64_t run, const struct run_key *after, struct run_part *part,
              struct error *e)
{
    struct run_key above =
        after ? *after : (struct run_key){ 0 }; /* may be a key of this very part */
    uint8_t bound[KEY_BYTES];
    struct query *q;
    struct str bytes;
    bool row = false;

    run_key_write(&above, bound);
    if (!sqlite_query(&s->db, Q_RUN_NEXT, &q, e))
        return false;
    query_int(q, 1, run);
    query_blob(q, 2, bound, after ? KEY_BYTES : 0);
    if (!query_step(q, &row, e))
        return false;
    bytes = row ? column_blob(q, 0) : (struct str){ "", 0 };
    part->n = bytes.n % KEY_BYTES ? PART_KEYS + 1 : bytes.n / KEY_BYTES;
    for (size_t i = 0; i < part->n && part->n <= PART_KEYS; i++)
        part->keys[i] = run_key_read((const uint8_t *)bytes.s + i * KEY_BYTES);
    query_done(q);
    if (part->n > PART_KEYS || !in_order(part, after ? &above : NULL))
        return store_damaged(s, "run", run, e);
    return true;
}

static bool source_fill(struct store *s, struct source *from, const struct run_key *after,
                        struct error *e)
{
    if (!run_next(s, from->run, after, from->part, e))
        return false;
    from->keys = from->part->keys;
    from->n = from->part->n;
    from->at = 0;
    return true;
}

static bool source_next(struct store *s, struct source *from, struct error *e)
{
    if (++from->at < from->n || from->run < 0)
        return true;
    return source_fill(s, from, &from->keys[from->n - 1], e);
}

static bool sink_flush(struct store *s, struct sink *to, struct error *e)
{
    struct query *q;

    if (to->n == 0)
        return true;
    if (!sqlite_query(&s->db, Q_RUN_ADD, &q, e))
        return false;
    query_int(q, 1, to->run);
    query_blob(q, 2, to->keys, KEY_BYTES);
    query_blob(q, 3, to->keys, to->n * KEY_BYTES);
    to->n = 0;
    return query_run(q, e);
}

static bool sink_add(struct store *s, struct sink *to, const struct run_key *key, struct error *e)
{
    if (to->n == PART_KEYS && !sink_flush(s, to, e))
        return false;
    run_key_write(key, to->keys + to->n++ * KEY_BYTES);
    return true;
}

/* There are 7 sources a level at most, so the least is looked for, not kept. */
static bool merge(struct store *s, struct source *from, size_t n, struct sink *to, struct error *e)
{
    for (;;) {
        struct source *least = NULL;

        for (size_t i = 0; i < n; i++) {
            if (from[i].at < from[i].n &&
                (!least || run_key_cmp(&from[i].keys[from[i].at], &least->keys[least->at]) < 0))
                least = &from[i];
        }
        if (!least)
            return sink_flush(s, to, e);
        if (!sink_add(s, to, &least->keys[least->at], e) || !source_next(s, least, e))
            return false;
    }
}

/* ---- growing ---- */

/* Keys of blocks that have just become complete, and how many were before. */
struct growth {
    int64_t old_blocks, blocks;
    const struct run_key *fresh; /* by seq */
    size_t n;
};

/* The fresh keys of the blocks from..to-1, sorted. */
static struct source fresh_source(const struct growth *g, int64_t from, int64_t to, struct arena *a)
{
    size_t first = 0, end;
    struct run_key *keys;

    while (first < g->n && (int64_t)g->fresh[first].seq / BLOCK < from)
        first++;
    for (end = first; end < g->n && (int64_t)g->fresh[end].seq / BLOCK < to;)
        end++;
    keys = arena_alloc(a, (end - first + 1) * sizeof *keys);
    memcpy(keys, g->fresh + first, (end - first) * sizeof *keys);
    qsort(keys, end - first, sizeof *keys, key_order);
    return (struct source){ .run = -1, .keys = keys, .n = end - first };
}

static bool drop_run(struct store *s, int64_t run, struct error *e)
{
    struct query *q;

    if (!sqlite_query(&s->db, Q_RUN_DROP, &q, e))
        return false;
    query_int(q, 1, run);
    return query_run(q, e);
}

/* Writes a run from the older runs in its range and from the fresh keys; drops the older ones. */
static bool build(struct store *s, const struct growth *g, int level, int64_t index,
                  struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct source from[RUN_LEVELS * 7 + 1] = { 0 };
    struct sink *to = arena_new(&a, struct sink);
    int64_t start = index << RUN_FAN_BITS * level, end = (index + 1) << RUN_FAN_BITS * level;
    size_t n = 0;

    for (int l = 0; l < level; l++) {
        for (int64_t i = run_first(l, g->old_blocks); i < run_end(l, g->old_blocks); i++) {
            if (i << RUN_FAN_BITS * l < start)
                continue;
            from[n].run = run_number(l, i);
            from[n].part = arena_new(&a, struct run_part);
            if (!source_fill(s, &from[n++], NULL, e))
                return false;
        }
    }
    from[n] = fresh_source(g, start, end, &a);
    to->run = run_number(level, index);
    if (!merge(s, from, n + 1, to, e))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!drop_run(s, from[i].run, e))
            return false;
    return true;
}

/* From the runs that there were to those there have to be, without what lies between: a run that
 * the same transaction would merge again is never written. */
static bool grow(struct store *s, const struct growth *g, struct error *e)
{
    for (int level = 0; level < RUN_LEVELS; level++) {
        int64_t from = run_first(level, g->blocks), old = run_end(level, g->old_blocks);

        for (int64_t i = from > old ? from : old; i < run_end(level, g->blocks); i++)
            if (!build(s, g, level, i, e))
                return false;
    }
    return true;
}

/* ---- recent keys ---- */

bool recent_read(struct store *s, int64_t from, int64_t to, struct recent *out, struct error *e)
{
    struct query *q;
    bool row = true;

    *out = (struct recent){ .size = to, .loaded = from == to };
    if (out->loaded)
        return true;
    if (!sqlite_query(&s->db, Q_ENTRY_KEYS, &q, e))
        return false;
    query_int(q, 1, from);
    query_int(q, 2, to);
    for (;;) {
        if (!query_step(q, &row, e))
            return false;
        if (!row || out->n == BLOCK)
            break;
        out->keys[out->n++] = run_key_of(column_text(q, 2), column_text(q, 3), column_text(q, 1),
                                         column_int(q, 4), column_int(q, 0));
    }
    query_done(q);
    out->loaded = true;
    return true;
}

bool recent_load(struct store *s, int64_t size, struct error *e)
{
    return (s->recent.loaded && s->recent.size == size) ||
           recent_read(s, size / BLOCK * BLOCK, size, &s->recent, e);
}

/* The recent keys, and behind them those of the events. */
static void gather(const struct recent *recent, const struct entry *entries, size_t n,
                   struct buf *to)
{
    const struct entry *last = NULL;
    struct run_key key = { 0 };

    buf_add(to, recent->keys, recent->n * sizeof *recent->keys);
    for (size_t i = 0; i < n; i++) {
        const struct entry *it = &entries[i];

        if (it->kind != ENTRY_EVENT)
            continue;
        if (last && entry_same_execution(last, it))
            key = (struct run_key){ key.hash, (uint64_t)it->place, (uint64_t)it->seq };
        else
            key = run_key_of(it->tenant, it->robot, it->subject, it->place, it->seq);
        buf_add(to, &key, sizeof key);
        last = it;
    }
    if (!buf_ok(to))
        mem_end();
}

/* Recent keys that nobody has asked for stay unknown until a block is complete: a process that adds
 * one entry and ends never needs them. */
bool runs_add(struct store *s, int64_t size, const struct entry *entries, size_t n, struct error *e)
{
    struct recent *recent = &s->recent;
    struct growth g = { .old_blocks = size / BLOCK, .blocks = (size + (int64_t)n) / BLOCK };
    bool complete = g.blocks > g.old_blocks;
    _buf_ struct buf all = { .max = SIZE_MAX / 4 };
    const struct run_key *keys;
    size_t count;

    if (!complete && !(recent->loaded && recent->size == size))
        return true;
    if (!recent_load(s, size, e))
        return false;
    gather(recent, entries, n, &all);
    g.fresh = keys = (const void *)buf_str(&all).s;
    count = all.len / sizeof *keys;
    while (g.n < count && (int64_t)keys[g.n].seq / BLOCK < g.blocks)
        g.n++;
    if (complete && !grow(s, &g, e))
        return false;
    recent->n = count - g.n;
    memcpy(recent->keys, keys + g.n, recent->n * sizeof *keys);
    recent->size = size + (int64_t)n;
    return true;
}
