/* SPDX-License-Identifier: Apache-2.0 */
/* deadline.h: which time is up first: an attempt's, the plan's or the context's.
 *
 * An attempt and the plan are measured on the monotonic clock from their start, the context's
 * deadline is a moment on the wall clock (A04-8). The wall clock may jump, so nobody waits longer
 * than DEADLINE_LOOK_MS without looking again.
 */
#pragma once

#include "base/world.h"
#include "contract/context_doc.h"

enum { DEADLINE_LOOK_MS = 1000 };
#define DEADLINE_NEVER INT64_MAX

/* Both clocks, read together. */
struct moment {
    int64_t mono_ms, wall_ms;
};

struct deadline {
    int64_t plan_mono_ms;    /* when the plan's timeout_ms is over */
    int64_t context_wall_ms; /* the context's deadline_ms */
};

static inline int64_t min_ms(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

struct moment moment_now(const struct world *w);

struct deadline deadline_from(const struct context_doc *context, const struct moment *start);

/* What is up first, and in how many milliseconds; 0 or less: it is up. */
struct due {
    enum code code; /* STEP_TIMEOUT, PLAN_TIMEOUT or DEADLINE_EXCEEDED */
    int64_t left_ms;
};

/* `step_mono_ms`: when the time of an attempt is over, or DEADLINE_NEVER. What ends the plan comes
 * before what ends an attempt (A04-30), and the plan's own time before the context's. */
struct due deadline_first(const struct deadline *d, const struct moment *now, int64_t step_mono_ms);
