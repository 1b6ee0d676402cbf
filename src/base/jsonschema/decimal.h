/* SPDX-License-Identifier: Apache-2.0 */
/* decimal.h: is one number a multiple of another, as people count: 0.3 is one of 0.1.
 *
 * A number is what its digits say. Those of a double that has none are the shortest that mean it,
 * which is what its writer wrote. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct doc;

struct decimal {
    uint64_t digits; /* up to 18 of them; the last is no 0 */
    int exponent;    /* of ten */
};

/* False: it is not above 0, or has more digits. */
bool decimal_of(const struct doc *d, struct decimal *out);

bool decimal_divides(const struct decimal *by, const struct doc *v);

/* Has it nothing behind its point? */
bool decimal_whole(const struct doc *v);
