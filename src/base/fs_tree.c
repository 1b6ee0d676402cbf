/* SPDX-License-Identifier: Apache-2.0 */
/* fs_tree.c: directories made on the way to a path, and trees removed however deep they are. */
#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

/* Goes down into one directory after the other and comes up by "..": no depth is too deep, and no
 * link is followed. */
static bool empty(int top)
{
    int at = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    size_t depth = 0;
    char name[NAME_MAX + 1];

    while (at >= 0) {
        int next;

        if (next_dir(at, name)) {
            if (unlinkat(at, name, AT_REMOVEDIR) == 0)
                continue;
            (void)fchmodat(at, name, 0700, 0);
            next = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            depth++;
        } else if (depth-- == 0) {
            (void)close(at);
            return true;
        } else {
            next = openat(at, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        }
        (void)close(at);
        at = next;
    }
    return false;
}

/* A file, or a directory with what is in it. */
static bool remove_at(int at, const char *name)
{
    _fd_ int fd = -1;

    if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
        return true;
    (void)fchmodat(at, name, 0700, 0);
    fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd >= 0 && empty(fd) && unlinkat(at, name, AT_REMOVEDIR) == 0;
}

/* Cuts the first name off a path; the rest begins behind its slashes. */
static const char *cut_name(char *path)
{
    char *slash = strchr(path, '/');

    if (!slash)
        return NULL;
    *slash++ = '\0';
    return slash + strspn(slash, "/");
}

static enum fs_found find_at(int at, const char *name)
{
    struct stat s;

    if (fstatat(at, name, &s, AT_SYMLINK_NOFOLLOW) != 0)
        return FS_NOTHING;
    return S_ISDIR(s.st_mode) ? FS_DIRECTORY : FS_OTHER;
}

enum fs_found fs_find_below(int root, const char *path)
{
    char text[PATH_MAX];
    const char *rest = path;
    int at = root;
    enum fs_found found = FS_NOTHING;

    while (at >= 0 && rest && strlen(rest) < sizeof text) {
        int next;

        memmove(text, rest, strlen(rest) + 1);
        rest = cut_name(text);
        found = find_at(at, text);
        if (!rest || found != FS_DIRECTORY)
            break;
        found = FS_NOTHING;
        next = openat(at, text, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (at != root)
            (void)close(at);
        at = next;
    }
    if (at >= 0 && at != root)
        (void)close(at);
    return found;
}

bool fs_remove_below(const char *root, const char *path, struct error *e)
{
    _arena_ struct arena a = { 0 };
    const char *name = path, *rest;
    int at = open(root, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool ok = at >= 0;

    while (ok) {
        char *text = arena_text(&a, str_of(name));
        int next;

        rest = cut_name(text);
        next = rest ? openat(at, text, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        if (next < 0) {
            ok = remove_at(at, text);
            break;
        }
        (void)close(at);
        at = next;
        name = rest;
    }
    if (!ok)
        error_sys(e, ERROR_IO, "%s cannot be removed", path);
    if (at >= 0)
        (void)close(at);
    return ok;
}

bool fs_remove(const char *path, struct error *e)
{
    return remove_at(AT_FDCWD, path) || error_sys(e, ERROR_IO, "%s cannot be removed", path);
}
