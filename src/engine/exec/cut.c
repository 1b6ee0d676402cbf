/* SPDX-License-Identifier: Apache-2.0 */
/* cut.c: input files over their size, of which the command finds the beginning in their place. */
#include "engine/exec.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/home.h"

/* A copy of the beginning of an open file, with its owner and mode; NULL: it could not be made. */
static const char *copy_beginning(struct exec *x, int from, struct input_file *f, struct error *e)
{
    const char *state = home_state(x->command->environment, x->a);
    char *name = arena_text(x->a, str_of(arena_printf(x->a, "%s/cut-XXXXXX", state ? state : "")));
    char *bytes = arena_alloc(x->a, (size_t)f->bytes + 1);
    size_t n = 0;
    struct stat s;
    _fd_ int fd = state ? mkostemp(name, O_CLOEXEC) : -1;

    if (fd < 0) {
        error_sys(e, CODE_IO, "input file %s cannot be cut in %s", f->path, state ? state : "");
        return NULL;
    }
    x->cut_copies[x->cut_count++] = name;
    for (ssize_t got = 1; n < (size_t)f->bytes && got > 0; n += got > 0 ? (size_t)got : 0)
        got = pread(from, bytes + n, (size_t)f->bytes - n, (off_t)n);
    f->bytes = (int64_t)n;
    f->digest = digest_of(bytes, n);
    if (fstat(from, &s) == 0 && write(fd, bytes, n) == (ssize_t)n &&
        (geteuid() != 0 || fchown(fd, s.st_uid, s.st_gid) == 0) &&
        fchmod(fd, s.st_mode & 0555) == 0)
        return name;
    error_sys(e, CODE_IO, "input file %s cannot be cut", f->path);
    return NULL;
}

/* The command finds the beginning in the place of the file, which stays as it is. */
static bool cut_file(struct exec *x, struct input_file *f, struct error *e)
{
    const char *full =
        f->path[0] == '/' ? f->path : arena_printf(x->a, "%s/%s", x->reach.cwd, f->path);
    _fd_ int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct grant cut = { .access = ACCESS_READ, .why = GRANT_ASKED, .pinned = true };
    const struct grant *around;
    char real[PATH_MAX];
    struct stat s;

    if (fd < 0 || !path_of_open(fd, real))
        return error_sys(e, CODE_PATH_REFUSED, "input file %s cannot be opened", f->path);
    cut.instead = copy_beginning(x, fd, f, e);
    if (!cut.instead || stat(cut.instead, &s) != 0)
        return false;
    around = grants_decide(&x->reach.grants, real);
    if (!around || around->access > ACCESS_WRITE)
        return error_set(e, CODE_PATH_REFUSED,
                         "input file %s is not in reach, or protected, and cannot be cut", f->path);
    cut.path = arena_text(x->a, str_of(real));
    cut.dev = s.st_dev;
    cut.ino = s.st_ino;
    cut.owner = s.st_uid;
    cut.group = s.st_gid;
    cut.links = 1;
    for (size_t i = 0; i < x->reach.grants.n; i++)
        if (strcmp(x->reach.grants.v[i].path, real) == 0)
            x->reach.grants.v[i] = cut; /* one that was asked for gives way */
    grants_add(&x->reach.grants, &cut);
    return true;
}

/* In their order, what all have together is cut at the limit (IV-05). */
bool exec_cut_files(struct exec *x, struct error *e)
{
    int64_t left = input_sizes[INPUT_FILES].bytes;
    size_t mounted = 0;

    if (x->request.sandbox->filesystem->write_mode == WRITE_COW)
        return error_set(e, CODE_INPUT_TOO_LARGE,
                         "input files are cut by a mount, which write mode cow has none of; give "
                         "less, or say write_mode: direct");
    x->cut_copies = arena_alloc(x->a, x->input_count * sizeof *x->cut_copies);
    for (size_t i = 0; i < x->input_count; i++) {
        struct input_file *f = &x->inputs[i];

        if (f->bytes > left) {
            f->bytes = left;
            if (!cut_file(x, f, e))
                return false;
        }
        left -= f->bytes;
    }
    grants_settle(&x->reach.grants);
    for (size_t i = 0; i < x->reach.grants.n; i++)
        mounted += x->reach.grants.v[i].instead != NULL;
    return mounted >= x->cut_count ||
           error_set(e, CODE_PATH_REFUSED, "an input file is listed twice, or cannot be cut");
}

void exec_drop_copies(struct exec *x)
{
    while (x->cut_count)
        (void)unlink(x->cut_copies[--x->cut_count]);
}
