/* SPDX-License-Identifier: Apache-2.0 */
/* selection.h: which entries a caller wants, from the JSON of a query. */
#pragma once

#include "ledger/search.h"

struct selection {
    struct query query;
    int64_t limit; /* the newest so many; 0: all */
};

/* NULL: everything. */
bool selection_read(const char *json, struct arena *a, struct selection *out,
                    struct error *e) NODISCARD;
