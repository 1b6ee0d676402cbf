/* SPDX-License-Identifier: Apache-2.0 */
/* args.h: what may be typed, as rows; one reader turns a command line into a struct.
 *
 * The same rows print `--help`, the man pages and the completions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { OPTIONS_MAX = 40, EXAMPLES_MAX = 7, OPERANDS_MAX = 4096, GIVEN_MAX = 256 };

struct option {
    const char *name;  /* "as", typed --as */
    const char *value; /* "KIND", or NULL for a flag */
    const char *table; /* the table of `writ explain` its values come from, or NULL */
    const char *help;
    char letter;       /* 'f', typed -f; 0: none */
    bool many;         /* it may be given more than once, and each counts */
    const char *words; /* all the values there are, where no table lists them: "any match" */
};

struct example {
    const char *typed, *does;
};

struct args;

struct command {
    const char *name;     /* one word, or two: "ledger append" is found below the group "ledger" */
    const char *operands; /* "FILE..." */
    const char *summary;  /* one line, no full stop */
    const char *about;    /* a paragraph */
    const char *table;    /* the table its operands come from, or NULL */
    struct example examples[EXAMPLES_MAX]; /* as many as there are */
    struct option options[OPTIONS_MAX];    /* ended by an empty row */
    size_t least, most;                    /* operands */
    bool command_line;                     /* what follows the first operand is not ours to read */
    bool keeps;                            /* asks the usual ledger, and has no option for one */
    bool greets;                           /* `writ --help` begins with its first example */
    int (*run)(const struct args *args);   /* NULL: a group */
};

/* An option as it was typed; a flag has the value "". */
struct given {
    const char *option, *value;
};

struct args {
    const struct command *command;
    struct given given[GIVEN_MAX]; /* in the order they were typed */
    size_t given_count;
    const char **operands; /* ended by NULL */
    size_t count;
    bool only_operands; /* while it is read: what follows is no option */
    bool help;
    const char *const *environment; /* the caller's */
};

extern const struct command *const commands[];
extern const size_t command_count;

const struct command *command_named(const char *name);

/* The command with the longest name that is made of the first words typed, and how many they are;
 * NULL: none. */
const struct command *command_typed(int argc, char **argv, int *words);

/* The verb of a command below a group: "append"; NULL: it is not one of the group's. */
const char *command_below(const struct command *group, const struct command *c);

/* The whole name of the command that was probably meant; below a group `typed` is the word behind
 * it, and only its commands are looked at. NULL: none is near. */
const char *command_near(const struct command *group, const char *typed);

/* Reads what follows the verb. Options and operands may be mixed; `--` ends the options. After what
 * is wrong the rest is read, too: whoever asks for JSON there is answered in JSON. */
bool args_read(const struct command *command, int argc, char **argv, struct args *out,
               struct error *e) NODISCARD;

/* True after saying that `-`, which is standard input, is given more than once: it is read once.
 * The words of a command line are not ours. */
bool args_share_input(const struct args *args) NODISCARD;

/* What was given for an option, the last time; or NULL. */
const char *args_get(const struct args *args, const char *option);
