/* SPDX-License-Identifier: Apache-2.0 */
/* redact_words.h: many words looked for at once, byte by byte (Aho and Corasick, 1975). */
#pragma once

#include <stdint.h>

#include "base/mem.h"

/* Shorter secrets are not looked for: they are in every text. */
enum { REDACT_LEAST = 4 };

/* The longest word that ends at a byte. */
struct word_end {
    uint32_t length;
    bool before, after; /* of base64: a character there has bits of it */
};

struct words;

struct words_state {
    uint32_t node; /* 0: nothing is begun */
};

/* Words of more bytes than `most` are left out. */
struct words *words_new(size_t most, struct arena *a);

/* The secret itself, in hexadecimal digits, and in base64 of both alphabets at each of its three
 * places; and what those make of each form it may have been written in before (redact/forms.h). */
void words_add_secret(struct words *w, struct str secret);

/* When all are added; the length of the longest. */
size_t words_finish(struct words *w);

/* Does a word begin with that byte? */
bool words_begin_with(const struct words *w, char byte);

/* How many of the last bytes begin a word that is not over; of a whole word, all of it. */
size_t words_begun(const struct words *w, const struct words_state *s);

/* One byte further; NULL: no word ends there. */
const struct word_end *words_step(const struct words *w, struct words_state *s, char byte);
