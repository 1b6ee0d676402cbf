/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c: the state of each step: whose turn it is, which attempt begins, how it ended. */
#include "plan/steps.h"

void steps_tell(const struct steps *s, const struct telling *telling)
{
    s->sink->tell(s->sink->self, telling);
}

const struct error_doc *steps_note(struct steps *s, const struct fault *fault)
{
    const struct error_doc *error = error_make(fault, s->a);

    trace_add(&s->trace, error, s->a);
    return error;
}

/* ---- the beginning ---- */

static void read_policy(struct steps *s)
{
    const struct retry_doc *retry = s->context->plan->retry_policy;
    const struct str *listed;

    s->backoff = backoff_plan;
    if (!retry)
        return;
    s->backoff = (struct backoff){ retry->max_attempts, retry->backoff_ms, retry->max_backoff_ms,
                                   retry->backoff_multiplier };
    listed = retry->retryable_error_codes.v;
    for (size_t i = 0; i < retry->retryable_error_codes.n; i++)
        for (int code = CODE_NONE + 1; code < CODE_COUNT; code++)
            s->retryable[code] |= str_is(listed[i], codes[code].name);
}

void steps_init(struct steps *s)
{
    s->n = s->context->plan->steps.n;
    if (s->jobs > s->n)
        s->jobs = s->n;
    s->now = moment_now(s->world);
    s->start = s->now;
    s->deadline = deadline_from(s->context, &s->start);
    s->graph = graph_build(s->context->plan, s->a);
    s->v = arena_alloc(s->a, s->n * sizeof *s->v);
    s->slots = arena_alloc(s->a, s->jobs * sizeof *s->slots);
    s->held = arena_alloc(s->a, s->jobs * sizeof *s->held);
    s->due_ms = DEADLINE_NEVER;
    read_policy(s);
}

/* ---- places ---- */

void steps_set_due(struct steps *s, struct step *step, int64_t due_ms)
{
    step->due_ms = due_ms;
    if (due_ms < s->due_ms)
        s->due_ms = due_ms;
}

static void take_slot(struct steps *s, size_t place)
{
    s->v[place].slot = s->slot_count;
    s->slots[s->slot_count++] = place;
}

void steps_leave(struct steps *s, size_t place)
{
    size_t last = s->slots[--s->slot_count];

    s->slots[s->v[place].slot] = last;
    s->v[last].slot = s->v[place].slot;
    if (s->slot_count == 0)
        s->due_ms = DEADLINE_NEVER;
}

struct step *steps_due(struct steps *s)
{
    struct step *first = NULL;

    for (size_t i = 0; i < s->slot_count; i++) {
        struct step *step = &s->v[s->slots[i]];

        if (!first || step->due_ms < first->due_ms ||
            (step->due_ms == first->due_ms && step < first))
            first = step;
    }
    s->due_ms = first ? first->due_ms : DEADLINE_NEVER;
    return first;
}

/* ---- attempts ---- */

void steps_begin(struct steps *s, size_t place)
{
    struct step *step = &s->v[place];
    int64_t timeout_ms = steps_doc(s, place)->timeout_ms;
    struct attempt attempt = { .step = place, .number = ++step->attempt };

    if (step->attempt == 1)
        step->first_error = s->trace.n;
    if (timeout_ms == 0)
        timeout_ms = s->context->plan->timeout_ms;
    step->state = STEP_RUNS;
    step->stopped_for = CODE_NONE;
    step->begun_ms = s->now.mono_ms;
    steps_set_due(s, step, s->now.mono_ms + timeout_ms);
    s->running++;
    attempt.budget_ms = deadline_first(&s->deadline, &s->now, step->due_ms).left_ms;
    steps_tell(
        s, &(struct telling){ .news = NEWS_STEP_STARTED, .step = place, .attempt = step->attempt });
    s->hands->begin(s->hands->self, &attempt);
    s->now = moment_now(s->world); /* it may have been done on the spot */
}

void steps_end(struct steps *s, size_t place, enum step_state state)
{
    s->v[place].state = state;
    s->ended++;
    s->completed += state == STEP_COMPLETED;
    graph_end(&s->graph, place, state == STEP_COMPLETED);
}

void steps_end_plan(struct steps *s, enum code code, const struct error_doc *error)
{
    s->end_code = code;
    s->end = error;
}

/* ---- turns ---- */

/* A04-6: what depends on a step that was not completed is not run, and that is fatal, unless those
 * who run the plan have it skipped, too. */
static void not_met(struct steps *s, size_t place, const char *why, bool fatal)
{
    struct fault fault = { .code = fatal ? CODE_DEPENDENCY_UNRESOLVED : CODE_STEP_SKIPPED,
                           .severity = fatal ? SEVERITY_FATAL : SEVERITY_WARN,
                           .message = why,
                           .step_id = steps_doc(s, place)->id };
    const struct ending ending = {
        .step = place, .code = fault.code, .message = why, .note = "not run"
    };
    const struct error_doc *error = steps_note(s, &fault);

    steps_tell(s, &(struct telling){ .news = NEWS_STEP_FAILED,
                                     .step = place,
                                     .severity = fault.severity,
                                     .ending = &ending });
    steps_end(s, place, fatal ? STEP_FAILED : STEP_SKIPPED);
    if (fatal)
        steps_end_plan(s, fault.code, error);
}

void steps_turn(struct steps *s, size_t place)
{
    uint32_t unmet = s->graph.unmet[place];

    if (unmet == GRAPH_ALL_MET) {
        take_slot(s, place);
        steps_begin(s, place);
    } else if (unmet == GRAPH_UNKNOWN) {
        not_met(s, place, "it depends on what is no step of the plan", true);
    } else {
        not_met(s, place,
                arena_printf(s->a, "it depends on step %.*s, which was not completed",
                             STR_ARG(steps_doc(s, unmet)->id)),
                !s->cascade);
    }
}

void steps_stuck(struct steps *s)
{
    size_t place = 0;

    while (s->v[place].state != STEP_IDLE)
        place++;
    not_met(s, place, "it waits for itself", true);
}
