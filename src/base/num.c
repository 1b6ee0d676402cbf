/* SPDX-License-Identifier: Apache-2.0 */
/* num.c: reads whole numbers, strictly. */
#include "base/num.h"

enum { INT64_DIGITS = 19 }; /* 19 digits fit a uint64_t, so the sum below cannot run over */

bool num_int(struct str text, int64_t *out)
{
    bool minus = text.n > 0 && text.s[0] == '-';
    size_t digits = text.n - minus;
    uint64_t v = 0;

    if (digits == 0 || digits > INT64_DIGITS)
        return false;
    if (text.s[minus] == '0' && text.n > 1)
        return false;
    for (size_t i = minus; i < text.n; i++) {
        unsigned digit = (unsigned)text.s[i] - '0';

        if (digit > 9)
            return false;
        v = v * 10 + digit;
    }
    if (v > (uint64_t)INT64_MAX + minus)
        return false;
    *out = (int64_t)(minus ? -v : v);
    return true;
}
