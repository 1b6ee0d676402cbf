/* SPDX-License-Identifier: Apache-2.0 */
/* catalog.c: the adapters of the project, of the user and those that ship, as one list. */
#include "adapter/catalog.h"

#include "adapter/catalog/folder.h"

/* The entries of one origin, in order. */
struct run_of {
    struct catalog_entry *v;
    size_t n, at;
};

/* ---- one origin ---- */

static void add_fault(struct catalog *c, struct arena *a, const char *path, const char *why)
{
    if (c->fault_count == c->fault_room)
        c->faults = arena_more(a, c->faults, c->fault_count, &c->fault_room, sizeof *c->faults);
    c->faults[c->fault_count++] = (struct catalog_fault){ path, why };
}

/* directory/file, for all files in one piece of memory. */
static char *join(char **at, struct str directory, const char *file)
{
    size_t n = strlen(file) + 1;
    char *path = *at;

    memcpy(path, directory.s, directory.n);
    path[directory.n] = '/';
    memcpy(path + directory.n + 1, file, n);
    *at += directory.n + 1 + n;
    return path;
}

static struct run_of take_files(const struct kept_files *files, struct str directory,
                                enum origin origin, struct catalog *c, struct arena *a)
{
    struct run_of run = { .v = arena_raw(a, files->n * sizeof *run.v) };
    size_t bytes = 0;
    char *paths;

    for (size_t i = 0; i < files->n; i++)
        bytes += directory.n + 2 + strlen(files->v[i].file);
    paths = arena_raw(a, bytes);
    for (size_t i = 0; i < files->n; i++) {
        const struct kept_file *f = &files->v[i];
        const char *path = join(&paths, directory, f->file);

        if (f->type < 0)
            add_fault(c, a, path, arena_text(a, f->why));
        else
            run.v[run.n++] = (struct catalog_entry){ .adapter_id = f->adapter_id,
                                                     .name = f->name,
                                                     .tool_id = f->tool_id,
                                                     .type = f->type,
                                                     .origin = origin,
                                                     .path = path };
    }
    return run;
}

static struct run_of list_folder(const struct catalog_ask *ask, const char *directory,
                                 enum origin origin, struct catalog *c, struct arena *a)
{
    struct folder folder;

    folder_list(directory, ask->cache, ask->now_ms, a, &folder);
    if (folder.fault)
        add_fault(c, a, directory, folder.fault);
    c->indexed = c->indexed && (folder.indexed || !folder.files.n);
    return take_files(&folder.files, str_of(directory), origin, c, a);
}

static struct run_of list_shipped(struct arena *a)
{
    struct run_of run = { .v = arena_alloc(a, shipped_count * sizeof *run.v) };
    struct kept_files files = { .v = arena_alloc(a, shipped_count * sizeof *files.v) };

    for (; files.n < shipped_count; files.n++) {
        const struct shipped_row *row = &shipped_adapters[files.n];
        struct kept_file *f = &files.v[files.n];

        f->file = row->name;
        if (!folder_skim(row->name, str_of(row->text), true, a, f))
            folder_parse(row->name, str_of(row->text), a, f);
    }
    folder_sort(&files);
    for (; run.n < files.n; run.n++) {
        const struct kept_file *f = &files.v[run.n];

        run.v[run.n] = (struct catalog_entry){ .adapter_id = f->adapter_id,
                                               .name = f->name,
                                               .tool_id = f->tool_id,
                                               .type = f->type,
                                               .origin = ORIGIN_SHIPPED,
                                               .path = f->file };
    }
    return run;
}

/* ---- all origins ---- */

/* The origin whose next entry comes first; NULL: all have come to their end. */
static struct run_of *next_run(struct run_of *runs)
{
    struct run_of *first = NULL;

    for (struct run_of *r = runs; r < runs + ORIGIN_COUNT; r++)
        if (r->at < r->n &&
            (!first || str_cmp(r->v[r->at].adapter_id, first->v[first->at].adapter_id) < 0))
            first = r;
    return first;
}

/* The lists of the origins become one; of equal ids the nearest comes first. */
static void merge(struct run_of *runs, struct catalog *c, struct arena *a)
{
    struct run_of *run;
    size_t all = 0;

    for (int o = 0; o < ORIGIN_COUNT; o++)
        all += runs[o].n;
    c->v = arena_raw(a, all * sizeof *c->v);
    while ((run = next_run(runs)))
        c->v[c->n++] = run->v[run->at++];
}

/* Two files of one origin are in one directory. */
static const char *file_name(const struct catalog_entry *e)
{
    const char *slash = strrchr(e->path, '/');

    return slash ? slash + 1 : e->path;
}

/* R-001-081: an id names one adapter. A nearer origin may take the place of a further one; two of
 * one origin are a mistake. */
static void see_doubles(struct catalog *c, struct arena *a)
{
    for (size_t i = 1; i < c->n; i++) {
        struct catalog_entry *before = &c->v[i - 1], *e = &c->v[i];

        if (!str_eq(before->adapter_id, e->adapter_id))
            continue;
        e->shadowed = before->origin != e->origin || before->shadowed;
        if (before->origin != e->origin)
            continue;
        before->twice = e->twice = true;
        add_fault(c, a, e->path,
                  arena_printf(a, "adapter_id %s is that of %s, too", said(e->adapter_id, a),
                               file_name(before)));
    }
}

bool catalog_list(const struct catalog_ask *ask, struct arena *a, struct catalog *out,
                  struct error *e)
{
    struct run_of runs[ORIGIN_COUNT] = { 0 };

    (void)e;
    *out = (struct catalog){ .indexed = true };
    if (ask->project)
        runs[ORIGIN_PROJECT] = list_folder(ask, arena_printf(a, "%s/.writ/adapters", ask->project),
                                           ORIGIN_PROJECT, out, a);
    if (ask->user)
        runs[ORIGIN_USER] =
            list_folder(ask, arena_printf(a, "%s/adapters", ask->user), ORIGIN_USER, out, a);
    runs[ORIGIN_SHIPPED] = list_shipped(a);
    merge(runs, out, a);
    see_doubles(out, a);
    return true;
}

/* ---- finding ---- */

static size_t first_with_id(const struct catalog *c, struct str id)
{
    size_t low = 0, high = c->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (str_cmp(c->v[middle].adapter_id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool ambiguous(struct str name, const struct catalog_entry *one,
                      const struct catalog_entry *other, struct arena *a, struct error *e)
{
    return error_set(e, CODE_ADAPTER_AMBIGUOUS, "%s is %s as well as %s", said(name, a),
                     file_name(one), file_name(other));
}

/* There is one of that name, and another one has taken its id. */
static bool is_shadowed(const struct catalog *c, const struct catalog_entry *entry, struct arena *a,
                        struct error *e)
{
    const struct catalog_entry *holds = &c->v[first_with_id(c, entry->adapter_id)];

    return error_set(e, CODE_ADAPTER_UNKNOWN,
                     "the adapter %s (%s) is hidden by %s, which has its adapter_id %s: call that "
                     "one, or give it an adapter_id of its own",
                     said(entry->name, a), origin_names[entry->origin], file_name(holds),
                     said(entry->adapter_id, a));
}

static bool unknown(const struct catalog *c, struct str name, struct arena *a, struct error *e)
{
    const char **words = arena_alloc(a, (2 * c->n + 1) * sizeof *words), *near;
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++) {
        if (c->v[i].shadowed && str_eq(c->v[i].name, name))
            return is_shadowed(c, &c->v[i], a, e);
        words[n++] = arena_text(a, c->v[i].adapter_id);
        if (!c->v[i].shadowed)
            words[n++] = arena_text(a, c->v[i].name);
    }
    near = str_nearest(name, words, n);
    return error_set(e, CODE_ADAPTER_UNKNOWN, "there is no adapter %s%s%s%s", said(name, a),
                     near ? "; did you mean " : "; writ adapters lists them",
                     near ? said(str_of(near), a) : "", near ? "?" : "");
}

/* By name: of those that are not shadowed. */
static bool find_by_name(const struct catalog *c, struct str name, struct arena *a,
                         const struct catalog_entry **out, struct error *e)
{
    const struct catalog_entry *best = NULL, *other = NULL;

    for (size_t i = 0; i < c->n; i++) {
        const struct catalog_entry *entry = &c->v[i];

        if (entry->shadowed || !str_eq(entry->name, name))
            continue;
        if (!best || entry->origin < best->origin) {
            best = entry;
            other = NULL;
        } else if (entry->origin == best->origin) {
            other = entry;
        }
    }
    if (!best)
        return unknown(c, name, a, e);
    if (other)
        return ambiguous(name, best, other, a, e);
    *out = best;
    return true;
}

bool catalog_find(const struct catalog *c, struct str name, struct arena *a,
                  const struct catalog_entry **out, struct error *e)
{
    size_t at = first_with_id(c, name);

    if (at == c->n || !str_eq(c->v[at].adapter_id, name))
        return find_by_name(c, name, a, out, e);
    if (c->v[at].twice)
        return ambiguous(name, &c->v[at], &c->v[at + 1], a, e);
    *out = &c->v[at];
    return true;
}

struct items catalog_for_tool(const struct catalog *c, struct str tool_id, struct arena *a)
{
    const struct catalog_entry **v = NULL;
    size_t n = 0, room = 0;

    for (size_t i = 0; i < c->n; i++) {
        if (c->v[i].shadowed || !str_eq(c->v[i].tool_id, tool_id))
            continue;
        if (n == room)
            v = arena_more(a, v, n, &room, sizeof *v);
        v[n++] = &c->v[i];
    }
    return (struct items){ v, n };
}
