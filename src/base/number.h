/* SPDX-License-Identifier: Apache-2.0 */
/* number.h: decimal text to a number, exactly or not at all. */
#pragma once

#include "base/doc.h"

/* Makes d the number that `text` says; text follows the grammar of JSON numbers and is at most
 * NUMBER_MAX bytes. Whole numbers up to 2^53 become DOC_INT, everything else DOC_NUMBER. On
 * false, *why says what is wrong: a whole number no double holds, or one beyond its range. */
enum { NUMBER_MAX = 1000 };
bool number_read(struct str text, struct doc *d, const char **why) NODISCARD;
