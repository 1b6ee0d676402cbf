/* SPDX-License-Identifier: Apache-2.0 */
/* test_version.c: versions as Semantic Versioning 2.0.0 has them: read, ordered, in ranges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/version.h"

/* clang-format off */
/* Each older than the next. From the specification: 1.0.0-alpha .. 1.0.0, and 1.0.0 .. 2.1.1. */
static const char *const in_order[] = {
    "0.0.0-0", "0.0.0", "0.9.0",
    "1.0.0-0", "1.0.0-9", "1.0.0-10", "1.0.0--", "1.0.0-A", "1.0.0-a",
    "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
    "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0",
    "1.0.9", "1.0.10", "2.0.0", "2.1.0", "2.1.1", "10.0.0",
    "18446744073709551616.0.0", "99999999999999999999999999999.0.0",
};

static const char *const no_versions[] = {
    "", "1", "1.2", "1.2.3.4", "v1.2.3", "1.2.03", "01.2.3", "1.2.3-", "1.2.3-a..b", "1.2.3-01",
    "1.2.3-a.01", "1.2.3+", "1.2.3+a..b", "1.2.3+a+b", "1.2.3-a_b", "1.2.3-é", " 1.2.3", "1.2.3 ",
    "1.2.x", "-1.2.3", "1..3", "1.2.", "1.2-rc.3", "1.2.3-.", "1.2.3+a_b", "+a", "-a",
};
/* clang-format on */

static struct version version(const char *text)
{
    struct version v;

    if (!version_read(str_of(text), &v))
        fail_msg("'%s' was refused", text);
    return v;
}

static void versions_have_the_order_of_the_specification(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(in_order); i++)
        for (size_t j = 0; j < COUNT(in_order); j++) {
            struct version x = version(in_order[i]), y = version(in_order[j]);

            if (version_cmp(&x, &y) != (i > j) - (i < j))
                fail_msg("%s and %s: %d", in_order[i], in_order[j], version_cmp(&x, &y));
        }
}

static void the_build_does_not_count(void **state)
{
    struct version x = version("1.2.3-rc.1+001.a-b"), y = version("1.2.3-rc.1+sha.5114f85");
    struct version z = version("1.2.3+rc-1"), plain = version("1.2.3");

    (void)state;
    assert_int_equal(version_cmp(&x, &y), 0);
    assert_int_equal(version_cmp(&z, &plain), 0);
}

static void everything_else_is_no_version(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(no_versions); i++) {
        struct version v;

        if (version_read(str_of(no_versions[i]), &v))
            fail_msg("'%s' was read", no_versions[i]);
    }
}

static void ranges_hold_what_they_say(void **state)
{
    static const struct {
        const char *range, *in, *out; /* versions between blanks */
    } cases[] = {
        { ">=1.2.0 <2.0.0", "1.2.0 1.9.9 1.2.0+b", "1.1.9 2.0.0 2.0.0-rc.1 1.2.0-rc.1" },
        { "1.2.3", "1.2.3 1.2.3+b", "1.2.4 1.2.3-rc.1" },
        { "=1.2.3", "1.2.3", "1.2.2" },
        { ">1.2.3", "1.2.4 2.0.0", "1.2.3 1.2.4-rc.1" },
        { "<=1.2.3", "1.2.3 0.0.0", "1.2.4 1.2.3-rc.1" },
        { "> 1.2.3   <  1.3", "1.2.4", "1.3.0 1.2.3" },
        { "*", "0.0.0 9.9.9", "1.0.0-a" },
        { "1", "1.0.0 1.9.9", "0.9.9 2.0.0" },
        { "1.x", "1.0.0 1.9.9", "2.0.0" },
        { "1.2.X", "1.2.0 1.2.9", "1.3.0 1.1.9" },
        { "1.2.*", "1.2.0 1.2.9", "1.3.0" },
        { "1.x.x", "1.5.0", "2.0.0" },
        { ">1.2", "1.3.0 2.0.0", "1.2.0 1.2.9" },
        { ">=1.2", "1.2.0 1.3.0", "1.1.9" },
        { "<1.2", "1.1.9 0.0.1", "1.2.0" },
        { "<=1.2", "1.2.9 1.1.0", "1.3.0" },
        { "^1.2.3", "1.2.3 1.9.0", "1.2.2 2.0.0 2.0.0-rc.1 1.3.0-rc.1" },
        { "^0.2.3", "0.2.3 0.2.9", "0.3.0 0.2.2 1.0.0" },
        { "^0.0.3", "0.0.3", "0.0.4 0.0.2" },
        { "^0.0.0", "0.0.0", "0.0.1" },
        { "^1.2", "1.2.0 1.9.0", "1.1.9 2.0.0" },
        { "^0.0", "0.0.0 0.0.9", "0.1.0" },
        { "^0", "0.0.0 0.9.0", "1.0.0" },
        { "^1.x", "1.0.0 1.9.9", "2.0.0" },
        { "^1.2.3-beta.2", "1.2.3-beta.2 1.2.3-beta.4 1.2.3 1.9.0", "1.2.3-beta.1 1.2.4-beta.2" },
        { "~1.2.3", "1.2.3 1.2.9", "1.3.0 1.2.2" },
        { "~1.2", "1.2.0 1.2.9", "1.3.0 1.1.9" },
        { "~1", "1.0.0 1.9.9", "2.0.0 0.9.9" },
        { "~1.2.3-rc.1", "1.2.3-rc.1 1.2.3-rc.2 1.2.9", "1.3.0 1.2.4-rc.1" },
        { "<1.0.0 || >=2.0.0", "0.9.9 2.0.0 3.1.0", "1.0.0 1.9.9" },
        { "1||3", "1.0.0 3.9.9", "2.0.0" },
        { ">=1.0.0-rc.1 <1.0.0 || 2.x", "1.0.0-rc.1 1.0.0-rc.9 2.2.2", "1.0.0 1.1.0-rc.1 3.0.0" },
        { "<99999999999999999999", "18446744073709551616.0.0", "99999999999999999999.0.0" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        const struct version_range *range;
        struct error e = { 0 };

        if (!version_range_read(str_of(cases[i].range), &a, &range, &e))
            fail_msg("%s: %s", cases[i].range, e.msg);
        for (int in = 0; in < 2; in++) {
            char *rest = arena_text(&a, str_of(in ? cases[i].in : cases[i].out)), *one;

            while ((one = strsep(&rest, " "))) {
                struct version v = version(one);

                if (version_in(&v, range) != (in == 1))
                    fail_msg("%s in %s: %d", one, cases[i].range, !in);
            }
        }
    }
}

static void what_is_no_range_is_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "", "'' has no comparison in it; '*' is any version" },
        { "  ", "'  ' has no comparison in it; '*' is any version" },
        { "1 ||", "'1 ||' has no comparison behind ||; '*' is any version" },
        { "|| 1", "'||' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
        { "1 | 2", "'|' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
        { "1 || || 2", "'||' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
        { ">=", "'>=' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
        { "=>1.2.3", "'=>1.2.3' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
        { ">>1", "'>>1' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
        { "~>1.2", "'~>1.2' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
        { "1.2.3 - 2.0.0", "'-' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
        { "x.1", "'x.1' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
        { "1.x.3", "'1.x.3' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
        { "1.2.3.4", "'1.2.3.4' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
        { "1.2.x.x", "'1.2.x.x' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
        { "01", "'01' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
        { "1.", "'1.' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
        { "1.2-rc.1", "'1.2-rc.1' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
        { "v1", "'v1' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
        { "latest", "'latest' is not a comparison such as >=1.2.0, ^1.2 or 1.x" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        _arena_ struct arena a = { 0 };
        const struct version_range *range = NULL;
        struct error e = { 0 };

        if (version_range_read(str_of(cases[i].text), &a, &range, &e))
            fail_msg("'%s' was read", cases[i].text);
        assert_string_equal(e.msg, cases[i].says);
        assert_null(range);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_have_the_order_of_the_specification),
        cmocka_unit_test(the_build_does_not_count),
        cmocka_unit_test(everything_else_is_no_version),
        cmocka_unit_test(ranges_hold_what_they_say),
        cmocka_unit_test(what_is_no_range_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
