/* SPDX-License-Identifier: Apache-2.0 */
/* test_mcp.c: whatever a server does, a call has a clear end, and in time.
 *
 * usage: test_mcp HOSTILE_MCP
 */
#include <pthread.h>
#include <sys/eventfd.h>

#include "base/doc_make.h"
#include "base/json_write.h"
#include "contract/codes.h"
#include "servers.h"

/* ---- opening ---- */

static void both_eras_are_found_out(void **state)
{
    struct scene s;

    (void)state;
    open_server(&s, "good");
    assert_int_equal(mcp_era_of(s.m), MCP_LEGACY);
    assert_string_equal(mcp_version(s.m), "2025-11-25");
    assert_text(doc_text(mcp_server_info(s.m), "name"), "hostile");
    call(&s, LONG_MS);
    assert_int_equal(s.got.end, MCP_DONE);
    assert_text(said_text(&s.got), "good");
    end(&s);
    open_server(&s, "modern");
    assert_int_equal(mcp_era_of(s.m), MCP_MODERN);
    assert_string_equal(mcp_version(s.m), "2026-07-28");
    assert_null(mcp_server_info(s.m));
    call(&s, LONG_MS);
    assert_text(said_text(&s.got), "good");
    end(&s);
}

/* What was found out before is only where to begin. */
static void a_wrong_guess_of_the_era_does_no_harm(void **state)
{
    static const struct {
        const char *mode;
        enum mcp_era guess, found;
    } rows[] = {
        { "good", MCP_MODERN, MCP_LEGACY },
        { "good", MCP_LEGACY, MCP_LEGACY },
        { "modern", MCP_LEGACY, MCP_MODERN },
        { "modern", MCP_MODERN, MCP_MODERN },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scene s;

        start(&s, rows[i].mode);
        s.ask.era = rows[i].guess;
        assert_true(mcp_open(&s.ask, &s.m, &s.e));
        assert_int_equal(mcp_era_of(s.m), rows[i].found);
        end(&s);
    }
}

static void who_cannot_be_spoken_to_is_said(void **state)
{
    static const struct {
        const char *mode;
        int code;
        const char *words;
    } rows[] = {
        { "never", CODE_PEER_UNAVAILABLE, "hostile cannot be spoken to: no answer in 400 ms" },
        { "gone", CODE_PEER_UNAVAILABLE, "hostile cannot be spoken to: its output has ended" },
        { "other_version", CODE_PEER_PROTOCOL,
          "hostile cannot be spoken to: it speaks no version that is known here" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scene s;

        start(&s, rows[i].mode);
        s.ask.patience_ms = i == 0 ? SOON_MS : LONG_MS; /* who ends may take a while to do so */
        assert_false(mcp_open(&s.ask, &s.m, &s.e));
        assert_int_equal(s.e.code, rows[i].code);
        assert_string_equal(s.e.msg, rows[i].words);
        end(&s);
    }
}

static void who_does_not_know_the_question_is_asked_otherwise(void **state)
{
    struct scene s;

    (void)state;
    start(&s, "ignores_discover");
    s.ask.patience_ms = 3 * SOON_MS;
    assert_true(mcp_open(&s.ask, &s.m, &s.e));
    assert_int_equal(mcp_era_of(s.m), MCP_LEGACY);
    end(&s);
}

static void look_for_cancels(void *self, bool outwards, struct str message)
{
    bool *seen = self;

    for (int id = 1; outwards && id <= 2; id++) {
        char words[32];

        (void)snprintf(words, sizeof words, "\"requestId\":%d,", id);
        seen[id] |= memmem(message.s, message.n, words, strlen(words)) != NULL;
    }
}

/* The protocol says so. The question before it, which is the first, may be. */
static void initialize_is_never_called_off(void **state)
{
    bool seen[3] = { 0 };
    struct scene s;

    (void)state;
    start(&s, "never");
    s.ask.patience_ms = SOON_MS;
    s.ask.seen = look_for_cancels;
    s.ask.self = seen;
    assert_false(mcp_open(&s.ask, &s.m, &s.e));
    assert_true(seen[1]);
    assert_false(seen[2]);
    end(&s);
}

/* ---- one call ---- */

static void each_call_ends_as_what_it_was(void **state)
{
    static const struct {
        const char *mode;
        int64_t ms;
        enum mcp_end end;
        const char *words; /* NULL: the tool's good answer */
    } rows[] = {
        { "twice", LONG_MS, MCP_DONE, NULL },
        { "noise", LONG_MS, MCP_DONE, NULL },
        { "storm", LONG_MS, MCP_DONE, NULL },
        { "silent", SOON_MS, MCP_LATE, "no answer in time" },
        { "progress", SOON_MS, MCP_LATE, "no answer in time" },
        { "half", SOON_MS, MCP_LATE, "no answer in time" },
        { "zero_id", SOON_MS, MCP_GARBLED, "an answer to no request of ours" },
        { "noise_only", SOON_MS, MCP_GARBLED,
          "a line that is no message: 'Segmentation fault, or so'" },
        { "dies", LONG_MS, MCP_LOST, "its output ended in the middle of a message" },
        { "deep", LONG_MS, MCP_GARBLED,
          "document_depth is above 128: Lists and maps inside each other." },
        { "huge", LONG_MS, MCP_TOO_LARGE,
          "it sent a message above the ceiling of 4194304 bytes; ask for less" },
        { "null_id", LONG_MS, MCP_ERROR, "error -32700: what?" },
        { "fails", LONG_MS, MCP_ERROR, "error -32603: two lines [31m" },
        { "fails_mutely", LONG_MS, MCP_ERROR, "error -7: it does not say why" },
        { "mismatch", LONG_MS, MCP_GARBLED,
          "its structuredContent is not what its outputSchema says: /result/structuredContent/sum: "
          "'sum' must be a number, this is 'three'" },
        { "endless_pages", LONG_MS, MCP_GARBLED, "its list of tools has more than 100 pages" },
        { "same_page", LONG_MS, MCP_GARBLED, "its list of tools has the same page again" },
        { "modern_odd_result", LONG_MS, MCP_GARBLED, "a result of a type that is not known here" },
        { "modern_asks_again", LONG_MS, MCP_GARBLED, "it asks for more again and again" },
        { "modern_asks_sampling", LONG_MS, MCP_GARBLED,
          "it asks for 'sampling/createMessage', which it was not offered" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct scene s;

        open_server(&s, rows[i].mode);
        call(&s, rows[i].ms);
        if (s.got.end != rows[i].end ||
            (rows[i].words && strcmp(s.got.message, rows[i].words) != 0))
            fail_msg("%s: end %d, %s", rows[i].mode, (int)s.got.end,
                     s.got.message ? s.got.message : "");
        if (!rows[i].words)
            assert_text(said_text(&s.got), "good");
        end(&s);
    }
}

static void a_line_that_was_too_long_does_not_end_the_connection(void **state)
{
    struct scene s;

    (void)state;
    open_server(&s, "huge_once");
    call(&s, LONG_MS);
    assert_int_equal(s.got.end, MCP_TOO_LARGE);
    call(&s, LONG_MS);
    assert_int_equal(s.got.end, MCP_DONE);
    assert_text(said_text(&s.got), "good");
    end(&s);
}

static void a_server_that_asks_is_answered(void **state)
{
    static const struct {
        const char *mode, *reply;
    } rows[] = {
        { "asks_ping", "{\"id\":0,\"jsonrpc\":\"2.0\",\"result\":{}}" },
        { "asks_roots", "{\"id\":\"r\",\"jsonrpc\":\"2.0\",\"result\":{\"roots\":[{\"uri\":"
                        "\"file:///a%20b/%C3%A4\"}]}}" },
        { "asks_sampling", "{\"error\":{\"code\":-1,\"message\":\"there is no model here\"},"
                           "\"id\":5,\"jsonrpc\":\"2.0\"}" },
        { "asks_unknown", "{\"error\":{\"code\":-32601,\"message\":\"no such method here\"},"
                          "\"id\":5,\"jsonrpc\":\"2.0\"}" },
        { "asks_form", "{\"id\":5,\"jsonrpc\":\"2.0\",\"result\":{\"action\":\"accept\","
                       "\"content\":{\"n\":3}}}" },
        { "asks_secret", "{\"id\":5,\"jsonrpc\":\"2.0\",\"result\":{\"action\":\"decline\"}}" },
    };
    const struct str root = str_of("/a b/\xc3\xa4");

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        _buf_ struct buf found = { .max = 4096 };
        struct scene s;

        start(&s, rows[i].mode);
        s.ask.roots = &root;
        s.ask.root_count = 1;
        assert_true(mcp_open(&s.ask, &s.m, &s.e));
        call(&s, LONG_MS);
        assert_int_equal(s.got.end, MCP_DONE);
        json_canon(doc_get(s.got.result, "structuredContent"), &s.a, &found);
        assert_string_equal(found.s, rows[i].reply);
        assert_int_equal(s.got.filled, !!strstr(rows[i].reply, "accept"));
        assert_int_equal(s.got.declined, !!strstr(rows[i].reply, "decline"));
        end(&s);
    }
}

static void what_it_asks_for_is_sent_with_its_state_and_a_new_id(void **state)
{
    const struct doc *params, *sent;
    struct scene s;

    (void)state;
    open_server(&s, "modern_asks_once");
    call(&s, LONG_MS);
    assert_int_equal(s.got.end, MCP_DONE);
    sent = doc_get(s.got.result, "structuredContent");
    params = doc_get(sent, "params");
    assert_text(doc_text(params, "requestState"), "a \" b");
    assert_text(doc_text(doc_get(doc_get(params, "inputResponses"), "k"), "action"), "accept");
    assert_int_equal(
        doc_whole(doc_get(doc_get(doc_get(params, "inputResponses"), "k"), "content"), "n"), 3);
    assert_int_equal(doc_whole(sent, "id"), 4); /* 1 discover, 2 list, 3 the first round */
    assert_text(doc_text(doc_get(params, "_meta"), "io.modelcontextprotocol/protocolVersion"),
                "2026-07-28");
    end(&s);
}

/* Nothing is to be answered, only to be asked again: what is sent is whole JSON all the same. */
static void its_state_alone_is_sent_back(void **state)
{
    const struct doc *params;
    struct scene s;

    (void)state;
    open_server(&s, "modern_waits_once");
    call(&s, LONG_MS);
    assert_int_equal(s.got.end, MCP_DONE);
    params = doc_get(doc_get(s.got.result, "structuredContent"), "params");
    assert_text(doc_text(params, "requestState"), "a \" b");
    assert_null(doc_get(params, "inputResponses"));
    end(&s);
}

/* ---- tools ---- */

static void a_tool_that_changes_is_not_called(void **state)
{
    const struct doc *tools;
    char pinned[DIGEST_TEXT];
    struct digest digest;
    struct scene s;

    (void)state;
    open_server(&s, "rug");
    assert_true(mcp_tools(s.m, LONG_MS, -1, &s.a, &tools, &s.e));
    assert_int_equal(tools->count, 1);
    digest = mcp_tool_digest(tools->first, &s.a);
    digest_text(&digest, pinned);
    call_pinned(&s, "tool", str_of(pinned), LONG_MS);
    assert_int_equal(s.got.end, MCP_DONE);
    do /* it says that its tools have changed behind its answer */
        call_pinned(&s, "tool", str_of(pinned), LONG_MS);
    while (s.got.end == MCP_DONE);
    assert_int_equal(s.got.end, MCP_CHANGED);
    assert_null(s.got.result);
    end(&s);
}

static void a_tool_that_is_renamed_is_unknown(void **state)
{
    struct scene s;

    (void)state;
    open_server(&s, "renames");
    do
        call(&s, LONG_MS);
    while (s.got.end == MCP_DONE);
    assert_int_equal(s.got.end, MCP_UNKNOWN_TOOL);
    assert_string_equal(s.got.message, "hostile has no tool 'tool'");
    call_pinned(&s, "renamed", (struct str){ 0 }, LONG_MS);
    assert_int_equal(s.got.end, MCP_DONE);
    end(&s);
}

/* ---- several at once ---- */

struct caller {
    struct mcp *m;
    pthread_t thread;
    struct arena a;
    int64_t ms;
    int cancel;
    struct mcp_answer got;
};

static void *call_main(void *self)
{
    struct caller *c = self;
    struct mcp_call one = { .tool = str_of("tool"), .timeout_ms = c->ms, .cancel = c->cancel };
    struct error e;

    if (!mcp_call(c->m, &one, &c->a, &c->got, &e))
        c->got.end = MCP_GONE;
    return NULL;
}

static void call_at_once(struct scene *s, struct caller *callers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        callers[i] = (struct caller){ .m = s->m, .ms = LONG_MS, .cancel = -1 };
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call_main, &callers[i]), 0);
    }
    for (size_t i = 0; i < n; i++)
        assert_int_equal(pthread_join(callers[i].thread, NULL), 0);
}

static void answers_find_their_callers_whatever_their_order(void **state)
{
    enum { CALLERS = 8, ROUNDS = 20 };
    struct scene s;

    (void)state;
    open_server(&s, "overtaken");
    for (int round = 0; round < ROUNDS; round++) {
        struct caller callers[CALLERS];
        int later = 0;

        call_at_once(&s, callers, CALLERS);
        for (int i = 0; i < CALLERS; i++) {
            assert_int_equal(callers[i].got.end, MCP_DONE);
            later += str_is(said_text(&callers[i].got), "later");
            arena_free(&callers[i].a);
        }
        assert_int_equal(later, CALLERS / 2);
    }
    end(&s);
}

/* One reads for both; that it is called off, or has no time any more, is not the other's concern.
 */
static void who_leaves_leaves_the_reading_to_another(void **state)
{
    struct caller stays, leaves;
    struct scene s;

    (void)state;
    open_server(&s, "overtaken");
    leaves = (struct caller){ .m = s.m, .ms = LONG_MS, .cancel = eventfd(0, EFD_CLOEXEC) };
    assert_int_equal(pthread_create(&leaves.thread, NULL, call_main, &leaves), 0);
    assert_int_equal(eventfd_write(leaves.cancel, 1), 0);
    stays = (struct caller){ .m = s.m, .ms = LONG_MS, .cancel = -1 };
    assert_int_equal(pthread_create(&stays.thread, NULL, call_main, &stays), 0);
    assert_int_equal(pthread_join(leaves.thread, NULL), 0);
    assert_true(leaves.got.end == MCP_CANCELLED || leaves.got.end == MCP_DONE);
    do /* the server answers two at a time, and nobody knows who was heard when */
        call(&s, SOON_MS);
    while (pthread_tryjoin_np(stays.thread, NULL) != 0);
    assert_int_equal(stays.got.end, MCP_DONE);
    arena_free(&stays.a);
    arena_free(&leaves.a);
    (void)close(leaves.cancel);
    end(&s);
}

static void who_is_called_off_in_a_storm_leaves(void **state)
{
    struct caller caller;
    struct scene s;

    (void)state;
    open_server(&s, "progress");
    caller = (struct caller){ .m = s.m, .ms = LONG_MS, .cancel = eventfd(1, EFD_CLOEXEC) };
    assert_int_equal(pthread_create(&caller.thread, NULL, call_main, &caller), 0);
    assert_int_equal(pthread_join(caller.thread, NULL), 0);
    assert_int_equal(caller.got.end, MCP_CANCELLED);
    arena_free(&caller.a);
    (void)close(caller.cancel);
    end(&s);
}

/* More than a pipe holds waits to be read by who does not read. */
static void who_does_not_read_holds_up_nobody(void **state)
{
    enum { SIZE = 1 << 20 };
    struct scene s;
    struct doc *arguments;
    struct mcp_call one = { .tool = str_of("tool"), .timeout_ms = SOON_MS, .cancel = -1 };
    char *text = malloc(SIZE);

    (void)state;
    assert_non_null(text);
    memset(text, 'x', SIZE);
    open_server(&s, "deaf");
    arguments = doc_root(&s.a, DOC_MAP);
    doc_add_text(&s.a, arguments, "text", (struct str){ text, SIZE });
    one.arguments = arguments;
    for (int i = 0; i < 2; i++) {
        assert_true(mcp_call(s.m, &one, &s.a, &s.got, &s.e));
        assert_int_equal(s.got.end, MCP_LATE);
    }
    end(&s);
    free(text);
}

static void a_large_call_goes_through(void **state)
{
    enum { SIZE = 3 << 20 };
    struct scene s;
    struct doc *arguments;
    struct mcp_call one = { .tool = str_of("tool"), .timeout_ms = LONG_MS, .cancel = -1 };
    char *text = malloc(SIZE);

    (void)state;
    assert_non_null(text);
    memset(text, '\n', SIZE);
    open_server(&s, "good");
    arguments = doc_root(&s.a, DOC_MAP);
    doc_add_text(&s.a, arguments, "text", (struct str){ text, SIZE });
    one.arguments = arguments;
    assert_true(mcp_call(s.m, &one, &s.a, &s.got, &s.e));
    assert_int_equal(s.got.end, MCP_DONE);
    end(&s);
    free(text);
}

static void who_has_died_is_gone_for_every_call(void **state)
{
    struct scene s;

    (void)state;
    open_server(&s, "dies");
    for (int i = 0; i < 3; i++) {
        call(&s, LONG_MS);
        assert_int_equal(s.got.end, i ? MCP_GONE : MCP_LOST);
    }
    end(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_eras_are_found_out),
        cmocka_unit_test(a_wrong_guess_of_the_era_does_no_harm),
        cmocka_unit_test(who_cannot_be_spoken_to_is_said),
        cmocka_unit_test(who_does_not_know_the_question_is_asked_otherwise),
        cmocka_unit_test(initialize_is_never_called_off),
        cmocka_unit_test(each_call_ends_as_what_it_was),
        cmocka_unit_test(a_line_that_was_too_long_does_not_end_the_connection),
        cmocka_unit_test(a_server_that_asks_is_answered),
        cmocka_unit_test(what_it_asks_for_is_sent_with_its_state_and_a_new_id),
        cmocka_unit_test(its_state_alone_is_sent_back),
        cmocka_unit_test(a_tool_that_changes_is_not_called),
        cmocka_unit_test(a_tool_that_is_renamed_is_unknown),
        cmocka_unit_test(answers_find_their_callers_whatever_their_order),
        cmocka_unit_test(who_leaves_leaves_the_reading_to_another),
        cmocka_unit_test(who_is_called_off_in_a_storm_leaves),
        cmocka_unit_test(who_does_not_read_holds_up_nobody),
        cmocka_unit_test(a_large_call_goes_through),
        cmocka_unit_test(who_has_died_is_gone_for_every_call),
    };

    if (argc < 2)
        return 64;
    hostile = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
