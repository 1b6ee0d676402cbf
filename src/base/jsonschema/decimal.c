/* SPDX-License-Identifier: Apache-2.0 */
/* decimal.c: exact arithmetic on the decimals that doubles stand for. */
#include "base/jsonschema/decimal.h"

#include "base/shortest.h"

enum { DIGITS = 17 };

struct decimal decimal_of(double v)
{
    struct decimal d = { 0 };
    char text[SHORTEST_MAX];
    const char *p = text;
    bool point = false, minus;
    int exponent = 0;

    (void)shortest_double(v, text);
    for (p += *p == '-'; *p && *p != 'e'; p++) {
        point = point || *p == '.';
        if (*p == '.')
            continue;
        if (d.digits >= UINT64_C(100000000000000000)) {
            d.exponent += !point; /* zeros that fill up a whole number */
            continue;
        }
        d.digits = d.digits * 10 + (uint64_t)(*p - '0');
        d.exponent -= point;
    }
    if (*p != 'e')
        return d;
    minus = *++p == '-';
    for (p += *p == '-' || *p == '+'; *p; p++)
        exponent = exponent * 10 + (*p - '0');
    d.exponent += minus ? -exponent : exponent;
    return d;
}

/* digits * 10^power mod by. */
static uint64_t remainder_of(uint64_t digits, int power, uint64_t by)
{
    unsigned __int128 rest = digits % by;

    for (; power > 0 && rest != 0; power--)
        rest = rest * 10 % by;
    return (uint64_t)rest;
}

bool decimal_divides(const struct decimal *by, double v)
{
    struct decimal d = decimal_of(v);
    unsigned __int128 whole = by->digits;
    int power = d.exponent - by->exponent;

    if (d.digits == 0)
        return true;
    if (power >= 0)
        return remainder_of(d.digits, power, by->digits) == 0;
    if (power < -DIGITS - 1)
        return false; /* no 17 digits are a multiple of that much */
    for (; power < 0; power++)
        whole *= 10;
    return d.digits % whole == 0;
}
