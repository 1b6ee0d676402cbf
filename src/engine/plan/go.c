/* SPDX-License-Identifier: Apache-2.0 */
/* go.c: goes through a plan: its crew does the steps, its news are told. */
#include "engine/plan.h"

#include "base/json_write.h"
#include "engine/plan/crew.h"

/* ---- news ---- */

static void put_step(const struct running *r, const struct telling *t, struct buf *to)
{
    const struct step_doc *step = (const struct step_doc *)r->plan.plan.steps.v + t->step;

    json_put_text(to, "step_id", step->id);
    json_put(to, "name", r->plan.names[t->step]);
    json_put_int(to, "index", (int64_t)t->step);
    json_put_int(to, "attempt", t->attempt);
    if (t->news == NEWS_STEP_STARTED)
        json_put_int(to, "max_attempts",
                     step->on_failure == ON_FAILURE_RETRY ? r->plan.plan.retry_policy->max_attempts
                                                          : 1);
    if (t->news == NEWS_STEP_RETRIES)
        json_put_int(to, "wait_ms", t->wait_ms);
}

static void put_ending(const struct running *r, const struct telling *t, struct buf *to)
{
    const struct step_doc *step = (const struct step_doc *)r->plan.plan.steps.v + t->step;
    const struct ending *ending = t->ending;

    json_put_int(to, "duration_ms", t->took_ms);
    json_put(to, "note", ending->note);
    if (!ending->code)
        return;
    json_put(to, "code", codes[ending->code].name);
    json_put(to, "message", ending->message);
    json_put(to, "severity", severities[t->severity].name);
    json_put(to, "on_failure", on_failure_names[step->on_failure]);
    json_put(to, "last_words", ending->last_words);
}

/* What an attempt came to is what it was judged to be: another may have ended the plan before its
 * turn came. */
static void leave_row(struct running *r, const struct telling *t)
{
    struct trail_row *row = &r->rows[t->step];

    row->failed = t->news == NEWS_STEP_FAILED;
    row->severity = t->severity;
    row->code = t->ending->code;
    row->message = t->ending->message;
    trail_add(&r->trail, row);
}

/* Quiet about an inner plan: its steps are not those that the reader knows. */
static void tell(void *self, const struct telling *t)
{
    struct running *r = self;
    const struct world *w = r->world;
    struct buf *line;

    if (t->ending && t->attempt > 0)
        leave_row(r, t);
    if (t->news == NEWS_STEP_STARTED)
        r->begun[t->step] = true;
    if (r->parent)
        return;
    line = progress_begin(r->progress, news_names[t->news]);
    if (!line)
        return;
    if (t->result.s) {
        json_key(line, "result");
        buf_add(line, t->result.s, t->result.n);
    } else {
        put_step(r, t, line);
    }
    if (t->ending)
        put_ending(r, t, line);
    progress_end(r->progress, w->wall_ms(w->self));
}

static void tell_start(const struct running *r, int jobs)
{
    struct buf *line = r->parent ? NULL : progress_begin(r->progress, "plan_started");

    if (!line)
        return;
    json_put_text(line, "execution_id", r->context.execution_id);
    json_put_text(line, "plan_id", r->plan.plan.id);
    json_put_text(line, "name", r->plan.plan.name);
    json_put_int(line, "steps_total", (int64_t)r->plan.plan.steps.n);
    json_put_int(line, "timeout_ms", r->plan.plan.timeout_ms);
    json_put_int(line, "deadline_ms", r->context.deadline_ms);
    json_put_int(line, "jobs", jobs);
    progress_end(r->progress, r->context.started_at);
}

/* ---- running ---- */

static bool go(struct running *r, const struct plan_ask *how, int force, struct plan_end *end,
               struct error *e)
{
    struct plan_ask ask = *how;
    struct refused why = { 0 };
    struct crew *crew;
    struct hands hands;
    bool ok;

    if (!running_check(r, &why))
        return plan_refuse(&ask, &why, r->a, end, e);
    crew = crew_open(r, ask.jobs, force);
    if (!crew) {
        why = (struct refused){ .code = CODE_RESOURCE_EXHAUSTED,
                                .message = "no descriptors are left for its steps" };
        return plan_refuse(&ask, &why, r->a, end, e);
    }
    r->begun = arena_alloc(r->a, r->plan.plan.steps.n * sizeof *r->begun);
    r->rows = arena_alloc(r->a, r->plan.plan.steps.n * sizeof *r->rows);
    hands = crew_hands(crew);
    ask.hands = &hands;
    ok = plan_run(&ask, r->a, end, e);
    crew_close(crew);
    return ok;
}

bool running_go(struct running *r, int jobs, int force, struct plan_end *end, struct error *e)
{
    struct office office = running_office;
    struct sink sink = { tell, r };
    struct plan_ask ask = { .context = &r->context,
                            .world = r->world,
                            .office = &office,
                            .sink = &sink,
                            .jobs = jobs,
                            .cascade = r->cascade };

    office.self = r;
    r->trail = (struct trail){ .execution = r->context.execution_id,
                               .plan = &r->plan.plan,
                               .names = r->plan.names };
    tell_start(r, jobs);
    return go(r, &ask, force, end, e);
}
