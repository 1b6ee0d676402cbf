/* SPDX-License-Identifier: Apache-2.0 */
/* stir.h: spreads the bits of a number over all of it, so that near numbers are far apart. */
#pragma once

#include <stdint.h>

/* What splitmix64 (Steele, Lea and Flood, 2014) adds for each number it draws. */
#define STIR_STEP 0x9e3779b97f4a7c15

/* What it makes of the sum: no two numbers become the same. */
static inline uint64_t stir(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}
