/* SPDX-License-Identifier: Apache-2.0 */
/* other_names.h: a file may have several names; one that is held has to be held by each of them. */
#pragma once

#include "sandbox/grants.h"

/* A file. Its number may be given to another one later; its birth tells them apart. */
struct number {
    dev_t dev;
    ino_t ino;
    int64_t born; /* in nanoseconds; 0 where the file system does not know */
};

/* Files that are looked for, or known. */
struct numbers {
    struct arena *a;
    struct number *v;
    size_t n, room;
};

bool number_is_same(struct number a, struct number b);

/* `flags`: 0, or AT_SYMLINK_NOFOLLOW. */
bool number_of(int in, const char *path, int flags, struct number *out, bool *is_dir) NODISCARD;

bool numbers_have(const struct numbers *w, struct number file);
void numbers_add(struct numbers *w, struct number file);

/* Adds an entry as `like` for each name that one of them has in what is granted: to be seen where
 * it denies, to be written where it protects. False: something cannot be looked at, where such a
 * name may be. */
bool other_names_hold(struct grants *g, const struct numbers *wanted, struct grant like,
                      struct error *e) NODISCARD;

/* As that for each file of the list that is protected and has several names. */
bool protected_follow(struct grants *g, struct error *e) NODISCARD;
