/* SPDX-License-Identifier: Apache-2.0 */
/* draft.c: turns the text of an event into an entry that lacks only its place in the ledger. */
#include "ledger/draft.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/stamp.h"

enum { BODY_MAX = 16 << 20 }; /* as the refusal says it */

void draft_refuse(struct draft *d, enum code code, const char *pointer, const char *message)
{
    d->verdict = VERDICT_REFUSED;
    d->code = code;
    d->pointer = pointer;
    d->message = message;
}

/* The first problem speaks for all of them. */
static void refuse_by_report(struct draft *d)
{
    const struct problem *p;

    report_finish(&d->report);
    for (p = d->report.first; p && p->warning; p = p->next)
        ;
    if (p)
        draft_refuse(d, (enum code)p->code, p->pointer, p->msg);
}

/* As the reader says it, which does not get to see it. */
static void refuse_length(struct draft *d)
{
    const struct ceiling_row *row = &ceiling_rows[CEILING_BYTES];
    struct error e = { 0 };

    (void)error_set(&e, CODE_CEILING, "%s is above %u: %s", row->name, row->value, row->meaning);
    report_error(&d->report, &e);
    refuse_by_report(d);
}

/* ---- what may be left out ---- */

struct str draft_stamp(int64_t ms, struct arena *a)
{
    char *text = arena_alloc(a, STAMP_TEXT);

    stamp_text(ms, text);
    return (struct str){ text, STAMP_TEXT - 1 };
}

void draft_fill(struct doc *map, const char *key, struct str text, struct arena *a)
{
    struct doc *member = doc_add(a, map, str_of(key));

    member->kind = DOC_TEXT;
    member->text = text;
    member->at = member->key_at = map->at;
}

static struct str fresh_id(const struct world *world, struct arena *a)
{
    struct uuid id = world->new_id(world->self);
    char *text = arena_alloc(a, UUID_TEXT);

    uuid_text(&id, text);
    return (struct str){ text, UUID_TEXT - 1 };
}

/* Now, as the clock tells it: to the millisecond. A snapshot that is given more exactly and is
 * later in this one is not of the future: then it is now. */
static struct str now_text(const struct doc *payload, int64_t now_ms, struct arena *a)
{
    struct str text = draft_stamp(now_ms, a);
    struct stamp now, seen;
    const char *why;

    if (!payload || payload->kind != DOC_MAP ||
        !stamp_read(doc_text(payload, "snapshotAt"), &seen, &why) || stamp_ms(&seen) != now_ms ||
        !stamp_read(text, &now, &why) || stamp_cmp(&now, &seen) >= 0)
        return text;
    return str_of(
        arena_printf(a, "%.*s%06" PRIu32 "Z", (int)text.n - 1, text.s, seen.nano % 1000000));
}

/* R-002-004 and A02-10: what the client does not say is said by the ledger. */
static void complete(struct draft *d, const struct world *world, struct arena *a)
{
    struct doc *root = (struct doc *)&d->document->root; /* our own, fresh from the reader */
    struct doc *payload;

    if (root->kind != DOC_MAP)
        return;
    d->undated = !doc_get(root, "createdAt");
    payload = (struct doc *)doc_get(root, "payload");
    if (d->undated)
        draft_fill(root, "createdAt", now_text(payload, world->wall_ms(world->self), a), a);
    if (!payload || payload->kind != DOC_MAP)
        return;
    if (!doc_get(payload, "executionId"))
        draft_fill(payload, "executionId", fresh_id(world, a), a);
    d->derived = !doc_get(payload, "coherenceStatus") || !doc_get(payload, "snapshotAt");
    d->undated &= !doc_get(payload, "snapshotAt");
}

/* Where the clock was set back since its input was entered, an event is made when its snapshot is:
 * both moments are the ledger's own word. */
static void agree(const struct draft *d)
{
    struct doc *created = (struct doc *)doc_get(&d->document->root, "createdAt");
    const struct doc *payload = doc_get(&d->document->root, "payload");
    struct str snapshot = doc_text(payload, "snapshotAt");
    struct stamp made, seen;
    const char *why;

    if (stamp_read(created->text, &made, &why) && stamp_read(snapshot, &seen, &why) &&
        stamp_cmp(&made, &seen) < 0)
        created->text = snapshot;
}

/* ---- the canonical body, and what is digested of it ---- */

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* A02-6: the ids are a set; in which order, and how often, says nothing. */
static void put_lineage(const struct draft *d, const struct doc *lineage, struct arena *a,
                        struct buf *to)
{
    const struct items *ids = &d->event.lineage->dependsOnLedgerIds;
    struct str *sorted = arena_alloc(a, ids->n * sizeof *sorted);
    const struct doc **members = doc_sorted(lineage, a);

    memcpy(sorted, ids->v, ids->n * sizeof *sorted);
    qsort(sorted, ids->n, sizeof *sorted, by_text);
    json_open(to, '{');
    for (uint32_t i = 0; i < lineage->count; i++) {
        json_key(to, arena_text(a, members[i]->key));
        if (!str_is(members[i]->key, "dependsOnLedgerIds")) {
            json_canon(members[i], a, to);
            continue;
        }
        json_open(to, '[');
        for (size_t k = 0; k < ids->n; k++)
            if (k == 0 || !str_eq(sorted[k], sorted[k - 1]))
                json_text(to, sorted[k]);
        json_close(to, ']');
    }
    json_close(to, '}');
}

static bool is_set(const struct items *ids)
{
    const struct str *v = ids->v;

    for (size_t i = 1; i < ids->n; i++)
        if (str_cmp(v[i - 1], v[i]) >= 0)
            return false;
    return true;
}

/* The body in the arena, behind its salt. */
static void keep_body(struct draft *d, struct str body, struct arena *a)
{
    char *salted = arena_raw(a, SALT_BYTES + body.n);

    memcpy(salted, d->entry.salt, SALT_BYTES);
    memcpy(salted + SALT_BYTES, body.s, body.n);
    d->salted = (struct str){ salted, SALT_BYTES + body.n };
    d->entry.body = (struct str){ salted + SALT_BYTES, body.n };
}

/* Writes the body, and finds payload and lineage where they stand in it. */
static void write_body(struct draft *d, struct arena *a)
{
    const struct doc *root = &d->document->root;
    const struct doc **members = doc_sorted(root, a);
    _buf_ struct buf body = { .max = BODY_MAX }, lineage = { .max = BODY_MAX };
    bool room = buf_reserve(&body, d->text.n + 64); /* most are canonical already */
    size_t from[2] = { 0 }, length[2] = { 0 };      /* lineage, payload */

    (void)room; /* and if not, it grows or says so */
    buf_addc(&body, '{');
    for (uint32_t i = 0; i < root->count; i++) {
        bool is_lineage = str_is(members[i]->key, "lineage");
        bool is_payload = str_is(members[i]->key, "payload");

        json_text(&body, members[i]->key);
        buf_addc(&body, ':');
        if (is_lineage || is_payload)
            from[is_payload] = body.len;
        json_canon(members[i], a, &body);
        if (is_lineage || is_payload)
            length[is_payload] = body.len - from[is_payload];
    }
    buf_addc(&body, '}');
    if (!buf_ok(&body)) {
        draft_refuse(d, CODE_CEILING, "", "the event's canonical form has more than 16 MiB");
        return;
    }
    keep_body(d, buf_str(&body), a);
    d->lineage = (struct str){ d->entry.body.s + from[0], length[0] };
    d->payload = (struct str){ d->entry.body.s + from[1], length[1] };
    if (!is_set(&d->event.lineage->dependsOnLedgerIds)) {
        put_lineage(d, doc_get(root, "lineage"), a, &lineage);
        d->lineage = (struct str){ arena_text(a, buf_str(&lineage)), lineage.len };
    }
}

/* ---- the entry ---- */

static struct stamp stamp_of(struct str text)
{
    struct stamp s = { 0 };
    const char *why;

    bool ok = stamp_read(text, &s, &why);

    assert(ok); /* the shape has checked its form */
    (void)ok;
    return s;
}

static void set_traits(struct draft *d)
{
    const struct event_payload *p = d->event.payload;
    struct stamp snapshot = stamp_of(p->snapshotAt);

    d->entry.traits = (struct traits){
        .coherence = (enum coherence)p->coherenceStatus,
        .policy = d->policy,
        .dry_run = p->dryRun,
        .retryable = !p->error || p->error->retryable,
        .snapshot_ms = stamp_ms(&snapshot),
        .snapshot_sub = snapshot.nano % 1000000 + (snapshot.leap ? SNAPSHOT_LEAP : 0),
    };
}

/* What is no id of an entry cannot be in the ledger; the rule of references says so. */
static void set_depends(struct draft *d, struct arena *a)
{
    const struct items *ids = &d->event.lineage->dependsOnLedgerIds;
    const struct str *v = ids->v;

    d->depends = arena_alloc(a, ids->n * sizeof *d->depends);
    d->depend_count = 0;
    for (size_t i = 0; i < ids->n; i++)
        if (entry_id_read(v[i], &d->depends[d->depend_count]))
            d->depend_count++;
}

static void finish(struct draft *d, const struct world *world, struct arena *a)
{
    struct stamp created;

    if (d->derived && d->undated)
        agree(d);
    if (!shape_decode(&event_shape, &d->document->root, &d->report, &d->event)) {
        refuse_by_report(d);
        return;
    }
    if (!d->is_salted)
        world->chance(world->self, d->entry.salt, SALT_BYTES);
    write_body(d, a);
    if (d->verdict == VERDICT_REFUSED)
        return;
    created = stamp_of(d->event.createdAt);
    d->entry.kind = ENTRY_EVENT;
    d->entry.subject = d->event.payload->executionId;
    d->entry.tenant = d->event.tenantId;
    d->entry.robot = d->event.robotId;
    d->entry.place = event_place(d->event.payload->attempt, (enum event_state)d->event.state);
    d->entry.created_ms = stamp_ms(&created);
    set_traits(d);
    if (!entry_header_fits(&d->entry)) {
        draft_refuse(d, CODE_CEILING, "",
                     "executionId, tenantId and robotId make a header of more than 65535 bytes");
        return;
    }
    set_depends(d, a);
}

static void read_one(struct draft *d, const struct world *world, struct arena *a)
{
    struct ceilings max = ceilings_default();
    struct error e;

    d->report = report_new(a, "event", d->text);
    if (d->long_bytes) {
        refuse_length(d);
        return;
    }
    if (!json_read("event", d->text, &max, a, &d->document, &e)) {
        report_error(&d->report, &e);
        refuse_by_report(d);
        return;
    }
    complete(d, world, a);
    if (!d->derived)
        finish(d, world, a);
}

/* So many are digested together. */
enum { AT_ONCE = 32 };

/* What they say and their bodies: content first, then what is salted. */
static void digest_some(struct draft *const drafts[], size_t n, struct buf *scratch)
{
    struct str texts[2 * AT_ONCE] = { 0 };
    struct digest digests[2 * AT_ONCE];
    size_t ends[AT_ONCE];

    buf_reset(scratch);
    for (size_t i = 0; i < n; i++) {
        buf_adds(scratch, "{\"lineage\":");
        buf_add(scratch, drafts[i]->lineage.s, drafts[i]->lineage.n);
        buf_adds(scratch, ",\"payload\":");
        buf_add(scratch, drafts[i]->payload.s, drafts[i]->payload.n);
        buf_addc(scratch, '}');
        ends[i] = scratch->len;
    }
    for (size_t i = 0, from = 0; i < n; from = ends[i++]) {
        texts[i] = (struct str){ scratch->s + from, ends[i] - from };
        texts[n + i] = drafts[i]->salted;
    }
    digest_many(texts, digests, 2 * n);
    for (size_t i = 0; i < n; i++) {
        drafts[i]->entry.content = digests[i];
        drafts[i]->entry.body_digest = digests[n + i];
    }
}

/* Those that are finished. */
static void digest_all(struct draft *drafts, size_t n)
{
    _buf_ struct buf scratch = { .max = AT_ONCE * (BODY_MAX + (size_t)64) };
    struct draft *some[AT_ONCE];
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        if (drafts[i].salted.n)
            some[count++] = &drafts[i];
        if (count == AT_ONCE || (i + 1 == n && count > 0)) {
            digest_some(some, count, &scratch);
            count = 0;
        }
    }
}

void drafts_read(struct draft *drafts, size_t n, const struct world *world, struct arena *a)
{
    for (size_t i = 0; i < n; i++)
        read_one(&drafts[i], world, a);
    digest_all(drafts, n);
}

void draft_finish(struct draft *d, const struct world *world, struct arena *a)
{
    finish(d, world, a);
    digest_all(d, 1);
}

void entry_of(enum entry_kind kind, struct str tenant, struct str subject, struct str body,
              const struct world *world, struct entry *out)
{
    *out = (struct entry){ .kind = kind,
                           .subject = subject,
                           .tenant = tenant,
                           .robot = str_of(""),
                           .created_ms = world->wall_ms(world->self),
                           .content = digest_of(body.s, body.n),
                           .body = body };
    world->chance(world->self, out->salt, SALT_BYTES);
    out->body_digest = entry_body_digest(out->salt, body);
}
