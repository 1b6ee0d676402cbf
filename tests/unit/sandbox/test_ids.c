/* SPDX-License-Identifier: Apache-2.0 */
/* test_ids.c: which number a command gets where not all are mapped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sandbox/ids.h"

enum { WANTED = 2000000007, NONE = 0 };

static void a_number_is_chosen_that_is_mapped_and_not_ours(void **state)
{
    static const struct {
        const char *map;
        uint32_t ours, chosen;
    } cases[] = {
        { "         0          0 4294967295\n", 0, WANTED },
        { "         0     100000      65536\n", 0, 65533 }, /* as podman does it */
        { "         0       1000          1\n         1     100000      65536\n", 0, 65533 },
        { "         0       1000          1\n     65534     100000          1\n", 0, 65534 },
        { "         0       1000          1\n       500     100000         10\n", 0, 509 },
        { "       500     100000         10\n         0       1000          1\n", 509, 508 },
        { "         0       1000          2\n", 0, 1 },
        { "         0       1000          2\n", 1, 0 },
        { "         0          0          1\n2000000000     100000      65536\n", 0, WANTED },
        { "     70000     100000         10\n", 0, NONE }, /* above all that have a meaning */
        { "         0       1000          1\n", 0, NONE },
        { "     65534          0          1\n", 65534, NONE },
        { "", 0, NONE },
        { "no numbers\n", 0, NONE },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t got = 12345;
        bool found = ids_choose(str_of(cases[i].map), WANTED, cases[i].ours, &got);

        if (found != (cases[i].chosen != NONE || cases[i].ours == 1))
            fail_msg("'%s': %s", cases[i].map, found ? "found" : "not found");
        if (got != (found ? cases[i].chosen : 12345))
            fail_msg("'%s': %u", cases[i].map, got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_chosen_that_is_mapped_and_not_ours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
