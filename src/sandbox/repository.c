/* SPDX-License-Identifier: Apache-2.0 */
/* repository.c: climbs to the top of a git working tree. */
#include "sandbox/repository.h"

#include <fcntl.h>
#include <string.h>

#include "base/fs.h"

enum { POINTER_MAX = 8192 };

/* Is it what git takes for a repository? */
static bool is_gitdir(const char *dir, struct arena *a)
{
    struct stat s;

    return stat(arena_printf(a, "%s/HEAD", dir), &s) == 0 &&
           stat(arena_printf(a, "%s/refs", dir), &s) == 0 &&
           stat(arena_printf(a, "%s/objects", dir), &s) == 0;
}

/* The path a small file holds, behind `prefix`; NULL where there is none. */
static const char *pointer(const char *file, const char *prefix, const char *base, struct arena *a)
{
    struct str text;
    struct error e;
    const char *path;

    if (!fs_read(file, POINTER_MAX, a, &text, &e) || !str_begins(text, prefix))
        return NULL;
    text = (struct str){ text.s + strlen(prefix), text.n - strlen(prefix) };
    while (text.n && is_one_of(text.s[text.n - 1], "\r\n"))
        text.n--;
    path = arena_text(a, text);
    return path[0] == '/' ? path : arena_printf(a, "%s/%s", base, path);
}

/* The real path of a directory, or NULL. */
static const char *real_dir(const char *path, struct arena *a)
{
    struct grant found = { 0 };
    struct error e;

    return path && grant_find("/", path, a, &found, &e) && found.is_dir ? found.path : NULL;
}

/* Does what lies there belong to one of the two who may say what is granted? */
static bool is_trusted(const char *path, const struct repository_ask *ask)
{
    struct stat s;

    return lstat(path, &s) == 0 && !S_ISLNK(s.st_mode) &&
           (s.st_uid == ask->caller || s.st_uid == ask->owner);
}

/* `.git` is a file in a linked working tree: "gitdir: PATH". A file that anybody can write must not
 * choose what is granted: PATH has to be a working tree of a repository, and to point back here. */
static void find_linked(const char *dotgit, const struct repository_ask *ask, struct arena *a,
                        struct repository *out)
{
    const char *gitdir = real_dir(pointer(dotgit, "gitdir: ", out->root, a), a);
    const char *slash = gitdir ? strrchr(gitdir, '/') : NULL, *trees = "/worktrees", *back, *common;
    size_t n = slash ? (size_t)(slash - gitdir) : 0;

    if (n <= strlen(trees) || strncmp(slash - strlen(trees), trees, strlen(trees)) != 0)
        return;
    common = arena_text(a, (struct str){ gitdir, n - strlen(trees) });
    back = pointer(arena_printf(a, "%s/gitdir", gitdir), "", gitdir, a);
    if (!back || strcmp(back, dotgit) != 0 || !is_gitdir(common, a) || !is_trusted(common, ask) ||
        !is_trusted(gitdir, ask))
        return;
    out->gitdir = gitdir;
    out->common = common;
}

static bool is_top(const char *dir, const struct repository_ask *ask, struct arena *a,
                   struct repository *out)
{
    const char *dotgit = arena_printf(a, "%s/.git", strcmp(dir, "/") == 0 ? "" : dir);
    struct stat s;

    if (lstat(dotgit, &s) != 0 || !is_trusted(dotgit, ask) || !is_trusted(dir, ask))
        return false;
    *out = (struct repository){ .root = dir };
    if (!S_ISREG(s.st_mode))
        return S_ISDIR(s.st_mode) && is_gitdir(dotgit, a);
    find_linked(dotgit, ask, a, out);
    return true;
}

/* Neither the whole disk nor a whole home is a repository, unless one works right there. */
static bool is_too_much(const char *dir, const struct repository_ask *ask)
{
    return strcmp(dir, ask->dir) != 0 &&
           (strcmp(dir, "/") == 0 || (ask->home && path_is_in(ask->home, dir)));
}

void repository_find(const struct repository_ask *ask, struct arena *a, struct repository *out)
{
    char *at = arena_text(a, str_of(ask->dir));
    struct stat first, here;

    if (stat(at, &first) == 0) {
        while (stat(at, &here) == 0 && here.st_dev == first.st_dev && !is_too_much(at, ask)) {
            char *slash = strrchr(at, '/');

            if (is_top(arena_text(a, str_of(at)), ask, a, out))
                return;
            if (!slash || strcmp(at, "/") == 0)
                break;
            slash[slash == at] = '\0';
        }
    }
    *out = (struct repository){ .root = ask->dir };
}

/* clang-format off */
/* Of what a linked working tree shares: where commits go, and what must stay as it is. */
static const struct {
    const char *name;
    enum access access;
} shared[] = {
    { "",            ACCESS_READ },
    { "objects",     ACCESS_WRITE },
    { "refs",        ACCESS_WRITE },
    { "logs",        ACCESS_WRITE },
};
/* clang-format on */

void repository_grant(const struct repository *r, struct grants *g)
{
    struct grant write = { .access = ACCESS_WRITE, .why = "linked working tree" };
    struct error e;

    if (!r->gitdir || !grants_open(g, write, "/", r->gitdir, &e) || !r->common)
        return;
    for (size_t i = 0; i < COUNT(shared); i++) {
        struct grant grant = { .access = shared[i].access, .why = "linked working tree" };

        (void)!grants_open(g, grant, r->common, shared[i].name[0] ? shared[i].name : ".", &e);
    }
}
