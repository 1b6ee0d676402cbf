/* SPDX-License-Identifier: Apache-2.0 */
/* fs_tree.c: directories made on the way to a path, and trees removed however deep they are. */
#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool fs_make_dirs(const char *path, struct error *e)
{
    _arena_ struct arena a = { 0 };
    char *text = arena_text(&a, str_of(path));

    for (char *slash = strchr(text + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        if (mkdir(text, 0700) != 0 && errno != EEXIST)
            return error_sys(e, ERROR_IO, "%s cannot be made", text);
        if (!slash)
            return true;
        *slash = '/';
    }
}

/* The first name in a directory that could not be unlinked: a directory itself. False: none. */
static bool next_dir(int at, char name[NAME_MAX + 1])
{
    int fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *in = fd < 0 ? NULL : fdopendir(fd);
    bool found = false;

    if (!in) {
        if (fd >= 0)
            (void)close(fd);
        return false;
    }
    for (const struct dirent *d = readdir(in); d && !found; d = readdir(in)) {
        if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
            continue;
        if (unlinkat(at, d->d_name, 0) == 0)
            continue;
        found = true;
        (void)strncpy(name, d->d_name, NAME_MAX + 1);
    }
    (void)closedir(in);
    return found;
}

/* ---- what a mode keeps us out of ---- */

static bool set_mode(int dir, mode_t mode)
{
    char path[32];

    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", dir);
    return chmod(path, mode & 07777) == 0;
}

/* Lets the owner list, search and change a directory, whatever its mode says. False: that is not
 * what keeps us out. */
static bool unlock(int dir, mode_t *before)
{
    struct stat s;
    bool locked = errno == EACCES && fstat(dir, &s) == 0 && (s.st_mode & 0700) != 0700;

    if (!locked)
        return false;
    *before = s.st_mode;
    return set_mode(dir, s.st_mode | 0700);
}

/* Does something in a directory, where its mode forbids it with the owner's rights for a moment. */
static int in_dir(int dir, const char *name, int (*act)(int dir, const char *name))
{
    int result = act(dir, name), sys;
    mode_t before;

    if (result >= 0 || !unlock(dir, &before))
        return result;
    result = act(dir, name);
    sys = errno;
    (void)set_mode(dir, before);
    errno = sys;
    return result;
}

/* ---- removing ---- */

static int enter(int dir, const char *name)
{
    return openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* To be emptied: its mode does not matter any more. Never that of what a link leads to. */
static int open_to_empty(int at, const char *name)
{
    _fd_ int dir = enter(at, name);

    if (dir < 0)
        return -1;
    (void)set_mode(dir, 0700);
    return openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The directories that a removal is in, each by what it is: who may write in the tree can move one
 * of them elsewhere meanwhile, and ".." of that is a directory of somebody else. */
struct levels {
    struct level {
        dev_t dev;
        ino_t ino;
    } * v;
    size_t n, room;
    struct arena a;
};

/* Opens a directory in this one, to be emptied. */
static int go_down(struct levels *above, int at, const char *name)
{
    struct stat s;

    if (fstat(at, &s) != 0)
        return -1;
    above->v = arena_more(&above->a, above->v, above->n, &above->room, sizeof *above->v);
    above->v[above->n++] = (struct level){ s.st_dev, s.st_ino };
    return open_to_empty(at, name);
}

/* Opens the directory from which we came into this one; -1: that is not around it any more. */
static int go_up(struct levels *above, int at)
{
    int up = openat(at, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const struct level *was = &above->v[--above->n];
    struct stat s;

    if (up >= 0 && (fstat(up, &s) != 0 || s.st_dev != was->dev || s.st_ino != was->ino)) {
        own_close(&up);
        errno = EBUSY;
    }
    return up;
}

/* Goes down into one directory after the other and comes up by "..": no depth is too deep, and no
 * link is followed. */
static bool empty_below(int top, struct levels *above)
{
    int at = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char name[NAME_MAX + 1];

    while (at >= 0) {
        int next;

        if (next_dir(at, name)) {
            if (unlinkat(at, name, AT_REMOVEDIR) == 0)
                continue;
            next = go_down(above, at, name);
        } else if (above->n == 0) {
            (void)close(at);
            return true;
        } else {
            next = go_up(above, at);
        }
        (void)close(at);
        at = next;
    }
    return false;
}

static bool empty(int top)
{
    struct levels above = { 0 };
    bool done = empty_below(top, &above);
    int sys = errno;

    arena_free(&above.a);
    errno = sys;
    return done;
}

/* A file, or a directory with what is in it. */
static int remove_at(int at, const char *name)
{
    _fd_ int fd = -1;

    if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
        return 0;
    if (errno == EACCES)
        return -1;
    fd = open_to_empty(at, name);
    return fd >= 0 && empty(fd) && unlinkat(at, name, AT_REMOVEDIR) == 0 ? 0 : -1;
}

/* ---- below a directory ---- */

/* How far a path below a directory leads through directories alone. */
struct spot {
    int dir;
    char name[NAME_MAX + 1]; /* in that: the last of the path, or what is no directory to enter */
    const char *rest;        /* of the path behind it */
};

/* False: there is no such spot. */
static bool find_spot(int root, const char *path, struct spot *s)
{
    s->dir = fcntl(root, F_DUPFD_CLOEXEC, 0);
    while (s->dir >= 0) {
        size_t n = strcspn(path, "/");
        int next;

        if (n > NAME_MAX) {
            own_close(&s->dir);
            errno = ENAMETOOLONG;
            return false;
        }
        memcpy(s->name, path, n);
        s->name[n] = '\0';
        s->rest = path + n;
        path = s->rest + strspn(s->rest, "/");
        next = *path ? in_dir(s->dir, s->name, enter) : -1;
        if (next < 0)
            return true;
        own_close(&s->dir);
        s->dir = next;
    }
    return false;
}

static int find_at(int at, const char *name)
{
    struct stat s;

    if (fstatat(at, name, &s, AT_SYMLINK_NOFOLLOW) == 0)
        return S_ISDIR(s.st_mode) ? FS_DIRECTORY : S_ISLNK(s.st_mode) ? FS_LINK : FS_OTHER;
    return errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG ? FS_NOTHING : -1;
}

enum fs_found fs_find_below(int root, const char *path)
{
    struct spot s;
    int found;

    if (!strchr(path, '/') && find_at(root, path) == FS_NOTHING)
        return FS_NOTHING; /* most are */
    if (!find_spot(root, path, &s))
        return FS_HIDDEN;
    found = in_dir(s.dir, s.name, find_at);
    own_close(&s.dir);
    if (found < 0)
        return FS_HIDDEN;
    if (!*s.rest)
        return (enum fs_found)found;
    return found == FS_LINK ? FS_LED_AWAY : found == FS_DIRECTORY ? FS_HIDDEN : FS_NOTHING;
}

bool fs_remove_below(int root, const char *path, struct error *e)
{
    struct spot s;
    bool ok = find_spot(root, path, &s) && in_dir(s.dir, s.name, remove_at) == 0;

    if (!ok)
        error_sys(e, ERROR_IO, "%s cannot be removed", path);
    own_close(&s.dir);
    return ok;
}

/* Not every file system can do it in one step. */
static bool move_at(int dir, const char *name, const char *to)
{
    if (renameat2(dir, name, dir, to, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL)
        return false;
    if (find_at(dir, to) == FS_NOTHING)
        return renameat(dir, name, dir, to) == 0;
    errno = EEXIST;
    return false;
}

/* Where the directory is locked, it is opened for that. */
static bool move_in(int dir, const char *name, const char *to)
{
    mode_t before;
    bool ok = move_at(dir, name, to);

    if (!ok && unlock(dir, &before)) {
        int sys;

        ok = move_at(dir, name, to);
        sys = errno;
        (void)set_mode(dir, before);
        errno = sys;
    }
    return ok;
}

bool fs_rename_below(int root, const char *path, const char *ending, struct arena *a,
                     const char **now)
{
    const char *to;
    struct spot s;
    bool ok;
    int sys;

    if (!find_spot(root, path, &s))
        return false;
    to = arena_printf(a, "%s%s", s.name, ending);
    ok = move_in(s.dir, s.name, to);
    if (!ok && (errno == ENAMETOOLONG || errno == ENOSPC || errno == EDQUOT)) {
        to = ending;
        ok = move_in(s.dir, s.name, to);
    }
    sys = errno;
    own_close(&s.dir);
    errno = sys;
    if (ok)
        *now = arena_printf(a, "%.*s%s", (int)((size_t)(s.rest - path) - strlen(s.name)), path, to);
    return ok;
}

bool fs_remove(const char *path, struct error *e)
{
    return remove_at(AT_FDCWD, path) == 0 || error_sys(e, ERROR_IO, "%s cannot be removed", path);
}
