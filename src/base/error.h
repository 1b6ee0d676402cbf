/* SPDX-License-Identifier: Apache-2.0 */
/* error.h: the one way a writ function says no.
 *
 * A function that can fail returns bool and takes `struct error *e` last. On false, *e says what
 * and where; on true, *e is untouched. `return error_set(...)` is the only way to fill it.
 * A message that has no room ends with "…".
 * What a command did (exit 1, out of memory, timed out) is an outcome, never an error.
 */
#pragma once

#include <stdbool.h>

#include "base/own.h"

enum { ERROR_MSG = 512, ERROR_PTR = 256 };

/* The codes of this floor. contract/codes.h goes on counting at ERROR_CODES and has the table. */
enum {
    ERROR_NONE,
    ERROR_IO,        /* a file could not be read or written */
    ERROR_SYNTAX,    /* the text is not the language it should be */
    ERROR_ENCODING,  /* the bytes are not UTF-8 */
    ERROR_DUPLICATE, /* a key is given twice */
    ERROR_CEILING,   /* larger, deeper or longer than a reader takes */
    ERROR_NUMBER,    /* a number that cannot be held exactly */
    ERROR_SUBSET,    /* right in its language, but not in the part of it writ reads */
    ERROR_CODES,
};

/* A place in a document the user wrote. line 0: no place. */
struct at {
    const char *file;
    int line, col;
    char ptr[ERROR_PTR]; /* JSON pointer: /steps/2/timeout_ms */
};

struct error {
    int code; /* a row of the code table */
    int sys;  /* errno, or 0 */
    struct at at;
    char msg[ERROR_MSG];
};

/* Fills *e and returns false, so that `return error_set(...)` reads as one thought. */
bool error_set(struct error *e, int code, const char *fmt, ...) PRINTF(3, 4);
bool error_at(struct error *e, int code, const struct at *at, const char *fmt, ...) PRINTF(4, 5);

/* What an errno means, in words; also of those that only the kernel knows. */
const char *error_words(int sys);

/* As error_set(), and adds errno and its text. */
bool error_sys(struct error *e, int code, const char *fmt, ...) PRINTF(3, 4);

/* Puts "context: " before the message of an error on its way up. */
bool error_wrap(struct error *e, const char *fmt, ...) PRINTF(2, 3);
