/* SPDX-License-Identifier: Apache-2.0 */
/* utf8.h: is this UTF-8, and where does it stop being so. */
#pragma once

#include "base/str.h"

/* Bytes of the character that begins at s[0], 1..4; 0 when it is not UTF-8 (RFC 3629). */
size_t utf8_step(const char *s, const char *end);

/* Where the first byte that is not UTF-8 stands, or t.n. */
size_t utf8_valid(struct str t);

/* Writes one code point and returns its bytes, 1..4. */
size_t utf8_put(uint32_t point, char *to);
