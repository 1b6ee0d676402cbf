/* SPDX-License-Identifier: Apache-2.0 */
/* test_catalog_index.c: the index is believed as long as nothing has changed, and never longer. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "adapter/cache.h"
#include "unit/adapter/place.h"

#define PROJECT "project/.writ/adapters/"

enum { DAY_MS = 24 * 60 * 60 * 1000 };

/* The only file there. */
static const char *index_of(struct place *p)
{
    const char *directory = cache_directory(p->ask.cache, CACHE_ADAPTERS, &p->a);
    DIR *d = opendir(directory);
    const struct dirent *entry;
    const char *path = NULL;

    assert_non_null(d);
    while ((entry = readdir(d)))
        if (entry->d_name[0] != '.') {
            assert_null(path);
            path = arena_printf(&p->a, "%s/%s", directory, entry->d_name);
        }
    (void)closedir(d);
    assert_non_null(path);
    return path;
}

static void three(struct place *p)
{
    place_adapter(p, PROJECT "a.yaml", "A", "T", "");
    place_adapter(p, PROJECT "b.yaml", "B", "T", "");
    place_put(p, PROJECT "c.yaml", "no adapter");
}

static void check_three(struct place *p)
{
    assert_int_equal(p->c.n, 2 + shipped_count);
    assert_int_equal(p->c.fault_count, 1);
    assert_true(str_is(place_entry(&p->c, "A", ORIGIN_PROJECT)->name, "name-of-A"));
    assert_true(str_is(place_entry(&p->c, "B", ORIGIN_PROJECT)->tool_id, "T"));
    assert_string_equal(place_entry(&p->c, "B", ORIGIN_PROJECT)->path,
                        place_path(p, PROJECT "b.yaml"));
    assert_string_equal(p->c.faults[0].path, place_path(p, PROJECT "c.yaml"));
}

static void R_001_143_R_001_154_the_second_list_reads_nothing(void **state)
{
    struct place *p = *state;

    three(p);
    assert_false(place_list(p)->indexed);
    check_three(p);
    assert_true(place_list(p)->indexed);
    check_three(p);
    p->ask.now_ms += DAY_MS - 1000;
    assert_true(place_list(p)->indexed);
}

static void R_001_154_an_index_is_good_for_a_day(void **state)
{
    struct place *p = *state;

    three(p);
    (void)place_list(p);
    p->ask.now_ms += DAY_MS / 2;
    place_adapter(p, PROJECT "d.yaml", "D", "T", ""); /* what is new makes the rest no younger */
    assert_false(place_list(p)->indexed);
    assert_true(place_list(p)->indexed);
    p->ask.now_ms += DAY_MS / 2 + 1;
    assert_false(place_list(p)->indexed);
    assert_true(place_list(p)->indexed);
    p->ask.now_ms -= DAY_MS; /* of a clock that was set back, nothing is believed */
    assert_false(place_list(p)->indexed);
}

static void R_001_154_a_file_that_changes_is_read_again(void **state)
{
    struct place *p = *state;

    three(p);
    (void)place_list(p);
    place_adapter(p, PROJECT "a.yaml", "A", "X", ""); /* the same size, in place */
    assert_false(place_list(p)->indexed);
    assert_true(str_is(place_entry(&p->c, "A", ORIGIN_PROJECT)->tool_id, "X"));
    assert_true(place_list(p)->indexed);
    assert_true(str_is(place_entry(&p->c, "A", ORIGIN_PROJECT)->tool_id, "X"));
    place_put(p, PROJECT "b.yaml", "no adapter");
    assert_int_equal(place_list(p)->fault_count, 2);
    assert_int_equal(unlink(place_path(p, PROJECT "b.yaml")), 0);
    assert_int_equal(place_list(p)->fault_count, 1);
    assert_int_equal(p->c.n, 1 + shipped_count);
    assert_int_equal(rename(place_path(p, PROJECT "a.yaml"), place_path(p, PROJECT "z.yaml")), 0);
    (void)place_list(p);
    assert_string_equal(place_entry(&p->c, "A", ORIGIN_PROJECT)->path,
                        place_path(p, PROJECT "z.yaml"));
}

/* Times back where they were: the change of the inode cannot be undone. */
static void R_001_154_a_change_with_its_times_put_back_is_seen(void **state)
{
    struct place *p = *state;
    const char *path = place_path(p, PROJECT "a.yaml");
    struct stat st;

    three(p);
    (void)place_list(p);
    assert_int_equal(stat(path, &st), 0);
    place_adapter(p, PROJECT "a.yaml", "A", "X", "");
    assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[]){ st.st_atim, st.st_mtim }, 0),
                     0);
    (void)place_list(p);
    assert_true(str_is(place_entry(&p->c, "A", ORIGIN_PROJECT)->tool_id, "X"));
}

/* Within a step of the clock a second change would not be seen: such a file is not believed. */
static void a_file_of_this_moment_is_not_believed(void **state)
{
    struct place *p = *state;

    p->ask.now_ms -= 60000;
    three(p);
    (void)place_list(p);
    assert_false(place_list(p)->indexed);
    check_three(p);
}

static void R_001_154_a_torn_index_is_not_there(void **state)
{
    struct place *p = *state;
    struct str whole;
    const char *path;

    three(p);
    (void)place_list(p);
    path = index_of(p);
    assert_true(fs_read(path, 1 << 20, &p->a, &whole, &p->e));
    for (size_t i = 0; i < whole.n; i += 3) {
        char *bad = arena_text(&p->a, whole);

        bad[i] ^= 0x11;
        assert_true(fs_write(path, (struct str){ bad, whole.n }, &p->e));
        assert_false(place_list(p)->indexed);
        check_three(p);
        assert_true(fs_write(path, (struct str){ whole.s, i }, &p->e));
        assert_false(place_list(p)->indexed);
        check_three(p);
    }
    assert_true(place_list(p)->indexed);
}

static void an_index_that_cannot_be_written_changes_nothing(void **state)
{
    struct place *p = *state;

    three(p);
    place_put(p, "cache", "a file where a directory should be");
    for (int i = 0; i < 2; i++) {
        assert_false(place_list(p)->indexed);
        check_three(p);
    }
    p->ask.cache = NULL;
    assert_false(place_list(p)->indexed);
    check_three(p);
}

static void one_directory_has_nothing_of_another(void **state)
{
    struct place *p = *state;

    three(p);
    (void)place_list(p);
    p->ask.project = place_path(p, "other");
    place_adapter(p, "other/.writ/adapters/a.yaml", "OTHER", "T", "");
    assert_false(place_list(p)->indexed);
    assert_non_null(place_entry(&p->c, "OTHER", ORIGIN_PROJECT));
    assert_null(place_entry(&p->c, "A", ORIGIN_PROJECT));
}

/* Enough of them for threads to look at. */
static void thousands_are_listed_and_one_change_among_them_is_seen(void **state)
{
    struct place *p = *state;

    for (int i = 0; i < 2500; i++)
        place_put(p, arena_printf(&p->a, PROJECT "%d.yaml", i),
                  arena_printf(&p->a, "adapter_id: A-%04d\nname: n\ntool_id: T\ntype: sdk\n", i));
    assert_int_equal(place_list(p)->n, 2500 + shipped_count);
    assert_true(place_list(p)->indexed);
    place_put(p, PROJECT "1777.yaml", "adapter_id: A-1777\nname: m\ntool_id: T\ntype: sdk\n");
    assert_false(place_list(p)->indexed);
    assert_int_equal(p->c.n, 2500 + shipped_count);
    assert_true(str_is(place_entry(&p->c, "A-1777", ORIGIN_PROJECT)->name, "m"));
    assert_true(str_is(place_entry(&p->c, "A-1778", ORIGIN_PROJECT)->name, "n"));
    assert_true(place_list(p)->indexed);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, place_setup, place_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(R_001_143_R_001_154_the_second_list_reads_nothing),
        TEST(R_001_154_an_index_is_good_for_a_day),
        TEST(R_001_154_a_file_that_changes_is_read_again),
        TEST(R_001_154_a_change_with_its_times_put_back_is_seen),
        TEST(a_file_of_this_moment_is_not_believed),
        TEST(R_001_154_a_torn_index_is_not_there),
        TEST(an_index_that_cannot_be_written_changes_nothing),
        TEST(one_directory_has_nothing_of_another),
        TEST(thousands_are_listed_and_one_change_among_them_is_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
