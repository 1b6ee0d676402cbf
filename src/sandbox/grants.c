/* SPDX-License-Identifier: Apache-2.0 */
/* grants.c: one sorted list of paths and what may be done with them. */
#include "sandbox/grants.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/codes.h"
#include "sandbox/kernel.h"

const char *const access_names[] = {
    [ACCESS_READ] = "read",
    [ACCESS_WRITE] = "write",
    [ACCESS_PROTECTED] = "protected",
    [ACCESS_DENIED] = "denied",
};

/* clang-format off */
const char *const grant_reasons[] = {
    [GRANT_UNSAID]           = "",
    [GRANT_ASKED]            = "asked for",
    [GRANT_CWD]              = "working directory",
    [GRANT_DENIED]           = "denied",
    [GRANT_DENIED_ELSEWHERE] = "denied under another name",
    [GRANT_DEPENDENCIES]     = "dependencies",
    [GRANT_GIT]              = "git directory",
    [GRANT_GIT_LINKED]       = "linked working tree",
    [GRANT_KERNEL]           = "the kernel's own",
    [GRANT_LEADS_TO_DENIED]  = "leads to what is denied",
    [GRANT_OUTPUT]           = "output",
    [GRANT_PIN]              = "around a protected name",
    [GRANT_PROTECTED]        = "protected name",
    [GRANT_REPOSITORY]       = "repository",
    [GRANT_RUNTIME]          = "runtime",
    [GRANT_SECRET]           = "a secret",
    [GRANT_STATE]            = "writ's own",
    [GRANT_SYSTEM]           = "system",
};
/* clang-format on */

/* The kernel's own file systems: a way out, or nothing to work on. */
static const char *const never[] = { "/proc", "/sys", "/dev" };

bool path_is_in(const char *path, const char *dir)
{
    size_t n = strlen(dir);

    if (n == 1)
        return true; /* "/" */
    return strncmp(path, dir, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

static bool is_never(const char *path)
{
    for (size_t i = 0; i < COUNT(never); i++)
        if (path_is_in(path, never[i]))
            return true;
    return false;
}

bool path_of_open(int fd, char out[PATH_MAX])
{
    char link[32];
    ssize_t n;

    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, out, PATH_MAX - 1);
    if (n <= 0)
        return false;
    out[n] = '\0';
    return out[0] == '/';
}

bool grant_find(const char *base, const char *path, struct arena *a, struct grant *out,
                struct error *e)
{
    const char *full = path[0] == '/' ? path : arena_printf(a, "%s/%s", base, path);
    _fd_ int fd = -1;
    char real[PATH_MAX];
    struct stat s;

    if (is_never(full))
        return error_set(e, CODE_PATH_REFUSED, "%s is the kernel's own; it is never granted", path);
    fd = kernel_openat2(AT_FDCWD, full, O_PATH | O_CLOEXEC, RESOLVE_NO_MAGICLINKS);
    if (fd < 0 && errno == ENOSYS) /* a filter around us, as of a sandbox that we run in */
        return error_sys(e, CODE_LAYER_MISSING,
                         "LAYER_MISSING:mount: openat2 is not to be had here");
    if (fd < 0)
        return error_sys(e, CODE_PATH_REFUSED, "%s cannot be opened", path);
    if (fstat(fd, &s) != 0 || !path_of_open(fd, real))
        return error_sys(e, CODE_PATH_REFUSED, "%s has no name of its own", path);
    if (is_never(real))
        return error_set(e, CODE_PATH_REFUSED, "%s is %s, the kernel's own; it is never granted",
                         path, real);
    out->path = arena_text(a, str_of(real));
    out->is_dir = S_ISDIR(s.st_mode);
    out->dev = s.st_dev;
    out->ino = s.st_ino;
    out->owner = s.st_uid;
    out->group = s.st_gid;
    out->links = s.st_nlink;
    return true;
}

bool grant_is_missing(const struct error *e)
{
    static const int missing[] = { 0, ENOENT, ENOTDIR, EACCES, ELOOP, ENAMETOOLONG };

    for (size_t i = 0; i < COUNT(missing); i++)
        if (e->sys == missing[i])
            return true;
    return false;
}

void grants_add(struct grants *g, const struct grant *grant)
{
    g->v = arena_more(g->a, g->v, g->n, &g->room, sizeof *g->v);
    g->v[g->n++] = *grant;
}

bool grants_open(struct grants *g, struct grant like, const char *base, const char *path,
                 struct error *e)
{
    if (!grant_find(base, path, g->a, &like, e))
        return false;
    grants_add(g, &like);
    return true;
}

bool grants_open_itself(struct grants *g, struct grant like, const char *path, struct error *e)
{
    if (!grant_find("/", path, g->a, &like, e))
        return false;
    if (strcmp(like.path, path) != 0)
        return error_set(e, CODE_PATH_REFUSED, "%s leads to %s by a link", path, like.path);
    grants_add(g, &like);
    return true;
}

/* By path; of the same path the entry that holds comes last. */
static int by_path(const void *a, const void *b)
{
    const struct grant *x = a, *y = b;
    int order = strcmp(x->path, y->path);

    if (order != 0)
        return order;
    if (x->implied != y->implied)
        return y->implied - x->implied;
    return (int)x->access - (int)y->access;
}

/* The nearest entry above v[i], or NULL; those behind it were settled before. */
static const struct grant *above(const struct grants *g, size_t settled, const char *path)
{
    for (size_t i = settled; i-- > 0;)
        if (path_is_in(path, g->v[i].path))
            return &g->v[i];
    return NULL;
}

static bool is_needless(const struct grant *grant, const struct grant *up)
{
    if (!up)
        return false;
    if (up->access == ACCESS_DENIED || grant->implied)
        return true;
    if (up->access == ACCESS_PROTECTED && grant->access != ACCESS_DENIED)
        return true;
    return up->access == grant->access && !grant->pinned;
}

static bool may_write_around(const struct grants *g, const char *path)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].access == ACCESS_WRITE && path_is_in(path, g->v[i].path))
            return true;
    return false;
}

/* What nobody may write anyhow needs no protection, and must not hide by it what may be read. */
static void drop_unwritten(struct grants *g)
{
    size_t kept = 0;

    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].access != ACCESS_PROTECTED || may_write_around(g, g->v[i].path))
            g->v[kept++] = g->v[i];
    g->n = kept;
}

/* What is denied or protected and shown by nothing needs no mount, and must not become visible by
 * one; it was kept to decide about what lies below it. */
static void drop_unseen(struct grants *g)
{
    size_t kept = 0;

    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].access < ACCESS_PROTECTED || above(g, kept, g->v[i].path))
            g->v[kept++] = g->v[i];
    g->n = kept;
}

void grants_settle(struct grants *g)
{
    size_t kept = 0;

    drop_unwritten(g);
    if (g->n)
        qsort(g->v, g->n, sizeof *g->v, by_path);
    for (size_t i = 0; i < g->n; i++) {
        struct grant grant = g->v[i];

        if (i + 1 < g->n && strcmp(grant.path, g->v[i + 1].path) == 0) {
            g->v[i + 1].pinned |= grant.pinned;
            continue;
        }
        if (!is_needless(&grant, above(g, kept, grant.path)))
            g->v[kept++] = grant;
    }
    g->n = kept;
    drop_unseen(g);
}

/* The deepest entry around a path, of those that show something. */
static const struct grant *shown_above(const struct grants *g, const char *path)
{
    const struct grant *found = NULL;

    for (size_t i = 0; i < g->n; i++) {
        const struct grant *up = &g->v[i];
        size_t n = strlen(up->path), most = found ? strlen(found->path) : 0;

        if (up->access <= ACCESS_WRITE && strcmp(up->path, path) != 0 &&
            path_is_in(path, up->path) && (n > most || (n == most && up->access == ACCESS_WRITE)))
            found = up;
    }
    return found;
}

/* *pinned: it is there. */
static bool pin_dir(struct grants *g, const char *dir, bool *pinned, struct error *e)
{
    struct grant pin = { .access = ACCESS_WRITE, .why = GRANT_PIN, .pinned = true };

    *pinned = true;
    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].pinned && strcmp(g->v[i].path, dir) == 0)
            return true;
    *pinned = false;
    if (!grant_find("/", dir, g->a, &pin, e))
        return grant_is_missing(e);
    *pinned = pin.path && strcmp(pin.path, dir) == 0;
    if (*pinned)
        grants_add(g, &pin);
    return true;
}

/* Up to the entry around it; where there is something to be moved, or that entry has to stay, on
 * to what is around that: whoever renames a directory there moves along what is protected in it.
 * Nobody renames anything in what is only read. */
bool grants_pin_way(struct grants *g, const char *path, bool there, struct error *e)
{
    const struct grant *root = shown_above(g, path);
    const char *top, *slash;
    bool pinned = true;
    size_t at;

    if (!root)
        return true;
    top = root->path;
    at = (size_t)(root - g->v);
    if (root->access == ACCESS_READ)
        return grants_pin_way(g, top, true, e);
    slash = strchr(path + strlen(top) + 1, '/');
    for (; slash && pinned; slash = strchr(slash + 1, '/')) {
        if (!pin_dir(g, arena_text(g->a, (struct str){ path, (size_t)(slash - path) }), &pinned, e))
            return false;
        there = there || pinned;
    }
    g->v[at].pinned |= there;
    return !g->v[at].pinned || grants_pin_way(g, top, true, e);
}

bool grants_pin(struct grants *g, struct error *e)
{
    for (size_t i = 0, n = g->n; i < n; i++)
        if (g->v[i].access >= ACCESS_PROTECTED && !grants_pin_way(g, g->v[i].path, true, e))
            return false;
    return true;
}

const struct grant *grants_decide(const struct grants *g, const char *path)
{
    return above(g, g->n, path);
}

bool grants_show(const struct grants *g, const char *path)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].access <= ACCESS_WRITE && path_is_in(path, g->v[i].path))
            return true;
    return false;
}
