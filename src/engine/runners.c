/* SPDX-License-Identifier: Apache-2.0 */
/* runners.c: from the files of who runs to the events in the ledger.
 *
 * A file is named after an execution, which has events, or after a plan, which has none: executions
 * rest on it.
 */
#include "engine/runners.h"

#include <stdlib.h>
#include <string.h>

#include "engine/event.h"
#include "ledger/search.h"

/* The event by which an execution that rests on a plan runs. */
struct resting {
    struct str execution;
    struct runner runner;
};

struct finding {
    struct writ_ledger *w;
    struct arena *a;
    struct runners *out;
    struct uuid *plans; /* as entries */
    bool *lives;        /* by the place in plans */
    size_t plan_count;
    int64_t from;         /* of the first of them */
    struct resting *open; /* as far as the events were read */
    size_t open_count, open_room;
};

static void add(struct finding *f, struct runner one)
{
    struct runners *out = f->out;

    out->v = arena_more(f->a, out->v, out->n, &out->room, sizeof *out->v);
    out->v[out->n++] = one;
}

static bool add_file(struct finding *f, const struct alive_file *file, struct error *e)
{
    const struct keep *keep = &f->w->l.keep;
    struct asked_event event = { .tenant = str_of(EVENT_TENANT),
                                 .robot = str_of(EVENT_ROBOT),
                                 .execution = file->id };
    struct asked_entry input = { 0 };

    if (!keep->kind->ask_events(keep->store, &event, 1, f->a, e))
        return false;
    if (event.has_last && place_state(event.last.place) == EVENT_RUNNING)
        add(f, (struct runner){ event.last.seq, file->lives });
    if (event.has_last)
        return true;
    if (!keep->kind->newest_input(keep->store, event.tenant, file->id, &input, f->a, e))
        return false;
    if (!input.there)
        return true;
    f->from = f->plan_count && f->from < input.seq ? f->from : input.seq;
    f->lives[f->plan_count] = file->lives;
    f->plans[f->plan_count++] = input.id;
    return true;
}

/* ---- steps ---- */

/* Of the entries that an event rests on one is a plan. */
static bool plan_lives(const struct finding *f, const struct entry *event)
{
    _arena_ struct arena a = { 0 };
    struct links links = links_of(event, &a);

    for (size_t i = 0; i < links.count; i++)
        for (size_t k = 0; k < f->plan_count; k++)
            if (memcmp(&links.depends[i], &f->plans[k], sizeof f->plans[k]) == 0)
                return f->lives[k];
    return false;
}

/* What has ended is let go of: no more are held than run at once. */
static bool take_event(void *self, const struct entry *entry, struct error *e)
{
    struct finding *f = self;
    struct resting now = { .runner = { entry->seq, false } };
    size_t i = 0;

    (void)e;
    while (i < f->open_count && !str_eq(f->open[i].execution, entry->subject))
        i++;
    if (i < f->open_count) {
        now.execution = f->open[i].execution;
        f->open[i] = f->open[--f->open_count];
    }
    if (place_state(entry->place) != EVENT_RUNNING)
        return true;
    if (!now.execution.n)
        now.execution = (struct str){ arena_text(f->a, entry->subject), entry->subject.n };
    now.runner.lives = plan_lives(f, entry);
    f->open = arena_more(f->a, f->open, f->open_count, &f->open_room, sizeof *f->open);
    f->open[f->open_count++] = now;
    return true;
}

static bool add_steps(struct finding *f, struct error *e)
{
    struct query q = query_all();

    q.tenant = str_of(EVENT_TENANT);
    q.robot = str_of(EVENT_ROBOT);
    q.kind = ENTRY_EVENT;
    q.from = f->from;
    q.depends = f->plans;
    q.depend_count = f->plan_count;
    if (f->plan_count && !search(&f->w->l, &q, take_event, f, e))
        return false;
    for (size_t i = 0; i < f->open_count; i++)
        add(f, f->open[i].runner);
    return true;
}

/* ---- all of them ---- */

static int by_seq(const void *a, const void *b)
{
    int64_t x = ((const struct runner *)a)->seq, y = ((const struct runner *)b)->seq;

    return (x > y) - (x < y);
}

/* A plan's own execution has a file, and rests on the plan, which has one, too. */
static void sort(struct runners *r)
{
    size_t n = 0;

    if (r->n)
        qsort(r->v, r->n, sizeof *r->v, by_seq);
    for (size_t i = 0; i < r->n; i++)
        if (n == 0 || r->v[n - 1].seq != r->v[i].seq)
            r->v[n++] = r->v[i];
    r->n = n;
}

bool runners_find(struct writ_ledger *w, struct arena *a, struct runners *out, struct error *e)
{
    struct alive_files files = alive_all(w->state, a);
    struct finding f = { .w = w, .a = a, .out = out };

    *out = (struct runners){ .shut = files.shut };
    if (!files.n)
        return true;
    f.plans = arena_alloc(a, files.n * sizeof *f.plans);
    f.lives = arena_alloc(a, files.n * sizeof *f.lives);
    for (size_t i = 0; i < files.n; i++)
        if (!add_file(&f, &files.v[i], e))
            return false;
    if (!add_steps(&f, e))
        return false;
    sort(out);
    return true;
}

enum living runners_look(const struct runners *r, int64_t seq)
{
    struct runner asked = { .seq = seq };
    const struct runner *found = r->n ? bsearch(&asked, r->v, r->n, sizeof *r->v, by_seq) : NULL;

    if (!found)
        return LIVING_UNKNOWN;
    return found->lives ? LIVING : LIVING_NO;
}
