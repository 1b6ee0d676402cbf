/* SPDX-License-Identifier: Apache-2.0 */
/* file.c: golden outputs as files: the shape of them, reading and writing. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "adapter/golden.h"
#include "adapter/golden/pretty.h"
#include "adapter/golden/shelf.h"
#include "base/base64.h"
#include "base/doc_make.h"
#include "base/fs.h"
#include "base/json_read.h"
#include "base/pointer.h"
#include "base/utf8.h"

enum { NAME_CHARS = 64, FILE_MAX = 64 << 20 };

struct golden_doc {
    struct str name, adapter, operation;
    const struct doc *params, *output;
    struct items lines, may_differ;
    struct str base64, directory, adapter_version, adapter_digest, tool_version;
};

/* clang-format off */
#define AT(member) offsetof(struct golden_doc, member)
static const struct field golden_fields[] = {
    { "adapter",         F_TEXT, ONE,  NEEDED,   .at = AT(adapter), .min = 1,         .req = "R-001-157", .help = "The adapter that is called." },
    { "adapter_digest",  F_TEXT, ONE,  OPTIONAL, .at = AT(adapter_digest),            .req = "R-001-148", .help = "Its digest when this was recorded." },
    { "adapter_version", F_TEXT, ONE,  OPTIONAL, .at = AT(adapter_version),           .req = "R-001-148", .help = "Its version when this was recorded." },
    { "base64",          F_TEXT, ONE,  OPTIONAL, .at = AT(base64),                    .req = "R-001-157", .help = "The output, where it is bytes." },
    { "directory",       F_TEXT, ONE,  OPTIONAL, .at = AT(directory), .min = 1,       .req = "R-001-157", .help = "Where it runs, from the top of the project; there when left out." },
    { "lines",           F_TEXT, LIST, OPTIONAL, .at = AT(lines), .least = 1,         .req = "R-001-157", .help = "The output, where it is text: what is between its line ends." },
    { "name",            F_TEXT, ONE,  NEEDED,   .at = AT(name), .min = 1,            .req = "R-001-157", .help = "Of the case." },
    { "operation",       F_TEXT, ONE,  NEEDED,   .at = AT(operation), .min = 1,       .req = "R-001-157", .help = "The operation that is called." },
    { "output",          F_ANY,  ONE,  NULLABLE, .at = AT(output),                    .req = "R-001-157", .help = "The output, where it is a value." },
    { "params",          F_MAP,  ONE,  NEEDED,   .at = AT(params),                    .req = "R-001-157", .help = "What it is called with." },
    { "tool_version",    F_TEXT, ONE,  OPTIONAL, .at = AT(tool_version),              .req = "R-001-148", .help = "The tool's version when this was recorded." },
    { "volatile",        F_TEXT, LIST, OPTIONAL, .at = AT(may_differ),                .req = "R-001-157", .help = "JSON Pointers to what may differ." },
};
#undef AT

static const struct shape golden_shape = { .name = "golden output", .size = sizeof(struct golden_doc), FIELDS(golden_fields), .code = CODE_VALIDATION_ERROR };
/* clang-format on */

bool golden_name(struct str name, struct error *e)
{
    _arena_ struct arena a = { 0 };
    size_t n = 0;

    while (n < name.n && is_one_of(name.s[n], "abcdefghijklmnopqrstuvwxyz0123456789-"))
        n++;
    if (n != name.n || n < 1 || n > NAME_CHARS)
        return error_set(e, CODE_PARAMETER_REFUSED,
                         "%s is no name of a golden output: 1 to %d of a-z, 0-9 and -",
                         said(name, &a), NAME_CHARS);
    return true;
}

/* ---- reading ---- */

static struct value from_lines(const struct items *lines, struct arena *a)
{
    const struct str *line = lines->v;
    size_t n = lines->n - 1;
    char *text, *at;

    for (size_t i = 0; i < lines->n; i++)
        n += line[i].n;
    text = at = arena_alloc(a, n + 1);
    for (size_t i = 0; i < lines->n; i++) {
        if (i)
            *at++ = '\n';
        if (line[i].n)
            memcpy(at, line[i].s, line[i].n);
        at += line[i].n;
    }
    return (struct value){ .bytes = { text, n } };
}

/* Exactly one of output, lines and base64 says what came. */
static bool read_output(const struct doc *d, const struct golden_doc *doc, struct arena *a,
                        struct value *out, struct error *e)
{
    const struct doc *value = doc_get(d, "output"), *base64 = doc_get(d, "base64");
    struct at at = doc_at(d);
    size_t n;
    char *bytes;

    if (!!value + !!doc_get(d, "lines") + !!base64 != 1)
        return error_at(e, CODE_VALIDATION_ERROR, &at,
                        "a golden output has one of output, lines and base64");
    if (value) {
        *out = (struct value){ .doc = value };
        return true;
    }
    if (!base64) {
        *out = from_lines(&doc->lines, a);
        return true;
    }
    bytes = arena_alloc(a, doc->base64.n + 1);
    at = doc_at(base64);
    if (!base64_read(doc->base64, bytes, doc->base64.n, &n))
        return error_at(e, CODE_VALIDATION_ERROR, &at, "base64 is no base64");
    *out = (struct value){ .bytes = { bytes, n } };
    return true;
}

static bool read_pointers(const struct doc *d, const struct items *all, struct arena *a,
                          struct error *e)
{
    const struct str *texts = all->v;
    struct pointer pointer;

    for (size_t i = 0; i < all->n; i++)
        if (!pointer_read(texts[i], a, &pointer, e)) {
            e->at = doc_at(doc_place(d, "volatile"));
            return false;
        }
    return true;
}

/* Names with slashes between them: none is empty, "." or "..". */
static bool is_below(const struct doc *d, struct str path, struct error *e)
{
    struct at at = doc_at(doc_place(d, "directory"));

    for (size_t from = 0, i = 0; path.n && i <= path.n; i++) {
        struct str part = { path.s + from, i - from };

        if (i < path.n && path.s[i] != '/')
            continue;
        if (!part.n || str_is(part, ".") || str_is(part, ".."))
            return error_at(e, CODE_VALIDATION_ERROR, &at,
                            "'%.*s' is no directory below the project, such as docs/api",
                            STR_ARG(path));
        from = i + 1;
    }
    return true;
}

static bool decode(const struct doc *d, struct arena *a, struct golden *out, struct error *e)
{
    const char *file = ((const struct document *)(const void *)d)->file;
    struct report r = report_new(a, file, ((const struct document *)(const void *)d)->text);
    struct golden_doc doc = { 0 };

    if (!shape_decode(&golden_shape, d, &r, &doc)) {
        struct at at = { .file = file };

        report_finish(&r);
        at.line = r.first->line;
        at.col = r.first->col;
        return error_at(e, r.first->code, &at, "%s", r.first->msg);
    }
    if (!golden_name(doc.name, e) || !is_below(d, doc.directory, e) ||
        !read_output(d, &doc, a, &out->output, e) || !read_pointers(d, &doc.may_differ, a, e))
        return false;
    out->name = doc.name;
    out->adapter = doc.adapter;
    out->operation = doc.operation;
    out->params = doc.params;
    out->directory = doc.directory;
    out->adapter_version = doc.adapter_version;
    out->adapter_digest = doc.adapter_digest;
    out->tool_version = doc.tool_version;
    out->may_differ = doc.may_differ;
    return true;
}

static bool read_one(const struct shelf *f, const char *name, struct arena *a, struct golden *out,
                     struct error *e)
{
    const char *path = arena_printf(a, "%s/%s", f->path, name);
    struct ceilings max = ceilings_answer();
    const struct document *document;
    struct golden g = { .path = path };
    struct str text;
    _fd_ int fd = -1;

    if (!shelf_file(f, name, &fd, e) || !fd_read(fd, FILE_MAX, a, &text, e) ||
        !json_read(path, text, &max, a, &document, e) || !decode(&document->root, a, &g, e)) {
        if (e->at.line)
            return error_wrap(e, "%s:%d:%d", path, e->at.line, e->at.col);
        return error_wrap(e, "%s", path);
    }
    *out = g;
    return true;
}

/* The name of the case, as the file is called; names have no dots. */
static struct str case_of(const char *file)
{
    size_t n = strlen(file) - strlen(".json"), from = n;

    while (from > 0 && file[from - 1] != '.')
        from--;
    return (struct str){ file + from, n - from };
}

static struct error *error_kept(const struct error *e, struct arena *a)
{
    struct error *kept = arena_alloc(a, sizeof *kept);

    *kept = *e;
    return kept;
}

/* One that is not as it should be is known by its file alone. */
static struct golden one_of(const struct shelf *f, const char *name, struct arena *a)
{
    struct golden g = { .name = case_of(name), .path = arena_printf(a, "%s/%s", f->path, name) };
    struct error e;

    if (!read_one(f, name, a, &g, &e))
        g.wrong = error_kept(&e, a);
    return g;
}

bool golden_list(const char *project, const char *name, struct arena *a, struct goldens *out,
                 struct error *e)
{
    _shelf_ struct shelf f = { .fd = -1 };
    struct goldens all = { 0 };
    const char **names;
    size_t n;

    if (!shelf_open(project, false, a, &f, e) || !shelf_names(&f, a, &names, &n, e))
        return false;
    all.v = arena_alloc(a, (n + 1) * sizeof *all.v);
    for (size_t i = 0; i < n; i++)
        if (!name || str_is(case_of(names[i]), name))
            all.v[all.n++] = one_of(&f, names[i], a);
    *out = all;
    return true;
}

bool golden_names(const char *project, struct arena *a, const char ***out, size_t *n,
                  struct error *e)
{
    _shelf_ struct shelf f = { .fd = -1 };
    const char **names;

    if (!shelf_open(project, false, a, &f, e) || !shelf_names(&f, a, &names, n, e))
        return false;
    for (size_t i = 0; i < *n; i++)
        names[i] = arena_text(a, case_of(names[i]));
    *out = names;
    return true;
}

static bool look_at(const struct shelf *f, const char *name, const char *path,
                    struct golden_file *out, struct error *e)
{
    _arena_ struct arena a = { 0 };
    _fd_ int fd = -1;
    struct stat s;
    struct str text;

    if (!shelf_file(f, name, &fd, e) || !fd_read(fd, FILE_MAX, &a, &text, e))
        return error_wrap(e, "%s", path);
    if (fstat(fd, &s) != 0)
        return error_sys(e, CODE_IO, "%s cannot be read", path);
    *out = (struct golden_file){ .path = path,
                                 .digest = digest_of(text.s, text.n),
                                 .bytes = (int64_t)text.n,
                                 .changed_ms = (int64_t)s.st_mtim.tv_sec * 1000 };
    return true;
}

bool golden_files(const char *project, struct arena *a, struct golden_files *out, struct error *e)
{
    _shelf_ struct shelf f = { .fd = -1 };
    struct golden_files all = { 0 };
    const char **names;

    if (!shelf_open(project, false, a, &f, e) || !shelf_names(&f, a, &names, &all.n, e))
        return false;
    all.v = arena_alloc(a, (all.n + 1) * sizeof *all.v);
    for (size_t i = 0; i < all.n; i++) {
        const char *path = arena_printf(a, "%s/%s", f.path, names[i]);
        struct error wrong;

        if (!look_at(&f, names[i], path, &all.v[i], &wrong))
            all.v[i] = (struct golden_file){ .path = path, .wrong = error_kept(&wrong, a) };
    }
    *out = all;
    return true;
}

/* ---- writing ---- */

/* What an operation is called may have any character; a file's name has those that travel well. */
static void add_word(struct str word, struct buf *to)
{
    for (size_t i = 0; i < word.n; i++) {
        char c = word.s[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     is_one_of(c, "-_");

        buf_addc(to, plain ? c : '_');
    }
}

static const char *file_of(const struct golden *g, struct arena *a)
{
    _buf_ struct buf name = { .max = 4096 };

    add_word(g->adapter, &name);
    buf_addc(&name, '.');
    add_word(g->operation, &name);
    buf_addf(&name, ".%.*s.json", STR_ARG(g->name));
    return buf_ok(&name) && name.len < 240 ? arena_text(a, buf_str(&name)) : NULL;
}

static void add_lines(struct doc *map, struct str text, struct arena *a)
{
    struct doc *list = doc_add_kind(a, map, "lines", DOC_LIST);
    const char *at = text.s, *end = text.s + text.n;

    for (;;) {
        const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;

        doc_add_text(a, list, NULL, (struct str){ at, (size_t)((stop ? stop : end) - at) });
        if (!stop)
            return;
        at = stop + 1;
    }
}

static void add_base64(struct doc *map, struct str bytes, struct arena *a)
{
    _buf_ struct buf text = { .max = FILE_MAX };

    base64_add(&text, bytes);
    doc_add_text(a, map, "base64", (struct str){ arena_text(a, buf_str(&text)), text.len });
}

static bool add_copy(struct doc *map, const char *key, const struct doc *from, struct arena *a,
                     struct error *e)
{
    struct work w = { .left = UINT64_C(1) << 40 };

    return doc_copy(from, doc_add_kind(a, map, key, DOC_NULL), &w, a) ||
           error_set(e, CODE_CEILING, "%s is too much for a golden output", key);
}

/* What it has no version of is left out. */
static void add_known(struct doc *map, const char *key, struct str text, struct arena *a)
{
    if (text.n)
        doc_add_text(a, map, key, text);
}

static bool build(const struct golden *g, struct arena *a, struct doc *map, struct error *e)
{
    doc_add_text(a, map, "name", g->name);
    doc_add_text(a, map, "adapter", g->adapter);
    doc_add_text(a, map, "operation", g->operation);
    add_known(map, "adapter_version", g->adapter_version, a);
    add_known(map, "adapter_digest", g->adapter_digest, a);
    add_known(map, "tool_version", g->tool_version, a);
    add_known(map, "directory", g->directory, a);
    if (!add_copy(map, "params", g->params, a, e))
        return false;
    if (g->output.doc)
        return add_copy(map, "output", g->output.doc, a, e);
    if (utf8_valid(g->output.bytes) == g->output.bytes.n)
        add_lines(map, g->output.bytes, a);
    else
        add_base64(map, g->output.bytes, a);
    return true;
}

static void add_pointers(const struct items *all, struct arena *a, struct doc *map)
{
    const struct str *pointers = all->v;
    struct doc *list = all->n ? doc_add_kind(a, map, "volatile", DOC_LIST) : NULL;

    for (size_t i = 0; i < all->n; i++)
        doc_add_text(a, list, NULL, pointers[i]);
}

/* What is there already: may it be taken over? Its list of what may differ stays. */
static bool take_over(const struct shelf *f, const char *name, bool replace, struct arena *a,
                      struct golden *g, struct error *e)
{
    struct golden before = { 0 };

    if (faccessat(f->fd, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
        return true;
    if (!replace)
        return error_set(e, CODE_IO, "%s/%s is there already; --force records it again", f->path,
                         name);
    if (!read_one(f, name, a, &before, e))
        return false;
    if (!str_eq(before.adapter, g->adapter) || !str_eq(before.operation, g->operation))
        return error_set(e, CODE_IO, "%s is of %.*s.%.*s; give the new one another name",
                         before.path, STR_ARG(before.adapter), STR_ARG(before.operation));
    if (!g->may_differ.n)
        g->may_differ = before.may_differ;
    return true;
}

bool golden_save(const char *project, const struct golden *g, bool replace, struct arena *a,
                 const char **path, struct error *e)
{
    _shelf_ struct shelf f = { .fd = -1 };
    _buf_ struct buf text = { .max = FILE_MAX };
    struct golden now = *g;
    const char *name = file_of(g, a);
    struct doc *map = doc_root(a, DOC_MAP);

    if (!golden_name(g->name, e))
        return false;
    if (!name)
        return error_set(e, CODE_PARAMETER_REFUSED, "the operation's name is too long for a file");
    if (!shelf_open(project, true, a, &f, e) || !take_over(&f, name, replace, a, &now, e) ||
        !build(&now, a, map, e))
        return false;
    add_pointers(&now.may_differ, a, map);
    golden_pretty(map, a, &text);
    if (!buf_ok(&text))
        return error_set(e, CODE_CEILING, "the output is larger than %d bytes", FILE_MAX);
    if (!shelf_write(&f, name, buf_str(&text), e))
        return false;
    *path = arena_printf(a, "%s/%s", f.path, name);
    return true;
}
