/* SPDX-License-Identifier: Apache-2.0 */
/* json_scan.h: eight bytes at a time to the next one that JSON text cannot simply take over. */
#pragma once

#include <stdint.h>
#include <string.h>

#define EVERY_BYTE(b) (UINT64_C(0x0101010101010101) * (b))

static inline bool json_plain(char c)
{
    return (unsigned char)c >= ' ' && c != '"' && c != '\\';
}

/* High bit set in the lowest byte of v that is a quote, a backslash or a control; higher ones may
 * be set too, by the borrow. */
static inline uint64_t json_stops(uint64_t v)
{
    uint64_t quote = v ^ EVERY_BYTE('"'), slash = v ^ EVERY_BYTE('\\');
    uint64_t low = (v - EVERY_BYTE(' ')) & ~v;
    uint64_t marks = ((quote - EVERY_BYTE(1)) & ~quote) | ((slash - EVERY_BYTE(1)) & ~slash);

    return (low | marks) & EVERY_BYTE(0x80);
}

/* The first byte from p on that is not plain, or, where `ascii` is asked for, not ASCII. */
static inline const char *json_skip(const char *p, const char *end, bool ascii)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; end - p >= 8; p += 8) {
        uint64_t v, stop;

        memcpy(&v, p, sizeof v);
        stop = json_stops(v) | (ascii ? v & EVERY_BYTE(0x80) : 0);
        if (stop)
            return p + __builtin_ctzll(stop) / 8;
    }
#endif
    while (p < end && json_plain(*p) && !(ascii && (unsigned char)*p >= 0x80))
        p++;
    return p;
}
