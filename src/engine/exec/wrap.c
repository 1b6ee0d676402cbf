/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.c: one attempt by a wrapper such as rch, whose walls are not ours. */
#include <errno.h>

#include "engine/exec_lane.h"
#include "route/wrap.h"

/* What a request says of its walls. Its time we hold ourselves. */
static const char *const of_walls[] = { "memory_mb", "cpu_cores", "filesystem", "network",
                                        "processes" };

/* A limit that cannot be enforced is refused, never ignored; what nobody asked for is a default of
 * walls that are not there. */
static bool may_be_wrapped(const struct exec *x, struct error *e)
{
    const struct doc *sandbox = doc_get(x->asked, "sandbox");

    for (size_t i = 0; sandbox && i < COUNT(of_walls); i++)
        if (doc_get(sandbox, of_walls[i]))
            return error_set(e, CODE_LAYER_MISSING,
                             "LAYER_MISSING: %.*s runs commands within its own walls and cannot be "
                             "held to %s; leave it out, or name a worker that runs writ",
                             STR_ARG(x->lane->plan->worker->name), of_walls[i]);
    return true;
}

enum tried try_wrap(struct exec *x, const struct try_ask *ask)
{
    struct wrap_ask wrap = { .worker = x->lane->plan->worker,
                             .environment = (char *const *)x->command->environment,
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
    *ask->status = WRIT_NO_SANDBOX;
    if (!may_be_wrapped(x, ask->e))
        return TRIED_NOTHING;
    wrap.argv = x->argv;
    wrap.cwd = x->reach.cwd;
    wrap.input = x->input;
    x->program.missing =
        ENOENT; /* the file that runs is elsewhere, if the wrapper says the truth */
    exec_open_ledger(x);
    if (x->waited_for != CAUSE_EXITED)
        return try_waited(x, ask);
    end = wrap_run(&wrap, x->world, x->a, &x->outcome, ask->e);
    if (end == WRAP_UNAVAILABLE && x->lane->started) /* it took it, and then said so */
        return try_failed(x, ask);
    if (end == WRAP_UNAVAILABLE)
        return TRIED_UNAVAILABLE;
    *ask->status = end == WRAP_FORBIDDEN ? exec_refused(x, ask->e) : WRIT_UNRECORDED;
    return end == WRAP_ENDED && exec_gather(x, ask->e) ? TRIED_ENDED : TRIED_NOTHING;
}
