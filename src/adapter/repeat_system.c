/* SPDX-License-Identifier: Apache-2.0 */
/* repeat_system.c: a digest that changes when the system's programs and libraries do.
 *
 * Whoever installs, upgrades or removes a package puts names into directories, which changes their
 * times, and has the linker's cache written anew. Reading all of /usr would take longer than any
 * call that is remembered. What root changes in place, deep inside, is not seen: `writ cache clear`
 * is for that.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "adapter/repeatable.h"
#include "sandbox/system.h"

enum { DEPTH = 4 };

/* Below /usr these hold what people read; what programs read of them comes by packages. */
static const char *const passed_over[] = { "debug", "include", "share", "src" };

/* What is written by whoever installs a package. */
static const char *const databases[] = {
    "/var/lib/dpkg/status",  "/var/lib/rpm",          "/usr/lib/sysimage/rpm",
    "/lib/apk/db/installed", "/var/lib/pacman/local",
};

static void add_stat(struct sha256 *h, const char *name, const struct stat *s)
{
    const int64_t numbers[] = { (int64_t)s->st_dev,          (int64_t)s->st_ino,
                                (int64_t)s->st_size,         (int64_t)s->st_mtim.tv_sec,
                                (int64_t)s->st_mtim.tv_nsec, (int64_t)s->st_ctim.tv_sec,
                                (int64_t)s->st_ctim.tv_nsec };

    sha256_add(h, name, strlen(name) + 1);
    sha256_add(h, numbers, sizeof numbers);
}

static int directories(const struct dirent *d)
{
    for (size_t i = 0; i < COUNT(passed_over); i++)
        if (strcmp(d->d_name, passed_over[i]) == 0)
            return 0;
    return d->d_name[0] != '.' && (d->d_type == DT_DIR || d->d_type == DT_UNKNOWN);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* A directory and those in it, by name. Goes DEPTH deep. */
static void add_tree(struct sha256 *h, int at, const char *name, int depth)
{
    _fd_ int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    struct dirent **all = NULL;
    int n = fd < 0 || depth == 0 ? 0 : scandirat(fd, ".", &all, directories, by_name);
    struct stat s;

    if (fd >= 0 && fstat(fd, &s) == 0)
        add_stat(h, name, &s);
    for (int i = 0; i < n; i++) {
        add_tree(h, fd, all[i]->d_name, depth - 1);
        free(all[i]);
    }
    free(all);
}

bool repeat_system(struct digest *out)
{
    struct sha256 h;
    bool any = false;

    sha256_begin(&h);
    for (size_t i = 0; i < system_table.row_count; i++) {
        _buf_ struct buf path = { .max = 4096 };
        struct stat s;

        table_cell(&system_table, i, 0, &path);
        if (!buf_ok(&path) || lstat(path.s, &s) != 0)
            continue;
        any = true;
        add_stat(&h, path.s, &s);
        if (S_ISDIR(s.st_mode))
            add_tree(&h, AT_FDCWD, path.s, DEPTH);
    }
    for (size_t i = 0; i < COUNT(databases); i++) {
        struct stat s;

        if (stat(databases[i], &s) == 0)
            add_stat(&h, databases[i], &s);
    }
    *out = sha256_end(&h);
    return any;
}
