/* SPDX-License-Identifier: Apache-2.0 */
/* catalog_index.c: writes and reads indexes: a head, a row for each file, their texts.
 *
 * Numbers are as this machine has them. A sum over all of it tells a torn one; it is no guard
 * against people, who could change the adapters as well.
 */
#include "adapter/catalog_index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/fs.h"
#include "contract/adapter_doc.h"
#include "contract/repeat.h"

enum { INDEX_BYTES = 256 << 20, TEXTS = 5, WORD = 8 };

/* Timestamps of files go in steps of the kernel's clock, of 10 ms at most. */
enum { STEP_MS = 20 };

struct head {
    char magic[8];
    uint64_t sum; /* of everything behind it */
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

static const char magic[8] = { 'w', 'r', 'i', 't', 'i', 'd', 'x', '1' };

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
    return m->ctime_ns / 1000000 > now_ms - STEP_MS ? (struct mark){ 0 } : *m;
}

/* ---- the form ---- */

static uint64_t sum_of(struct str bytes)
{
    uint64_t sum = bytes.n, word;

    for (; bytes.n >= WORD; bytes = (struct str){ bytes.s + WORD, bytes.n - WORD }) {
        memcpy(&word, bytes.s, WORD);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    word = 0;
    if (bytes.n)
        memcpy(&word, bytes.s, bytes.n);
    return (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
}

static struct str behind_sum(struct str bytes)
{
    size_t from = offsetof(struct head, version);

    return (struct str){ bytes.s + from, bytes.n - from };
}

const char *index_path(const char *cache, const char *directory, struct arena *a)
{
    struct digest digest = digest_of(directory, strlen(directory));
    char text[DIGEST_TEXT];

    digest_text(&digest, text);
    return arena_printf(a, "%s/adapter-schema/%s", cache, text + strlen("sha256:"));
}

/* ---- reading ---- */

static bool read_whole(const char *path, struct arena *a, struct str *out)
{
    _fd_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;
    char *bytes;
    size_t n = 0;

    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > INDEX_BYTES ||
        st.st_size < (off_t)sizeof(struct head))
        return false;
    bytes = arena_raw(a, (size_t)st.st_size);
    while (n < (size_t)st.st_size) {
        ssize_t got = read(fd, bytes + n, (size_t)st.st_size - n);

        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        n += got > 0 ? (size_t)got : 0;
    }
    *out = (struct str){ bytes, n };
    return true;
}

static bool head_fits(const struct head *head, struct str bytes, int64_t now_ms)
{
    int64_t most = caches[CACHE_ADAPTERS].ttl_ms;

    return memcmp(head->magic, magic, sizeof magic) == 0 &&
           strncmp(head->version, WRIT_VERSION, sizeof head->version) == 0 &&
           head->made_ms <= now_ms && now_ms - head->made_ms <= most &&
           head->count <= (bytes.n - sizeof *head) / sizeof(struct row) &&
           head->sum == sum_of(behind_sum(bytes));
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

bool index_read(const char *path, int64_t now_ms, struct arena *a, struct kept_files *out)
{
    struct str bytes = { 0 }, texts;
    struct kept_files files = { 0 };
    struct head head;
    size_t rows_end;

    if (!read_whole(path, a, &bytes))
        return false;
    memcpy(&head, bytes.s, sizeof head);
    if (!head_fits(&head, bytes, now_ms))
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

/* Not made sure of on the disk, which takes longer than reading it all again: a torn one is seen.
 */
static bool replace(const char *path, struct str bytes, struct arena *a)
{
    char *beside = arena_printf(a, "%s.XXXXXX", path);
    _fd_ int fd = mkostemp(beside, O_CLOEXEC);
    size_t n = 0;
    ssize_t got = 0;

    if (fd < 0)
        return false;
    while (n < bytes.n && (got >= 0 || errno == EINTR)) {
        got = write(fd, bytes.s + n, bytes.n - n);
        n += got > 0 ? (size_t)got : 0;
    }
    if (n == bytes.n && rename(beside, path) == 0)
        return true;
    (void)unlink(beside);
    return false;
}

void index_write(const char *path, int64_t now_ms, const struct kept_files *files)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf bytes = { .max = INDEX_BYTES };
    struct head head = { .version = WRIT_VERSION,
                         .made_ms = files->made_ms,
                         .directory = believed(&files->directory, now_ms),
                         .count = files->n };
    char *cache = arena_text(&a, str_of(path));
    struct error e;

    memcpy(head.magic, magic, sizeof magic);
    buf_add(&bytes, &head, sizeof head);
    for (size_t i = 0; i < files->n; i++)
        put_row(&files->v[i], now_ms, &bytes);
    for (size_t i = 0; i < files->n; i++)
        put_texts(&files->v[i], &bytes);
    *strrchr(cache, '/') = '\0';
    if (!buf_ok(&bytes) || !fs_make_dirs(cache, &e))
        return;
    head.sum = sum_of(behind_sum(buf_str(&bytes)));
    memcpy(bytes.s, &head, sizeof head);
    (void)replace(path, buf_str(&bytes), &a);
}
