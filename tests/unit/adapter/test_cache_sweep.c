/* SPDX-License-Identifier: Apache-2.0 */
/* test_cache_sweep.c: how much is remembered, and how it is listed and cleared. */
#include "unit/adapter/cache_ground.h"

/* ---- how much ---- */

static void the_oldest_go_when_there_are_too_many(void **state)
{
    struct ground *g = *state;
    size_t ended;

    for (int64_t i = 0; i <= cache_sizes[CACHE_TOOLS].items; i++) {
        g->place.now_ms = NOON + i;
        put(g, CACHE_TOOLS, arena_printf(&g->a, "%d", (int)i), "value");
    }
    /* An eighth of the room is made at once. */
    assert_int_equal(count(g, &ended), 1024 - 128);
    assert_null(get(g, CACHE_TOOLS, "128"));
    assert_non_null(get(g, CACHE_TOOLS, "129"));
    assert_non_null(get(g, CACHE_TOOLS, "1024"));
}

static void the_oldest_go_when_they_are_too_large(void **state)
{
    struct ground *g = *state;
    const struct cache_size *size = &cache_sizes[CACHE_RESULTS];
    struct str value = { mem_zeroed((size_t)size->value_bytes), (size_t)size->value_bytes };
    struct digest k;
    struct error e;

    for (int i = 0; i < 4; i++) { /* four are 64 MB; their first lines are too much */
        k = key_of(arena_printf(&g->a, "%d", i));
        g->place.now_ms = NOON + i;
        assert_true(cache_put(&g->place, CACHE_RESULTS, &k, value, &e));
    }
    assert_null(get(g, CACHE_RESULTS, "0"));
    assert_non_null(get(g, CACHE_RESULTS, "1"));
    value.n++;
    assert_false(cache_put(&g->place, CACHE_RESULTS, &k, value, &e));
    assert_int_equal(e.code, ERROR_CEILING);
    free((void *)(uintptr_t)value.s);
}

static void what_is_over_goes_with_the_next_put(void **state)
{
    struct ground *g = *state;
    size_t ended;

    put(g, CACHE_TOOLS, "a", "value");
    g->place.now_ms += HOUR;
    assert_int_equal(count(g, &ended), 1);
    assert_int_equal(ended, 1);
    put(g, CACHE_TOOLS, "b", "value");
    assert_int_equal(count(g, &ended), 1);
    assert_int_equal(ended, 0);
}

static void what_was_left_half_written_goes_after_an_hour(void **state)
{
    struct ground *g = *state;
    const char *left;
    struct stat s;
    struct error e;

    put(g, CACHE_TOOLS, "a", "value");
    left = arena_printf(&g->a, "%s/tool-metadata/.new-abcdef", g->place.directory);
    assert_true(fs_write(left, str_of("writ-c"), &e));
    assert_int_equal(stat(left, &s), 0);
    g->place.now_ms = (int64_t)s.st_ctim.tv_sec * 1000;
    put(g, CACHE_TOOLS, "b", "value");
    assert_int_equal(access(left, F_OK), 0);
    g->place.now_ms += HOUR + 1000;
    put(g, CACHE_TOOLS, "c", "value");
    assert_int_equal(access(left, F_OK), -1);
}

/* ---- listing and clearing ---- */

static void a_list_says_what_is_there(void **state)
{
    struct ground *g = *state;
    struct cache_items items;
    struct error e;

    assert_true(cache_list(&g->place, &g->a, &items, &e));
    assert_int_equal(items.n, 0);
    put(g, CACHE_TOOLS, "b", "12345");
    g->place.session = cache_session(NULL, &g->a);
    put(g, CACHE_RESULTS, "c", "");
    g->place.now_ms--;
    put(g, CACHE_TOOLS, "a", "1");
    g->place.now_ms++;
    assert_true(cache_list(&g->place, &g->a, &items, &e));
    assert_int_equal(items.n, 3);
    assert_int_equal(items.v[0].bytes, 1);
    assert_int_equal(items.v[0].made_ms, NOON - 1);
    assert_int_equal(items.v[0].ends_ms, NOON - 1 + HOUR);
    assert_int_equal(items.v[1].bytes, 5);
    assert_int_equal(items.v[2].level, CACHE_RESULTS);
    assert_int_equal(items.v[2].ends_ms, 0);
    assert_false(items.v[0].ended || items.v[1].ended || items.v[2].ended);
}

static void a_list_of_adapters_is_listed_and_cleared_with_their_schemas(void **state)
{
    struct ground *g = *state;
    struct cache_items items;
    struct error e;
    size_t removed;
    struct timespec noon = { NOON / 1000, 0 };
    const char *path = file_of(g, CACHE_ADAPTERS, "index");

    put(g, CACHE_ADAPTERS, "schema", "x");
    assert_true(fs_write(path, str_of("writidx1...."), &e));
    assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[]){ noon, noon }, 0), 0);
    assert_true(cache_list(&g->place, &g->a, &items, &e));
    assert_int_equal(items.n, 2);
    assert_false(items.v[0].ended || items.v[1].ended);
    assert_int_equal(items.v[1].ends_ms, NOON + DAY_MS);
    assert_true(cache_clear(&g->place, -1, &removed, &e));
    assert_int_equal(removed, 2);
}

static void clearing_takes_all_sessions_and_nothing_that_is_not_a_value(void **state)
{
    struct ground *g = *state;
    const char *mine = arena_printf(&g->a, "%s/notes.txt", g->place.directory);
    const char *deep;
    size_t removed, ended;
    struct error e;

    put(g, CACHE_ADAPTERS, "k", "v");
    put(g, CACHE_TOOLS, "k", "v");
    put(g, CACHE_RESULTS, "k", "v");
    g->place.session = "another";
    put(g, CACHE_RESULTS, "k", "v");
    deep = arena_printf(&g->a, "%s/tool-metadata/notes.txt", g->place.directory);
    assert_true(fs_write(mine, str_of("x"), &e));
    assert_true(fs_write(deep, str_of("x"), &e));
    assert_true(cache_clear(&g->place, -1, &removed, &e));
    assert_int_equal(removed, 4);
    assert_int_equal(count(g, &ended), 0);
    assert_int_equal(access(mine, F_OK), 0);
    assert_int_equal(access(deep, F_OK), 0);
    assert_true(cache_clear(&g->place, -1, &removed, &e));
    assert_int_equal(removed, 0);
}

static void levels_are_named_as_their_rows_with_blanks_or_dashes(void **state)
{
    (void)state;
    assert_int_equal(cache_level(str_of("adapter schema")), CACHE_ADAPTERS);
    assert_int_equal(cache_level(str_of("tool-metadata")), CACHE_TOOLS);
    assert_int_equal(cache_level(str_of("execution-results")), CACHE_RESULTS);
    assert_int_equal(cache_level(str_of("execution")), -1);
    assert_int_equal(cache_level(str_of("execution-results ")), -1);
    assert_int_equal(cache_level(str_of("")), -1);
    for (int i = 0; i < CACHE_GOLDEN; i++) {
        assert_string_equal(cache_sizes[i].level, caches[i].name);
        assert_int_equal(cache_level(str_of(cache_names[i])), i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONE(the_oldest_go_when_there_are_too_many),
        ONE(the_oldest_go_when_they_are_too_large),
        ONE(what_is_over_goes_with_the_next_put),
        ONE(what_was_left_half_written_goes_after_an_hour),
        ONE(a_list_says_what_is_there),
        ONE(a_list_of_adapters_is_listed_and_cleared_with_their_schemas),
        ONE(clearing_takes_all_sessions_and_nothing_that_is_not_a_value),
        ONE(levels_are_named_as_their_rows_with_blanks_or_dashes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
