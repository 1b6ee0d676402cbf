/* SPDX-License-Identifier: Apache-2.0 */
/* protect.c: the table of protected names, and the entries it makes. */
#include "sandbox/protect.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "contract/codes.h"
#include "sandbox/gitdir.h"
#include "sandbox/guard.h"

/* How deep gitdirs are looked for in one another, among how many names, and how many entries are
 * made of them: each may be a mount. */
enum { DEPTH_MAX = 16, LOOKED_MAX = 4096, LINK_WORTH = 16, MADE_MAX = 2000 };

/* Where git keeps its state. */
struct gitdirs {
    struct guard *w;
    size_t looked;
    const char **states; /* that are protected already: links may lead round and round */
    size_t state_count, state_room;
};

/* clang-format off */
static const struct protected_row rows[] = {
    { ".git/hooks",            "git runs them at every commit, checkout and merge", true },
    { ".git/config",           "names commands that git runs: fsmonitor, filters, aliases" },
    { ".git/config.worktree",  "as .git/config" },
    { ".git/info/attributes",  "says which filters git runs" },
    { ".git/commondir",        "says where git looks for all of these" },
    { ".git/gitdir",           "says where git looks for all of these" },
    { ".gitmodules",           "names what git fetches and where it puts it", false, LEAVE_OPTION },
    { ".husky",                "hooks, where git is told to look for them here", true, LEAVE_OPTION },
    { ".githooks",             "hooks, where git is told to look for them here", true, LEAVE_OPTION },
    { ".envrc",                "direnv runs it on entering the directory", false, LEAVE_OPTION },
    { ".pre-commit-config.yaml", "says which hooks pre-commit fetches and runs", false, LEAVE_COMMIT },
    { ".vscode",               "tasks and settings that the editor obeys", false, LEAVE_COMMIT },
    { ".idea",                 "tasks and settings that the editor obeys", false, LEAVE_COMMIT },
    { ".mcp.json",             "names programs that agents start", false, LEAVE_COMMIT },
    { ".claude",               "settings, hooks and commands that agents obey", false, LEAVE_COMMIT },
    { ".cursor",               "settings and rules that agents obey", false, LEAVE_COMMIT },
    { ".codex",                "settings and rules that agents obey", false, LEAVE_COMMIT },
    { "AGENTS.md",             "agents obey it", false, LEAVE_COMMIT },
    { "CLAUDE.md",             "agents obey it", false, LEAVE_COMMIT },
    { ".github/workflows",     "GitHub runs them, with the secrets of the repository", false, LEAVE_COMMIT },
    { ".gitlab-ci.yml",        "GitLab runs it, with the secrets of the repository", false, LEAVE_COMMIT },
    { ".writ",                 "what writ allows" },
    { ".bashrc",               "every new shell runs it" },
    { ".bash_aliases",         "every new shell runs it, by the .bashrc of many systems" },
    { ".bash_profile",         "every login runs it" },
    { ".bash_login",           "every login runs it" },
    { ".bash_logout",          "every logout runs it" },
    { ".profile",              "every login runs it" },
    { ".zshrc",                "every new shell runs it" },
    { ".zshenv",               "every new shell runs it" },
    { ".zprofile",             "every login runs it" },
    { ".zlogin",               "every login runs it" },
    { ".zlogout",              "every logout runs it" },
    { ".gitconfig",            "names commands that git runs" },
    { ".config/git",           "as .gitconfig; also where the user's own settings are (XDG_CONFIG_HOME)" },
    { ".config/writ",          "names programs that writ runs; there, too" },
    { ".config/fish",          "every new shell runs what is in it; there, too" },
    { ".config/systemd",       "units that the user's systemd starts; there, too" },
    { ".config/autostart",     "every login to a desktop runs what is in it; there, too" },
    { ".ssh",                  "keys, and commands that ssh runs" },
};

static const char *const leaves[] = { [LEAVE_NONE] = "nobody", [LEAVE_OPTION] = "--allow-protected", [LEAVE_COMMIT] = "--allow-protected, or in cow a commit that names it" };

static const struct column columns[] = {
    { "name", COLUMN_TEXT, offsetof(struct protected_row, name) },
    { "runs", COLUMN_TEXT, offsetof(struct protected_row, runs) },
    { "leave", COLUMN_NAME, offsetof(struct protected_row, leave), leaves },
};
/* clang-format on */

const struct table protected_table = {
    .name = "protected",
    .about =
        "Names in a writable directory that no command can change, what would run by them, and "
        "by what a person has them changed all the same; .git is wherever git keeps its state.",
    COLUMNS(columns),
    .keys = 1,
    ROWS(rows),
};

static const char git_state[] = ".git/"; /* rows of what lies where git keeps its state */

static const char user_settings[] = ".config/"; /* rows of what lies where the user's own are */

static bool lies_in(const struct protected_row *row, const char *dir)
{
    return strncmp(row->name, dir, strlen(dir)) == 0;
}

static void protect_row(struct guard *w, const char *dir, const char *name, bool hooks)
{
    if (hooks)
        guard_hooks(w, dir, name);
    else
        guard_name(w, dir, name);
}

static void protect_below(struct gitdirs *all, const char *dir, int depth);
static void protect_within(struct gitdirs *all, const char *dir, int depth);

static bool is_known(struct gitdirs *all, const char *state)
{
    for (size_t i = 0; i < all->state_count; i++)
        if (strcmp(all->states[i], state) == 0)
            return true;
    all->states = arena_more(all->w->g->a, all->states, all->state_count, &all->state_room,
                             sizeof *all->states);
    all->states[all->state_count++] = state;
    return false;
}

/* git takes a working tree for gone whose file .git is not there, and forgets it: prune, and gc
 * after some months. So the files of those that the command does not see are there to be read. They
 * must lead back to here, and this be a place that is granted: what a command has made up, or a
 * link of its own leads to, grants nothing. */
static void show_tree(struct guard *w, const char *state)
{
    struct grant tree = { .access = ACCESS_READ, .why = GRANT_GIT_LINKED };
    struct arena *a = w->g->a;
    const char *named = gitdir_pointer(arena_printf(a, "%s/gitdir", state), "", state, a);
    const char *slash = named ? strrchr(named, '/') : NULL, *dir, *dotgit, *back;
    struct error e;

    if (!slash || strcmp(slash, "/.git") != 0 || !grants_show(w->g, state))
        return;
    dir = gitdir_real(arena_text(a, (struct str){ named, (size_t)(slash - named) }), a);
    dotgit = dir ? arena_printf(a, "%s/.git", dir) : NULL;
    if (!dotgit || grants_show(w->g, dotgit))
        return;
    back = gitdir_real(gitdir_pointer(dotgit, "gitdir: ", dir, a), a);
    if (back && strcmp(back, state) == 0 && !grants_open_itself(w->g, tree, dotgit, &e))
        guard_note(w, &e);
}

/* `hooks`, `config` and so on of a directory in which git keeps its state, and of those in it:
 * their hooks may be a command's own work, and are not looked through. */
static void protect_state(struct gitdirs *all, const char *dir, int depth)
{
    static const char *const within[] = { "modules", "worktrees" };
    struct guard *w = all->w;

    if (is_known(all, dir))
        return;
    show_tree(w, dir);
    w->made_up = depth > 0;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (lies_in(&rows[i], git_state))
            protect_row(w, dir, rows[i].name + strlen(git_state), rows[i].hooks && depth == 0);
    w->made_up = false;
    for (size_t i = 0; i < COUNT(within); i++)
        protect_within(all, arena_printf(w->g->a, "%s/%s", dir, within[i]), depth + 1);
}

/* Commands may put a link in the place of either: it stays, and nothing behind it is looked at. */
static void protect_within(struct gitdirs *all, const char *dir, int depth)
{
    struct stat s;

    if (lstat(dir, &s) == 0 && S_ISLNK(s.st_mode))
        guard_link(all->w, dir, &s);
    else
        protect_below(all, dir, depth);
}

/* A link that leads to no state may lead anywhere: only the link itself stays. */
static const char *state_of_link(struct gitdirs *all, const char *path, const struct stat *s)
{
    struct guard *w = all->w;
    const char *state = gitdir_real(path, w->g->a);

    all->looked += LINK_WORTH;
    guard_link(w, path, s);
    return state && grants_show(w->g, state) && gitdir_is_state(state, w->g->a)
               ? guard_lead(w, path)
               : NULL;
}

/* One entry of modules or worktrees, or of a directory there: a submodule's name may hold slashes.
 */
static void protect_entry(struct gitdirs *all, const char *dir, const char *name, int depth)
{
    struct guard *w = all->w;
    const char *path = arena_printf(w->g->a, "%s/%s", dir, name), *state = path;
    struct stat s;

    if (lstat(path, &s) != 0) {
        if (!guard_is_missing())
            guard_whole(w, dir);
        return;
    }
    if (S_ISLNK(s.st_mode))
        state = state_of_link(all, path, &s);
    else if (!S_ISDIR(s.st_mode))
        return;
    if (state && gitdir_is_state(state, w->g->a))
        protect_state(all, state, depth);
    else if (state == path)
        protect_below(all, path, depth + 1);
}

/* Commands make names there as they like: each one that is read counts. */
static bool is_too_much(struct gitdirs *all, int depth)
{
    return depth > DEPTH_MAX || all->looked++ >= LOOKED_MAX || all->w->walked >= LOOKED_MAX ||
           all->w->g->n + all->w->absent->n >= MADE_MAX;
}

/* What is too deep or too much to be looked through stays as it is, altogether. */
static void protect_below(struct gitdirs *all, const char *dir, int depth)
{
    DIR *in = dir ? opendir(dir) : NULL;
    const struct dirent *d;

    if (!in) {
        if (dir && !guard_is_missing())
            guard_whole(all->w, dir);
        return;
    }
    while ((d = fs_next(in)) != NULL && !is_too_much(all, depth))
        if (d->d_type == DT_DIR || d->d_type == DT_LNK || d->d_type == DT_UNKNOWN)
            protect_entry(all, dir, d->d_name, depth);
    if (d || errno != 0)
        guard_whole(all->w, dir);
    (void)closedir(in);
}

/* Where a path that somebody wrote down leads to, if git keeps its state there. */
static bool protect_led_to(struct gitdirs *all, const char *path, const char **state)
{
    *state = path ? guard_lead(all->w, path) : NULL;
    if (!*state || !gitdir_is_state(*state, all->w->g->a))
        return false;
    protect_state(all, *state, 0);
    return true;
}

/* A file or a link named .git stays, and what it leads through; where it leads to is protected as
 * .git itself is. */
static void protect_pointer(struct gitdirs *all, const char *dir, const char *dotgit, bool is_link)
{
    struct guard *w = all->w;
    struct arena *a = w->g->a;
    const char *state, *shared;
    struct stat s;

    if (protect_led_to(all, is_link ? dotgit : gitdir_pointer(dotgit, "gitdir: ", dir, a), &state))
        (void)protect_led_to(
            all, gitdir_pointer(arena_printf(a, "%s/commondir", state), "", state, a), &shared);
    else if (state && lstat(state, &s) != 0 && guard_is_missing())
        absents_add(w->absent, (struct absent){ .path = state, .links_only = true });
    else if (is_link)
        guard_name(w, dir, ".git");
    if (!is_link)
        guard_name(w, dir, ".git");
}

/* A repository that the command makes itself is its own work, hooks and all; but a file or a link
 * named .git would lead git, and the next run, elsewhere. */
static void protect_git(struct gitdirs *all, const char *dir)
{
    struct guard *w = all->w;
    const char *path = arena_printf(w->g->a, "%s/.git", dir);
    struct stat s;
    bool there = lstat(path, &s) == 0;

    if (!there && !guard_is_missing())
        guard_whole(w, dir);
    else if (!there)
        absents_add(w->absent, (struct absent){ .path = path, .links_only = true });
    else if (S_ISDIR(s.st_mode))
        protect_state(all, path, 0);
    else
        protect_pointer(all, dir, path, S_ISLNK(s.st_mode));
}

/* Where everybody may write, as in /tmp, anybody can make a directory look like git's: it belongs
 * to us, to root, or to whom the directory belongs that may be written. */
static bool is_state(const struct grant *root, const char *dir, struct arena *a)
{
    static const char *const marks[] = { "HEAD", "config", "commondir" };
    struct stat s;

    if (!gitdir_is_state(dir, a))
        return false;
    for (size_t i = 0; i < COUNT(marks); i++)
        if (lstat(arena_printf(a, "%s/%s", dir, marks[i]), &s) == 0 &&
            (s.st_uid == 0 || s.st_uid == geteuid() || s.st_uid == root->owner))
            return true;
    return false;
}

/* What may be written may itself lie where git keeps its state: .git/info, or .git/hooks. */
static void protect_around(struct gitdirs *all, const struct grant *root)
{
    const char *path = root->path;
    struct arena *a = all->w->g->a;

    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *dir = arena_text(a, (struct str){ path, (size_t)(slash - path) });

        if (is_state(root, dir, a))
            protect_state(all, dir, 0);
    }
}

/* Where the user's own settings are, by whatever directory a command gets there. */
static void protect_settings(struct guard *w, const char *dir)
{
    const char *real = guard_lead(w, dir);

    for (size_t i = 0; real && i < COUNT(rows); i++)
        if (lies_in(&rows[i], user_settings))
            guard_name(w, real, rows[i].name + strlen(user_settings));
}

/* Programs that writ has built of functions, which it runs for whoever calls one. */
static void protect_built(struct guard *w, const char *dir)
{
    const char *real = guard_lead(w, dir);

    if (real)
        guard_name(w, real, "writ/sdk");
}

const char *protected_around(const struct grants *g, const char *path)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].access == ACCESS_PROTECTED && !g->v[i].is_link &&
            path_is_in(path, g->v[i].path))
            return g->v[i].path;
    return NULL;
}

/* What a name leads to may lie around something that is granted for itself: that is only read.
 * What was asked for is refused, later and with words. */
static void narrow(struct grants *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].access == ACCESS_WRITE && g->v[i].why != GRANT_ASKED &&
            protected_around(g, g->v[i].path))
            g->v[i].access = ACCESS_READ;
}

static bool is_allowed(const struct items *allowed, const char *name)
{
    const struct str *names = allowed ? allowed->v : NULL;

    for (size_t i = 0; names && i < allowed->n; i++)
        if (str_is(names[i], name))
            return true;
    return false;
}

static bool is_asked(const struct protect_ask *ask, const struct protected_row *row)
{
    return !is_allowed(&ask->allowed, row->name) &&
           (ask->part == PROTECT_ALL ||
            (ask->part == PROTECT_COMMIT) == (row->leave == LEAVE_COMMIT));
}

/* What git finds by a directory that is no repository yet. A file HEAD is any file, until what else
 * git wants is beside it. */
static void watch_bare(struct guard *w, const char *dir)
{
    for (const char *const *mark = gitdir_marks; *mark; mark++) {
        const char *path = arena_printf(w->g->a, "%s/%s", dir, *mark);
        struct stat s;

        if (lstat(path, &s) != 0 && guard_is_missing())
            absents_add(w->absent, (struct absent){ .path = path, .bare = true });
    }
}

/* git's state in and around a writable directory. */
static void protect_states(struct gitdirs *all, const struct grant *root, enum protected_part part)
{
    struct guard *w = all->w;

    protect_around(all, root);
    if (!root->is_dir)
        return;
    if (is_state(root, root->path, w->g->a)) /* or a command made it look so: the rest holds, too */
        protect_state(all, root->path, 0);
    else if (part == PROTECT_ALL)
        watch_bare(w, root->path);
    protect_git(all, root->path);
}

bool protect(struct grants *g, const struct protect_ask *ask, struct absents *absent,
             struct error *e)
{
    const struct protected_places *places = ask->part == PROTECT_COMMIT ? NULL : &ask->places;
    struct guard w = { .g = g, .absent = absent, .e = e };
    struct gitdirs all = { .w = &w };

    for (size_t i = 0, n = g->n; i < n; i++) {
        struct grant root = g->v[i];

        if (root.access != ACCESS_WRITE)
            continue;
        if (ask->part != PROTECT_COMMIT)
            protect_states(&all, &root, ask->part);
        for (size_t k = 0; k < COUNT(rows) && root.is_dir; k++)
            if (!lies_in(&rows[k], git_state) && is_asked(ask, &rows[k]))
                protect_row(&w, root.path, rows[k].name, rows[k].hooks);
    }
    for (const char *const *at = places ? places->settings : NULL; at && *at; at++)
        protect_settings(&w, *at);
    for (const char *const *at = places ? places->caches : NULL; at && *at; at++)
        protect_built(&w, *at);
    narrow(g);
    return !w.failed || error_wrap(e, "a protected name");
}

bool protected_may_allow(const struct items *names, bool person, struct error *e)
{
    const struct str *each = names->v;

    if (names->n && !person)
        return error_set(e, CODE_PATH_REFUSED,
                         "filesystem.allow_protected: only a person can have a protected name "
                         "written: writ exec --allow-protected NAME -- COMMAND");
    for (size_t i = 0; i < names->n; i++) {
        bool may = false;

        for (size_t k = 0; k < COUNT(rows); k++)
            may |= rows[k].leave != LEAVE_NONE && str_is(each[i], rows[k].name);
        if (!may)
            return error_set(
                e, CODE_PATH_REFUSED,
                "--allow-protected: '%.*s' is no name that can be allowed: writ explain "
                "protected",
                STR_ARG(each[i]));
    }
    return true;
}

const char *protected_allowable(const struct grants *g, const char *path)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t n = strlen(rows[i].name);

        for (size_t k = 0; rows[i].leave != LEAVE_NONE && k < g->n; k++) {
            size_t top = strlen(g->v[k].path);

            if (g->v[k].access == ACCESS_WRITE && path_is_in(path, g->v[k].path) &&
                strlen(path) > top && strncmp(path + top + 1, rows[i].name, n) == 0 &&
                (path[top + 1 + n] == '\0' || path[top + 1 + n] == '/'))
                return rows[i].name;
        }
    }
    return NULL;
}

const char *protected_name(const char *path, const struct items *allowed, struct arena *a)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *name = arena_printf(a, "/%s", rows[i].name);
        size_t n = strlen(name);

        if (is_allowed(allowed, rows[i].name))
            continue;
        for (const char *at = strstr(path, name); at; at = strstr(at + 1, name))
            if (at[n] == '\0' || at[n] == '/')
                return arena_text(a, (struct str){ path, (size_t)(at - path) + n });
    }
    return NULL;
}

bool protected_state_name(const char *below)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        if (lies_in(&rows[i], git_state) && path_is_in(below, rows[i].name + strlen(git_state)))
            return true;
    return false;
}
