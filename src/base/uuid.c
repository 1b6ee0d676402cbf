/* SPDX-License-Identifier: Apache-2.0 */
/* uuid.c: UUID text, 8-4-4-4-12 hex digits. */
#include "base/uuid.h"

#include "base/num.h"

/* Where the two digits of each byte are; the dashes are in the gaps. */
static const uint8_t place[UUID_BYTES] = {
    0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34
};
static const uint8_t dash[] = { 8, 13, 18, 23 };

struct uuid uuid_of(struct uuid random)
{
    random.b[6] = (uint8_t)((random.b[6] & 0x0f) | 0x40);
    random.b[8] = (uint8_t)((random.b[8] & 0x3f) | 0x80);
    return random;
}

void uuid_text(const struct uuid *id, char out[UUID_TEXT])
{
    static const char hex[] = "0123456789abcdef";

    for (size_t i = 0; i < UUID_BYTES; i++) {
        out[place[i]] = hex[id->b[i] >> 4];
        out[place[i] + 1] = hex[id->b[i] & 15];
    }
    for (size_t i = 0; i < COUNT(dash); i++)
        out[dash[i]] = '-';
    out[UUID_TEXT - 1] = '\0';
}

bool uuid_v4(struct str text, struct uuid *out)
{
    struct uuid id;

    if (text.n != UUID_TEXT - 1)
        return false;
    for (size_t i = 0; i < COUNT(dash); i++) {
        if (text.s[dash[i]] != '-')
            return false;
    }
    for (size_t i = 0; i < UUID_BYTES; i++) {
        int high = num_hex(text.s[place[i]]);
        int low = num_hex(text.s[place[i] + 1]);

        if (high < 0 || low < 0)
            return false;
        id.b[i] = (uint8_t)(high << 4 | low);
    }
    if (id.b[6] >> 4 != 4 || id.b[8] >> 6 != 2)
        return false;
    if (out)
        *out = id;
    return true;
}
