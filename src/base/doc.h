/* SPDX-License-Identifier: Apache-2.0 */
/* doc.h: a document the user wrote, as a tree in which every value knows its place.
 *
 * Values live in the reader's arena and point into the text they were read from, so both must
 * outlive the tree. A place is kept as an offset and turned into line and column only when
 * somebody asks: reading is hot, complaining is not.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"

enum doc_kind { DOC_NULL, DOC_BOOL, DOC_INT, DOC_NUMBER, DOC_TEXT, DOC_LIST, DOC_MAP };

struct doc {
    enum doc_kind kind;
    uint32_t at;     /* where its text begins */
    uint32_t key_at; /* where its key begins */
    uint32_t count;  /* children of a list or map */
    struct str key;  /* its name in the map above; key.s is NULL elsewhere */
    /* What it is in. Nothing is in a text or a number: a made value that hangs below one stands for
     * it, and has its pointer. */
    struct doc *up, *next;
    union {
        bool truth;
        int64_t whole;
        struct {
            double number;       /* the nearest there is */
            const char *written; /* its digits, where the number has others; see ceilings.h */
        };
        struct str text;
        struct {
            struct doc *first, *last;
        };
    };
};

/* A tree with the text it came from. The root comes first: who climbs to it has the document. */
struct document {
    struct doc root;
    const char *file; /* as the user named it */
    struct str text;
};

/* A new value at the end of a list or map; key is ignored for lists. */
struct doc *doc_add(struct arena *a, struct doc *up, struct str key);

/* The member of a map by that name, or NULL. */
const struct doc *doc_get(const struct doc *map, const char *key);

/* The same, or the map itself: where to report what its absence means. */
const struct doc *doc_place(const struct doc *map, const char *key);

/* The first child of a list or a map; NULL where d is not there or not of that kind. */
const struct doc *doc_first(const struct doc *d, enum doc_kind kind);

/* The text of a member, or one without bytes; its whole number above zero, or 0. */
struct str doc_text(const struct doc *map, const char *key);
int64_t doc_whole(const struct doc *map, const char *key);

/* "a list of 3", "'text'", "42": what d is, for messages; of a long text the beginning. */
void doc_say(const struct doc *d, struct buf *to);

/* A text of the user between '', short, its control characters as \n or \x1b, for messages. */
const char *said(struct str text, struct arena *a);

/* The JSON pointer (RFC 6901) to d. */
void doc_pointer(const struct doc *d, struct buf *to);

/* One name of such a pointer, with the '/' before it. */
void doc_pointer_name(struct str name, struct buf *to);

/* Line and column (both from 1, columns in characters) of an offset in a text. */
void text_place(struct str text, size_t offset, int *line, int *col);

/* The place of an offset inside a list or map (NULL: outside of all), or of a value, for
 * error_at().
 */
struct at document_at(const struct document *document, const struct doc *inside, size_t offset);
struct at doc_at(const struct doc *d);

/* Compares keys as RFC 8785 sorts them: by UTF-16 code units. */
int key_cmp(struct str a, struct str b);

/* The children of a map in the order of key_cmp(), as an array of map->count in the arena. */
const struct doc **doc_sorted(const struct doc *map, struct arena *a);

/* The second of two members of the same name, or NULL. */
const struct doc *doc_twice(const struct doc *map, struct arena *a);
