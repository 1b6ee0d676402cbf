/* SPDX-License-Identifier: Apache-2.0 */
/* environment.c: the table of variables that make two runs alike. */
#include "sandbox/environment.h"

#include <stdlib.h>
#include <string.h>

#include "sandbox/gate.h"

/* The gate (gate.h), as programs know a proxy. Names go there as they are: nobody else looks them
 * up. It speaks SOCKS, too, and no variable says so: a client that cannot, as httpx, reads all of
 * them and then does not even begin.
 */
#define GATE "http://127.0.0.1:3128"
#define NEAR "localhost,writ,127.0.0.1,127.0.0.2,0.0.0.0,::1"

_Static_assert(GATE_PORT == 3128, "the address above says another port");

enum environment_when { WHEN_ALWAYS, WHEN_NETWORK };

struct environment_row {
    const char *name, *value, *holds;
    enum environment_when when;
};

/* clang-format off */
/* By name, in bytewise order. */
static const struct environment_row rows[] = {
    { "ALL_PROXY",          GATE,         "the same as all_proxy",                              WHEN_NETWORK },
    { "HOME",               ENVIRONMENT_HOME, "a directory of the run's own",                       WHEN_ALWAYS },
    { "HOSTNAME",           "writ",       "the name of the machine",                            WHEN_ALWAYS },
    { "HTTPS_PROXY",        GATE,         "the same as https_proxy",                            WHEN_NETWORK },
    { "HTTP_PROXY",         GATE,         "the same as http_proxy",                             WHEN_NETWORK },
    { "LANG",               "C.UTF-8",    "language and order of letters",                      WHEN_ALWAYS },
    { "LC_ALL",             "C.UTF-8",    "language and order of letters",                      WHEN_ALWAYS },
    { "LOGNAME",            "writ",       "the user",                                           WHEN_ALWAYS },
    { "NODE_USE_ENV_PROXY", "1",          "has Node.js look at these",                          WHEN_NETWORK },
    { "NO_PROXY",           NEAR,         "the same as no_proxy",                               WHEN_NETWORK },
    { "PERL_HASH_SEED",     "0",          "the order of hashes in Perl",                        WHEN_ALWAYS },
    { "PYTHONHASHSEED",     "0",          "the order of sets in Python",                        WHEN_ALWAYS },
    { "SHELL",              "/bin/sh",    "the shell that programs start",                      WHEN_ALWAYS },
    { "SOURCE_DATE_EPOCH",  "315532800",  "the time that builds stamp on files: 1980-01-01",    WHEN_ALWAYS },
    { "TZ",                 "UTC",        "the time zone",                                      WHEN_ALWAYS },
    { "USER",               "writ",       "the user",                                           WHEN_ALWAYS },
    { "all_proxy",          GATE,         "the way to hosts, for anything else",                WHEN_NETWORK },
    { "http_proxy",         GATE,         "the way to hosts, for http:",                        WHEN_NETWORK },
    { "https_proxy",        GATE,         "the way to hosts, for https:",                       WHEN_NETWORK },
    { "no_proxy",           NEAR,         "what is reached without it: the run itself, unless it is listed",         WHEN_NETWORK },
};

static const char *const when_names[] = { "always", "with a network" };

static const struct column columns[] = {
    { "variable", COLUMN_TEXT, offsetof(struct environment_row, name) },
    { "value",    COLUMN_TEXT, offsetof(struct environment_row, value) },
    { "holds",    COLUMN_TEXT, offsetof(struct environment_row, holds) },
    { "when",     COLUMN_NAME, offsetof(struct environment_row, when), when_names },
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

static bool is_listed(const struct hosts *hosts, struct str name)
{
    struct host host;

    if (!hosts || host_read(name, 0, &host) != NULL)
        return false;
    for (size_t i = 0; i < hosts->allow_count; i++) {
        struct host_entry entry;

        if (host_entry_read(hosts->allow[i], &entry) &&
            (host.is_address ? host_entry_has_address(&entry, &host.address)
                             : host_entry_names(&entry, name)))
            return true;
    }
    return false;
}

/* The run itself, but for what is listed: that lies behind the gate. */
static const char *near_of(const struct hosts *hosts, struct arena *a)
{
    const char *list = "";

    for (const char *at = NEAR; *at;) {
        struct str name = { at, strcspn(at, ",") };

        if (!is_listed(hosts, name))
            list = arena_printf(a, "%s%s%.*s", list, *list ? "," : "", STR_ARG(name));
        at += name.n + (at[name.n] == ',');
    }
    return list;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **environment_make(const struct environment_ask *ask, struct arena *a)
{
    char **env = arena_alloc(a, (COUNT(rows) + ask->count + 3) * sizeof *env);
    const char *near = near_of(ask->hosts, a);
    size_t n = 0;

    for (size_t i = 0; i < COUNT(rows); i++)
        if ((rows[i].when == WHEN_ALWAYS || ask->network) && !is_asked(ask, rows[i].name))
            env[n++] = arena_printf(a, "%s=%s", rows[i].name,
                                    strcmp(rows[i].value, NEAR) == 0 ? near : rows[i].value);
    for (size_t i = 0; i < ask->count; i++)
        env[n++] =
            arena_printf(a, "%.*s=%.*s", STR_ARG(ask->asked[i].key), STR_ARG(ask->asked[i].text));
    env[n++] = arena_printf(a, "PATH=%s", ask->path);
    env[n++] = arena_printf(a, "PWD=%s", ask->cwd);
    qsort(env, n, sizeof *env, by_text);
    return env;
}
