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

/* Of the tree that the first `size` leaves make. index < size, and old <= size. */
bool tree_root_at(int64_t size, const struct tree_source *from, struct digest *out,
                  struct error *e) NODISCARD;
bool tree_inclusion(int64_t index, int64_t size, const struct tree_source *from,
                    struct tree_path *out, struct error *e) NODISCARD;
bool tree_consistency(int64_t old, int64_t size, const struct tree_source *from,
                      struct tree_path *out, struct error *e) NODISCARD;

/* Does the proof show it? Any numbers and any path may come here: they are somebody else's. */
bool tree_included(int64_t index, int64_t size, const struct digest *leaf,
                   const struct tree_path *path, const struct digest *root) NODISCARD;
bool tree_consistent(int64_t old, const struct digest *old_root, int64_t size,
                     const struct digest *root, const struct tree_path *path) NODISCARD;
