/* SPDX-License-Identifier: Apache-2.0 */
/* repeat.h: what makes a run repeatable, and what is remembered of runs (contract 001). */
#pragma once

#include <stdint.h>

#include "base/table.h"

enum repeat {
    REPEAT_VERSIONS,
    REPEAT_INPUTS,
    REPEAT_RANDOMNESS,
    REPEAT_FILESYSTEM,
    REPEAT_NETWORK,
    REPEAT_TIME,
    REPEAT_COUNT,
};

struct repeat_row {
    const char *name, *how;
};

enum cache { CACHE_ADAPTERS, CACHE_TOOLS, CACHE_RESULTS, CACHE_GOLDEN, CACHE_COUNT };

struct cache_row {
    const char *name, *scope;
    int64_t ttl_ms;    /* 0: no clock ends it, `until` does */
    const char *until; /* as the contract writes it */
    const char *invalidation;
};

extern const struct repeat_row repeats[REPEAT_COUNT];
extern const struct cache_row caches[CACHE_COUNT];
extern const struct table repeats_table, caches_table;
