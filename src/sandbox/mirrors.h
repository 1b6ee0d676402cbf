/* SPDX-License-Identifier: Apache-2.0 */
/* mirrors.h: one file system that is seen at two places.
 *
 * A bind mount, or a volume that is mounted twice, gives every file in it a second path. What is
 * denied or protected by one of them is so by the other.
 */
#pragma once

#include "sandbox/protect.h"
#include "sandbox/submounts.h"

/* The other paths at which what is at `path`, or would be there, is seen. */
struct mirrors {
    const char **v;
    size_t n, room;
};

struct mirrors mirrors_of(const struct submounts *all, const char *path, struct arena *a);

/* The paths outside of a directory at which what is mounted in it is seen. */
struct mirrors mirrors_inside(const struct submounts *all, const char *dir, struct arena *a);

/* Denies and protects again what the lists deny and protect, wherever else it is seen within what
 * is granted. False: what is there cannot be looked at. */
bool mirrors_hold(const struct submounts *all, struct grants *g, struct absents *absent,
                  struct error *e) NODISCARD;
