/* SPDX-License-Identifier: Apache-2.0 */
/* read.c: the changes of all layers: in order, compared byte by byte, and kept. */
#include "sandbox/cow.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "contract/codes.h"
#include "sandbox/collect_store.h"
#include "sandbox/cow_walk.h"

enum { COPY_BYTES = 128 * 1024 };

struct reading {
    struct cow_sides sides;
    int store;
    int64_t kept, looked;
    const char *cut;
    char *bytes; /* COPY_BYTES of them */
};

enum took { TOOK, TOO_MUCH, UNREADABLE, BROKEN };

/* Digests all that is there, no more than `most`, and gives it to `k`, which may be NULL. */
static enum took take(struct reading *r, int fd, int64_t most, struct storing *k,
                      struct change_side *side, struct error *e)
{
    struct sha256 sum;
    int64_t total = 0;

    sha256_begin(&sum);
    for (;;) {
        ssize_t n = read(fd, r->bytes, COPY_BYTES);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return UNREADABLE;
        if (n == 0)
            break;
        total += n;
        if (total > most)
            return TOO_MUCH;
        sha256_add(&sum, r->bytes, (size_t)n);
        if (k && !keep_add(k, r->bytes, (size_t)n, e))
            return BROKEN;
    }
    side->bytes = total;
    side->digest = sha256_end(&sum);
    return TOOK;
}

/* What the disk does not let us read has no digest. Who wrote to it up to here wrote meanwhile. */
static bool take_before(struct reading *r, const char *below, struct change_row *row)
{
    struct change_side *side = &row->before;
    _fd_ int fd = cow_open_disk_below(&r->sides, below, O_RDONLY);
    int64_t most = cow_most.look - r->looked;
    enum took took;
    struct error e;
    struct stat s;

    if (fd < 0)
        return true;
    took = take(r, fd, most, NULL, side, &e);
    if (took == TOOK)
        r->looked += side->bytes;
    row->meanwhile |= fstat(fd, &s) != 0 || cow_is_newer(&r->sides, &s);
    return took != TOO_MUCH;
}

/* *same: it is what the disk has, and nothing is kept. */
static enum took take_after(struct reading *r, const char *below, struct change_row *row,
                            bool *same, struct error *e)
{
    _fd_ int fd = cow_open_upper(&r->sides, below, O_RDONLY);
    struct storing k;
    enum took took;

    if (fd < 0) {
        (void)error_sys(e, CODE_IO, "what the run wrote cannot be read");
        return BROKEN;
    }
    if (row->after.bytes > cow_most.keep - r->kept)
        return TOO_MUCH;
    if (!keep_begin(&k, r->store, e))
        return BROKEN;
    took = take(r, fd, cow_most.keep - r->kept, &k, &row->after, e);
    if (took == UNREADABLE)
        (void)error_sys(e, CODE_IO, "what the run wrote cannot be read");
    *same = row->before.there && row->before.kind == CHANGE_FILE &&
            row->before.mode == row->after.mode && row->before.bytes == row->after.bytes &&
            memcmp(&row->before.digest, &row->after.digest, sizeof row->after.digest) == 0;
    if (took != TOOK || *same) {
        keep_drop(&k);
        return took == UNREADABLE ? BROKEN : took;
    }
    r->kept += row->after.bytes;
    return keep_end(&k, &row->after.digest, row->after.bytes, e) ? TOOK : BROKEN;
}

/* *keep: it is a change, and stays in the list. */
static bool compare(struct reading *r, struct change_row *row, bool *keep, struct error *e)
{
    const char *root = r->sides.layer->root;
    const char *below = row->path.n > strlen(root) ? row->path.s + strlen(root) + 1 : "";
    bool same = false;
    enum took took;

    *keep = true;
    if (row->before.there && row->before.kind == CHANGE_FILE && !take_before(r, below, row)) {
        r->cut = cow_cut_bytes;
        *keep = false;
        return true;
    }
    if (!row->after.there || row->after.kind != CHANGE_FILE)
        return true;
    took = take_after(r, below, row, &same, e);
    if (took == TOO_MUCH)
        r->cut = cow_cut_bytes;
    *keep = took == TOOK && !same;
    return took != BROKEN;
}

/* Into the caller's list and memory. */
static void hand_over(const struct change_row *row, struct arena *a, struct changes *out)
{
    struct change_row copy = *row;

    copy.path.s = arena_text(a, row->path);
    if (row->before.target.s)
        copy.before.target.s = arena_text(a, row->before.target);
    if (row->after.target.s)
        copy.after.target.s = arena_text(a, row->after.target);
    out->v = arena_more(a, out->v, out->n, &out->room, sizeof *out->v);
    out->v[out->n++] = copy;
}

static bool read_layer(struct reading *r, struct arena *a, struct changes *out, struct error *e)
{
    _arena_ struct arena scratch = { 0 };
    struct changes found = { 0 };

    if (!cow_walk(&r->sides, &scratch, &found, e))
        return false;
    cow_sort(&found);
    for (size_t i = 0; i < found.n; i++) {
        bool keep;

        if (!compare(r, &found.v[i], &keep, e))
            return false;
        if (keep)
            hand_over(&found.v[i], a, out);
    }
    if (found.cut)
        r->cut = found.cut;
    return true;
}

static bool read_layers(const struct cow_layers *layers, struct reading *r, struct arena *a,
                        struct changes *out, struct error *e)
{
    bool ok = true;

    for (size_t i = 0; ok && i < layers->n; i++) {
        r->sides = cow_sides_of(&layers->v[i]);
        ok = read_layer(r, a, out, e);
    }
    return ok;
}

bool cow_read(const struct cow_layers *layers, int store, struct arena *a, struct changes *out,
              struct error *e)
{
    struct reading r = { .store = store, .bytes = arena_raw(a, COPY_BYTES) };
    struct changes all = { 0 };

    if (!read_layers(layers, &r, a, &all, e))
        return false;
    all.cut = r.cut;
    cow_sort(&all);
    *out = all;
    return true;
}
