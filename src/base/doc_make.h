/* SPDX-License-Identifier: Apache-2.0 */
/* doc_make.h: trees that are made, not read: copied, put together, put in order.
 *
 * They are written and walked as those that were read. Texts are not copied: what a tree was made
 * from must outlive it.
 */
#pragma once

#include "base/doc.h"
#include "base/work.h"

/* A new value costs memory besides time; so it costs this many steps. */
enum { WORK_VALUE = 32 };

/* The steps of reading, comparing or hashing a text. */
static inline uint32_t work_text(struct str t)
{
    return 1 + (uint32_t)(t.n / 16);
}

/* The root of a new tree: null until somebody makes it something else. It is a document's root, as
 * who climbs to it expects. */
struct doc *doc_root(struct arena *a, enum doc_kind kind);

/* A new value at the end of a list (key is NULL) or map. */
struct doc *doc_add_kind(struct arena *a, struct doc *up, const char *key, enum doc_kind kind);
void doc_add_text(struct arena *a, struct doc *up, const char *key, struct str text);
void doc_add_int(struct arena *a, struct doc *up, const char *key, int64_t n);
void doc_add_bool(struct arena *a, struct doc *up, const char *key, bool truth);

/* Gives `to`, which is null, a copy of the value of `from`; it keeps its name and its place. `to`
 * must not lie inside of `from`. False: the work is over. */
bool doc_copy(const struct doc *from, struct doc *to, struct work *w, struct arena *a) NODISCARD;

/* The same document with every map in the order of key_cmp(): itself where it is so already, else a
 * copy. Equal canonical bytes then mean equal trees. False: the work is over. */
bool doc_ordered(const struct doc *d, struct work *w, struct arena *a,
                 const struct doc **out) NODISCARD;

/* The first in d, or d itself, whose key or text is not UTF-8; NULL: there is none. Readers let
 * none through; a tree that is made, say of a command line, may hold one. */
const struct doc *doc_not_text(const struct doc *d);
