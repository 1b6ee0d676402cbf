/* SPDX-License-Identifier: Apache-2.0 */
/* version.h: by what is told whether a file, or the names in a directory, are as they were. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

enum { SETTLED_MS = 2000 }; /* what has not changed for as long has a time of its own */

/* It is the same when all of this is. */
struct version {
    dev_t dev;
    ino_t ino;
    off_t size;
    struct timespec modified, changed;
};

static inline struct version version_of(const struct stat *s)
{
    return (struct version){ s->st_dev, s->st_ino, s->st_size, s->st_mtim, s->st_ctim };
}

static inline bool version_is(const struct version *v, const struct stat *s)
{
    return v->dev == s->st_dev && v->ino == s->st_ino && v->size == s->st_size &&
           v->modified.tv_sec == s->st_mtim.tv_sec && v->modified.tv_nsec == s->st_mtim.tv_nsec &&
           v->changed.tv_sec == s->st_ctim.tv_sec && v->changed.tv_nsec == s->st_ctim.tv_nsec;
}

/* Of what was changed just now the clock does not tell whether it is changed once more. */
static inline bool version_is_settled(const struct stat *s, int64_t now_ms)
{
    return now_ms - (s->st_ctim.tv_sec * 1000LL + s->st_ctim.tv_nsec / 1000000) >= SETTLED_MS;
}
