/* SPDX-License-Identifier: Apache-2.0 */
/* print.h: the only file that writes to the terminal. stdout is data, stderr is messages. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum colour { PLAIN, BOLD, DIM, GREEN, YELLOW, CYAN, RED };

/* The width of what is no terminal. */
enum { NO_EDGE = 1 << 20 };

/* What main() knows of the terminal. */
void print_setup(bool colour_out, bool colour_err, size_t width);
size_t print_width(void);

/* A person looks on: stdout is a terminal. */
bool print_person(void);

/* Columns between this one and the terminal's edge; no end of them where there is no edge. */
size_t print_room(size_t column);

/* Columns that a text takes as it is shown. */
size_t print_columns(struct str text);

/* How many columns of at most `room` it takes, and how many of its bytes go into them; how many
 * bytes go on a line of so many columns: up to a blank, and one character at least. */
size_t print_measure(struct str text, size_t room, size_t *bytes);
size_t print_fold(struct str text, size_t room);

/* Text as it can be shown: bytes that steer, or are not UTF-8, as \xNN. */
void print_safe(struct buf *to, struct str text);

/* Data, on stdout, as it is. */
void out_text(struct str text);
void out_shown(struct str text); /* where a person looks on, in lines in which nothing steers */
void out_person_end(void);       /* a line end where a person looks on, nothing in a pipe */

/* JSON and a line end. A pipe gets it as it is; on a terminal nothing in it steers. */
void out_json(const char *json);
void out_json_line(struct str json);

/* What people read, on stdout: nothing in it can steer the terminal. */
void out_line(const char *fmt, ...) PRINTF(1, 2);
void out(enum colour colour, const char *fmt, ...) PRINTF(2, 3);

/* As much of a text as there is room for, with … where it is cut; a cell is filled up with blanks,
 * unless it is the last of its line. */
void out_cut(enum colour colour, struct str text, size_t room);
void out_cell(enum colour colour, struct str text, size_t width);

/* Messages, on stderr. The first form is for writ's own word: "writ: ...". */
void say(const char *fmt, ...) PRINTF(1, 2);
void err(enum colour colour, const char *fmt, ...) PRINTF(2, 3);

/* What was said first, where nothing went to stdout; NULL where nothing was said, or something did.
 */
const char *print_only_said(void);

/* What makes a text on stderr have this colour; nothing where there are no colours. A picture that
 * was put together with it is written as it is, in one go. */
const char *err_colour(enum colour colour);
void err_frame(struct str frame);

/* Nobody takes what is on stderr: from here on nothing is written there. */
void err_leave(void);

/* A text that begins at this column, in lines that end at the terminal's edge; and a line end.
 * Where the terminal leaves the text too little room at this column, it begins on the next line. */
void out_folded(enum colour colour, struct str text, size_t column);

/* False when something written did not get out (a full disk, a closed pipe). */
bool print_flush(void) NODISCARD;

/* Why it did not, as errno has it; 0 where that is not known. */
int print_lost(void);

/* From now on what is printed is recorded as well: that its reader went away is told, and leaves
 * the exit status as it is. */
void print_is_recorded(void);
bool print_reader_gone(void); /* so it was, and nothing else is wrong with standard output */
