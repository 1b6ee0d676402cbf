/* SPDX-License-Identifier: Apache-2.0 */
/* protect.c: the table of protected names, and the entries it makes. */
#include "sandbox/protect.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/fs.h"
#include "sandbox/gitdir.h"

/* How deep gitdirs are looked for in one another, and in how many directories. */
enum { DEPTH_MAX = 16, LOOKED_MAX = 4096 };

/* What is protected goes to `g`; what is not there, to `absent`. */
struct guard {
    struct grants *g;
    struct absents *absent;
    size_t looked;
    struct error *e;
    bool failed;         /* e says why */
    const char **states; /* of git, that are protected already: links may lead round and round */
    size_t state_count, state_room;
};

/* clang-format off */
static const struct protected_row rows[] = {
    { ".git/hooks",            "git runs them at every commit, checkout and merge" },
    { ".git/config",           "names commands that git runs: fsmonitor, filters, aliases" },
    { ".git/config.worktree",  "as .git/config" },
    { ".git/info/attributes",  "says which filters git runs" },
    { ".git/commondir",        "says where git looks for all of these" },
    { ".git/gitdir",           "says where git looks for all of these" },
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
    .about = "Names in a writable directory that stay as they are, and what they would make run; "
             ".git is wherever git keeps its state.",
    COLUMNS(columns),
    .keys = 1,
    ROWS(rows),
};

void absents_add(struct absents *list, struct absent absent)
{
    list->v = arena_more(list->a, list->v, list->n, &list->room, sizeof *list->v);
    list->v[list->n++] = absent;
}

static const char git_state[] = ".git/"; /* rows of what lies where git keeps its state */

static bool is_of_git(const struct protected_row *row)
{
    return strncmp(row->name, git_state, strlen(git_state)) == 0;
}

/* The name of a link stays; what it leads to is another matter. */
static void protect_link(struct guard *w, const char *path, const struct stat *s)
{
    struct grant link = { .path = path,
                          .access = ACCESS_PROTECTED,
                          .why = GRANT_PROTECTED,
                          .is_link = true,
                          .dev = s->st_dev,
                          .ino = s->st_ino };

    grants_add(w->g, &link);
}

/* The first that nobody can pass over is kept. */
static void note(struct guard *w, const struct error *e)
{
    if (w->failed || grant_is_missing(e))
        return;
    *w->e = *e;
    w->failed = true;
}

/* A directory on the way to what is protected. One that is a link stays, and leads to the real one;
 * NULL where it leads nowhere. */
static const char *follow(struct guard *w, const char *path)
{
    struct grant found = { 0 };
    struct stat s;
    struct error e;

    if (lstat(path, &s) != 0 || !S_ISLNK(s.st_mode))
        return path;
    protect_link(w, path, &s);
    if (grant_find("/", path, w->g->a, &found, &e))
        return found.is_dir ? found.path : NULL;
    note(w, &e);
    return NULL;
}

/* As the last call has it: nothing of that name. Anything else means that we cannot know. */
static bool is_missing(void)
{
    return errno == ENOENT || errno == ENOTDIR;
}

static void protect_whole(struct guard *w, const char *dir);

static void protect_one(struct guard *w, const char *dir, const char *name)
{
    struct grant grant = { .access = ACCESS_PROTECTED, .why = GRANT_PROTECTED };
    const char *path = arena_printf(w->g->a, "%s/%s", dir, name), *slash = strrchr(name, '/');
    const char *parent = dir;
    struct stat s;
    struct error e;

    if (slash) { /* what is not there is looked for, and removed, without following a link */
        parent = follow(w, arena_printf(w->g->a, "%s/%.*s", dir, (int)(slash - name), name));
        path = arena_printf(w->g->a, "%s%s", parent ? parent : "", slash);
    }
    if (!parent)
        return;
    if (lstat(path, &s) != 0) {
        if (is_missing())
            absents_add(w->absent, (struct absent){ .path = path });
        else
            protect_whole(w, parent);
        return;
    }
    if (S_ISLNK(s.st_mode)) /* what it leads to is protected, too, where it is seen */
        protect_link(w, path, &s);
    if (!grants_open(w->g, grant, "/", path, &e))
        note(w, &e);
}

/* What cannot be looked into may hold anything, and the command may let itself in: it stays as it
 * is, altogether. */
static void protect_whole(struct guard *w, const char *dir)
{
    const char *slash = strrchr(dir, '/');

    protect_one(w, arena_text(w->g->a, (struct str){ dir, (size_t)(slash - dir) }), slash + 1);
}

static void protect_below(struct guard *w, const char *dir, int depth);

static bool is_known(struct guard *w, const char *state)
{
    for (size_t i = 0; i < w->state_count; i++)
        if (strcmp(w->states[i], state) == 0)
            return true;
    w->states = arena_more(w->g->a, w->states, w->state_count, &w->state_room, sizeof *w->states);
    w->states[w->state_count++] = state;
    return false;
}

/* git takes a working tree for gone whose file .git is not there, and forgets it: prune, and gc
 * after some months. So the files of those that the command does not see are there to be read. They
 * must lead back to here: what a command has made up grants nothing. */
static void show_tree(struct guard *w, const char *state)
{
    struct grant tree = { .access = ACCESS_READ, .why = GRANT_GIT_LINKED };
    struct arena *a = w->g->a;
    const char *named = gitdir_pointer(arena_printf(a, "%s/gitdir", state), "", state, a);
    const char *slash = named ? strrchr(named, '/') : NULL, *dir, *dotgit, *back;
    struct error e;

    if (!slash || strcmp(slash, "/.git") != 0)
        return;
    dir = gitdir_real(arena_text(a, (struct str){ named, (size_t)(slash - named) }), a);
    dotgit = dir ? arena_printf(a, "%s/.git", dir) : NULL;
    if (!dotgit || grants_show(w->g, dotgit))
        return;
    back = gitdir_real(gitdir_pointer(dotgit, "gitdir: ", dir, a), a);
    if (back && strcmp(back, state) == 0 && !grants_open_itself(w->g, tree, dotgit, &e))
        note(w, &e);
}

/* `hooks`, `config` and so on of a directory in which git keeps its state, and of those in it. */
static void protect_state(struct guard *w, const char *dir, int depth)
{
    static const char *const within[] = { "modules", "worktrees" };

    if (is_known(w, dir))
        return;
    show_tree(w, dir);
    for (size_t i = 0; i < COUNT(rows); i++)
        if (is_of_git(&rows[i]))
            protect_one(w, dir, rows[i].name + strlen(git_state));
    for (size_t i = 0; i < COUNT(within); i++)
        protect_below(w, follow(w, arena_printf(w->g->a, "%s/%s", dir, within[i])), depth + 1);
}

/* One entry of modules or worktrees, or of a directory there: a submodule's name may hold slashes.
 * What is too deep or too much to be looked through stays as it is, altogether. */
static void protect_entry(struct guard *w, const char *dir, const char *name, int depth)
{
    const char *path = arena_printf(w->g->a, "%s/%s", dir, name), *real = follow(w, path);
    struct stat s;

    if (!real)
        return;
    if (lstat(real, &s) != 0) {
        if (!is_missing())
            protect_whole(w, dir);
        return;
    }
    if (!S_ISDIR(s.st_mode))
        return;
    if (depth > DEPTH_MAX || w->looked++ > LOOKED_MAX)
        protect_one(w, dir, name);
    else if (gitdir_is_state(real, w->g->a))
        protect_state(w, real, depth);
    else if (real == path) /* a link to what is no state may lead anywhere */
        protect_below(w, real, depth + 1);
}

static void protect_below(struct guard *w, const char *dir, int depth)
{
    DIR *in = dir ? opendir(dir) : NULL;
    const struct dirent *d;

    if (!in) {
        if (dir && !is_missing())
            protect_whole(w, dir);
        return;
    }
    while ((d = fs_next(in)) != NULL)
        protect_entry(w, dir, d->d_name, depth);
    if (errno != 0)
        protect_whole(w, dir);
    (void)closedir(in);
}

/* A file or a link named .git stays; where it leads to is protected as .git itself is. */
static void protect_led_to(struct guard *w, const char *dir, const char *dotgit,
                           const struct stat *s)
{
    const char *state = gitdir_led_to(dotgit, w->g->a), *shared;

    if (!state || !gitdir_is_state(state, w->g->a)) {
        protect_one(w, dir, ".git");
        return;
    }
    if (S_ISLNK(s->st_mode))
        protect_link(w, dotgit, s);
    else
        protect_one(w, dir, ".git");
    protect_state(w, state, 0);
    shared = gitdir_shared(state, w->g->a);
    if (shared && gitdir_is_state(shared, w->g->a))
        protect_state(w, shared, 0);
}

/* A repository that the command makes itself is its own work, hooks and all; but a file or a link
 * named .git would lead git, and the next run, elsewhere. */
static void protect_git(struct guard *w, const char *dir)
{
    const char *path = arena_printf(w->g->a, "%s/.git", dir);
    struct stat s;
    bool there = lstat(path, &s) == 0;

    if (!there && !is_missing())
        protect_whole(w, dir);
    else if (!there)
        absents_add(w->absent, (struct absent){ .path = path, .links_only = true });
    else if (S_ISDIR(s.st_mode))
        protect_state(w, path, 0);
    else
        protect_led_to(w, dir, path, &s);
}

/* What may be written may itself lie where git keeps its state: .git/info, or .git/hooks. */
static void protect_around(struct guard *w, const char *path)
{
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *dir = arena_text(w->g->a, (struct str){ path, (size_t)(slash - path) });

        if (gitdir_is_state(dir, w->g->a))
            protect_state(w, dir, 0);
    }
}

bool protect(struct grants *g, struct absents *absent, struct error *e)
{
    struct guard w = { .g = g, .absent = absent, .e = e };

    for (size_t i = 0, n = g->n; i < n; i++) {
        struct grant root = g->v[i];

        if (root.access != ACCESS_WRITE)
            continue;
        protect_around(&w, root.path);
        if (!root.is_dir)
            continue;
        if (gitdir_is_state(root.path,
                            g->a)) /* or a command made it look so: the rest holds, too */
            protect_state(&w, root.path, 0);
        protect_git(&w, root.path);
        for (size_t k = 0; k < COUNT(rows); k++)
            if (!is_of_git(&rows[k]))
                protect_one(&w, root.path, rows[k].name);
    }
    return !w.failed || error_wrap(e, "a protected name");
}

const char *protected_name(const char *path, struct arena *a)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *name = arena_printf(a, "/%s", rows[i].name);
        size_t n = strlen(name);

        for (const char *at = strstr(path, name); at; at = strstr(at + 1, name))
            if (at[n] == '\0' || at[n] == '/')
                return arena_text(a, (struct str){ path, (size_t)(at - path) + n });
    }
    return NULL;
}

bool absents_pin(const struct absents *list, struct grants *g, struct error *e)
{
    for (size_t i = 0; i < list->n; i++)
        if (!grants_pin_way(g, list->v[i].path, list->v[i].denied, e))
            return false;
    return true;
}
