/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h: the steps of a plan and what waits for what, drawn. */
#pragma once

#include "base/doc.h"

struct graph_step {
    struct str name, on_failure;
    const char *what;    /* "execute grep" */
    const size_t *after; /* places of the steps it waits for */
    size_t after_count;
};

struct graph {
    struct str name;
    const struct graph_step *steps;
    size_t n;
};

/* From a plan as writ_plan_show() answers it, which is right. */
struct graph graph_of(const struct doc *plan, struct arena *a);

/* In the languages of Graphviz and Mermaid, and as one JSON object; for people, a tree: below each
 * step those that wait for it last. */
void graph_dot(const struct graph *g, struct buf *to);
void graph_mermaid(const struct graph *g, struct buf *to);
void graph_json(const struct graph *g, struct buf *to);
void graph_show(const struct graph *g);
