/* SPDX-License-Identifier: Apache-2.0 */
/* print.h: the only file that writes to the terminal. stdout is data, stderr is messages. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/own.h"
#include "base/str.h"

enum colour { PLAIN, BOLD, DIM, GREEN, YELLOW, CYAN };

/* The width of what is no terminal. */
enum { NO_EDGE = 1 << 20 };

/* What main() knows of the terminal. */
void print_setup(bool colour_out, bool colour_err, size_t width);
size_t print_width(void);

/* Data, on stdout, as it is. */
void out_text(struct str text);
void out_json(const char *json); /* and a line end */
void out_person_end(void);       /* a line end where a person looks on, nothing in a pipe */

/* What people read, on stdout: nothing in it can steer the terminal. */
void out_line(const char *fmt, ...) PRINTF(1, 2);
void out(enum colour colour, const char *fmt, ...) PRINTF(2, 3);

/* Messages, on stderr. The first form is for writ's own word: "writ: ...". */
void say(const char *fmt, ...) PRINTF(1, 2);
void err(enum colour colour, const char *fmt, ...) PRINTF(2, 3);

/* A text that begins at this column, in lines that end at the terminal's edge; and a line end. */
void out_folded(enum colour colour, struct str text, size_t column);

/* False when something written did not get out (a full disk, a closed pipe). */
bool print_flush(void) NODISCARD;
