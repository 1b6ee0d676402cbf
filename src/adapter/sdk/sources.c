/* SPDX-License-Identifier: Apache-2.0 */
/* sources.c: the files of a package that is built, read once: what is digested is what is
 * built. */
#include "adapter/sdk/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "contract/codes.h"

enum { FILES_MAX = 4096, BYTES_MAX = 32 << 20, DEPTH_MAX = 16 };

struct reading {
    struct sdk_sources *to;
    struct arena *a;
    struct error *e;
};

/* ---- a list of them ---- */

static void add(struct sdk_sources *to, struct str name, struct str text, struct arena *a)
{
    to->v = arena_more(a, to->v, to->n, &to->room, sizeof *to->v);
    to->v[to->n++] = (struct pair){ name, text };
    to->bytes += text.n;
}

void sdk_add_source(struct sdk_sources *to, const char *name, const char *text, struct arena *a)
{
    add(to, str_of(name), str_of(text), a);
}

const struct str *sdk_source(const struct sdk_sources *from, const char *name)
{
    for (size_t i = 0; i < from->n; i++)
        if (str_is(from->v[i].key, name))
            return &from->v[i].text;
    return NULL;
}

bool sdk_has_room(const struct sdk_sources *from, const char *name, struct error *e)
{
    for (size_t i = 0; i < from->n; i++)
        if (str_begins(from->v[i].key, name))
            return error_set(e, CODE_VALIDATION_ERROR,
                             "the package has a '%.*s', where ours must be",
                             STR_ARG(from->v[i].key));
    return true;
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct pair *)a)->key, ((const struct pair *)b)->key);
}

/* ---- a tree of them ---- */

/* What a build or a person leaves beside the sources; .cargo says where vendored crates are. */
static bool is_left_out(const char *name)
{
    static const char *const names[] = { "target", "node_modules", "__pycache__" };

    if (name[0] == '.')
        return strcmp(name, ".cargo") != 0;
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool read_file(struct reading *r, int at, const char *entry, const char *name)
{
    _fd_ int fd = openat(at, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat s;
    struct str text;

    if (fd < 0 || fstat(fd, &s) != 0)
        return error_sys(r->e, CODE_IO, "'%s' of the package cannot be opened", name);
    if (!S_ISREG(s.st_mode))
        return error_set(r->e, CODE_IO, "'%s' of the package is not a plain file", name);
    if (r->to->n == FILES_MAX)
        return error_set(r->e, CODE_IO, "the package has more than %d files", FILES_MAX);
    if (r->to->bytes + (size_t)s.st_size > BYTES_MAX)
        return error_set(r->e, CODE_IO, "the package has more than %d bytes", BYTES_MAX);
    if (!fd_read(fd, BYTES_MAX, r->a, &text, r->e))
        return error_wrap(r->e, "'%s' of the package", name);
    add(r->to, str_of(name), text, r->a);
    return true;
}

static bool read_tree(struct reading *r, int at, const char *name, int depth);

/* Links are left out: what they lead to is not the package's, or is there by its own name. */
static bool read_entry(struct reading *r, int at, const char *in, const char *entry, int depth)
{
    const char *name =
        in[0] ? arena_printf(r->a, "%s/%s", in, entry) : arena_text(r->a, str_of(entry));
    struct stat s;

    if (fstatat(at, entry, &s, AT_SYMLINK_NOFOLLOW) != 0)
        return error_sys(r->e, CODE_IO, "'%s' of the package cannot be looked at", name);
    if (S_ISREG(s.st_mode))
        return read_file(r, at, entry, name);
    if (!S_ISDIR(s.st_mode))
        return true;
    if (depth == DEPTH_MAX)
        return error_set(r->e, CODE_IO, "the package has more than %d directories in each other",
                         DEPTH_MAX);
    return read_tree(r, openat(at, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), name,
                     depth + 1);
}

/* Takes over the descriptor. */
static bool read_tree(struct reading *r, int at, const char *name, int depth)
{
    DIR *d = at < 0 ? NULL : fdopendir(at);
    bool ok = true;

    if (!d) {
        (void)error_sys(r->e, CODE_IO, "the package's directory '%s' cannot be read", name);
        own_close(&at);
        return false;
    }
    for (const struct dirent *entry = readdir(d); ok && entry; entry = readdir(d))
        if (!is_left_out(entry->d_name))
            ok = read_entry(r, dirfd(d), name, entry->d_name, depth);
    (void)closedir(d);
    return ok;
}

bool sdk_read_sources(const struct sdk_function *f, struct arena *a, struct sdk_sources *to,
                      struct error *e)
{
    struct reading r = { .to = to, .a = a, .e = e };
    int at = open(f->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool ok;

    if (at < 0)
        return error_sys(e, CODE_IO, "package '%s' cannot be read", f->base);
    if (f->file) {
        ok = read_file(&r, at, f->file, f->file);
        (void)close(at);
        return ok;
    }
    ok = read_tree(&r, at, "", 1);
    if (ok && to->n > 0)
        qsort(to->v, to->n, sizeof *to->v, by_name);
    return ok;
}
