/* SPDX-License-Identifier: Apache-2.0 */
/* erase.c: the public function that takes a body out of a ledger. */
#include "base/json_write.h"
#include "contract/codes.h"
#include "engine/given.h"
#include "engine/input.h"
#include "engine/record.h"
#include "ledger/erasure.h"
#include "ledger/search.h"

static int done(const struct entry *entry, const struct entry *note, struct str reason, bool again,
                char **answer)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };
    char erased[ENTRY_ID_TEXT], id[ENTRY_ID_TEXT];

    entry_id_text(&entry->id, erased);
    entry_id_text(&note->id, id);
    json_open(&out, '{');
    json_put(&out, "erased", erased);
    json_put(&out, "ledger_id", id);
    json_put_outside(&out, "reason", reason);
    if (again)
        json_put_bool(&out, "again", true);
    json_close(&out, '}');
    return take_answer(&out, WRIT_OK, answer);
}

/* Notes stay. That of an erasure accounts for a body that is missing; others tell what became of a
 * plan, and have nothing in them but names. */
static int stays(const struct entry *note, struct arena *a, char **answer)
{
    struct erasure erasure;

    *answer = record_failure(
        CODE_VALIDATION_ERROR,
        erasure_read(note, a, &erasure)
            ? "it is the note that something was erased, without which nobody could tell"
            : "it is the note of how a plan ended: it has the ids of the plan, its run and its "
              "steps, and nothing that they read or wrote; erase the entries of that run instead");
    return WRIT_NO;
}

/* ---- again ---- */

struct former {
    const struct entry *entry;
    struct arena *a;
    struct entry note;
    struct erasure erasure;
    bool there;
};

static bool take_note(void *self, const struct entry *note, struct error *e)
{
    struct former *f = self;
    struct entry copy = entry_copy(note, f->a);

    if (!erasure_read(&copy, f->a, &f->erasure) || f->erasure.seq != f->entry->seq)
        return true;
    f->note = copy;
    f->there = true;
    e->code = 0; /* enough was seen */
    return false;
}

/* An erasure that was stopped has its note, and maybe a copy of the body in the log: what is asked
 * is that it is gone, so it is finished. */
static int finish(struct ledger *l, const struct entry *entry, struct arena *a, char **answer)
{
    struct former f = { .entry = entry, .a = a };
    struct query q = query_all();
    char id[ENTRY_ID_TEXT];
    struct error e;

    entry_id_text(&entry->id, id);
    q.subject = str_of(id);
    q.kind = ENTRY_NOTE;
    q.from = entry->seq;
    if (!search(l, &q, take_note, &f, &e))
        return record_unread(&e, answer);
    ledger_rollback(l);
    if (!ledger_sweep(l, &e))
        return record_unwritten(&e, answer);
    if (f.there)
        return done(entry, &f.note, f.erasure.reason, true, answer);
    *answer = record_failure(CODE_LEDGER_DAMAGED, "its body is gone, and no entry tells why");
    return WRIT_NO;
}

/* ---- what was refused ---- */

/* The entries that go, without their bodies. */
struct going {
    struct arena a;
    struct entry *v;
    size_t n, room;
};

static bool take_going(void *self, const struct entry *entry, struct error *e)
{
    struct going *g = self;
    struct entry light = *entry;

    (void)e;
    if (entry->erased)
        return true;
    light.body_digest = entry_body_digest(entry->salt, entry->body);
    light.body = (struct str){ "", 0 };
    g->v = arena_more(&g->a, g->v, g->n, &g->room, sizeof *g->v);
    g->v[g->n++] = entry_copy(&light, &g->a);
    return true;
}

static bool erase_each(struct ledger *l, const struct going *g, struct str reason, struct error *e)
{
    for (size_t i = 0; i < g->n; i++) {
        _arena_ struct arena a = { 0 };
        struct entry note;

        if (!ledger_erase(l, &g->v[i], reason, &note, &a, e))
            return false;
    }
    return true;
}

/* Where a body goes, the texts go that were refused under its tenant and subject. */
static bool erase_refused(struct ledger *l, struct str tenant, struct str subject,
                          struct str reason, struct error *e)
{
    struct query q = query_all();
    struct going g = { 0 };
    bool ok;

    if (subject.n == 0 || tenant.n == 0) /* it would not narrow the search */
        return true;
    q.kind = ENTRY_REFUSAL;
    q.tenant = tenant;
    q.subject = subject;
    q.to = l->tip.size;
    ok = search(l, &q, take_going, &g, e) && erase_each(l, &g, reason, e);
    arena_free(&g.a);
    return ok;
}

/* ---- once ---- */

/* Whole ids only: what is gone is gone. */
static int erase(struct writ_ledger *w, const struct uuid *id, const char *reason, struct arena *a,
                 char **answer)
{
    struct ledger *l = &w->l;
    struct entry entry, note;
    struct error e;
    bool there;

    if (!ledger_find(l, id, a, &entry, &there, &e))
        return record_unread(&e, answer);
    if (!there) {
        *answer = record_failure(CODE_ENTRY_UNKNOWN, "no entry has this id");
        return WRIT_NO;
    }
    if (entry.erased)
        return finish(l, &entry, a, answer);
    if (entry.kind == ENTRY_NOTE)
        return stays(&entry, a, answer);
    entry.body_digest = entry_body_digest(entry.salt, entry.body);
    if (ledger_erase(l, &entry, str_of(reason), &note, a, &e) &&
        (entry.kind == ENTRY_REFUSAL ||
         erase_refused(l, entry.tenant, entry.subject, str_of(reason), &e)) &&
        ledger_commit(l, true, &e))
        return done(&entry, &note, str_of(reason), false, answer);
    return record_unwritten(&e, answer);
}

int writ_ledger_erase(struct writ_ledger *ledger, const char *id, const char *reason, char **answer)
{
    _arena_ struct arena a = { 0 };
    struct uuid uuid;
    struct error e;
    int status;

    if (!given(id, "id", answer) || !given(reason, "reason", answer))
        return WRIT_USAGE;
    if (!entry_id_read(str_of(id), &uuid)) {
        *answer = record_failure(CODE_ENTRY_UNKNOWN, "give the whole ledger id, led-...: what is "
                                                     "erased does not come back");
        return WRIT_USAGE;
    }
    if (!record_writable(ledger, &e)) {
        *answer = record_failure(e.code, e.msg);
        return WRIT_USAGE;
    }
    if (!ledger_begin(&ledger->l, &e))
        return record_unwritten(&e, answer);
    status = erase(ledger, &uuid, reason, &a, answer);
    if (status != WRIT_OK)
        ledger_rollback(&ledger->l);
    return status;
}
