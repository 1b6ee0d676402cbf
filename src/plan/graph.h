/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h: which step waits for which, and whose turn it is.
 *
 * A step's turn comes when all it depends on has ended, well or not; among those whose turn it is,
 * the smallest place in the list goes first (A04-7). Every edge is looked at once.
 */
#pragma once

#include "contract/plan_doc.h"

/* What of a step's dependencies was not completed: a place in the plan, or one of these. */
enum { GRAPH_ALL_MET = UINT32_MAX, GRAPH_UNKNOWN = UINT32_MAX - 1 };

struct graph {
    size_t steps;
    uint32_t *waits; /* dependencies of each step that have not ended */
    uint32_t *unmet; /* the first of them that was not completed */
    uint32_t *begin; /* of each step: where in `after` those begin that wait for it; steps + 1 */
    uint32_t *after;
    uint64_t *ready; /* a bit for each step whose turn has come */
    size_t low;      /* no word of `ready` before it has a bit */
};

struct graph graph_build(const struct plan_doc *plan, struct arena *a);

/* Takes the first of those whose turn it is; false: there is none. */
bool graph_next(struct graph *g, size_t *step) NODISCARD;

/* A step has ended: those that waited for it alone have their turn. */
void graph_end(struct graph *g, size_t step, bool completed);
