/* SPDX-License-Identifier: Apache-2.0 */
/* tree_model.h: the tree as RFC 9162 writes it down, from the root to the leaves, for comparison.
 *
 * The product goes from the leaves to the root and divides nothing; this divides and goes down.
 */
#pragma once

#include <assert.h>

#include "ledger/tree.h"

static struct digest model_leaves[128];

static inline bool hash_same(const struct digest *a, const struct digest *b)
{
    return memcmp(a->b, b->b, DIGEST_BYTES) == 0;
}

static inline void model_begin(void)
{
    for (size_t i = 0; i < COUNT(model_leaves); i++) {
        uint8_t byte = (uint8_t)i;

        model_leaves[i] = tree_leaf((struct str){ (const char *)&byte, i > 0 });
    }
}

/* The largest power of two below n. */
static inline int64_t model_split(int64_t n)
{
    int64_t k = 1;

    while (k < n - k)
        k *= 2;
    return k;
}

/* MTH(D[start:end]), 2.1.1; the bytes are put together here once more. */
static inline struct digest model_root(int64_t start, int64_t end)
{
    int64_t k = model_split(end - start);
    uint8_t bytes[65] = { 1 };
    struct digest left, right;

    if (start == end)
        return digest_of("", 0);
    if (end - start == 1)
        return model_leaves[start];
    left = model_root(start, start + k);
    right = model_root(start + k, end);
    memcpy(bytes + 1, &left, 32);
    memcpy(bytes + 33, &right, 32);
    return digest_of(bytes, sizeof bytes);
}

static inline void model_put(struct tree_path *path, struct digest hash)
{
    path->hash[path->n++] = hash;
}

/* PATH(index, D[start:end]), 2.1.3.1; index counts from start. */
static inline void model_inclusion(int64_t index, int64_t start, int64_t end,
                                   struct tree_path *path)
{
    int64_t k = model_split(end - start);

    if (end - start == 1) {
        path->n = 0;
    } else if (index < k) {
        model_inclusion(index, start, start + k, path);
        model_put(path, model_root(start + k, end));
    } else {
        model_inclusion(index - k, start + k, end, path);
        model_put(path, model_root(start, start + k));
    }
}

/* SUBPROOF(part, D[start:end], known), 2.1.4.1, with a part that need not begin at 0. */
static inline void model_consistency(struct tree_range part, int64_t start, int64_t end, bool known,
                                     struct tree_path *path)
{
    int64_t middle = start + model_split(end - start);
    struct tree_range rest = { part.start > middle ? part.start : middle, part.end };

    if (part.start == start && part.end == end) {
        path->n = 0;
        if (!known)
            model_put(path, model_root(start, end));
    } else if (part.end <= middle) {
        model_consistency(part, start, middle, known, path);
        model_put(path, model_root(middle, end));
    } else {
        model_consistency(rest, middle, end, known && part.start >= middle, path);
        model_put(path, model_root(start, middle));
    }
}

/* What a path's first n hashes make of a part's hash: the part, and the tree from start to end. */
struct model_made {
    bool ok;
    struct digest part, tree;
};

static inline struct model_made model_make(struct tree_range part, int64_t start, int64_t end,
                                           const struct digest *known, const struct digest *path,
                                           size_t n)
{
    int64_t middle = start + model_split(end - start);
    struct tree_range rest = { part.start > middle ? part.start : middle, part.end };
    struct model_made made = { 0 };

    if (part.start == start && part.end == end) {
        made.ok = n == (known ? 0 : 1);
        if (made.ok)
            made.part = made.tree = known ? *known : path[0];
        return made;
    }
    if (n == 0)
        return made;
    if (part.end <= middle) {
        made = model_make(part, start, middle, known, path, n - 1);
        made.tree = tree_node(&made.tree, &path[n - 1]);
        return made;
    }
    made = model_make(rest, middle, end, part.start >= middle ? known : NULL, path, n - 1);
    if (part.start < middle)
        made.part = tree_node(&path[n - 1], &made.part);
    made.tree = tree_node(&path[n - 1], &made.tree);
    return made;
}

static inline bool model_shows(struct tree_range part, const struct digest *hash, int64_t size,
                               const struct digest *root, const struct tree_path *path)
{
    struct model_made made = model_make(part, 0, size, hash, path->hash, path->n);

    return made.ok && hash_same(&made.part, hash) && hash_same(&made.tree, root);
}

/* Hashes from the model, of subtrees that are there. It can be told to fail at its nth call. */
struct model_source {
    int64_t size;
    int calls, fail_at;
};

static inline bool model_hash(void *self, int level, int64_t index, struct digest *out,
                              struct error *e)
{
    struct model_source *s = self;

    if (++s->calls == s->fail_at)
        return error_set(e, ERROR_IO, "no hash");
    assert(level >= 0 && index >= 0 && (index + 1) << level <= s->size);
    *out = model_root(index << level, (index + 1) << level);
    return true;
}
