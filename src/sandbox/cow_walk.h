/* SPDX-License-Identifier: Apache-2.0 */
/* cow_walk.h: which names of a layer differ from the disk; contents are compared by cow_read.c. */
#pragma once

#include <sys/stat.h>

#include "sandbox/cow.h"

/* The ceilings of a reading; tests lower them. */
struct cow_most {
    size_t rows, entries, path;
    int64_t keep, look;
    size_t names;
};

extern struct cow_most cow_most;

/* Why not all changes are listed. */
extern const char cow_cut_rows[], cow_cut_entries[], cow_cut_path[], cow_cut_bytes[],
    cow_cut_unreadable[];

/* One layer beside its tree on the disk. */
struct cow_sides {
    const struct cow_layer *layer;
    struct timespec since; /* the layer was made: what the disk has from before is what it covers */
};

struct cow_sides cow_sides_of(const struct cow_layer *layer);

/* Was this changed on the disk after the layer was made? In doubt it was. */
bool cow_is_newer(const struct cow_sides *s, const struct stat *disk);

/* A path below the root, opened without following anything; -1 and errno. In the layer what its
 * owner may not read is made readable first. */
int cow_open_upper(const struct cow_sides *s, const char *below, int flags);
int cow_open_disk_below(const struct cow_sides *s, const char *below, int flags);

/* Adds a row for every name that is not as on the disk; of files that are in both places a row is a
 * guess until their bytes are compared. Paths live in `a`. */
bool cow_walk(const struct cow_sides *s, struct arena *a, struct changes *out,
              struct error *e) NODISCARD;

/* Sorts by path, and drops what is more than the list may have. */
void cow_sort(struct changes *rows);
