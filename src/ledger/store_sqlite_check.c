/* SPDX-License-Identifier: Apache-2.0 */
/* store_sqlite_check.c: does the index agree with the entries, and is there what has to be?
 *
 * The keys of all events and the keys in all runs are each summed up: SHA-256 of every key, added
 * in 128 bits. The order does not matter, and a key too many or too few shows.
 */
#include <string.h>

#include "base/mem.h"
#include "ledger/store_sqlite.h"

struct sum {
    uint64_t low, high;
    int64_t keys;
};

static void sum_add(struct sum *to, const uint8_t key[KEY_BYTES])
{
    struct digest d = digest_of(key, KEY_BYTES);
    uint64_t low, high;

    memcpy(&low, d.b, sizeof low);
    memcpy(&high, d.b + sizeof low, sizeof high);
    to->low += low;
    to->high += high + (to->low < low);
    to->keys++;
}

/* ---- what has to be in the runs ---- */

static bool sum_entries(struct store *s, int64_t blocks, struct sum *out, struct error *e)
{
    struct query *q;
    bool row = true;

    if (!sqlite_query(&s->db, Q_ENTRY_KEYS, &q, e))
        return false;
    query_int(q, 1, 0);
    query_int(q, 2, blocks * BLOCK);
    for (;;) {
        uint8_t bytes[KEY_BYTES];
        struct run_key key;

        if (!query_step(q, &row, e))
            return false;
        if (!row)
            break;
        key = run_key_of(column_text(q, 2), column_text(q, 3), column_text(q, 1), column_int(q, 4),
                         column_int(q, 0));
        run_key_write(&key, bytes);
        sum_add(out, bytes);
    }
    query_done(q);
    return true;
}

/* ---- what is in them ---- */

/* Where the reading of the runs is. */
struct walk {
    int64_t blocks;
    int64_t run;
    struct run_key last; /* of this run */
    bool begun;
    struct sum sum;
};

static bool run_belongs(int64_t run, int64_t blocks)
{
    uint64_t level = (uint64_t)run >> RUN_LEVEL;
    int64_t index = run & (((int64_t)1 << RUN_LEVEL) - 1);

    return level < RUN_LEVELS && index >= run_first((int)level, blocks) &&
           index < run_end((int)level, blocks);
}

static bool key_belongs(const struct run_key *key, int64_t run)
{
    int shift = (int)(run >> RUN_LEVEL) * RUN_FAN_BITS;
    int64_t index = run & (((int64_t)1 << RUN_LEVEL) - 1);

    return (int64_t)key->seq / BLOCK >> shift == index;
}

static const char *walk_part(struct walk *w, struct query *q, struct arena *a)
{
    struct str first = column_blob(q, 1), keys = column_blob(q, 2);
    int64_t run = column_int(q, 0);

    if (!run_belongs(run, w->blocks))
        return arena_printf(a, "there is a run %lld that %lld complete blocks do not have",
                            (long long)run, (long long)w->blocks);
    if (keys.n == 0 || keys.n % KEY_BYTES || keys.n > PART_BYTES || first.n != KEY_BYTES ||
        memcmp(first.s, keys.s, KEY_BYTES) != 0)
        return arena_printf(a, "a part of run %lld is cut or names another first key",
                            (long long)run);
    if (run != w->run)
        w->begun = false;
    w->run = run;
    for (size_t i = 0; i < keys.n; i += KEY_BYTES) {
        struct run_key key = run_key_read((const uint8_t *)keys.s + i);

        if (w->begun && run_key_cmp(&w->last, &key) >= 0)
            return arena_printf(a, "run %lld is not in order", (long long)run);
        if (!key_belongs(&key, run))
            return arena_printf(a, "run %lld has a key of entry %lld, which is not in its range",
                                (long long)run, (long long)key.seq);
        sum_add(&w->sum, (const uint8_t *)keys.s + i);
        w->last = key;
        w->begun = true;
    }
    return NULL;
}

static bool check_runs(struct store *s, struct arena *a, const char **finding, struct error *e)
{
    struct walk w = { .blocks = s->tip.size / BLOCK };
    struct sum demanded = { 0 };
    struct query *q;
    bool row = true;

    if (!sum_entries(s, w.blocks, &demanded, e) || !sqlite_query(&s->db, Q_RUNS, &q, e))
        return false;
    while (!*finding) {
        if (!query_step(q, &row, e))
            return false;
        if (!row)
            break;
        *finding = walk_part(&w, q, a);
    }
    query_done(q);
    if (!*finding && w.sum.keys != demanded.keys)
        *finding = arena_printf(a, "the index of executions has %lld keys, %lld events need one",
                                (long long)w.sum.keys, (long long)demanded.keys);
    if (!*finding && (w.sum.low != demanded.low || w.sum.high != demanded.high))
        *finding = "the index of executions has other keys than the events";
    return true;
}

/* ---- blocks ---- */

enum { BLOCK_BITS = 8, BLOCK_LEVELS = 8 };

/* Levels come upwards; one that is missing has to have no blocks. */
static bool check_blocks(struct store *s, struct arena *a, const char **finding, struct error *e)
{
    int64_t there[BLOCK_LEVELS] = { 0 };
    struct query *q;
    bool row = true;

    if (!sqlite_query(&s->db, Q_BLOCK_COUNTS, &q, e))
        return false;
    for (;;) {
        int64_t level, n;

        if (!query_step(q, &row, e))
            return false;
        if (!row)
            break;
        level = column_int(q, 0);
        n = column_int(q, 1);
        if (level < 0 || level >= BLOCK_LEVELS || column_int(q, 2) != 0 ||
            column_int(q, 3) != n - 1)
            *finding = arena_printf(a, "the blocks of level %lld have gaps", (long long)level);
        else
            there[level] = n;
    }
    query_done(q);
    for (int level = 0; level < BLOCK_LEVELS && !*finding; level++) {
        int shift = BLOCK_BITS * (level + 1);
        int64_t n = shift < 63 ? s->tip.size >> shift : 0;

        if (there[level] != n)
            *finding =
                arena_printf(a, "there are %lld blocks of level %d, %lld entries need %lld",
                             (long long)there[level], level, (long long)s->tip.size, (long long)n);
    }
    return true;
}

/* SQLite's own look at its pages, types and the index of inputs. */
static bool check_file(struct store *s, struct arena *a, const char **finding, struct error *e)
{
    struct query *q;
    bool row = false;

    if (!sqlite_query(&s->db, Q_INTEGRITY, &q, e) || !query_step(q, &row, e))
        return false;
    if (row && !str_is(column_text(q, 0), "ok"))
        *finding = arena_printf(a, "the file is damaged: %s", column_text(q, 0).s);
    query_done(q);
    return true;
}

bool sqlite_check(struct store *s, struct arena *a, const char **finding, struct error *e)
{
    *finding = NULL;
    return check_file(s, a, finding, e) && (*finding || check_blocks(s, a, finding, e)) &&
           (*finding || check_runs(s, a, finding, e));
}
