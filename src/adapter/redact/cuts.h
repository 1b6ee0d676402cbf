/* SPDX-License-Identifier: Apache-2.0 */
/* cuts.h: the pieces of a text that are taken out of it. */
#pragma once

#include "base/mem.h"

struct cut {
    size_t from, to; /* to: behind the last byte */
};

struct cuts {
    struct cut *v;
    size_t n, room;
    struct arena *a;
};

/* One more. They come by their end, nearly: those that touch become one. */
void cuts_add(struct cuts *c, size_t from, size_t to);

/* By their beginning, none in another: when all are there. */
void cuts_merge(struct cuts *c);

/* What is behind that is left out of the text: cuts end there, too. */
void cuts_end(struct cuts *c, size_t end);

/* The text without what is before that, and without the rest of a cut that it is in the middle of;
 * the cuts are counted from there. */
struct str cuts_begin(struct cuts *c, struct str t, size_t front);

/* The text with [redacted] in place of each. */
struct str cuts_made(const struct cuts *c, struct str t);

/* The values of headers that are for secrets. */
void cuts_add_headers(struct cuts *c, struct str t);

/* How much of a text whose beginning was cut off can be the rest of such a value: its first line,
 * and those behind it that are no more than a text of a JSON list each. */
size_t headers_rest(struct str t);
