/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h: what a path is made of. For jsonpath_*.c only.
 *
 * jsonpath/read.c reads segments and selectors, jsonpath/filter.c what stands behind a '?',
 * jsonpath/literal.c texts and numbers; jsonpath/run.c selects, jsonpath/test.c decides filters,
 * jsonpath/place.c says where a value is.
 */
#pragma once

#include "base/buf.h"
#include "base/jsonpath.h"
#include "base/regex.h"

enum {
    PATH_BYTES = 16384,   /* of its text */
    PATH_SEGMENTS = 1000, /* in all its queries; running recurses once for each */
    PATH_DEPTH = 50,      /* filters, brackets and functions inside each other */
};

enum selector_kind { SELECT_NAME, SELECT_ALL, SELECT_INDEX, SELECT_SLICE, SELECT_FILTER };

/* A missing bound of a slice is one that no list has: beyond what can be written. */
#define SLICE_NONE INT64_MAX

struct selector {
    enum selector_kind kind;
    struct str name;
    int64_t from, to, step; /* from is also the index */
    const struct expr *filter;
    struct selector *next;
};

struct segment {
    bool deep; /* of the value and of all that is inside it */
    struct selector *first;
    struct segment *next;
};

struct query {
    bool absolute; /* from $, not from @ */
    bool singular; /* selects one value at most, by its form */
    struct segment *first;
};

enum expr_kind {
    EXPR_OR,
    EXPR_AND,
    EXPR_NOT,
    EXPR_COMPARE,
    EXPR_QUERY, /* as a test: is there something */
    EXPR_LITERAL,
    EXPR_FUNCTION,
};

enum compare { COMPARE_EQ, COMPARE_NE, COMPARE_LE, COMPARE_GE, COMPARE_LT, COMPARE_GT };

/* The types of RFC 9535, 2.4.1. */
enum type { TYPE_VALUE, TYPE_LOGICAL, TYPE_NODES };

enum function_id {
    FUNCTION_LENGTH,
    FUNCTION_COUNT,
    FUNCTION_MATCH,
    FUNCTION_SEARCH,
    FUNCTION_VALUE
};

struct function {
    const char *name;
    enum function_id id;
    enum type result;
    size_t count;
    enum type takes[2];
};

struct expr {
    enum expr_kind kind;
    enum compare compare;
    struct query query;
    struct doc literal;
    const struct function *function;
    bool is_fixed;                    /* the pattern of a match is a literal */
    const struct regex *fixed;        /* NULL: it is no pattern */
    struct expr *first, *last, *next; /* operands, arguments */
};

struct jsonpath {
    struct query query;
};

/* A path while it is read. */
struct path {
    struct str text;
    size_t at;
    struct arena *a;
    int depth, segments;
    struct error *e;
};

/* "found .., expected <what>, at character N"; false. */
bool jsonpath_expected(struct path *p, const char *what);
bool jsonpath_wrong(struct path *p, size_t at, const char *fmt, ...) PRINTF(3, 4);

/* The next byte, or 0 at the end (a NUL is nowhere allowed). */
static inline char jsonpath_peek(const struct path *p)
{
    return p->at < p->text.n ? p->text.s[p->at] : '\0';
}

bool jsonpath_eat(struct path *p, const char *text);
void jsonpath_blanks(struct path *p);
bool jsonpath_deeper(struct path *p) NODISCARD;

/* What follows a '$' or '@': segments, up to what is none. */
bool jsonpath_query(struct path *p, struct query *out) NODISCARD;

/* What follows a '?'. */
bool jsonpath_filter(struct path *p, const struct expr **out) NODISCARD;

/* A text between quotes; a whole number; a number, text, true, false or null. */
bool jsonpath_text(struct path *p, struct str *out) NODISCARD;
bool jsonpath_whole(struct path *p, int64_t *out) NODISCARD;
bool jsonpath_literal(struct path *p, struct doc *out) NODISCARD;
bool jsonpath_follows(const struct path *p);

/* --- while it runs --- */

struct run {
    const struct doc *root;
    struct work *w;
    struct arena *a;
    struct arena scratch; /* the last pattern that was no literal */
    struct str pattern;
    const struct regex *regex;
};

/* One query that runs: where found values go, and how many are enough. */
struct hunt {
    struct run *run;
    struct nodes *out; /* NULL: they are only counted */
    const struct doc *first;
    size_t n, enough;
};

/* From a value on; false where it stopped early: it has enough, or the work is over. */
bool jsonpath_hunt(struct hunt *h, const struct query *q, const struct doc *at);

/* The one value of a singular query, or NULL. */
const struct doc *jsonpath_one(struct run *r, const struct query *q, const struct doc *at);

/* Does a value pass a filter? */
bool jsonpath_passes(struct run *r, const struct expr *x, const struct doc *at);

/* The child that a list has at an index (from the end, if negative), or NULL. */
const struct doc *jsonpath_child_at(struct run *r, const struct doc *list, int64_t index);
const struct doc *jsonpath_child_named(struct run *r, const struct doc *map, struct str name);
