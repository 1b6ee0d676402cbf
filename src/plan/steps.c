/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c: the attempts at steps, and what their ends mean for the plan. */
#include "plan/steps.h"

#include <inttypes.h>
#include <limits.h>

static const struct step_doc *step_doc(const struct steps *s, size_t step)
{
    return &((const struct step_doc *)s->context->plan->steps.v)[step];
}

static void tell(const struct steps *s, const struct telling *telling)
{
    s->sink->tell(s->sink->self, telling);
}

static size_t note(struct steps *s, const struct fault *fault, const struct error_doc **out)
{
    *out = error_make(fault, s->a);
    return trace_add(&s->trace, *out, s->a);
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
    for (size_t i = 0; i < s->n; i++)
        s->v[i].error = TRACE_NONE;
    s->slots = arena_alloc(s->a, s->jobs * sizeof *s->slots);
    s->held = arena_alloc(s->a, s->jobs * sizeof *s->held);
    s->due_ms = DEADLINE_NEVER;
    read_policy(s);
}

/* ---- places ---- */

static void set_due(struct steps *s, struct step *step, int64_t due_ms)
{
    step->due_ms = due_ms;
    if (due_ms < s->due_ms)
        s->due_ms = due_ms;
}

static void take_slot(struct steps *s, size_t step)
{
    s->v[step].slot = s->slot_count;
    s->slots[s->slot_count++] = step;
}

static void leave_slot(struct steps *s, size_t step)
{
    size_t last = s->slots[--s->slot_count];

    s->slots[s->v[step].slot] = last;
    s->v[last].slot = s->v[step].slot;
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

static void begin(struct steps *s, size_t place)
{
    struct step *step = &s->v[place];
    int64_t timeout_ms = step_doc(s, place)->timeout_ms;
    struct attempt attempt = { .step = place, .number = ++step->attempt };

    if (timeout_ms == 0)
        timeout_ms = s->context->plan->timeout_ms;
    step->state = STEP_RUNS;
    step->begun_ms = s->now.mono_ms;
    set_due(s, step, s->now.mono_ms + timeout_ms);
    s->running++;
    attempt.budget_ms = deadline_first(&s->deadline, &s->now, step->due_ms).left_ms;
    tell(s,
         &(struct telling){ .news = NEWS_STEP_STARTED, .step = place, .attempt = step->attempt });
    s->hands->begin(s->hands->self, &attempt);
}

void steps_again(struct steps *s, size_t step)
{
    begin(s, step);
}

/* An attempt has ended, and what follows it is decided by others. */
static void tell_end(struct steps *s, enum news news, const struct ending *ending,
                     enum severity severity)
{
    const struct step *step = &s->v[ending->step];

    tell(s, &(struct telling){ .news = news,
                               .step = ending->step,
                               .attempt = step->attempt,
                               .took_ms = s->now.mono_ms - step->begun_ms,
                               .severity = severity,
                               .ending = ending });
}

static void end_step(struct steps *s, size_t place, enum step_state state)
{
    s->v[place].state = state;
    s->ended++;
    s->completed += state == STEP_COMPLETED;
    graph_end(&s->graph, place, state == STEP_COMPLETED);
}

static void end_plan(struct steps *s, enum code code, const struct error_doc *error)
{
    s->end_code = code;
    s->end = error;
}

/* ---- a step that did not do it ---- */

static void skip(struct steps *s, size_t place, const char *why)
{
    const struct error_doc *ignored;

    (void)note(s,
               &(struct fault){ .code = CODE_STEP_SKIPPED,
                                .severity = SEVERITY_WARN,
                                .message = why,
                                .step_id = step_doc(s, place)->id },
               &ignored);
}

/* A04-3: as it is raised it is an error; that of the plan is fatal. */
static void halt(struct steps *s, size_t place, const struct error_doc *cause)
{
    struct str id = step_doc(s, place)->id;
    const struct error_doc *error;

    (void)note(
        s,
        &(struct fault){ .code = CODE_EXECUTION_HALTED,
                         .severity = SEVERITY_ERROR,
                         .message = arena_printf(
                             s->a, "step %.*s failed, and its on_failure is halt", STR_ARG(id)),
                         .cause = cause },
        &error);
    end_plan(s, CODE_EXECUTION_HALTED, error);
}

static void retry(struct steps *s, size_t place, int attempt)
{
    struct step *step = &s->v[place];
    int64_t wait_ms = backoff_delay(&s->backoff, attempt);

    step->state = STEP_WAITS;
    set_due(s, step, s->now.mono_ms + wait_ms);
    tell(s, &(struct telling){ .news = NEWS_STEP_RETRIES,
                               .step = place,
                               .attempt = step->attempt + 1,
                               .wait_ms = wait_ms });
}

static const char *why_skipped(struct steps *s, size_t place, enum code code)
{
    if (step_doc(s, place)->on_failure == ON_FAILURE_SKIP)
        return "on_failure is skip";
    if (!s->retryable[code])
        return arena_printf(s->a, "%s is not among retryable_error_codes", codes[code].name);
    return arena_printf(s->a, "all %" PRId64 " attempts have failed", s->v[place].attempt);
}

/* What on_failure asks for (A04-5); a fatal code asks for nothing (A04-35). */
static void apply_policy(struct steps *s, size_t place, enum code code,
                         const struct error_doc *error)
{
    int on_failure = step_doc(s, place)->on_failure;
    int attempt = s->v[place].attempt < INT_MAX ? (int)s->v[place].attempt : INT_MAX;

    if (error->severity == SEVERITY_ERROR && on_failure == ON_FAILURE_RETRY && s->retryable[code] &&
        backoff_again(&s->backoff, attempt)) {
        retry(s, place, attempt);
        return;
    }
    leave_slot(s, place);
    end_step(s, place, STEP_FAILED);
    if (error->severity == SEVERITY_FATAL)
        end_plan(s, code, error);
    else if (on_failure == ON_FAILURE_HALT)
        halt(s, place, error);
    else
        skip(s, place, why_skipped(s, place, code));
}

static void failed(struct steps *s, const struct ending *ending)
{
    struct step *step = &s->v[ending->step];
    struct fault fault = { .code = ending->code,
                           .severity = code_severity(ending->code, s->retryable[ending->code]),
                           .message = ending->message,
                           .step_id = step_doc(s, ending->step)->id,
                           .context = ending->context };
    const struct error_doc *error;

    tell_end(s, NEWS_STEP_FAILED, ending, fault.severity);
    trace_forget(&s->trace, step->error);
    step->error = note(s, &fault, &error);
    apply_policy(s, ending->step, ending->code, error);
}

/* A04-19: with a warning it is completed all the same. */
static void completed(struct steps *s, const struct ending *ending)
{
    struct step *step = &s->v[ending->step];
    const struct error_doc *ignored;

    tell_end(s, NEWS_STEP_COMPLETED, ending, SEVERITY_WARN);
    trace_forget(&s->trace, step->error);
    if (ending->code != CODE_NONE)
        (void)note(s,
                   &(struct fault){ .code = ending->code,
                                    .severity = SEVERITY_WARN,
                                    .message = ending->message,
                                    .step_id = step_doc(s, ending->step)->id,
                                    .context = ending->context },
                   &ignored);
    step->output = ending->output;
    leave_slot(s, ending->step);
    end_step(s, ending->step, STEP_COMPLETED);
}

/* The plan ends, and this attempt with it; what it says does not count. */
static void stopped(struct steps *s, const struct ending *ending)
{
    enum code code = s->end_code == CODE_PLAN_TIMEOUT || s->end_code == CODE_DEADLINE_EXCEEDED
                         ? s->end_code
                         : CODE_EXECUTION_HALTED;
    struct ending said = *ending;

    said.code = code;
    said.message = "it was stopped when the plan ended";
    said.output = NULL;
    said.context = NULL;
    s->v[ending->step].state = STEP_STOPPED;
    tell_end(s, NEWS_STEP_FAILED, &said, code_severity(code, false));
}

/* ---- what is heard ---- */

/* The next thing that happens, those that were held first. An ending is one of an attempt that
 * runs; it no longer does. */
static enum hands_news listen_to(struct steps *s, int64_t until_mono_ms, struct ending *out)
{
    enum hands_news news = s->hands->wait(s->hands->self, until_mono_ms, out);

    s->now = moment_now(s->world);
    if (news == HANDS_FORCED)
        s->forced = true;
    if (news != HANDS_ENDED)
        return news;
    if (out->step >= s->n || s->v[out->step].state != STEP_RUNS)
        return HANDS_TIME;
    s->running--;
    s->v[out->step].state = STEP_HEARD;
    if (out->code < CODE_NONE || out->code >= CODE_COUNT)
        out->code = CODE_UNKNOWN_ERROR;
    return news;
}

/* Hands that hold the time of an attempt themselves cannot know whose time it was. */
static bool was_plan_time(const struct steps *s, const struct ending *ending, struct due *due)
{
    *due = deadline_first(&s->deadline, &s->now, s->v[ending->step].due_ms);
    return ending->code == CODE_STEP_TIMEOUT && due->left_ms <= 0 && due->code != CODE_STEP_TIMEOUT;
}

static void ended(struct steps *s, const struct ending *ending)
{
    struct due due;

    if (ending->code == CODE_NONE ||
        code_severity(ending->code, s->retryable[ending->code]) == SEVERITY_WARN) {
        completed(s, ending);
    } else if (was_plan_time(s, ending, &due)) {
        steps_time_up(s, due.code);
        stopped(s, ending);
    } else {
        failed(s, ending);
    }
}

bool steps_hear(struct steps *s, int64_t until_mono_ms)
{
    struct ending ending;

    if (s->held_first < s->held_end)
        ending = s->held[s->held_first++];
    else if (listen_to(s, until_mono_ms, &ending) != HANDS_ENDED)
        return false;
    ended(s, &ending);
    return true;
}

/* ---- time ---- */

/* Waits for the ending of one attempt; what else ends meanwhile has its turn after it. */
static void await(struct steps *s, size_t place, struct ending *out)
{
    if (s->held_first == s->held_end)
        s->held_first = s->held_end = 0;
    for (;;) {
        if (listen_to(s, s->now.mono_ms + DEADLINE_LOOK_MS, out) != HANDS_ENDED)
            continue;
        if (out->step == place)
            return;
        s->held[s->held_end++] = *out;
    }
}

void steps_time_out(struct steps *s, size_t place)
{
    struct step *step = &s->v[place];
    struct ending ending;

    s->hands->stop(s->hands->self, place);
    await(s, place, &ending);
    ending.code = CODE_STEP_TIMEOUT;
    ending.message = arena_printf(s->a, "the attempt took longer than %" PRId64 " ms",
                                  step->due_ms - step->begun_ms);
    ending.output = NULL;
    failed(s, &ending);
}

void steps_time_up(struct steps *s, enum code code)
{
    const struct context_doc *context = s->context;
    struct fault fault = { .code = code, .severity = SEVERITY_FATAL };
    const struct error_doc *error;

    if (code == CODE_DEADLINE_EXCEEDED)
        fault.message =
            arena_printf(s->a, "deadline_ms, %" PRId64 ", has passed", context->deadline_ms);
    else if (s->forced)
        fault.message = "the plan was told that its time is up";
    else
        fault.message = arena_printf(s->a, "the plan took longer than %" PRId64 " ms",
                                     context->plan->timeout_ms);
    (void)note(s, &fault, &error);
    end_plan(s, code, error);
}

void steps_stop(struct steps *s)
{
    struct ending ending;

    while (s->held_first < s->held_end)
        stopped(s, &s->held[s->held_first++]);
    for (size_t i = 0; i < s->n && s->running > 0; i++)
        if (s->v[i].state == STEP_RUNS)
            s->hands->stop(s->hands->self, i);
    while (s->running > 0)
        if (listen_to(s, s->now.mono_ms + DEADLINE_LOOK_MS, &ending) == HANDS_ENDED)
            stopped(s, &ending);
}

/* ---- a turn ---- */

/* A04-6: what depends on a step that was not completed is not run, and that is fatal, unless those
 * who run the plan have it skipped, too. */
static void not_met(struct steps *s, size_t place, const char *why, bool fatal)
{
    const struct error_doc *error;

    if (!fatal) {
        end_step(s, place, STEP_SKIPPED);
        skip(s, place, why);
        return;
    }
    end_step(s, place, STEP_FAILED);
    (void)note(s,
               &(struct fault){ .code = CODE_DEPENDENCY_UNRESOLVED,
                                .severity = SEVERITY_FATAL,
                                .message = why,
                                .step_id = step_doc(s, place)->id },
               &error);
    end_plan(s, CODE_DEPENDENCY_UNRESOLVED, error);
}

void steps_turn(struct steps *s, size_t place)
{
    uint32_t unmet = s->graph.unmet[place];

    if (unmet == GRAPH_ALL_MET) {
        take_slot(s, place);
        begin(s, place);
    } else if (unmet == GRAPH_UNKNOWN) {
        not_met(s, place, "it depends on what is no step of the plan", true);
    } else {
        not_met(s, place,
                arena_printf(s->a, "it depends on step %.*s, which was not completed",
                             STR_ARG(step_doc(s, unmet)->id)),
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
