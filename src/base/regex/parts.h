/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h: what a pattern is made of, on its way from text to program. For regex*.c only.
 *
 * regex/read.c makes a tree of the text, regex/class.c the sets of characters in it, regex/build.c
 * a program of the tree, regex/symbols.c the few symbols that the program tells apart, regex/run.c
 * walks a text, regex/groups.c says which part of it matched what.
 */
#pragma once

#include "base/regex.h"
#include "base/unicode.h"
#include "base/utf8.h"

enum {
    REGEX_PATTERN = 16384, /* bytes in one pattern */
    REGEX_DEPTH = 100,     /* groups inside each other */
    REGEX_STEPS = 16384,   /* steps of the program, counted repetition written out */
    REGEX_RANGES = 16384,  /* ranges in all different sets of characters together */
};

struct range {
    uint32_t lo, hi;
};

/* Ranges in order, apart from each other, once regex_set_order() has been there. */
struct set {
    struct range *v;
    size_t n, room;
};

enum node_kind {
    NODE_EMPTY,
    NODE_SET,
    NODE_ASSERT,
    NODE_ONE_OF,
    NODE_SEQUENCE,
    NODE_REPEAT,
    NODE_GROUP
};

enum assert_kind { ASSERT_BEGIN, ASSERT_END, ASSERT_EDGE, ASSERT_NO_EDGE };

struct node {
    enum node_kind kind;
    uint32_t what;     /* number of a set or a group; enum assert_kind */
    uint32_t min, max; /* of a repeat; max UINT32_MAX: without end */
    uint32_t steps;    /* of the program, at most REGEX_STEPS + 1 */
    bool lazy;         /* a repeat that would rather end */
    struct node *first, *last, *next;
};

struct pattern {
    struct str text;
    size_t at; /* bytes that were read */
    enum regex_dialect dialect;
    int depth;
    struct arena *a;
    struct set *sets; /* all different */
    size_t set_count, set_room;
    size_t ranges; /* in all of them */
    bool places;   /* something asks where in the text it is */
    bool edges;    /* something asks for edges of words */
    bool grouped;  /* groups with names are steps of the program */
    struct str names[REGEX_GROUPS];
    uint32_t name_count;
    struct work *work; /* NULL: the ceilings of one pattern are enough */
    struct error *e;
};

enum op { OP_SET, OP_SPLIT, OP_JUMP, OP_ASSERT, OP_SAVE, OP_MATCH };

struct step {
    enum op op;
    uint32_t x, y; /* number of a set or a slot, or where to go on: x is tried first */
};

/* The code points that no set of the pattern tells apart are one symbol. */
struct symbols {
    uint16_t ascii[128];
    uint32_t *from;   /* where each piece of the code points begins */
    uint16_t *symbol; /* of each piece */
    size_t pieces;
    uint32_t *sample; /* one code point of each symbol */
    uint16_t count;
};

struct regex {
    struct step *steps;
    uint32_t count;
    const struct set *sets;
    struct symbols symbols;
    bool places, edges;
    struct cache *cache; /* what was learned from texts */
};

/* --- regex/read.c --- */

/* The tree of a pattern, or NULL and p->e. */
struct node *regex_tree(struct pattern *p);

/* Takes work; false and p->e where there is none left. */
bool regex_spend(struct pattern *p, size_t steps) NODISCARD;

/* "..at character 5 of the pattern"; false. */
bool regex_wrong(struct pattern *p, size_t at, const char *fmt, ...) PRINTF(3, 4);

/* The next character, which is not taken; 0 at the end, as is a NUL (ask regex_end()). */
uint32_t regex_peek(const struct pattern *p);
uint32_t regex_take(struct pattern *p);
bool regex_eat(struct pattern *p, char c);
static inline bool regex_end(const struct pattern *p)
{
    return p->at == p->text.n;
}

/* --- regex/class.c --- */

/* What follows a backslash, outside of a class; what follows a '['. */
bool regex_escape(struct pattern *p, struct set *out) NODISCARD;
bool regex_bracket(struct pattern *p, struct set *out) NODISCARD;

/* --- regex/set.c --- */

void regex_set_add(struct set *s, struct arena *a, uint32_t lo, uint32_t hi);
void regex_set_join(struct set *s, struct arena *a, const struct set *other);
void regex_set_categories(struct set *s, struct arena *a, uint32_t categories);
void regex_set_order(struct set *s);
void regex_set_turn(struct set *s,
                    struct arena *a); /* into all other code points; it is in order */
bool regex_set_has(const struct set *s, uint32_t point);

extern const struct range regex_word[4], regex_digit[1], regex_blank[10];

/* --- regex/symbols.c --- */

void regex_symbols_find(const struct set *sets, size_t n, struct arena *a, struct symbols *out);

/* The piece a code point is in. */
static inline size_t regex_piece(const struct symbols *s, uint32_t point)
{
    size_t lo = 0, hi = s->pieces;

    while (hi - lo > 1) {
        size_t mid = (lo + hi) / 2;

        if (s->from[mid] <= point)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* The symbol of the character that begins at *p, which is moved behind it. */
static inline uint32_t regex_symbol(const struct symbols *s, const char **p, const char *end)
{
    size_t n;
    uint32_t symbol;

    if ((unsigned char)**p < 0x80)
        return s->ascii[(unsigned char)*(*p)++];
    n = utf8_step(*p, end);
    symbol = s->symbol[regex_piece(s, n ? utf8_get(*p, n) : 0xfffd)];
    *p += n ? n : 1;
    return symbol;
}

/* --- regex/build.c --- */

/* The program of a pattern: all of r but what it learns. */
bool regex_program(struct pattern *p, struct regex *r) NODISCARD;

/* --- regex/run.c --- */

void regex_cache(struct regex *r, struct arena *a);
