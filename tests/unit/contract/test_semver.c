/* SPDX-License-Identifier: Apache-2.0 */
/* test_semver.c: versions are read strictly and ordered by number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/semver.h"

/* Each row older than the next. */
static const struct {
    const char *text;
    struct semver v;
} in_order[] = {
    { "0.0.0", { 0, 0, 0 } },
    { "0.0.1", { 0, 0, 1 } },
    { "0.0.10", { 0, 0, 10 } },
    { "0.2.0", { 0, 2, 0 } },
    { "0.10.0", { 0, 10, 0 } },
    { "1.0.0", { 1, 0, 0 } },
    { "1.0.4294967295", { 1, 0, UINT32_MAX } },
    { "1.2.3", { 1, 2, 3 } },
    { "2.0.0", { 2, 0, 0 } },
    { "10.0.0", { 10, 0, 0 } },
    { "4294967295.4294967295.4294967295", { UINT32_MAX, UINT32_MAX, UINT32_MAX } },
};

/* clang-format off */
static const char *const no_versions[] = {
    "", "1", "1.2", "1.2.", "1..3", ".2.3", "..", "1.2.3.", "1.2.3.4", "v1.2.3",
    "01.2.3", "1.02.3", "1.2.03", "1.2.00", "-1.2.3", "1.-2.3", "1.2.-0", "+1.2.3",
    "1.2.x", "1.2.3-rc.1", "1.2.3+b", " 1.2.3", "1.2.3 ", "1. 2.3", "1,2,3",
    "4294967296.0.0", "0.4294967296.0", "0.0.4294967296", "0.0.18446744073709551616",
};
/* clang-format on */

static void versions_are_read_and_ordered(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(in_order); i++) {
        struct semver v = { 9, 9, 9 };

        assert_true(semver_read(str_of(in_order[i].text), &v));
        for (size_t j = 0; j < COUNT(in_order); j++)
            assert_int_equal(semver_cmp(&v, &in_order[j].v), (i > j) - (i < j));
    }
}

static void everything_else_is_no_version(void **state)
{
    struct semver v = { 9, 9, 9 };

    (void)state;
    for (size_t i = 0; i < COUNT(no_versions); i++) {
        if (semver_read(str_of(no_versions[i]), &v))
            fail_msg("'%s' was read", no_versions[i]);
    }
    assert_false(semver_read((struct str){ 0 }, &v));
    assert_false(semver_read((struct str){ "1.2.3\0", 6 }, &v));
    assert_true(v.major == 9 && v.minor == 9 && v.patch == 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_are_read_and_ordered),
        cmocka_unit_test(everything_else_is_no_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
