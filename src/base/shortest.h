/* SPDX-License-Identifier: Apache-2.0 */
/* shortest.h: a double as the shortest decimal that reads back as the same double.
 *
 * Digit for digit what ECMAScript's Number::toString writes, which is what RFC 8785 (canonical
 * JSON) demands: 1, 0.1, 1e+21, 5e-324. The locale has no say and nothing is allocated.
 */
#pragma once

#include <stddef.h>

/* The powers of ten that a double holds exactly. */
enum { TEN_EXACT = 22 };
extern const double tens[TEN_EXACT + 1];

/* "-0.0000012345678901234567" is the longest there is. */
enum { SHORTEST_MAX = 26 };

/* Writes v, which must be finite, and a NUL; returns the length without the NUL. -0 is "0". */
size_t shortest_double(double v, char out[SHORTEST_MAX]);
