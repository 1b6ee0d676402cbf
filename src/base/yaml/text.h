/* SPDX-License-Identifier: Apache-2.0 */
/* text.h: where the YAML reader stands in its text, and the texts (scalars) it reads there.
 *
 * Lines end in LF here. A function that returns false has refused the document, with the place.
 */
#pragma once

#include "base/buf.h"
#include "base/yaml/tree.h"

struct yaml_place {
    size_t at;        /* the next character */
    size_t line;      /* where its line begins */
    size_t first;     /* the first character of that line that is neither a space nor a tab */
    ptrdiff_t indent; /* the spaces that the line begins with */
};

struct yaml_reader {
    struct yaml_tree tree;
    struct yaml_place p;
    struct str t;     /* the document's text */
    struct buf words; /* the text that is being put together */
    bool left_empty;  /* the last value had no characters: a message may ask for more indentation */
};

/* One text as it was read; it points into the document or into the arena. */
struct yaml_text {
    size_t at;
    struct str text;
    bool plain;
};

/* A character from here on; NUL behind the end, and NUL stands nowhere in the text. */
static inline char yaml_peek(const struct yaml_reader *r, size_t ahead)
{
    return r->p.at + ahead < r->t.n ? r->t.s[r->p.at + ahead] : '\0';
}

static inline bool yaml_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* May this character follow a '-', '?' or ':' that is a part of a plain text? */
static inline bool yaml_safe(char c, bool flow)
{
    return c && !yaml_blank(c) && c != '\n' && !(flow && is_one_of(c, ",[]{}"));
}

/* Is the next character this one, as a sign: not the beginning of a plain text? */
static inline bool yaml_sign(const struct yaml_reader *r, char c, bool flow)
{
    return yaml_peek(r, 0) == c && !yaml_safe(yaml_peek(r, 1), flow);
}

/* Looks at the line that begins here. */
void yaml_begin_line(struct yaml_reader *r);

/* Passes spaces and tabs; passes line ends and comments too. */
void yaml_skip_blanks(struct yaml_reader *r);
void yaml_skip(struct yaml_reader *r);

/* Does the line that begins here end a document (`...`) or begin one (`---`)? */
bool yaml_marker(const struct yaml_reader *r, const char *which);

/* Has the document ended, by the end of the text or by a marker? */
bool yaml_ended(const struct yaml_reader *r);

/* A text in quotes or a plain one. Its further lines are indented by at least so many spaces; in a
 * flow collection a plain one ends at a comma or a bracket. */
bool yaml_read_text(struct yaml_reader *r, ptrdiff_t least, bool flow,
                    struct yaml_text *out) NODISCARD;

/* A text behind | or >, inside a list or map at that column; -1 at the root. */
bool yaml_read_block(struct yaml_reader *r, ptrdiff_t parent, struct yaml_text *out) NODISCARD;
