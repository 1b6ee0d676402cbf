/* SPDX-License-Identifier: Apache-2.0 */
/* changes.h: what a run in write mode cow left beside the disk: as it is recorded, read back, and
 * brought to the disk or taken back from it.
 */
#pragma once

#include "sandbox/cow.h"
#include "sandbox/protect.h"

struct doc;

/* Where the text of one change stands in the diff; n 0: it has none. */
struct change_text {
    size_t at, n;
};

/* The changes of one run, all of them. */
struct change_set {
    struct changes changes;
    const char **roots;  /* the writable trees, absolute and real */
    const char **inodes; /* and the number of each, in digits; "": it is not known */
    size_t root_count;
    struct change_text *texts; /* one a row */
    struct digest diff;        /* kept as evidence */
    int64_t diff_bytes;        /* 0: there is no diff, and nothing is kept */
    bool diff_cut;
};

/* The tree that a path lies in, and its name there: "" is the tree itself. NULL: in none. */
const char *changes_root(const struct change_set *set, const char *path, const char **below);

/* ---- one path ---- */

/* Opens the tree of a set. -1 and errno; ESTALE: there is another directory in its place. */
int changes_open_root(const struct change_set *set, const char *root);

/* Opens a directory in a tree: no link is followed on the way, and none leads out. -1 and errno: it
 * cannot be had. */
int place_around(int root, const char *below, const char **name, struct arena *a);

/* What is there now. The bytes of a file are kept in `store`; -1: only their digest is taken. A
 * text of at most `most` bytes is read into *text, where that is not NULL. */
struct place_ask {
    int around;
    const char *name;
    int store;
    size_t most;
    struct str *text;
};
bool place_look(const struct place_ask *ask, struct arena *a, struct change_side *out,
                struct error *e) NODISCARD;

bool sides_same(const struct change_side *a, const struct change_side *b);

/* The bytes kept under a digest, up to a ceiling. False: they are gone, or others. */
bool changes_bytes(int store, const struct digest *digest, size_t max, struct arena *a,
                   struct str *out, struct error *e) NODISCARD;

/* ---- the diff ---- */

/* A unified diff of all that is text, as git writes it: of what is on the disk, and of what is in
 * `store`. Sets texts; the caller keeps the bytes. */
void changes_diff(struct change_set *set, int store, struct arena *a, struct buf *to);

/* ---- as a member of the record ---- */

/* `absent`: names that must not come into being. */
void changes_put(const struct change_set *set, const struct absents *absent, struct buf *to);

/* One row of its list. */
void changes_put_row(const struct change_set *set, size_t row_at, struct buf *to);

/* False: the record is not one of a run that wrote beside the disk. */
bool changes_read(const struct doc *record, struct arena *a, struct change_set *out,
                  struct error *e) NODISCARD;
