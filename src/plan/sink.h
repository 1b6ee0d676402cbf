/* SPDX-License-Identifier: Apache-2.0 */
/* sink.h: where the news of a plan goes. Best effort: it returns at once and cannot fail, so that
 * nothing about a plan can depend on who listens (contract 004, 5.0). */
#pragma once

#include "plan/hands.h"

enum news {
    NEWS_STEP_STARTED,
    NEWS_STEP_COMPLETED,
    NEWS_STEP_FAILED, /* an attempt; whether it is tried again the next news tells. Attempt 0: it is
                         not begun, because of what it depends on */
    NEWS_STEP_RETRIES, /* after wait_ms */
    NEWS_SUCCESS,      /* plan_execution_success, with the result */
    NEWS_PARTIAL,
    NEWS_FAILURE,
    NEWS_COUNT,
};

struct telling {
    enum news news;
    size_t step; /* its place in the plan */
    int64_t attempt;
    int64_t wait_ms;
    int64_t took_ms;             /* of an attempt that ended */
    enum severity severity;      /* of a failure */
    const struct ending *ending; /* of an attempt that ended */
    struct str result;           /* of a plan that ended: its PlanResult as JSON */
};

struct sink {
    void (*tell)(void *self, const struct telling *telling);
    void *self;
};

/* "step_started", .., "plan_execution_success", .. */
extern const char *const news_names[NEWS_COUNT];
