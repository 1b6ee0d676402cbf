/* SPDX-License-Identifier: Apache-2.0 */
/* equal.c: compares values by what they mean, and hashes them so. */
#include "base/jsonschema/equal.h"

#include "base/doc_same.h"
#include "base/jsonschema/names.h"

enum { FEW = 8 };

static uint64_t number_hash(double v)
{
    uint64_t bits;

    v = v == 0 ? 0 : v; /* -0 is 0 */
    memcpy(&bits, &v, sizeof bits);
    return hash_mix(bits, DOC_NUMBER);
}

/* The depth of a document has a ceiling, and so has this. */
uint64_t value_hash(const struct doc *d, struct work *w)
{
    uint64_t hash = hash_mix(d->kind, d->count);

    if (!work_do(w, 1))
        return 0;
    switch (d->kind) {
    case DOC_NULL: return hash;
    case DOC_BOOL: return hash_mix(hash, d->truth);
    case DOC_INT:
    case DOC_NUMBER: return number_hash(number_of(d));
    case DOC_TEXT:
        return work_do(w, (uint32_t)(d->text.n / 64)) ? hash_mix(hash, hash_text(d->text)) : 0;
    case DOC_LIST:
        for (const struct doc *c = d->first; c; c = c->next)
            hash = hash_mix(hash, value_hash(c, w));
        return hash;
    case DOC_MAP: /* a sum does not know the order of its parts */
        for (const struct doc *c = d->first; c; c = c->next)
            hash += hash_mix(hash_text(c->key), value_hash(c, w));
        return hash;
    }
    return hash;
}

static bool same_list(const struct doc *x, const struct doc *y, struct arena *a, struct work *w)
{
    const struct doc *c = y->first;

    for (const struct doc *b = x->first; b; b = b->next, c = c->next)
        if (!value_same(b, c, a, w))
            return false;
    return true;
}

static const struct doc *member(const struct doc *map, struct str key)
{
    const struct doc *d = map->first;

    while (d && !str_eq(d->key, key))
        d = d->next;
    return d;
}

static bool same_map(const struct doc *x, const struct doc *y, struct arena *a, struct work *w)
{
    const struct doc **in_x, **in_y;

    if (x->count <= FEW) {
        for (const struct doc *b = x->first; b; b = b->next) {
            const struct doc *c = member(y, b->key);

            if (!c || !value_same(b, c, a, w))
                return false;
        }
        return true;
    }
    if (!work_do(w, 8 * x->count))
        return false;
    in_x = doc_sorted(x, a);
    in_y = doc_sorted(y, a);
    for (uint32_t i = 0; i < x->count; i++)
        if (!str_eq(in_x[i]->key, in_y[i]->key) || !value_same(in_x[i], in_y[i], a, w))
            return false;
    return true;
}

bool value_same(const struct doc *x, const struct doc *y, struct arena *a, struct work *w)
{
    if (is_number(x) || is_number(y))
        return is_number(x) && is_number(y) && doc_number_cmp(x, y) == 0;
    if (x->kind != y->kind || x->count != y->count || !work_do(w, 1))
        return false;
    switch (x->kind) {
    case DOC_BOOL: return x->truth == y->truth;
    case DOC_TEXT: return work_do(w, (uint32_t)(x->text.n / 64)) && str_eq(x->text, y->text);
    case DOC_LIST: return same_list(x, y, a, w);
    case DOC_MAP: return same_map(x, y, a, w);
    case DOC_NULL:
    case DOC_INT:
    case DOC_NUMBER: break;
    }
    return true;
}
