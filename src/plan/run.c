/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: runs a plan: steps are begun and heard of until it is over; then come the duties. */
#include "plan/plan.h"

#include "plan/endings.h"
#include "plan/rules.h"

/* Something is due: the next attempt at a step, the end of one, or that of the plan. True: it has
 * been done, and it has to be looked at anew who is due. */
static bool do_what_is_due(struct steps *s)
{
    struct due due = deadline_first(&s->deadline, &s->now, s->due_ms);
    struct step *step;

    if (due.left_ms > 0 && !s->forced && !steps_held(s))
        return false;
    if (endings_hear(s, s->now.mono_ms)) /* what has ended by now has ended in time (A04-9) */
        return true;
    step = steps_due(s);
    due = deadline_first(&s->deadline, &s->now, s->due_ms);
    if (s->forced)
        endings_time_up(s, CODE_PLAN_TIMEOUT);
    else if (due.left_ms > 0)
        return false;
    else if (due.code != CODE_STEP_TIMEOUT)
        endings_time_up(s, due.code);
    else if (step->state == STEP_WAITS)
        steps_begin(s, (size_t)(step - s->v));
    else
        endings_time_out(s, (size_t)(step - s->v));
    return true;
}

/* The plan's own time is over: what is due tells. */
static bool is_late(const struct steps *s)
{
    return deadline_first(&s->deadline, &s->now, DEADLINE_NEVER).left_ms <= 0;
}

static void begin_all(struct steps *s)
{
    size_t step;

    while (!steps_over(s) && s->slot_count < s->jobs && !is_late(s) && graph_next(&s->graph, &step))
        steps_turn(s, step);
    if (!steps_over(s) && s->slot_count == 0 && !is_late(s))
        steps_stuck(s);
}

static void run(struct steps *s)
{
    while (!steps_over(s)) {
        struct due due;

        if (do_what_is_due(s))
            continue;
        begin_all(s);
        due = deadline_first(&s->deadline, &s->now, s->due_ms);
        if (!steps_over(s))
            (void)endings_hear(s, s->now.mono_ms + min_ms(due.left_ms, DEADLINE_LOOK_MS));
    }
}

static struct steps steps_of(const struct plan_ask *ask, struct arena *a)
{
    return (struct steps){ .context = ask->context,
                           .world = ask->world,
                           .hands = ask->hands,
                           .sink = ask->sink,
                           .jobs = ask->jobs > 1 ? (size_t)ask->jobs : 1,
                           .cascade = ask->cascade,
                           .a = a };
}

static bool close_plan(const struct plan_ask *ask, struct steps *s, struct plan_end *out,
                       struct error *e)
{
    struct closing closing = {
        .ask = ask, .steps = s, .status = rules_status(s), .a = s->a, .out = out
    };

    return rules_follow(&closing, e);
}

static void put_in_order(struct steps *s)
{
    const struct plan_doc *plan = s->context->plan;
    size_t *order = arena_alloc(s->a, plan->steps.n * sizeof *order);

    plan_order(plan, s->a, order);
    trace_order(&s->trace, plan, order, s->a);
}

bool plan_run(const struct plan_ask *ask, struct arena *a, struct plan_end *out, struct error *e)
{
    struct steps s = steps_of(ask, a);

    steps_init(&s);
    run(&s);
    endings_stop(&s); /* what was done by then is the result's, and its status follows from it */
    if (s.jobs > 1 && s.trace.n > 1)
        put_in_order(&s);
    return close_plan(ask, &s, out, e);
}

bool plan_refuse(const struct plan_ask *ask, const struct refused *why, struct arena *a,
                 struct plan_end *out, struct error *e)
{
    struct steps s = steps_of(ask, a);

    s.n = ask->context->plan->steps.n;
    s.start = moment_now(ask->world);
    s.end_code = why->code;
    s.end = error_make(&(struct fault){ .code = why->code,
                                        .severity = SEVERITY_FATAL,
                                        .message = why->message,
                                        .step_id = why->step_id,
                                        .context = why->context },
                       a);
    trace_add(&s.trace, s.end, a);
    return close_plan(ask, &s, out, e);
}

void plan_order(const struct plan_doc *plan, struct arena *a, size_t *out)
{
    struct graph graph = graph_build(plan, a);
    size_t n = 0;

    while (n < plan->steps.n && graph_next(&graph, &out[n]))
        graph_end(&graph, out[n++], true);
    for (size_t i = 0; n < plan->steps.n && i < plan->steps.n; i++)
        if (graph.waits[i] > 0) /* in a circle, which its check should have found */
            out[n++] = i;
}
