/* SPDX-License-Identifier: Apache-2.0 */
/* input_rows.c: the checks of a command's inputs, and the characters, variables and sizes they
 * look for. */
#include "contract/inputs.h"

/* clang-format off */
const struct check_row checks[CHECK_COUNT] = {
    [CHECK_COMMAND]     = { "IV-01", "command allowlist",     "The command must be in the tool allowlist.", "block if not listed" },
    [CHECK_ARGUMENTS]   = { "IV-02", "argument sanitization", "No shell injection patterns.",               "escape or block" },
    [CHECK_PATHS]       = { "IV-03", "path traversal",        "No ../ in file paths.",                      "normalize and validate" },
    [CHECK_ENVIRONMENT] = { "IV-04", "environment filtering", "Only approved environment variables.",       "strip unapproved" },
    [CHECK_SIZE]        = { "IV-05", "input size",            "Standard input and files within limits.",    "truncate or reject" },
};

static const struct column check_columns[] = {
    { "id",          COLUMN_TEXT, offsetof(struct check_row, id) },
    { "name",        COLUMN_TEXT, offsetof(struct check_row, name) },
    { "meaning",     COLUMN_TEXT, offsetof(struct check_row, meaning) },
    { "enforcement", COLUMN_TEXT, offsetof(struct check_row, enforcement) },
};

const struct shell_char shell_chars[SHELL_CHARS] = {
    { ";",  "Ends a command and begins another." },
    { "|",  "Pipes into another command." },
    { "&",  "Runs in the background, or joins commands." },
    { "$",  "Puts in a variable or a command's output." },
    { "`",  "Puts in a command's output." },
    { "(",  "Opens a subshell." },
    { ")",  "Closes a subshell." },
    { "{",  "Opens a group or a list of words." },
    { "}",  "Closes a group or a list of words." },
    { "[",  "Opens a set of characters in a file pattern." },
    { "]",  "Closes a set of characters in a file pattern." },
    { "<",  "Reads from a file." },
    { ">",  "Writes to a file." },
    { "\\", "Takes the next character as it is." },
    { "\"", "Quotes, but lets variables through." },
    { "'",  "Quotes." },
    { "!",  "Repeats a command from history, or negates." },
    { "#",  "Begins a comment." },
    { "*",  "Stands for any text in a file pattern." },
    { "?",  "Stands for any character in a file pattern." },
};

static const struct column shell_char_columns[] = {
    { "character", COLUMN_TEXT, offsetof(struct shell_char, text) },
    { "meaning",   COLUMN_TEXT, offsetof(struct shell_char, meaning) },
};

const struct env_row env_rows[ENV_ROWS] = {
    { "LD_PRELOAD",      false, "Puts foreign code into every program." },
    { "LD_LIBRARY_PATH", false, "Replaces the libraries of every program." },
    { "PATH",            true,  "Decides which program a name means." },
};

static const struct column env_columns[] = {
    { "variable",    COLUMN_TEXT, offsetof(struct env_row, name) },
    { "kept_scoped", COLUMN_BOOL, offsetof(struct env_row, scoped) },
    { "meaning",     COLUMN_TEXT, offsetof(struct env_row, meaning) },
};

/* A01-6 */
const struct input_size_row input_sizes[INPUT_SIZE_COUNT] = {
    [INPUT_STDIN] = { "stdin",        1048576, "Bytes given on standard input." },
    [INPUT_FILES] = { "input_files", 10485760, "Bytes of all input files together." },
};

static const struct column input_size_columns[] = {
    { "name",    COLUMN_TEXT,  offsetof(struct input_size_row, name) },
    { "bytes",   COLUMN_INT64, offsetof(struct input_size_row, bytes) },
    { "meaning", COLUMN_TEXT,  offsetof(struct input_size_row, meaning) },
};
/* clang-format on */

const struct table checks_table = {
    .name = "checks",
    .about = "What is checked before a command runs, from contract 001.",
    COLUMNS(check_columns),
    .keys = 1,
    ROWS(checks),
};

const struct table shell_chars_table = {
    .name = "characters",
    .about = "The characters IV-02 looks for in an argument.",
    COLUMNS(shell_char_columns),
    .keys = 1,
    ROWS(shell_chars),
};

const struct table env_table = {
    .name = "variables",
    .about = "The environment variables IV-04 always strips.",
    COLUMNS(env_columns),
    .keys = 1,
    ROWS(env_rows),
};

const struct table input_sizes_table = {
    .name = "inputs",
    .about = "How much a command may be given; IV-05 looks at it.",
    COLUMNS(input_size_columns),
    .keys = 1,
    ROWS(input_sizes),
};

static bool is_shell_char(char c)
{
    for (size_t i = 0; i < SHELL_CHARS; i++) {
        if (shell_chars[i].text[0] == c)
            return true;
    }
    return false;
}

size_t inputs_shell_chars(struct str argument)
{
    size_t found = 0;

    for (size_t i = 0; i < argument.n; i++)
        found += is_shell_char(argument.s[i]);
    return found;
}

bool inputs_env_stripped(struct str name)
{
    for (size_t i = 0; i < ENV_ROWS; i++) {
        if (str_is(name, env_rows[i].name))
            return true;
    }
    return false;
}
