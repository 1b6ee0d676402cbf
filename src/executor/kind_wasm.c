/* SPDX-License-Identifier: Apache-2.0 */
/* kind_wasm.c: executors that are WebAssembly, compiled before. */
#include "executor/pure.h"

static bool start(const struct call_program *program, struct arena *a, void **self, struct error *e)
{
    struct pure *pure;

    if (!pure_start("wasm", program, a, &pure, e))
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

const struct kind wasm_kind = { .name = "wasm", .start = start, .calls = calls, .stop = stop };
