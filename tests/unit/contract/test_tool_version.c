/* SPDX-License-Identifier: Apache-2.0 */
/* test_tool_version.c: the version that is wanted and the one that was found (R-001-159, A01-17).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/own.h"
#include "contract/tool_version.h"

static void R_001_159_a_version_pins_and_a_plus_means_at_least(void **state)
{
    static const struct {
        const char *wanted, *found;
        bool fits;
    } rows[] = {
        { "", "", true },
        { "", "13.0.0", true },
        { "13", "", false },
        { "13", "unknown", false },
        { "13+", "13.0.0", true },
        { "13+", "14.1.1", true },
        { "13+", "12.9.9", false },
        { "13+", "9.1", false },
        { "13", "13.0.0", true },
        { "13", "13.9", true },
        { "13", "14.0.0", false },
        { "13", "12.0", false },
        { "13.0", "13.0.7", true },
        { "13.0", "13.1.0", false },
        { "13.0.0", "13.0", true },
        { "13.0.1", "13.0", false },
        { "13.0.1", "13.0.1", true },
        { "13.0.1", "13.0.2", false },
        { "1.9+", "1.10.0", true },
        { "1.10+", "1.9.9", false },
        { "1.2.3+", "1.2.3", true },
        { "1.2.3+", "1.2.2", false },
        { "1.2.3+", "1.3", true },
        { "1.2.3+", "2", true },
        { "2.39+", "2.39.5-0+deb12u1", true },
        { "007", "7.0", true },
        { "99999999999999999999998+", "99999999999999999999999.1", true },
        { "99999999999999999999999+", "99999999999999999999998.1", false },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (tool_version_fits(str_of(rows[i].wanted), str_of(rows[i].found)) != rows[i].fits)
            fail_msg("'%s' wanted, '%s' found", rows[i].wanted, rows[i].found);
}

static void R_001_159_a_tool_says_its_version_somewhere(void **state)
{
    static const struct {
        const char *printed, *version;
    } rows[] = {
        { "ripgrep 13.0.0 (rev af6b6c543b)\n", "13.0.0" },
        { "git version 2.39.5\n", "2.39.5" },
        { "jq-1.6\n", "1.6" },
        { "Python 3.11.2\n", "3.11.2" },
        { "wc (GNU coreutils) 9.1\nCopyright (C) 2022", "9.1" },
        { "v22.1.0", "22.1.0" },
        { "tool 7, build 8.1", "8.1" },
        { "1.2.3.4", "1.2.3" },
        { "5.", "" },
        { "a.b .5 12", "" },
        { "", "" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct str found = tool_version_in(str_of(rows[i].printed));

        if (!str_is(found, rows[i].version))
            fail_msg("'%.*s' in '%s'", STR_ARG(found), rows[i].printed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_001_159_a_version_pins_and_a_plus_means_at_least),
        cmocka_unit_test(R_001_159_a_tool_says_its_version_somewhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
