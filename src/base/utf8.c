/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.c: reads and writes UTF-8, one character at a time. */
#include "base/utf8.h"

#include "base/own.h"

/* The forms of RFC 3629 section 4: lead byte, how many follow, range of the first that follows.
 * The ranges shut out overlong forms, surrogates and what lies above U+10FFFF. */
static const struct form {
    unsigned char lead_min, lead_max, follow, next_min, next_max;
} forms[] = {
    { 0x00, 0x7f, 0, 0x00, 0x00 }, { 0xc2, 0xdf, 1, 0x80, 0xbf }, { 0xe0, 0xe0, 2, 0xa0, 0xbf },
    { 0xe1, 0xec, 2, 0x80, 0xbf }, { 0xed, 0xed, 2, 0x80, 0x9f }, { 0xee, 0xef, 2, 0x80, 0xbf },
    { 0xf0, 0xf0, 3, 0x90, 0xbf }, { 0xf1, 0xf3, 3, 0x80, 0xbf }, { 0xf4, 0xf4, 3, 0x80, 0x8f },
};

static bool follows(const unsigned char *s, const struct form *f)
{
    if (f->follow > 0 && (s[1] < f->next_min || s[1] > f->next_max))
        return false;
    for (size_t i = 2; i <= f->follow; i++)
        if ((s[i] & 0xc0) != 0x80)
            return false;
    return true;
}

size_t utf8_step(const char *s, const char *end)
{
    const unsigned char *u = (const unsigned char *)s;

    for (size_t i = 0; i < COUNT(forms) && s < end; i++) {
        const struct form *f = &forms[i];

        if (*u >= f->lead_min && *u <= f->lead_max)
            return (size_t)(end - s) > f->follow && follows(u, f) ? f->follow + 1u : 0;
    }
    return 0;
}

size_t utf8_valid(struct str t)
{
    const char *p = t.s, *end = t.s + t.n;

    while (p < end) {
        size_t n = (unsigned char)*p < 0x80 ? 1 : utf8_step(p, end);

        if (n == 0)
            break;
        p += n;
    }
    return (size_t)(p - t.s);
}

size_t utf8_put(uint32_t point, char *to)
{
    size_t n = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = { 0, 0x00, 0xc0, 0xe0, 0xf0 };

    for (size_t i = n - 1; i > 0; i--, point >>= 6)
        to[i] = (char)(0x80 | (point & 0x3f));
    to[0] = (char)(lead[n] | point);
    return n;
}
