/* SPDX-License-Identifier: Apache-2.0 */
/* tree.h: the tree of a YAML document, built value by value inside the ceilings.
 *
 * It knows nothing of the library that reads the text: somebody says what comes next and where.
 * Everything that fails refuses the document, with the place in `at`.
 */
#pragma once

#include "base/ceilings.h"
#include "base/doc.h"

struct yaml_tree {
    struct arena *a;
    const struct ceilings *max;
    struct document *document;
    struct error *e;
    size_t at;      /* where the value that comes next begins in the text */
    struct doc *up; /* the list or map being filled, or NULL */
    struct str key; /* read, its value not yet; key.s is NULL otherwise */
    size_t key_at;
    struct yaml_anchor *anchors;
    uint32_t depth, values, anchor_count;
};

/* Refuses the document, at an offset of its text; because of a ceiling, at `at`. */
bool tree_refuse(struct yaml_tree *t, int code, size_t at, const char *fmt, ...) PRINTF(4, 5);
bool tree_above(struct yaml_tree *t, enum ceiling which);

/* Is it a key that comes next? */
bool tree_wants_key(const struct yaml_tree *t);

/* A key or a text; a plain one has the value its word has. A list or a map, to be filled and
 * closed. The anchor's s is NULL where there is none. */
bool tree_scalar(struct yaml_tree *t, struct str text, bool plain, struct str anchor) NODISCARD;
bool tree_open(struct yaml_tree *t, enum doc_kind kind, struct str anchor) NODISCARD;
bool tree_close(struct yaml_tree *t) NODISCARD;

/* A copy of what the anchor of that name stands at. */
bool tree_alias(struct yaml_tree *t, struct str name) NODISCARD;
