/* SPDX-License-Identifier: Apache-2.0 */
/* base64.c: three bytes become four letters. */
#include "base/base64.h"

#include <stdint.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct buf *to, struct str bytes)
{
    for (size_t i = 0; i < bytes.n; i += 3) {
        size_t n = bytes.n - i < 3 ? bytes.n - i : 3;
        uint32_t three = 0;
        char four[4] = "====";

        for (size_t k = 0; k < 3; k++)
            three = three << 8 | (k < n ? (unsigned char)bytes.s[i + k] : 0);
        for (size_t k = 0; k <= n; k++)
            four[k] = letters[three >> (18 - 6 * k) & 63];
        buf_add(to, four, 4);
    }
}

static int value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Four letters, of which n + 1 carry n bytes; the rest was counted as padding. */
static bool read_four(const char *four, size_t n, uint8_t three[3])
{
    uint32_t bits = 0;

    for (size_t k = 0; k < 4; k++) {
        int v = k <= n ? value(four[k]) : 0;

        if (v < 0)
            return false;
        bits = bits << 6 | (uint32_t)v;
    }
    for (size_t k = 0; k < 3; k++)
        three[k] = (uint8_t)(bits >> (16 - 8 * k));
    return (bits & ((UINT32_C(1) << 8 * (3 - n)) - 1)) == 0;
}

/* All of a text that stands for n bytes. */
static bool read_all(struct str text, uint8_t *out, size_t n)
{
    for (size_t at = 0, done = 0; at < text.n; at += 4, done += 3) {
        size_t some = n - done < 3 ? n - done : 3;
        uint8_t three[3];

        if (!read_four(text.s + at, some, three))
            return false;
        if (out)
            memcpy(out + done, three, some);
    }
    return true;
}

bool base64_read(struct str text, void *out, size_t room, size_t *n)
{
    size_t bytes = text.n / 4 * 3;

    if (text.n % 4 != 0)
        return false;
    for (size_t k = 1; k <= 2 && bytes > 0 && text.s[text.n - k] == '='; k++)
        bytes--;
    /* Looked through before anything is written: what is wrong leaves `out` alone. */
    if ((out && bytes > room) || !read_all(text, NULL, bytes))
        return false;
    *n = bytes;
    return !out || read_all(text, out, bytes);
}
