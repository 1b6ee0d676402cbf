/* SPDX-License-Identifier: Apache-2.0 */
/* serve_fickle.c: a service whose answers are not what an executor's should be; the payload names
 * the act. It stands in the place of wasm, in a writ-pure of its own. */
#include "executor/serve.h"

static bool fickle_open(const char *file, struct error *e)
{
    return *file || error_set(e, ERROR_IO, "a file has a name");
}

/* Where the loader put this program: another place in every process. */
static void say_place(struct buf *out)
{
    buf_addf(out, "\"%p\"", (const void *)&fickle_open);
}

/* How often it was called: what a worker remembers. */
static void say_count(struct buf *out)
{
    static int count;

    buf_addf(out, "%d", ++count);
}

static void say_garbage(struct buf *out)
{
    buf_adds(out, "{'status': SUCCESS}");
}

static void say_deep(struct buf *out)
{
    for (int i = 0; i < 1000; i++)
        buf_addc(out, '[');
    for (int i = 0; i < 1000; i++)
        buf_addc(out, ']');
}

static void say_same(struct buf *out)
{
    buf_adds(out, " [ 1.0 ] ");
}

static const struct {
    const char *payload;
    void (*say)(struct buf *out);
} acts[] = {
    { "\"place\"", say_place }, { "\"count\"", say_count }, { "\"garbage\"", say_garbage },
    { "\"deep\"", say_deep },   { "\"same\"", say_same },
};

static enum call_end fickle_call(struct str payload, struct buf *out)
{
    for (size_t i = 0; i < COUNT(acts); i++) {
        if (str_is(payload, acts[i].payload)) {
            acts[i].say(out);
            return CALL_OUTPUT;
        }
    }
    return CALL_NO_OUTPUT;
}

const struct service wasm_service = { .name = "wasm", .open = fickle_open, .call = fickle_call };
