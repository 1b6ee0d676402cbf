/* SPDX-License-Identifier: Apache-2.0 */
/* equal.h: when two values are the same: 1 and 1.0 are, and maps in any order. */
#pragma once

#include "base/doc.h"
#include "base/work.h"

/* Equal values have equal hashes. */
uint64_t value_hash(const struct doc *d, struct work *w);

/* Where the work is over the answer is false. The arena holds sorted keys. */
bool value_same(const struct doc *x, const struct doc *y, struct arena *a, struct work *w);

static inline bool is_number(const struct doc *d)
{
    return d->kind == DOC_INT || d->kind == DOC_NUMBER;
}

/* Whole numbers of a document are at most 2^53, so a double holds them. */
static inline double number_of(const struct doc *d)
{
    return d->kind == DOC_INT ? (double)d->whole : d->number;
}
