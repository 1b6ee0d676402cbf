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
