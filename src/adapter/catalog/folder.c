/* SPDX-License-Identifier: Apache-2.0 */
/* folder.c: lists a directory: what the index knows and has not changed, then the rest.
 *
 * Ten thousand files are looked at, each with one call of the kernel, by a few threads at once.
 * Where the directory itself has not changed, the index knows the names, too.
 */
#include "adapter/catalog/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>

#include "adapter/catalog_skim.h"
#include "base/doc_read.h"
#include "base/fs.h"
#include "contract/adapter_doc.h"

enum { TOP_BYTES = 4096, LOOKERS = 4, LOOKER_LEAST = 512 };

struct listing {
    int fd;
    int64_t now_ms;
    struct arena *a;
    struct kept_files known; /* by the index */
    struct kept_files *out;
    size_t room;
};

/* ---- one text ---- */

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);

    return n > m && strcmp(name + n - m, end) == 0;
}

static struct str copied(struct str s, struct arena *a)
{
    return (struct str){ arena_text(a, s), s.n };
}

bool folder_skim(const char *file, struct str text, bool whole, struct arena *a,
                 struct kept_file *out)
{
    struct skimmed s;

    if (ends_in(file, ".json") ? !skim_json(text, &s) : !skim_yaml(text, whole, &s))
        return false;
    out->adapter_id = copied(s.adapter_id, a);
    out->name = copied(s.name, a);
    out->tool_id = copied(s.tool_id, a);
    out->type = s.type;
    return true;
}

static void refuse(struct kept_file *out, const char *why)
{
    *out =
        (struct kept_file){ .mark = out->mark, .file = out->file, .type = -1, .why = str_of(why) };
}

static int type_named(struct str name)
{
    for (int i = 0; i < ADAPTER_TYPE_COUNT; i++)
        if (str_is(name, adapter_types[i]))
            return i;
    return -1;
}

static void take_members(const struct doc *root, struct arena *a, struct kept_file *out)
{
    const struct {
        const char *name;
        struct str *to;
    } texts[] = { { "adapter_id", &out->adapter_id },
                  { "name", &out->name },
                  { "tool_id", &out->tool_id } };

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct str text = doc_text(root, texts[i].name);

        if (!text.n || memchr(text.s, '\0', text.n)) {
            refuse(out, arena_printf(a, "is no adapter: '%s' must be a text", texts[i].name));
            return;
        }
        *texts[i].to = copied(text, a);
    }
    out->type = type_named(doc_text(root, "type"));
    if (out->type < 0)
        refuse(out, "is no adapter: 'type' must be cli, api, sdk or mcp");
}

void folder_parse(const char *file, struct str text, struct arena *a, struct kept_file *out)
{
    _arena_ struct arena scratch = { 0 };
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e = { 0 };

    if (!doc_read(file, text, &max, &scratch, &document, &e))
        refuse(out, e.at.line ? arena_printf(a, "%d:%d: %s", e.at.line, e.at.col, e.msg)
                              : arena_text(a, str_of(e.msg)));
    else if (document->root.kind != DOC_MAP)
        refuse(out, "is no adapter: it is not a map");
    else
        take_members(&document->root, a, out);
}

/* ---- one file ---- */

static bool open_file(const struct listing *l, struct kept_file *f, int *fd)
{
    struct stat st;

    *fd = openat(l->fd, f->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0 || fstat(*fd, &st) != 0) {
        refuse(f, arena_printf(l->a, "cannot be opened: %s", strerror(errno)));
        return false;
    }
    f->mark = mark_of(&st);
    if (S_ISREG(st.st_mode))
        return true;
    refuse(f, "is no ordinary file");
    return false;
}

/* Most files are told by their first bytes; the rest of one that is not is read then. */
static void read_file(const struct listing *l, struct kept_file *f)
{
    _arena_ struct arena scratch = { 0 };
    _fd_ int fd = -1;
    struct ceilings max = ceilings_default();
    char top[TOP_BYTES];
    struct str text;
    struct error e;
    ssize_t n;

    if (!open_file(l, f, &fd))
        return;
    n = pread(fd, top, sizeof top, 0);
    if (n > 0 && folder_skim(f->file, (struct str){ top, (size_t)n },
                             f->mark.size == n && n < TOP_BYTES, l->a, f))
        return;
    if (fd_read(fd, max.v[CEILING_BYTES], &scratch, &text, &e))
        folder_parse(f->file, text, l->a, f);
    else
        refuse(f, arena_text(l->a, str_of(e.msg)));
}

/* ---- the names ---- */

static bool is_adapter(const char *name)
{
    return name[0] != '.' &&
           (ends_in(name, ".yaml") || ends_in(name, ".yml") || ends_in(name, ".json"));
}

static int by_file(const void *a, const void *b)
{
    const struct kept_file *const *x = a, *const *y = b;

    return strcmp((*x)->file, (*y)->file);
}

static void add_file(struct listing *l, const char *name)
{
    struct kept_files *out = l->out;

    if (out->n == l->room)
        out->v = arena_more(l->a, out->v, out->n, &l->room, sizeof *out->v);
    out->v[out->n++] = (struct kept_file){ .file = arena_text(l->a, str_of(name)), .type = -1 };
}

/* Those the index knows come with what it knows of them. */
static void recall(struct listing *l)
{
    const struct kept_file **known = arena_raw(l->a, (l->known.n + 1) * sizeof *known);

    for (size_t i = 0; i < l->known.n; i++)
        known[i] = &l->known.v[i];
    if (l->known.n)
        qsort(known, l->known.n, sizeof *known, by_file);
    for (size_t i = 0; l->known.n && i < l->out->n; i++) {
        const struct kept_file *key = &l->out->v[i];
        const struct kept_file *const *same =
            bsearch(&key, known, l->known.n, sizeof *known, by_file);

        if (same)
            l->out->v[i] = **same;
    }
}

/* Reads on until the end or the ceiling; 0, or why not. */
static int take_names(struct listing *l, DIR *d)
{
    const struct dirent *entry;

    rewinddir(d);
    while (errno = 0, (entry = readdir(d)))
        if (l->out->n == FOLDER_MOST)
            return E2BIG;
        else if (is_adapter(entry->d_name))
            add_file(l, entry->d_name);
    return errno;
}

static const char *read_names(struct listing *l)
{
    int fd = dup(l->fd), fault = errno;
    DIR *d = fd < 0 ? NULL : fdopendir(fd);

    if (d) {
        fault = take_names(l, d);
        (void)closedir(d);
    } else {
        own_close(&fd);
    }
    if (d && !fault) {
        recall(l);
        return NULL;
    }
    l->out->n = 0;
    return fault == E2BIG ? "has more than 100000 adapters"
                          : arena_printf(l->a, "cannot be listed: %s", strerror(fault));
}

/* ---- looking ---- */

struct looker {
    pthread_t thread;
    bool beside;
    int fd;
    struct kept_file *v;
    size_t n;
    bool *same; /* of each: is it what the index knows? */
};

static void *look(void *self)
{
    struct looker *k = self;
    struct stat st;

    for (size_t i = 0; i < k->n; i++) {
        struct mark now = { 0 };

        if (k->v[i].mark.ino && fstatat(k->fd, k->v[i].file, &st, 0) == 0)
            now = mark_of(&st);
        k->same[i] = mark_same(&now, &k->v[i].mark);
    }
    return NULL;
}

/* The last part is looked at here, and so is one that gets no thread. */
static void look_at_all(const struct listing *l, bool *same)
{
    struct looker lookers[LOOKERS] = { 0 };
    size_t n = l->out->n, parts = n / LOOKER_LEAST + 1, from = 0;

    parts = parts > LOOKERS ? LOOKERS : parts;
    for (size_t i = 0; i < parts; i++) {
        size_t upto = n * (i + 1) / parts;
        struct looker *k = &lookers[i];

        *k = (struct looker){ .fd = l->fd, .v = l->out->v + from, .n = upto - from };
        k->same = same + from;
        from = upto;
        k->beside = i + 1 < parts && pthread_create(&k->thread, NULL, look, k) == 0;
        if (!k->beside)
            (void)look(k);
    }
    for (size_t i = 0; i < parts; i++)
        if (lookers[i].beside)
            (void)pthread_join(lookers[i].thread, NULL);
}

/* Reads what is new or has changed; true: nothing was. */
static bool bring_up_to_date(struct listing *l)
{
    bool *same = arena_alloc(l->a, l->out->n + 1), all = true;

    look_at_all(l, same);
    for (size_t i = 0; i < l->out->n; i++) {
        struct kept_file *f = &l->out->v[i];

        if (same[i])
            continue;
        *f = (struct kept_file){ .file = f->file, .type = -1 };
        read_file(l, f);
        all = false;
    }
    return all;
}

/* ---- all of it ---- */

static int by_id(const void *a, const void *b)
{
    const struct kept_file *x = a, *y = b;
    int order = str_cmp(x->adapter_id, y->adapter_id);

    return order ? order : strcmp(x->file, y->file);
}

void folder_sort(struct kept_files *files)
{
    size_t i = 1;

    while (i < files->n && by_id(&files->v[i - 1], &files->v[i]) < 0)
        i++;
    if (i < files->n)
        qsort(files->v, files->n, sizeof *files->v, by_id);
}

void folder_list(const char *directory, const char *cache, int64_t now_ms, struct arena *a,
                 struct folder *out)
{
    _fd_ int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct index_place place = { cache, directory, now_ms };
    struct listing l = { .fd = fd, .now_ms = now_ms, .a = a, .out = &out->files };
    struct stat st;
    bool known, unchanged;

    *out = (struct folder){ 0 };
    if (fd < 0 || fstat(fd, &st) != 0) {
        if (errno != ENOENT)
            out->fault = arena_printf(a, "cannot be listed: %s", strerror(errno));
        return;
    }
    known = index_read(&place, a, &l.known);
    out->files.made_ms = known ? l.known.made_ms : now_ms;
    out->files.directory = mark_of(&st);
    unchanged = known && mark_same(&l.known.directory, &out->files.directory);
    if (unchanged)
        out->files = l.known;
    else
        out->fault = read_names(&l);
    out->indexed = bring_up_to_date(&l) && known;
    folder_sort(&out->files);
    if (!out->fault && (!out->indexed || !unchanged) && out->files.n)
        index_write(&place, &out->files);
}
