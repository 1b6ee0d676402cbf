/* SPDX-License-Identifier: Apache-2.0 */
/* test_submounts.c: which mounts show files, by the kernel's list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sandbox/submounts.h"

/* "device point" of each disk that is seen, in order. */
static void are(const char *list, const char *const *wanted)
{
    _arena_ struct arena a = { 0 };
    struct submounts all = submounts_of(str_of(list), &a);

    for (size_t i = 0; i < all.disk_count; i++) {
        if (!wanted[i])
            fail_msg("%s is not seen", all.disks[i].point);
        assert_string_equal(arena_printf(&a, "%s %s", all.disks[i].device, all.disks[i].point),
                            wanted[i]);
    }
    assert_null(wanted[all.disk_count]);
}

static const char root[] = "20 1 8:1 / / rw - ext4 disk rw\n";

static void disks_are_seen_where_nothing_lies_on_them(void **state)
{
    _arena_ struct arena a = { 0 };

    (void)state;
    are(root, (const char *const[]){ "8:1 /", NULL });
    are(arena_printf(&a, "%s%s", root,
                     "21 20 0:5 / /dev rw - devtmpfs dev rw\n"
                     "22 21 0:6 / /dev/shm rw - tmpfs shm rw\n"
                     "23 20 8:2 / /a rw - ext4 disk rw\n"
                     "24 20 8:3 / /a-b rw - ext4 disk rw\n"
                     "25 23 8:4 / /a/sub rw - ext4 disk rw\n"),
        (const char *const[]){ "8:1 /", "0:6 /dev/shm", "8:2 /a", "8:3 /a-b", "8:4 /a/sub", NULL });
}

static void R_001_016_what_a_mount_around_it_covers_is_not_seen(void **state)
{
    _arena_ struct arena a = { 0 };

    (void)state;
    are(arena_printf(&a, "%s%s", root,
                     "21 20 8:2 / /a/sub rw - ext4 disk rw\n"
                     "22 21 8:3 / /a/sub/deep rw - ext4 disk rw\n"
                     "23 20 8:4 / /a-b rw - ext4 disk rw\n"
                     "24 20 8:5 / /a rw - ext4 disk rw\n"),
        (const char *const[]){ "8:1 /", "8:4 /a-b", "8:5 /a", NULL });
    /* What shows the kernel covers, too. */
    are(arena_printf(&a, "%s%s", root,
                     "21 20 8:2 / /a/sub rw - ext4 disk rw\n"
                     "22 20 0:5 / /a rw - proc proc rw\n"),
        (const char *const[]){ "8:1 /", NULL });
    /* The first of all is on itself. */
    are("1 1 0:2 / / rw - rootfs rootfs rw\n2 1 8:2 / /a rw - ext4 disk rw\n",
        (const char *const[]){ "0:2 /", "8:2 /a", NULL });
}

static void R_001_016_of_two_at_one_place_the_upper_one_is_seen(void **state)
{
    _arena_ struct arena a = { 0 };

    (void)state;
    are(arena_printf(&a, "%s%s", root,
                     "21 20 8:2 / /a rw - ext4 disk rw\n"
                     "22 21 8:3 / /a/sub rw - ext4 disk rw\n"
                     "23 21 8:4 / /a rw - ext4 disk rw\n"),
        (const char *const[]){ "8:1 /", "8:4 /a", NULL });
}

/* The list has them in the order in which they were made. */
static void R_001_016_what_was_moved_into_a_later_one_is_seen(void **state)
{
    _arena_ struct arena a = { 0 };

    (void)state;
    are(arena_printf(&a, "%s%s", root,
                     "21 22 8:2 / /a/sub rw - ext4 disk rw\n"
                     "22 20 8:3 / /a rw - ext4 disk rw\n"),
        (const char *const[]){ "8:1 /", "8:2 /a/sub", "8:3 /a", NULL });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disks_are_seen_where_nothing_lies_on_them),
        cmocka_unit_test(R_001_016_what_a_mount_around_it_covers_is_not_seen),
        cmocka_unit_test(R_001_016_of_two_at_one_place_the_upper_one_is_seen),
        cmocka_unit_test(R_001_016_what_was_moved_into_a_later_one_is_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
