/* SPDX-License-Identifier: Apache-2.0 */
/* bignum.h: whole numbers large enough to write any double exactly.
 *
 * Fixed in size and not negative. The size covers what shortest.c needs (2^1080) and no more;
 * going over it is a programmer's mistake and asserted.
 */
#pragma once

#include <stdint.h>

enum { BIG_WORDS = 36 };

struct big {
    int n;                 /* words in use; the highest is not 0 */
    uint32_t w[BIG_WORDS]; /* lowest first */
};

void big_set(struct big *a, uint64_t v);
void big_times(struct big *a, uint32_t by); /* by is not 0 */
void big_times_ten(struct big *a, int power);
void big_shift(struct big *a, int bits); /* to the left */

/* a becomes a - b; b is not larger. */
void big_take(struct big *a, const struct big *b);

/* Below, at or above zero as a is less than, equal to or more than b. */
int big_cmp(const struct big *a, const struct big *b);

/* The same for the sum a + b against c. */
int big_cmp_sum(const struct big *a, const struct big *b, const struct big *c);
