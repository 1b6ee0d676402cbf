/* SPDX-License-Identifier: Apache-2.0 */
/* builtin_run.c: what the builtin executors share. */
#include "executor/builtin_run.h"

bool payload_read(const struct shape *shape, const struct doc *payload, struct arena *a, void *out,
                  struct error *e)
{
    struct report r = report_new(a, "payload", (struct str){ 0 });

    if (shape_decode(shape, payload, &r, out))
        return true;
    report_finish(&r);
    return error_set(e, CODE_EXECUTOR_EXCEPTION, "%s%s%s", r.first->pointer,
                     r.first->pointer[0] ? ": " : "", r.first->msg);
}

bool work_is_over(struct error *e)
{
    return error_set(e, CODE_EXECUTOR_TIMEOUT, "the work of a call is used up");
}

/* No output, whatever it is given. */
bool noop_run(const struct doc *payload, struct work *work, struct arena *a,
              const struct doc **output, struct error *e)
{
    (void)payload;
    (void)work;
    (void)a;
    (void)e;
    *output = NULL;
    return true;
}
