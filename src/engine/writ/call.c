/* SPDX-License-Identifier: Apache-2.0 */
/* call.c: the public function that calls an operation of an adapter. */
#include <writ/adapters.h>

#include "engine/call.h"
#include "engine/given.h"
#include "engine/input.h"

int writ_call(const struct writ_call *call, char **answer)
{
    _arena_ struct arena a = { 0 };
    _toolbox_ struct toolbox box = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct tool_call c = { .box = &box, .ask = call, .world = world_real(), .a = &a };
    int status;

    if (!given(call->adapter, "adapter", answer) ||
        (call->params && !given_input(call->params, "params", answer)) ||
        !given_ledger(call->ledger, call->environment, answer))
        return WRIT_USAGE;
    if (!given_here(answer))
        return WRIT_UNAVAILABLE;
    toolbox_open(&box, call->environment, c.world);
    status = call_run(&c);
    if (status == WRIT_WRONG && c.kind)
        return input_wrong(&c.report, c.kind, answer);
    call_answer(&c, status, &out);
    status = take_answer(&out, status, answer);
    if (c.adapter && c.adapter->doc.secrets.n)
        arena_wipe(&a); /* headers and variables are made of them */
    return status;
}
