/* SPDX-License-Identifier: Apache-2.0 */
/* judge.c: the rules of an append, in their order. */
#include "ledger/judge.h"

#include <inttypes.h>
#include <string.h>

#include "base/stamp.h"

struct hearing {
    struct draft *d;
    const struct known *known;
    struct arena *a;
};

#define REFUSE(h, code, pointer, ...) \
    draft_refuse((h)->d, (code), (pointer), arena_printf((h)->a, __VA_ARGS__))

static const struct event_payload *payload_of(const struct hearing *h)
{
    return h->d->event.payload;
}

static enum event_state state_of(const struct hearing *h)
{
    return (enum event_state)h->d->event.state;
}

/* Is it an event of an attempt that has one already? */
static bool goes_on(const struct hearing *h)
{
    const struct event_mark *last = h->known->last;

    return last && place_attempt(last->place) == payload_of(h)->attempt;
}

/* A02-3: the gate is asked once an attempt, with the policy of its first event. */
static const struct gate_row *gate_of(const struct hearing *h)
{
    const struct traits *t = &h->d->entry.traits;

    if (goes_on(h))
        return gate_for(t->coherence, h->known->last->traits.policy, t->dry_run);
    return gate_for(h->d->weighed ? h->d->computed : t->coherence, t->policy, t->dry_run);
}

/* The code that only the gate may write, if this event carries one. */
static enum code verdict_of_gate(const struct hearing *h)
{
    const struct event_payload *p = payload_of(h);

    if (state_of(h) == EVENT_FAILED && p->error &&
        str_is(p->error->code, codes[CODE_COHERENCE_BLOCKED].name))
        return CODE_COHERENCE_BLOCKED;
    if (state_of(h) == EVENT_CANCELLED &&
        str_is(p->cancelReason, codes[CODE_PARTIAL_REQUIRES_REVIEW].name))
        return CODE_PARTIAL_REQUIRES_REVIEW;
    return CODE_NONE;
}

/* ---- the rules ---- */

static void references(const struct hearing *h)
{
    const struct items *ids = &h->d->event.lineage->dependsOnLedgerIds;
    const struct str *text = ids->v;
    const struct traits *t = &h->d->entry.traits;
    size_t k = 0;

    for (size_t i = 0; i < ids->n; i++) {
        struct uuid id;
        const struct asked_entry *there =
            entry_id_read(text[i], &id) ? h->known->depends[k++] : NULL;
        char made[STAMP_TEXT];

        if (!there || !there->there || memcmp(&there->id, &id, sizeof id) != 0) {
            REFUSE(h, CODE_LINEAGE_MISSING,
                   arena_printf(h->a, "/lineage/dependsOnLedgerIds/%zu", i),
                   "no entry has the id %s; enter the input first", said(text[i], h->a));
            return;
        }
        if (there->kind == ENTRY_REFUSAL) {
            REFUSE(h, CODE_LINEAGE_MISSING,
                   arena_printf(h->a, "/lineage/dependsOnLedgerIds/%zu", i),
                   "%s is a refusal, which justifies nothing; name an input or an event",
                   said(text[i], h->a));
            return;
        }
        if (there->created_ms <= t->snapshot_ms)
            continue;
        stamp_text(there->created_ms, made);
        REFUSE(h, CODE_LINEAGE_LATER, arena_printf(h->a, "/lineage/dependsOnLedgerIds/%zu", i),
               "%s was made at %s, after snapshotAt %.*s", said(text[i], h->a), made,
               STR_ARG(payload_of(h)->snapshotAt));
        return;
    }
}

static void identity(const struct hearing *h)
{
    const struct event_mark *twin = h->known->twin;
    char id[ENTRY_ID_TEXT];

    if (!twin)
        return;
    h->d->seq = twin->seq;
    h->d->id = twin->id;
    if (memcmp(&twin->content, &h->d->entry.content, sizeof twin->content) == 0) {
        h->d->verdict = VERDICT_DUPLICATE;
        h->d->entry.traits = twin->traits; /* the answer tells what is stored */
        return;
    }
    entry_id_text(&twin->id, id);
    REFUSE(h, CODE_IDEMPOTENCY_CONFLICT, "",
           "%s already says what attempt %" PRId64 " came to as '%s'", id, payload_of(h)->attempt,
           event_state_names[state_of(h)]);
}

/* A02-3: an attempt that the gate would not let run is no retry. */
static void retry(const struct hearing *h)
{
    const struct event_mark *last = h->known->last;
    const struct gate_row *row;

    if (!last || goes_on(h) || place_state(last->place) != EVENT_FAILED ||
        payload_of(h)->attempt < place_attempt(last->place))
        return;
    row = gate_of(h);
    if (!row->runs && row->ends == EVENT_FAILED)
        REFUSE(h, CODE_COHERENCE_BLOCKED, "/payload/coherenceStatus",
               "a retry whose inputs are %s is blocked; rerun it with a new executionId",
               coherence_names[row->coherence]);
    else if (!last->traits.retryable)
        REFUSE(h, CODE_EVENT_TRANSITION, "/payload/attempt",
               "attempt %" PRId64 " failed with retryable false; rerun it with a new executionId",
               place_attempt(last->place));
}

static void transition(const struct hearing *h)
{
    const struct event_mark *last = h->known->last;
    int64_t attempt = payload_of(h)->attempt;
    struct error e;
    bool ok = last ? ledger_step(place_state(last->place), place_attempt(last->place), state_of(h),
                                 attempt, &e)
                   : ledger_first(state_of(h), attempt, verdict_of_gate(h), &e);

    if (!ok)
        REFUSE(h, (enum code)e.code, "/state", "%s", e.msg);
}

static void constant(const struct hearing *h)
{
    struct traits *now = &h->d->entry.traits;
    const struct traits *then;

    if (!goes_on(h))
        return;
    then = &h->known->last->traits;
    now->policy = then->policy; /* what the attempt was let in with */
    if (now->coherence != then->coherence)
        REFUSE(h, CODE_VALIDATION_ERROR, "/payload/coherenceStatus",
               "coherenceStatus is %s, and was %s when the attempt began; it must not change",
               coherence_names[now->coherence], coherence_names[then->coherence]);
    else if (now->snapshot_ms != then->snapshot_ms || now->snapshot_sub != then->snapshot_sub)
        REFUSE(h, CODE_VALIDATION_ERROR, "/payload/snapshotAt",
               "snapshotAt is not what it was when the attempt began; it must not change");
    else if (now->dry_run != then->dry_run)
        REFUSE(h, CODE_VALIDATION_ERROR, "/payload/dryRun",
               "dryRun is not what it was when the attempt began; it must not change");
}

/* A02-20: what the client says of its inputs has to be what the ledger computes. */
static void claim(const struct hearing *h)
{
    const struct draft *d = h->d;
    enum coherence claimed = d->entry.traits.coherence;
    char id[ENTRY_ID_TEXT];

    if (!d->weighed || goes_on(h) || claimed == d->computed)
        return;
    entry_id_text(&d->decided_by, id);
    REFUSE(h, CODE_VALIDATION_ERROR, "/payload/coherenceStatus",
           "coherenceStatus is %s, and the ledger computes %s%s%s%s", coherence_names[claimed],
           coherence_names[d->computed], d->computed == COHERENCE_COHERENT ? "" : ": ",
           d->computed == COHERENCE_COHERENT ? "" : id,
           d->computed == COHERENCE_COHERENT ? ""
           : d->computed == COHERENCE_STALE  ? " was superseded by a newer entry"
                                             : " is missing, or was erased");
}

/* What the gate alone may say is true only where it says so. */
static void verdict(const struct hearing *h)
{
    const struct gate_row *row = gate_of(h);
    enum code claimed = verdict_of_gate(h);

    if (claimed == CODE_NONE)
        return;
    if (claimed != row->code || row->ends != state_of(h))
        REFUSE(h, CODE_VALIDATION_ERROR,
               claimed == CODE_COHERENCE_BLOCKED ? "/payload/error/code" : "/payload/cancelReason",
               "%s is for the coherence gate to say, and it does not for inputs that are %s",
               codes[claimed].name, coherence_names[row->coherence]);
    else if (state_of(h) == EVENT_FAILED && payload_of(h)->error->retryable != row->retryable)
        REFUSE(h, CODE_VALIDATION_ERROR, "/payload/error/retryable",
               "what the coherence gate blocks is not retryable");
}

static void coherence(const struct hearing *h)
{
    const struct gate_row *row = gate_of(h);

    if (row->runs || state_of(h) == row->ends)
        return;
    if (row->ends == EVENT_PLANNED)
        REFUSE(h, row->code, "/state",
               "with dryRun false an execution stays planned; '%s' is not let through",
               event_state_names[state_of(h)]);
    else
        REFUSE(h, row->code, "/payload/coherenceStatus",
               "inputs that are %s under policy %s let nothing through but a first event '%s' "
               "with %s",
               coherence_names[row->coherence], policy_names[row->policy],
               event_state_names[row->ends], row->reason);
}

struct rule_row {
    const char *req, *name, *says;
    void (*check)(const struct hearing *h);
};

/* clang-format off */
static const struct rule_row judge_rules[] = {
    { "R-002-068", "references", "Each id in the lineage is an entry made at or before snapshotAt.", references },
    { "R-002-016", "identity",   "The same event again is the entry there is; a different one at its place is a conflict.", identity },
    { "R-002-008", "retry",      "A retry follows a failure that may be retried, and its inputs are fresh.", retry },
    { "R-002-020", "transition", "The state follows from the last one along a declared edge.", transition },
    { "R-002-011", "constant",   "Coherence, snapshot and dryRun stay what they were when the attempt began.", constant },
    { "R-002-012", "claim",      "coherenceStatus is what the ledger computes from what the lineage names.", claim },
    { "R-002-036", "verdict",    "What only the gate may say is said only where the gate says it.", verdict },
    { "R-002-036", "gate",       "The coherence matrix lets it through.", coherence },
};

static const struct column judge_columns[] = {
    { "rule",        COLUMN_TEXT, offsetof(struct rule_row, name) },
    { "requirement", COLUMN_TEXT, offsetof(struct rule_row, req) },
    { "says",        COLUMN_TEXT, offsetof(struct rule_row, says) },
};
/* clang-format on */

const struct table judge_table = {
    .name = "append_rules",
    .about = "What an event must be to enter the ledger, in the order it is checked; its shape "
             "comes first.",
    COLUMNS(judge_columns),
    .keys = 1,
    ROWS(judge_rules),
};

void judge(struct draft *d, const struct known *known, struct arena *a)
{
    struct hearing h = { d, known, a };

    for (size_t i = 0; i < COUNT(judge_rules) && d->verdict == VERDICT_NONE; i++)
        judge_rules[i].check(&h);
}
