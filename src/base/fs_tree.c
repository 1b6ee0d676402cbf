/* SPDX-License-Identifier: Apache-2.0 */
/* fs_tree.c: directories made on the way to a path, and trees removed however deep they are. */
#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

bool fs_remove(const char *path, struct error *e)
{
    _fd_ int fd = -1;

    if (unlink(path) == 0 || errno == ENOENT)
        return true;
    fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && empty(fd) && rmdir(path) == 0)
        return true;
    return error_sys(e, ERROR_IO, "%s cannot be removed", path);
}
