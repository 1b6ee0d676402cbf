/* SPDX-License-Identifier: Apache-2.0 */
/* shelf.c: reads and writes the directory of reviewed executors. */
#include "executor/shelf.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "contract/semver.h"
#include "executor/builtin.h"

enum { MANIFEST_BYTES = 1 << 20, PROGRAM_BYTES = 64 << 20, APPROVAL_BYTES = 64 };

static const char source_file[] = "program", object_file[] = "program.so";

/* ---- what ships ---- */

static struct items words_of(const char *line, struct arena *a)
{
    struct str *words = NULL;
    size_t n = 0, room = 0;

    for (const char *at = line; *at; at += *at == ' ') {
        const char *end = strchrnul(at, ' ');

        words = arena_more(a, words, n, &room, sizeof *words);
        words[n++] = (struct str){ at, (size_t)(end - at) };
        at = end;
    }
    return (struct items){ words, n };
}

static struct executor builtin_executor(const struct builtin *row, struct arena *a)
{
    return (struct executor){
        .id = str_of(row->id),
        .version = str_of(row->version),
        .capabilities = words_of(row->capabilities, a),
        .limits = row->limits,
        .kind = EXECUTOR_BUILTIN,
        .about = row->about,
    };
}

/* ---- one that was reviewed ---- */

static bool changed(const struct executor *x, const char *what, struct error *e)
{
    return error_set(e, CODE_EXECUTOR_CHANGED, "%.*s %.*s: %s is not what was registered",
                     STR_ARG(x->id), STR_ARG(x->version), what);
}

static bool read_manifest(const char *path, struct str text, struct arena *a,
                          const struct document **document, struct executor_doc *out,
                          struct error *e)
{
    struct ceilings max = ceilings_default();
    struct report r;

    if (!json_read(path, text, &max, a, document, e))
        return error_wrap(e, "%s", path);
    r = report_new(a, path, text);
    if (shape_decode(&executor_shape, &(*document)->root, &r, out) && out->limits)
        return true;
    report_finish(&r);
    return error_set(e, CODE_EXECUTOR_CHANGED, "%s: %s", path,
                     r.first ? r.first->msg : "not a manifest");
}

/* A file beside the manifest has the digest that the manifest says. Its bytes may be many, and go
 * at once: who calls it reads them again. */
static bool holds(const struct executor *x, const char *path, struct str said, struct error *e)
{
    _arena_ struct arena a = { 0 };
    struct digest wanted, found;
    struct str bytes;

    if (!digest_parse(said, &wanted))
        return changed(x, path, e);
    if (!fs_read_file(path, PROGRAM_BYTES, &a, &bytes, e))
        return error_wrap(e, "%s", path);
    found = digest_of(bytes.s, bytes.n);
    return memcmp(&found, &wanted, sizeof found) == 0 || changed(x, path, e);
}

static bool read_files(const char *dir, const struct doc *manifest, struct executor *x,
                       struct arena *a, struct error *e)
{
    const char *source = arena_printf(a, "%s/%s", dir, source_file);
    const char *object = arena_printf(a, "%s/%s", dir, object_file);
    const char *approval = arena_printf(a, "%s/approval", dir);
    bool compiled = doc_get(manifest, "object_digest");

    if (!holds(x, source, doc_text(manifest, "program_digest"), e))
        return false;
    if (compiled && !holds(x, object, doc_text(manifest, "object_digest"), e))
        return false;
    x->program = compiled ? object : source;
    return fs_read_file(approval, APPROVAL_BYTES, a, &x->approval, e) ||
           error_wrap(e, "%s", approval);
}

static bool read_one(const char *dir, struct arena *a, struct executor *x, struct error *e)
{
    const char *path = arena_printf(a, "%s/manifest.json", dir);
    const struct document *document;
    struct executor_doc doc = { 0 };
    struct str text;

    if (!fs_read_file(path, MANIFEST_BYTES, a, &text, e))
        return error_wrap(e, "%s", path);
    if (!read_manifest(path, text, a, &document, &doc, e) || !doc.limits)
        return false;
    *x = (struct executor){
        .id = doc.executor_id,
        .version = doc.version,
        .capabilities = doc.capabilities,
        .limits = *doc.limits,
        .kind = (enum executor_kind)doc.kind,
        .manifest = digest_of(text.s, text.n),
    };
    return read_files(dir, &document->root, x, a, e);
}

/* ---- all of them ---- */

static int is_name(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

/* The names in a directory, sorted; none where there is no directory. */
static bool names_in(const char *dir, struct arena *a, const char ***out, size_t *n,
                     struct error *e)
{
    struct dirent **found = NULL;
    int count = scandir(dir, &found, is_name, alphasort);

    *n = 0;
    *out = NULL;
    if (count < 0)
        return errno == ENOENT || errno == ENAMETOOLONG || error_sys(e, CODE_IO, "%s", dir);
    *out = arena_alloc(a, (size_t)count * sizeof **out);
    for (int i = 0; i < count; i++) {
        (*out)[(*n)++] = arena_text(a, str_of(found[i]->d_name));
        free(found[i]);
    }
    free((void *)found);
    return true;
}

static int by_name(const void *left, const void *right)
{
    const struct executor *l = left, *r = right;
    struct semver lv = { 0 }, rv = { 0 };
    int order = str_cmp(l->id, r->id);

    if (order)
        return order;
    (void)!semver_read(l->version, &lv);
    (void)!semver_read(r->version, &rv);
    return semver_cmp(&lv, &rv);
}

static struct executor *more(struct executors *all, struct arena *a)
{
    all->v = arena_more(a, all->v, all->n, &all->room, sizeof *all->v);
    return &all->v[all->n++];
}

static void list_damage(struct executors *all, const char *id, const char *version,
                        const struct error *e, struct arena *a)
{
    all->damaged =
        arena_more(a, all->damaged, all->damages, &all->damages_room, sizeof *all->damaged);
    all->damaged[all->damages++] =
        (struct shelf_damage){ id, version, arena_text(a, str_of(e->msg)) };
}

static bool read_version(const char *of_id, const char *id, const char *version, struct arena *a,
                         struct executor *x, struct error *e)
{
    if (!read_one(arena_printf(a, "%s/%s", of_id, version), a, x, e))
        return false;
    return (str_eq(x->id, str_of(id)) && str_eq(x->version, str_of(version))) ||
           changed(x, "its place", e);
}

/* All of an id, or one: the others are not looked at. */
static bool list_versions(const char *dir, const char *id, struct str only, struct arena *a,
                          struct executors *out, struct error *e)
{
    const char *of_id = arena_printf(a, "%s/%s", dir, id);
    const char **versions;
    size_t n;

    if (!names_in(of_id, a, &versions, &n, e))
        return false;
    for (size_t i = 0; i < n; i++) {
        struct executor x = { 0 };
        struct error wrong = { 0 };

        if (only.s && !str_eq(only, str_of(versions[i])))
            continue;
        if (read_version(of_id, id, versions[i], a, &x, &wrong))
            *more(out, a) = x;
        else
            list_damage(out, id, versions[i], &wrong, a);
    }
    return true;
}

bool shelf_list(const char *dir, struct arena *a, struct executors *out, struct error *e)
{
    const char **ids = NULL;
    size_t n = 0;

    *out = (struct executors){ 0 };
    for (size_t i = 0; i < builtin_count; i++)
        *more(out, a) = builtin_executor(&builtins[i], a);
    if (dir && !names_in(dir, a, &ids, &n, e))
        return false;
    for (size_t i = 0; i < n; i++) {
        struct error wrong = { 0 };

        if (!list_versions(dir, ids[i], (struct str){ 0 }, a, out, &wrong))
            list_damage(out, ids[i], "", &wrong, a);
    }
    qsort(out->v, out->n, sizeof *out->v, by_name);
    return true;
}

/* What nobody can read is not. */
static bool is_older(const char *version, struct str than)
{
    struct semver left, right;

    return semver_read(str_of(version), &left) && semver_read(than, &right) &&
           semver_cmp(&left, &right) < 0;
}

bool shelf_find(const char *dir, struct str id, struct str version, struct arena *a,
                const struct executor **out, struct error *e)
{
    struct executors all = { 0 };
    const struct builtin *row = builtin_named(id);
    const char *why;

    *out = NULL;
    if (row)
        *more(&all, a) = builtin_executor(row, a);
    else if (dir && forms[FORM_SNAKE].fits(id, &why) &&
             !list_versions(dir, arena_text(a, id), version, a, &all, e))
        return false;
    if (all.n)
        qsort(all.v, all.n, sizeof *all.v, by_name);
    for (size_t i = 0; i < all.n; i++) {
        if (!version.s || str_eq(all.v[i].version, version))
            *out = all.v + i;
    }
    for (size_t i = 0; i < all.damages; i++)
        if (!*out || !is_older(all.damaged[i].version, (*out)->version))
            return error_set(e, CODE_EXECUTOR_CHANGED, "%s", all.damaged[i].why);
    return true;
}

/* ---- putting there ---- */

void shelf_manifest(const struct executor *x, const struct digest *program,
                    const struct digest *object, struct buf *to)
{
    const struct str *capabilities = x->capabilities.v;

    json_open(to, '{');
    json_key(to, "capabilities");
    json_open(to, '[');
    for (size_t i = 0; i < x->capabilities.n; i++)
        json_text(to, capabilities[i]);
    json_close(to, ']');
    json_put_text(to, "executor_id", x->id);
    json_put(to, "kind", executor_kind_names[x->kind]);
    json_key(to, "limits");
    json_open(to, '{');
    json_put_int(to, "max_depth", x->limits.max_depth);
    json_put_int(to, "max_list_items", x->limits.max_list_items);
    json_put_int(to, "max_payload_bytes", x->limits.max_payload_bytes);
    json_put_int(to, "timeout_ms", x->limits.timeout_ms);
    json_close(to, '}');
    if (object)
        json_put_digest(to, "object_digest", object);
    json_put_digest(to, "program_digest", program);
    json_put_text(to, "version", x->version);
    json_close(to, '}');
}

static bool write_files(const char *dir, const struct shelving *what, struct arena *a,
                        struct error *e)
{
    struct str object;

    if (!fs_make_dirs(dir, e) ||
        !fs_write(arena_printf(a, "%s/manifest.json", dir), what->manifest, e) ||
        !fs_write(arena_printf(a, "%s/%s", dir, source_file), what->program, e) ||
        !fs_write(arena_printf(a, "%s/approval", dir), str_of(what->approval), e))
        return false;
    if (!what->object)
        return true;
    return fs_read_file(what->object, PROGRAM_BYTES, a, &object, e) &&
           fs_write(arena_printf(a, "%s/%s", dir, object_file), object, e);
}

bool shelf_put(const char *dir, const struct shelving *what, struct error *e)
{
    _arena_ struct arena a = { 0 };
    const struct executor *x = what->executor;
    const char *of_id = arena_printf(&a, "%s/%.*s", dir, STR_ARG(x->id));
    const char *place = arena_printf(&a, "%s/%.*s", of_id, STR_ARG(x->version));
    const char *made = arena_printf(&a, "%s/.%s", dir, what->approval);
    struct error ignored;

    if (fs_make_dirs(of_id, e) && write_files(made, what, &a, e)) {
        if (rename(made, place) == 0)
            return true;
        (void)error_sys(e, CODE_IO, "%s", place);
    }
    (void)!fs_remove(made, &ignored);
    return false;
}
