/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.h: is this UTF-8, and where does it stop being so. */
#pragma once

#include "base/str.h"

/* Bytes of the character that begins at s[0], 1..4; 0 when it is not UTF-8 (RFC 3629). */
size_t utf8_step(const char *s, const char *end);

/* Where the first byte that is not UTF-8 stands, or t.n. */
size_t utf8_valid(struct str t);

/* The code point of a character whose utf8_step() is n. */
static inline uint32_t utf8_get(const char *s, size_t n)
{
    uint32_t point = (unsigned char)s[0] & (n == 1 ? 0x7fu : 0xffu >> (n + 1));

    for (size_t i = 1; i < n; i++)
        point = point << 6 | ((unsigned char)s[i] & 0x3fu);
    return point;
}

/* Writes one code point and returns its bytes, 1..4. */
size_t utf8_put(uint32_t point, char *to);
