/* SPDX-License-Identifier: Apache-2.0 */
/* args.h: what may be typed, as rows; one reader turns a command line into a struct.
 *
 * The same rows print `--help`, the man pages and the completions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { OPTIONS_MAX = 16, OPERANDS_MAX = 4096 };

struct option {
    const char *name;  /* "as", typed --as */
    const char *value; /* "KIND", or NULL for a flag */
    const char *table; /* the table of `writ explain` its values come from, or NULL */
    const char *help;
};

struct example {
    const char *typed, *does;
};

struct args;

struct command {
    const char *name;
    const char *operands; /* "FILE..." */
    const char *summary;  /* one line, no full stop */
    const char *about;    /* a paragraph */
    const char *table;    /* the table its operands come from, or NULL */
    struct example examples[4];
    struct option options[OPTIONS_MAX]; /* ended by an empty row */
    size_t least, most;                 /* operands */
    int (*run)(const struct args *args);
};

struct args {
    const struct command *command;
    const char *values[OPTIONS_MAX]; /* of the options, by row; a flag that is set is "" */
    const char **operands;
    size_t count;
    bool help;
};

extern const struct command *const commands[];
extern const size_t command_count;

const struct command *command_named(const char *name);
const char *command_near(const char *typed);

/* Reads what follows the verb. Options and operands may be mixed; `--` ends the options. */
bool args_read(const struct command *command, int argc, char **argv, struct args *out,
               struct error *e) NODISCARD;

/* What was given for an option, or NULL. */
const char *args_get(const struct args *args, const char *option);
