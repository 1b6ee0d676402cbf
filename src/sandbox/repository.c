/* SPDX-License-Identifier: Apache-2.0 */
/* repository.c: climbs to the top of a git working tree. */
#include "sandbox/repository.h"

#include <fcntl.h>
#include <string.h>

#include "sandbox/gitdir.h"

/* Does what lies there belong to one of the two who may say what is granted? */
static bool is_trusted(const char *path, const struct repository_ask *ask)
{
    struct stat s;

    return lstat(path, &s) == 0 && (s.st_uid == ask->caller || s.st_uid == ask->owner);
}

/* Is this the file .git at the top of the tree? */
static bool is_dotgit(const char *path, const char *root, struct arena *a)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *dir;

    if (!slash || strcmp(slash, "/.git") != 0)
        return false;
    dir = gitdir_real(arena_text(a, (struct str){ path, (size_t)(slash - path) }), a);
    return dir && strcmp(dir, root) == 0;
}

/* A linked working tree: REPOSITORY/worktrees/NAME, and its file gitdir names the tree. */
static bool is_linked(const char *gitdir, const struct repository_ask *ask, struct arena *a,
                      struct repository *out)
{
    const char *slash = strrchr(gitdir, '/'), *trees = "/worktrees", *back, *common;
    size_t n = (size_t)(slash - gitdir);

    if (n <= strlen(trees) || strncmp(slash - strlen(trees), trees, strlen(trees)) != 0)
        return false;
    common = arena_text(a, (struct str){ gitdir, n - strlen(trees) });
    back = gitdir_pointer(arena_printf(a, "%s/gitdir", gitdir), "", gitdir, a);
    if (!is_dotgit(back, out->root, a) || !gitdir_is_whole(common, a) || !is_trusted(common, ask))
        return false;
    out->common = common;
    return true;
}

/* A submodule, or whatever else has its settings name the tree by core.worktree. Nothing that has
 * the tree in it: by that a directory around it could be passed off as git's. */
static bool is_tied(const char *gitdir, const struct repository_ask *ask, struct arena *a,
                    const struct repository *out)
{
    const char *tree = gitdir_tree(gitdir, a);

    return tree && strcmp(tree, out->root) == 0 && gitdir_is_whole(gitdir, a) &&
           !path_is_in(out->root, gitdir) && is_trusted(arena_printf(a, "%s/config", gitdir), ask);
}

/* `.git` is a file or a link. One that anybody can write must not choose what is granted: where it
 * leads to has to point back here. What lies in the tree is part of it anyway. */
static void find_state(const char *dotgit, const struct repository_ask *ask, struct arena *a,
                       struct repository *out)
{
    const char *gitdir = gitdir_led_to(dotgit, a);

    if (!gitdir || path_is_in(gitdir, out->root))
        return;
    if (is_trusted(gitdir, ask) && (is_linked(gitdir, ask, a, out) || is_tied(gitdir, ask, a, out)))
        out->gitdir = gitdir;
    else if (gitdir_is_state(gitdir, a))
        out->untied = gitdir;
}

/* The first .git of somebody who is trusted ends the climb, whatever has become of it. git passes
 * over one that is not whole, and over a link that leads nowhere; but a command can take HEAD away,
 * and must not have the tree around its own granted to the next one by that. */
static bool is_top(const char *dir, const struct repository_ask *ask, struct arena *a,
                   struct repository *out)
{
    const char *dotgit = arena_printf(a, "%s/.git", strcmp(dir, "/") == 0 ? "" : dir);
    struct stat s;

    if (lstat(dotgit, &s) != 0 || !is_trusted(dotgit, ask) || !is_trusted(dir, ask))
        return false;
    *out = (struct repository){ .root = dir };
    if (!S_ISDIR(s.st_mode))
        find_state(dotgit, ask, a, out);
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
/* Of what a linked working tree shares: git writes its lock files at the top (packed-refs.lock), so
 * that all of it is granted, as it is to the main working tree; what belongs to the other linked
 * ones stays as it is. */
static const struct shared_row {
    const char *name;
    enum access access;
} shared[] = {
    { "",            ACCESS_WRITE },
    { "/worktrees",  ACCESS_READ },
}, around[] = { /* where the trees lie in it, they are no part of what is shared */
    { "",            ACCESS_READ },
    { "/objects",    ACCESS_WRITE },
    { "/refs",       ACCESS_WRITE },
    { "/logs",       ACCESS_WRITE },
};
/* clang-format on */

bool repository_grant(const struct repository *r, bool writes, struct grants *g, struct error *e)
{
    struct grant own = { .access = writes ? ACCESS_WRITE : ACCESS_READ,
                         .why = r->common ? GRANT_GIT_LINKED : GRANT_GIT };
    const struct shared_row *rows = shared;
    size_t n = COUNT(shared);

    if (!r->gitdir)
        return true;
    if (!grants_open_itself(g, own, r->gitdir, e))
        return grant_is_missing(e);
    if (!r->common)
        return true;
    if (path_is_in(r->root, r->common)) {
        rows = around;
        n = COUNT(around);
    }
    for (size_t i = 0; i < n; i++) {
        struct grant grant = { .access = writes ? rows[i].access : ACCESS_READ, .why = own.why };
        const char *path = arena_printf(g->a, "%s%s", r->common, rows[i].name);

        if (!grants_open_itself(g, grant, path, e) && !grant_is_missing(e))
            return false; /* what is read only would be written */
    }
    return true;
}
