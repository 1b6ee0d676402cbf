/* SPDX-License-Identifier: Apache-2.0 */
/* reach.c: what each filesystem level opens, as tables. */
#include "sandbox/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "contract/codes.h"
#include "contract/inputs.h"
#include "sandbox/environment.h"
#include "sandbox/mirrors.h"
#include "sandbox/other_names.h"
#include "sandbox/system.h"
#include "sandbox/way.h"

/* Where package managers keep what builds depend on, below the caller's home. */
static const char *const dependencies[] = {
    ".cargo/registry", ".cargo/git",      ".rustup",    ".npm",
    ".cache/pip",      ".cache/go-build", "go/pkg/mod", ".m2/repository",
    ".nuget/packages", ".gradle/caches",  ".local/lib", ".cache/yarn",
    ".cache/pnpm",
};

/* Where builds put their results, below the repository. */
static const char *const results[] = { "build", "dist", "out", "output", "target" };

/* What a system tool works on. */
static const char *const system_paths[] = { "/etc", "/opt", "/srv", "/usr", "/var" };

/* Paths that may be missing: a table of habits, not of demands. One that leads elsewhere by a link
 * is passed over: what a repository holds must not choose what is granted. */
static void add_each(struct grants *g, struct grant like, const char *base,
                     const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct error e;
        const char *path = arena_printf(g->a, "%s/%s", strcmp(base, "/") == 0 ? "" : base,
                                        names[i][0] == '/' ? names[i] + 1 : names[i]);

        (void)!grants_open_itself(g, like, path, &e);
    }
}

static void add_real(struct grants *g, const struct grant *found, enum access access,
                     enum grant_reason why)
{
    struct grant grant = *found;

    grant.access = access;
    grant.why = why;
    grant.pinned = true; /* what is collected afterwards is looked for from here */
    grants_add(g, &grant);
}

static bool add_level(const struct reach_ask *ask, const struct grant *cwd, struct reach *r,
                      struct error *e)
{
    struct grant repository = { .access = ACCESS_READ, .why = GRANT_REPOSITORY };
    struct grant needed = { .access = ACCESS_READ, .why = GRANT_DEPENDENCIES };
    struct grant output = { .access = ACCESS_WRITE, .why = GRANT_OUTPUT };
    struct grant system = { .access = ACCESS_READ, .why = GRANT_SYSTEM }, home = { 0 };
    enum fs_level level = (enum fs_level)ask->filesystem->level;
    bool writes = (level == FS_STANDARD || level == FS_EXTENDED) && !r->protected_in && !r->systems;

    add_real(&r->grants, cwd, writes ? ACCESS_WRITE : ACCESS_READ, GRANT_CWD);
    if (level == FS_MINIMAL)
        return true;
    if (!grants_open_itself(&r->grants, repository, r->repository.root, e))
        return false;
    if (!repository_grant(&r->repository, writes && strcmp(r->repository.root, r->cwd) == 0,
                          &r->grants, e))
        return false;
    if (level == FS_EXTENDED && !r->systems)
        add_each(&r->grants, output, r->repository.root, results, COUNT(results));
    if (level == FS_EXTENDED && ask->home && grant_find("/", ask->home, r->grants.a, &home, e))
        add_each(&r->grants, needed, home.path, dependencies, COUNT(dependencies));
    if (level == FS_ELEVATED)
        add_each(&r->grants, system, "/", system_paths, COUNT(system_paths));
    return true;
}

/* What was given, and what that is where it is called otherwise. */
static const char *named(const char *given, const char *real, struct arena *a)
{
    return strcmp(given, real) == 0 ? arena_printf(a, "'%s'", given)
                                    : arena_printf(a, "'%s' (%s)", given, real);
}

/* A01-3: system configuration and state only at level elevated, with an approval. */
static bool may_grant(const struct reach_ask *ask, const struct reach *r, const char *given,
                      const struct grant *found, struct error *e)
{
    const char *real = found->path;
    bool elevated = ask->filesystem->level == FS_ELEVATED && ask->approved;

    if (strcmp(real, "/") == 0)
        return error_set(e, CODE_PATH_REFUSED,
                         "'%s' is the whole disk; name the directories that are needed", given);
    if (!elevated &&
        (inputs_path_pattern(str_of(real)) ||
         (found->access == ACCESS_WRITE && system_owns(found, ask->home, r->grants.a))))
        return error_set(e, CODE_PATH_REFUSED, "%s needs filesystem level elevated and an approval",
                         named(given, real, r->grants.a));
    if (!ask->person && !elevated && !path_is_in(real, r->repository.root))
        return error_set(e, CODE_PATH_REFUSED,
                         "%s is outside of the repository %s: a document needs filesystem "
                         "level elevated and an approval for it",
                         named(given, real, r->grants.a), r->repository.root);
    return true;
}

static bool refuse_protected(const char *path, const char *name, struct error *e)
{
    bool same = strcmp(path, name) == 0;

    return error_set(e, CODE_PATH_REFUSED,
                     "%s cannot be written: it %s%s%s a protected name, which stays as it is "
                     "whatever is granted (writ explain protected)",
                     path, same ? "is" : "lies in ", same ? "" : name, same ? "" : ",");
}

/* What would be dropped without a word is refused: by its name, or as part of what git keeps. */
static bool may_be_written(const struct reach_ask *ask, const struct reach *r, struct error *e)
{
    for (size_t i = 0; i < r->grants.n; i++) {
        const struct grant *asked = &r->grants.v[i];
        const char *name;

        if (asked->access != ACCESS_WRITE || asked->why != GRANT_ASKED)
            continue;
        name = protected_name(asked->path, &ask->filesystem->allow_protected, r->grants.a);
        if (!name)
            name = protected_around(&r->grants, asked->path);
        if (name)
            return refuse_protected(asked->path, name, e);
    }
    return true;
}

/* Its own home has no place in a directory of homes that is the caller's, and has none of its name.
 */
static bool has_home(const struct reach *r, struct error *e)
{
    static const char homes[] = "/home";

    for (size_t i = 0; i < r->grants.n; i++)
        if (r->grants.v[i].access != ACCESS_DENIED && strcmp(r->grants.v[i].path, homes) == 0 &&
            access(ENVIRONMENT_HOME, F_OK) != 0)
            return error_set(e, CODE_PATH_REFUSED,
                             "%s cannot be granted as a whole: a command has its own home in it; "
                             "grant what is needed below it",
                             homes);
    return true;
}

/* A person gave an option; a document has the list. */
static bool of_list(const struct reach_ask *ask, const char *list, struct error *e)
{
    return error_wrap(e, "%s%s", ask->person ? "--" : "filesystem.", list);
}

static bool add_list(const struct reach_ask *ask, struct reach *r, const struct items *list,
                     enum access access, struct error *e)
{
    const struct str *paths = list->v;

    for (size_t i = 0; i < list->n; i++) {
        struct grant grant = { .access = access, .why = GRANT_ASKED };
        const char *given = arena_text(r->grants.a, paths[i]);

        if (!grant_find(ask->caller, given, r->grants.a, &grant, e) ||
            !may_grant(ask, r, given, &grant, e))
            return of_list(ask, access == ACCESS_WRITE ? "write" : "read", e);
        grants_add(&r->grants, &grant);
    }
    return true;
}

/* Is it part of what the level opens? Then whoever asks for it gets nothing by that. */
static bool is_granted_anyhow(const struct grants *g, const struct grant *asked)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].why != GRANT_ASKED && g->v[i].access >= asked->access &&
            path_is_in(asked->path, g->v[i].path))
            return true;
    return false;
}

/* Earlier commands had what this one has: no link that one of them may have left chooses what is
 * granted now. The lists were added in this order, and nothing is denied yet. */
static bool links_stay(const struct reach_ask *ask, const struct reach *r, const struct grant *cwd,
                       struct error *e)
{
    const struct items *lists[] = { &ask->filesystem->read, &ask->filesystem->write };
    const struct grants *g = &r->grants;
    const char **dirs = arena_alloc(g->a, (g->n + 4) * sizeof *dirs);
    struct way_ask way = { ask->caller, ask->cwd, cwd, dirs, 0 };
    size_t at = 0;

    dirs[way.n++] = ask->caller;
    dirs[way.n++] = r->home_root;
    dirs[way.n++] = r->cwd;
    dirs[way.n++] = r->repository.root;
    for (size_t i = 0; i < g->n; i++)
        if (g->v[i].access == ACCESS_WRITE)
            dirs[way.n++] = g->v[i].path;
    if (!way_stays(&way, g->a, e))
        return error_wrap(e, "the working directory");
    for (size_t i = 0; i < COUNT(lists); i++)
        for (size_t k = 0; k < lists[i]->n; k++, at++) {
            while (g->v[at].why != GRANT_ASKED)
                at++;
            way.given = arena_text(g->a, ((const struct str *)lists[i]->v)[k]);
            way.found = &g->v[at];
            if (!is_granted_anyhow(g, way.found) && !way_stays(&way, g->a, e))
                return false;
        }
    return true;
}

/* The path with its directories real, as far as they are there, and its last name as given. */
static const char *real_name(const char *base, const char *given, struct arena *a, struct error *e)
{
    char *full =
        given[0] == '/' ? arena_text(a, str_of(given)) : arena_printf(a, "%s/%s", base, given);
    const char *rest = "";
    struct grant dir = { 0 };

    for (size_t n = strlen(full); n > 1 && full[n - 1] == '/'; n--)
        full[n - 1] = '\0';
    for (;;) {
        char *slash = strrchr(full, '/');

        if (strcmp(slash, "/..") == 0 || strcmp(slash, "/.") == 0) {
            if (!grant_find("/", full, a, &dir, e))
                return NULL;
            return arena_printf(a, "%s%s", dir.path, rest);
        }
        rest = arena_printf(a, "%s%s", slash, rest);
        if (slash == full)
            return rest;
        *slash = '\0';
        if (grant_find("/", full, a, &dir, e))
            return arena_printf(a, "%s%s", strcmp(dir.path, "/") == 0 ? "" : dir.path, rest);
        if (e->sys != ENOENT && e->sys != ENOTDIR)
            return NULL;
    }
}

/* Does a link that leads nowhere stand on the way to a name that is not there? */
static bool is_led(const char *name, struct arena *a)
{
    char *at = arena_text(a, str_of(name));
    struct stat s = { 0 };

    for (char *slash = strrchr(at, '/'); slash && slash != at; slash = strrchr(at, '/')) {
        *slash = '\0';
        if (lstat(at, &s) == 0)
            break;
    }
    return S_ISLNK(s.st_mode);
}

/* Deny holds for the name, for what it leads to, there or not, and for the links between them. */
static bool deny_one(const char *base, struct reach *r, const char *given, enum grant_reason why,
                     struct error *e)
{
    struct grant denied = { .access = ACCESS_DENIED, .why = why };
    const char *name = real_name(base, given, r->grants.a, e);
    struct stat s = { 0 };
    bool there, led;

    if (!name)
        return false;
    there = lstat(name, &s) == 0;
    if (!there && errno != ENOENT && errno != ENOTDIR)
        return error_sys(e, CODE_PATH_REFUSED, "%s is denied, and cannot be looked at", given);
    led = !there && is_led(name, r->grants.a);
    if ((S_ISLNK(s.st_mode) || led || !way_is_straight(base, given, name)) &&
        !denied_hold_links(&r->grants, base, given, name, &r->aliases, e))
        return false;
    if (!there) {
        absents_add(&r->absent, (struct absent){ .path = name, .denied = true, .led = led });
        return true;
    }
    if (S_ISLNK(s.st_mode)) {
        denied.path = name;
        denied.is_link = true;
        grants_add(&r->grants, &denied);
        denied.is_link = false;
        return grants_open(&r->grants, denied, "/", name, e) || e->sys == ENOENT;
    }
    return grants_open(&r->grants, denied, "/", name, e);
}

static bool add_denied(const struct reach_ask *ask, struct reach *r, struct error *e)
{
    const struct str *paths = ask->filesystem->deny.v;

    for (size_t i = 0; i < ask->filesystem->deny.n; i++)
        if (!deny_one(ask->caller, r, arena_text(r->grants.a, paths[i]), GRANT_DENIED, e))
            return of_list(ask, "deny", e);
    return true;
}

/* A secret that goes where the command does not see it is not left lying in its way. What lies in
 * /dev is out of its sight already. */
static bool hide_secrets(const struct reach_ask *ask, struct reach *r, struct error *e)
{
    const struct str *paths = ask->secrets.v;

    for (size_t i = 0; i < ask->secrets.n; i++) {
        const char *path = arena_text(r->grants.a, paths[i]);

        if (!path_is_in(path, "/dev") && !deny_one(r->cwd, r, path, GRANT_SECRET, e))
            return error_wrap(e, "a secret that is injected cannot be hidden from the command");
    }
    return true;
}

static void find_repository(const struct reach_ask *ask, struct reach *r, struct arena *a)
{
    struct repository_ask find = { r->cwd, ask->home, geteuid(), r->owner };
    struct repository callers;

    repository_find(&find, a, &r->repository);
    r->home_root = r->repository.root;
    if (strcmp(r->cwd, ask->caller) == 0)
        return;
    find.dir = ask->caller;
    repository_find(&find, a, &callers);
    r->home_root = callers.root;
}

/* What writ itself keeps is nobody's to read or to change, in this run's place or another's. */
static bool hide_states(const struct reach_ask *ask, struct reach *r, struct error *e)
{
    for (const char *const *at = ask->states; *at; at++)
        if (!denied_hide(&r->grants, ask->caller, *at, e))
            return error_wrap(e, "writ's own state directory cannot be hidden from the command");
    return true;
}

/* What shows the kernel and not files is not part of what is granted. */
static bool deny_submounts(const struct reach_ask *ask, struct reach *r, struct error *e)
{
    struct grants *g = &r->grants;

    if (ask->kept ? !kept_submounts(ask->kept, g->a, &r->mounts, e)
                  : !submounts_read(g->a, &r->mounts, e))
        return false;
    submounts_deny(&r->mounts, g);
    return ask->filesystem->write_mode != WRITE_COW || submounts_cover(&r->mounts, g, e);
}

/* Deny always wins; of the command nothing could be started then. */
static bool cwd_is_left(const struct reach *r, struct error *e)
{
    for (size_t i = 0; i < r->grants.n; i++) {
        const struct grant *g = &r->grants.v[i];

        if (g->access != ACCESS_DENIED || !path_is_in(r->cwd, g->path))
            continue;
        if (g->why == GRANT_STATE)
            return error_set(e, CODE_PATH_REFUSED,
                             "the working directory %s is writ's own state directory or lies in "
                             "it; give another with --cwd, or with WRIT_STATE where that names it",
                             r->cwd);
        if (strcmp(r->cwd, g->path) == 0)
            return error_set(e, CODE_PATH_REFUSED,
                             "the working directory %s is denied; deny what is below it, or give "
                             "another with --cwd",
                             r->cwd);
        return error_set(e, CODE_PATH_REFUSED,
                         "the working directory %s lies in %s, which is denied; give another with "
                         "--cwd",
                         r->cwd, g->path);
    }
    return true;
}

bool reach_build(const struct reach_ask *ask, struct arena *a, struct reach *out, struct error *e)
{
    const struct path_pattern *pattern;
    struct grant cwd = { 0 };
    struct reach r = { .grants = { .a = a }, .absent = { .a = a } };
    bool cow = ask->filesystem->write_mode == WRITE_COW;
    const struct protect_ask names = { cow ? PROTECT_ALWAYS : PROTECT_ALL, ask->places,
                                       ask->filesystem->allow_protected };

    if (!protected_may_allow(&names.allowed, ask->person, e))
        return false;
    if (!grant_find(ask->caller, ask->cwd, a, &cwd, e))
        return error_wrap(e, "the working directory");
    if (!cwd.is_dir)
        return error_set(e, CODE_PATH_REFUSED, "the working directory %s is no directory",
                         ask->cwd);
    if (faccessat(AT_FDCWD, cwd.path, X_OK, AT_EACCESS) != 0)
        return error_sys(e, CODE_PATH_REFUSED, "the working directory %s cannot be entered",
                         ask->cwd);
    r.cwd = cwd.path;
    r.dev = cwd.dev;
    r.ino = cwd.ino;
    r.owner = cwd.owner;
    r.group = cwd.group;
    r.protected_in = protected_name(r.cwd, &ask->filesystem->allow_protected, a);
    r.systems = ask->filesystem->level != FS_ELEVATED && system_owns(&cwd, ask->home, a);
    find_repository(ask, &r, a);
    pattern = inputs_path_pattern(str_of(r.cwd));
    if (!ask->person && !path_is_in(r.cwd, r.home_root))
        return error_set(e, CODE_PATH_REFUSED,
                         "the working directory %s lies outside of %s; a document cannot choose "
                         "one there",
                         r.cwd, r.home_root);
    if (strcmp(r.cwd, "/") == 0)
        return error_set(e, CODE_PATH_REFUSED,
                         "the working directory is %s; run it in a directory of its own, or give "
                         "one with --cwd",
                         r.cwd);
    if (pattern && ask->filesystem->level != FS_ELEVATED)
        return error_set(e, CODE_PATH_REFUSED,
                         "the working directory is %s, and '%s' (IV-03) needs level elevated: give "
                         "another with --cwd, or say --fs elevated --approve REASON, and --write . "
                         "to write there",
                         r.cwd, pattern->text);
    if (!add_level(ask, &cwd, &r, e) ||
        !add_list(ask, &r, &ask->filesystem->read, ACCESS_READ, e) ||
        !add_list(ask, &r, &ask->filesystem->write, ACCESS_WRITE, e) ||
        !links_stay(ask, &r, &cwd, e) || !add_denied(ask, &r, e) || !hide_secrets(ask, &r, e))
        return false;
    if (!denied_follow(&r.grants, &r.absent, &r.aliases, ask->states[0], e) ||
        !deny_submounts(ask, &r, e))
        return false;
    if (!hide_states(ask, &r, e) || !protect(&r.grants, &names, &r.absent, e) ||
        !protected_follow(&r.grants, e) || !mirrors_hold(&r.mounts, &r.grants, &r.absent, e) ||
        !cwd_is_left(&r, e) || !may_be_written(ask, &r, e) || !has_home(&r, e))
        return false;
    if (!r.protected_in)
        r.protected_in = protected_around(&r.grants, r.cwd);
    r.told = reach_tell(&r);
    if (!grants_pin(&r.grants, e) || !absents_pin(&r.absent, &r.grants, e))
        return false;
    *out = r;
    return true;
}

static bool lies_in_reach(const struct reach *r, const char *given, const char *real,
                          struct error *e)
{
    const struct grant *grant = grants_decide(&r->grants, real);

    if (!grant)
        return error_set(e, CODE_PATH_REFUSED, "'%s' is %s, which the command does not see", given,
                         real);
    if (grant->access == ACCESS_DENIED)
        return error_set(e, CODE_PATH_REFUSED, "'%s' is %s, which is denied", given, real);
    return true;
}

/* `..\\` and C:\\Windows\\ mean nothing here, and something where the file may go next. */
static bool is_foreign(struct str path)
{
    const struct path_pattern *pattern = inputs_path_pattern(path);

    return pattern && strchr(pattern->text, '\\');
}

bool reach_covers(const struct reach_ask *ask, const struct reach *r, struct arena *a,
                  struct error *e)
{
    const struct str *given_in = ask->inputs.v, *given_out = ask->outputs.v;

    for (size_t i = 0; i < ask->inputs.n; i++) {
        const char *given = arena_text(a, given_in[i]);
        struct grant found = { 0 };

        if (is_foreign(given_in[i]))
            return error_set(e, CODE_PATH_REFUSED, "input file '%s' is a path of another system",
                             given);
        if (!grant_find(r->cwd, given, a, &found, e) || !lies_in_reach(r, given, found.path, e))
            return error_wrap(e, "input file");
    }
    for (size_t i = 0; i < ask->outputs.n; i++) {
        const char *given = arena_text(a, given_out[i]);
        const struct grant *decides;

        if (given[0] == '/' || inputs_path_pattern(given_out[i]))
            return error_set(e, CODE_PATH_REFUSED,
                             "output file '%s' must be a path below the working directory, "
                             "without '..'",
                             given);
        decides = grants_decide(&r->grants, arena_printf(a, "%s/%s", r->cwd, given));
        if (decides && decides->access == ACCESS_DENIED)
            return error_set(e, CODE_PATH_REFUSED, "output file '%s' is denied", given);
    }
    return true;
}
