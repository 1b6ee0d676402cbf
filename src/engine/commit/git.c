/* SPDX-License-Identifier: Apache-2.0 */
/* git.c: by which changes git would run something, in whatever directory it keeps its state. */
#include <string.h>
#include <sys/stat.h>

#include "engine/commit.h"

static bool ends_in(struct str path, const char *with)
{
    size_t n = strlen(with);

    return path.n >= n && str_is(str_from(path, path.n - n), with);
}

/* ---- where its state is ---- */

typedef bool is_there(const struct commit *c, const char *path);

static bool is_now(const struct commit *c, const char *path)
{
    struct stat s;

    (void)c;
    return lstat(path, &s) == 0;
}

/* With this commit, or with another of the same changes. */
static bool may_be(const struct commit *c, const char *path)
{
    long row = commit_row(c->set, path);

    return is_now(c, path) || (row >= 0 && commit_to(c, (size_t)row)->there);
}

static bool has(const struct commit *c, const char *dir, const char *name, is_there *there)
{
    return there(c, arena_printf(c->a, "%s/%s", dir, name));
}

/* What git takes for a repository, or for a working tree's part of one. */
static bool is_state(const struct commit *c, const char *dir, is_there *there)
{
    return has(c, dir, "HEAD", there) &&
           (has(c, dir, "commondir", there) ||
            (has(c, dir, "refs", there) && has(c, dir, "objects", there)));
}

static bool makes_state(const char *name)
{
    static const char *const names[] = { "HEAD", "commondir", "objects", "refs" };

    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* ---- what it obeys there ---- */

/* git makes samples of hooks, and runs none. */
static bool is_obeyed(const struct commit *c, size_t row, const char *name)
{
    return commit_to(c, row)->kind != CHANGE_DIRECTORY &&
           !ends_in(c->set->changes.v[row].path, ".sample") && protected_state_name(name);
}

/* As git would find it, in a directory that may have any name. */
static bool is_by_place(const struct commit *c, size_t row, const char *dir, const char *name)
{
    if (is_obeyed(c, row, name))
        return is_state(c, dir, is_now) || is_state(c, dir, may_be);
    return makes_state(name) && !is_state(c, dir, is_now) && is_state(c, dir, may_be);
}

/* The first component that is called .git, below a tree: where it ends; NULL: there is none. */
static const char *end_of_git(const char *below)
{
    for (const char *at = below; *at; at += strcspn(at, "/"), at += *at == '/')
        if (strncmp(at, ".git", 4) == 0 && (at[4] == '\0' || at[4] == '/'))
            return at + 4;
    return NULL;
}

/* A file or a link called .git leads it to a directory of any name. */
static bool is_by_name(const struct commit *c, size_t row, const char *git)
{
    return *git ? is_obeyed(c, row, git + 1) : commit_to(c, row)->kind != CHANGE_DIRECTORY;
}

const char *commit_git(const struct commit *c, size_t row)
{
    struct str path = c->set->changes.v[row].path;
    const char *below, *git;

    if (!commit_to(c, row)->there || !changes_root(c->set, path.s, &below) || !*below)
        return NULL;
    git = end_of_git(below);
    if (git && is_by_name(c, row, git))
        return arena_text(c->a, (struct str){ path.s, (size_t)(git - path.s) });
    for (const char *name = below; name; name = strchr(name, '/'), name += name != NULL) {
        const char *dir = arena_text(c->a, (struct str){ path.s, (size_t)(name - path.s) - 1 });

        if (!is_by_place(c, row, dir, name))
            continue;
        if (git && git <= name)
            return arena_text(c->a, (struct str){ path.s, (size_t)(git - path.s) });
        return *dir ? dir : "/";
    }
    return NULL;
}

const char *commit_runs_later(const struct commit *c, size_t row)
{
    const struct change_side *to = commit_to(c, row);
    struct str path = c->set->changes.v[row].path;
    const char *git;

    if (!to->there || to->kind == CHANGE_DIRECTORY || ends_in(path, ".sample"))
        return NULL;
    git = commit_git(c, row);
    return git ? git : protected_name(path.s, c->a);
}
