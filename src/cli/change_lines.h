/* SPDX-License-Identifier: Apache-2.0 */
/* change_lines.h: what a run changed, as people read it. */
#pragma once

#include "base/doc.h"

enum { CHANGE_WORDS = 96 };

/* "3 changed, 1 added, 1 deleted", of a list of changes; "nothing changed". */
void change_words(const struct doc *list, char out[CHANGE_WORDS]);

/* The diff: in colours where a person looks on, else as it is. */
void change_show_diff(struct str diff);

/* One change a line, with its mode where that changed; where `diff` is given, with the lines it
 * adds and removes. */
void change_show(const struct doc *change, struct str diff);
