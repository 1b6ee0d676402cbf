/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: the public functions that look at a plan and run nothing of it. */
#include <limits.h>
#include <stdlib.h>

#include <writ/plans.h>

#include "base/json_write.h"
#include "contract/request_doc.h"
#include "engine/about.h"
#include "engine/event.h"
#include "engine/exec.h"
#include "engine/foresee.h"
#include "engine/input.h"
#include "engine/plan.h"
#include "engine/record.h"
#include "engine/toolbox.h"

enum { NAMES_SHOWN = 4 };

/* A plan, what its commands ask for, and who would do its steps. */
struct looked {
    struct plan_read read;
    const struct found *found;
    const struct request_doc **requests; /* of the steps, by their place; NULL: not a command's */
    struct foreseen *foreseen;           /* of the steps, by their place */
    struct refused refused;              /* before anything runs */
    struct items missing;                /* of struct str: keys that its context lacks */
};

/* As act_execute() will have it. */
static void set_time(struct request_doc *request, const struct plan_doc *plan,
                     const struct step_doc *step, struct arena *a)
{
    struct request_sandbox *held = arena_new(a, struct request_sandbox);

    *held = *request->sandbox;
    held->timeout_ms = exec_step_time(step->payload, step_time(plan, step));
    request->sandbox = held;
}

/* Only commands are looked into: what other actions are given is theirs to judge. */
static bool check_commands(struct looked *l, struct arena *a, struct report *r)
{
    const struct items *steps = &l->read.plan.steps;
    const struct step_doc *step = steps->v;
    bool right = true;

    l->requests = arena_alloc(a, (steps->n + 1) * sizeof *l->requests);
    for (size_t i = 0; i < steps->n; i++) {
        struct request_doc *request;

        if (!str_is(step[i].action, "execute") || !step[i].payload)
            continue;
        request = arena_new(a, struct request_doc);
        if (shape_decode(&execute_shape, step[i].payload, r, request))
            set_time(request, &l->read.plan, &step[i], a);
        else
            right = false;
        l->requests[i] = request;
    }
    return right;
}

/* False: what is wrong is the answer. later: who does the steps is asked for afterwards, and tells
 * what is wrong with commands among the rest. */
static bool look(const struct writ_plan *plan, struct arena *a, struct looked *out, bool later,
                 struct buf *answer)
{
    struct report r, ignored = report_new(a, "plan", (struct str){ 0 });
    bool right = plan_read(plan->plan, world_real(), a, &out->read, &r);

    if (out->read.document && !check_commands(out, a, later ? &ignored : &r))
        right = right && later;
    if (right)
        return true;
    if (out->read.document && later)
        plan_judge(plan, true, &out->read, a, &r);
    report_finish(&r);
    input_answer(&r, out->read.template ? "template" : "plan", answer);
    return false;
}

int writ_plan_show(const struct writ_plan *plan, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct looked looked = { 0 };
    bool right;

    if (!plan_given(plan, answer))
        return WRIT_USAGE;
    right = look(plan, &a, &looked, false, &out);
    if (right && looked.read.template)
        shape_json(&plan_shape, &looked.read.plan, &out);
    else if (right)
        json_doc(&out, &looked.read.document->root);
    return take_answer(&out, right ? WRIT_OK : WRIT_WRONG, answer);
}

/* ---- what would run, in which order ---- */

struct ordering {
    const struct looked *looked;
    const struct plan_doc *plan;
    const struct step_doc *steps;
    struct arena *a;
    const struct placed *index; /* sorted by id */
    size_t *waves;              /* of the steps, by their place */
    bool *idle;                 /* of the steps, too: it waits for what will not be completed */
};

struct placed {
    struct str id;
    size_t step;
};

static int by_id(const void *a, const void *b)
{
    return str_cmp_letters(((const struct placed *)a)->id, ((const struct placed *)b)->id);
}

static const struct placed *index_steps(const struct plan_doc *plan, struct arena *a)
{
    const struct step_doc *steps = plan->steps.v;
    struct placed *index = arena_alloc(a, plan->steps.n * sizeof *index);

    for (size_t i = 0; i < plan->steps.n; i++)
        index[i] = (struct placed){ steps[i].id, i };
    qsort(index, plan->steps.n, sizeof *index, by_id);
    return index;
}

/* The place of the nth step that a step waits for. */
static size_t waits_for(const struct ordering *o, size_t step, size_t n)
{
    struct placed wanted = { ((const struct str *)o->steps[step].depends_on.v)[n], 0 };
    const struct placed *found =
        bsearch(&wanted, o->index, o->plan->steps.n, sizeof *o->index, by_id);

    return found ? found->step : step;
}

static const char *name_of(const struct ordering *o, size_t step)
{
    return o->looked->read.names[step];
}

static bool will_be_refused(const struct ordering *o, size_t step)
{
    const struct foreseen *f = &o->looked->foreseen[step];

    return f->code && !f->unsure;
}

/* One more than the last of those it waits for, which come before it in the order. */
static void set_wave(const struct ordering *o, size_t step)
{
    size_t last = 0;

    for (size_t i = 0; i < o->steps[step].depends_on.n; i++) {
        size_t before = waits_for(o, step, i), wave = o->waves[before];

        last = wave > last ? wave : last;
        o->idle[step] |= o->idle[before] || will_be_refused(o, before);
    }
    o->waves[step] = last + 1;
}

/* "waits for fetch, which will be refused". */
static void say_idle(const struct ordering *o, size_t step, struct buf *to)
{
    size_t i = 0, before = waits_for(o, step, i);

    while (!o->idle[before] && !will_be_refused(o, before))
        before = waits_for(o, step, ++i);
    buf_addf(to, "waits for %s, which will %s", name_of(o, before),
             o->idle[before] ? "not be run" : "be refused");
}

/* "find-todos and count are completed by then". */
static void say_why(const struct ordering *o, size_t step, bool first, struct buf *to)
{
    size_t n = o->steps[step].depends_on.n;
    size_t shown = n <= NAMES_SHOWN ? n : NAMES_SHOWN - 1;

    if (n == 0) {
        buf_adds(to, first ? "first in the list that waits for nothing"
                           : "next in the list; waits for nothing");
        return;
    }
    if (o->idle[step]) {
        say_idle(o, step, to);
        return;
    }
    for (size_t i = 0; i < shown; i++)
        buf_addf(to, "%s%s",
                 i == 0       ? ""
                 : i + 1 == n ? " and "
                              : ", ",
                 name_of(o, waits_for(o, step, i)));
    if (shown < n)
        buf_addf(to, " and %zu others", n - shown);
    buf_adds(to, n == 1 ? " is completed by then" : " are completed by then");
}

/* ---- the answer ---- */

static void put_after(const struct ordering *o, size_t step, struct buf *to)
{
    json_key(to, "after");
    json_open(to, '[');
    for (size_t i = 0; i < o->steps[step].depends_on.n; i++)
        json_text(to, str_of(name_of(o, waits_for(o, step, i))));
    json_close(to, ']');
}

/* Of what a wrapper runs nobody here holds more than its time. */
static void put_limits(const struct ordering *o, size_t step, struct buf *to)
{
    const struct request_doc *request = o->looked->requests[step];
    const struct foreseen_lane *lane = o->looked->foreseen[step].lane;
    struct request_sandbox held;

    json_key(to, "limits");
    if (!request) {
        json_nil(to);
        return;
    }
    held = *request->sandbox;
    if (lane)
        held.timeout_ms = lane->timeout_ms;
    if (!lane || !lane->wrapped) {
        shape_json(&request_sandbox_shape, &held, to);
        return;
    }
    json_open(to, '{');
    json_put_int(to, limits[LIMIT_TIMEOUT_MS].name, held.timeout_ms);
    json_close(to, '}');
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The executor that a step calls, or NULL. */
static const struct executor *executor_of(const struct ordering *o, size_t step)
{
    for (const struct found *f = o->looked->found; f; f = f->next)
        if (str_eq(o->steps[step].action, str_of(f->deed->handler.action)))
            return f->deed->executor;
    return NULL;
}

/* The time that ends first: the plan's, the step's, or that of what the step starts. */
static int64_t time_of(const struct ordering *o, size_t step)
{
    const struct request_doc *request = o->looked->requests[step];
    const struct foreseen_lane *lane = o->looked->foreseen[step].lane;
    const struct executor *executor = executor_of(o, step);
    int64_t time_ms = step_time(o->plan, &o->steps[step]);

    if (lane) /* by its class, if the request does not say less */
        time_ms = least(time_ms, lane->timeout_ms);
    else if (request)
        time_ms = least(time_ms, request->sandbox->timeout_ms);
    if (executor)
        time_ms = least(time_ms, executor->limits.timeout_ms);
    return time_ms;
}

static void put_step(const struct ordering *o, size_t step, bool first, struct buf *to)
{
    const struct step_doc *s = &o->steps[step];
    _buf_ struct buf why = { .max = ANSWER_MAX };
    bool retries = s->on_failure == ON_FAILURE_RETRY;

    say_why(o, step, first, &why);
    json_open(to, '{');
    json_put_text(to, "step_id", s->id);
    json_put(to, "name", name_of(o, step));
    json_put_text(to, "action", s->action);
    json_put_text(to, "about", about_step(s, o->looked->requests[step], o->a));
    put_after(o, step, to);
    json_put_int(to, "wave", (int64_t)o->waves[step]);
    json_put(to, "on_failure", on_failure_names[s->on_failure]);
    json_put_int(to, "attempts", retries ? o->plan->retry_policy->max_attempts : 1);
    json_put_int(to, "timeout_ms", time_of(o, step));
    put_limits(o, step, to);
    json_put_text(to, "why", buf_str(&why));
    foresee_put(&o->looked->foreseen[step], to);
    json_close(to, '}');
}

/* Whether it is refused before anything runs, and which keys it lacks. */
static void put_refusal(const struct looked *l, struct buf *to)
{
    const struct str *keys = l->missing.v;

    json_key(to, "missing");
    json_open(to, '[');
    for (size_t i = 0; i < l->missing.n; i++)
        json_text(to, keys[i]);
    json_close(to, ']');
    json_key(to, "refused");
    if (l->refused.code) {
        json_open(to, '{');
        json_put(to, "code", codes[l->refused.code].name);
        json_put(to, "message", l->refused.message);
        json_close(to, '}');
    } else {
        json_nil(to);
    }
}

static void put_order(const struct ordering *o, int jobs, struct buf *to)
{
    size_t *order = arena_alloc(o->a, (o->plan->steps.n + 1) * sizeof *order);

    plan_order(o->plan, o->a, order);
    json_open(to, '{');
    json_put_text(to, "plan_id", o->plan->id);
    json_put_text(to, "name", o->plan->name);
    json_put_int(to, "timeout_ms", o->plan->timeout_ms);
    json_put_int(to, "jobs", plan_jobs(jobs));
    put_refusal(o->looked, to);
    json_key(to, "steps");
    json_open(to, '[');
    for (size_t i = 0; i < o->plan->steps.n; i++) {
        set_wave(o, order[i]);
        put_step(o, order[i], i == 0, to);
    }
    json_close(to, ']');
    json_close(to, '}');
}

/* What the registry, as it is now, will say to each step. */
static void look_ahead(struct running *run, struct looked *l)
{
    const struct items *steps = &l->read.plan.steps;
    const struct step_doc *step = steps->v;
    struct registries registries;

    registries_open(&registries);
    run->registries = &registries;
    l->foreseen = arena_alloc(run->a, (steps->n + 1) * sizeof *l->foreseen);
    for (size_t i = 0; i < steps->n; i++)
        l->foreseen[i] = foresee(run, &step[i]);
    run->registries = NULL;
    registries_close(&registries);
}

/* Was it used before? A template has a new id each time. */
static void look_back(const struct running *run, struct looked *l)
{
    struct foreseen f = { 0 };

    if (!l->read.template)
        f = foresee_used(run, l->read.plan.id);
    if (!f.code)
        f = foresee_used(run, run->context.execution_id);
    l->refused = (struct refused){ .code = f.code, .message = f.message };
}

/* Nothing is made where there is no ledger, and one that cannot be read is the run's to tell. */
static void look_around(struct running *run, struct looked *l)
{
    struct writ_ledger *ledger = NULL;
    bool looks = false;
    char *why = NULL;
    struct error e;

    if (writ_ledger_open(run->ask->ledger, run->ask->environment, false, &ledger, &why) == WRIT_OK)
        looks = ledger_look(&ledger->l, &e);
    run->inner->before = looks ? &ledger->l.keep : NULL;
    look_ahead(run, l);
    if (!l->refused.code)
        look_back(run, l);
    run->inner->before = NULL;
    if (looks)
        ledger_look_end(&ledger->l);
    writ_ledger_close(ledger);
    writ_free(why);
}

/* Would every step find somebody to do it? Executors are not held against the ledger, since none is
 * called. Else what is wrong is the answer. */
static int check_deeds(const struct writ_plan *plan, struct looked *l, struct arena *a,
                       struct buf *answer)
{
    struct report r = report_new(a, plan->plan->name, l->read.document->text);
    _toolbox_ struct toolbox toolbox;
    _fleet_ struct fleet fleet;
    struct inner inner = { .a = a };
    struct running run = { .ask = plan,
                           .world = world_real(),
                           .a = a,
                           .plan = l->read,
                           .fleet = &fleet,
                           .toolbox = &toolbox,
                           .inner = &inner };
    const struct handlers handlers = { deeds_find, &run, deeds_near, deeds_why };
    const char *kind = "context";
    int status = WRIT_WRONG;
    char real[PATH_MAX];

    toolbox_open(&toolbox, plan->environment, run.world);
    fleet_open(&fleet, plan->environment, run.world);
    if (realpath(plan->plan->name, real))
        run.file = arena_text(a, str_of(real));
    if (context_make(&run, &r)) {
        kind = l->read.template ? "template" : "plan";
        handlers_check(&handlers, &run.plan.plan, &l->read.document->root, &r);
        l->refused = context_refusal(&run, &l->missing);
        if (!r.errors) {
            look_around(&run, l);
            l->found = run.found;
            return l->refused.code ? WRIT_NO : WRIT_OK;
        }
        status = WRIT_NO; /* the run would tell it in a result */
        if (l->missing.n)
            report_add(&r, ABOUT_VALUE, &l->read.document->root, CODE_CONTEXT_MISSING, "%s",
                       l->refused.message);
    }
    report_finish(&r);
    input_answer(&r, kind, answer);
    return status;
}

int writ_plan_order(const struct writ_plan *plan, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct looked looked = { 0 };
    int status = WRIT_WRONG;

    if (!plan_given(plan, answer))
        return WRIT_USAGE;
    if (look(plan, &a, &looked, true, &out))
        status = check_deeds(plan, &looked, &a, &out);
    if (looked.foreseen) {
        struct ordering o = {
            .looked = &looked, .plan = &looked.read.plan, .steps = looked.read.plan.steps.v, .a = &a
        };

        o.index = index_steps(o.plan, &a);
        o.waves = arena_alloc(&a, o.plan->steps.n * sizeof *o.waves);
        o.idle = arena_alloc(&a, o.plan->steps.n * sizeof *o.idle);
        put_order(&o, plan->jobs, &out);
    }
    return take_answer(&out, status, answer);
}
