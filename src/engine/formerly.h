/* SPDX-License-Identifier: Apache-2.0 */
/* formerly.h: which ledger was at this place when a checkpoint was last made here.
 *
 * A ledger has its name inside, where whoever may write to it can change it; what is kept in the
 * state directory is found by that name. So the state directory also keeps, by the place, which
 * name was found there: checkpoints/at-<digest of the place>.
 */
#pragma once

#include "engine/record.h"

struct formerly {
    const char *name;  /* of the ledger that was here; NULL: none is known, or it is this one */
    const char *files; /* that say so, as a person reads it */
};

/* Is another ledger known at the place of this one, which calls itself `name`? False: what is kept
 * about it cannot be read. */
bool formerly_known(const struct writ_ledger *w, const char *name, struct arena *a,
                    struct formerly *out, struct error *e) NODISCARD;

/* Says that, and what to do about it. */
const char *formerly_said(const struct formerly *f, const char *name, struct arena *a);

/* Keeps that the ledger here is this one. */
bool formerly_keep(const struct writ_ledger *w, const char *name, struct arena *a,
                   struct error *e) NODISCARD;
