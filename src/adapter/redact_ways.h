/* SPDX-License-Identifier: Apache-2.0 */
/* redact_ways.h: the ways in which a text may have been written, and what it says, read in each. */
#pragma once

#include "base/str.h"

/* What one or more bytes of the text stand for: up to four bytes, or none. */
struct glyph {
    char bytes[4];
    size_t n, taken;
};

enum { REDACT_LONGEST = 16 }; /* bytes of the longest escape */

/* A way is gone only where the text has the character that makes it differ. */
struct redact_way {
    char sign; /* 0: always */
    struct glyph (*next)(struct str t, size_t at);
    bool (*is_begun)(struct str t, size_t at); /* is that an escape whose last bytes are missing? */
};

extern const struct redact_way redact_ways[];
extern const size_t redact_way_count;
