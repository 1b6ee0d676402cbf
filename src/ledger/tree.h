/* SPDX-License-Identifier: Apache-2.0 */
/* tree.h: the Merkle tree of RFC 6962: roots, and proofs of inclusion and consistency.
 *
 * Pure arithmetic: hashes that are kept somewhere come through a struct tree_source.
 */
#pragma once

#include "base/digest.h"
#include "base/error.h"

enum { TREE_PATH_MAX = 130 }; /* hashes of the longest proof, with 63 bits of size */

struct tree_path {
    size_t n;
    struct digest hash[TREE_PATH_MAX];
};

struct digest tree_leaf(struct str bytes);
struct digest tree_node(const struct digest *left, const struct digest *right);

/* The root over n leaf hashes. Of nothing: SHA-256 of nothing. */
struct digest tree_root(const struct digest *leaves, size_t n);

/* The hash of the complete subtree over the leaves index << level to (index + 1) << level - 1. */
struct tree_source {
    bool (*hash)(void *self, int level, int64_t index, struct digest *out, struct error *e);
    void *self;
};

/* Of the tree that the first `size` leaves make. index < size, and old <= size. Of old 0, or of
 * old and size the same, the path is empty. */
bool tree_root_at(int64_t size, const struct tree_source *from, struct digest *out,
                  struct error *e) NODISCARD;
bool tree_inclusion(int64_t index, int64_t size, const struct tree_source *from,
                    struct tree_path *out, struct error *e) NODISCARD;
bool tree_consistency(int64_t old, int64_t size, const struct tree_source *from,
                      struct tree_path *out, struct error *e) NODISCARD;

/* Does the proof show it? Any numbers and any path may come here: they are somebody else's.
 * Every tree begins with the empty one, so old 0 shows nothing and is false. */
bool tree_included(int64_t index, int64_t size, const struct digest *leaf,
                   const struct tree_path *path, const struct digest *root) NODISCARD;
bool tree_consistent(int64_t old, const struct digest *old_root, int64_t size,
                     const struct digest *root, const struct tree_path *path) NODISCARD;

/* A part of a tree: the leaves start to end - 1. It has a hash of its own, and proofs, where start
 * is a multiple of the smallest power of two that is not less than end - start: then a tree made of
 * these leaves alone has the nodes they have in the large tree (draft Merkle Tree Certificates). */
struct tree_range {
    int64_t start, end;
};

bool tree_range_stands(struct tree_range r) NODISCARD;

/* As above: is the leaf in the range, and the range in the tree? index counts from the tree's
 * first leaf, and hash is the range's. An empty range has the hash of nothing and an empty path. */
bool tree_range_included(int64_t index, struct tree_range r, const struct digest *leaf,
                         const struct tree_path *path, const struct digest *hash) NODISCARD;
bool tree_range_consistent(struct tree_range r, const struct digest *hash, int64_t size,
                           const struct digest *root, const struct tree_path *path) NODISCARD;
