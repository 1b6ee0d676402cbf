/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: finds a run by the beginning of its id, and reads its record and what became of it. */
#include "engine/changes_run.h"

#include <string.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "contract/codes.h"
#include "engine/event.h"
#include "engine/input.h"
#include "ledger/lineage.h"

enum { CANDIDATES = 16 };

struct finding {
    struct arena *a;
    struct str asked;
    struct entries runs;    /* an event of each */
    struct entries records; /* manifests */
};

static bool take(void *self, const struct entry *entry, struct error *e)
{
    struct finding *f = self;

    (void)e;
    if (!str_is(entry->tenant, EVENT_TENANT))
        return true;
    if (entry->kind == ENTRY_MANIFEST)
        entries_add(&f->records, entry, f->a);
    if (entry->kind != ENTRY_EVENT)
        return true;
    for (size_t i = 0; i < f->runs.n; i++)
        if (str_eq(f->runs.v[i].subject, entry->subject))
            return true;
    entries_add(&f->runs, entry, f->a);
    return f->runs.n < CANDIDATES;
}

static bool find(struct writ_ledger *w, struct finding *f, bool start, struct error *e)
{
    struct query q = query_all();
    bool ok;

    if (start)
        q.subject_start = f->asked;
    else
        q.subject = f->asked;
    if (!ledger_look(&w->l, e))
        return false;
    ok = search(&w->l, &q, take, f, e);
    ledger_look_end(&w->l);
    return ok;
}

/* {"code":..,"message":..,"candidates":[..]} */
static int not_one(const struct finding *f, char **answer)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };
    bool many = f->runs.n > 0;
    const char *more =
        f->asked.n < NAME_START
            ? arena_printf(f->a, " (the beginning of an id needs %d characters)", NAME_START)
            : "";

    json_open(&out, '{');
    json_put(&out, "code", codes[many ? CODE_ENTRY_AMBIGUOUS : CODE_ENTRY_UNKNOWN].name);
    json_put(&out, "message",
             many ? arena_printf(f->a, "%s can mean more than one", said(f->asked, f->a))
                  : arena_printf(f->a, "no run in the ledger is called %s%s; writ log lists them",
                                 said(f->asked, f->a), more));
    json_key(&out, "candidates");
    json_open(&out, '[');
    for (size_t i = 0; i < f->runs.n; i++)
        json_outside(&out, f->runs.v[i].subject);
    json_close(&out, ']');
    json_close(&out, '}');
    return take_answer(&out, WRIT_NO, answer);
}

int cow_run_name(struct writ_ledger *w, const char *asked, struct arena *a, struct str *id,
                 char **answer)
{
    struct finding f = { .a = a, .asked = str_of(asked) };
    struct error e;

    if (f.asked.n == 0) /* nobody's; for a search it would be everybody's */
        return not_one(&f, answer);
    if (!find(w, &f, false, &e) || /* a whole id wins over one that only begins with it */
        (f.runs.n == 0 && f.asked.n >= NAME_START && !find(w, &f, true, &e)))
        return record_unread(&e, answer);
    if (f.runs.n != 1)
        return not_one(&f, answer);
    *id = f.runs.v[0].subject;
    return WRIT_OK;
}

struct open_run {
    enum event_state last;
    int64_t since_ms;
};

static bool take_state(void *self, const struct entry *entry, struct error *e)
{
    struct open_run *run = self;

    (void)e;
    if (!str_is(entry->tenant, EVENT_TENANT))
        return true;
    if (entry->kind == ENTRY_EVENT)
        run->last = place_state(entry->place);
    if (entry->kind == ENTRY_INPUT)
        run->since_ms = entry->created_ms;
    return true;
}

bool cow_run_is_open(struct writ_ledger *w, const char *execution, int64_t *since_ms,
                     struct error *e)
{
    struct open_run run = { .last = EVENT_FAILED };
    struct query q = query_all();
    bool ok;

    q.subject = str_of(execution);
    if (!ledger_look(&w->l, e))
        return false;
    ok = search(&w->l, &q, take_state, &run, e);
    ledger_look_end(&w->l);
    *since_ms = run.last == EVENT_PLANNED || run.last == EVENT_RUNNING ? run.since_ms : 0;
    return ok;
}

/* ---- its record ---- */

/* The body is the one that was entered: its leaf says so. */
static bool is_as_entered(const struct entry *entry)
{
    _buf_ struct buf scratch = { .max = HEADER_MAX };
    struct entry copy = *entry;
    struct digest leaf;

    copy.body_digest = entry_body_digest(entry->salt, entry->body);
    return entry_leaves(&copy, 1, &scratch, &leaf) == 1 &&
           memcmp(&leaf, &entry->leaf, sizeof leaf) == 0;
}

static bool read_body(const struct entry *entry, struct arena *a, const struct doc **out,
                      struct error *e)
{
    struct ceilings max = ceilings_default();
    const struct document *document;

    if (!is_as_entered(entry))
        return error_set(e, CODE_LEDGER_DAMAGED,
                         "its record is not the one that was entered: run writ verify");
    if (!json_read("record", entry->body, &max, a, &document, e))
        return false;
    *out = &document->root;
    return true;
}

static void take_deed(const struct doc *body, struct arena *a, struct cow_run *out)
{
    struct str verb = doc_text(body, "verb");

    out->discarded |= str_is(verb, "discard");
    out->last = arena_text(a, verb);
}

bool cow_run_read(struct writ_ledger *w, struct str id, struct arena *a, struct cow_run *out,
                  struct error *e)
{
    struct finding f = { .a = a, .asked = id };
    struct cow_run run = { .id = id };

    if (!find(w, &f, false, e))
        return false;
    for (size_t i = 0; i < f.records.n; i++) {
        const struct entry *entry = &f.records.v[i];
        const struct doc *body = NULL;

        if (entry->erased)
            continue;
        if (!read_body(entry, a, &body, e))
            return false;
        if (str_is(doc_text(body, "what"), "changes")) {
            take_deed(body, a, &run);
        } else if (str_eq(doc_text(body, "execution_id"), id)) {
            run.record = body; /* of the last attempt */
            run.manifest = entry->id;
        }
    }
    if (!run.record)
        return error_set(e, CODE_CHANGE_REFUSED,
                         "it has no record: it still runs, never ended, or its record was erased");
    if (!changes_read(run.record, a, &run.set, e))
        return false;
    *out = run;
    return true;
}
