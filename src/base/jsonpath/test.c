/* SPDX-License-Identifier: Apache-2.0 */
/* test.c: filters: comparisons, functions and logic over one value (RFC 9535, 2.3.5.2).
 *
 * A value that is not there is NULL: "Nothing" in the RFC.
 */
#include "base/doc_same.h"
#include "base/jsonpath/parts.h"

static const struct doc *value_of(struct run *r, const struct expr *x, const struct doc *at,
                                  struct doc *own);

/* --- comparisons --- */

static bool equal(struct run *r, const struct doc *a, const struct doc *b);

static bool equal_lists(struct run *r, const struct doc *a, const struct doc *b)
{
    const struct doc *y = b->first;

    if (a->count != b->count)
        return false;
    for (const struct doc *x = a->first; x; x = x->next, y = y->next)
        if (!equal(r, x, y))
            return false;
    return true;
}

static bool equal_maps(struct run *r, const struct doc *a, const struct doc *b)
{
    const struct doc *guess = b->first; /* most often they have the same order */

    if (a->count != b->count)
        return false;
    for (const struct doc *x = a->first; x; x = x->next) {
        const struct doc *y =
            guess && str_eq(guess->key, x->key) ? guess : jsonpath_child_named(r, b, x->key);

        if (!y || !equal(r, x, y))
            return false;
        guess = y->next;
    }
    return true;
}

/* Recurses as deep as a document may be. */
static bool equal(struct run *r, const struct doc *a, const struct doc *b)
{
    if (!work_do(r->w, 1))
        return false;
    if (doc_is_number(a) && doc_is_number(b))
        return doc_number_cmp(a, b) == 0;
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case DOC_NULL:
    case DOC_INT:
    case DOC_NUMBER: return true;
    case DOC_BOOL: return a->truth == b->truth;
    case DOC_TEXT: return str_eq(a->text, b->text);
    case DOC_LIST: return equal_lists(r, a, b);
    case DOC_MAP: return equal_maps(r, a, b);
    }
    return false;
}

static bool same(struct run *r, const struct doc *a, const struct doc *b)
{
    return a && b ? equal(r, a, b) : a == b;
}

/* Bytes of UTF-8 are in the order of code points. */
static bool less(const struct doc *a, const struct doc *b)
{
    if (!a || !b)
        return false;
    if (doc_is_number(a) && doc_is_number(b))
        return doc_number_cmp(a, b) < 0;
    return a->kind == DOC_TEXT && b->kind == DOC_TEXT && str_cmp(a->text, b->text) < 0;
}

static bool compare(struct run *r, const struct expr *x, const struct doc *at)
{
    struct doc one, two;
    const struct doc *a = value_of(r, x->first, at, &one);
    const struct doc *b = value_of(r, x->first->next, at, &two);

    switch (x->compare) {
    case COMPARE_EQ: return same(r, a, b);
    case COMPARE_NE: return !same(r, a, b);
    case COMPARE_LT: return less(a, b);
    case COMPARE_GT: return less(b, a);
    case COMPARE_LE: return less(a, b) || same(r, a, b);
    case COMPARE_GE: return less(b, a) || same(r, a, b);
    }
    return false;
}

/* --- functions --- */

/* The pattern of a match; NULL where it is none. One that stands in the document is read when it is
 * met, and kept until another comes; reading it is counted as work. */
static const struct regex *pattern_of(struct run *r, const struct expr *x, struct str text)
{
    struct error why;

    if (x->is_fixed)
        return x->fixed;
    if (r->pattern.s && str_eq(r->pattern, text))
        return r->regex;
    if (text.n > UINT32_MAX / 128 || !work_do(r->w, 128 + 128 * (uint32_t)text.n))
        return NULL;
    arena_reset(&r->scratch);
    r->pattern = text;
    if (!regex_read(text, REGEX_I, &r->scratch, &r->regex, &why))
        r->regex = NULL;
    return r->regex;
}

static bool matches(struct run *r, const struct expr *x, const struct doc *at)
{
    struct doc one, two;
    const struct doc *text = value_of(r, x->first, at, &one);
    const struct doc *pattern = value_of(r, x->first->next, at, &two);
    const struct regex *regex;

    if (!text || text->kind != DOC_TEXT || !pattern || pattern->kind != DOC_TEXT)
        return false;
    regex = pattern_of(r, x, pattern->text);
    if (!regex)
        return false;
    return x->function->id == FUNCTION_MATCH ? regex_whole(regex, text->text, r->w, r->a)
                                             : regex_search(regex, text->text, r->w, r->a);
}

static const struct doc *whole(struct doc *own, size_t n)
{
    *own = (struct doc){ .kind = DOC_INT, .whole = (int64_t)n };
    return own;
}

static const struct doc *length(struct run *r, const struct expr *x, const struct doc *at,
                                struct doc *own)
{
    const struct doc *d = value_of(r, x->first, at, own);

    if (!d || (d->kind != DOC_TEXT && d->kind != DOC_LIST && d->kind != DOC_MAP))
        return NULL;
    if (d->kind != DOC_TEXT)
        return whole(own, d->count);
    return work_do(r->w, (uint32_t)(d->text.n / 64 + 1)) ? whole(own, str_chars(d->text)) : NULL;
}

static const struct doc *call(struct run *r, const struct expr *x, const struct doc *at,
                              struct doc *own)
{
    struct hunt h = { .run = r, .enough = SIZE_MAX };

    switch (x->function->id) {
    case FUNCTION_LENGTH: return length(r, x, at, own);
    case FUNCTION_COUNT: (void)jsonpath_hunt(&h, &x->first->query, at); return whole(own, h.n);
    case FUNCTION_VALUE:
        h.enough = 2;
        (void)jsonpath_hunt(&h, &x->first->query, at);
        return h.n == 1 ? h.first : NULL;
    case FUNCTION_MATCH:
    case FUNCTION_SEARCH: break; /* not values */
    }
    return NULL;
}

static const struct doc *value_of(struct run *r, const struct expr *x, const struct doc *at,
                                  struct doc *own)
{
    if (x->kind == EXPR_LITERAL)
        return &x->literal;
    if (x->kind == EXPR_QUERY)
        return jsonpath_one(r, &x->query, at);
    return call(r, x, at, own);
}

/* --- logic --- */

static bool exists(struct run *r, const struct query *q, const struct doc *at)
{
    struct hunt h = { .run = r, .enough = 1 };

    if (q->singular)
        return jsonpath_one(r, q, at) != NULL;
    (void)jsonpath_hunt(&h, q, at);
    return h.n > 0;
}

/* Is there one among the operands that comes to this? */
static bool any(struct run *r, const struct expr *x, const struct doc *at, bool truth)
{
    for (const struct expr *one = x->first; one; one = one->next)
        if (jsonpath_passes(r, one, at) == truth)
            return true;
    return false;
}

bool jsonpath_passes(struct run *r, const struct expr *x, const struct doc *at)
{
    switch (x->kind) {
    case EXPR_OR: return any(r, x, at, true);
    case EXPR_AND: return !any(r, x, at, false);
    case EXPR_NOT: return !jsonpath_passes(r, x->first, at);
    case EXPR_COMPARE: return compare(r, x, at);
    case EXPR_QUERY: return exists(r, &x->query, at);
    case EXPR_FUNCTION: return matches(r, x, at);
    case EXPR_LITERAL: break; /* not tests */
    }
    return false;
}
