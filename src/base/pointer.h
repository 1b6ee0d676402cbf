/* SPDX-License-Identifier: Apache-2.0 */
/* pointer.h: JSON Pointer (RFC 6901): "/steps/0/a~1b" is the value a/b of the first of the steps.
 *
 * doc.h writes the pointer of a value; this reads one and goes where it says.
 */
#pragma once

#include "base/doc.h"
#include "base/work.h"

struct pointer {
    const struct str *names; /* ~1 and ~0 undone */
    size_t n;                /* 0: the whole document */
};

/* Refuses what is no pointer; the message quotes it. */
bool pointer_read(struct str text, struct arena *a, struct pointer *out, struct error *e) NODISCARD;

/* The value there. NULL: there is none, or the work is over. */
const struct doc *pointer_find(const struct pointer *p, const struct doc *d, struct work *w);

/* One name further: the member of that name, or the item of that number; NULL where there is none,
 * d has no children or the work is over. *before is the child before it, NULL for the first; where
 * there is none, the last child. */
struct doc *pointer_step(const struct doc *d, struct str name, struct doc **before, struct work *w);

/* The number of an item: digits without leading zeros, below 2^31. */
bool pointer_index(struct str name, uint32_t *out) NODISCARD;
