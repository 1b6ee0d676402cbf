/* SPDX-License-Identifier: Apache-2.0 */
/* kind_pure.c: executors that are jq programs or compiled WebAssembly: both run in a worker. */
#include "executor/pure.h"

static bool start(const char *kind, const struct call_program *program, struct arena *a,
                  void **self, struct error *e)
{
    struct pure *pure;

    if (!pure_start(kind, program, a, &pure, e))
        return false;
    *self = pure;
    return true;
}

static bool start_jq(const struct call_program *program, struct arena *a, void **self,
                     struct error *e)
{
    return start("jq", program, a, self, e);
}

static bool start_wasm(const struct call_program *program, struct arena *a, void **self,
                       struct error *e)
{
    return start("wasm", program, a, self, e);
}

static void calls(void *self, struct call *list, size_t n, struct arena *a)
{
    pure_calls(self, list, n, a);
}

static void stop(void *self)
{
    pure_stop(self);
}

const struct kind jq_kind = { .name = "jq", .start = start_jq, .calls = calls, .stop = stop };
const struct kind wasm_kind = { .name = "wasm", .start = start_wasm, .calls = calls, .stop = stop };
