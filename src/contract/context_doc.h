/* SPDX-License-Identifier: Apache-2.0 */
/* context_doc.h: the context a plan is run in: when, until when, with what (contract 004). */
#pragma once

#include "contract/plan_doc.h"
#include "contract/shape.h"

struct context_doc {
    const struct plan_doc *plan;
    struct str execution_id;
    int64_t started_at, deadline_ms;
    const struct doc *environment;
    struct str parent_execution_id, user_id, request_id;
    struct items correlation_context; /* of struct pair */
};

extern const struct shape context_shape;

/* What a caller says of a context: all but the plan and when it starts. Decodes to a struct
 * context_doc. */
extern const struct shape setting_shape;
