/* SPDX-License-Identifier: Apache-2.0 */
/* alive.c: a locked file for as long as an execution runs. */
#include "engine/alive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/uuid.h"

/* File systems that one kernel alone has mounted: it knows of every lock on them. */
/* clang-format off */
static const uint32_t local[] = {
    EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, TMPFS_MAGIC,
    OVERLAYFS_SUPER_MAGIC,
    0xca451a4e, /* bcachefs */
    0x2fc12fc1, /* zfs */
};
/* clang-format on */

static const char *directory_of(const char *state, struct arena *a)
{
    return arena_printf(a, "%s/running", state);
}

/* What our files in a directory end with; NULL: none there can be told from another machine's. */
static const char *ending_in(const char *directory, struct arena *a)
{
    char machine[HOST_NAME_MAX + 1] = "";
    struct statfs s = { 0 };

    (void)statfs(directory, &s);
    for (size_t i = 0; i < COUNT(local); i++)
        if ((uint32_t)s.f_type == local[i])
            return "";
    if (gethostname(machine, HOST_NAME_MAX) != 0 || strchr(machine, '/'))
        return NULL;
    return arena_printf(a, "@%s", machine);
}

/* NULL: there is no such place, or this is no name of a file. */
static const char *path_of(const char *state, struct str id, struct arena *a)
{
    const char *directory = state ? directory_of(state, a) : NULL;
    const char *ending = directory ? ending_in(directory, a) : NULL;
    struct uuid uuid;

    return ending && uuid_v4(id, &uuid)
               ? arena_printf(a, "%s/%.*s%s", directory, STR_ARG(id), ending)
               : NULL;
}

struct alive alive_begin(const char *state, struct str id, struct arena *a)
{
    struct alive out = { .fd = -1 };
    struct error e;

    if (state && fs_make_dirs(directory_of(state, a), &e))
        out.path = path_of(state, id, a);
    if (out.path)
        out.fd = open(out.path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (out.fd < 0)
        out.path = NULL;
    else if (flock(out.fd, LOCK_EX | LOCK_NB) != 0)
        alive_end(&out);
    return out;
}

void alive_end(struct alive *alive)
{
    if (!alive->path)
        return;
    (void)unlink(alive->path);
    own_close(&alive->fd);
    alive->path = NULL;
}

void alive_leave(struct alive *alive)
{
    if (alive->path)
        own_close(&alive->fd);
    alive->path = NULL;
}

void alive_forget(const char *state, struct str id, struct arena *a)
{
    const char *path = path_of(state, id, a);

    if (path)
        (void)unlink(path);
}

static enum living look(int at, const char *file)
{
    _fd_ int fd = openat(at, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat s;

    if (fd < 0)
        return LIVING_UNKNOWN;
    if (flock(fd, LOCK_SH | LOCK_NB) == 0) /* one that is removed has ended meanwhile */
        return fstat(fd, &s) == 0 && s.st_nlink > 0 ? LIVING_NO : LIVING_UNKNOWN;
    return errno == EWOULDBLOCK ? LIVING : LIVING_UNKNOWN;
}

enum living alive_look(const char *state, struct str id, struct arena *a)
{
    const char *path = path_of(state, id, a);

    return path ? look(AT_FDCWD, path) : LIVING_UNKNOWN;
}

struct alive_files alive_all(const char *state, struct arena *a)
{
    struct alive_files out = { 0 };
    const char *directory = state ? directory_of(state, a) : NULL;
    const char *ending = directory ? ending_in(directory, a) : NULL;
    DIR *d = ending ? opendir(directory) : NULL;
    const struct dirent *entry;

    if (ending && !d && errno != ENOENT)
        out.shut = errno;
    while (d && (entry = readdir(d))) {
        struct str name = str_of(entry->d_name), id = { name.s, strcspn(name.s, "@") };
        struct uuid uuid;
        enum living living = LIVING_UNKNOWN;

        if (uuid_v4(id, &uuid) && str_is(str_from(name, id.n), ending))
            living = look(dirfd(d), entry->d_name);
        if (living == LIVING_UNKNOWN)
            continue;
        out.v = arena_more(a, out.v, out.n, &out.room, sizeof *out.v);
        out.v[out.n++] = (struct alive_file){ { arena_text(a, id), id.n }, living == LIVING };
    }
    if (d)
        (void)closedir(d);
    return out;
}
