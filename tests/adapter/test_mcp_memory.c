/* SPDX-License-Identifier: Apache-2.0 */
/* test_mcp_memory.c: however much a server sends, what is kept of it is bounded.
 *
 * usage: test_mcp_memory HOSTILE_MCP
 */
#include <sys/resource.h>

#include "contract/codes.h"
#include "sanitized.h"
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
    assert_true(SANITIZED || most_kib() - before < GROWS_KIB);
    end(&s);
}

static void a_list_of_tools_has_a_ceiling_whatever_is_in_its_pages(void **state)
{
    struct scene s;
    long before;

    (void)state;
    open_server(&s, "heavy_pages");
    before = most_kib();
    call(&s, LONG_MS);
    assert_int_equal(s.got.end, MCP_GARBLED);
    assert_string_equal(s.got.message, "its list of tools has more than 16 MiB");
    assert_true(SANITIZED || most_kib() - before < GROWS_KIB);
    end(&s);
}

/* A page is let go of; what it said of a tool is not. */
static void the_tools_of_every_page_are_there(void **state)
{
    const struct doc *tools;
    struct scene s;

    (void)state;
    open_server(&s, "two_pages");
    assert_true(mcp_tools(s.m, LONG_MS, -1, &s.a, &tools, &s.e));
    assert_int_equal(tools->count, 2);
    assert_text(doc_text(tools->first, "name"), "other");
    assert_text(doc_text(tools->last, "name"), "tool");
    assert_text(doc_text(tools->last, "description"), "does good");
    call(&s, LONG_MS);
    assert_text(said_text(&s.got), "good");
    call_pinned(&s, "other", (struct str){ 0 }, LONG_MS);
    assert_int_equal(s.got.end, MCP_GARBLED);
    assert_string_equal(s.got.message, "it has an outputSchema, and gave no structuredContent");
    end(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_say_nothing_take_no_memory),
        cmocka_unit_test(a_list_of_tools_has_a_ceiling_whatever_is_in_its_pages),
        cmocka_unit_test(the_tools_of_every_page_are_there),
    };

    if (argc < 2)
        return 64;
    hostile = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
