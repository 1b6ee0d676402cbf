/* SPDX-License-Identifier: Apache-2.0 */
/* plan_graph.h: the rules that reach across the steps of a plan, or of a template of one. */
#pragma once

#include "contract/shape.h"

/* How the steps of a kind of document name each other. */
struct graph_words {
    const char *document;   /* "plan" */
    const char *id, *edges; /* the fields: "id", "depends_on" */
    bool by_name;           /* ids are words people chose: messages use them, and case counts */
    size_t step_size;       /* of a decoded step */
    size_t id_at, edges_at; /* of its struct str and its struct items of struct str */
};

void graph_unique(const struct graph_words *words, const struct doc *d, const struct items *steps,
                  struct report *r);
void graph_known(const struct graph_words *words, const struct doc *d, const struct items *steps,
                 struct report *r);
void graph_acyclic(const struct graph_words *words, const struct doc *d, const struct items *steps,
                   struct report *r);

/* Each is a rule of plan_shape. */
void plan_ids_unique(const struct doc *d, const void *decoded, struct report *r);
void plan_dependencies_known(const struct doc *d, const void *decoded, struct report *r);
void plan_acyclic(const struct doc *d, const void *decoded, struct report *r);
void plan_retry_codes(const struct doc *d, const void *decoded, struct report *r);

/* Warns of codes in a retry policy (NULL: none) that are never tried again. */
struct retry_doc;
void retry_codes(const struct doc *policy, const struct retry_doc *decoded, struct report *r);
