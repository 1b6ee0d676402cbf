/* SPDX-License-Identifier: Apache-2.0 */
/* protect.c: the table of protected names, and the entries it makes. */
#include "sandbox/protect.h"

#include <dirent.h>
#include <string.h>

/* clang-format off */
static const struct protected_row rows[] = {
    { ".git/hooks",            "git runs them at every commit, checkout and merge" },
    { ".git/config",           "names commands that git runs: fsmonitor, filters, aliases" },
    { ".git/config.worktree",  "as .git/config" },
    { ".git/info/attributes",  "says which filters git runs" },
    { ".git/modules/*/config", "as .git/config, of a submodule" },
    { ".git/modules/*/hooks",  "as .git/hooks, of a submodule" },
    { ".git/worktrees/*/commondir", "says where git looks for all of these" },
    { ".git/worktrees/*/config.worktree", "as .git/config" },
    { ".git/commondir",        "says where git looks for all of these" },
    { ".git/gitdir",           "says where git looks for all of these" },
    { "hooks",                 "git runs them; in a directory git keeps its state in" },
    { "config",                "as .git/config; in a directory git keeps its state in" },
    { "config.worktree",       "as .git/config; in a directory git keeps its state in" },
    { "commondir",             "in a directory git keeps its state in" },
    { "gitdir",                "in a directory git keeps its state in" },
    { ".gitmodules",           "names what git fetches and where it puts it" },
    { ".husky",                "hooks, where git is told to look for them here" },
    { ".githooks",             "hooks, where git is told to look for them here" },
    { ".envrc",                "direnv runs it on entering the directory" },
    { ".vscode",               "tasks and settings that the editor obeys" },
    { ".idea",                 "tasks and settings that the editor obeys" },
    { ".mcp.json",             "names programs that agents start" },
    { ".writ",                 "what writ allows" },
    { ".bashrc",               "every new shell runs it" },
    { ".bash_profile",         "every login runs it" },
    { ".bash_login",           "every login runs it" },
    { ".bash_logout",          "every logout runs it" },
    { ".profile",              "every login runs it" },
    { ".zshrc",                "every new shell runs it" },
    { ".zshenv",               "every new shell runs it" },
    { ".zprofile",             "every login runs it" },
    { ".gitconfig",            "names commands that git runs" },
    { ".ssh",                  "keys, and commands that ssh runs" },
};

static const struct column columns[] = {
    { "name", COLUMN_TEXT, offsetof(struct protected_row, name) },
    { "runs", COLUMN_TEXT, offsetof(struct protected_row, runs) },
};
/* clang-format on */

const struct table protected_table = {
    .name = "protected",
    .about = "Names in a writable directory that stay as they are, and what they would make run.",
    COLUMNS(columns),
    .keys = 1,
    ROWS(rows),
};

void absents_add(struct absents *list, struct absent absent)
{
    list->v = arena_more(list->a, list->v, list->n, &list->room, sizeof *list->v);
    list->v[list->n++] = absent;
}

/* Rows without a dot are for the directories of git itself. */
static bool applies(const struct protected_row *row, bool in_gitdir)
{
    return (row->name[0] == '.') != in_gitdir;
}

static void protect_one(struct grants *g, struct absents *absent, const char *dir, const char *name)
{
    struct grant grant = { .access = ACCESS_PROTECTED, .why = "protected name" };
    const char *path = arena_printf(g->a, "%s/%s", dir, name);
    struct stat s;
    struct error e;

    if (lstat(path, &s) != 0) {
        absents_add(absent, (struct absent){ .path = path });
        return;
    }
    if (S_ISLNK(
            s.st_mode)) { /* the link stays, and what it leads to is protected where it is seen */
        grant.path = path;
        grant.is_link = true;
        grant.dev = s.st_dev;
        grant.ino = s.st_ino;
        grants_add(g, &grant);
        grant.is_link = false;
    }
    (void)!grants_open(g, grant, "/", path, &e);
}

/* `before*after` for every name the star can stand for. */
static void protect_each(struct grants *g, struct absents *absent, const char *dir,
                         const char *name)
{
    const char *star = strchr(name, '*');
    const char *before = arena_text(g->a, (struct str){ name, (size_t)(star - name) });
    DIR *in = opendir(arena_printf(g->a, "%s/%s", dir, before));

    if (!in)
        return;
    for (const struct dirent *d = readdir(in); d; d = readdir(in))
        if (d->d_name[0] != '.')
            protect_one(g, absent, dir, arena_printf(g->a, "%s%s%s", before, d->d_name, star + 1));
    (void)closedir(in);
}

static bool is_there(const char *dir, const char *name, struct arena *a)
{
    struct stat s;

    return lstat(arena_printf(a, "%s/%s", dir, name), &s) == 0;
}

/* A directory in which git itself keeps its state. */
static bool is_git_state(const char *dir, struct arena *a)
{
    return is_there(dir, "HEAD", a) && (is_there(dir, "refs", a) || is_there(dir, "commondir", a));
}

/* A repository that the command makes itself is its own work, hooks and all; but a file or a link
 * named .git would lead git, and the next run, elsewhere. */
static bool has_git(const char *dir, struct grants *g, struct absents *absent)
{
    const char *path = arena_printf(g->a, "%s/.git", dir);
    struct stat s;

    if (lstat(path, &s) != 0) {
        absents_add(absent, (struct absent){ .path = path, .links_only = true });
        return false;
    }
    if (!S_ISDIR(s.st_mode))
        protect_one(g, absent, dir, ".git");
    return S_ISDIR(s.st_mode);
}

void protect(struct grants *g, struct absents *absent)
{
    for (size_t i = 0, n = g->n; i < n; i++) {
        struct grant root = g->v[i];
        bool open = root.access == ACCESS_WRITE && root.is_dir;
        bool in_gitdir = open && is_git_state(root.path, g->a);
        bool git = open && !in_gitdir && has_git(root.path, g, absent);

        for (size_t k = 0; open && k < COUNT(rows); k++) {
            if (!applies(&rows[k], in_gitdir) || (!git && strncmp(rows[k].name, ".git/", 5) == 0))
                continue;
            if (strchr(rows[k].name, '*'))
                protect_each(g, absent, root.path, rows[k].name);
            else
                protect_one(g, absent, root.path, rows[k].name);
        }
    }
}

void absents_pin(const struct absents *list, struct grants *g)
{
    for (size_t i = 0; i < list->n; i++)
        grants_pin_way(g, list->v[i].path);
}
