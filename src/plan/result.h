/* SPDX-License-Identifier: Apache-2.0 */
/* result.h: what a plan's result is made of: trees of outputs and errors, and its text. */
#pragma once

#include "contract/result_doc.h"
#include "plan/steps.h"

/* {"steps":{"<step id>":output},"warnings":[ExecutionError]}: of completed steps alone, in the
 * order of the plan; without warnings where there are none. */
const struct doc *result_payload(const struct steps *s, struct arena *a);

/* All errors of the trace; the ids of the steps that failed, in the order they did; the ids of
 * those that were not completed, in the order of the plan. */
const struct doc *result_errors(const struct trace *t, struct arena *a);
const struct doc *result_failed(const struct trace *t, struct arena *a);
const struct doc *result_incomplete(const struct steps *s, struct arena *a);

/* The context of a plan's error: what the error itself has, and these three. */
struct findings {
    const struct doc *errors, *failed, *incomplete;
};

const struct doc *result_context(const struct doc *own, const struct findings *findings,
                                 struct arena *a);

/* The result as JSON, members in the order of the contract. */
bool result_text(const struct result_doc *result, struct arena *a, struct str *out,
                 struct error *e) NODISCARD;
