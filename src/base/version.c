/* SPDX-License-Identifier: Apache-2.0 */
/* version.c: reads versions as Semantic Versioning 2.0.0 has them, and compares them. */
#include "base/version.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool all_digits(struct str t)
{
    for (size_t i = 0; i < t.n; i++)
        if (!is_digit(t.s[i]))
            return false;
    return t.n > 0;
}

static bool is_number(struct str t)
{
    return all_digits(t) && (t.n == 1 || t.s[0] != '0');
}

static bool is_identifier(struct str t)
{
    for (size_t i = 0; i < t.n; i++) {
        char low = (char)(t.s[i] | 0x20);

        if (!is_digit(t.s[i]) && t.s[i] != '-' && (low < 'a' || low > 'z'))
            return false;
    }
    return t.n > 0;
}

/* Takes what stands before the first such character, or all; false where nothing is left. */
static bool cut(struct str *rest, char at, struct str *part)
{
    const char *end;

    if (!rest->s)
        return false;
    end = rest->n ? memchr(rest->s, at, rest->n) : NULL;
    *part = (struct str){ rest->s, end ? (size_t)(end - rest->s) : rest->n };
    *rest = end ? (struct str){ end + 1, rest->n - part->n - 1 } : (struct str){ 0 };
    return true;
}

/* Identifiers between dots; a number among those of a pre-release has no leading zeros. */
static bool are_identifiers(struct str t, bool pre)
{
    struct str one;

    while (cut(&t, '.', &one))
        if (!is_identifier(one) || (pre && all_digits(one) && !is_number(one)))
            return false;
    return true;
}

bool version_read(struct str text, struct version *out)
{
    struct str rest = text, plain, core;
    struct version v = { 0 };

    if (!text.s || !cut(&rest, '+', &plain))
        return false;
    if (rest.s && !are_identifiers(rest, false))
        return false;
    if (!cut(&plain, '-', &core) || (plain.s && !are_identifiers(plain, true)))
        return false;
    v.pre = plain;
    for (int i = 0; i < 3; i++)
        if (!cut(&core, '.', &v.number[i]) || !is_number(v.number[i]))
            return false;
    if (core.s)
        return false;
    *out = v;
    return true;
}

/* Numbers without leading zeros: the longer one is the larger. */
static int number_cmp(struct str a, struct str b)
{
    if (a.n != b.n)
        return a.n < b.n ? -1 : 1;
    return str_cmp(a, b);
}

/* Numbers come before words, and a list before one that goes on. */
static int pre_cmp(struct str a, struct str b)
{
    struct str x, y;

    for (;;) {
        bool more_a = cut(&a, '.', &x), more_b = cut(&b, '.', &y);
        int order;

        if (!more_a || !more_b)
            return more_a - more_b;
        if (all_digits(x) != all_digits(y))
            return all_digits(x) ? -1 : 1;
        order = all_digits(x) ? number_cmp(x, y) : str_cmp(x, y);
        if (order != 0)
            return order < 0 ? -1 : 1;
    }
}

int version_cmp(const struct version *a, const struct version *b)
{
    for (int i = 0; i < 3; i++) {
        int order = number_cmp(a->number[i], b->number[i]);

        if (order != 0)
            return order < 0 ? -1 : 1;
    }
    if (a->pre.n == 0 || b->pre.n == 0)
        return (a->pre.n == 0) - (b->pre.n == 0);
    return pre_cmp(a->pre, b->pre);
}
