/* SPDX-License-Identifier: Apache-2.0 */
/* inputs.h: what is looked for in the inputs of a command (contract 001, IV-01 to IV-05).
 *
 * Everything here looks at text alone; what is done about it is decided where the run is built.
 */
#pragma once

#include <stdint.h>

#include "base/mem.h"
#include "base/table.h"

enum check {
    CHECK_COMMAND,
    CHECK_ARGUMENTS,
    CHECK_PATHS,
    CHECK_ENVIRONMENT,
    CHECK_SIZE,
    CHECK_COUNT,
};

struct check_row {
    const char *id, *name, *meaning, *enforcement;
};

struct shell_char {
    const char *text, *meaning;
};

struct path_pattern {
    const char *text, *meaning;
    bool (*applies)(struct str path);
};

struct env_row {
    const char *name; /* one that ends in * names all that begin so */
    bool scoped;      /* it may stay where every part of it lies under an allowed read root */
    const char *meaning;
};

enum input_size { INPUT_STDIN, INPUT_FILES, INPUT_SIZE_COUNT };

struct input_size_row {
    const char *name;
    int64_t bytes;
    const char *meaning;
};

enum { SHELL_CHARS = 20, ENV_ROWS = 86 };

extern const struct check_row checks[CHECK_COUNT];
extern const struct shell_char shell_chars[SHELL_CHARS];
extern const struct env_row env_rows[ENV_ROWS];
extern const struct input_size_row input_sizes[INPUT_SIZE_COUNT];
extern const struct table checks_table, shell_chars_table, path_patterns_table, env_table,
    input_sizes_table;

/* How many characters of an argument mean something to a shell. */
size_t inputs_shell_chars(struct str argument);

/* The first pattern that a path shows, or NULL. */
const struct path_pattern *inputs_path_pattern(struct str path);

/* The row that names a variable, or NULL: it is not dangerous. */
const struct env_row *inputs_env_row(struct str name);

/* Whether a variable is dangerous and stripped. PATH is, unless inputs_path_scoped() keeps it. */
bool inputs_env_stripped(struct str name);

/* Whether every directory in a PATH lies under one of the roots. */
bool inputs_path_scoped(struct str path, const struct str *roots, size_t count);

/* Whether two commands that are the same file, `real`, have one name, directories aside. The number
 * of a version behind it may differ where one of the two has the file's own name: python3 and
 * /usr/bin/python3.11 do, but mkfs.ext2 and mkfs.ext4, both of which are mke2fs, do not. */
bool inputs_same_name(struct str a, struct str b, struct str real);

/* Could one of two names be written for the other, as far as names tell: directories and versions
 * aside? */
bool inputs_same_program(struct str a, struct str b);

/* A command that is a path from the top of a project (./bin/tool, bin/tool), as a whole path; any
 * other as it is. */
struct str inputs_of_project(struct str command, const char *top, struct arena *a);

/* Whether a command is a shell or an interpreter: something that runs what it is told to. */
bool inputs_is_shell(struct str command);
