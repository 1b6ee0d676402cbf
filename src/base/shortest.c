/* SPDX-License-Identifier: Apache-2.0 */
/* shortest.c: finds the digits of a double, then lays them out as ECMAScript does.
 *
 * Three ways to the digits, from the common and cheap to the rare and exact: a whole number, a
 * decimal of up to 15 digits, and for everything else the algorithm of Steele and White in the
 * form of Burger and Dybvig ("Printing Floating-Point Numbers Quickly and Accurately", 1996).
 */
#include "base/shortest.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/bignum.h"

enum { DIGITS = 17 };

const double tens[TEN_EXACT + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

/* The number 0.d1d2d3... x 10^point; neither the first nor the last digit is 0. */
struct decimal {
    char digit[DIGITS];
    int count;
    int point;
};

/* Writes whole number m, returns how many digits it has. */
static int put_whole(uint64_t m, char *out)
{
    char turned[20];
    int n = 0;

    do
        turned[n++] = (char)('0' + m % 10);
    while ((m /= 10) > 0);
    for (int i = 0; i < n; i++)
        out[i] = turned[n - 1 - i];
    return n;
}

/* Looks for the decimal m x 10^-k, m <= 10^15, that reads as v.
 *
 * m and 10^k are exact doubles, so the quotient is rounded once, to what a reader makes of the
 * decimal. No two decimals of up to 15 digits read as the same normal double: if one fits, no other
 * is as short. None is missed: v and the product are rounded once each, together off by less than
 * 10^15 x 2^-52 < 1/4, so the nearest whole number is m. The smallest k leaves no zeros behind. */
static bool find_short(double v, struct decimal *d)
{
    for (int k = 1; k <= TEN_EXACT && v * tens[k] < 1e15; k++) {
        uint64_t m = (uint64_t)(v * tens[k] + 0.5);

        if ((double)m / tens[k] == v) {
            d->count = put_whole(m, d->digit);
            d->point = d->count - k;
            return true;
        }
    }
    return false;
}

/* What is left of v to write is r / s; half the way to the doubles below and above it is
 * below / s and above / s. A reader takes everything in between for v, and, since ties go to even,
 * the two ends as well when v is even. */
struct rest {
    struct big r, s, below, above;
    bool even;
};

/* Is the upper end of what reads as v at 1 or past it? */
static bool rest_reaches_one(const struct rest *t)
{
    int order = big_cmp_sum(&t->r, &t->above, &t->s);

    return t->even ? order >= 0 : order > 0;
}

/* Is the lower end at 0 or past it? */
static bool rest_reaches_zero(const struct rest *t)
{
    int order = big_cmp(&t->r, &t->below);

    return t->even ? order <= 0 : order < 0;
}

/* Sets up r / s = v / 10^point, less than 1 with all that reads as v; returns point. */
static int rest_begin(struct rest *t, double v)
{
    uint64_t bits, m;

    memcpy(&bits, &v, sizeof bits);
    m = bits & 0xfffffffffffff;
    int exponent = (int)(bits >> 52);
    /* The neighbour below a power of two is half as far; the smallest normal one is none such. */
    int uneven = m == 0 && exponent > 1;
    if (exponent > 0)
        m |= 1ull << 52;
    else
        exponent = 1;
    int e = exponent - 1075; /* v = m x 2^e */
    int up = e > 0 ? e : 0, down = e < 0 ? -e : 0;

    t->even = m % 2 == 0;
    big_set(&t->r, m);
    big_set(&t->s, 1);
    big_set(&t->below, 1);
    big_shift(&t->r, up + 1 + uneven);
    big_shift(&t->s, down + 1 + uneven);
    big_shift(&t->below, up);
    t->above = t->below;
    big_shift(&t->above, uneven);

    /* 2^top <= v, so 10^(point - 1) <= v; 78913 / 2^18 is log10(2), near enough for doubles. */
    int top = e + 63 - __builtin_clzll(m);
    int point = ((top * 78913) >> 18) + 1;
    big_times_ten(&t->s, point > 0 ? point : 0);
    big_times_ten(&t->r, point < 0 ? -point : 0);
    big_times_ten(&t->below, point < 0 ? -point : 0);
    big_times_ten(&t->above, point < 0 ? -point : 0);
    if (rest_reaches_one(t)) {
        big_times(&t->s, 10);
        point++;
    }
    return point;
}

/* Takes the next digit off r / s. */
static int rest_digit(struct rest *t)
{
    int digit = 0;

    big_times(&t->r, 10);
    big_times(&t->below, 10);
    big_times(&t->above, 10);
    for (; big_cmp(&t->r, &t->s) >= 0; digit++)
        big_take(&t->r, &t->s);
    return digit;
}

/* Digits until what is written so far, or one more in the last place, reads as v. Of the two the
 * nearer is right; exactly half-way the even one is, says ECMAScript. */
static void find_exact(double v, struct decimal *d)
{
    struct rest t;
    bool low, high;
    int digit;

    d->count = 0;
    d->point = rest_begin(&t, v);
    for (;;) {
        digit = rest_digit(&t);
        low = rest_reaches_zero(&t);
        high = rest_reaches_one(&t);
        if (low || high)
            break;
        d->digit[d->count++] = (char)('0' + digit);
    }
    if (low && high) {
        int half = big_cmp_sum(&t.r, &t.r, &t.s);

        high = half > 0 || (half == 0 && digit % 2 == 1);
    }
    d->digit[d->count++] = (char)('0' + digit + high);
}

static char *put(char *out, const char *text, int n)
{
    memcpy(out, text, (size_t)n);
    return out + n;
}

/* ECMA-262, Number::toString: its k, n and s are count, point and the digits. */
static char *put_decimal(const struct decimal *d, char *out)
{
    static const char zeros[] = "00000000000000000000";
    int point = d->point, count = d->count;

    if (count <= point && point <= 21) {
        out = put(out, d->digit, count);
        return put(out, zeros, point - count);
    }
    if (0 < point && point < count) {
        out = put(out, d->digit, point);
        *out++ = '.';
        return put(out, d->digit + point, count - point);
    }
    if (-6 < point && point <= 0) {
        out = put(out, "0.", 2);
        out = put(out, zeros, -point);
        return put(out, d->digit, count);
    }
    *out++ = d->digit[0];
    if (count > 1) {
        *out++ = '.';
        out = put(out, d->digit + 1, count - 1);
    }
    out = put(out, point > 0 ? "e+" : "e-", 2);
    return out + put_whole((uint64_t)(point > 0 ? point - 1 : 1 - point), out);
}

size_t shortest_double(double v, char out[SHORTEST_MAX])
{
    struct decimal d;
    char *end = out;

    assert(isfinite(v));
    if (v < 0) {
        *end++ = '-';
        v = -v;
    }
    if (v < 0x1p53 && v == (double)(uint64_t)v) {
        /* Its neighbours are at most 1 away, so no shorter whole number reads as it. */
        end += put_whole((uint64_t)v, end);
    } else {
        if (!find_short(v, &d))
            find_exact(v, &d);
        end = put_decimal(&d, end);
    }
    *end = '\0';
    return (size_t)(end - out);
}
