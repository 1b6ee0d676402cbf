/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.h: every kind of document writ knows, and how one is recognised. */
#pragma once

#include "base/table.h"
#include "contract/shape.h"

enum { KIND_MARKS = 8, KINDS_MAX = 32 };

struct kind_row {
    const char *name;     /* as in `writ check --as NAME` */
    const char *contract; /* "004" */
    const char *meaning;
    const char *marks[KIND_MARKS]; /* keys that only this kind has together */
    const struct shape *shape;
    size_t least; /* so many of the marks are enough: who left one out is told which; 0: all */
};

extern const struct kind_row kinds[];
extern const size_t kind_count;
extern const struct table kinds_table;

/* The kind of that name, or the first whose marks are there; NULL when there is none. */
const struct kind_row *kind_named(struct str name);
const struct kind_row *kind_of(const struct doc *d);

/* Checks a document as the kind; the decoded struct is thrown away. */
bool kind_check(const struct kind_row *kind, const struct doc *d, struct report *r);
