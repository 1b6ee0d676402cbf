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

/* `.git` is a file in a linked working tree: "gitdir: PATH". */
static bool is_linked(const char *dir, const char *dotgit, struct arena *a, struct repository *out)
{
    const char *gitdir = real_dir(pointer(dotgit, "gitdir: ", dir, a), a);
    const char *common;

    if (!gitdir)
        return false;
    common = pointer(arena_printf(a, "%s/commondir", gitdir), "", gitdir, a);
    *out = (struct repository){ .root = dir, .gitdir = gitdir };
    out->common = common ? real_dir(common, a) : NULL;
    return true;
}

static bool is_top(const char *dir, struct arena *a, struct repository *out)
{
    const char *dotgit = arena_printf(a, "%s/.git", strcmp(dir, "/") == 0 ? "" : dir);
    struct stat s;

    if (stat(dotgit, &s) != 0)
        return false;
    if (S_ISREG(s.st_mode))
        return is_linked(dir, dotgit, a, out);
    *out = (struct repository){ .root = dir };
    return S_ISDIR(s.st_mode) && is_gitdir(dotgit, a);
}

void repository_find(const char *dir, struct arena *a, struct repository *out)
{
    char *at = arena_text(a, str_of(dir));
    struct stat first, here;

    if (stat(at, &first) == 0) {
        while (stat(at, &here) == 0 && here.st_dev == first.st_dev) {
            char *slash = strrchr(at, '/');

            if (is_top(arena_text(a, str_of(at)), a, out))
                return;
            if (!slash || strcmp(at, "/") == 0)
                break;
            slash[slash == at] = '\0';
        }
    }
    *out = (struct repository){ .root = dir };
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
