/* SPDX-License-Identifier: Apache-2.0 */
/* level.c: the levels that are kept here: their names, where they lie, and how much of each is
 * kept. */
#include "adapter/cache.h"

#include "adapter/cache/parts.h"

/* clang-format off */
const char *const cache_names[CACHE_GOLDEN] = {
    [CACHE_ADAPTERS] = "adapter-schema",
    [CACHE_TOOLS]    = "tool-metadata",
    [CACHE_RESULTS]  = "execution-results",
};

const struct cache_size cache_sizes[CACHE_GOLDEN] = {
    [CACHE_ADAPTERS] = { "adapter schema",    4096, 67108864, 16777216 },
    [CACHE_TOOLS]    = { "tool metadata",     1024, 16777216,  1048576 },
    [CACHE_RESULTS]  = { "execution results", 1024, 67108864, 16777216 },
};

static const struct column size_columns[] = {
    { "level",       COLUMN_TEXT,  offsetof(struct cache_size, level) },
    { "items",       COLUMN_INT64, offsetof(struct cache_size, items) },
    { "bytes",       COLUMN_INT64, offsetof(struct cache_size, bytes) },
    { "value_bytes", COLUMN_INT64, offsetof(struct cache_size, value_bytes) },
};
/* clang-format on */

const struct table cache_sizes_table = {
    .name = "cache_sizes",
    .about = "How much is remembered; above it the oldest go. Results are counted by session.",
    COLUMNS(size_columns),
    .keys = 1,
    ROWS(cache_sizes),
};

int cache_level(struct str name)
{
    for (int i = 0; i < CACHE_COUNT; i++) {
        const char *row = caches[i].name;
        size_t n = 0;

        while (n < name.n && row[n] && (row[n] == name.s[n] || (row[n] == ' ' && name.s[n] == '-')))
            n++;
        if (n == name.n && !row[n])
            return i;
    }
    return -1;
}

const char *cache_directory(const char *cache, enum cache level, struct arena *a)
{
    return arena_printf(a, "%s/%s", cache, cache_names[level]);
}
