/* SPDX-License-Identifier: Apache-2.0 */
/* plan_read.h: a plan from the document of a caller, whether it is one or a template of one. */
#pragma once

#include <writ/writ.h>

#include "base/report.h"
#include "base/world.h"
#include "contract/plan_doc.h"

struct plan_read {
    struct plan_doc plan;
    struct str text;                 /* the plan as it is run and recorded: canonical JSON */
    const struct document *document; /* as it was written */
    bool template;                   /* it was one: its ids are new */
    const char **names;              /* plan_step_names() */
};

/* By their place; the beginning of the id where metadata.writ.names has none. */
const char **plan_step_names(const struct plan_doc *plan, struct arena *a);

/* What the request of a step says that it is for. */
const char *step_purpose(const char *name, struct str plan, struct arena *a);

/* An id as it is compared and recorded: a UUID is the same in upper case. */
struct str id_text(struct str id, struct arena *a);

/* Decodes out->document as what it is meant to be, by plan_shape or template_shape. False: it is
 * wrong; what could be decoded is there all the same, of a template template_actions(). */
bool plan_decode(const struct shape *shape, const struct world *world, struct arena *a,
                 struct plan_read *out, struct report *r) NODISCARD;

/* False: the document is wrong, and the report says how; it is the caller's to finish. What could
 * be decoded is there all the same: plan.id.s is NULL where it is not a UUID v4, document is NULL
 * where there is none. */
bool plan_read(const struct writ_input *input, const struct world *world, struct arena *a,
               struct plan_read *out, struct report *r) NODISCARD;
