/* SPDX-License-Identifier: Apache-2.0 */
/* doc_same.c: do two values say the same: 1 is 1.0, and a map has no order. */
#include "base/doc_same.h"

#include "base/doc_make.h"
#include "base/number.h"

enum { SORT_STEPS = 4 }; /* of one member, to be put in order */

bool doc_is_number(const struct doc *d)
{
    return d->kind == DOC_INT || d->kind == DOC_NUMBER;
}

/* Whole numbers of documents are at most 2^53 - 1: each is also a double. */
static double as_double(const struct doc *d)
{
    return d->kind == DOC_INT ? (double)d->whole : d->number;
}

struct str doc_digits(const struct doc *d, char room[SHORTEST_MAX])
{
    if (d->kind == DOC_NUMBER && d->written)
        return str_of(d->written);
    return (struct str){ room, shortest_double(as_double(d), room) };
}

int doc_number_cmp(const struct doc *a, const struct doc *b)
{
    bool written = (a->kind == DOC_NUMBER && a->written) || (b->kind == DOC_NUMBER && b->written);
    double x = as_double(a), y = as_double(b);
    char one[SHORTEST_MAX], two[SHORTEST_MAX];

    /* Above 2^53, and where a double ends, it stands for many numbers; a fraction with more digits
     * than it has is most often one that was written so. */
    if (x == y && written && (x == 0 || x > WHOLE_MAX || x < -WHOLE_MAX))
        return number_cmp(doc_digits(a, one), doc_digits(b, two));
    return (x > y) - (x < y);
}

bool doc_pairs_begin(struct doc_pairs *p, const struct doc *a, const struct doc *b, struct work *w,
                     struct arena *scratch)
{
    if (!work_do(w, SORT_STEPS * a->count) || !work_do(w, SORT_STEPS * b->count))
        return false;
    *p = (struct doc_pairs){ doc_sorted(a, scratch), doc_sorted(b, scratch), a->count, b->count };
    return true;
}

bool doc_pairs_next(struct doc_pairs *p, const struct doc **a, const struct doc **b)
{
    int order;

    if (p->a_left == 0 && p->b_left == 0)
        return false;
    if (p->a_left == 0 || p->b_left == 0)
        order = p->a_left ? -1 : 1;
    else
        order = key_cmp(p->a[0]->key, p->b[0]->key);
    *a = *b = NULL;
    if (order <= 0) {
        *a = *p->a++;
        p->a_left--;
    }
    if (order >= 0) {
        *b = *p->b++;
        p->b_left--;
    }
    return true;
}

static bool same_lists(const struct doc *a, const struct doc *b, struct work *w,
                       struct arena *scratch)
{
    const struct doc *x = a->first, *y = b->first;

    for (; x && y; x = x->next, y = y->next)
        if (!doc_same(x, y, w, scratch))
            return false;
    return x == y;
}

static bool same_maps(const struct doc *a, const struct doc *b, struct work *w,
                      struct arena *scratch)
{
    const struct doc *x = a->first, *y = b->first;
    struct doc_pairs pairs;

    /* Mostly both are in the same order: then nobody has to sort. */
    for (; x && y && str_eq(x->key, y->key); x = x->next, y = y->next)
        if (!work_do(w, work_text(x->key)) || !doc_same(x, y, w, scratch))
            return false;
    if (!x && !y)
        return true;
    if (!doc_pairs_begin(&pairs, a, b, w, scratch))
        return false;
    while (doc_pairs_next(&pairs, &x, &y))
        if (!x || !y || !work_do(w, work_text(x->key)) || !doc_same(x, y, w, scratch))
            return false;
    return true;
}

bool doc_same(const struct doc *a, const struct doc *b, struct work *w, struct arena *scratch)
{
    if (!work_do(w, 1))
        return false;
    if (doc_is_number(a) && doc_is_number(b))
        return doc_number_cmp(a, b) == 0;
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case DOC_NULL: return true;
    case DOC_BOOL: return a->truth == b->truth;
    case DOC_TEXT: return work_do(w, work_text(a->text)) && str_eq(a->text, b->text);
    case DOC_LIST: return a->count == b->count && same_lists(a, b, w, scratch);
    case DOC_MAP: return a->count == b->count && same_maps(a, b, w, scratch);
    case DOC_INT:
    case DOC_NUMBER: break; /* compared above */
    }
    return false;
}

/* h and v have different weights: (1, 0) is not (0, 1). */
static uint64_t mix(uint64_t h, uint64_t v)
{
    h = h * UINT64_C(0x9e3779b97f4a7c15) + v;
    h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return h ^ h >> 32;
}

static uint64_t hash_text(uint64_t h, struct str t, struct work *w)
{
    if (!work_do(w, work_text(t)))
        return h;
    for (size_t i = 0; i < t.n; i++)
        h = mix(h, (unsigned char)t.s[i]);
    return mix(h, t.n);
}

static uint64_t hash_number(const struct doc *d)
{
    double v = as_double(d);
    uint64_t bits;

    if (v == 0)
        v = 0; /* one zero, not two */
    memcpy(&bits, &v, sizeof bits);
    return mix(DOC_NUMBER, bits);
}

/* Members are added up, so that their order does not matter. */
static uint64_t hash_members(const struct doc *d, struct work *w)
{
    uint64_t sum = 0;

    for (const struct doc *c = d->first; c && !w->over; c = c->next)
        sum += mix(hash_text(DOC_MAP, c->key, w), doc_hash(c, w));
    return mix(DOC_MAP, sum);
}

uint64_t doc_hash(const struct doc *d, struct work *w)
{
    uint64_t h = d->kind;

    if (!work_do(w, 1))
        return h;
    switch (d->kind) {
    case DOC_NULL: return mix(h, 0);
    case DOC_BOOL: return mix(h, d->truth);
    case DOC_INT:
    case DOC_NUMBER: return hash_number(d);
    case DOC_TEXT: return hash_text(h, d->text, w);
    case DOC_LIST:
        for (const struct doc *c = d->first; c && !w->over; c = c->next)
            h = mix(h, doc_hash(c, w));
        return mix(h, d->count);
    case DOC_MAP: return hash_members(d, w);
    }
    return h;
}
