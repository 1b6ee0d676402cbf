/* SPDX-License-Identifier: Apache-2.0 */
/* git.c: by which changes git would run something, in whatever directory it keeps its state. */
#include <limits.h>
#include <stdio.h>
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

/* Nobody looks at what lies deeper than a path can be long: it counts as there. */
static bool has(const struct commit *c, struct str dir, const char *name, is_there *there)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%.*s/%s", STR_ARG(dir), name);

    return n < 0 || (size_t)n >= sizeof path || there(c, path);
}

static bool looks_like_state(const struct commit *c, struct str dir, is_there *there)
{
    return has(c, dir, "HEAD", there) &&
           (has(c, dir, "commondir", there) ||
            (has(c, dir, "refs", there) && has(c, dir, "objects", there)));
}

/* ---- what was found of the directories around a path ---- */

/* Of the directory that the first bytes of the path are. */
struct git_level {
    size_t end;
    struct {
        bool known, is;
    } state[2];
};

/* Rows come sorted, and many lie in the same directories. Another pass over them asks anew. */
struct commit_levels {
    size_t row;
    struct str path;
    struct git_level *v;
    size_t n, room;
};

static size_t common(struct str a, struct str b)
{
    size_t n = 0;

    while (n < a.n && n < b.n && a.s[n] == b.s[n])
        n++;
    return n;
}

static void levels_begin(struct commit_levels *l, struct str path, size_t row)
{
    size_t same = row > l->row ? common(l->path, path) : 0;

    while (l->n && l->v[l->n - 1].end > same)
        l->n--;
    l->row = row;
    l->path = path;
}

/* They are asked for from the outermost to the innermost. */
static struct git_level *level_at(const struct commit *c, size_t end)
{
    struct commit_levels *l = c->levels;
    size_t low = 0, high = l->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (l->v[middle].end < end)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < l->n && l->v[low].end == end)
        return &l->v[low];
    l->v = arena_more(c->a, l->v, l->n, &l->room, sizeof *l->v);
    memmove(l->v + low + 1, l->v + low, (l->n - low) * sizeof *l->v);
    l->v[low] = (struct git_level){ .end = end };
    l->n++;
    return &l->v[low];
}

/* What git takes for a repository, or for a working tree's part of one. */
static bool is_state(const struct commit *c, struct str dir, is_there *there)
{
    struct git_level *level = level_at(c, dir.n);
    bool may = there == may_be;

    if (!level->state[may].known)
        level->state[may].is = looks_like_state(c, dir, there);
    level->state[may].known = true;
    return level->state[may].is;
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
static bool is_by_place(const struct commit *c, size_t row, struct str dir, const char *name)
{
    if (is_obeyed(c, row, name))
        return is_state(c, dir, is_now) || is_state(c, dir, may_be);
    return makes_state(name) && !is_state(c, dir, is_now) && is_state(c, dir, may_be);
}

/* The next component that is called .git: where it ends; NULL: there is none. */
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

/* Where the first .git ends by which git would run something. */
static const char *by_name(const struct commit *c, size_t row, const char *below)
{
    const char *git = end_of_git(below);

    while (git && !is_by_name(c, row, git))
        git = *git ? end_of_git(git + 1) : NULL;
    return git;
}

/* Where the directory ends that is git's by what is in it. */
static const char *by_place(const struct commit *c, size_t row, struct str path, const char *below)
{
    const char *git = end_of_git(below);

    levels_begin(c->levels, path, row);
    for (const char *name = below; name; name = strchr(name, '/'), name += name != NULL) {
        struct str dir = { path.s, (size_t)(name - path.s) - 1 };

        if (is_by_place(c, row, dir, name))
            return git && git <= name ? git : path.s + dir.n;
    }
    return NULL;
}

struct commit_levels *commit_levels_new(struct arena *a)
{
    return arena_new(a, struct commit_levels);
}

const char *commit_git(const struct commit *c, size_t row)
{
    struct str path = c->set->changes.v[row].path;
    const char *below, *end;

    if (!commit_to(c, row)->there || !changes_root(c->set, path.s, &below) || !*below)
        return NULL;
    end = by_name(c, row, below);
    if (!end)
        end = by_place(c, row, path, below);
    if (!end)
        return NULL;
    return end > path.s ? arena_text(c->a, (struct str){ path.s, (size_t)(end - path.s) }) : "/";
}

const char *commit_git_name(const struct commit *c, size_t row, const char *git)
{
    struct str path = c->set->changes.v[row].path;

    return ends_in(str_of(git), "/.git") || looks_like_state(c, str_of(git), is_now) ? git : path.s;
}

const char *commit_runs_later(const struct commit *c, size_t row)
{
    const struct change_side *to = commit_to(c, row);
    struct str path = c->set->changes.v[row].path;
    const char *git;

    if (!to->there || to->kind == CHANGE_DIRECTORY || ends_in(path, ".sample"))
        return NULL;
    git = commit_git(c, row);
    return git ? git : protected_name(path.s, NULL, c->a);
}
