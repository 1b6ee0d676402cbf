/* SPDX-License-Identifier: Apache-2.0 */
/* far.c: one attempt on a worker that speaks frames: the sandbox is there, the record here. */
#include <string.h>

#include "base/json_read.h"
#include "base/utf8.h"
#include "engine/home.h"
#include "engine/lane.h"

/* ---- why nothing ran ---- */

/* It was told to go, or the worker tells of a command that was not, and nobody knows what came of
 * it, whatever it was stopped for before. */
static enum tried take_loss(struct exec *x, const struct errand *errand, const char *why,
                            const struct try_ask *ask)
{
    struct outcome o = outcome_unrun(CAUSE_LOST, STATUS_UNAVAILABLE);

    o.forced = errand->forced;
    o.duration_ms = errand->ran_ms;
    o.out = errand->out;
    o.err = errand->err;
    x->now.lost = arena_text(x->a, str_of(why));
    return try_unrun(x, o, ask);
}

/* It was told to go, and then its walls could not be built, for want of something or because a path
 * had changed meanwhile: that is what it is called then, as of a run here. A refusal for anything
 * else comes too late to be believed. */
static enum tried refused_late(struct exec *x, const struct errand *errand,
                               const struct try_ask *ask)
{
    bool changed = *ask->status == WRIT_REFUSED && ask->e->code == CODE_PATH_CHANGED;

    if (*ask->status != WRIT_NO_SANDBOX && !changed) {
        (void)error_wrap(ask->e, "when it had been told to go");
        return take_loss(x, errand, ask->e->msg, ask);
    }
    if (!changed)
        ask->e->code = CODE_LAYER_MISSING;
    return TRIED_NOTHING;
}

/* That a worker has no room is no word about the command: it may have some later, or another has.
 */
static enum tried take_refusal(struct exec *x, const struct errand *errand,
                               const struct try_ask *ask)
{
    struct ceilings max = ceilings_default();
    const struct document *document;
    const struct doc *d;
    struct str code;

    *ask->status = WRIT_REFUSED;
    if (!json_read("the worker's refusal", errand->record, &max, x->a, &document, ask->e)) {
        (void)error_set(ask->e, CODE_UNKNOWN_ERROR, "the worker refused it and did not say why");
        return x->lane->started ? take_loss(x, errand, ask->e->msg, ask) : TRIED_NOTHING;
    }
    d = &document->root;
    code = doc_text(d, "code");
    if (doc_whole(d, "status") == WRIT_NO_SANDBOX)
        *ask->status = WRIT_NO_SANDBOX;
    if (doc_whole(d, "status") == WRIT_UNAVAILABLE && !x->lane->started) {
        (void)error_set(ask->e, CODE_RCH_UNAVAILABLE, "the worker %.*s has no room for it: %.*s",
                        STR_ARG(x->lane->plan->worker->name), STR_ARG(doc_text(d, "message")));
        return TRIED_UNAVAILABLE;
    }
    (void)error_set(ask->e, code_named(code) == CODE_NONE ? CODE_UNKNOWN_ERROR : code_named(code),
                    "the worker %.*s refused it: %.*s", STR_ARG(x->lane->plan->worker->name),
                    STR_ARG(doc_text(d, "message")));
    return x->lane->started ? refused_late(x, errand, ask) : TRIED_NOTHING;
}

static enum tried take_result(struct exec *x, const struct errand *errand,
                              const struct try_ask *ask)
{
    if (far_record_take(x, errand, ask->e))
        return TRIED_ENDED;
    (void)error_wrap(ask->e, "the worker %.*s is not believed",
                     STR_ARG(x->lane->plan->worker->name));
    return take_loss(x, errand, ask->e->msg, ask);
}

static enum tried end_errand(struct exec *x, const struct errand *errand, const struct try_ask *ask)
{
    switch (errand->end) {
    case ERRAND_RESULT: return take_result(x, errand, ask);
    case ERRAND_REFUSED: return take_refusal(x, errand, ask);
    case ERRAND_LOST: return take_loss(x, errand, errand->why.msg, ask);
    case ERRAND_UNSENT: break;
    }
    *ask->e = errand->why;
    if (errand->forbidden) {
        *ask->status = exec_refused(x, ask->e);
        return TRIED_NOTHING;
    }
    if (errand->stopped_for != CAUSE_EXITED) /* it is not wanted elsewhere, either */
        return try_unrun(x, outcome_waited(errand->stopped_for, 0), ask);
    /* where it is on record, it went away before it could be told to go */
    return x->lane->started ? try_failed(x, ask) : TRIED_UNAVAILABLE;
}

/* ---- the attempt ---- */

/* It ran all the same, and has its end; who asked is told as of a run here. */
static enum tried keep(struct exec *x, const struct try_ask *ask)
{
    if (!exec_keep_printed(x, ask->e))
        x->now.unkept = arena_text(x->a, str_of(ask->e->msg));
    if (!x->now.unkept)
        return TRIED_ENDED;
    *ask->status = WRIT_UNRECORDED;
    (void)error_set(ask->e, CODE_IO, "it ran, but what it left could not be kept: %s",
                    x->now.unkept);
    return TRIED_NOTHING;
}

/* A request is text: what is not cannot travel in it, and a command that ran in a directory of
 * nearly that name would be another. Secrets do not travel, either. */
static bool travels(const struct exec *x, const char *cwd, struct error *e)
{
    if (x->request.sandbox->network->inject.n || x->request.inputs->secrets.n)
        return error_set(e, CODE_SECRET_MISSING,
                         "a secret that is injected or given in a variable is found here and sent "
                         "nowhere; run it here, without a worker");
    for (const char *const *arg = x->command->argv; x->person && arg && *arg; arg++)
        if (utf8_valid(str_of(*arg)) != strlen(*arg))
            return error_set(e, CODE_ARGUMENT_REFUSED,
                             "an argument is not UTF-8, which a worker cannot be sent");
    if (!cwd)
        return error_set(e, CODE_PATH_REFUSED, "the current directory has no name");
    if (utf8_valid(str_of(cwd)) != strlen(cwd))
        return error_set(e, CODE_PATH_REFUSED,
                         "the name of the current directory, %s, is not UTF-8, which a worker "
                         "cannot be sent; give the worker a directory of its own",
                         said(str_of(cwd), x->a));
    return true;
}

static bool prepare(struct exec *x, const char *cwd, const struct try_ask *ask)
{
    if (!lane_admit(x, ask))
        return false;
    *ask->status = WRIT_UNRECORDED;
    if (!exec_open_store(x, ask->e))
        return false;
    if (!travels(x, cwd, ask->e) || !exec_input(x, ask->e)) {
        *ask->status = exec_not_admitted(x, ask->report, ask->kind, ask->e);
        return false;
    }
    exec_open_ledger(x);
    return true;
}

/* A job that waited in a queue as long as the run may take is not wanted elsewhere, either, nor
 * again. */
static enum tried stay_unreached(struct exec *x, const struct try_ask *ask)
{
    struct exec_lane *l = x->lane;

    l->queued = ask->e->code == CODE_COMMAND_TIMEOUT;
    if (!l->queued || l->plan->worker->queue_secs)
        return TRIED_UNAVAILABLE;
    l->unavailable = arena_text(x->a, str_of(ask->e->msg));
    lane_unavailable(&l->lane, l->unavailable);
    x->waited_for = CAUSE_TIMEOUT;
    x->waited_ms = x->request.sandbox->timeout_ms;
    return try_unrun(x, outcome_waited(x->waited_for, x->waited_ms), ask);
}

enum tried try_far(struct exec *x, const struct try_ask *ask)
{
    const struct config_worker *worker = x->lane->plan->worker;
    struct errand errand = {
        .request = x->request_text,
        .cwd = worker->directory.n ? arena_text(x->a, worker->directory) : exec_here(x),
        .person = x->person,
        .attempt = x->attempt,
        .timeout_ms = x->request.sandbox->timeout_ms,
        .at_once = x->step != NULL,
        .pace = exec_pace(x),
        .weak = x->command->weak,
        .live = { x->command->live[0], x->command->live[1] },
        .cancel = x->cancel,
        .world = x->world,
        .permit = exec_permit,
        .permit_self = x,
    };
    struct worker_need need = { x->request.sandbox->memory_mb, x->request.sandbox->cpu_cores,
                                errand.timeout_ms + errand.pace.grace_ms };
    struct error left = { 0 };
    struct channel *channel;
    enum tried tried;

    if (!prepare(x, errand.cwd, ask))
        return TRIED_NOTHING;
    if (x->waited_for != CAUSE_EXITED)
        return try_unrun(x, outcome_waited(x->waited_for, x->waited_ms), ask);
    errand.input = x->input;
    errand.store = x->store;
    if (!fleet_channel(x->lane->fleet, worker, &need, x->cancel, &channel, ask->e))
        return stay_unreached(x, ask);
    channel_run(channel, &errand, x->a);
    if (x->step || worker->kind != WORKER_SLURM) {
        fleet_leave(x->lane->fleet, worker, channel);
    } else { /* the record tells what is left of its job */
        fleet_finish(x->lane->fleet, worker, channel, &left);
        x->lane->left = left.msg[0] ? arena_text(x->a, str_of(left.msg)) : NULL;
    }
    tried = end_errand(x, &errand, ask);
    return tried == TRIED_ENDED ? keep(x, ask) : tried;
}
