/* SPDX-License-Identifier: Apache-2.0 */
/* review.h: the gate a new executor passes before it is on the shelf (contract 003, Seal).
 *
 * What a document can say is checked by its shape; here is what only the shelf and a trial know.
 */
#pragma once

#include "base/table.h"
#include "executor/executor.h"

enum review_check {
    REVIEW_ID,
    REVIEW_VERSION,
    REVIEW_CAPABILITIES,
    REVIEW_LIMITS,
    REVIEW_FIXTURES,
    REVIEW_OUTPUTS,
    REVIEW_SAME,
    REVIEW_COUNT,
};

struct review_row {
    const char *name, *req, *holds;
};

extern const struct review_row review_rows[REVIEW_COUNT];
extern const struct table review_table;

/* What one fixture came to, by digest. */
struct tried {
    struct str input_digest, output_digest; /* output: .s is NULL where there was none */
    enum action_status status;
    const char *detail;       /* where it did not succeed */
    struct str output, words; /* what it came to, for who adds it alone */
};

struct review {
    const struct executor *candidate;
    const struct fixture_doc *fixtures;
    size_t fixture_count;
    const char *shelf, *worker;
    const struct world *world;

    bool accepted;
    size_t checked;                   /* how many checks were made: the last one may have failed */
    const char *detail[REVIEW_COUNT]; /* of each check that was made */
    struct tried *tried;              /* of each fixture, once REVIEW_OUTPUTS was reached */
};

/* Makes the checks in order, up to the first that fails. False: they could not be made. */
bool review_run(struct review *r, struct arena *a, struct error *e) NODISCARD;
