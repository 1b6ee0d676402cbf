/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c: an executor as an action: its payload is the step's, its result goes on record. */
#include "base/doc_make.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "engine/home.h"
#include "engine/input.h"
#include "engine/plan.h"

/* Only the ActionResult: an executor's output is nobody's but its caller's. */
static const struct doc *result_doc(const struct action *action, struct arena *a)
{
    _buf_ struct buf text = { .max = ANSWER_MAX };
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e;

    shape_json(&action_result_shape, &action->result, &text);
    if (!json_read("result", (struct str){ arena_text(a, buf_str(&text)), text.len }, &max, a,
                   &document, &e))
        return NULL;
    return &document->root;
}

static bool timed_out(const struct action *action)
{
    const struct items *reasons = &action->result.reason_codes;

    return reasons->n > 0 &&
           str_is(*(const struct str *)reasons->v, codes[CODE_EXECUTOR_TIMEOUT].name);
}

/* cut: its own limit was longer than the step's. */
static void ended(struct job *job, const struct action *action, bool cut, struct ending *out)
{
    const struct doc *result = result_doc(action, job->kept);

    if (action->result.status == ACTION_SUCCESS) {
        out->output = result;
        return;
    }
    out->context = result;
    if (cut && timed_out(action)) {
        job_failed(job, out, CODE_STEP_TIMEOUT, "the step's time was over");
        return;
    }
    job_failed(job, out, CODE_STEP_FAILED, "%s: %s",
               action->result.status == ACTION_BLOCKED ? "blocked" : "failed",
               action->detail ? action->detail : "the executor did not succeed");
}

/* An executor has less time than its own limit where the step has less: what is done on the spot
 * is stopped by nobody else. */
static struct executor in_time(const struct executor *x, int64_t budget_ms)
{
    struct executor copy = *x;

    if (copy.limits.timeout_ms > budget_ms)
        copy.limits.timeout_ms = budget_ms;
    return copy;
}

void act_apply(struct job *job, struct ending *out)
{
    struct running *r = job->r;
    const struct executor *asked = job->deed->executor;
    struct executor executor = in_time(asked, job->attempt.budget_ms);
    struct auditor auditor = { keeping_write, r->keeping };
    struct pipeline pipeline = { .executor = &executor,
                                 .auditor = &auditor,
                                 .world = r->world,
                                 .worker =
                                     home_program("writ-pure", r->ask->environment, job->scratch),
                                 .cancel = job->cancel >= 0 ? &job->cancel : NULL };
    struct uuid id = r->world->new_id(r->world->self);
    _buf_ struct buf payload = { .max = ANSWER_MAX };
    struct action action = { 0 };
    struct error e;

    uuid_text(&id, job->execution);
    json_doc(&payload, job->step->payload);
    action.payload = buf_str(&payload);
    action.trace_id = str_of(job->execution);
    if (!pipeline_open(&pipeline, &e))
        job_failed(job, out, CODE_UNKNOWN_ERROR, "%s", e.msg);
    else if (!pipeline_apply(&pipeline, &action, 1, job->scratch, &e))
        job_failed(job, out, CODE_RESOURCE_EXHAUSTED, "it could not be recorded: %s", e.msg);
    else
        ended(job, &action, executor.limits.timeout_ms < asked->limits.timeout_ms, out);
    pipeline_close(&pipeline);
}
