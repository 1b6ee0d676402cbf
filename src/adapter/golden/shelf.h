/* SPDX-License-Identifier: Apache-2.0 */
/* shelf.h: the directory .writ/golden of a project, and the files in it.
 *
 * What a link leads to is not the project's: none is followed, neither to the directory nor to a
 * file.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"
#include "base/own.h"

struct shelf {
    int fd;           /* -1: there is none */
    const char *path; /* as people know it */
};

/* `make`: it is made where there is none. */
bool shelf_open(const char *project, bool make, struct arena *a, struct shelf *out,
                struct error *e) NODISCARD;
void shelf_close(struct shelf *f);

/* The names of its JSON files, in order: *n of them. */
bool shelf_names(const struct shelf *f, struct arena *a, const char ***out, size_t *n,
                 struct error *e) NODISCARD;

/* Opens one of them to read. The message leaves its name to the caller. */
bool shelf_file(const struct shelf *f, const char *name, int *fd, struct error *e) NODISCARD;

/* Writes one: there is the old one or the new one, whole, at every moment. */
bool shelf_write(const struct shelf *f, const char *name, struct str text,
                 struct error *e) NODISCARD;

#define _shelf_ _cleanup_(shelf_close)
