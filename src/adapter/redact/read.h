/* SPDX-License-Identifier: Apache-2.0 */
/* read.h: where the words of secrets stand in a text, however it was written.
 *
 * A text is read in each way there is, and what that gives once more in each way: JSON in a text of
 * JSON, JSON in a form. What was written three times over is not seen.
 */
#pragma once

#include "adapter/redact/cuts.h"
#include "adapter/redact_words.h"

struct reading;

/* For any number of texts, one after another. Words that are finished; the longest has that many
 * bytes. The arena gets bytes of the texts: it is to be wiped. */
struct reading *reading_new(const struct words *words, size_t longest, struct arena *a);

/* Cuts all words out of the text. Gives back where the end that may begin a word begins, were the
 * text to go on; the text's length: nowhere. */
size_t reading_cuts(struct reading *r, struct str text, struct cuts *c);
