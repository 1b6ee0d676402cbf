/* SPDX-License-Identifier: Apache-2.0 */
/* ways.h: the ways in which a text may have been written, and what it says, read in each. */
#pragma once

#include "base/str.h"

enum { GLYPH_MOST = 4 };

/* What one or more bytes of the text stand for: up to four bytes, or none. */
struct glyph {
    char bytes[GLYPH_MOST];
    size_t n, taken;
};

enum { REDACT_LONGEST = 16 }; /* bytes of the longest escape */

/* Where a text has no sign of a way, it says the same in that way as it stands. */
struct redact_way {
    const char *signs; /* the first is in every text that is worth reading so; "": each is */
    struct glyph (*next)(struct str t, size_t at);
    bool (*is_begun)(struct str t, size_t at); /* is that an escape whose last bytes are missing? */
    bool only_second; /* nothing is written inside of it: it is looked for in what others give */
};

/* What stands there in a text of JSON; as it is, where it is no escape. */
struct glyph json_glyph(struct str t, size_t at);

extern const struct redact_way redact_ways[];
extern const size_t redact_way_count;
