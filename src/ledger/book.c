/* SPDX-License-Identifier: Apache-2.0 */
/* book.c: asks the store about a whole batch at once, and keeps up with the batch itself. */
#include "ledger/book.h"

#include <string.h>

#include "base/stir.h"

static uint64_t hash_text(uint64_t h, struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        h = (h ^ (uint8_t)text.s[i]) * 0x100000001b3;
    return h * 31 + text.n;
}

static struct book_run *run_of(struct book *b, const struct draft *d)
{
    uint64_t h =
        hash_text(hash_text(hash_text(b->salt, d->entry.tenant), d->entry.robot), d->entry.subject);
    struct book_run **bucket = &b->buckets[h % b->bucket_count], *run;

    for (run = *bucket; run; run = run->next)
        if (entry_same_execution(&run->first->entry, &d->entry))
            return run;
    run = arena_new(b->a, struct book_run);
    run->first = d;
    run->next = *bucket;
    *bucket = run;
    return run;
}

/* ---- asking ---- */

/* Many events depend on one entry: it is asked for once. The slot rests on a salt that is drawn for
 * each batch: whoever chooses ids does not choose with them that they all want one slot, which
 * everybody else would wait for. */
static struct asked_entry *entry_at(struct book *b, int64_t seq)
{
    size_t at = stir((uint64_t)seq ^ b->salt) % b->slot_count;

    while (b->slots[at] && b->slots[at]->seq != seq)
        at = (at + 1) % b->slot_count;
    if (!b->slots[at]) {
        b->slots[at] = &b->entries[b->entry_count++];
        b->slots[at]->seq = seq;
    }
    return b->slots[at];
}

static void ask_of(struct book *b, size_t i)
{
    const struct draft *d = &b->drafts[i];

    b->first[i] = b->depend_count;
    if (d->verdict != VERDICT_NONE)
        return;
    for (size_t k = 0; k < d->depend_count; k++)
        b->depends[b->depend_count++] = entry_at(b, entry_id_seq(&d->depends[k]));
}

static size_t count_depends(const struct draft *drafts, size_t n)
{
    size_t all = 0;

    for (size_t i = 0; i < n; i++)
        all += drafts[i].depend_count;
    return all;
}

/* Asks for the executions of some drafts: the first of each, or the others. */
static bool ask_some(struct book *b, struct ledger *l, bool firsts, struct error *e)
{
    struct asked_event *asked = arena_alloc(b->a, b->count * sizeof *asked);
    size_t n = 0;

    for (size_t i = 0; i < b->count; i++) {
        const struct entry *entry = &b->drafts[i].entry;
        const struct book_run *run = b->runs[i];
        bool first = run && run->first == &b->drafts[i];

        if (!run || first != firsts || (!first && !run->events_kept))
            continue;
        b->events[i] = &asked[n];
        asked[n++] = (struct asked_event){ .tenant = entry->tenant,
                                           .robot = entry->robot,
                                           .execution = entry->subject,
                                           .place = entry->place,
                                           .since = b->drafts[i].since };
    }
    return n == 0 || l->keep.kind->ask_events(l->keep.store, asked, n, b->a, e);
}

/* What is new to the store is asked for once: there is nothing to know about its later events. */
static bool ask_events(struct book *b, struct ledger *l, struct error *e)
{
    b->events = arena_alloc(b->a, b->count * sizeof(struct asked_event *));
    if (!ask_some(b, l, true, e))
        return false;
    for (size_t i = 0; i < b->count; i++)
        if (b->events[i])
            b->runs[i]->events_kept = b->events[i]->has_last;
    return ask_some(b, l, false, e);
}

bool book_open(struct book *b, struct ledger *l, struct draft *drafts, size_t n, struct arena *a,
               struct error *e)
{
    size_t most;

    *b = (struct book){ .a = a, .drafts = drafts, .count = n, .size = l->tip.size };
    l->world->chance(l->world->self, &b->salt, sizeof b->salt);
    b->bucket_count = 2 * n + 1;
    b->buckets = arena_alloc(a, b->bucket_count * sizeof(struct book_run *));
    b->runs = arena_alloc(a, n * sizeof(struct book_run *));
    b->first = arena_alloc(a, n * sizeof *b->first);
    most = count_depends(drafts, n);
    b->slot_count = 2 * most + 1;
    b->slots = arena_alloc(a, b->slot_count * sizeof *b->slots);
    b->depends = arena_alloc(a, most * sizeof *b->depends);
    b->entries = arena_alloc(a, most * sizeof *b->entries);
    b->added = arena_alloc(a, n * sizeof(struct draft *));
    for (size_t i = 0; i < n; i++) {
        ask_of(b, i);
        if (drafts[i].verdict == VERDICT_NONE)
            b->runs[i] = run_of(b, &drafts[i]);
    }
    return ask_events(b, l, e) &&
           l->keep.kind->ask_entries(l->keep.store, b->entries, b->entry_count, a, e);
}

/* ---- knowing ---- */

/* An id of an entry that came into the ledger with this batch. */
static void know_added(const struct book *b, struct asked_entry *asked)
{
    int64_t i = asked->seq - b->size;
    const struct entry *entry;

    if (i < 0 || (size_t)i >= b->added_count)
        return;
    entry = &b->added[i]->entry;
    asked->there = true;
    asked->id = entry->id;
    asked->kind = entry->kind;
    asked->created_ms = entry->created_ms;
}

static const struct event_mark *twin_in_batch(const struct book_run *run, int64_t place)
{
    for (const struct book_event *ev = run->events; ev; ev = ev->before)
        if (ev->mark.place == place)
            return &ev->mark;
    return NULL;
}

struct known book_known(struct book *b, size_t draft)
{
    const struct draft *d = &b->drafts[draft];
    const struct asked_event *asked = b->events[draft];
    struct book_run *run = b->runs[draft];
    struct asked_entry *const *depends = &b->depends[b->first[draft]];
    struct known known = { .depends = depends };

    for (size_t k = 0; k < d->depend_count; k++)
        know_added(b, depends[k]);
    known.twin = asked && asked->has_twin ? &asked->twin : twin_in_batch(run, d->entry.place);
    known.last = run->has_last ? &run->last : asked && asked->has_last ? &asked->last : NULL;
    return known;
}

void book_add(struct book *b, size_t draft)
{
    const struct entry *entry = &b->drafts[draft].entry;
    struct book_run *run = b->runs[draft];
    struct book_event *event = arena_new(b->a, struct book_event);

    event->mark = (struct event_mark){ .seq = entry->seq,
                                       .id = entry->id,
                                       .place = entry->place,
                                       .traits = entry->traits,
                                       .content = entry->content };
    event->before = run->events;
    run->events = event;
    run->last = event->mark;
    run->has_last = true;
    b->added[b->added_count++] = &b->drafts[draft];
}
