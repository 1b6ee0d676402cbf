/* SPDX-License-Identifier: Apache-2.0 */
/* cache_ground.h: a cache in a directory of its own, for each test. */
#pragma once

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "adapter/cache.h"
#include "adapter/cache/parts.h"
#include "base/fs.h"

enum { HOUR = 3600 * 1000 };

/* Long ago: directories, whose times are real, are never old then. */
#define NOON INT64_C(1700000000000)

struct ground {
    struct arena a;
    struct cache_place place;
    char directory[64];
};

static inline int begin(void **state)
{
    struct ground *g = mem_zeroed(sizeof *g);

    memcpy(g->directory, "/tmp/writ-cache-XXXXXX", sizeof "/tmp/writ-cache-XXXXXX");
    assert_non_null(mkdtemp(g->directory));
    g->place = (struct cache_place){ arena_printf(&g->a, "%s/cache", g->directory), "one", NOON };
    *state = g;
    return 0;
}

static inline int end(void **state)
{
    struct ground *g = *state;
    struct error e;

    assert_true(fs_remove(g->directory, &e));
    arena_free(&g->a);
    free(g);
    return 0;
}

static inline struct digest key_of(const char *text)
{
    struct str t = str_of(text);

    return cache_key(&t, 1);
}

static inline void put(struct ground *g, enum cache level, const char *key, const char *value)
{
    struct digest k = key_of(key);
    struct error e;

    assert_true(cache_put(&g->place, level, &k, str_of(value), &e));
}

/* What is got, or NULL. */
static inline const char *get(struct ground *g, enum cache level, const char *key)
{
    struct digest k = key_of(key);
    struct str out;

    return cache_get(&g->place, level, &k, &g->a, &out) ? arena_text(&g->a, out) : NULL;
}

static inline const char *file_of(struct ground *g, enum cache level, const char *key)
{
    struct digest k = key_of(key);
    char text[DIGEST_TEXT], session[SESSION_NAME] = "";

    digest_text(&k, text);
    if (level == CACHE_RESULTS)
        session_directory(g->place.session, session);
    return arena_printf(&g->a, "%s/%s%s%s/%s", g->place.directory, cache_names[level],
                        session[0] ? "/" : "", session, text + 7);
}

static inline size_t count(struct ground *g, size_t *ended)
{
    struct cache_items items;
    struct error e;

    assert_true(cache_list(&g->place, &g->a, &items, &e));
    *ended = 0;
    for (size_t i = 0; i < items.n; i++)
        *ended += items.v[i].ended;
    return items.n;
}

#define ONE(test) cmocka_unit_test_setup_teardown(test, begin, end)
