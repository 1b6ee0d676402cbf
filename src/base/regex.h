/* SPDX-License-Identifier: Apache-2.0 */
/* regex.h: regular expressions whose cost is linear in the text: no pattern can hang them.
 *
 * A regex keeps what it learns from the texts it sees, in a fixed room: one thread at a time.
 */
#pragma once

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/work.h"

enum regex_dialect {
    REGEX_I,    /* I-Regexp, RFC 9485: all of it and nothing else; ^ and $ are anchors, as in the
                 * suite of RFC 9535 */
    REGEX_ECMA, /* ECMA-262 with the u flag, as JSON Schema has it; what is not regular
                 * (look-around, back-references) is refused */
};

struct regex;

/* Refuses a pattern that is not of the dialect, or whose program would be larger than a ceiling. */
bool regex_read(struct str pattern, enum regex_dialect dialect, struct arena *a,
                const struct regex **out, struct error *e) NODISCARD;

/* Does all of the text match; does some part of it. The text is UTF-8. Where the work is over the
 * answer is false and w->over tells. The arena is for scratch. */
bool regex_whole(const struct regex *r, struct str text, struct work *w, struct arena *a);
bool regex_search(const struct regex *r, struct str text, struct work *w, struct arena *a);
