/* SPDX-License-Identifier: Apache-2.0 */
/* test_mcp_memory.c: however much a server sends, what is kept of it is bounded.
 *
 * usage: test_mcp_memory HOSTILE_MCP
 */
#include <sys/resource.h>

#include "contract/codes.h"
#include "servers.h"

enum { GROWS_KIB = 64 << 10 }; /* at most, while a server sends several times that */

static long most_kib(void)
{
    struct rusage used;

    assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
    return used.ru_maxrss;
}

static void lines_that_say_nothing_take_no_memory(void **state)
{
    struct scene s;
    long before;

    (void)state;
    open_server(&s, "blanks");
    before = most_kib();
    call(&s, LONG_MS);
    assert_int_equal(s.got.end, MCP_DONE);
    assert_text(said_text(&s.got), "good");
    assert_true(most_kib() - before < GROWS_KIB);
    end(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_say_nothing_take_no_memory),
    };

    if (argc < 2)
        return 64;
    hostile = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
