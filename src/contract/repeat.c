/* SPDX-License-Identifier: Apache-2.0 */
/* repeat.c: the tables of what makes a run repeatable and of what is remembered. */
#include "contract/repeat.h"

/* clang-format off */
const struct repeat_row repeats[REPEAT_COUNT] = {
    [REPEAT_VERSIONS]   = { "version pinning",       "exact tool and adapter versions" },
    [REPEAT_INPUTS]     = { "fixed inputs",          "same command, args, env, files" },
    [REPEAT_RANDOMNESS] = { "controlled randomness", "seed random generators" },
    [REPEAT_FILESYSTEM] = { "stable filesystem",     "consistent file ordering" },
    [REPEAT_NETWORK]    = { "no network variance",   "mock or cache external calls" },
    [REPEAT_TIME]       = { "timestamp handling",    "use fixed or mocked timestamps" },
};

static const struct column repeat_columns[] = {
    { "requirement",    COLUMN_TEXT, offsetof(struct repeat_row, name) },
    { "implementation", COLUMN_TEXT, offsetof(struct repeat_row, how) },
};

const struct cache_row caches[CACHE_COUNT] = {
    [CACHE_ADAPTERS] = { "adapter schema",    "global",    86400000, "24h",         "version change" },
    [CACHE_TOOLS]    = { "tool metadata",     "global",     3600000, "1h",          "manual refresh" },
    [CACHE_RESULTS]  = { "execution results", "session",          0, "session end", "input change" },
    [CACHE_GOLDEN]   = { "golden outputs",    "permanent",        0, "never",       "manual update" },
};

static const struct column cache_columns[] = {
    { "name",         COLUMN_TEXT,  offsetof(struct cache_row, name) },
    { "scope",        COLUMN_TEXT,  offsetof(struct cache_row, scope) },
    { "ttl_ms",       COLUMN_INT64, offsetof(struct cache_row, ttl_ms) },
    { "until",        COLUMN_TEXT,  offsetof(struct cache_row, until) },
    { "invalidation", COLUMN_TEXT,  offsetof(struct cache_row, invalidation) },
};
/* clang-format on */

const struct table repeats_table = {
    .name = "determinism",
    .about = "What makes a run repeatable, from contract 001.",
    COLUMNS(repeat_columns),
    .keys = 1,
    ROWS(repeats),
};

const struct table caches_table = {
    .name = "caches",
    .about = "What is remembered, for how long (0: no clock ends it), and what makes it forgotten.",
    COLUMNS(cache_columns),
    .keys = 1,
    ROWS(caches),
};
