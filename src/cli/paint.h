/* SPDX-License-Identifier: Apache-2.0 */
/* paint.h: lines for stderr that are put together before they are written.
 *
 * A line ends at an edge, whatever is put on it, and nothing on it can steer the terminal.
 */
#pragma once

#include "cli/print.h"

enum { PAINT_MAX = 64 << 20 };

/* { .text = { .max = PAINT_MAX }, .edge = .. } is a valid empty one. */
struct paint {
    struct buf text;
    size_t column; /* of the line in work */
    size_t edge;   /* columns of a line */
};

/* As much of a text as there is room for, with … where it is cut. */
void paint_text(struct paint *p, enum colour colour, struct str text);
void paint_word(struct paint *p, enum colour colour, const char *word);

/* A sign of writ's own and a blank: the sign takes one column, whatever others that look like it
 * take.
 */
void paint_mark(struct paint *p, enum colour colour, const char *mark);

/* A cell of so many columns, filled up with blanks behind the text, or before it. */
void paint_cell(struct paint *p, enum colour colour, struct str text, size_t width);
void paint_right(struct paint *p, enum colour colour, struct str text, size_t width);

/* A text in at most so many lines of its own that begin at this column. */
void paint_folded(struct paint *p, enum colour colour, struct str text, size_t column, int most);

void paint_blanks(struct paint *p, size_t n);
void paint_end(struct paint *p);
void paint_reset(struct paint *p);
