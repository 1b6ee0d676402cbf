/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c: the Merkle tree of RFC 6962, made and checked.
 *
 * A node at level l covers 1 << l leaves; the last one of a level may cover fewer. A node without
 * a neighbour to its right goes up as it is: that gives the same tree as the RFC's division at the
 * largest power of two, and both ways of a proof are then one walk from a node to the root.
 */
#include "ledger/tree.h"

#include <assert.h>
#include <string.h>

enum { LEVELS = 64, TILE = 256 };

struct digest tree_leaf(struct str bytes)
{
    static const uint8_t mark = 0;
    struct sha256 s;

    sha256_begin(&s);
    sha256_add(&s, &mark, 1);
    sha256_add(&s, bytes.s, bytes.n);
    return sha256_end(&s);
}

struct digest tree_node(const struct digest *left, const struct digest *right)
{
    uint8_t bytes[1 + 2 * DIGEST_BYTES] = { 1 };

    memcpy(bytes + 1, left->b, DIGEST_BYTES);
    memcpy(bytes + 1 + DIGEST_BYTES, right->b, DIGEST_BYTES);
    return digest_of(bytes, sizeof bytes);
}

static bool same(const struct digest *a, const struct digest *b)
{
    return memcmp(a->b, b->b, DIGEST_BYTES) == 0;
}

/* ---- making ---- */

enum { NODES_AT_ONCE = 32 };

/* n nodes of 2 n below them; out may be where those begin. */
static void nodes_above(const struct digest *below, size_t n, struct digest *out)
{
    uint8_t bytes[NODES_AT_ONCE][1 + 2 * DIGEST_BYTES];
    struct str texts[NODES_AT_ONCE];

    for (size_t at = 0, count; at < n; at += count) {
        count = n - at < NODES_AT_ONCE ? n - at : NODES_AT_ONCE;
        for (size_t i = 0; i < count; i++) {
            bytes[i][0] = 1;
            memcpy(bytes[i] + 1, &below[2 * (at + i)], 2 * sizeof *below);
            texts[i] = (struct str){ (const char *)bytes[i], sizeof bytes[i] };
        }
        digest_many(texts, &out[at], count);
    }
}

/* Of a whole tile: level by level. */
static struct digest tile_root(const struct digest leaves[TILE])
{
    struct digest level[TILE / 2];

    nodes_above(leaves, TILE / 2, level);
    for (size_t n = TILE / 4; n > 0; n /= 2)
        nodes_above(level, n, level);
    return level[0];
}

/* Counts in binary: after i leaves the stack has one complete subtree for each bit of i, the
 * largest first. */
struct digest tree_root(const struct digest *leaves, size_t n)
{
    struct digest stack[LEVELS];
    size_t top = 0;

    if (n == 0)
        return digest_of(NULL, 0);
    if (n == TILE)
        return tile_root(leaves);
    for (size_t i = 0; i < n; i++) {
        stack[top++] = leaves[i];
        for (size_t carry = i; carry & 1; carry >>= 1, top--)
            stack[top - 2] = tree_node(&stack[top - 2], &stack[top - 1]);
    }
    for (; top > 1; top--)
        stack[top - 2] = tree_node(&stack[top - 2], &stack[top - 1]);
    return stack[0];
}

/* The hash of the node over the leaves start to end - 1: its complete subtrees, one for each bit of
 * its width, put together from the right. */
static bool node_over(uint64_t start, uint64_t end, const struct tree_source *from,
                      struct digest *out, struct error *e)
{
    struct digest all = { { 0 } }, left;
    bool some = false;
    int level = 0;

    for (uint64_t width = end - start; width > 0; width >>= 1, level++) {
        if (!(width & 1))
            continue;
        if (!from->hash(from->self, level, (int64_t)((start >> level) + width - 1), &left, e))
            return false;
        all = some ? tree_node(&left, &all) : left;
        some = true;
    }
    *out = all;
    return true;
}

bool tree_root_at(int64_t size, const struct tree_source *from, struct digest *out, struct error *e)
{
    assert(size >= 0);
    if (size > 0)
        return node_over(0, (uint64_t)size, from, out, e);
    *out = digest_of(NULL, 0);
    return true;
}

/* Adds what stands beside the way from a node up to the root. */
static bool way_up(int level, uint64_t index, uint64_t size, const struct tree_source *from,
                   struct tree_path *path, struct error *e)
{
    for (; (size - 1) >> level > 0; level++, index >>= 1) {
        uint64_t start = (index ^ 1) << level, end = start + (UINT64_C(1) << level);

        if (start >= size)
            continue;
        if (!node_over(start, end < size ? end : size, from, &path->hash[path->n], e))
            return false;
        path->n++;
    }
    return true;
}

static void copy(const struct tree_path *path, struct tree_path *out)
{
    out->n = path->n;
    memcpy(out->hash, path->hash, path->n * sizeof path->hash[0]);
}

bool tree_inclusion(int64_t index, int64_t size, const struct tree_source *from,
                    struct tree_path *out, struct error *e)
{
    struct tree_path path;

    assert(index >= 0 && index < size);
    path.n = 0;
    if (!way_up(0, (uint64_t)index, (uint64_t)size, from, &path, e))
        return false;
    copy(&path, out);
    return true;
}

/* Both trees share the smallest complete subtree at the old one's right edge: the proof is its hash
 * and the way up from there. Where that subtree is the whole old tree its hash is known. */
bool tree_consistency(int64_t old, int64_t size, const struct tree_source *from,
                      struct tree_path *out, struct error *e)
{
    struct tree_path path;
    uint64_t index = (uint64_t)old - 1;
    int level = 0;

    assert(old >= 0 && old <= size);
    path.n = 0;
    if (old == 0 || old == size) {
        out->n = 0;
        return true;
    }
    for (; index & 1; index >>= 1)
        level++;
    if (index > 0) {
        if (!from->hash(from->self, level, (int64_t)index, &path.hash[0], e))
            return false;
        path.n = 1;
    }
    if (!way_up(level, index, (uint64_t)size, from, &path, e))
        return false;
    copy(&path, out);
    return true;
}

/* ---- checking ---- */

/* Where the check stands: the places, on one level, of the first and the last node of the part and
 * of the last node of the tree. */
struct climb {
    uint64_t first, last, end;
};

static void up(struct climb *c)
{
    c->first >>= 1;
    c->last >>= 1;
    c->end >>= 1;
}

bool tree_range_stands(struct tree_range r)
{
    uint64_t width = 1;

    if (r.start < 0 || r.end <= r.start)
        return false;
    while (width < (uint64_t)r.end - (uint64_t)r.start)
        width <<= 1;
    return ((uint64_t)r.start & (width - 1)) == 0;
}

/* Everything a proof can show is that a part of the tree is what it is said to be: one leaf, the
 * tree of an earlier day, or a subtree. The part's hash and the root are made anew from the path.
 * A part that is a node of the tree is known already; any other begins with the path's first hash,
 * the smallest complete subtree at its right edge. */
static bool shows(struct tree_range part, const struct digest *hash, int64_t size,
                  const struct digest *root, const struct tree_path *path)
{
    struct digest of_part = *hash, of_tree = *hash;
    struct climb c;
    size_t used = 0;

    if (path->n > TREE_PATH_MAX || !tree_range_stands(part) || part.end > size)
        return false;
    c = (struct climb){ (uint64_t)part.start, (uint64_t)part.end - 1, (uint64_t)size - 1 };
    while (c.first < c.last && (part.end == size || c.last & 1))
        up(&c);
    if (c.first < c.last) {
        if (path->n == 0)
            return false;
        of_part = of_tree = path->hash[used++];
    }
    for (; used < path->n; used++, up(&c)) {
        const struct digest *beside = &path->hash[used];

        if (c.end == 0)
            return false;
        while (c.last == c.end && !(c.last & 1))
            up(&c); /* nothing stands to its right */
        if (c.last & 1 && c.first < c.last)
            of_part = tree_node(beside, &of_part);
        of_tree = c.last & 1 ? tree_node(beside, &of_tree) : tree_node(&of_tree, beside);
    }
    return c.end == 0 && same(&of_part, hash) && same(&of_tree, root);
}

bool tree_included(int64_t index, int64_t size, const struct digest *leaf,
                   const struct tree_path *path, const struct digest *root)
{
    if (index < 0 || index >= size)
        return false;
    return shows((struct tree_range){ index, index + 1 }, leaf, size, root, path);
}

bool tree_consistent(int64_t old, const struct digest *old_root, int64_t size,
                     const struct digest *root, const struct tree_path *path)
{
    return shows((struct tree_range){ 0, old }, old_root, size, root, path);
}

bool tree_range_included(int64_t index, struct tree_range r, const struct digest *leaf,
                         const struct tree_path *path, const struct digest *hash)
{
    if (!tree_range_stands(r) || index < r.start)
        return false;
    return tree_included(index - r.start, r.end - r.start, leaf, path, hash);
}

/* Of no leaves everybody knows the hash, so nothing is left that a path could show. */
bool tree_range_consistent(struct tree_range r, const struct digest *hash, int64_t size,
                           const struct digest *root, const struct tree_path *path)
{
    struct digest nothing = digest_of(NULL, 0);

    if (r.start >= 0 && r.start == r.end)
        return r.end <= size && path->n == 0 && same(hash, &nothing);
    return shows(r, hash, size, root, path);
}
