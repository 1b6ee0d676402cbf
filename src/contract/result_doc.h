/* SPDX-License-Identifier: Apache-2.0 */
/* result_doc.h: how a plan ended, and the errors that say why (contract 004, section 3). */
#pragma once

#include "contract/context_doc.h"
#include "contract/shape.h"

enum plan_status { PLAN_SUCCESS, PLAN_PARTIAL, PLAN_FAILURE };

/* By enum plan_status, ended by NULL. */
extern const char *const plan_status_names[];

enum { ERROR_CODE_CHARS = 50, ERROR_MESSAGE_CHARS = 1000 };

struct error_doc {
    struct str error_code, message;
    struct str step_id; /* no text: the error is the plan's */
    int severity;       /* enum severity */
    bool recoverable;
    const struct error_doc *cause;
    const struct doc *context;
};

struct result_doc {
    struct str plan_id, execution_id;
    int status; /* enum plan_status */
    int64_t completed_at, duration_ms, steps_executed, steps_total;
    const struct doc *result_payload;
    const struct error_doc *error;
};

extern const struct shape result_shape, plan_error_shape;

/* What a result must say, given the context it was run in: the same plan, execution and number of
 * steps, and an end that is not before the start. `at` is the result's own document. */
void result_fits_context(const struct result_doc *result, const struct context_doc *context,
                         const struct doc *at, struct report *r);
