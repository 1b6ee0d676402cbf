/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h: the errors of an execution, in the order they happened, and as trees.
 *
 * Every attempt at a step that failed has its error here. Where a later attempt completed the step
 * the errors before it are overcome: they stay in the trace, and are not why a plan did not
 * succeed.
 */
#pragma once

#include "base/doc_make.h"
#include "contract/plan_doc.h"
#include "contract/result_doc.h"

struct traced {
    const struct error_doc *error;
    bool overcome;
};

struct trace {
    struct traced *v;
    size_t n, room;
};

/* A plan that has more errors fails: its result would be larger than one may be. */
enum { TRACE_MAX = 50000 };

/* What an error is made of. */
struct fault {
    enum code code;
    enum severity severity;
    const char *message;           /* NULL: what the code means */
    struct str step_id;            /* .s is NULL: the plan as a whole */
    const struct doc *context;     /* a map; anything else: {} */
    const struct error_doc *cause; /* or NULL */
};

/* A message is cut to what the contract allows and made UTF-8; `recoverable` follows from the
 * severity (A04-20). */
const struct error_doc *error_make(const struct fault *fault, struct arena *a)
    __attribute__((returns_nonnull));

void trace_add(struct trace *t, const struct error_doc *error, struct arena *a);

/* Takes it out again. */
void trace_remove(struct trace *t, const struct error_doc *error);

/* The step with that id is completed: its errors from the place `first` on are overcome. */
void trace_overcome(struct trace *t, size_t first, struct str step_id);

/* Puts it in the order in which steps come when they come one at a time, and what is the plan's
 * last: with several jobs a result differs only in times (A04-7). `order` is plan_order()'s. */
void trace_order(struct trace *t, const struct plan_doc *plan, const size_t *order,
                 struct arena *a);

/* The first of that severity that was not overcome, or NULL. */
const struct error_doc *trace_first(const struct trace *t, enum severity severity);

/* Gives `to`, which is null, the value of `from`. What is inside is shared, not copied. */
void tree_share(struct doc *to, const struct doc *from);

/* Makes a map of `to`, with the error's members in the order of the contract. */
void error_tree(const struct error_doc *error, struct doc *to, struct arena *a);
