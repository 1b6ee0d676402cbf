/* SPDX-License-Identifier: Apache-2.0 */
/* endings.c: how attempts end, and what follows: on_failure, retries and time. */
#include "plan/endings.h"

#include <inttypes.h>
#include <limits.h>

/* ---- what on_failure asks for ---- */

/* A04-3: as it is raised it is an error; that of the plan is fatal. */
static void halt(struct steps *s, size_t place, const struct error_doc *cause)
{
    struct fault fault = { .code = CODE_EXECUTION_HALTED,
                           .severity = SEVERITY_ERROR,
                           .message =
                               arena_printf(s->a, "step %.*s failed, and its on_failure is halt",
                                            STR_ARG(steps_doc(s, place)->id)),
                           .cause = cause };

    steps_end_plan(s, fault.code, steps_note(s, &fault));
}

static void skip(struct steps *s, size_t place, const char *why)
{
    (void)steps_note(s, &(struct fault){ .code = CODE_STEP_SKIPPED,
                                         .severity = SEVERITY_WARN,
                                         .message = why,
                                         .step_id = steps_doc(s, place)->id });
}

static void retry(struct steps *s, size_t place)
{
    struct step *step = &s->v[place];
    int attempt = step->attempt < INT_MAX ? (int)step->attempt : INT_MAX;
    int64_t wait_ms = backoff_delay(&s->backoff, attempt);

    step->state = STEP_WAITS;
    steps_set_due(s, step, s->now.mono_ms + wait_ms);
    steps_tell(s, &(struct telling){ .news = NEWS_STEP_RETRIES,
                                     .step = place,
                                     .attempt = step->attempt + 1,
                                     .wait_ms = wait_ms });
}

static const char *why_skipped(struct steps *s, const struct ending *ending)
{
    size_t place = ending->step;

    if (steps_doc(s, place)->on_failure == ON_FAILURE_SKIP)
        return "on_failure is skip";
    if (!s->retryable[ending->code])
        return arena_printf(s->a, "%s is not among retryable_error_codes",
                            codes[ending->code].name);
    if (ending->final)
        return "what it runs is used once, and not tried again";
    return arena_printf(s->a, "all %" PRId64 " attempts have failed", s->v[place].attempt);
}

/* The result of a plan has the error of every attempt, and is not larger than a result may be. */
static void too_many(struct steps *s, size_t place)
{
    struct fault fault = { .code = CODE_RESOURCE_EXHAUSTED,
                           .severity = SEVERITY_FATAL,
                           .message = arena_printf(
                               s->a,
                               "the plan has %d errors of attempts, the most that a result "
                               "may have; set a lower max_attempts or a longer backoff_ms",
                               TRACE_MAX),
                           .step_id = steps_doc(s, place)->id };

    steps_end_plan(s, fault.code, steps_note(s, &fault));
}

static bool is_tried_again(const struct steps *s, const struct ending *ending)
{
    int64_t attempt = s->v[ending->step].attempt;

    return steps_doc(s, ending->step)->on_failure == ON_FAILURE_RETRY && !ending->final &&
           s->retryable[ending->code] &&
           backoff_again(&s->backoff, attempt < INT_MAX ? (int)attempt : INT_MAX);
}

/* What on_failure asks for (A04-5); a fatal code asks for nothing (A04-35). */
static void apply_policy(struct steps *s, const struct ending *ending,
                         const struct error_doc *error)
{
    size_t place = ending->step;
    int on_failure = steps_doc(s, place)->on_failure;
    bool again = error->severity == SEVERITY_ERROR && is_tried_again(s, ending);

    if (again && s->trace.n < TRACE_MAX) {
        retry(s, place);
        return;
    }
    steps_leave(s, place);
    steps_end(s, place, STEP_FAILED);
    if (error->severity == SEVERITY_FATAL)
        steps_end_plan(s, ending->code, error);
    else if (again)
        too_many(s, place);
    else if (on_failure == ON_FAILURE_HALT)
        halt(s, place, error);
    else
        skip(s, place, why_skipped(s, ending));
}

/* ---- an attempt has ended ---- */

static void tell_end(struct steps *s, enum news news, const struct ending *ending,
                     enum severity severity)
{
    const struct step *step = &s->v[ending->step];

    steps_tell(s, &(struct telling){ .news = news,
                                     .step = ending->step,
                                     .attempt = step->attempt,
                                     .took_ms = s->now.mono_ms - step->begun_ms,
                                     .severity = severity,
                                     .ending = ending });
}

/* Of a step that may be tried again each error tells of which attempt it is. */
static const struct doc *context_of(const struct steps *s, const struct ending *ending)
{
    struct doc *context;

    if (steps_doc(s, ending->step)->on_failure != ON_FAILURE_RETRY)
        return ending->context;
    context = doc_root(s->a, DOC_MAP);
    doc_add_int(s->a, context, "attempt", s->v[ending->step].attempt);
    for (const struct doc *d = doc_first(ending->context, DOC_MAP); d; d = d->next)
        if (!str_is(d->key, "attempt"))
            tree_share(doc_add(s->a, context, d->key), d);
    return context;
}

static struct fault fault_of(const struct steps *s, const struct ending *ending)
{
    return (struct fault){ .code = ending->code,
                           .severity = code_severity(ending->code, s->retryable[ending->code]),
                           .message = ending->message,
                           .step_id = steps_doc(s, ending->step)->id,
                           .context = context_of(s, ending) };
}

static void failed(struct steps *s, const struct ending *ending)
{
    struct fault fault = fault_of(s, ending);

    tell_end(s, NEWS_STEP_FAILED, ending, fault.severity);
    apply_policy(s, ending, steps_note(s, &fault));
}

/* A04-19: with a warning it is completed all the same. */
static void completed(struct steps *s, const struct ending *ending)
{
    struct step *step = &s->v[ending->step];
    int64_t done_ms = ending->ended_ms ? ending->ended_ms : s->now.mono_ms;
    struct fault warning;

    tell_end(s, NEWS_STEP_COMPLETED, ending, SEVERITY_WARN);
    trace_overcome(&s->trace, step->first_error, steps_doc(s, ending->step)->id);
    if (ending->code != CODE_NONE) {
        warning = fault_of(s, ending);
        (void)steps_note(s, &warning);
    }
    step->output = ending->output;
    if (s->done_ms < done_ms)
        s->done_ms = done_ms;
    steps_leave(s, ending->step);
    steps_end(s, ending->step, STEP_COMPLETED);
}

static bool ends_by_time(const struct steps *s)
{
    return s->end_code == CODE_PLAN_TIMEOUT || s->end_code == CODE_DEADLINE_EXCEEDED;
}

/* What an attempt comes to that the end of the plan has stopped. */
static enum code stop_code(const struct steps *s)
{
    return ends_by_time(s) ? s->end_code : CODE_EXECUTION_HALTED;
}

/* The plan ends, and this attempt with it; what it says does not count. */
static void stopped(struct steps *s, const struct ending *ending)
{
    enum code code = stop_code(s);
    struct ending said = *ending;

    said.code = code;
    said.message = "it was stopped when the plan ended";
    said.output = NULL;
    said.context = NULL;
    s->v[ending->step].state = STEP_STOPPED;
    tell_end(s, NEWS_STEP_FAILED, &said, code_severity(code, false));
}

/* ---- what is heard ---- */

/* The next thing that happens. What has ended is an attempt that ran; it no longer does. */
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

/* What it says when it is stopped does not count. */
static void timed_out(struct steps *s, const struct ending *ending)
{
    const struct step *step = &s->v[ending->step];
    struct ending said = *ending;

    said.code = CODE_STEP_TIMEOUT;
    said.message = arena_printf(s->a, "the attempt took longer than %" PRId64 " ms",
                                step->due_ms - step->begun_ms);
    said.output = NULL;
    failed(s, &said);
}

static bool is_completed(const struct steps *s, const struct ending *ending)
{
    return ending->code == CODE_NONE ||
           code_severity(ending->code, s->retryable[ending->code]) == SEVERITY_WARN;
}

/* The time that was over when it ended, where hands know when that was. */
static enum code late_then(const struct steps *s, const struct ending *ending)
{
    struct moment then = { ending->ended_ms, s->now.wall_ms - (s->now.mono_ms - ending->ended_ms) };
    struct due due = deadline_first(&s->deadline, &then, s->v[ending->step].due_ms);

    return due.left_ms < 0 ? due.code : CODE_NONE;
}

/* It was completed before the plan's time was over, and before it was told so. Where it was not
 * time that ended the plan, it may come to its end while it is being stopped: it is done all the
 * same. */
static bool was_done_before(const struct steps *s, const struct ending *ending)
{
    const struct step *step = &s->v[ending->step];

    return ending->ended_ms != 0 && is_completed(s, ending) &&
           (step->stopped_for == CODE_NONE || step->stopped_for == CODE_EXECUTION_HALTED ||
            ending->ended_ms <= step->stopped_ms) &&
           late_then(s, ending) == CODE_NONE;
}

/* Whose time was over when it ended; CODE_NONE: it ended in time (A04-9). It may be heard of later:
 * what it came to is recorded before. */
static enum code late_for(const struct steps *s, const struct ending *ending)
{
    enum code why = s->v[ending->step].stopped_for;

    if (ending->ended_ms == 0 ||
        (why != CODE_NONE && why != CODE_STEP_TIMEOUT && !was_done_before(s, ending)))
        return why;
    return late_then(s, ending);
}

static void ended(struct steps *s, const struct ending *ending)
{
    enum code late = late_for(s, ending);
    struct due due;

    if (late == CODE_STEP_TIMEOUT) {
        timed_out(s, ending);
    } else if (late != CODE_NONE) {
        endings_time_up(s, late);
        stopped(s, ending);
    } else if (is_completed(s, ending)) {
        completed(s, ending);
    } else if (was_plan_time(s, ending, &due)) {
        endings_time_up(s, due.code);
        stopped(s, ending);
    } else {
        failed(s, ending);
    }
}

bool endings_hear(struct steps *s, int64_t until_mono_ms)
{
    struct ending ending;

    if (steps_held(s))
        ending = s->held[s->held_first++];
    else if (listen_to(s, until_mono_ms, &ending) != HANDS_ENDED)
        return false;
    ended(s, &ending);
    return true;
}

/* ---- time ---- */

static void stop(struct steps *s, size_t place, enum code why)
{
    if (s->v[place].state != STEP_RUNS || s->v[place].stopped_for != CODE_NONE)
        return;
    s->v[place].stopped_for = why;
    s->v[place].stopped_ms = s->now.mono_ms;
    s->hands->stop(s->hands->self, place);
}

/* Whose time is over is told so at once, whoever takes long to stop; the next moment at which
 * somebody's is. */
static int64_t stop_who_is_late(struct steps *s)
{
    struct due plan = deadline_first(&s->deadline, &s->now, DEADLINE_NEVER);
    bool over = s->forced || plan.left_ms <= 0;
    int64_t next = s->now.mono_ms + min_ms(plan.left_ms, DEADLINE_LOOK_MS);

    for (size_t i = 0; i < s->slot_count; i++) {
        const struct step *step = &s->v[s->slots[i]];

        if (over)
            stop(s, s->slots[i], s->forced ? CODE_PLAN_TIMEOUT : plan.code);
        else if (step->due_ms <= s->now.mono_ms)
            stop(s, s->slots[i], CODE_STEP_TIMEOUT);
        else if (step->state == STEP_RUNS)
            next = min_ms(next, step->due_ms);
    }
    return over ? s->now.mono_ms + DEADLINE_LOOK_MS : next;
}

/* Waits for the ending of one attempt; what else ends meanwhile has its turn after it. */
static void await(struct steps *s, size_t place, struct ending *out)
{
    if (!steps_held(s))
        s->held_first = s->held_end = 0;
    for (int64_t until = s->now.mono_ms;;) { /* what has ended by now has ended in time (A04-9) */
        if (listen_to(s, until, out) != HANDS_ENDED) {
            until = stop_who_is_late(s);
            continue;
        }
        if (out->step == place)
            return;
        s->held[s->held_end++] = *out;
        until = s->now.mono_ms;
    }
}

void endings_time_out(struct steps *s, size_t place)
{
    struct ending ending;

    stop(s, place, CODE_STEP_TIMEOUT);
    await(s, place, &ending);
    ended(s, &ending);
}

void endings_time_up(struct steps *s, enum code code)
{
    const struct context_doc *context = s->context;
    struct fault fault = { .code = code, .severity = SEVERITY_FATAL };

    if (code == CODE_DEADLINE_EXCEEDED)
        fault.message =
            arena_printf(s->a, "deadline_ms, %" PRId64 ", has passed", context->deadline_ms);
    else if (s->forced)
        fault.message = "the plan was told that its time is up";
    else
        fault.message = arena_printf(s->a, "the plan took longer than %" PRId64 " ms",
                                     context->plan->timeout_ms);
    steps_end_plan(s, code, steps_note(s, &fault));
}

static void ended_after(struct steps *s, const struct ending *ending)
{
    if (was_done_before(s, ending))
        completed(s, ending);
    else
        stopped(s, ending);
}

/* All had ended before its time was over, and it was not time that ended the plan (A04-9). */
static void take_time_back(struct steps *s)
{
    if (!ends_by_time(s) || s->ended < s->n)
        return;
    trace_remove(&s->trace, s->end);
    steps_end_plan(s, CODE_NONE, NULL);
}

void endings_stop(struct steps *s)
{
    struct ending ending;

    while (steps_held(s))
        ended_after(s, &s->held[s->held_first++]);
    for (size_t i = 0; i < s->n && s->running > 0; i++)
        stop(s, i, stop_code(s));
    while (s->running > 0)
        if (listen_to(s, s->now.mono_ms + DEADLINE_LOOK_MS, &ending) == HANDS_ENDED)
            ended_after(s, &ending);
    take_time_back(s);
}
