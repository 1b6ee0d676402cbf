/* SPDX-License-Identifier: Apache-2.0 */
/* symbols.c: code points that no set tells apart, taken together.
 *
 * The borders of all ranges cut the code points into pieces. All pieces begin as one symbol; each
 * set then parts the symbols of which it has some pieces and not others.
 */
#include "base/regex/parts.h"

static int point_cmp(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;

    return *a < *b ? -1 : *a > *b;
}

static void cut(const struct set *sets, size_t n, struct arena *a, struct symbols *s)
{
    size_t room = 1, count = 0;

    for (size_t i = 0; i < n; i++)
        room += 2 * sets[i].n;
    s->from = arena_alloc(a, room * sizeof *s->from);
    s->from[count++] = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < sets[i].n; k++) {
            s->from[count++] = sets[i].v[k].lo;
            if (sets[i].v[k].hi < UNICODE_LAST)
                s->from[count++] = sets[i].v[k].hi + 1;
        }
    }
    qsort(s->from, count, sizeof *s->from, point_cmp);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || s->from[i] != s->from[s->pieces - 1])
            s->from[s->pieces++] = s->from[i];
}

struct parting {
    uint32_t *size; /* pieces of each symbol */
    uint32_t *in;   /* those of them in this set */
    uint16_t *to;   /* the symbol they become */
};

/* The pieces of a set: counts them by symbol, or gives them their new symbol. */
static void walk(struct symbols *s, const struct set *set, struct parting *p, bool give)
{
    for (size_t k = 0; k < set->n; k++) {
        for (size_t i = regex_piece(s, set->v[k].lo); i < s->pieces && s->from[i] <= set->v[k].hi;
             i++) {
            uint16_t *symbol = &s->symbol[i];

            if (give)
                *symbol = p->to[*symbol];
            else
                p->in[*symbol]++;
        }
    }
}

static void part(struct symbols *s, const struct set *set, struct parting *p)
{
    uint16_t before = s->count;

    walk(s, set, p, false);
    for (uint16_t i = 0; i < before; i++) {
        p->to[i] = i;
        if (p->in[i] > 0 && p->in[i] < p->size[i]) {
            p->to[i] = s->count;
            p->size[s->count++] = p->in[i];
            p->size[i] -= p->in[i];
        }
        p->in[i] = 0;
    }
    walk(s, set, p, true);
}

void regex_symbols_find(const struct set *sets, size_t n, struct arena *a, struct symbols *out)
{
    struct parting p;

    cut(sets, n, a, out);
    out->symbol = arena_alloc(a, out->pieces * sizeof *out->symbol);
    p.size = arena_alloc(a, out->pieces * sizeof *p.size);
    p.in = arena_alloc(a, out->pieces * sizeof *p.in);
    p.to = arena_alloc(a, out->pieces * sizeof *p.to);
    p.size[0] = (uint32_t)out->pieces;
    out->count = 1;
    for (size_t i = 0; i < n; i++)
        part(out, &sets[i], &p);
    out->sample = arena_alloc(a, out->count * sizeof *out->sample);
    for (size_t i = out->pieces; i-- > 0;)
        out->sample[out->symbol[i]] = out->from[i];
    for (uint32_t c = 0; c < COUNT(out->ascii); c++)
        out->ascii[c] = out->symbol[regex_piece(out, c)];
}
