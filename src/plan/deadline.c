/* SPDX-License-Identifier: Apache-2.0 */
/* deadline.c: which time is up first: an attempt's, the plan's or the context's. */
#include "plan/deadline.h"

struct moment moment_now(const struct world *w)
{
    return (struct moment){ w->mono_ms(w->self), w->wall_ms(w->self) };
}

struct deadline deadline_from(const struct context_doc *context, const struct moment *start)
{
    return (struct deadline){ start->mono_ms + context->plan->timeout_ms, context->deadline_ms };
}

struct due deadline_first(const struct deadline *d, const struct moment *now, int64_t step_mono_ms)
{
    struct due first = { CODE_PLAN_TIMEOUT, d->plan_mono_ms - now->mono_ms };
    int64_t context_ms = d->context_wall_ms - now->wall_ms;

    if (context_ms < first.left_ms)
        first = (struct due){ CODE_DEADLINE_EXCEEDED, context_ms };
    if (step_mono_ms - now->mono_ms < first.left_ms)
        first = (struct due){ CODE_STEP_TIMEOUT, step_mono_ms - now->mono_ms };
    return first;
}
