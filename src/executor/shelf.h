/* SPDX-License-Identifier: Apache-2.0 */
/* shelf.h: the executors there are: those that ship, and those a person had reviewed.
 *
 * A reviewed executor is a directory ID/VERSION with its manifest, its program and the id of the
 * ledger's entry that approved it. It is written once and never again.
 */
#pragma once

#include "executor/executor.h"

/* What is there and is not what was put there: it is not called. */
struct shelf_damage {
    const char *id, *version;
    const char *why;
};

struct executors {
    struct executor *v; /* by id, then by version, oldest first */
    size_t n, room;
    struct shelf_damage *damaged;
    size_t damages, damages_room;
};

/* Everything on the shelf; `dir` is NULL or not there: what ships. */
bool shelf_list(const char *dir, struct arena *a, struct executors *out, struct error *e) NODISCARD;

/* One of them, NULL: there is none; without a version the newest. What is damaged is an error, and
 * where no version was named one that may be newer, too. */
bool shelf_find(const char *dir, struct str id, struct str version, struct arena *a,
                const struct executor **out, struct error *e) NODISCARD;

/* What is put there: the manifest as shelf_manifest() writes it, and the files it was made for. */
struct shelving {
    const struct executor *executor;
    struct str manifest;
    struct str program;   /* the source, as it was reviewed */
    const char *object;   /* what it was compiled to; NULL: nothing */
    const char *approval; /* the ledger's entry */
};

/* The canonical manifest of a candidate. `object` is NULL where nothing was compiled. */
void shelf_manifest(const struct executor *x, const struct digest *program,
                    const struct digest *object, struct buf *to);

/* Puts it there, whole or not at all. */
bool shelf_put(const char *dir, const struct shelving *what, struct error *e) NODISCARD;
