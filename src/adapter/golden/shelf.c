/* SPDX-License-Identifier: Apache-2.0 */
/* shelf.c: opens .writ/golden and what is in it, and follows no link to it. */
#include "adapter/golden/shelf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "contract/codes.h"

static bool step_into(const char *name, bool make, int *at)
{
    int around = *at, below = -1, why;

    if (!make || mkdirat(around, name, 0777) == 0 || errno == EEXIST)
        below = openat(around, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    why = errno;
    own_close(&around);
    errno = why;
    *at = below;
    return below >= 0;
}

bool shelf_open(const char *project, bool make, struct arena *a, struct shelf *out, struct error *e)
{
    struct shelf f = { .path = arena_printf(a, "%s/.writ/golden", project) };

    f.fd = open(project, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (f.fd < 0 || !step_into(".writ", make, &f.fd) || !step_into("golden", make, &f.fd)) {
        if (errno == ENOTDIR || errno == ELOOP)
            return error_set(e, CODE_IO, "%s is no directory, or a link is on the way to it",
                             f.path);
        if (errno != ENOENT || make)
            return error_sys(e, CODE_IO, "%s cannot be opened", f.path);
    }
    *out = f;
    return true;
}

void shelf_close(struct shelf *f)
{
    own_close(&f->fd);
}

static int is_json(const struct dirent *d)
{
    size_t n = strlen(d->d_name);

    return d->d_name[0] != '.' && n > 5 && strcmp(d->d_name + n - 5, ".json") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

bool shelf_names(const struct shelf *f, struct arena *a, const char ***out, size_t *n,
                 struct error *e)
{
    struct dirent **names = NULL;
    int found = f->fd < 0 ? 0 : scandirat(f->fd, ".", &names, is_json, by_name);

    if (found < 0)
        return error_sys(e, CODE_IO, "%s cannot be read", f->path);
    *n = (size_t)found;
    *out = arena_alloc(a, (*n + 1) * sizeof **out);
    for (size_t i = 0; i < *n; i++) {
        (*out)[i] = arena_text(a, str_of(names[i]->d_name));
        free(names[i]);
    }
    free(names);
    return true;
}

bool shelf_file(const struct shelf *f, const char *name, int *fd, struct error *e)
{
    if (fs_open_file(f->fd, name, O_NOFOLLOW, fd, e))
        return true;
    return e->sys == ELOOP ? error_set(e, CODE_IO, "is a link, expected a file") : false;
}

/* They are the project's, for everybody who works on it: not 0600 as what we keep for ourselves. */
bool shelf_write(const struct shelf *f, const char *name, struct str text, struct error *e)
{
    char beside[NAME_MAX + 1];
    _fd_ int fd = -1;

    (void)snprintf(beside, sizeof beside, "%s.%d", name, getpid());
    (void)unlinkat(f->fd, beside, 0); /* what one of our number left, who ended here */
    fd = openat(f->fd, beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0 && fd_write(fd, text) && fchmod(fd, 0644) == 0 && fsync(fd) == 0 &&
        renameat(f->fd, beside, f->fd, name) == 0)
        return true;
    error_sys(e, CODE_IO, "%s/%s cannot be written", f->path, name);
    (void)unlinkat(f->fd, beside, 0);
    return false;
}
