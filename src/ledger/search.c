/* SPDX-License-Identifier: Apache-2.0 */
/* search.c: which blocks may have it, then which of their entries do. */
#include "ledger/search.h"

#include <string.h>

enum { BLOCKS_AT_ONCE = 64 };

struct hunt {
    struct ledger *l;
    const struct query *q;
    entry_reader reader;
    void *self;
    int64_t from, to; /* seqs that the times leave */
    bool enough;
};

/* ---- does it fit? ---- */

static bool begins(struct str text, struct str with)
{
    return text.n >= with.n && (with.n == 0 || memcmp(text.s, with.s, with.n) == 0);
}

static bool links_fit(const struct query *q, const struct entry *entry)
{
    _arena_ struct arena a = { 0 };
    struct links links;

    if (!q->depend_count && !q->rerun_of.n)
        return true;
    links = links_of(entry, &a);
    if (q->rerun_of.n && str_eq(links.rerun_of, q->rerun_of))
        return true;
    for (size_t i = 0; i < q->depend_count; i++)
        for (size_t k = 0; k < links.count; k++)
            if (memcmp(&q->depends[i], &links.depends[k], sizeof links.depends[k]) == 0)
                return true;
    return false;
}

static bool id_fits(const struct query *q, const struct entry *entry)
{
    char id[UUID_TEXT];

    if (!q->id_start.n)
        return true;
    uuid_text(&entry->id, id);
    return begins(str_of(id), q->id_start);
}

/* A refusal says nothing about what happened: it is found only where refusals are asked for. */
static bool kind_fits(const struct query *q, const struct entry *entry)
{
    if (q->kind >= 0)
        return q->kind == (int)entry->kind;
    return q->refusals || q->id_start.n > 0 || entry->kind != ENTRY_REFUSAL;
}

static bool fits(const struct query *q, const struct entry *entry)
{
    bool event = entry->kind == ENTRY_EVENT;

    return kind_fits(q, entry) &&
           (q->state < 0 || (event && q->state == (int)place_state(entry->place))) &&
           (!q->tenant.n || str_eq(q->tenant, entry->tenant)) &&
           (!q->robot.n || (event && str_eq(q->robot, entry->robot))) &&
           (!q->subject.n || str_eq(q->subject, entry->subject)) &&
           begins(entry->subject, q->subject_start) && id_fits(q, entry) && links_fit(q, entry);
}

static bool may_link(const struct query *q, const struct names *names)
{
    char id[UUID_TEXT];

    if (!q->depend_count && !q->rerun_of.n)
        return true;
    if (q->rerun_of.n && names_may_have(names, NAME_RERUN, q->rerun_of))
        return true;
    for (size_t i = 0; i < q->depend_count; i++) {
        uuid_text(&q->depends[i], id);
        if (names_may_have(names, NAME_DEPENDS, str_of(id)))
            return true;
    }
    return false;
}

static bool may_have(const struct query *q, const struct names *names)
{
    struct str start = { q->subject_start.s, NAME_START }, id = { q->id_start.s, NAME_START };

    return (q->kind < 0 || names_may_have(names, NAME_KIND, str_of(entry_kind_names[q->kind]))) &&
           (q->state < 0 ||
            names_may_have(names, NAME_STATE, str_of(event_state_names[q->state]))) &&
           (!q->tenant.n || names_may_have(names, NAME_TENANT, q->tenant)) &&
           (!q->robot.n || names_may_have(names, NAME_ROBOT, q->robot)) &&
           (!q->subject.n || names_may_have(names, NAME_SUBJECT, q->subject)) &&
           (q->subject_start.n < NAME_START || names_may_have(names, NAME_SUBJECT_START, start) ||
            names_may_have(names, NAME_SUBJECT, q->subject_start)) &&
           (q->id_start.n < NAME_START || names_may_have(names, NAME_ID, id)) && may_link(q, names);
}

/* Without a name to look for, filters tell nothing. */
static bool asks_names(const struct query *q)
{
    return q->kind >= 0 || q->state >= 0 || q->tenant.n || q->robot.n || q->subject.n ||
           q->subject_start.n || q->id_start.n || q->depend_count || q->rerun_of.n;
}

/* ---- reading ---- */

static bool meet(void *self, const struct entry *entry, struct error *e)
{
    struct hunt *h = self;

    if (!fits(h->q, entry))
        return true;
    if (h->reader(h->self, entry, e))
        return true;
    h->enough = true;
    return false;
}

static bool read_range(struct hunt *h, int64_t from, int64_t to, struct error *e)
{
    struct entry_range range = { .backwards = h->q->backwards, .bodies = true };

    range.from = from > h->from ? from : h->from;
    range.to = to < h->to ? to : h->to;
    return range.from >= range.to ||
           h->l->keep.kind->read_entries(h->l->keep.store, &range, meet, h, e);
}

struct chunk {
    const struct query *q;
    int64_t from;                /* the number of its first block */
    bool cannot[BLOCKS_AT_ONCE]; /* have it; a block that is not there cannot be ruled out */
};

static bool look_at(void *self, const struct block *block, struct error *e)
{
    struct chunk *c = self;
    int64_t i = block->n - c->from;

    (void)e;
    if (i >= 0 && i < BLOCKS_AT_ONCE)
        c->cannot[i] = !may_have(c->q, &block->names);
    return true;
}

static bool read_chunk(struct hunt *h, int64_t from, int64_t to, struct error *e)
{
    struct chunk c = { .q = h->q, .from = from };
    struct block_range range = { .from = from, .to = to };
    int64_t n = to - from;

    if (!h->l->keep.kind->read_blocks(h->l->keep.store, &range, look_at, &c, e))
        return false;
    for (int64_t k = 0; k < n && !h->enough; k++) {
        int64_t i = h->q->backwards ? n - 1 - k : k;

        if (c.cannot[i])
            continue;
        if (!read_range(h, (from + i) * BLOCK, (from + i + 1) * BLOCK, e))
            return false;
    }
    return true;
}

static bool read_chunks(struct hunt *h, int64_t from, int64_t to, struct error *e)
{
    for (int64_t done = 0; done < to - from && !h->enough; done += BLOCKS_AT_ONCE) {
        int64_t left = to - from - done;
        int64_t n = left < BLOCKS_AT_ONCE ? left : BLOCKS_AT_ONCE;
        int64_t at = h->q->backwards ? to - done - n : from + done;

        if (!read_chunk(h, at, at + n, e))
            return false;
    }
    return true;
}

/* ---- times: recordedAt never decreases, so a time is a place ---- */

static bool take_recorded(void *self, const struct entry *entry, struct error *e)
{
    (void)e;
    *(int64_t *)self = entry->recorded_ms;
    return true;
}

/* The first entry recorded at or after this moment. */
static bool first_since(struct ledger *l, int64_t ms, int64_t *out, struct error *e)
{
    int64_t low = 0, high = l->tip.size;

    while (low < high) {
        int64_t middle = low + (high - low) / 2, recorded = INT64_MAX;
        struct entry_range one = { .from = middle, .to = middle + 1 };

        if (!l->keep.kind->read_entries(l->keep.store, &one, take_recorded, &recorded, e))
            return false;
        if (recorded < ms)
            low = middle + 1;
        else
            high = middle;
    }
    *out = low;
    return true;
}

bool search(struct ledger *l, const struct query *q, entry_reader reader, void *self,
            struct error *e)
{
    struct hunt h = {
        .l = l, .q = q, .reader = reader, .self = self, .from = q->from, .to = l->tip.size
    };
    int64_t first, last, blocks;

    if (q->since_ms > INT64_MIN && !first_since(l, q->since_ms, &first, e))
        return false;
    if (q->since_ms > INT64_MIN && first > h.from)
        h.from = first;
    if (q->until_ms < INT64_MAX && !first_since(l, q->until_ms + 1, &h.to, e))
        return false;
    if (q->to && q->to < h.to)
        h.to = q->to;
    if (!asks_names(q))
        return read_range(&h, h.from, h.to, e);
    first = h.from / BLOCK;
    blocks = l->tip.size / BLOCK; /* those that are complete; the rest has no filter yet */
    last = (h.to + BLOCK - 1) / BLOCK < blocks ? (h.to + BLOCK - 1) / BLOCK : blocks;
    if (q->backwards && !read_range(&h, blocks * BLOCK, l->tip.size, e))
        return false;
    if (!h.enough && !read_chunks(&h, first, last, e))
        return false;
    return q->backwards || h.enough || read_range(&h, blocks * BLOCK, l->tip.size, e);
}
