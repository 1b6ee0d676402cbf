/* SPDX-License-Identifier: Apache-2.0 */
/* append.c: a batch of events into the ledger: judged in order, written at once. */
#include "ledger/append.h"

#include "ledger/book.h"
#include "ledger/coherence.h"
#include "ledger/conflict.h"
#include "ledger/judge.h"
#include "ledger/reject.h"

static struct reject reject_made(const struct refusal *r)
{
    return (struct reject){
        .code = codes[r->code].name,
        .pointer = "",
        .message = r->message,
        .tenant = r->tenant,
        .subject = r->subject,
        .event = { r->text.s, r->text.n < REJECT_KEPT ? r->text.n : REJECT_KEPT },
        .digest = digest_of(r->text.s, r->text.n),
        .bytes = (int64_t)r->text.n,
    };
}

static struct reject reject_of(const struct draft *d)
{
    const struct doc *root = d->document ? &d->document->root : NULL;
    const struct doc *payload = root && root->kind == DOC_MAP ? doc_get(root, "payload") : NULL;
    struct refusal refusal = {
        .code = d->code,
        .message = d->message,
        .tenant = root && root->kind == DOC_MAP ? doc_text(root, "tenantId") : str_of(""),
        .subject =
            payload && payload->kind == DOC_MAP ? doc_text(payload, "executionId") : str_of(""),
        .text = d->text,
    };
    struct reject reject = reject_made(&refusal);

    reject.pointer = d->pointer;
    if (d->long_bytes) {
        reject.bytes = d->long_bytes;
        reject.digest = d->long_digest;
    }
    reject.erased = d->erased;
    return reject;
}

bool ledger_reject(struct ledger *l, const struct refusal *refusal, struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct reject reject = reject_made(refusal);
    struct entry entry = reject_entry(&reject, l->world, &a);

    return ledger_enter(l, &entry, 1, e);
}

/* What of one batch goes into the store: the events, and behind them what is refused. */
struct sorted {
    struct entry *entries;
    const struct draft **from; /* of each event */
    size_t event_count, count;
};

static bool write_all(struct ledger *l, const struct sorted *s, struct error *e)
{
    if (s->count && !l->keep.kind->add_entries(l->keep.store, s->entries, s->count, e))
        return false;
    for (size_t i = 0; i < s->count; i++) {
        const struct draft *d = i < s->event_count ? s->from[i] : NULL;
        struct links links = { .rerun_of = { "", 0 } };

        if (d)
            links = (struct links){ .depends = d->depends,
                                    .count = d->depend_count,
                                    .rerun_of = d->event.lineage->rerunOfExecutionId };
        if (!tail_take(&l->tail, &s->entries[i], &links, &l->keep, e))
            return false;
    }
    return true;
}

static void add_refused(struct ledger *l, const struct draft *drafts, size_t n, struct sorted *s,
                        struct arena *a)
{
    s->count = s->event_count;
    for (size_t i = 0; i < n; i++) {
        struct entry *entry = &s->entries[s->count];
        struct reject reject;

        if (drafts[i].verdict != VERDICT_REFUSED)
            continue;
        reject = reject_of(&drafts[i]);
        *entry = reject_entry(&reject, l->world, a);
        l->world->chance(l->world->self, &entry->id, sizeof entry->id);
        ledger_place(l, entry);
        s->count++;
    }
}

/* What is refused where an event stands already is rare: only then the event that is kept is read,
 * from the store or the batch. Where that one was erased, this may be what it said. */
static bool refused_beside(struct ledger *l, const struct book *book, const struct event_mark *twin,
                           struct draft *d, struct arena *a, struct error *e)
{
    struct entry kept = { 0 };
    int64_t i = twin->seq - book->size;
    bool there;

    if (i >= 0 && (size_t)i < book->added_count)
        kept = book->added[i]->entry;
    else if (!ledger_find(l, &twin->id, a, &kept, &there, e))
        return false;
    d->erased = kept.erased;
    if (d->code == CODE_IDEMPOTENCY_CONFLICT)
        conflict_tell(d, &kept, a);
    return true;
}

/* These are judged by what is in the store and by one another. */
static bool append_stretch(struct ledger *l, struct draft *drafts, size_t n, struct arena *a,
                           struct error *e)
{
    struct sorted s = { .entries = arena_alloc(a, n * sizeof *s.entries),
                        .from = arena_alloc(a, n * sizeof(struct draft *)) };
    struct uuid *ids = arena_alloc(a, n * sizeof *ids);
    struct book book;

    l->world->chance(l->world->self, ids, n * sizeof *ids);
    if (!tail_ready(&l->tail, l->tip.size, n, &l->keep, e) || !book_open(&book, l, drafts, n, a, e))
        return false;
    for (size_t i = 0; i < n; i++) {
        struct draft *d = &drafts[i];
        struct known known;

        if (d->verdict == VERDICT_NONE) {
            known = book_known(&book, i);
            judge(d, &known, a);
            if (d->verdict == VERDICT_REFUSED && known.twin &&
                !refused_beside(l, &book, known.twin, d, a, e))
                return false;
        }
        if (d->verdict != VERDICT_NONE)
            continue;
        d->entry.id = ids[i];
        ledger_place(l, &d->entry);
        d->verdict = VERDICT_APPENDED;
        d->seq = d->entry.seq;
        d->id = d->entry.id;
        book_add(&book, i);
        s.from[s.event_count] = d;
        s.entries[s.event_count++] = d->entry;
    }
    add_refused(l, drafts, n, &s, a);
    return ledger_leaves(l, s.entries, s.count, a, e) && write_all(l, &s, e);
}

/* What is left to the ledger follows from what stands before it, of this batch, too. */
static bool complete(struct ledger *l, struct draft *d, struct arena *a, struct error *e)
{
    if (d->verdict != VERDICT_NONE || !d->derived)
        return true;
    if (!coherence_complete(l, d, a, e))
        return false;
    if (d->verdict == VERDICT_NONE)
        draft_finish(d, l->world, a);
    return true;
}

/* How many go into the store together. A draft begins a stretch where it has to be completed, or
 * where what comes before it may decide its coherence. */
static bool stretch(struct ledger *l, struct draft *drafts, size_t n, size_t *count,
                    struct error *e)
{
    struct weighed last = { 0 };

    for (*count = 0; *count < n; ++*count) {
        struct draft *d = &drafts[*count];

        if (*count > 0 && d->derived)
            break;
        if (!coherence_weigh(l, d, &last, e))
            return false;
        if (*count > 0 && d->weighed && last.moves) {
            d->weighed = false; /* once more, when the others are there */
            break;
        }
    }
    return true;
}

bool ledger_append(struct ledger *l, struct draft *drafts, size_t n, struct arena *a,
                   struct error *e)
{
    for (size_t i = 0, count; i < n; i += count) {
        if (!complete(l, &drafts[i], a, e) || !stretch(l, &drafts[i], n - i, &count, e) ||
            !append_stretch(l, &drafts[i], count, a, e))
            return false;
    }
    return true;
}
