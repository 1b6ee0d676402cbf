/* SPDX-License-Identifier: Apache-2.0 */
/* index.c: writes and reads indexes: a head, a row for each file, their texts.
 *
 * Numbers are as this machine has them. The cache tells what is torn; what the numbers say is
 * looked at all the same before it is used.
 */
#include "adapter/catalog/index.h"

#include "adapter/cache.h"
#include "base/buf.h"
#include "contract/adapter_doc.h"

enum { INDEX_BYTES = 16 << 20, TEXTS = 5 };

/* Timestamps of files go in steps of the kernel's clock, of 10 ms at most. */
enum { STEP_MS = 20 };

struct head {
    char version[16];
    int64_t made_ms;
    struct mark directory;
    uint64_t count;
};

struct row {
    struct mark mark;
    uint32_t lengths[TEXTS]; /* file (and its NUL), adapter_id, name, tool_id, why */
    int32_t type;
};

/* ---- marks ---- */

static int64_t nanos(const struct timespec *t)
{
    return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

struct mark mark_of(const struct stat *st)
{
    return (struct mark){ .dev = st->st_dev,
                          .ino = st->st_ino,
                          .size = st->st_size,
                          .mtime_ns = nanos(&st->st_mtim),
                          .ctime_ns = nanos(&st->st_ctim) };
}

bool mark_same(const struct mark *a, const struct mark *b)
{
    return a->ino && a->ino == b->ino && a->dev == b->dev && a->size == b->size &&
           a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

static struct mark believed(const struct mark *m, int64_t now_ms)
{
    struct mark none = { 0 };

    return m->ctime_ns / 1000000 > now_ms - STEP_MS ? none : *m;
}

/* ---- reading ---- */

static struct digest key_of(const char *directory)
{
    const struct str texts[] = { str_of("index of adapters"), str_of(directory) };

    return cache_key(texts, COUNT(texts));
}

/* The cache counts from when it was written last; the oldest of it must be young enough, too. */
static bool head_fits(const struct head *head, struct str bytes, int64_t now_ms)
{
    int64_t most = caches[CACHE_ADAPTERS].ttl_ms;

    return strncmp(head->version, WRIT_VERSION, sizeof head->version) == 0 &&
           head->made_ms <= now_ms && now_ms - head->made_ms <= most &&
           head->count <= (bytes.n - sizeof *head) / sizeof(struct row);
}

/* The next text; false: there is not so much left. */
static bool take_text(struct str *texts, uint32_t n, struct str *out)
{
    if (n > texts->n)
        return false;
    *out = (struct str){ texts->s, n };
    *texts = (struct str){ texts->s + n, texts->n - n };
    return true;
}

static bool take_row(const struct row *row, struct str *texts, struct kept_file *f)
{
    struct str file;

    if (row->type < -1 || row->type >= ADAPTER_TYPE_COUNT ||
        !take_text(texts, row->lengths[0], &file) ||
        !take_text(texts, row->lengths[1], &f->adapter_id) ||
        !take_text(texts, row->lengths[2], &f->name) ||
        !take_text(texts, row->lengths[3], &f->tool_id) ||
        !take_text(texts, row->lengths[4], &f->why))
        return false;
    f->mark = row->mark;
    f->type = row->type;
    f->file = file.s;
    return file.n > 1 && memchr(file.s, '\0', file.n) == file.s + file.n - 1 &&
           !memchr(file.s, '/', file.n);
}

bool index_read(const struct index_place *p, struct arena *a, struct kept_files *out)
{
    struct cache_place place = { .directory = p->cache, .now_ms = p->now_ms };
    struct digest key = key_of(p->directory);
    struct kept_files files = { 0 };
    struct str bytes, texts;
    struct head head;
    size_t rows_end;

    if (!p->cache || !cache_get(&place, CACHE_ADAPTERS, &key, a, &bytes) || bytes.n < sizeof head)
        return false;
    memcpy(&head, bytes.s, sizeof head);
    if (!head_fits(&head, bytes, p->now_ms))
        return false;
    rows_end = sizeof head + head.count * sizeof(struct row);
    texts = (struct str){ bytes.s + rows_end, bytes.n - rows_end };
    files.v = arena_raw(a, head.count * sizeof *files.v);
    for (; files.n < head.count; files.n++) {
        struct row row;

        memcpy(&row, bytes.s + sizeof head + files.n * sizeof row, sizeof row);
        if (!take_row(&row, &texts, &files.v[files.n]))
            return false;
    }
    files.directory = head.directory;
    files.made_ms = head.made_ms;
    *out = files;
    return true;
}

/* ---- writing ---- */

static void put_row(const struct kept_file *f, int64_t now_ms, struct buf *to)
{
    struct row row = {
        .mark = believed(&f->mark, now_ms),
        .lengths = { (uint32_t)strlen(f->file) + 1, (uint32_t)f->adapter_id.n, (uint32_t)f->name.n,
                     (uint32_t)f->tool_id.n, (uint32_t)f->why.n },
        .type = f->type,
    };

    buf_add(to, &row, sizeof row);
}

static void put_texts(const struct kept_file *f, struct buf *to)
{
    buf_add(to, f->file, strlen(f->file) + 1);
    buf_add(to, f->adapter_id.s, f->adapter_id.n);
    buf_add(to, f->name.s, f->name.n);
    buf_add(to, f->tool_id.s, f->tool_id.n);
    buf_add(to, f->why.s, f->why.n);
}

void index_write(const struct index_place *p, const struct kept_files *files)
{
    _buf_ struct buf bytes = { .max = INDEX_BYTES };
    struct cache_place place = { .directory = p->cache, .now_ms = p->now_ms };
    struct digest key = key_of(p->directory);
    struct head head = { .version = WRIT_VERSION,
                         .made_ms = files->made_ms,
                         .directory = believed(&files->directory, p->now_ms),
                         .count = files->n };
    struct error e;

    buf_add(&bytes, &head, sizeof head);
    for (size_t i = 0; i < files->n; i++)
        put_row(&files->v[i], p->now_ms, &bytes);
    for (size_t i = 0; i < files->n; i++)
        put_texts(&files->v[i], &bytes);
    if (p->cache && buf_ok(&bytes))
        (void)!cache_put(&place, CACHE_ADAPTERS, &key, buf_str(&bytes), &e);
}
