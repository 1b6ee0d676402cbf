/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite_check.c: do the indexes agree with the entries, and is there what has to be?
 *
 * The keys that the entries demand and the keys there are, are each summed up: SHA-256 of a salt
 * and every key, added in 128 bits. The order does not matter, and a key too many or too few shows.
 * Entries are not read here again: they are the most of a file by far.
 */
#include <string.h>

#include "base/mem.h"
#include "ledger/store/sqlite.h"

static void sum_add(struct key_sum *to, const struct digest *key)
{
    uint64_t low, high;

    memcpy(&low, key->b, sizeof low);
    memcpy(&high, key->b + sizeof low, sizeof high);
    to->low += low;
    to->high += high + (to->low < low);
    to->keys++;
}

static bool sums_differ(const struct key_sum *a, const struct key_sum *b)
{
    return a->low != b->low || a->high != b->high || a->keys != b->keys;
}

/* ---- what has to be in the indexes ---- */

/* Keys are hashed together, and may wait for others. */
enum { PENDING = 32 };

struct pending {
    struct key_sum *to;
    uint8_t bytes[PENDING][SUM_SALT + KEY_BYTES]; /* each begins with the salt */
    size_t n;
};

static struct pending begin_keys(struct key_sum *to, const struct index_sum *salted)
{
    struct pending p = { .to = to };

    for (size_t i = 0; i < PENDING; i++)
        memcpy(p.bytes[i], salted->salt, SUM_SALT);
    return p;
}

static void sum_pending(struct pending *p)
{
    struct str texts[PENDING];
    struct digest d[PENDING];

    for (size_t i = 0; i < p->n; i++)
        texts[i] = (struct str){ (const char *)p->bytes[i], sizeof p->bytes[i] };
    digest_many(texts, d, p->n);
    for (size_t i = 0; i < p->n; i++)
        sum_add(p->to, &d[i]);
    p->n = 0;
}

static void sum_key(struct pending *p, const uint8_t key[KEY_BYTES])
{
    memcpy(p->bytes[p->n++] + SUM_SALT, key, KEY_BYTES);
    if (p->n == PENDING)
        sum_pending(p);
}

/* A row of the index of inputs. */
struct input_key {
    struct str tenant, subject;
    int64_t created_ms, seq;
};

static void sum_input(struct key_sum *to, const struct index_sum *salted,
                      const struct input_key *key)
{
    uint64_t lengths[] = { key->tenant.n, key->subject.n };
    struct sha256 sum;
    struct digest d;

    sha256_begin(&sum);
    sha256_add(&sum, salted->salt, sizeof salted->salt);
    sha256_add(&sum, lengths, sizeof lengths);
    sha256_add(&sum, key->tenant.s, key->tenant.n);
    sha256_add(&sum, key->subject.s, key->subject.n);
    sha256_add(&sum, &key->created_ms, sizeof key->created_ms);
    sha256_add(&sum, &key->seq, sizeof key->seq);
    d = sha256_end(&sum);
    sum_add(to, &d);
}

/* Events behind the last complete block are in no run yet. */
void sqlite_sum_keys(struct index_sum *sum, const struct entry *entries, size_t n)
{
    struct pending events = begin_keys(&sum->events, sum);
    int64_t end = sum->size / BLOCK * BLOCK;
    const struct entry *last = NULL; /* event: the next is often of the same execution */
    uint8_t bytes[KEY_BYTES];
    struct run_key key;

    for (size_t i = 0; i < n; i++) {
        const struct entry *e = &entries[i];

        if (e->kind == ENTRY_INPUT)
            sum_input(&sum->inputs, sum,
                      &(struct input_key){ e->tenant, e->subject, e->created_ms, e->seq });
        if (e->kind != ENTRY_EVENT || e->seq >= end)
            continue;
        if (last && entry_same_execution(last, e))
            key = (struct run_key){ key.hash, (uint64_t)e->place, (uint64_t)e->seq };
        else
            key = run_key_of(e->tenant, e->robot, e->subject, e->place, e->seq);
        run_key_write(&key, bytes);
        sum_key(&events, bytes);
        last = e;
    }
    sum_pending(&events);
}

/* ---- the index of executions ---- */

/* Where the reading of the runs is. */
struct walk {
    int64_t blocks;
    int64_t run;
    struct run_key last; /* of this run */
    bool begun;
    struct key_sum sum;
    struct pending keys;
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
        sum_key(&w->keys, (const uint8_t *)keys.s + i);
        w->last = key;
        w->begun = true;
    }
    return NULL;
}

static bool check_runs(struct store *s, const struct index_sum *all, struct arena *a,
                       const char **finding, struct error *e)
{
    struct walk w = { .blocks = s->tip.size / BLOCK, .keys = begin_keys(&w.sum, all) };
    const struct key_sum *demanded = &all->events;
    struct query *q;
    bool row = true;

    if (!sqlite_query(&s->db, Q_RUNS, &q, e))
        return false;
    while (!*finding) {
        if (!query_step(q, &row, e))
            return false;
        if (!row)
            break;
        *finding = walk_part(&w, q, a);
    }
    query_done(q);
    sum_pending(&w.keys);
    if (!*finding && w.sum.keys != demanded->keys)
        *finding = arena_printf(a, "the index of executions has %lld keys, %lld events need one",
                                (long long)w.sum.keys, (long long)demanded->keys);
    else if (!*finding && sums_differ(&w.sum, demanded))
        *finding = "the index of executions has other keys than the events";
    return true;
}

/* ---- the index of inputs ---- */

/* As SQLite sorts them. */
static int input_order(const struct input_key *a, const struct input_key *b)
{
    int order = str_cmp(a->tenant, b->tenant);

    order = order ? order : str_cmp(a->subject, b->subject);
    if (order)
        return order;
    if (a->created_ms != b->created_ms)
        return a->created_ms < b->created_ms ? -1 : 1;
    return (a->seq > b->seq) - (a->seq < b->seq);
}

static struct input_key keep_input(const struct input_key *key, struct arena *a)
{
    return (struct input_key){ { arena_text(a, key->tenant), key->tenant.n },
                               { arena_text(a, key->subject), key->subject.n },
                               key->created_ms,
                               key->seq };
}

/* A row that is there also has to be found: by the order of all. */
static bool check_inputs(struct store *s, const struct index_sum *all, const char **finding,
                         struct error *e)
{
    static const struct column_place places[] = {
        { 't', offsetof(struct input_key, tenant) },
        { 't', offsetof(struct input_key, subject) },
        { 'i', offsetof(struct input_key, created_ms) },
        { 'i', offsetof(struct input_key, seq) },
    };
    _arena_ struct arena a = { 0 };
    struct input_key last = { 0 }, key;
    struct key_sum sum = { 0 };
    bool row = true, ordered = true;
    struct query *q;

    if (!sqlite_query(&s->db, Q_INPUTS, &q, e))
        return false;
    while (ordered) {
        if (!query_step(q, &row, e))
            return false;
        if (!row)
            break;
        ordered = columns_read(q, places, COUNT(places), &key) &&
                  (sum.keys == 0 || input_order(&last, &key) < 0);
        if (!ordered)
            break;
        sum_input(&sum, all, &key);
        arena_reset(&a);
        last = keep_input(&key, &a);
    }
    query_done(q);
    if (!ordered)
        *finding = "the index of inputs is not in order";
    else if (sums_differ(&sum, &all->inputs))
        *finding = "the index of inputs has other keys than the inputs";
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

/* ---- the file ---- */

/* The entries themselves were read before: what the walk met. */
static void check_walk(struct store *s, struct arena *a, const char **finding)
{
    if (s->walk.rows != s->tip.size)
        *finding = arena_printf(a, "there are %lld entries, the last of which is number %lld",
                                (long long)s->walk.rows, (long long)s->tip.size - 1);
    else if (s->walk.lost >= 0)
        *finding = arena_printf(a, "the file is damaged: entry %lld is not found by its number",
                                (long long)s->walk.lost);
}

/* SQLite keeps the text of a trigger as it was given, without the semicolon. */
static bool is_our_trigger(struct str sql)
{
    const char *all = store_sqlite_triggers, *end = all + strlen(all);

    if (!str_begins(sql, "CREATE TRIGGER "))
        return false;
    all = memmem(all, (size_t)(end - all), sql.s, sql.n);
    return all && all[sql.n] == ';';
}

static bool count_ours(struct str sql, size_t there[SCHEMA_ROWS])
{
    for (size_t i = 0; i < SCHEMA_ROWS; i++) {
        if (str_is(sql, store_sqlite_schema[i])) {
            there[i]++;
            return true;
        }
    }
    return false;
}

static const char *not_ours(struct str name, struct arena *a)
{
    return arena_printf(a, "the tables are not those that writ makes: %.*s", STR_ARG(name));
}

/* "CREATE TABLE name (..": the third word. */
static struct str name_in(const char *sql)
{
    for (int i = 0; i < 2; i++)
        sql = strchr(sql, ' ') + 1;
    return (struct str){ sql, strcspn(sql, " ") };
}

/* Is there each table and index that writ makes, as it makes them, and nothing else but its own
 * triggers? Some of those may be missing: what they keep from happening is found. */
static bool know_schema(struct store *s, struct arena *a, const char **finding, struct error *e)
{
    size_t there[SCHEMA_ROWS] = { 0 };
    struct query *q;
    bool row = true;

    if (!sqlite_query(&s->db, Q_SCHEMA, &q, e))
        return false;
    for (;;) {
        if (!query_step(q, &row, e))
            return false;
        if (!row)
            break;
        if (str_is(column_text(q, 0), "trigger") ? !is_our_trigger(column_text(q, 2))
                                                 : !count_ours(column_text(q, 2), there))
            *finding = not_ours(column_text(q, 1), a);
    }
    query_done(q);
    for (size_t i = 0; i < SCHEMA_ROWS; i++)
        if (there[i] != 1)
            *finding = not_ours(name_in(store_sqlite_schema[i]), a);
    return true;
}

/* SQLite's own look at pages, types and indexes of one table. */
static bool check_pages(struct store *s, const char *table, struct arena *a, const char **finding,
                        struct error *e)
{
    bool row = false;
    struct query *q;

    if (!sqlite_query(&s->db, Q_INTEGRITY, &q, e))
        return false;
    query_text(q, 1, str_of(table));
    if (!query_step(q, &row, e))
        return false;
    if (row && !str_is(column_text(q, 0), "ok"))
        *finding = arena_printf(a, "the file is damaged: %s", column_text(q, 0).s);
    query_done(q);
    return true;
}

/* All but the entries, which the walk has read: every column of every row, from row to row and each
 * by its number. sqlite_schema stands for the free pages, too. */
static bool check_file(struct store *s, const struct index_sum *sum, struct arena *a,
                       const char **finding, struct error *e)
{
    static const char *const tables[] = { "sqlite_schema", "ledger", "blocks", "runs",
                                          "checkpoints" };

    if (!know_schema(s, a, finding, e))
        return false;
    for (size_t i = 0; i < COUNT(tables) && !*finding; i++)
        if (!check_pages(s, tables[i], a, finding, e))
            return false;
    return *finding || check_inputs(s, sum, finding, e);
}

bool sqlite_check(struct store *s, const struct index_sum *sum, struct arena *a,
                  const char **finding, struct error *e)
{
    *finding = NULL;
    if (s->version != SCHEMA_VERSION)
        return error_set(e, CODE_IO,
                         "'%s' was made by an earlier writ, which kept refusals outside of the "
                         "tree; append to it once, which enters them, then verify it",
                         s->how.where);
    check_walk(s, a, finding);
    return (*finding || check_file(s, sum, a, finding, e)) &&
           (*finding || check_blocks(s, a, finding, e)) &&
           (*finding || check_runs(s, sum, a, finding, e));
}
