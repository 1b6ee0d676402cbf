/* SPDX-License-Identifier: Apache-2.0 */
/* test_mcp_memory.c: however much a server sends, or leaves unread, what is kept is bounded, and
 * who calls off is heard.
 *
 * usage: test_mcp_memory HOSTILE_MCP
 */
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/doc_make.h"
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

/* Blank lines, of which there is always one more to read until they end: whoever waits until there
 * is nothing to read before he looks whether he was called off finds that the server has ended. */
static int blank_lines(void)
{
    enum { BYTES = 16 << 20, PIECE = 1 << 20 };
    int fd = memfd_create("blanks", MFD_CLOEXEC);
    char *piece = malloc(PIECE);

    assert_true(fd >= 0);
    assert_non_null(piece);
    memset(piece, '\n', PIECE);
    for (int i = 0; i < BYTES / PIECE; i++)
        assert_int_equal(pwrite(fd, piece, PIECE, (off_t)i * PIECE), PIECE);
    free(piece);
    return fd;
}

static void a_cancel_is_heard_while_a_server_says_nothing_without_end(void **state)
{
    struct mcp_call one = { .tool = str_of("tool"), .timeout_ms = LONG_MS };
    int blanks = blank_lines();
    struct scene s;

    (void)state;
    open_server(&s, "good");
    call(&s, LONG_MS);
    assert_int_equal(s.got.end, MCP_DONE);
    assert_true(dup3(blanks, s.ask.in, O_CLOEXEC) >= 0);
    one.cancel = eventfd(1, EFD_CLOEXEC);
    assert_true(mcp_call(s.m, &one, &s.a, &s.got, &s.e));
    assert_int_equal(s.got.end, MCP_CANCELLED);
    (void)close(one.cancel);
    (void)close(blanks);
    end(&s);
}

/* Of 90 MiB in all something always waits, but never more than a few. */
static void a_server_that_reads_slowly_may_be_sent_any_amount(void **state)
{
    enum { SIZE = 3 << 20, CALLS = 30 };
    struct mcp_call one = { .tool = str_of("tool"), .timeout_ms = LONG_MS, .cancel = -1 };
    struct scene s;
    struct doc *arguments;
    char *text = malloc(SIZE);

    (void)state;
    assert_non_null(text);
    memset(text, 'x', SIZE);
    open_server(&s, "lags");
    arguments = doc_root(&s.a, DOC_MAP);
    doc_add_text(&s.a, arguments, "text", (struct str){ text, SIZE });
    one.arguments = arguments;
    for (int i = 0; i < CALLS; i++) {
        assert_true(mcp_call(s.m, &one, &s.a, &s.got, &s.e));
        if (s.got.end != MCP_DONE)
            fail_msg("call %d: %s", i, s.got.message);
    }
    end(&s);
    free(text);
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
        cmocka_unit_test(a_cancel_is_heard_while_a_server_says_nothing_without_end),
        cmocka_unit_test(a_server_that_reads_slowly_may_be_sent_any_amount),
        cmocka_unit_test(a_list_of_tools_has_a_ceiling_whatever_is_in_its_pages),
        cmocka_unit_test(the_tools_of_every_page_are_there),
    };

    if (argc < 2)
        return 64;
    hostile = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
