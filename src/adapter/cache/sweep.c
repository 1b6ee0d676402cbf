/* SPDX-License-Identifier: Apache-2.0 */
/* sweep.c: what is in the directories of the cache, and what goes from them.
 *
 * Many processes may do this at once: who finds a file gone already has nothing left to do.
 */
#include "adapter/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "adapter/cache/parts.h"

enum {
    LEFT_MS = 3600 * 1000, /* a file that is that long being written was left by who died */
    OFTEN = 16,            /* one key in so many begins with 0: its put looks at every file .. */
    LARGE_PART = 64,       /* .. and one whose value is more than this part of what may be kept */
    LOOKS = 256,           /* sessions that a put looks at .. */
    REMOVALS = 4,          /* .. and that it removes */
};

/* ---- what is there ---- */

struct cache_entries cache_entries(const char *directory, bool directories, struct arena *a)
{
    struct cache_entries out = { 0 };
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *in = fd < 0 ? NULL : fdopendir(fd);
    size_t room = 0;

    if (!in) {
        own_close(&fd);
        return out;
    }
    for (const struct dirent *d = readdir(in); d; d = readdir(in)) {
        struct cache_entry entry;

        if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
            fstatat(fd, d->d_name, &entry.s, AT_SYMLINK_NOFOLLOW) != 0 ||
            (directories ? !S_ISDIR(entry.s.st_mode) : !S_ISREG(entry.s.st_mode)))
            continue;
        entry.name = arena_text(a, str_of(d->d_name));
        out.v = arena_more(a, out.v, out.n, &room, sizeof *out.v);
        out.v[out.n++] = entry;
    }
    (void)closedir(in);
    errno = 0;
    return out;
}

/* ---- what goes ---- */

static int64_t time_of(const struct timespec *t)
{
    return (int64_t)t->tv_sec * 1000 + t->tv_nsec / 1000000;
}

static int by_age(const void *a, const void *b)
{
    const struct cache_entry *x = a, *y = b;
    int64_t one = time_of(&x->s.st_mtim), other = time_of(&y->s.st_mtim);

    return one != other ? (one > other) - (one < other) : strcmp(x->name, y->name);
}

static void drop(const char *directory, const char *name, struct arena *a)
{
    (void)unlink(arena_printf(a, "%s/%s", directory, name));
}

/* To look at every file takes longer than to put one: among many it is done now and then. */
static bool worth_it(const char *directory, enum cache level, const struct cache_put *put)
{
    DIR *in = opendir(directory);
    int64_t n = -2; /* . and .. */

    while (in && readdir(in))
        n++;
    if (in)
        (void)closedir(in);
    return n <= OFTEN || put->key[0] == '0' || n > cache_sizes[level].items ||
           put->bytes > cache_sizes[level].bytes / LARGE_PART;
}

void cache_sweep(const char *directory, enum cache level, const struct cache_put *put,
                 int64_t now_ms)
{
    _arena_ struct arena a = { 0 };
    struct cache_size room = cache_sizes[level];
    struct cache_entries all = { 0 };
    int64_t bytes = 0, items = 0;

    if (!worth_it(directory, level, put))
        return;
    all = cache_entries(directory, false, &a);
    for (size_t i = 0; i < all.n; i++) {
        if (cache_is_key(all.v[i].name)) {
            bytes += all.v[i].s.st_size;
            items++;
        } else if (cache_is_new(all.v[i].name) && now_ms - time_of(&all.v[i].s.st_ctim) > LEFT_MS) {
            drop(directory, all.v[i].name, &a);
        }
    }
    if (items > room.items || bytes > room.bytes) { /* some more go, so that not every put sweeps */
        room.items -= room.items / 8;
        room.bytes -= room.bytes / 8;
    }
    if (all.n)
        qsort(all.v, all.n, sizeof *all.v, by_age);
    for (size_t i = 0; i < all.n; i++) {
        const struct cache_entry *x = &all.v[i];
        bool over = caches[level].ttl_ms && now_ms - time_of(&x->s.st_mtim) >= caches[level].ttl_ms;

        if (!over && items <= room.items && bytes <= room.bytes)
            break;
        if (!cache_is_key(x->name))
            continue;
        drop(directory, x->name, &a);
        bytes -= x->s.st_size;
        items--;
    }
}

/* Values and what was being written go; anything else is not ours, and keeps its directory. */
static size_t empty(const char *directory, struct arena *a)
{
    struct cache_entries all = cache_entries(directory, false, a);
    size_t removed = 0;

    for (size_t i = 0; i < all.n; i++) {
        const char *path = arena_printf(a, "%s/%s", directory, all.v[i].name);
        bool value = cache_is_key(all.v[i].name);

        if ((value || cache_is_new(all.v[i].name)) && unlink(path) == 0)
            removed += value;
    }
    (void)rmdir(directory);
    return removed;
}

void cache_sweep_sessions(const char *directory, int64_t now_ms)
{
    _arena_ struct arena a = { 0 };
    struct cache_entries all = cache_entries(directory, true, &a);
    struct session_eye eye;
    int removals = 0;

    session_look(&eye, now_ms);
    for (size_t i = 0; i < all.n && i < LOOKS && removals < REMOVALS; i++) {
        const struct cache_entry *x = &all.v[i];

        if (!session_is_one(x->name) || !session_ended(&eye, x->name, &x->s))
            continue;
        (void)empty(arena_printf(&a, "%s/%s", directory, x->name), &a);
        removals++;
    }
}

bool cache_clear(const struct cache_place *p, int level, size_t *removed, struct error *e)
{
    _arena_ struct arena a = { 0 };
    size_t n = 0;

    for (int i = 0; p->directory && i < CACHE_GOLDEN; i++) {
        const char *directory = cache_directory(p->directory, (enum cache)i, &a);
        struct cache_entries all = { 0 };

        if (level >= 0 && level != i)
            continue;
        all = cache_entries(directory, true, &a);
        if (errno && errno != ENOENT)
            return error_sys(e, ERROR_IO, "%s cannot be read", directory);
        for (size_t k = 0; i == CACHE_RESULTS && k < all.n; k++)
            if (session_is_one(all.v[k].name))
                n += empty(arena_printf(&a, "%s/%s", directory, all.v[k].name), &a);
        n += empty(directory, &a);
    }
    *removed = n;
    return true;
}
