/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.c: one attempt by a wrapper such as rch, whose walls are not ours. */
#include "engine/exec.h"

#include <errno.h>
#include <string.h>

#include "engine/lane.h"
#include "route/wrap.h"

bool exec_wrapped(const struct exec *x)
{
    return x->lane && x->lane->plan && x->lane->plan->route == ROUTE_REMOTE_RCH;
}

/* A limit that cannot be enforced is refused, never ignored; what nobody asked for is a default of
 * walls that are not there. Its time we hold ourselves. */
static bool needs_no_walls(const struct exec *x, struct error *e)
{
    const struct doc *sandbox = doc_get(x->asked, "sandbox");

    for (const struct doc *d = sandbox ? sandbox->first : NULL; d; d = d->next)
        if (!str_is(d->key, limits[LIMIT_TIMEOUT_MS].name))
            return error_set(e, CODE_LAYER_MISSING,
                             "LAYER_MISSING: %.*s runs commands within its own walls and cannot be "
                             "held to %.*s; leave it out, or name a worker that runs writ",
                             STR_ARG(x->lane->plan->worker->name), STR_ARG(d->key));
    return true;
}

/* ---- its environment ---- */

/* A person could have typed these before the wrapper. What a document says would choose what a
 * program without walls does here, and so would a name that IV-04 takes from every command. */
static bool may_be_told(const struct exec *x, struct error *e)
{
    const struct items *asked = &x->request.inputs->environment;
    const struct pair *pairs = asked->v;
    struct str worker = x->lane->plan->worker->name;

    if (x->admission.files_cut)
        return error_set(e, CODE_INPUT_TOO_LARGE,
                         "%.*s reads input files where they are, and they cannot be cut for it; "
                         "give less, or name a worker that runs writ",
                         STR_ARG(worker));
    if (x->request.inputs->secrets.n)
        return error_set(e, CODE_SECRET_MISSING,
                         "%.*s has the caller's environment, and nothing takes a secret out of "
                         "what it says; name a worker that runs writ, or run it here",
                         STR_ARG(worker));
    if (asked->n && !x->person)
        return error_set(e, CODE_ARGUMENT_REFUSED,
                         "%.*s runs outside of the walls and has the caller's environment, which a "
                         "document adds nothing to; say %.*s in the command (env %.*s=.. CMD), or "
                         "name a worker that runs writ",
                         STR_ARG(worker), STR_ARG(pairs->key), STR_ARG(pairs->key));
    for (size_t i = 0; i < asked->n; i++)
        if (inputs_env_row(pairs[i].key))
            return error_set(e, CODE_ARGUMENT_REFUSED,
                             "variable %.*s would reach %.*s itself, which runs outside of the "
                             "walls; leave it out, or name a worker that runs writ",
                             STR_ARG(pairs[i].key), STR_ARG(worker));
    return true;
}

bool lane_may_be_wrapped(const struct exec *x, struct error *e)
{
    return needs_no_walls(x, e) && may_be_told(x, e);
}

static bool is_asked(const struct exec *x, const char *variable)
{
    struct str name = { variable, strcspn(variable, "=") };

    for (size_t i = 0; i < x->admission.environment_count; i++)
        if (str_eq(x->admission.environment[i].key, name))
            return true;
    return false;
}

/* The caller's, and on top of it what the request asks for. */
static char **environment_of(const struct exec *x)
{
    const char *const *callers = x->command->environment;
    size_t room = x->admission.environment_count + 1, n = 0;
    char **all;

    for (const char *const *one = callers; one && *one; one++)
        room++;
    all = arena_alloc(x->a, room * sizeof *all);
    for (; callers && *callers; callers++)
        if (!is_asked(x, *callers))
            all[n++] = arena_text(x->a, str_of(*callers));
    for (size_t i = 0; i < x->admission.environment_count; i++)
        all[n++] = arena_printf(x->a, "%.*s=%.*s", STR_ARG(x->admission.environment[i].key),
                                STR_ARG(x->admission.environment[i].text));
    all[n] = NULL;
    return all;
}

/* ---- the attempt ---- */

/* It took it, and then said that it cannot: what else it said is all there is to see why. */
static enum tried refused_it(struct exec *x, const struct try_ask *ask)
{
    struct outcome was = x->outcome;
    enum tried tried = try_failed(x, ask);

    x->outcome.out = was.out;
    x->outcome.err = was.err;
    x->outcome.duration_ms = was.duration_ms;
    return tried;
}

enum tried try_wrap(struct exec *x, const struct try_ask *ask)
{
    struct wrap_ask wrap = { .worker = x->lane->plan->worker,
                             .timeout_ms = x->request.sandbox->timeout_ms,
                             .at_once = x->step != NULL,
                             .pace = exec_pace(x),
                             .live = { x->command->live[0], x->command->live[1] },
                             .cancel = x->cancel,
                             .permit = exec_permit,
                             .permit_self = x };
    enum wrap_end end;

    *ask->status = exec_prepare(x, ask->report, ask->kind, ask->e);
    if (*ask->status != WRIT_OK)
        return TRIED_NOTHING;
    if (!lane_may_be_wrapped(x, ask->e)) {
        *ask->status = ask->e->code == CODE_LAYER_MISSING ? WRIT_NO_SANDBOX : WRIT_REFUSED;
        return TRIED_NOTHING;
    }
    x->admission.checks[CHECK_ENVIRONMENT] = "not held: the wrapper has the caller's environment";
    wrap.environment = environment_of(x);
    wrap.argv = x->argv;
    wrap.cwd = x->reach.cwd;
    wrap.input = x->input;
    x->program.missing =
        ENOENT; /* the file that runs is elsewhere, if the wrapper says the truth */
    exec_open_ledger(x);
    if (x->waited_for != CAUSE_EXITED)
        return try_unrun(x, outcome_waited(x->waited_for, x->waited_ms), ask);
    end = wrap_run(&wrap, x->world, x->a, &x->outcome, ask->e);
    if (end == WRAP_UNAVAILABLE && x->lane->started)
        return refused_it(x, ask);
    if (end == WRAP_UNAVAILABLE)
        return TRIED_UNAVAILABLE;
    *ask->status = end == WRAP_FORBIDDEN ? exec_refused(x, ask->e) : WRIT_UNRECORDED;
    return end == WRAP_ENDED && exec_gather(x, ask->e) ? TRIED_ENDED : TRIED_NOTHING;
}
