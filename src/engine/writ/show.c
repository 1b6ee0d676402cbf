/* SPDX-License-Identifier: Apache-2.0 */
/* show.c: the public function that shows one entry or one execution. */
#include <string.h>

#include "base/json_write.h"
#include "base/stamp.h"
#include "contract/codes.h"
#include "engine/alive.h"
#include "engine/event.h"
#include "engine/given.h"
#include "engine/input.h"
#include "engine/record.h"
#include "engine/unended.h"
#include "ledger/erasure.h"
#include "ledger/lineage.h"

enum { CANDIDATES = 16 };

struct showing {
    struct writ_ledger *w;
    struct arena *a;
    struct str asked, tenant, robot; /* the two may be empty: any */
    struct entries entries;          /* that the id may mean */
    struct entries runs;             /* one event of each execution it may mean */
    struct entries about;            /* of what is no event: some that are about what was asked */
    bool by_subject;                 /* entries: about what was asked for, which is no execution */
    bool whole;                      /* something is called just what was asked for */
    struct error e;
};

/* ---- what is meant ---- */

static bool same_run(const struct entry *a, const struct entry *b)
{
    return str_eq(a->subject, b->subject) && str_eq(a->robot, b->robot) &&
           str_eq(a->tenant, b->tenant);
}

/* What is shown is read again: many may fit, and each may be large. */
static void add_light(struct entries *list, const struct entry *entry, struct arena *a)
{
    struct entry light = *entry;

    light.body = str_of("");
    entries_add(list, &light, a);
}

/* One event of each execution that may be meant, and some of what is none. */
static bool take_run(void *self, const struct entry *entry, struct error *e)
{
    struct showing *s = self;

    (void)e;
    if (entry->kind != ENTRY_EVENT && s->about.n < CANDIDATES)
        add_light(&s->about, entry, s->a);
    if (entry->kind != ENTRY_EVENT || (s->robot.n && !str_eq(entry->robot, s->robot)))
        return true;
    for (size_t i = 0; i < s->runs.n; i++)
        if (same_run(&s->runs.v[i], entry))
            return true;
    add_light(&s->runs, entry, s->a);
    return s->runs.n < CANDIDATES;
}

static bool take_entry(void *self, const struct entry *entry, struct error *e)
{
    struct showing *s = self;

    (void)e;
    add_light(&s->entries, entry, s->a);
    return s->entries.n < CANDIDATES;
}

/* A whole name wins over one that only begins with it, whatever it names. With a robot it names
 * executions alone. */
static bool find_runs(struct showing *s)
{
    struct query q = query_all();

    q.tenant = s->tenant;
    q.subject = s->asked;
    if (!search(&s->w->l, &q, take_run, s, &s->e))
        return false;
    s->whole = s->runs.n > 0 || (s->about.n > 0 && !s->robot.n);
    if (s->whole || s->asked.n < NAME_START)
        return true;
    s->about = (struct entries){ 0 };
    q.subject = str_of("");
    q.subject_start = s->asked;
    return search(&s->w->l, &q, take_run, s, &s->e);
}

/* The digits of a UUID may be written in capitals: a whole one is read so, and so is its beginning.
 */
static struct str lower(struct str text, struct arena *a)
{
    char *copy = arena_text(a, text);

    for (size_t i = 0; i < text.n; i++)
        if (copy[i] >= 'A' && copy[i] <= 'F')
            copy[i] = (char)(copy[i] - 'A' + 'a');
    return (struct str){ copy, text.n };
}

/* The id after "led-", or all of it: people copy what they see. */
static bool find_entries(struct showing *s)
{
    struct query q = query_all();
    struct uuid id;
    struct entry entry;
    bool there, prefixed = str_begins(s->asked, "led-");

    if (entry_id_read(s->asked, &id)) {
        if (!ledger_find(&s->w->l, &id, s->a, &entry, &there, &s->e))
            return false;
        if (there && (!s->tenant.n || str_eq(entry.tenant, s->tenant)) &&
            (!s->robot.n || str_eq(entry.robot, s->robot)))
            add_light(&s->entries, &entry, s->a);
        return true;
    }
    q.tenant = s->tenant;
    q.robot = s->robot;
    q.id_start = lower(str_from(s->asked, prefixed ? 4 : 0), s->a);
    return q.id_start.n < NAME_START || search(&s->w->l, &q, take_entry, s, &s->e);
}

/* What has no events is no execution, such as a plan: entries about it are all there is. */
static void take_about(struct showing *s)
{
    for (size_t i = 0; i < s->about.n && s->entries.n < CANDIDATES; i++)
        if (!s->robot.n || str_eq(s->about.v[i].robot, s->robot))
            entries_add(&s->entries, &s->about.v[i], s->a);
    s->by_subject = s->entries.n > 0;
}

/* An empty id is nobody's; for a search it would be everybody's. */
static bool find(struct showing *s)
{
    if (s->asked.n == 0)
        return true;
    if (str_begins(s->asked, "led-"))
        return find_entries(s);
    if (!find_runs(s) || (s->runs.n == 0 && !s->whole && !find_entries(s)))
        return false;
    if (s->runs.n == 0 && s->entries.n == 0)
        take_about(s);
    return true;
}

/* ---- showing it ---- */

struct gathered {
    const struct entry *run;
    struct arena *a;
    struct entries events, others, all;
};

/* What was asked for is among what an execution rests on; the rest is about it. */
static bool take_about_run(void *self, const struct entry *entry, struct error *e)
{
    struct gathered *g = self;
    bool event = entry->kind == ENTRY_EVENT;
    struct entries *list = event ? &g->events : &g->others;

    (void)e;
    if (entry->kind == ENTRY_INPUT || (event && !str_eq(entry->robot, g->run->robot)))
        return true;
    entries_add(list, entry, g->a);
    g->all.v = arena_more(g->a, g->all.v, g->all.n, &g->all.room, sizeof *g->all.v);
    g->all.v[g->all.n++] = list->v[list->n - 1];
    return true;
}

static bool gather(struct showing *s, const struct entry *run, struct gathered *g)
{
    struct query q = query_all();

    q.tenant = run->tenant;
    q.subject = run->subject;
    return search(&s->w->l, &q, take_about_run, g, &s->e) &&
           (g->events.n > 0 ||
            error_set(&s->e, CODE_LEDGER_DAMAGED, "an execution has lost its events"));
}

static void put_list(const char *key, const struct entries *list, bool bodies, struct buf *to)
{
    record_list(key, list->v, list->n, bodies, to);
}

static void put_reruns(const struct entries *reruns, struct buf *to)
{
    json_key(to, "reruns");
    json_open(to, '[');
    for (size_t i = 0; i < reruns->n; i++)
        json_outside(to, reruns->v[i].subject);
    json_close(to, ']');
}

static void put_text(struct buf *to, const char *key, struct str text)
{
    json_key(to, key);
    if (text.n)
        json_outside(to, text);
    else
        json_nil(to);
}

/* ---- what was erased, and why ---- */

struct erasing {
    struct arena *a;
    const struct entry *of;
    struct buf *to;
};

static bool put_erasure(void *self, const struct entry *note, struct error *e)
{
    struct erasing *x = self;
    struct erasure erasure;
    char erased[ENTRY_ID_TEXT], id[ENTRY_ID_TEXT], at[STAMP_TEXT];

    (void)e;
    if (!erasure_read(note, x->a, &erasure) || erasure.seq != x->of->seq)
        return true;
    entry_id_text(&x->of->id, erased);
    entry_id_text(&note->id, id);
    stamp_text(note->recorded_ms, at);
    json_open(x->to, '{');
    json_put(x->to, "erases", erased);
    json_put(x->to, "recordedAt", at);
    json_put(x->to, "ledger_id", id);
    json_put_outside(x->to, "reason", erasure.reason);
    json_close(x->to, '}');
    return true;
}

/* The note about an erased body is named after it. */
static bool put_erasures(struct showing *s, const struct entries *list, struct buf *to)
{
    json_key(to, "erasures");
    json_open(to, '[');
    for (size_t i = 0; i < list->n; i++) {
        struct erasing x = { s->a, &list->v[i], to };
        struct query q = query_all();
        char id[ENTRY_ID_TEXT];

        if (!list->v[i].erased)
            continue;
        entry_id_text(&list->v[i].id, id);
        q.subject = str_of(id);
        q.kind = ENTRY_NOTE;
        q.from = list->v[i].seq;
        if (!search(&s->w->l, &q, put_erasure, &x, &s->e))
            return false;
    }
    json_close(to, ']');
    return true;
}

/* ---- all of it ---- */

static bool rests_on(const struct links *links, const struct entry *entry)
{
    for (size_t i = 0; i < links->count; i++)
        if (memcmp(&links->depends[i], &entry->id, sizeof entry->id) == 0)
            return true;
    return false;
}

/* Of what has no end on record: does who runs it still live? A step lives with its plan, on which
 * it rests. */
static enum living look(const struct showing *s, const struct entry *last,
                        const struct entries *back)
{
    enum living living = alive_look(s->w->state, last->subject, s->a);
    struct links links = links_of(last, s->a);

    for (size_t i = 0; i < back->n && living == LIVING_UNKNOWN; i++)
        if (rests_on(&links, &back->v[i]) && back->v[i].kind == ENTRY_INPUT)
            living = alive_look(s->w->state, back->v[i].subject, s->a);
    return living;
}

static void put_living(enum living living, struct buf *to)
{
    json_key(to, "alive");
    if (living == LIVING_UNKNOWN)
        json_nil(to);
    else
        json_bool(to, living == LIVING);
}

static bool show_run(struct showing *s, const struct entry *run, struct buf *to)
{
    struct gathered g = { .run = run, .a = s->a };
    struct entries back = { 0 }, forwards[2] = { 0 };
    const struct entry *last;
    bool runs;

    if (!gather(s, run, &g) || !lineage_back(&s->w->l, &g.events, s->a, &back, &s->e) ||
        !lineage_forwards(&s->w->l, &g.all, run->subject, s->a, forwards, &s->e))
        return false;
    last = &g.events.v[g.events.n - 1];
    json_open(to, '{');
    json_put(to, "what", "execution");
    put_text(to, "execution", run->subject);
    put_text(to, "tenant", run->tenant);
    put_text(to, "robot", run->robot);
    json_put(to, "state", event_state_names[place_state(last->place)]);
    runs = place_state(last->place) == EVENT_RUNNING && str_is(last->tenant, EVENT_TENANT);
    put_living(runs ? look(s, last, &back) : LIVING_UNKNOWN, to);
    json_put_int(to, "attempt", place_attempt(last->place));
    put_text(to, "rerun_of", links_of(last, s->a).rerun_of);
    put_reruns(&forwards[1], to);
    put_list("events", &g.events, true, to);
    put_list("manifests", &g.others, true, to);
    put_list("rests_on", &back, false, to);
    put_list("used_by", &forwards[0], false, to);
    json_put_bool(to, "lineage_cut", back.more || forwards[0].more || forwards[1].more);
    if (!put_erasures(s, &g.all, to) ||
        (runs &&
         !unended_put(s->w, &(struct unended_run){ last, &back, &g.others }, s->a, to, &s->e)))
        return false;
    json_close(to, '}');
    return true;
}

static bool show_entry(struct showing *s, const struct uuid *id, struct buf *to)
{
    struct entries one = { 0 }, back = { 0 }, forwards[2] = { 0 };
    struct entry entry;
    bool there;

    if (!ledger_find(&s->w->l, id, s->a, &entry, &there, &s->e))
        return false;
    if (!there)
        return error_set(&s->e, CODE_LEDGER_DAMAGED, "an entry has another place than its id says");
    entries_add(&one, &entry, s->a);
    if (!lineage_back(&s->w->l, &one, s->a, &back, &s->e) ||
        !lineage_forwards(&s->w->l, &one, str_of(""), s->a, forwards, &s->e))
        return false;
    json_open(to, '{');
    json_put(to, "what", "entry");
    json_key(to, "entry");
    record_entry(&entry, true, to);
    put_list("rests_on", &back, false, to);
    put_list("used_by", &forwards[0], false, to);
    json_put_bool(to, "lineage_cut", back.more || forwards[0].more);
    if (!put_erasures(s, &one, to))
        return false;
    json_close(to, '}');
    return true;
}

/* Shorter than that it would have to be the whole name. */
static const char *not_found(const struct showing *s)
{
    size_t n = s->asked.n - (str_begins(s->asked, "led-") ? 4 : 0);
    const char *whose = "";

    if (s->tenant.n)
        whose = arena_printf(s->a, " of tenant %s", said(s->tenant, s->a));
    if (s->robot.n)
        whose = arena_printf(s->a, "%s of robot %s", whose, said(s->robot, s->a));
    if (n >= NAME_START)
        return arena_printf(s->a, "nothing%s in the ledger is called %s", whose,
                            said(s->asked, s->a));
    return arena_printf(s->a,
                        "nothing%s in the ledger is called just %s; the beginning of an id needs "
                        "%d characters%s",
                        whose, said(s->asked, s->a), NAME_START,
                        n < s->asked.n ? " after led-" : "");
}

/* Why there is more than one, and what tells them apart. */
static const char *ambiguous(const struct showing *s)
{
    const char *asked = said(s->asked, s->a);
    bool one_id = s->entries.n == 0, one_tenant = true;

    if (s->by_subject)
        return arena_printf(s->a,
                            "%s is no execution, and more than one entry is about it: "
                            "show one of them by its own id",
                            asked);
    for (size_t i = 1; i < s->runs.n; i++) {
        one_id &= str_eq(s->runs.v[i].subject, s->runs.v[0].subject);
        one_tenant &= str_eq(s->runs.v[i].tenant, s->runs.v[0].tenant);
    }
    if (!one_id)
        return arena_printf(s->a, "%s can mean more than one: give more of its id", asked);
    if (!one_tenant)
        return arena_printf(
            s->a, "%s is an execution of more than one tenant: say which with --tenant", asked);
    return arena_printf(
        s->a, "%s is an execution of more than one robot of tenant %s: say which with --robot",
        asked, said(s->runs.v[0].tenant, s->a));
}

/* {"code":..,"message":..,"candidates":[..]} */
static void put_candidates(const struct showing *s, struct buf *to)
{
    size_t n = s->entries.n + s->runs.n;
    enum code code = n ? CODE_ENTRY_AMBIGUOUS : CODE_ENTRY_UNKNOWN;

    json_open(to, '{');
    json_put(to, "code", codes[code].name);
    json_put(to, "message", n ? ambiguous(s) : not_found(s));
    json_key(to, "candidates");
    json_open(to, '[');
    for (size_t i = 0; i < s->runs.n; i++) {
        const struct entry *run = &s->runs.v[i];

        json_text(to,
                  str_of(arena_printf(s->a, "%.*s (tenant %.*s, robot %.*s)", STR_ARG(run->subject),
                                      STR_ARG(run->tenant), STR_ARG(run->robot))));
    }
    for (size_t i = 0; i < s->entries.n; i++) {
        char id[ENTRY_ID_TEXT];

        entry_id_text(&s->entries.v[i].id, id);
        json_text(to, str_of(id));
    }
    json_close(to, ']');
    json_close(to, '}');
}

static int show(struct showing *s, char **answer)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };
    int status = WRIT_OK;
    bool ok = find(s);

    if (ok && s->runs.n == 1 && s->entries.n == 0)
        ok = show_run(s, &s->runs.v[0], &out);
    else if (ok && s->entries.n == 1 && s->runs.n == 0)
        ok = show_entry(s, &s->entries.v[0].id, &out);
    else if (ok) {
        put_candidates(s, &out);
        status = WRIT_NO;
    }
    if (!ok)
        return record_unread(&s->e, answer);
    return take_answer(&out, status, answer);
}

/* NULL is any; empty is what a script gives whose variable is not set. */
static bool is_whose(const char *name, const char *option, struct error *e)
{
    return !name || *name ||
           error_set(e, CODE_USAGE, "%s is empty: name one, or leave it out for any", option);
}

int writ_show(struct writ_ledger *ledger, const char *id, char **answer)
{
    return writ_show_of(ledger, id, NULL, NULL, answer);
}

int writ_show_of(struct writ_ledger *ledger, const char *id, const char *tenant, const char *robot,
                 char **answer)
{
    _arena_ struct arena a = { 0 };
    struct showing s = { .w = ledger,
                         .a = &a,
                         .asked = str_of(id ? id : ""),
                         .tenant = str_of(tenant ? tenant : ""),
                         .robot = str_of(robot ? robot : "") };
    int status;

    if (!given(id, "id", answer))
        return WRIT_USAGE;
    if (!is_whose(tenant, "tenant", &s.e) || !is_whose(robot, "robot", &s.e)) {
        *answer = record_failure(s.e.code, s.e.msg);
        return WRIT_USAGE;
    }
    if (!ledger_look(&ledger->l, &s.e))
        return record_unread(&s.e, answer);
    status = show(&s, answer);
    ledger_look_end(&ledger->l);
    return status;
}
