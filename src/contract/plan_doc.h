/* SPDX-License-Identifier: Apache-2.0 */
/* plan_doc.h: a plan, its steps and its retry policy (contract 004, section 1). */
#pragma once

#include "contract/shape.h"

enum on_failure { ON_FAILURE_HALT, ON_FAILURE_SKIP, ON_FAILURE_RETRY };

/* By enum on_failure, ended by NULL. */
extern const char *const on_failure_names[];

enum { PLAN_STEPS_MAX = 1024, PLAN_NAME_MAX = 255, STEP_ACTION_MAX = 100 };

struct retry_doc {
    int64_t max_attempts, backoff_ms, max_backoff_ms;
    double backoff_multiplier;
    struct items retryable_error_codes; /* of struct str */
};

struct step_doc {
    struct str id, action;
    const struct doc *payload;
    struct items depends_on; /* of struct str */
    int on_failure;          /* enum on_failure */
    int64_t timeout_ms;      /* 0: the plan's */
};

struct plan_doc {
    struct str id, name;
    int64_t version, created_at, priority, timeout_ms;
    int64_t estimated_duration_ms;     /* -1: none given */
    struct items steps;                /* of struct step_doc */
    struct items context_requirements; /* of struct str */
    struct items tags;                 /* of struct str */
    const struct retry_doc *retry_policy;
    const struct doc *metadata;
};

extern const struct shape plan_shape, retry_shape;

/* How long an attempt at a step may take, whenever it begins: as the step says, and no longer than
 * the plan (A04-30). */
static inline int64_t step_time(const struct plan_doc *plan, const struct step_doc *step)
{
    return step->timeout_ms && step->timeout_ms < plan->timeout_ms ? step->timeout_ms
                                                                   : plan->timeout_ms;
}
