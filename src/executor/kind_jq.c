/* SPDX-License-Identifier: Apache-2.0 */
/* kind_jq.c: executors that are jq programs. */
#include "executor/pure.h"

static bool start(const struct call_program *program, struct arena *a, void **self, struct error *e)
{
    struct pure *pure;

    if (!pure_start("jq", program, a, &pure, e))
        return false;
    *self = pure;
    return true;
}

static void calls(void *self, struct call *list, size_t n, struct arena *a)
{
    pure_calls(self, list, n, a);
}

static void stop(void *self)
{
    pure_stop(self);
}

const struct kind jq_kind = { .name = "jq", .start = start, .calls = calls, .stop = stop };
