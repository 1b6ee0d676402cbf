/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite_ask.c: finds the events of executions in the runs and among the recent ones. */
#include <stdlib.h>
#include <string.h>

#include "ledger/store/sqlite.h"

/* The part of a run that was read last: what is asked comes sorted, so the next key is often in it,
 * too. */
struct view {
    int64_t run;
    size_t n;
    uint8_t keys[PART_BYTES];
};

/* What is asked, by the execution's hash. */
struct want {
    uint64_t hash;
    struct asked_event *asked;
};

struct search {
    struct store *store;
    const struct recent *recent; /* those that are in no run, or all that can be meant */
    struct want *wants;
    size_t n;
    struct view view;
};

static int want_order(const void *a, const void *b)
{
    const struct want *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->asked->place < y->asked->place ? -1 : x->asked->place > y->asked->place;
}

static bool same_execution(const struct asked_event *a, const struct asked_event *b)
{
    return str_eq(a->execution, b->execution) && str_eq(a->robot, b->robot) &&
           str_eq(a->tenant, b->tenant);
}

/* ---- one key ---- */

static const uint8_t *key_at(const struct view *v, size_t i)
{
    return v->keys + i * KEY_BYTES;
}

static bool view_covers(const struct view *v, int64_t run, const uint8_t bound[KEY_BYTES])
{
    return v->run == run && v->n > 0 && memcmp(key_at(v, 0), bound, KEY_BYTES) <= 0 &&
           memcmp(key_at(v, v->n - 1), bound, KEY_BYTES) >= 0;
}

/* Reads the part in which the bound is, or after which it is. */
static bool view_load(struct search *t, int64_t run, const uint8_t bound[KEY_BYTES],
                      struct error *e)
{
    struct view *v = &t->view;
    struct query *q;
    struct str part;
    bool row = false;

    if (view_covers(v, run, bound))
        return true;
    if (!sqlite_query(&t->store->db, Q_RUN_FIND, &q, e))
        return false;
    query_int(q, 1, run);
    query_blob(q, 2, bound, KEY_BYTES);
    if (!query_step(q, &row, e))
        return false;
    part = row ? column_blob(q, 0) : (struct str){ "", 0 };
    v->run = run;
    v->n = part.n <= PART_BYTES ? part.n / KEY_BYTES : 0;
    memcpy(v->keys, part.s, v->n * KEY_BYTES);
    query_done(q);
    return part.n <= PART_BYTES || store_damaged(t->store, "run", run, e);
}

/* The greatest key of the run that is not above the bound; false: none, or an error. */
static bool find(struct search *t, int64_t run, const struct run_key *bound, struct run_key *out,
                 bool *there, struct error *e)
{
    uint8_t bytes[KEY_BYTES];
    size_t from = 0, to;

    run_key_write(bound, bytes);
    if (!view_load(t, run, bytes, e))
        return false;
    to = t->view.n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (memcmp(key_at(&t->view, middle), bytes, KEY_BYTES) <= 0)
            from = middle + 1;
        else
            to = middle;
    }
    *there = from > 0;
    if (*there)
        *out = run_key_read(key_at(&t->view, from - 1));
    return true;
}

/* Just below a key. */
static struct run_key below(struct run_key key)
{
    if (key.seq-- == 0 && key.place-- == 0)
        key.hash--;
    return key;
}

/* ---- one event ---- */

/* Is the entry at this key an event of the execution, or one of another that has its hash? */
static bool read_mark(struct search *t, const struct run_key *key, const struct asked_event *asked,
                      struct event_mark *out, bool *ours, struct error *e)
{
    struct query *q;
    bool row = false, good = false;

    if (!sqlite_query(&t->store->db, Q_ENTRY_MARK, &q, e))
        return false;
    query_int(q, 1, (int64_t)key->seq);
    if (!query_step(q, &row, e))
        return false;
    if (row) {
        *ours = column_int(q, 1) == ENTRY_EVENT && str_eq(column_text(q, 2), asked->execution) &&
                str_eq(column_text(q, 3), asked->tenant) && str_eq(column_text(q, 4), asked->robot);
        *out = (struct event_mark){ .seq = column_int(q, 0), .place = column_int(q, 5) };
        traits_unpack(column_int(q, 6), &out->traits);
        out->traits.snapshot_ms = column_int(q, 7);
        good = out->place == (int64_t)key->place && column_bytes(q, 8, out->id.b, UUID_BYTES) &&
               column_bytes(q, 9, out->content.b, DIGEST_BYTES) &&
               out->traits.coherence < COHERENCE_COUNT && out->traits.policy < POLICY_COUNT;
    }
    query_done(q);
    return good || store_damaged(t->store, "the index of entry", (int64_t)key->seq, e);
}

static bool offer_last(struct search *t, const struct run_key *key, struct asked_event *asked,
                       bool *ours, struct error *e)
{
    struct event_mark mark;

    if (!read_mark(t, key, asked, &mark, ours, e))
        return false;
    if (*ours) {
        asked->last = mark;
        asked->has_last = true;
    }
    return true;
}

/* Keys of the hash from the bound downwards, as long as they could be a later event than the last
 * that is known. More than one is looked at only where hashes collide. */
static bool last_in_run(struct search *t, int64_t run, const struct want *w, struct error *e)
{
    struct run_key bound = { w->hash, UINT64_MAX, UINT64_MAX }, key = { 0 };
    struct asked_event *asked = w->asked;
    bool there = false, ours = false;

    while (!ours) {
        if (!find(t, run, &bound, &key, &there, e))
            return false;
        if (!there || key.hash != w->hash ||
            (asked->has_last && (int64_t)key.place <= asked->last.place))
            return true;
        if (!offer_last(t, &key, asked, &ours, e))
            return false;
        bound = below(key);
    }
    return true;
}

static bool twin_in_run(struct search *t, int64_t run, const struct want *w, struct error *e)
{
    struct asked_event *asked = w->asked;
    struct run_key bound = { w->hash, (uint64_t)asked->place, UINT64_MAX }, key = { 0 };
    bool there = false;

    while (!asked->has_twin) {
        if (!find(t, run, &bound, &key, &there, e))
            return false;
        if (!there || key.hash != w->hash || (int64_t)key.place != asked->place)
            return true;
        if (!read_mark(t, &key, asked, &asked->twin, &asked->has_twin, e))
            return false;
        bound = below(key);
    }
    return true;
}

/* ---- all of them ---- */

static bool in_recent(struct search *t, const struct want *w, struct error *e)
{
    const struct recent *recent = t->recent;
    struct asked_event *asked = w->asked;

    for (size_t i = 0; i < recent->n; i++) {
        const struct run_key *key = &recent->keys[i];
        bool ours = false;

        if (key->hash != w->hash)
            continue;
        if ((!asked->has_last || (int64_t)key->place > asked->last.place) &&
            !offer_last(t, key, asked, &ours, e))
            return false;
        if ((int64_t)key->place == asked->place && !asked->has_twin &&
            !read_mark(t, key, asked, &asked->twin, &asked->has_twin, e))
            return false;
    }
    return true;
}

typedef bool (*run_search)(struct search *t, int64_t run, const struct want *w, struct error *e);

/* Whether a want is still to be searched for. Wants of one execution follow each other: the first
 * of them finds the last event for all. */
typedef bool (*want_test)(const struct search *t, size_t i);

static bool lacks_last(const struct search *t, size_t i)
{
    return i == 0 || t->wants[i].hash != t->wants[i - 1].hash ||
           !same_execution(t->wants[i].asked, t->wants[i - 1].asked);
}

/* A twin that is not the last event has a later one. */
static bool lacks_twin(const struct search *t, size_t i)
{
    const struct asked_event *asked = t->wants[i].asked;

    return asked->has_last && !asked->has_twin && asked->last.place > asked->place;
}

static bool search_run(struct search *t, int64_t run, want_test test, run_search look,
                       struct error *e)
{
    for (size_t i = 0; i < t->n; i++) {
        bool may = false;

        if (!test(t, i))
            continue;
        if (!filter_may_have(t->store, run, t->wants[i].hash, (int64_t)(t->n - i), &may, e) ||
            (may && !look(t, run, &t->wants[i], e)))
            return false;
    }
    return true;
}

/* The newest first: what is found there spares reading what is older. */
static bool search_runs(struct search *t, want_test test, run_search look, struct error *e)
{
    int64_t blocks = t->store->tip.size / BLOCK;

    for (int level = 0; level < RUN_LEVELS; level++) {
        for (int64_t i = run_end(level, blocks); i-- > run_first(level, blocks);)
            if (!search_run(t, run_number(level, i), test, look, e))
                return false;
    }
    return true;
}

static void share_last(struct search *t)
{
    for (size_t i = 0; i < t->n; i++) {
        struct asked_event *asked = t->wants[i].asked;

        if (!lacks_last(t, i)) {
            asked->has_last = t->wants[i - 1].asked->has_last;
            asked->last = t->wants[i - 1].asked->last;
        }
        if (asked->has_last && asked->last.place == asked->place && !asked->has_twin) {
            asked->has_twin = true;
            asked->twin = asked->last;
        }
    }
}

/* From where on all of them are. */
static int64_t since(const struct asked_event *asked, size_t n)
{
    int64_t from = n ? asked[0].since : 0;

    for (size_t i = 1; i < n; i++)
        from = asked[i].since < from ? asked[i].since : from;
    return from;
}

/* Who is asked for executions that began a few entries ago reads these, and no run. */
static bool load(struct search *t, int64_t from, bool few, struct arena *a, struct error *e)
{
    struct store *s = t->store;
    struct recent *those = few ? arena_new(a, struct recent) : &s->recent;

    t->recent = those;
    return few ? recent_read(s, from, s->tip.size, those, e) : recent_load(s, s->tip.size, e);
}

bool sqlite_ask_events(struct store *s, struct asked_event *asked, size_t n, struct arena *a,
                       struct error *e)
{
    struct search *t = arena_new(a, struct search);
    int64_t from = since(asked, n);
    bool lacking = false, few = from > 0 && s->tip.size - from <= BLOCK;

    *t = (struct search){ .store = s, .n = n, .view.run = -1 };
    if (!load(t, from, few, a, e))
        return false;
    t->wants = arena_alloc(a, n * sizeof *t->wants);
    for (size_t i = 0; i < n; i++) {
        struct asked_event *it = &asked[i];

        it->has_twin = it->has_last = false;
        t->wants[i].hash = run_key_of(it->tenant, it->robot, it->execution, 0, 0).hash;
        t->wants[i].asked = it;
    }
    qsort(t->wants, n, sizeof *t->wants, want_order);
    for (size_t i = 0; i < n; i++)
        if (!in_recent(t, &t->wants[i], e))
            return false;
    if (!few && !search_runs(t, lacks_last, last_in_run, e))
        return false;
    share_last(t);
    if (few)
        return true;
    for (size_t i = 0; i < n && !lacking; i++)
        lacking = lacks_twin(t, i);
    return !lacking || search_runs(t, lacks_twin, twin_in_run, e);
}
