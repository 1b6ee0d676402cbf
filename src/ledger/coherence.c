/* SPDX-License-Identifier: Apache-2.0 */
/* coherence.c: compares what an execution rests on with what the ledger has now. */
#include "ledger/coherence.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_pick.h"
#include "contract/names.h"

/* A newer input about the same subject, or a later event of the same execution. */
static bool is_superseded(struct ledger *l, const struct entry *entry, struct arena *a, bool *yes,
                          struct error *e)
{
    struct asked_event event = { entry->tenant, entry->robot, entry->subject, .place = 0 };
    struct asked_entry input = { 0 };

    *yes = false;
    if (entry->kind == ENTRY_EVENT) {
        if (!l->keep.kind->ask_events(l->keep.store, &event, 1, a, e))
            return false;
        *yes = event.has_last && event.last.seq > entry->seq;
    } else if (entry->kind == ENTRY_INPUT) {
        if (!l->keep.kind->newest_input(l->keep.store, entry->tenant, entry->subject, &input, a, e))
            return false;
        *yes = input.there && input.seq != entry->seq &&
               (input.created_ms > entry->created_ms ||
                (input.created_ms == entry->created_ms && input.seq > entry->seq));
    }
    return true;
}

/* Each id is weighed once, however often it is named: otherwise a few events that name the same
 * again and again could keep everybody waiting. */
struct weighing {
    struct ledger *l;
    struct arena a;
    struct uuid *below; /* what those in the lineage depend on; not weighed yet */
    size_t count, room;
    struct weighed found;
    int64_t newest_ms;
};

enum { BELOW_MOST = 1 << 16 };

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct uuid));
}

/* Sorts them, and keeps one of each. They are sorted, not hashed: others have chosen them. */
static size_t each_once(struct uuid *ids, size_t n)
{
    size_t kept = 0;

    if (n)
        qsort(ids, n, sizeof *ids, by_bytes);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || by_bytes(&ids[kept - 1], &ids[i]) != 0)
            ids[kept++] = ids[i];
    return kept;
}

/* The worst of them all, and the first entry that made it so. */
static void worsen(struct weighing *w, enum coherence to, const struct uuid *by)
{
    static const int rank[] = {
        [COHERENCE_COHERENT] = 0, [COHERENCE_PARTIAL] = 1, [COHERENCE_STALE] = 2
    };

    if (rank[to] <= rank[w->found.coherence])
        return;
    w->found.coherence = to;
    w->found.decided_by = *by;
}

/* What there is to say of one entry; *entry is it, where it is there. One whose body was erased is
 * missing: what it said cannot be looked at any more. */
static bool weigh(struct weighing *w, const struct uuid *id, struct arena *a, struct entry *entry,
                  bool *there, struct error *e)
{
    bool superseded;

    if (!ledger_find(w->l, id, a, entry, there, e))
        return false;
    if (!*there || entry->erased)
        worsen(w, COHERENCE_PARTIAL, id);
    if (!*there)
        return true;
    w->found.moves |= entry->kind == ENTRY_EVENT;
    if (!is_superseded(w->l, entry, a, &superseded, e))
        return false;
    if (superseded)
        worsen(w, COHERENCE_STALE, id);
    return true;
}

static bool weigh_below(struct weighing *w, struct error *e)
{
    for (size_t i = 0; i < w->count; i++) {
        _arena_ struct arena a = { 0 };
        struct entry entry;
        bool there;

        if (!weigh(w, &w->below[i], &a, &entry, &there, e))
            return false;
    }
    w->count = 0;
    return true;
}

/* Where there is no room for more, and even each once they are many, they are weighed before. */
static bool add_below(struct weighing *w, const struct uuid *id, struct error *e)
{
    if (w->count == BELOW_MOST) {
        w->count = each_once(w->below, w->count);
        if (w->count > BELOW_MOST / 2 && !weigh_below(w, e))
            return false;
    }
    w->below = arena_more(&w->a, w->below, w->count, &w->room, sizeof *w->below);
    w->below[w->count++] = *id;
    return true;
}

static bool weigh_named(struct weighing *w, const struct uuid *id, struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct entry entry;
    struct links links;
    bool there;

    if (!weigh(w, id, &a, &entry, &there, e))
        return false;
    if (!there)
        return true;
    if (entry.created_ms > w->newest_ms)
        w->newest_ms = entry.created_ms;
    links = links_of(&entry, &a);
    for (size_t i = 0; i < links.count; i++)
        if (!add_below(w, &links.depends[i], e))
            return false;
    return true;
}

static bool weigh_all(struct weighing *w, const struct uuid *ids, size_t n, struct error *e)
{
    struct uuid *named = arena_alloc(&w->a, n * sizeof *named);

    if (n)
        memcpy(named, ids, n * sizeof *named);
    n = each_once(named, n);
    for (size_t i = 0; i < n; i++)
        if (!weigh_named(w, &named[i], e))
            return false;
    w->count = each_once(w->below, w->count);
    return weigh_below(w, e);
}

/* *newest_ms: the latest createdAt among them; 0 where there is none. */
static bool coherence_of(struct ledger *l, const struct uuid *ids, size_t n, struct weighed *out,
                         int64_t *newest_ms, struct error *e)
{
    struct weighing w = { .l = l, .found = { .coherence = COHERENCE_COHERENT } };
    bool ok = weigh_all(&w, ids, n, e);

    arena_free(&w.a);
    *out = w.found;
    *newest_ms = w.newest_ms;
    return ok;
}

/* ---- of every event ---- */

static void take_weighed(struct draft *d, const struct weighed *found)
{
    d->weighed = true;
    d->computed = found->coherence;
    d->decided_by = found->decided_by;
}

/* Can it begin an attempt? What goes on with one is held against that one's beginning. */
static bool may_begin(const struct draft *d)
{
    const struct event_payload *p = d->event.payload;

    if (d->verdict != VERDICT_NONE)
        return false;
    return d->event.state == EVENT_PLANNED || p->attempt > 1 || d->event.state == EVENT_FAILED ||
           d->event.state == EVENT_CANCELLED;
}

static bool same_ids(const struct weighed *last, const struct draft *d)
{
    return last->ids && last->id_count == d->depend_count &&
           memcmp(last->ids, d->depends, d->depend_count * sizeof *d->depends) == 0;
}

bool coherence_weigh(struct ledger *l, struct draft *d, struct weighed *last, struct error *e)
{
    int64_t newest_ms;

    if (d->weighed || !may_begin(d))
        return true;
    if (!same_ids(last, d) || last->moves) {
        *last = (struct weighed){ 0 };
        if (!coherence_of(l, d->depends, d->depend_count, last, &newest_ms, e))
            return false;
        last->ids = d->depends;
        last->id_count = d->depend_count;
    }
    take_weighed(d, last);
    return true;
}

/* ---- for events that do not say ---- */

/* The ids in the lineage; what is none counts as missing, which no id is that was never given. */
static size_t read_ids(const struct doc *root, struct arena *a, struct uuid **out)
{
    const struct doc *lineage = doc_get(root, "lineage");
    const struct doc *ids =
        lineage && lineage->kind == DOC_MAP ? doc_get(lineage, "dependsOnLedgerIds") : NULL;
    size_t n = 0;

    if (!ids || !doc_first(ids, DOC_LIST))
        return 0;
    *out = arena_alloc(a, ids->count * sizeof **out);
    for (const struct doc *id = ids->first; id; id = id->next, n++)
        if (id->kind != DOC_TEXT || !entry_id_read(id->text, &(*out)[n]))
            memset(&(*out)[n], 0xff, sizeof **out);
    return n;
}

/* The moment that traits hold, as text: to the millisecond, or as exact as it was given. */
static struct str snapshot_text(const struct traits *t, struct arena *a)
{
    struct str text = draft_stamp(t->snapshot_ms, a);
    uint32_t sub = t->snapshot_sub & (SNAPSHOT_LEAP - 1);

    if (sub == 0)
        return text;
    return str_of(arena_printf(a, "%.*s%06" PRIu32 "Z", (int)text.n - 1, text.s, sub));
}

/* snapshotAt in the words of an event there is; of an erased one only the moment is left. */
static bool snapshot_of(struct ledger *l, const struct event_mark *mark, struct arena *a,
                        struct str *out, struct error *e)
{
    struct entry entry;
    bool there;

    *out = (struct str){ 0 };
    if (!ledger_find(l, &mark->id, a, &entry, &there, e))
        return false;
    if (there && !entry.erased)
        *out = json_pick_plain(json_pick(json_pick(entry.body, "payload"), "snapshotAt"));
    if (out->n == 0)
        *out = snapshot_text(&mark->traits, a);
    return true;
}

/* Which event it would be; 0: none there can be. */
static int64_t place_of(const struct doc *root, const struct doc *payload)
{
    int64_t attempt = doc_whole(payload, "attempt");
    int state = name_at(event_state_names, doc_text(root, "state"));

    return state < 0 || attempt > WHOLE_MAX ? 0 : event_place(attempt, (enum event_state)state);
}

/* The event that an event which leaves something out has to agree with: itself, where it is sent
 * again, or (A02-3) what its attempt began with. */
static const struct event_mark *held_against(const struct asked_event *asked)
{
    if (asked->has_twin)
        return &asked->twin;
    if (asked->has_last && place_attempt(asked->last.place) == place_attempt(asked->place))
        return &asked->last;
    return NULL;
}

static bool as_before(struct ledger *l, const struct doc *root, struct doc *payload,
                      struct arena *a, bool *done, struct error *e)
{
    struct asked_event asked = { doc_text(root, "tenantId"), doc_text(root, "robotId"),
                                 doc_text(payload, "executionId"),
                                 .place = place_of(root, payload) };
    const struct event_mark *mark;
    struct str snapshot;

    *done = false;
    if (!l->keep.kind->ask_events(l->keep.store, &asked, 1, a, e))
        return false;
    mark = held_against(&asked);
    if (!mark)
        return true;
    if (!snapshot_of(l, mark, a, &snapshot, e))
        return false;
    if (!doc_get(payload, "snapshotAt"))
        draft_fill(payload, "snapshotAt", snapshot, a);
    if (!doc_get(payload, "coherenceStatus"))
        draft_fill(payload, "coherenceStatus", str_of(coherence_names[mark->traits.coherence]), a);
    *done = true;
    return true;
}

bool coherence_complete(struct ledger *l, struct draft *d, struct arena *a, struct error *e)
{
    struct doc *root = (struct doc *)&d->document->root; /* the draft's own */
    struct doc *payload = (struct doc *)doc_get(root, "payload");
    struct uuid *ids = NULL;
    size_t n = read_ids(root, a, &ids);
    struct weighed found = { 0 };
    int64_t newest_ms;
    bool done;

    if (!as_before(l, root, payload, a, &done, e))
        return false;
    if (done)
        return true;
    if (!coherence_of(l, ids, n, &found, &newest_ms, e))
        return false;
    take_weighed(d, &found);
    if (!doc_get(payload, "snapshotAt"))
        draft_fill(payload, "snapshotAt",
                   newest_ms ? draft_stamp(newest_ms, a) : doc_text(root, "createdAt"), a);
    if (doc_get(payload, "coherenceStatus"))
        return true;
    draft_fill(payload, "coherenceStatus", str_of(coherence_names[found.coherence]), a);
    if (found.coherence == COHERENCE_STALE && !str_is(doc_text(root, "state"), "failed"))
        draft_refuse(d, CODE_COHERENCE_BLOCKED, "/lineage/dependsOnLedgerIds",
                     "an entry it depends on has been superseded; depend on the newer one");
    return true;
}
