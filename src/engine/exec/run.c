/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: one command from its request to its end: a run of its own, a step, a call, an errand. */
#include "engine/exec.h"

#include <unistd.h>

#include "base/cancel.h"
#include "contract/codes.h"
#include "contract/exits.h"
#include "engine/exec_network.h"
#include "engine/exec_secrets.h"
#include "engine/home.h"

const char *exec_keep_refusal(struct exec *x, const struct error *why, int status)
{
    struct error e = { 0 };

    if ((status != WRIT_REFUSED && status != WRIT_NO_SANDBOX) || x->unsafe || x->recording ||
        exec_reject(x, why, &e))
        return NULL;
    return arena_text(x->a, str_of(e.msg));
}

bool exec_end_lost(const struct exec *x, struct error *e)
{
    bool started = x->outcome.cause != CAUSE_EXEC_FAILED && x->outcome.cause != CAUSE_SANDBOX_ERROR;

    return error_wrap(e, "it %s (exit %d), but its end could not be recorded",
                      started ? "ran" : "could not be started", x->outcome.exit_code);
}

int exec_refused(const struct exec *x, const struct error *e)
{
    return x->unrecorded || x->outcome.unseen ? WRIT_UNRECORDED
           : e->code == CODE_EXECUTION_USED   ? WRIT_REFUSED
           : e->code == CODE_PATH_CHANGED     ? WRIT_REFUSED
                                              : WRIT_NO_SANDBOX;
}

bool exec_permit(void *exec, struct error *e)
{
    struct exec *x = exec;

    /* Its own are made: with ours open nobody would hear that it has closed them. */
    for (int i = 0; i < 2 && x->wires; i++)
        own_close(&x->wires[i]);
    if (x->served)
        return x->served->permit(x->served->self, e);
    if (!exec_announce(x, e))
        return false;
    if (x->lane)
        exec_lane_starts(x);
    return true;
}

struct kept *exec_kept(const struct exec *x)
{
    return x->step ? x->step->kept : x->served ? x->served->kept : x->pool;
}

static bool run(struct exec *x, struct error *e)
{
    struct run run = { .program = &x->program,
                       .grants = &x->reach.grants,
                       .absent = &x->reach.absent,
                       .state = home_state(x->command->environment, x->a),
                       .cwd = x->reach.cwd,
                       .owner = x->reach.owner,
                       .group = x->reach.group,
                       .argv = x->argv,
                       .env = x->env,
                       .input = x->input,
                       .result = x->result,
                       .wired = x->wires != NULL,
                       .wires = { x->wires ? x->wires[0] : -1, x->wires ? x->wires[1] : -1 },
                       .gate = exec_gate(x),
                       .held = exec_held(x),
                       .limits = x->request.sandbox,
                       .weak = x->weak,
                       .live = { x->command->live[0], x->command->live[1] },
                       .cancel = x->cancel,
                       .patient = x->served != NULL,
                       .at_once = x->step && !x->wires, /* a server outlives the step */
                       .pace = exec_pace(x),
                       .kept = exec_kept(x),
                       .permit = exec_permit,
                       .permit_self = x };

    cow_close(&x->outcome.cow); /* of an attempt before, as what was watched */
    exec_unwatch(x);
    if (!x->served)
        exec_open_ledger(x);
    if (x->program.missing) {
        x->outcome = outcome_not_started(x->program.missing);
        return exec_permit(x, e);
    }
    if (x->waited_for == CAUSE_EXITED && cancel_asked(x->cancel)) /* while it was admitted */
        x->waited_for = CAUSE_CANCELLED;
    if (x->waited_for != CAUSE_EXITED) {
        x->outcome = outcome_waited(x->waited_for, x->waited_ms);
        return exec_permit(x, e);
    }
    if (!exec_watch(x, e)) {
        x->unrecorded = true;
        return false;
    }
    return sandbox_run(&run, x->world, x->a, &x->outcome, e);
}

/* In the state directory, which no command sees. Another may be in reach of the command, and is not
 * touched before that is known. */
static bool ledger_is_ours(const struct exec *x)
{
    const char *named = home_variable(x->command->environment, "WRIT_LEDGER");

    return !x->served && !x->command->ledger && !(named && *named);
}

int exec_prepare(struct exec *x, struct report *r, const char **kind, struct error *e)
{
    if (!exec_open_store(x, e))
        return WRIT_UNRECORDED;
    if (ledger_is_ours(x))
        exec_open_ledger(x);
    if (!exec_see(x, e))
        return exec_not_admitted(x, r, kind, e);
    *kind = "registry";
    if (!exec_registry(x, r))
        return WRIT_WRONG;
    return exec_admit(x, e) ? WRIT_OK : exec_not_admitted(x, r, kind, e);
}

/* What a service or server does for us: admitted by the registry, recorded as a command is. */
static int try_peer(struct exec *x, struct error *e)
{
    const struct items *given = &x->request.inputs->arguments;
    const struct str *words = given->v;

    x->argv = arena_alloc(x->a, (given->n + 2) * sizeof *x->argv);
    x->argv[0] = arena_text(x->a, x->request.inputs->command);
    for (size_t i = 0; i < given->n; i++)
        x->argv[i + 1] = arena_text(x->a, words[i]);
    for (enum check i = 0; i < CHECK_COUNT; i++)
        x->admission.checks[i] = i == CHECK_COMMAND ? x->call->allowed : "ok";
    if (!exec_open_store(x, e))
        return WRIT_UNRECORDED;
    exec_open_ledger(x);
    if (!exec_permit(x, e))
        return exec_refused(x, e);
    x->call->peer(x->call->self, x);
    x->now.ran = true;
    if (x->call->clean)
        x->call->clean(x->call->self, x);
    return exec_gather(x, e) ? WRIT_OK : WRIT_UNRECORDED;
}

/* Who waited for it in vain then stopped it, or let go of it: what ended it is its time, and nobody
 * asked for that. As with every timeout, what it would have ended with does not count. */
static void judge_deaf(struct exec *x)
{
    static const struct failing unheard = { CODE_COMMAND_TIMEOUT, true,
                                            "it did not answer in time and was stopped" };
    struct outcome *o = &x->outcome;

    if (!x->deaf || !*x->deaf ||
        (o->cause != CAUSE_CANCELLED && (o->cause != CAUSE_EXITED || o->exit_code != 0)))
        return;
    o->cause = CAUSE_TIMEOUT;
    o->exit_code = EXIT_TIMEOUT;
    x->now.failing = &unheard;
}

static int try_command(struct exec *x, struct report *r, const char **kind, struct error *e)
{
    struct error lost;
    bool ran;
    int status = exec_prepare(x, r, kind, e);

    if (status != WRIT_OK)
        return status;
    if (x->served && !x->served->ready(x->served->self, e))
        return WRIT_REFUSED;
    ran = run(x, e);
    if (x->left)
        *x->left = true;
    exec_clean_secrets(x);
    if (!ran) {
        status = exec_refused(x, e);
        if (!x->recording || x->lane || x->outcome.unseen ||
            exec_conclude(x, e, &lost)) /* a lane has more to tell */
            return status;
        *e = lost;
        return WRIT_UNRECORDED;
    }
    x->now.ran = true;
    judge_deaf(x);
    if (x->call && x->call->clean)
        x->call->clean(x->call->self, x);
    return exec_gather(x, e) ? WRIT_OK : WRIT_UNRECORDED;
}

int exec_try(struct exec *x, struct report *r, const char **kind, struct error *e)
{
    int status;

    if (x->call && x->call->peer)
        return try_peer(x, e);
    status = try_command(x, r, kind, e);
    exec_drop_copies(x);
    exec_forget_secrets(x);
    return status;
}

int exec_run(struct exec *x, struct report *r, const char **kind, bool *ran, struct error *e)
{
    struct error lost;
    int status;

    *ran = false;
    *kind = "request";
    x->cancel = x->command->cancel;
    x->attempt = 1;
    if (!exec_read(x, r))
        return WRIT_WRONG;
    if (x->request.route && !x->served)
        return exec_lane_run(x, r, kind, ran, e);
    status = exec_try(x, r, kind, e);
    if (status != WRIT_OK && !x->now.unkept)
        return status;
    if (!x->served && !exec_conclude(x, NULL, &lost)) {
        *e = lost;
        (void)exec_end_lost(x, e);
        return WRIT_UNRECORDED;
    }
    if (status != WRIT_OK && !x->served) /* whom we serve reads it in the record */
        return status;
    *ran = true;
    return x->outcome.exit_code;
}

void exec_close(struct exec *x)
{
    exec_drop_copies(x);
    exec_forget_secrets(x);
    exec_unwatch(x);
    if (x->store >= 0)
        (void)close(x->store);
    cow_close(&x->outcome.cow);
    exec_close_ledger(x);
    exec_lane_close(x);
}
