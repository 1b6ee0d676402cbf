/* SPDX-License-Identifier: Apache-2.0 */
/* set.c: sets of code points, as ranges. */
#include "base/regex/parts.h"

const struct range regex_word[4] = { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } };
const struct range regex_digit[1] = { { '0', '9' } };

/* WhiteSpace and LineTerminator of ECMA-262: also the category Zs, whatever its version. */
const struct range regex_blank[10] = {
    { 0x09, 0x0d },     { 0x20, 0x20 },     { 0xa0, 0xa0 },     { 0x1680, 0x1680 },
    { 0x2000, 0x200a }, { 0x2028, 0x2029 }, { 0x202f, 0x202f }, { 0x205f, 0x205f },
    { 0x3000, 0x3000 }, { 0xfeff, 0xfeff },
};

void regex_set_add(struct set *s, struct arena *a, uint32_t lo, uint32_t hi)
{
    if (s->n > 0 && s->v[s->n - 1].hi + 1 == lo) {
        s->v[s->n - 1].hi = hi;
        return;
    }
    s->v = arena_more(a, s->v, s->n, &s->room, sizeof *s->v);
    s->v[s->n++] = (struct range){ lo, hi };
}

void regex_set_join(struct set *s, struct arena *a, const struct set *other)
{
    for (size_t i = 0; i < other->n; i++)
        regex_set_add(s, a, other->v[i].lo, other->v[i].hi);
}

void regex_set_categories(struct set *s, struct arena *a, uint32_t categories)
{
    uint32_t point = 0;

    for (size_t i = 0; i < unicode_run_count; i++) {
        uint32_t count = unicode_runs[i] >> 5, category = unicode_runs[i] & 31;

        for (uint32_t k = 0; category == UNICODE_PAIRS && k < count; k++)
            if (categories >> (k % 2 ? UNICODE_LL : UNICODE_LU) & 1)
                regex_set_add(s, a, point + k, point + k);
        if (category != UNICODE_PAIRS && categories >> category & 1)
            regex_set_add(s, a, point, point + count - 1);
        point += count;
    }
}

static int range_cmp(const void *x, const void *y)
{
    const struct range *a = x, *b = y;

    return a->lo < b->lo ? -1 : a->lo > b->lo;
}

void regex_set_order(struct set *s)
{
    size_t n = 0;

    if (s->n > 1)
        qsort(s->v, s->n, sizeof *s->v, range_cmp);
    for (size_t i = 0; i < s->n; i++) {
        if (n == 0 || s->v[i].lo > s->v[n - 1].hi + 1)
            s->v[n++] = s->v[i];
        else if (s->v[i].hi > s->v[n - 1].hi)
            s->v[n - 1].hi = s->v[i].hi;
    }
    s->n = n;
}

void regex_set_turn(struct set *s, struct arena *a)
{
    struct set other = { 0 };
    uint32_t from = 0;

    for (size_t i = 0; i < s->n; i++) {
        if (s->v[i].lo > from)
            regex_set_add(&other, a, from, s->v[i].lo - 1);
        from = s->v[i].hi + 1;
    }
    if (from <= UNICODE_LAST)
        regex_set_add(&other, a, from, UNICODE_LAST);
    *s = other;
}

bool regex_set_has(const struct set *s, uint32_t point)
{
    size_t lo = 0, hi = s->n;

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;

        if (s->v[mid].hi < point)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < s->n && s->v[lo].lo <= point;
}
