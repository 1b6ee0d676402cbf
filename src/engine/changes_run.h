/* SPDX-License-Identifier: Apache-2.0 */
/* changes_run.h: a run that wrote beside the disk, as the ledger knows it, and what is entered
 * about it.
 */
#pragma once

#include "engine/changes.h"
#include "engine/keeping.h"
#include "engine/record.h"

struct cow_run {
    struct str id;
    struct uuid manifest; /* the entry with its record */
    const struct doc *record;
    struct change_set set;
    bool discarded;
    const char *last; /* what was done with its changes at last: "commit", "undo", ..; or NULL */
};

/* The whole id of a run that is named by its beginning. WRIT_OK, or the status with its answer. */
int cow_run_name(struct writ_ledger *w, const char *asked, struct arena *a, struct str *id,
                 char **answer);

/* Its record, held against its leaf in the ledger, and what became of its changes. */
bool cow_run_read(struct writ_ledger *w, struct str id, struct arena *a, struct cow_run *out,
                  struct error *e) NODISCARD;

/* Has an execution begun and not ended? Then *since_ms is what its events say of when, else 0. */
bool cow_run_is_open(struct writ_ledger *w, const char *execution, int64_t *since_ms,
                     struct error *e) NODISCARD;

/* ---- what is done with its changes is an execution of its own ---- */

struct cow_deed {
    const struct cow_run *run;
    const char *verb; /* "commit", "undo", "discard" */
    const char *execution;
    struct str paths;    /* a JSON list */
    const char *instead; /* an execution that was cut short, which this one goes on with; or NULL */
    int64_t instead_ms;  /* as cow_run_is_open() found it */
    struct keeping *keeping;
    struct uuid entries[6];
    size_t entry_count;
    int64_t snapshot_ms;
    struct arena *a;
};

/* Enters that it is about to be done, durably. */
bool cow_deed_announce(struct cow_deed *d, struct error *e) NODISCARD;

/* Enters what came of it, durably; `why` is NULL where all went well. */
bool cow_deed_conclude(struct cow_deed *d, const struct error *why, struct error *e) NODISCARD;

/* Keeps among the rejects that it was refused. */
bool cow_deed_reject(struct cow_deed *d, enum code code, const char *message,
                     struct error *e) NODISCARD;
