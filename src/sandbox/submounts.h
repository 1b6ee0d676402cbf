/* SPDX-License-Identifier: Apache-2.0 */
/* submounts.h: the host's mounts, and those inside of what is granted that show no files.
 *
 * A granted directory comes with what is mounted in it: that is what a person sees there, too. But
 * a /proc of the host in the root of some other system below it would show every process.
 */
#pragma once

#include "sandbox/grants.h"

/* A file system of files: what of it is seen, and where. */
struct disk {
    const char *device; /* "254:1" */
    const char *root;
    const char *point;
};

/* Where the kernel's own is mounted, anywhere; and where disks are. */
struct submounts {
    const char **points;
    size_t n, room;
    struct disk *disks;
    size_t disk_count, disk_room;
};

/* By the text of /proc/self/mountinfo. A disk that is covered, at its own place or with a directory
 * around it, shows nothing and is left out. */
struct submounts submounts_of(struct str list, struct arena *a);

/* False: the list of mounts cannot be read. */
bool submounts_read(struct arena *a, struct submounts *out, struct error *e) NODISCARD;

/* Denies those that lie in what is granted. */
void submounts_deny(const struct submounts *all, struct grants *g);

/* Write mode cow: a layer does not reach into another file system. False: there is one below a
 * directory that is written. */
bool submounts_cover(const struct submounts *all, const struct grants *g,
                     struct error *e) NODISCARD;
