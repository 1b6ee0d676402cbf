/* SPDX-License-Identifier: Apache-2.0 */
/* builtin.h: the executors that ship: pure functions in C, as rows. */
#pragma once

#include "base/work.h"
#include "contract/executor_doc.h"
#include "contract/shape.h"

struct builtin {
    const char *id, *version;
    const char *capabilities; /* upper case, sorted, between blanks; "" for none */
    struct executor_limits limits;
    const char *about;           /* one sentence */
    const struct shape *payload; /* what it is given; NULL: anything */
    const char *example_payload; /* JSON; run as a test, shown in the help */
    const char *example_output;  /* canonical JSON; NULL: none */

    /* Pure: *output is a tree in the arena (it may use the payload's values), NULL: none. False is
     * an exception, and so is a payload of another shape; e->msg is for the developer of a plan.
     * Where the work is over it is a timeout whatever is returned. */
    bool (*execute)(const struct doc *payload, struct work *work, struct arena *a,
                    const struct doc **output, struct error *e);
};

extern const struct builtin builtins[];
extern const size_t builtin_count;
extern const struct table builtins_table;

/* The row of that id, or NULL. */
const struct builtin *builtin_named(struct str id);
