/* SPDX-License-Identifier: Apache-2.0 */
/* doc_same.h: do two values say the same: 1 is 1.0, and a map has no order. */
#pragma once

#include "base/doc.h"
#include "base/shortest.h"
#include "base/work.h"

/* The arena is for scratch. Where the work is over the answer is false and w->over tells. */
bool doc_same(const struct doc *a, const struct doc *b, struct work *w, struct arena *scratch);

/* A number that values which are the same have in common; others hardly ever. */
uint64_t doc_hash(const struct doc *d, struct work *w);

/* Are they numbers, and in which order: -1, 0 or 1; both must be DOC_INT or DOC_NUMBER. */
bool doc_is_number(const struct doc *d);
int doc_number_cmp(const struct doc *a, const struct doc *b);

/* A number as it was written, or as the shortest that means the same, which `room` is for. */
struct str doc_digits(const struct doc *d, char room[SHORTEST_MAX]);

/* The members of two maps by name, each name once, in the order of key_cmp(). */
struct doc_pairs {
    const struct doc **a, **b;
    uint32_t a_left, b_left;
};

/* False: the work is over. */
bool doc_pairs_begin(struct doc_pairs *p, const struct doc *a, const struct doc *b, struct work *w,
                     struct arena *scratch) NODISCARD;

/* The next name: its members, NULL in the map that has none. False: there is no further name. */
bool doc_pairs_next(struct doc_pairs *p, const struct doc **a, const struct doc **b);
