/* SPDX-License-Identifier: Apache-2.0 */
/* test_kept_ipc.c: runs that share the ipc and the names of a berth tell each other nothing by
 * them.
 *
 * usage: test_kept_ipc [--user]    with it, as an ordinary user to whom groups were given
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kept_runs.h"

static void nothing_made_in_ipc_is_there_in_the_next_run(void **state)
{
    static const char *const makers[] = { "shmget(77, 4096, 0o1600)", "semget(77, 1, 0o1600)",
                                          "msgget(77, 0o1600)" };
    static const char *const finders[] = { "shmget(77, 4096, 0o600)", "semget(77, 1, 0o600)",
                                           "msgget(77, 0o600)" };
    static const char script[] =
        "python3 -c 'import ctypes; print(ctypes.CDLL(None).%s >= 0)' && readlink /proc/self/ns/ipc";

    (void)state;
    for (size_t i = 0; i < COUNT(makers); i++) {
        const char *made = printed(arena_printf(&r.a, script, makers[i]));
        const char *found = printed(arena_printf(&r.a, script, finders[i]));

        assert_memory_equal(made, "True\n", 5);
        assert_memory_equal(found, "False\n", 6);
        assert_string_not_equal(made + 5, found + 6);
    }
}

static void names_cannot_be_changed(void **state)
{
    (void)state;
    assert_string_equal(printed("python3 -c 'import ctypes; "
                                "print(ctypes.CDLL(None).sethostname(b\"other\", 5))'; uname -n"),
                        "-1\nwrit\n");
    assert_string_equal(printed("uname -n"), "writ\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_kept, end)

static int tests(void)
{
    const struct CMUnitTest list[] = {
        TEST(nothing_made_in_ipc_is_there_in_the_next_run),
        TEST(names_cannot_be_changed),
    };

    return cmocka_run_group_tests_name("kept_ipc", list, NULL, NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    return home_run(tests, argc > 1 ? SOME_USER : 0);
}
