/* SPDX-License-Identifier: Apache-2.0 */
/* decimal.h: is one number a multiple of another, as people count: 0.3 is one of 0.1.
 *
 * A double is taken for the shortest decimal that means it, which is what its writer wrote. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct decimal {
    uint64_t digits; /* up to 17 of them */
    int exponent;    /* of ten */
};

/* Of the number without its sign. */
struct decimal decimal_of(double v);

/* by is not 0. */
bool decimal_divides(const struct decimal *by, double v);
