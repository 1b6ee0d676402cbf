/* SPDX-License-Identifier: Apache-2.0 */
/* alive.c: a locked file for as long as an execution runs. */
#include "engine/alive.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/own.h"
#include "base/uuid.h"

/* NULL: there is no such place, or this is no name of a file. */
static const char *path_of(const char *state, struct str id, struct arena *a)
{
    char machine[HOST_NAME_MAX + 1] = "";
    struct uuid uuid;

    if (!state || !uuid_v4(id, &uuid) || gethostname(machine, HOST_NAME_MAX) != 0 ||
        strchr(machine, '/'))
        return NULL;
    return arena_printf(a, "%s/running/%.*s@%s", state, STR_ARG(id), machine);
}

struct alive alive_begin(const char *state, struct str id, struct arena *a)
{
    struct alive out = { .path = path_of(state, id, a), .fd = -1 };
    struct error e;

    if (out.path && fs_make_dirs(arena_printf(a, "%s/running", state), &e))
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

enum living alive_look(const char *state, struct str id, struct arena *a)
{
    const char *path = path_of(state, id, a);
    _fd_ int fd = path ? open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
    struct stat s;

    if (fd < 0)
        return LIVING_UNKNOWN;
    if (flock(fd, LOCK_SH | LOCK_NB) == 0) /* one that is removed has ended meanwhile */
        return fstat(fd, &s) == 0 && s.st_nlink > 0 ? LIVING_NO : LIVING_UNKNOWN;
    return errno == EWOULDBLOCK ? LIVING : LIVING_UNKNOWN;
}

struct alive_files alive_all(const char *state, struct arena *a)
{
    struct alive_files out = { 0 };
    DIR *d = state ? opendir(arena_printf(a, "%s/running", state)) : NULL;
    const struct dirent *entry;

    if (state && !d && errno != ENOENT)
        out.shut = errno;
    while (d && (entry = readdir(d))) {
        const char *at = strchr(entry->d_name, '@');
        struct str id = { entry->d_name, at ? (size_t)(at - entry->d_name) : 0 };
        enum living living = alive_look(state, id, a);

        if (living == LIVING_UNKNOWN)
            continue;
        out.v = arena_more(a, out.v, out.n, &out.room, sizeof *out.v);
        out.v[out.n++] = (struct alive_file){ { arena_text(a, id), id.n }, living == LIVING };
    }
    if (d)
        (void)closedir(d);
    return out;
}
