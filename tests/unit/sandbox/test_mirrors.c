/* SPDX-License-Identifier: Apache-2.0 */
/* test_mirrors.c: where else a path is seen, by the list of mounts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sandbox/mirrors.h"

static struct disk disks[] = {
    { "8:1", "/", "/" },                  /* the disk itself */
    { "8:1", "/home/real", "/mnt/copy" }, /* a part of it again */
    { "8:1", "/etc/key", "/mnt/file" },   /* a file of it */
    { "8:2", "/", "/srv" },               /* another one, at two places */
    { "8:2", "/", "/data/srv" },
    { "8:2", "/covered", "/cover" }, /* and at one that is covered */
    { "8:3", "/", "/cover" },
};

typedef struct mirrors find(const struct submounts *all, const char *path, struct arena *a);

static void are_by(find *by, const char *path, const char *const *wanted)
{
    _arena_ struct arena a = { 0 };
    struct submounts all = { .disks = disks, .disk_count = COUNT(disks) };
    struct mirrors found = by(&all, path, &a);

    for (size_t i = 0; i < found.n; i++) {
        if (!wanted[i])
            fail_msg("%s is not seen at %s", path, found.v[i]);
        assert_string_equal(found.v[i], wanted[i]);
    }
    assert_null(wanted[found.n]);
}

static void are(const char *path, const char *const *wanted)
{
    are_by(mirrors_of, path, wanted);
}

static void R_001_016_a_path_is_seen_wherever_its_file_system_is(void **state)
{
    (void)state;
    are("/home/real/.env", (const char *const[]){ "/mnt/copy/.env", NULL });
    are("/home/real", (const char *const[]){ "/mnt/copy", NULL });
    are("/mnt/copy/.env", (const char *const[]){ "/home/real/.env", NULL });
    are("/mnt/copy", (const char *const[]){ "/home/real", NULL });
    are("/etc/key", (const char *const[]){ "/mnt/file", NULL });
    are("/srv/a", (const char *const[]){ "/data/srv/a", NULL });
    are("/data/srv", (const char *const[]){ "/srv", NULL });
}

/* What is denied as a whole is denied where a part of it is seen. */
static void R_001_016_what_is_around_a_mirrored_part_is_seen_in_part(void **state)
{
    (void)state;
    are("/home", (const char *const[]){ "/mnt/copy", NULL });
    are("/etc", (const char *const[]){ "/mnt/file", NULL });
}

static void R_001_016_what_is_beside_it_or_covered_is_not(void **state)
{
    (void)state;
    are("/home/realm/.env", (const char *const[]){ NULL });
    are("/etc/keys", (const char *const[]){ NULL });
    are("/srv/covered/a", (const char *const[]){ "/data/srv/covered/a", NULL });
    are("/cover/a", (const char *const[]){ NULL });
}

static void R_001_016_what_is_mounted_in_a_directory_is_seen_elsewhere(void **state)
{
    (void)state;
    are_by(mirrors_inside, "/data", (const char *const[]){ "/srv", NULL });
    are_by(mirrors_inside, "/mnt", (const char *const[]){ "/home/real", "/etc/key", NULL });
    are_by(mirrors_inside, "/", (const char *const[]){ NULL }); /* nothing is outside of it */
    are_by(mirrors_inside, "/srv", (const char *const[]){ NULL });
    are_by(mirrors_inside, "/dat", (const char *const[]){ NULL });
}

/* What is made by any of the places is found by one of them. */
static void R_001_015_a_name_that_must_not_be_is_listed_once_for_each_entry(void **state)
{
    static struct disk again[] = { { "8:2", "/", "/srv" }, { "8:2", "/", "/m/1" },
                                   { "8:2", "/", "/m/2" }, { "8:2", "/", "/m/3" },
                                   { "8:2", "/", "/n" },   { "8:2", "/", "/unseen" } };
    static struct grant given[] = { { .path = "/srv", .access = ACCESS_WRITE },
                                    { .path = "/m/1", .access = ACCESS_READ },
                                    { .path = "/m", .access = ACCESS_WRITE },
                                    { .path = "/n", .access = ACCESS_WRITE } };
    static const char *const wanted[] = { "/srv/.envrc", "/m/2/.envrc", "/n/.envrc" };
    _arena_ struct arena a = { 0 };
    struct submounts all = { .disks = again, .disk_count = COUNT(again) };
    struct grants g = { .v = given, .n = COUNT(given), .a = &a };
    struct absents absent = { .a = &a };
    struct error e;

    (void)state;
    absents_add(&absent, (struct absent){ .path = wanted[0] });
    assert_true(mirrors_hold(&all, &g, &absent, &e));
    assert_int_equal(absent.n, COUNT(wanted));
    for (size_t i = 0; i < COUNT(wanted); i++)
        assert_string_equal(absent.v[i].path, wanted[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_016_a_path_is_seen_wherever_its_file_system_is),
        cmocka_unit_test(R_001_016_what_is_around_a_mirrored_part_is_seen_in_part),
        cmocka_unit_test(R_001_016_what_is_beside_it_or_covered_is_not),
        cmocka_unit_test(R_001_016_what_is_mounted_in_a_directory_is_seen_elsewhere),
        cmocka_unit_test(R_001_015_a_name_that_must_not_be_is_listed_once_for_each_entry),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
