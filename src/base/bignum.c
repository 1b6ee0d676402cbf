/* SPDX-License-Identifier: Apache-2.0 */
/* bignum.c: school arithmetic on arrays of 32-bit words. */
#include "base/bignum.h"

#include <assert.h>
#include <string.h>

static void push(struct big *a, uint32_t word)
{
    assert(a->n < BIG_WORDS);
    a->w[a->n++] = word;
}

/* Drops zero words from the top, so that equal numbers look equal. */
static void trim(struct big *a)
{
    while (a->n > 0 && a->w[a->n - 1] == 0)
        a->n--;
}

void big_set(struct big *a, uint64_t v)
{
    a->n = 2;
    a->w[0] = (uint32_t)v;
    a->w[1] = (uint32_t)(v >> 32);
    trim(a);
}

void big_times(struct big *a, uint32_t by)
{
    uint64_t carry = 0;

    for (int i = 0; i < a->n; i++) {
        carry += (uint64_t)a->w[i] * by;
        a->w[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0)
        push(a, (uint32_t)carry);
}

void big_times_ten(struct big *a, int power)
{
    for (; power >= 9; power -= 9)
        big_times(a, 1000000000);
    for (; power > 0; power--)
        big_times(a, 10);
}

void big_shift(struct big *a, int bits)
{
    int words = bits / 32;

    big_times(a, 1u << bits % 32);
    if (words == 0 || a->n == 0)
        return;
    assert(a->n + words <= BIG_WORDS);
    memmove(a->w + words, a->w, (size_t)a->n * sizeof a->w[0]);
    memset(a->w, 0, (size_t)words * sizeof a->w[0]);
    a->n += words;
}

void big_take(struct big *a, const struct big *b)
{
    int64_t borrow = 0;

    for (int i = 0; i < a->n; i++) {
        borrow += (int64_t)a->w[i] - (i < b->n ? b->w[i] : 0);
        a->w[i] = (uint32_t)borrow;
        borrow >>= 32; /* 0 or -1 */
    }
    assert(borrow == 0);
    trim(a);
}

int big_cmp(const struct big *a, const struct big *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--) {
        if (a->w[i] != b->w[i])
            return a->w[i] < b->w[i] ? -1 : 1;
    }
    return 0;
}

int big_cmp_sum(const struct big *a, const struct big *b, const struct big *c)
{
    struct big sum;
    uint64_t carry = 0;

    sum.n = 0;
    for (int i = 0; i < a->n || i < b->n; i++) {
        carry += i < a->n ? a->w[i] : 0;
        carry += i < b->n ? b->w[i] : 0;
        push(&sum, (uint32_t)carry);
        carry >>= 32;
    }
    if (carry > 0)
        push(&sum, (uint32_t)carry);
    return big_cmp(&sum, c);
}
