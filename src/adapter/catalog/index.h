/* SPDX-License-Identifier: Apache-2.0 */
/* index.h: what was skimmed off the files of a directory, kept for the next time.
 *
 * A value among the adapter schemas of the cache, for each directory one. It is believed of a file
 * only as long as nothing about that file has changed. One that is torn, of another writ, of
 * another directory or older than a day is not there.
 */
#pragma once

#include <stdint.h>
#include <sys/stat.h>

#include "base/mem.h"

/* What tells that a file is still the same. Zeroes are no file's. */
struct mark {
    uint64_t dev, ino;
    int64_t size, mtime_ns, ctime_ns;
};

struct mark mark_of(const struct stat *st);
bool mark_same(const struct mark *a, const struct mark *b);

/* A file of the directory, and what it is: an adapter, or why not. */
struct kept_file {
    struct mark mark;
    const char *file; /* its name there */
    struct str adapter_id, name, tool_id;
    struct str why; /* of one that is no adapter */
    int type;       /* enum adapter_type; -1: it is no adapter */
};

struct kept_files {
    struct kept_file *v; /* by adapter_id, then by name; those that are no adapters come first */
    size_t n;
    struct mark directory; /* as it was when they were listed; zeroes: look again */
    int64_t made_ms;       /* when the oldest of them was read */
};

/* Where it is kept, and of which directory it is. */
struct index_place {
    const char *cache; /* NULL: nowhere */
    const char *directory;
    int64_t now_ms;
};

/* False: there is none that can be used. */
bool index_read(const struct index_place *p, struct arena *a, struct kept_files *out);

/* What changed so shortly before `now_ms` that it could change again unseen is not believed the
 * next time. Where it cannot be written, nothing is different. */
void index_write(const struct index_place *p, const struct kept_files *files);
