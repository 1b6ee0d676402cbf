/* SPDX-License-Identifier: Apache-2.0 */
/* cow.h: what a run wrote beside the disk, read when its tree is dead.
 *
 * In write mode cow every writable tree is covered by a layer in memory: the command reads what is
 * on the disk, and what it writes, renames and removes stays in the layer. Afterwards the layer is
 * read: each change with what was there before, and the bytes of files into the store of evidence.
 */
#pragma once

#include <time.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/mem.h"

enum { COW_MAX = 16 }; /* writable trees of one run */

/* A writable tree and what lies over it; open from when it was mounted until cow_close(). */
struct cow_layer {
    const char *root; /* on the host */
    int disk;         /* it itself, whatever becomes of its name; nothing is read by that */
    int upper;        /* what was written */
    int merged;       /* the tree as the command saw it */
    bool ours;        /* the root belongs to whom the command was, and its mode is looked at, too */

    /* Empty directories that hold the place of names that must not come into being, below the root.
     * They are no changes. */
    const char *const *barred;
    size_t barred_count;

    /* Other names below the root that are no changes, whatever is there. */
    const char **left_out;
    size_t left_out_count, left_out_room;
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
    struct digest digest; /* of a file's bytes; zeroes where the disk does not let us read them */
    struct str target;    /* of a link */
};

struct change_row {
    struct str path; /* absolute, on the host; any bytes but NUL */
    enum change change;
    struct change_side before, after; /* before: as the disk has it when the run has ended */
    bool meanwhile; /* somebody changed it on the disk while the run lasted: what the run found is
                     * not known any more */
};

/* By path, a directory before what lies in it. */
struct changes {
    struct change_row *v;
    size_t n, room;
    const char *cut; /* why not all are listed; NULL: they are */
};

/* What a reading takes; what is beyond is left out, and `cut` says so. */
enum {
    COW_ROWS = 40000,      /* changes that are listed: the first in order */
    COW_ENTRIES = 1 << 22, /* names that are looked at */
    COW_PATH = 4095,       /* bytes of a path below its root */
    COW_NAMES = 1 << 25,   /* bytes of all paths that are looked at, together */
};
#define COW_KEEP ((int64_t)1 << 30) /* bytes of new and changed files, together */
#define COW_LOOK ((int64_t)1 << 33) /* bytes read of what was there before */

/* Keeps the bytes of new and changed files in `store` (collect_store.h); -1: only digests them. To
 * be called once, when nobody is left who could write: what the caller may not read in the layer is
 * made readable on the way. What is a copy of what the disk has is no change. */
bool cow_read(const struct cow_layers *layers, int store, struct arena *a, struct changes *out,
              struct error *e) NODISCARD;

/* When a layer was made; nobody can change that afterwards. The disks in memory that layers need
 * know it; if one should not, it is long ago. Only a system call. */
struct timespec cow_born(int upper);

/* The layer around a path of the host, or NULL. */
const struct cow_layer *cow_around(const struct cow_layers *layers, const char *path);

/* What the layer around a path has there, however much it is, is not among the changes. */
void cow_leave_out(struct cow_layers *layers, const char *path, struct arena *a);

/* Closes what is open; zeroes are none. */
void cow_close(struct cow_layers *layers);
