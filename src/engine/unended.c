/* SPDX-License-Identifier: Apache-2.0 */
/* unended.c: finds the steps of a plan that have no row among its manifests, and what became of
 * them: an execution that rests on the plan says whose step it is. Rows are entered a few at a
 * time, so that of a plan that was killed an execution may have its end where its step has none. */
#include "engine/unended.h"

#include <string.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "contract/event_doc.h"
#include "engine/plan_read.h"
#include "plan/graph.h"

struct run {
    struct entry last; /* its newest event */
    int64_t began_ms;
};

struct unended {
    struct arena *a;
    const struct entry *event; /* of the plan's own execution */
    struct plan_doc plan;
    const char **names;
    bool *ended; /* by their place */
    bool *completed;
    struct run *runs; /* the executions that rest on the plan */
    size_t run_count, run_room;
};

/* What was entered is not refused for its size. */
static const struct doc *body_of(const struct entry *entry, struct arena *a)
{
    struct ceilings max = ceilings_none();
    const struct document *document;
    struct error e;

    if (entry->erased || !json_read("entry", entry->body, &max, a, &document, &e))
        return NULL;
    return document->root.kind == DOC_MAP ? &document->root : NULL;
}

static const struct entry *with_id(const struct entries *list, const struct uuid *id)
{
    for (size_t i = 0; i < list->n; i++)
        if (memcmp(&list->v[i].id, id, sizeof *id) == 0)
            return &list->v[i];
    return NULL;
}

/* The plan is the first of what its execution rests on. */
static const struct entry *plan_of(struct unended *u, const struct entries *rests_on)
{
    struct links links = links_of(u->event, u->a);
    const struct entry *input = links.count ? with_id(rests_on, &links.depends[0]) : NULL;
    const struct doc *body =
        input && input->kind == ENTRY_INPUT && !str_eq(input->subject, u->event->subject)
            ? body_of(input, u->a)
            : NULL;
    struct report problems;

    if (!body || !doc_get(body, "steps"))
        return NULL;
    problems = report_new(u->a, "plan", input->body);
    return shape_decode(&plan_shape, body, &problems, &u->plan) ? input : NULL;
}

static void mark_ended(struct unended *u, const struct entries *manifests)
{
    for (size_t i = 0; i < manifests->n; i++) {
        const struct doc *body = body_of(&manifests->v[i], u->a);
        const struct doc *row = NULL;

        if (body && str_is(doc_text(body, "what"), "plan_steps"))
            row = doc_first(doc_get(body, "steps"), DOC_LIST);
        for (; row; row = row->next) {
            int64_t index =
                row->kind == DOC_MAP && doc_get(row, "index") ? doc_whole(row, "index") : -1;

            if (index < 0 || (size_t)index >= u->plan.steps.n)
                continue;
            u->ended[index] = true;
            u->completed[index] |= str_is(doc_text(row, "state"), "completed");
        }
    }
}

/* It has begun, and has no end. */
static bool is_open(const struct entry *event)
{
    return place_state(event->place) == EVENT_RUNNING;
}

/* One that is not there yet is empty. */
static struct run *run_of(struct unended *u, struct str subject)
{
    for (size_t i = u->run_count; i-- > 0;)
        if (str_eq(u->runs[i].last.subject, subject))
            return &u->runs[i];
    u->runs = arena_more(u->a, u->runs, u->run_count, &u->run_room, sizeof *u->runs);
    u->runs[u->run_count] = (struct run){ 0 };
    return &u->runs[u->run_count++];
}

static bool take_run(void *self, const struct entry *entry, struct error *e)
{
    struct unended *u = self;
    struct run *run;

    (void)e;
    if (str_eq(entry->subject, u->event->subject))
        return true;
    run = run_of(u, entry->subject);
    run->last = entry_copy(entry, u->a);
    if (is_open(entry))
        run->began_ms = entry->recorded_ms;
    return true;
}

static bool find_runs(struct unended *u, struct writ_ledger *w, const struct entry *plan,
                      struct error *e)
{
    struct query q = query_all();

    q.tenant = plan->tenant;
    q.kind = ENTRY_EVENT;
    q.from = plan->seq;
    q.depends = &plan->id;
    q.depend_count = 1;
    return search(&w->l, &q, take_run, u, e);
}

/* Which step of which plan an execution is. */
struct whose {
    struct str purpose; /* of a command, as its request says it */
    struct str step;    /* of an inner plan, as its context says it: the step's id */
};

static void read_whose(const struct unended *u, const struct doc *own, struct whose *out)
{
    const struct doc *metadata = doc_get(own, "metadata");

    if (metadata && metadata->kind == DOC_MAP)
        out->purpose = doc_text(metadata, "purpose");
    if (str_eq(doc_text(own, "parent_execution_id"), u->event->subject))
        out->step = doc_text(own, "parent_step_id");
}

/* Of what it rests on, the input about itself is its request or its context. */
static bool find_whose(const struct unended *u, struct writ_ledger *w, const struct entry *run,
                       struct whose *out, struct error *e)
{
    struct links links = links_of(run, u->a);

    *out = (struct whose){ 0 };
    for (size_t i = 0; i < links.count; i++) {
        const struct doc *own = NULL;
        struct entry input;
        bool there;

        if (!ledger_find(&w->l, &links.depends[i], u->a, &input, &there, e))
            return false;
        if (there && input.kind == ENTRY_INPUT && str_eq(input.subject, run->subject))
            own = body_of(&input, u->a);
        if (own)
            read_whose(u, own, out);
    }
    return true;
}

/* Has the step begun? */
enum begun { NOBODY_KNOWS, NOT_BEGUN, BEGUN };

/* A command and an inner plan are recorded before they begin, and the others only when they have
 * ended: of these is known that they wait for a step that has not. */
static enum begun begun_of(const struct unended *u, size_t index, const struct run *run, bool waits)
{
    struct str action = ((const struct step_doc *)u->plan.steps.v)[index].action;

    if (run || u->ended[index])
        return BEGUN;
    if (waits || str_is(action, "execute") || str_is(action, "execute_plan"))
        return NOT_BEGUN;
    return NOBODY_KNOWS;
}

static bool has_completed(const struct unended *u, size_t index, const struct run *run)
{
    return u->completed[index] || (run && place_state(run->last.place) == EVENT_SUCCEEDED);
}

/* By the place of each step, in the order in which they had their turn. */
static const enum begun *find_which(const struct unended *u, const struct run *const *runs)
{
    struct graph g = graph_build(&u->plan, u->a);
    enum begun *out = arena_alloc(u->a, (u->plan.steps.n + 1) * sizeof *out);
    size_t s;

    while (graph_next(&g, &s)) {
        out[s] = begun_of(u, s, runs[s], g.unmet[s] != GRAPH_ALL_MET);
        graph_end(&g, s, out[s] == NOBODY_KNOWS || has_completed(u, s, runs[s]));
    }
    return out;
}

static void put_begun(enum begun begun, struct buf *to)
{
    if (begun != NOBODY_KNOWS) {
        json_put_bool(to, "begun", begun == BEGUN);
        return;
    }
    json_key(to, "begun");
    json_nil(to);
}

static void put_step(const struct unended *u, size_t index, const struct run *run, enum begun begun,
                     struct buf *to)
{
    const struct step_doc *step = (const struct step_doc *)u->plan.steps.v + index;

    json_open(to, '{');
    json_put_int(to, "index", (int64_t)index);
    json_put(to, "name", u->names[index]);
    json_put_text(to, "action", step->action);
    json_put_text(to, "step_id", step->id);
    put_begun(begun, to);
    json_key(to, "execution_id");
    if (run)
        json_outside(to, run->last.subject);
    else
        json_nil(to);
    json_key(to, "started_at");
    if (run)
        json_int(to, run->began_ms);
    else
        json_nil(to);
    if (run && !is_open(&run->last)) {
        json_put(to, "state", event_state_names[place_state(run->last.place)]);
        json_put_int(to, "duration_ms", run->last.recorded_ms - run->began_ms);
    }
    json_close(to, '}');
}

static bool is_step(const struct whose *whose, const char *purpose, struct str id)
{
    return whose->step.n ? str_eq(whose->step, id) : str_is(whose->purpose, purpose);
}

/* By the place of the step: its newest execution that the rows do not tell of. */
static bool find_runs_of_steps(const struct unended *u, struct writ_ledger *w,
                               const struct run **runs, struct error *e)
{
    const struct step_doc *all = u->plan.steps.v;
    size_t steps = u->plan.steps.n;
    const char **purposes = arena_alloc(u->a, (steps + 1) * sizeof *purposes);

    for (size_t s = 0; s < steps; s++)
        purposes[s] = step_purpose(u->names[s], u->plan.id, u->a);
    for (size_t i = 0; i < u->run_count; i++) {
        const struct run *run = &u->runs[i];
        struct whose whose;

        if (!run->began_ms)
            continue;
        if (!find_whose(u, w, &run->last, &whose, e))
            return false;
        for (size_t s = 0; s < steps; s++)
            if (is_step(&whose, purposes[s], all[s].id) && (is_open(&run->last) || !u->ended[s]))
                runs[s] = run;
    }
    return true;
}

static bool put_steps(const struct unended *u, struct writ_ledger *w, struct buf *to,
                      struct error *e)
{
    size_t steps = u->plan.steps.n;
    const struct run **runs = arena_alloc(u->a, (steps + 1) * sizeof *runs);
    const enum begun *begun;

    if (!find_runs_of_steps(u, w, runs, e))
        return false;
    begun = find_which(u, runs);
    json_key(to, "steps_unended");
    json_open(to, '[');
    for (size_t s = 0; s < steps; s++)
        if (runs[s] || !u->ended[s])
            put_step(u, s, runs[s], begun[s], to);
    json_close(to, ']');
    return true;
}

bool unended_put(struct writ_ledger *w, const struct unended_run *run, struct arena *a,
                 struct buf *to, struct error *e)
{
    struct unended u = { .a = a, .event = run->event };
    const struct entry *plan = plan_of(&u, run->rests_on);

    if (!plan)
        return true;
    u.names = plan_step_names(&u.plan, a);
    u.ended = arena_alloc(a, u.plan.steps.n + 1);
    u.completed = arena_alloc(a, u.plan.steps.n + 1);
    mark_ended(&u, run->manifests);
    return find_runs(&u, w, plan, e) && put_steps(&u, w, to, e);
}
