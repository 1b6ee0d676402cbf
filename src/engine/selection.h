/* SPDX-License-Identifier: Apache-2.0 */
/* selection.h: which entries a caller wants, from the JSON of a query. */
#pragma once

#include "ledger/search.h"

struct selection {
    struct query query;
    struct str execution; /* its id, or the beginning of ids: what there is decides */
    int64_t limit;        /* the newest so many; 0: all */
    bool live;            /* only what runs now */
};

/* NULL: everything. */
bool selection_read(const char *json, struct arena *a, struct selection *out,
                    struct error *e) NODISCARD;

/* Finds out which executions are meant, and asks for those. A whole id wins over one that only
 * begins with it. Between look and look_end. */
bool selection_settle(struct selection *s, struct ledger *l, struct error *e) NODISCARD;
