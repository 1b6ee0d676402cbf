/* SPDX-License-Identifier: Apache-2.0 */
/* exec.c: the public function that runs one command. */
#include <writ/writ.h>

#include "base/json_write.h"
#include "contract/codes.h"
#include "contract/exits.h"
#include "engine/exec.h"
#include "engine/exec_pool.h"
#include "engine/given.h"
#include "engine/input.h"

_Static_assert((int)WRIT_NO_SANDBOX == STATUS_SANDBOX, "writ.h and exits.h differ");

/* It ran, and nobody reads in the ledger how that ended, or not all of it: he is told here. */
static void put_unrecorded_end(const struct exec *x, struct buf *out)
{
    json_put_outside(out, "execution_id", x->request.execution_id);
    json_put_int(out, "exit_code", x->outcome.exit_code);
    json_put(out, "cause", cause_names[x->outcome.cause]);
}

/* {"code":..,"message":..,"checks":{..}}: nothing ran, or it is not on record as it should be. */
static int refuse(struct exec *x, struct error *e, int status, char **answer)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };
    const char *unrecorded = exec_keep_refusal(x, e, status);

    if (e->code == CODE_PATH_REFUSED)
        x->admission.checks[CHECK_PATHS] = arena_printf(x->a, "refused: %s", e->msg);
    if (status == WRIT_UNRECORDED && !x->now.ran && !x->outcome.unseen && x->attempt <= 1)
        (void)error_wrap(e, "nothing ran");

    json_open(&out, '{');
    json_put(&out, "code", codes[e->code].name);
    json_put(&out, "message", e->msg);
    if (unrecorded)
        json_put(&out, "unrecorded", unrecorded);
    if (x->now.ran)
        put_unrecorded_end(x, &out);
    json_key(&out, "checks");
    json_open(&out, '{');
    for (enum check i = 0; i < CHECK_COUNT; i++) {
        if (x->admission.checks[i])
            json_put(&out, checks[i].id, x->admission.checks[i]);
    }
    json_close(&out, '}');
    json_close(&out, '}');
    return take_answer(&out, status, answer);
}

static bool is_given(const struct writ_command *command, char **answer, const bool *ran)
{
    return given(ran, "ran", answer) &&
           (command->request ? given_input(command->request, "request", answer)
                             : given(command->argv, "argv", answer) &&
                                   given(command->argv[0], "argv[0]", answer)) &&
           (!command->input || given_input(command->input, "input", answer));
}

int writ_exec(const struct writ_command *command, char **answer, bool *ran)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct exec x = { .command = command, .world = world_real(), .a = &a, .store = -1 };
    struct error e = { 0 };
    const char *kind;
    struct report r;
    int status;

    if (!is_given(command, answer, ran)) {
        if (ran)
            *ran = false;
        return WRIT_USAGE;
    }
    *ran = false;
    if (!given_here(answer))
        return WRIT_UNAVAILABLE;
    x.pool = exec_pool_enter();
    status = exec_run(&x, &r, &kind, ran, &e);
    if (*ran) {
        exec_record(&x, command->texts, &out);
        *ran = buf_ok(&out);
        status = take_answer(&out, status, answer);
    } else if (status == WRIT_WRONG) {
        status = input_wrong(&r, kind, answer);
    } else {
        status = refuse(&x, &e, status, answer);
    }
    exec_close(&x);
    exec_pool_leave(x.pool);
    return status;
}
