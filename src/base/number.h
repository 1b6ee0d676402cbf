/* SPDX-License-Identifier: Apache-2.0 */
/* number.h: decimal text to a number, exactly or not at all. */
#pragma once

#include "base/doc.h"

/* The largest whole number that every JSON reader agrees on: 2^53 - 1. */
#define WHOLE_MAX INT64_C(9007199254740991)

enum { NUMBER_MAX = 1000 };

/* Makes d the number that `text` says; text follows the grammar of JSON numbers and is at most
 * NUMBER_MAX bytes. Whole numbers up to WHOLE_MAX become DOC_INT, everything else DOC_NUMBER. On
 * false, *why says what is wrong: a whole number no double holds, or one beyond its range. */
bool number_read(struct str text, struct doc *d, const char **why) NODISCARD;

/* The same, and nothing is refused: a number whose digits a double would change, or that is beyond
 * its range, is the nearest double and has its text, kept in the arena, in d->written. */
void number_keep(struct str text, struct arena *a, struct doc *d);

/* Which of two is less, by their digits: -1, 0 or 1. */
int number_cmp(struct str a, struct str b);

/* A number by its digits: those between its first and its last that are no zeros, and how many
 * stand before the point; below zero, how many zeros stand behind it. Zero has none. */
struct figure {
    char digits[NUMBER_MAX];
    size_t n;
    int before;
    bool minus;
};

void figure_of(struct str text, struct figure *f);
