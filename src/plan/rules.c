/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c: the duties of an ended plan, as contract 004 lists them: three tables and a dull loop.
 */
#include "plan/rules.h"

#include <assert.h>

#include "plan/result.h"

struct duty {
    const char *name;
    int n;
    const char *req;
    const char *does;
    bool (*act)(struct closing *c, struct error *e);
};

/* ---- what the duties have in common ---- */

/* The wall clock may have been put back since; an end is never before its start (R-004-232). */
static bool capture_metadata(struct closing *c, struct error *e)
{
    struct moment now = moment_now(c->ask->world);
    int64_t started_at = c->ask->context->started_at;

    (void)e;
    c->result.completed_at = now.wall_ms > started_at ? now.wall_ms : started_at;
    c->result.duration_ms = now.mono_ms - c->steps->start.mono_ms;
    c->result.steps_executed = (int64_t)c->steps->completed;
    return true;
}

static bool keep_outputs(struct closing *c, struct error *e)
{
    (void)e;
    c->result.result_payload = result_payload(c->steps, c->a);
    return true;
}

static bool persist(struct closing *c, struct error *e)
{
    const struct office *office = c->ask->office;

    return result_text(&c->result, c->a, &c->text, e) &&
           office->persist(office->self, &c->result, c->text, e);
}

static bool emit(struct closing *c, struct error *e)
{
    static const enum news news[] = {
        [PLAN_SUCCESS] = NEWS_SUCCESS, [PLAN_PARTIAL] = NEWS_PARTIAL, [PLAN_FAILURE] = NEWS_FAILURE
    };
    const struct sink *sink = c->ask->sink;

    (void)e;
    sink->tell(sink->self, &(struct telling){ .news = news[c->status], .result = c->text });
    return true;
}

static bool release(struct closing *c, struct error *e)
{
    const struct office *office = c->ask->office;

    (void)e;
    c->released = true;
    office->release(office->self);
    return true;
}

static bool hand_back(struct closing *c, struct error *e)
{
    (void)e;
    *c->out = (struct plan_end){ c->result, c->text, c->steps->done_ms };
    return true;
}

/* The error that the plan reports, with all that was found out. */
static void set_error(struct closing *c, const struct error_doc *from)
{
    struct error_doc *error = arena_new(c->a, struct error_doc);

    *error = *from;
    error->context = result_context(
        from->context, &(struct findings){ c->errors, c->failed, c->incomplete }, c->a);
    c->result.error = error;
}

/* What the contract has asserted. Where it does not hold the mistake is ours: there is no result,
 * and who called us lives on. */
static bool holds(bool is_so, const char *what, struct error *e)
{
    return is_so ||
           error_set(e, CODE_UNKNOWN_ERROR, "the plan has ended, and not so that %s", what);
}

/* ---- success ---- */

static bool validate_completion(struct closing *c, struct error *e)
{
    const struct steps *s = c->steps;

    return holds(s->completed == s->n && !s->end && !trace_first(&s->trace, SEVERITY_ERROR),
                 "all steps are completed without an error", e);
}

static bool set_success(struct closing *c, struct error *e)
{
    c->result.status = PLAN_SUCCESS;
    c->result.error = NULL;
    return keep_outputs(c, e);
}

static bool complete(struct closing *c, struct error *e)
{
    const struct office *office = c->ask->office;

    (void)e;
    office->complete(office->self);
    return true;
}

/* ---- partial ---- */

static bool classify_failure(struct closing *c, struct error *e)
{
    (void)e;
    c->failed = result_failed(&c->steps->trace, c->a);
    c->root = trace_first(&c->steps->trace, SEVERITY_ERROR);
    return true;
}

static bool aggregate_errors(struct closing *c, struct error *e)
{
    (void)e;
    c->errors = result_errors(&c->steps->trace, c->a);
    c->incomplete = result_incomplete(c->steps, c->a);
    set_error(c, c->root);
    return true;
}

static bool validate_progress(struct closing *c, struct error *e)
{
    return holds(c->steps->completed >= 1 && c->steps->completed < c->steps->n,
                 "some steps are completed and some are not", e);
}

static bool set_partial(struct closing *c, struct error *e)
{
    (void)e;
    assert(c->result.error);
    c->result.status = PLAN_PARTIAL;
    return true;
}

static bool mark_incomplete(struct closing *c, struct error *e)
{
    const struct office *office = c->ask->office;
    size_t *places = arena_alloc(c->a, c->steps->n * sizeof *places), n = 0;

    (void)e;
    for (size_t i = 0; i < c->steps->n; i++)
        if (c->steps->v[i].state != STEP_COMPLETED)
            places[n++] = i;
    office->incomplete(office->self, places, n);
    return true;
}

/* ---- failure ---- */

static bool identify_cause(struct closing *c, struct error *e)
{
    const struct trace *trace = &c->steps->trace;

    (void)e;
    c->root = c->steps->end ? c->steps->end : trace_first(trace, SEVERITY_ERROR);
    assert(c->root);
    return true;
}

/* What is not fatal as it was raised is a halt (A04-3), or no step was completed and so no other
 * status fits (A04-2). */
static bool classify_severity(struct closing *c, struct error *e)
{
    return holds(c->root->severity == SEVERITY_FATAL ||
                     c->steps->end_code == CODE_EXECUTION_HALTED || c->steps->completed == 0,
                 "its error is fatal", e);
}

/* That was done when the plan ended: what it had done by then decides what it has come to. */
static bool halt_execution(struct closing *c, struct error *e)
{
    return holds(c->steps->running == 0, "nothing runs", e);
}

static bool capture_failure(struct closing *c, struct error *e)
{
    c->failed = result_failed(&c->steps->trace, c->a);
    c->incomplete = result_incomplete(c->steps, c->a);
    c->errors = result_errors(&c->steps->trace, c->a);
    return capture_metadata(c, e);
}

static bool validate_consistency(struct closing *c, struct error *e)
{
    return holds(c->steps->completed < c->steps->n || c->steps->completed == 0,
                 "not all steps are completed", e);
}

static bool set_fatal(struct closing *c, struct error *e)
{
    struct error_doc error = *c->root;

    (void)e;
    error.severity = SEVERITY_FATAL;
    error.recoverable = severities[SEVERITY_FATAL].recoverable;
    if (!c->steps->end)
        error.cause = c->root;
    set_error(c, &error);
    return true;
}

static bool set_failure(struct closing *c, struct error *e)
{
    (void)e;
    assert(c->result.error);
    c->result.status = PLAN_FAILURE;
    return true;
}

static bool alarm_handler(struct closing *c, struct error *e)
{
    const struct office *office = c->ask->office;

    (void)e;
    if (office->alarm)
        office->alarm(office->self, c->result.error);
    return true;
}

/* ---- the tables ---- */

/* clang-format off */
static const struct duty success_duties[] = {
    { "validate_completion",   1, "R-004-093", "All steps are completed and there is no error.",          validate_completion },
    { "capture_metadata",      2, "R-004-094", "When it ended and how long it took.",                     capture_metadata },
    { "set_success_status",    3, "R-004-095", "status is success, error is null.",                       set_success },
    { "persist_result",        4, "R-004-096", "The result is recorded, or there is none.",               persist },
    { "emit_completion_event", 5, "R-004-097", "plan_execution_success is told to who listens.",          emit },
    { "update_plan_state",     6, "R-004-098", "The plan registry has the plan as completed.",            complete },
    { "release_resources",     7, "R-004-099", "What the execution held is let go.",                      release },
    { "return_result",         8, "R-004-100", "The caller gets the result.",                             hand_back },
};

static const struct duty partial_duties[] = {
    { "classify_failure",          1, "R-004-110", "Which steps failed, and with which errors.",          classify_failure },
    { "aggregate_errors",          2, "R-004-111", "All errors are collected; the first is the primary one.", aggregate_errors },
    { "validate_partial_progress", 3, "R-004-112", "Some steps are completed, but not all.",              validate_progress },
    { "preserve_output",           4, "R-004-113", "What the completed steps gave is kept.",              keep_outputs },
    { "capture_metadata",          5, "R-004-114", "When it ended, how long it took, how many steps.",    capture_metadata },
    { "set_partial_status",        6, "R-004-115", "status is partial, error is the primary error.",      set_partial },
    { "persist_result",            7, "R-004-116", "The result is recorded, or there is none.",           persist },
    { "emit_partial_event",        8, "R-004-117", "plan_execution_partial is told to who listens.",      emit },
    { "mark_incomplete",           9, "R-004-118", "The steps that are not completed are recorded.",      mark_incomplete },
    { "return_result",            10, "R-004-119", "The caller gets the result.",                         hand_back },
};

static const struct duty failure_duties[] = {
    { "identify_failure_cause",  1, "R-004-131", "The root error: a fatal one, a halt or a time.",        identify_cause },
    { "classify_severity",       2, "R-004-132", "It is fatal, or no other status fits.",                 classify_severity },
    { "halt_execution",          3, "R-004-133", "What still runs is stopped.",                           halt_execution },
    { "capture_failure_context", 4, "R-004-134", "Which steps failed, why, and when.",                    capture_failure },
    { "truncate_result",         5, "R-004-135", "Only what completed steps gave is kept.",               keep_outputs },
    { "validate_consistency",    6, "R-004-136", "Not all steps are completed.",                          validate_consistency },
    { "set_error",               7, "R-004-137", "error is the root error, and fatal.",                   set_fatal },
    { "set_failure_status",      8, "R-004-138", "status is failure.",                                    set_failure },
    { "persist_result",          9, "R-004-139", "The result is recorded, or there is none.",             persist },
    { "emit_failure_event",     10, "R-004-140", "plan_execution_failure is told to who listens.",        emit },
    { "release_resources",      11, "R-004-141", "What the execution held is let go.",                    release },
    { "notify_error_handler",   12, "R-004-142", "The error handler is told, if there is one.",           alarm_handler },
    { "return_result",          13, "R-004-143", "The caller gets the result.",                           hand_back },
};

static const struct column columns[] = {
    { "duty",        COLUMN_TEXT, offsetof(struct duty, name) },
    { "n",           COLUMN_INT,  offsetof(struct duty, n) },
    { "requirement", COLUMN_TEXT, offsetof(struct duty, req) },
    { "does",        COLUMN_TEXT, offsetof(struct duty, does) },
};

static const struct { const struct duty *v; size_t n; } duties[] = {
    [PLAN_SUCCESS] = { success_duties, COUNT(success_duties) },
    [PLAN_PARTIAL] = { partial_duties, COUNT(partial_duties) },
    [PLAN_FAILURE] = { failure_duties, COUNT(failure_duties) },
};
/* clang-format on */

const struct table plan_success_table = {
    .name = "plan_success",
    .about = "What is done in which order when a plan has succeeded, from contract 004.",
    COLUMNS(columns),
    .keys = 1,
    ROWS(success_duties),
};

const struct table plan_partial_table = {
    .name = "plan_partial",
    .about = "What is done in which order when a plan has partially succeeded, from contract 004.",
    COLUMNS(columns),
    .keys = 1,
    ROWS(partial_duties),
};

const struct table plan_failure_table = {
    .name = "plan_failure",
    .about = "What is done in which order when a plan has failed, from contract 004.",
    COLUMNS(columns),
    .keys = 1,
    ROWS(failure_duties),
};

enum plan_status rules_status(const struct steps *s)
{
    if (s->end)
        return PLAN_FAILURE;
    if (s->completed == s->n)
        return PLAN_SUCCESS;
    return s->completed > 0 ? PLAN_PARTIAL : PLAN_FAILURE;
}

bool rules_follow(struct closing *c, struct error *e)
{
    const struct context_doc *context = c->ask->context;
    bool done = true;

    c->result.plan_id = context->plan->id;
    c->result.execution_id = context->execution_id;
    c->result.steps_total = (int64_t)context->plan->steps.n;
    for (size_t i = 0; done && i < duties[c->status].n; i++)
        done = duties[c->status].v[i].act(c, e);
    if (!c->released) /* it was not persisted, or it is partial: whatever was held is let go */
        (void)release(c, e);
    return done;
}
