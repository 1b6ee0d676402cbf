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

/* What a caller says of a context: its environment, and of all else what it likes. */
struct setting_doc {
    struct context_doc context; /* without its plan */
    const struct doc *plan;     /* as it was written; NULL: none was */
};

extern const struct shape setting_shape;
