/* SPDX-License-Identifier: Apache-2.0 */
/* serve_wasm.c: calls a compiled wasm executor, in a worker. */
#include <dlfcn.h>
#include <sys/resource.h>

#include "base/utf8.h"
#include "executor/serve.h"
#include "executor/wasm_abi.h"

enum { STACK_BYTES = 8 << 20 }; /* WASM_DEPTH calls of WASM_FRAME bytes, and the worker itself */

_Static_assert((int64_t)WASM_DEPTH *(WASM_FRAME + 8 * WASM_VALUES) < STACK_BYTES - (1 << 20),
               "the deepest calls fit on the stack");

static const struct wasm_executor *executor;

/* The deepest call must meet the counter, not the end of the stack. */
static bool make_stack(struct error *e)
{
    struct rlimit stack;

    if (getrlimit(RLIMIT_STACK, &stack) != 0)
        return error_sys(e, ERROR_IO, "the limit of the stack cannot be read");
    if (stack.rlim_cur >= STACK_BYTES)
        return true;
    stack.rlim_cur = STACK_BYTES;
    if (setrlimit(RLIMIT_STACK, &stack) != 0)
        return error_sys(e, ERROR_IO, "a worker needs %d bytes of stack", STACK_BYTES);
    return true;
}

static bool wasm_open(const char *file, struct error *e)
{
    void *object = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    if (!object)
        return error_set(e, ERROR_IO, "the compiled executor cannot be loaded: %s", dlerror());
    executor = dlsym(object, WASM_SYMBOL);
    if (!executor || executor->abi != WASM_ABI)
        return error_set(e, ERROR_IO, "%s: is no executor compiled by this writ", file);
    return make_stack(e);
}

static bool wasm_ready(struct error *e)
{
    return executor->reserve() ||
           error_sys(e, ERROR_IO, "the memory that the executor may use is more than a worker has");
}

/* What is no UTF-8 is no JSON; the rest of JSON is for those who read it. */
static enum call_end take_output(struct str output, struct buf *out)
{
    if (output.n == 0)
        return CALL_EXCEPTION;
    if (output.n > out->max)
        return CALL_LIMIT;
    if (utf8_valid(output) != output.n)
        return CALL_EXCEPTION;
    buf_add(out, output.s, output.n);
    return buf_ok(out) ? CALL_OUTPUT : CALL_LIMIT;
}

static enum call_end wasm_call(struct str payload, struct buf *out)
{
    enum call_end end = CALL_EXCEPTION;
    const void *output = NULL;
    uint32_t size = 0;

    if (payload.n > INT32_MAX)
        return CALL_EXCEPTION;
    switch (executor->call(payload.s, (uint32_t)payload.n, &output, &size)) {
    case WASM_OUTPUT: end = take_output((struct str){ output, size }, out); break;
    case WASM_NOTHING: end = CALL_NO_OUTPUT; break;
    case WASM_EXCEPTION: break;
    }
    executor->forget();
    return end;
}

const struct service wasm_service = { "wasm", wasm_open, wasm_ready, wasm_call };
