/* SPDX-License-Identifier: Apache-2.0 */
/* result.h: what a plan's result is made of: trees of outputs and errors, and its text. */
#pragma once

#include "contract/result_doc.h"
#include "plan/steps.h"

/* {"steps":{"<step id>":output},"warnings":[ExecutionError],"retried_errors":[ExecutionError]}:
 * what completed steps gave, in the order of the plan; what only warns; and the errors of attempts
 * after which another completed the step. The last two are there where there are such errors. */
const struct doc *result_payload(const struct steps *s, struct arena *a);

/* All errors of the trace; the ids of the steps that failed, each once, in the order they did; the
 * ids of those that were not completed, in the order of the plan. */
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
