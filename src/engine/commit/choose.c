/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c: which changes are meant, and whether the run's policy lets them come to the
 * disk.
 */
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/base64.h"
#include "contract/codes.h"
#include "engine/commit.h"

long commit_row(const struct change_set *set, const char *path)
{
    size_t low = 0, high = set->changes.n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(set->changes.v[middle].path.s, path);

        if (order == 0)
            return (long)middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

void commit_refuse(struct commit *c, size_t row, enum code code, const char *why)
{
    c->refused =
        arena_more(c->a, c->refused, c->refused_count, &c->refused_room, sizeof *c->refused);
    c->refused[c->refused_count++] = (struct commit_refusal){ row, code, why };
}

/* ---- which ---- */

/* A path as it was typed: from here, without . and .. in it. */
static const char *whole_path(const char *typed, struct arena *a)
{
    char here[PATH_MAX];
    _buf_ struct buf out = { .max = 1 << 16 };
    const char *text = typed, *at;

    if (typed[0] != '/' && getcwd(here, sizeof here))
        text = arena_printf(a, "%s/%s", here, typed);
    for (at = text; *at;) {
        size_t n = strcspn(at, "/");

        if (n == 2 && at[0] == '.' && at[1] == '.') {
            while (out.len && out.s[--out.len] != '/')
                continue;
        } else if (n > 0 && !(n == 1 && at[0] == '.')) {
            buf_addc(&out, '/');
            buf_add(&out, at, n);
        }
        at += n + (at[n] == '/');
    }
    return out.len ? arena_text(a, buf_str(&out)) : "/";
}

/* The same where directories on the way are links. */
static const char *real_path(const char *path, struct arena *a)
{
    const char *slash = strrchr(path, '/');
    char real[PATH_MAX];

    if (slash == path ||
        !realpath(arena_text(a, (struct str){ path, (size_t)(slash - path) }), real))
        return path;
    return arena_printf(a, "%s%s", real, slash);
}

static bool choose_below(struct commit *c, const char *path)
{
    bool found = false;

    for (size_t i = 0; i < c->set->changes.n; i++) {
        const char *git;

        if (!path_is_in(c->set->changes.v[i].path.s, path))
            continue;
        git = commit_git(c, i);
        c->paths[i].chosen = true;
        if (!c->paths[i].by || path_is_in(path, c->paths[i].by))
            c->paths[i].by = path;
        c->paths[i].named |= git && path_is_in(path, commit_git_name(c, i, git));
        found = true;
    }
    return found;
}

/* A path that is empty names nothing: a script whose variable was not set did not mean all that is
 * below where it stands. */
static bool choose_at(struct commit *c, const char *typed)
{
    const char *path = *typed ? whole_path(typed, c->a) : NULL;

    return path && (choose_below(c, path) || choose_below(c, real_path(path, c->a)));
}

/* A file in a new directory needs that, too. */
static void choose_around(struct commit *c, size_t row)
{
    char *path = arena_text(c->a, c->set->changes.v[row].path);

    for (char *slash = strrchr(path, '/'); slash && slash != path; slash = strrchr(path, '/')) {
        const struct change_side *from, *to;
        long up;

        *slash = '\0';
        up = commit_row(c->set, path);
        if (up < 0)
            continue;
        from = commit_from(c, (size_t)up);
        to = commit_to(c, (size_t)up);
        if (to->there && to->kind == CHANGE_DIRECTORY &&
            (!from->there || from->kind != CHANGE_DIRECTORY)) {
            c->paths[up].chosen = true;
            if (!c->paths[up].by)
                c->paths[up].by = c->paths[row].by;
        }
    }
}

void commit_choose(struct commit *c, const char *const *paths, const char **none)
{
    *none = NULL;
    for (const char *const *p = paths; p && *p; p++)
        if (!choose_at(c, *p) && !*none)
            *none = *p;
    for (size_t i = 0; i < c->set->changes.n; i++) {
        if (!paths || !*paths)
            c->paths[i].chosen = true;
        if (c->paths[i].chosen)
            choose_around(c, i);
    }
}

/* ---- may it be ---- */

/* A name that is not to be written. */
struct bar {
    const char *path;
    const char *why;
    bool directory; /* as a directory it may be there */
    bool absent;    /* it was not there when the run began */
    bool named;     /* who names it has it written */
};

struct bars {
    struct bar *v;
    size_t n, room;
    struct arena *a;
};

static void add_bar(struct bars *r, struct bar bar)
{
    r->v = arena_more(r->a, r->v, r->n, &r->room, sizeof *r->v);
    r->v[r->n++] = bar;
}

static const char *exact_path(const struct doc *d, struct arena *a)
{
    struct str text = doc_text(d, "path_base64");
    char *bytes;
    size_t n;

    if (!text.n || !base64_read(text, NULL, 0, &n))
        return arena_text(a, doc_text(d, "path"));
    bytes = arena_alloc(a, n + 1);
    return base64_read(text, bytes, n, &n) ? bytes : "";
}

/* What the run could reach: what it could not write is not written for it. */
static void bars_of_run(struct bars *r, struct grants *g, const struct doc *record)
{
    const struct doc *out = doc_get(doc_get(record, "changes"), "kept_out");

    for (const struct doc *d = doc_first(doc_get(record, "paths"), DOC_LIST); d; d = d->next) {
        struct grant grant = { .path = arena_text(r->a, doc_text(d, "path")),
                               .access = ACCESS_READ };

        for (int i = 0; i <= ACCESS_DENIED; i++)
            if (str_is(doc_text(d, "access"), access_names[i]))
                grant.access = (enum access)i;
        grants_add(g, &grant);
    }
    for (const struct doc *d = doc_first(out, DOC_LIST); d; d = d->next) {
        const struct doc *directory = doc_get(d, "directory");

        add_bar(r,
                (struct bar){ exact_path(d, r->a),
                              str_is(doc_text(d, "rule"), "denied")
                                  ? "the run's policy denies it"
                                  : "it is a protected name: writ explain protected",
                              directory && directory->kind == DOC_BOOL && directory->truth, true });
    }
}

/* What the person who ran it let it write. */
static struct items allowed_names(const struct doc *record, struct arena *a)
{
    const struct doc *limits_held = doc_get(record, "limits");
    const struct doc *list = limits_held ? doc_get(limits_held, "allow_protected") : NULL;
    struct str *names = NULL;
    size_t n = 0, room = 0;

    for (const struct doc *d = list ? doc_first(list, DOC_LIST) : NULL; d; d = d->next) {
        names = arena_more(a, names, n, &room, sizeof *names);
        names[n++] = d->text;
    }
    return (struct items){ names, n };
}

static const char *why_barred(const char *path, bool named, struct arena *a)
{
    if (!named)
        return "it is a protected name: writ explain protected";
    return arena_printf(a,
                        "it is a protected name, which tools obey outside of any sandbox; to have "
                        "it, name %s as a PATH",
                        path);
}

/* Names that decide what runs later, as the trees are now. */
static bool bars_of_names(struct bars *r, const struct change_set *set,
                          const struct protect_ask *ask, struct error *e)
{
    struct grants g = { .a = r->a };
    struct absents absent = { .a = r->a };
    bool named = ask->part == PROTECT_COMMIT;

    for (size_t i = 0; i < set->root_count; i++)
        if (!grants_open(&g, (struct grant){ .access = ACCESS_WRITE }, "/", set->roots[i], e))
            return false;
    if (!protect(&g, ask, &absent, e))
        return false;
    for (size_t i = 0; i < g.n; i++)
        if (g.v[i].access != ACCESS_WRITE)
            add_bar(r, (struct bar){ g.v[i].path, why_barred(g.v[i].path, named, r->a), false,
                                     false, named });
    for (size_t i = 0; i < absent.n; i++)
        add_bar(r, (struct bar){ absent.v[i].path, why_barred(absent.v[i].path, named, r->a),
                                 absent.v[i].links_only, true, named });
    return true;
}

/* Why one of them speaks against a row; NULL: it does not. */
static const char *against(const struct bar *bar, const char *path, const struct change_side *to)
{
    bool stays = to->there && to->kind == CHANGE_DIRECTORY;

    if (bar->directory)
        return strcmp(path, bar->path) == 0 && to->there && !stays ? bar->why : NULL;
    if (path_is_in(path, bar->path))
        return bar->absent && !to->there ? NULL : bar->why;
    return path_is_in(bar->path, path) && !stays && !bar->absent ? bar->why : NULL;
}

static bool is_lifted(const struct commit *c, const struct bar *bar, const struct commit_path *p)
{
    return bar->named && (p->journalled || c->undo || (p->by && path_is_in(p->by, bar->path)));
}

static const char *why_not(const struct commit *c, const struct bars *r, const struct grants *g,
                           size_t row)
{
    const char *path = c->set->changes.v[row].path.s;
    const struct change_side *to = commit_to(c, row);
    const struct grant *grant = grants_decide(g, path);

    if (!grant || grant->access != ACCESS_WRITE)
        return !grant                           ? "the run could not reach it"
               : grant->access == ACCESS_DENIED ? "the run's policy denies it"
               : grant->access == ACCESS_PROTECTED
                   ? "it is a protected name: writ explain protected"
                   : "the run could only read it";
    for (size_t i = 0; i < g->n && !(to->there && to->kind == CHANGE_DIRECTORY); i++)
        if (g->v[i].access != ACCESS_WRITE && path_is_in(g->v[i].path, path))
            return "something in it is not to be written";
    for (size_t i = 0; i < r->n; i++) {
        const char *why =
            is_lifted(c, &r->v[i], &c->paths[row]) ? NULL : against(&r->v[i], path, to);

        if (why)
            return why;
    }
    return NULL;
}

/* A commit that is cut short is finished or taken back by who reads all of it once more. */
static bool stays_readable(const struct change_side *to)
{
    mode_t need = to->kind == CHANGE_DIRECTORY ? 0500 : to->kind == CHANGE_FILE ? 0400 : 0;

    return !to->there || geteuid() == 0 || (to->mode & need) == need;
}

/* What git runs in a repository that the run made, or that lies deeper than where protected names
 * are held. A run may have it; on the disk, git obeys it in nobody's sandbox, as soon as somebody
 * asks for a status there. Who wants it says so. */
static const char *unasked(const struct commit *c, size_t row)
{
    const struct commit_path *path = &c->paths[row];
    const char *git = path->named || path->journalled || c->undo ? NULL : commit_git(c, row);

    if (!git)
        return NULL;
    return arena_printf(c->a,
                        "git runs what it says, outside of any sandbox; to have it, name %s as a "
                        "PATH, too",
                        commit_git_name(c, row, git));
}

static bool is_own_name(const struct commit *c, const char *path)
{
    const char *own = arena_printf(c->a, "/.writ-%s-", c->name);

    return strncmp(strrchr(path, '/'), own, strlen(own)) == 0;
}

static const char *unfit(const struct commit *c, size_t row)
{
    const struct change_side *from = commit_from(c, row), *to = commit_to(c, row);

    if ((to->there && to->kind == CHANGE_OTHER) || (from->there && from->kind == CHANGE_OTHER))
        return "it is no file, directory or link";
    if (to->there && to->kind == CHANGE_FILE && to->mode & 06000)
        return "it would run as somebody else: it has the setuid or setgid bit";
    if (!stays_readable(to))
        return "its owner could not read it, and the commit not be taken back";
    return is_own_name(c, c->set->changes.v[row].path.s)
               ? "writ uses such a name itself while it commits"
               : NULL;
}

bool commit_allowed(struct commit *c, struct error *e)
{
    struct bars r = { .a = c->a };
    struct grants g = { .a = c->a };
    struct protect_ask names = { .allowed = allowed_names(c->record, c->a) };
    char real[PATH_MAX];

    bars_of_run(&r, &g, c->record);
    for (names.part = PROTECT_ALWAYS; names.part <= PROTECT_COMMIT; names.part++)
        if (!bars_of_names(&r, c->set, &names, e))
            return false;
    if (realpath(c->state, real))
        add_bar(&r, (struct bar){ arena_text(c->a, str_of(real)), "writ keeps what it knows there",
                                  false, false });
    for (size_t i = 0; i < c->set->changes.n; i++) {
        const char *path = c->set->changes.v[i].path.s, *below, *why;

        if (!c->paths[i].chosen || c->paths[i].begun) /* it was allowed when it began */
            continue;
        why = changes_root(c->set, path, &below) ? why_not(c, &r, &g, i)
                                                 : "it lies outside of what the run could write";
        if (!why)
            why = unfit(c, i);
        if (!why)
            why = unasked(c, i);
        if (why)
            commit_refuse(c, i, CODE_CHANGE_REFUSED, why);
    }
    return true;
}
