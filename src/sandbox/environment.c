/* SPDX-License-Identifier: Apache-2.0 */
/* environment.c: the table of variables that make two runs alike. */
#include "sandbox/environment.h"

#include <stdlib.h>

struct environment_row {
    const char *name, *value, *holds;
};

/* clang-format off */
/* By name, in bytewise order. */
static const struct environment_row rows[] = {
    { "HOME",              ENVIRONMENT_HOME, "a directory of the run's own" },
    { "HOSTNAME",          "writ",        "the name of the machine" },
    { "LANG",              "C.UTF-8",     "language and order of letters" },
    { "LC_ALL",            "C.UTF-8",     "language and order of letters" },
    { "LOGNAME",           "writ",        "the user" },
    { "PERL_HASH_SEED",    "0",           "the order of hashes in Perl" },
    { "PYTHONHASHSEED",    "0",           "the order of sets in Python" },
    { "SHELL",             "/bin/sh",     "the shell that programs start" },
    { "SOURCE_DATE_EPOCH", "315532800",   "the time that builds stamp on files: 1980-01-01" },
    { "TZ",                "UTC",         "the time zone" },
    { "USER",              "writ",        "the user" },
};

static const struct column columns[] = {
    { "variable", COLUMN_TEXT, offsetof(struct environment_row, name) },
    { "value",    COLUMN_TEXT, offsetof(struct environment_row, value) },
    { "holds",    COLUMN_TEXT, offsetof(struct environment_row, holds) },
};
/* clang-format on */

const struct table environment_table = {
    .name = "environment",
    .about = "What every command finds in its environment, besides PATH, PWD and what was asked "
             "for.",
    COLUMNS(columns),
    .keys = 1,
    ROWS(rows),
};

static bool is_asked(const struct environment_ask *ask, const char *name)
{
    for (size_t i = 0; i < ask->count; i++)
        if (str_is(ask->asked[i].key, name))
            return true;
    return false;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **environment_make(const struct environment_ask *ask, struct arena *a)
{
    char **env = arena_alloc(a, (COUNT(rows) + ask->count + 3) * sizeof *env);
    size_t n = 0;

    for (size_t i = 0; i < COUNT(rows); i++)
        if (!is_asked(ask, rows[i].name))
            env[n++] = arena_printf(a, "%s=%s", rows[i].name, rows[i].value);
    for (size_t i = 0; i < ask->count; i++)
        env[n++] =
            arena_printf(a, "%.*s=%.*s", STR_ARG(ask->asked[i].key), STR_ARG(ask->asked[i].text));
    env[n++] = arena_printf(a, "PATH=%s", ask->path);
    env[n++] = arena_printf(a, "PWD=%s", ask->cwd);
    qsort(env, n, sizeof *env, by_text);
    return env;
}
