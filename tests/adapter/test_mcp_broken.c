/* SPDX-License-Identifier: Apache-2.0 */
/* test_mcp_broken.c: an answer that is none ends the call that it names, at once.
 *
 * usage: test_mcp_broken HOSTILE_MCP
 */
#include <pthread.h>

#include "servers.h"

enum { HOUR_MS = 3600 * 1000 }; /* which no test waits out */

static void a_broken_answer_is_told_at_once(void **state)
{
    static const struct {
        const char *mode;
        const char *words;
    } rows[] = {
        { "bare", "an answer that has not either a result or an error" },
        { "both", "an answer that has not either a result or an error" },
        { "text_result", "an answer whose result is not an object" },
        { "no_version", "JSON that is not of JSON-RPC 2.0" },
        { "text_id", "an answer whose id is a text, where ours is a number" },
        { "real_id", "an id that is neither a text nor a whole number" },
        { "batch", "a batch, which MCP does not have" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scene s;

        open_server(&s, rows[i].mode);
        call(&s, HOUR_MS);
        if (s.got.end != MCP_GARBLED || strcmp(s.got.message, rows[i].words) != 0)
            fail_msg("%s: %d, %s", rows[i].mode, (int)s.got.end, s.got.message);
        end(&s);
    }
}

struct caller {
    pthread_t thread;
    struct arena a;
    struct mcp *m;
    struct mcp_answer got;
};

static void *call_main(void *self)
{
    struct mcp_call call = { .tool = str_of("tool"), .timeout_ms = HOUR_MS, .cancel = -1 };
    struct caller *c = self;
    struct error e;

    (void)!mcp_call(c->m, &call, &c->a, &c->got, &e);
    return NULL;
}

/* Whichever of them the server heard first; the other's answer is as good as it was. */
static void it_ends_no_other_call(void **state)
{
    struct caller callers[2];
    struct scene s;
    size_t broken;

    (void)state;
    open_server(&s, "bare_once");
    for (size_t i = 0; i < COUNT(callers); i++) {
        callers[i] = (struct caller){ .m = s.m };
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call_main, &callers[i]), 0);
    }
    for (size_t i = 0; i < COUNT(callers); i++)
        assert_int_equal(pthread_join(callers[i].thread, NULL), 0);
    broken = callers[0].got.end == MCP_GARBLED ? 0 : 1;
    assert_int_equal(callers[broken].got.end, MCP_GARBLED);
    assert_int_equal(callers[1 - broken].got.end, MCP_DONE);
    for (size_t i = 0; i < COUNT(callers); i++)
        arena_free(&callers[i].a);
    end(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broken_answer_is_told_at_once),
        cmocka_unit_test(it_ends_no_other_call),
    };

    if (argc < 2)
        return 64;
    hostile = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
