/* SPDX-License-Identifier: Apache-2.0 */
/* cow.h: what a run wrote beside the disk, read when its tree is dead.
 *
 * In write mode cow every writable tree is covered by a layer in memory: the command reads what is
 * on the disk, and what it writes, renames and removes stays in the layer. Afterwards the layer is
 * read: each change with what was there before, and the bytes of files into the store of evidence.
 */
#pragma once

#include "base/digest.h"
#include "base/error.h"
#include "base/mem.h"

enum { COW_MAX = 16 }; /* writable trees of one run */

/* A writable tree and what lies over it; open from when it was mounted until cow_close(). */
struct cow_layer {
    const char *root; /* on the host */
    int upper;        /* what was written */
    int merged;       /* the tree as the command saw it */
};

struct cow_layers {
    struct cow_layer v[COW_MAX];
    size_t n;
};

enum change { CHANGE_ADDED, CHANGE_CHANGED, CHANGE_DELETED };
enum change_kind { CHANGE_FILE, CHANGE_DIRECTORY, CHANGE_LINK, CHANGE_OTHER };

extern const char *const change_names[], *const change_kind_names[];

/* What is at a path. */
struct change_side {
    bool there;
    enum change_kind kind;
    mode_t mode; /* the permissions alone */
    int64_t bytes;
    struct digest digest; /* of a file's bytes */
    struct str target;    /* of a link */
};

struct change_row {
    struct str path; /* absolute, on the host; any bytes but NUL */
    enum change change;
    struct change_side before, after; /* before: as the disk has it when the run has ended */
};

/* By path, a directory before what lies in it. */
struct changes {
    struct change_row *v;
    size_t n, room;
    const char *cut; /* why not all are listed; NULL: they are */
};

/* Keeps the bytes of new and changed files in `store` (collect_store.h). */
bool cow_read(const struct cow_layers *layers, int store, struct arena *a, struct changes *out,
              struct error *e) NODISCARD;

void cow_close(struct cow_layers *layers);
