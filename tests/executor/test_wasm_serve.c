/* SPDX-License-Identifier: Apache-2.0 */
/* test_wasm_serve.c: compiled modules behind walls: one call never meets another, and whatever a
 * module does ends as one of the ends a call has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compilers.h"
#include "jail.h"

static struct arena arena;

struct row {
    char act;
    enum call_end end;
    const char *output, *about;
};

static void check(const struct jail *jail, const struct row *row)
{
    char payload[] = { '"', row->act, '"' };
    const char *output = NULL;
    int end = jail_ask(jail, (struct str){ payload, 3 }, &arena, &output);

    if (end != (int)row->end)
        fail_msg("%s: ended as %d, expected %d", row->about, end, row->end);
    assert_string_equal(output, row->output);
}

static struct jail start(const char *name)
{
    const char *object = object_of(name, &arena);

    assert_non_null(object);
    return jail_start(&wasm_service, object, 0);
}

static void payload_in_output_out(void **state)
{
    static const struct row rows[] = {
        { 'a', CALL_OUTPUT, "\"a\"", "echo" },
        { 'b', CALL_NO_OUTPUT, "", "nothing" },
        { 'y', CALL_OUTPUT, "{oops", "no JSON: for the pipeline to refuse" },
    };
    struct jail jail = start("acts");

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check(&jail, &rows[i]);
    assert_int_equal(jail_end(&jail), 0);
}

static void R_003_039_nothing_of_one_call_is_seen_by_the_next(void **state)
{
    static const struct row rows[] = {
        { 'c', CALL_OUTPUT, "\"fresh\"", "global" },
        { 'd', CALL_OUTPUT, "\"fresh\"", "memory" },
        { 'e', CALL_OUTPUT, "\"fresh\"", "data" },
        { 'f', CALL_OUTPUT, "\"fresh\"", "grown memory" },
        { 'g', CALL_OUTPUT, "\"fresh\"", "element of a table" },
        { 'h', CALL_OUTPUT, "\"fresh\"", "grown table" },
        { 'i', CALL_OUTPUT, "\"fresh\"", "dropped segment" },
        { 't', CALL_OUTPUT, "\"fresh\"", "all memory used" },
    };
    struct jail jail = start("acts");

    (void)state;
    for (int turn = 0; turn < 3; turn++)
        for (size_t i = 0; i < COUNT(rows); i++)
            check(&jail, &rows[i]);
    assert_int_equal(jail_end(&jail), 0);
}

static void all_of_a_large_memory_is_put_back(void **state)
{
    struct jail jail = start("large");

    (void)state;
    for (int turn = 0; turn < 3; turn++)
        check(&jail, &(struct row){ 'a', CALL_OUTPUT, "\"fresh\"", "large" });
    assert_int_equal(jail_end(&jail), 0);
}

static void what_the_start_function_did_is_fresh(void **state)
{
    struct jail jail = start("starts");

    (void)state;
    for (int turn = 0; turn < 3; turn++)
        check(&jail, &(struct row){ 'a', CALL_OUTPUT, "8", "starts" });
    assert_int_equal(jail_end(&jail), 0);
}

static void a_start_that_traps_is_an_exception_each_time(void **state)
{
    struct jail jail = start("start_traps");

    (void)state;
    for (int turn = 0; turn < 3; turn++)
        check(&jail, &(struct row){ 'a', CALL_EXCEPTION, "", "start" });
    assert_int_equal(jail_end(&jail), 0);
}

/* Each is followed by a good call: the worker goes on. */
static void R_003_024_a_trap_is_an_exception(void **state)
{
    static const struct row rows[] = {
        { 'j', CALL_EXCEPTION, "", "unreachable" },
        { 'k', CALL_EXCEPTION, "", "division by zero" },
        { 'l', CALL_EXCEPTION, "", "division overflows" },
        { 'm', CALL_EXCEPTION, "", "load across the end" },
        { 'n', CALL_EXCEPTION, "", "store far outside" },
        { 'o', CALL_EXCEPTION, "", "NaN to integer" },
        { 'p', CALL_EXCEPTION, "", "call of null" },
        { 'q', CALL_EXCEPTION, "", "call of another type" },
        { 'r', CALL_EXCEPTION, "", "endless recursion" },
        { 'u', CALL_EXCEPTION, "", "output across the end" },
        { 'v', CALL_EXCEPTION, "", "output of 1 GiB" },
        { 'w', CALL_EXCEPTION, "", "output is no UTF-8" },
        { 'x', CALL_EXCEPTION, "", "output of no bytes" },
        { 'z', CALL_EXCEPTION, "", "fill across the end" },
        { '{', CALL_EXCEPTION, "", "no such act: element outside of the table" },
        { 'A', CALL_EXCEPTION, "", "no such act: element far outside" },
    };
    struct jail jail = start("acts");

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        check(&jail, &rows[i]);
        check(&jail, &(struct row){ 'c', CALL_OUTPUT, "\"fresh\"", rows[i].about });
    }
    assert_int_equal(jail_end(&jail), 0);
}

static void a_payload_without_room_is_an_exception(void **state)
{
    struct jail jail = start("acts");
    char *long_text = arena_alloc(&arena, 40002);
    const char *output;

    (void)state;
    memset(long_text, 'a', 40001);
    assert_int_equal(jail_ask(&jail, (struct str){ long_text, 40001 }, &arena, &output),
                     CALL_EXCEPTION);
    assert_int_equal(jail_end(&jail), 0);
}

/* The jail takes 20,000 bytes. */
static void output_above_the_limit_is_a_limit(void **state)
{
    struct jail jail = start("acts");
    char *long_text = arena_alloc(&arena, 40000);
    const char *output;

    (void)state;
    memset(long_text, 'a', 40000);
    assert_int_equal(jail_ask(&jail, (struct str){ long_text, 20000 }, &arena, &output),
                     CALL_OUTPUT);
    assert_int_equal(strlen(output), 20000);
    assert_int_equal(jail_ask(&jail, (struct str){ long_text, 20001 }, &arena, &output),
                     CALL_LIMIT);
    check(&jail, &(struct row){ 'a', CALL_OUTPUT, "\"a\"", "after the limit" });
    assert_int_equal(jail_end(&jail), 0);
}

static void an_endless_loop_can_be_ended_from_outside(void **state)
{
    struct jail jail = start("acts");
    int status = 0;

    (void)state;
    check(&jail, &(struct row){ 'a', CALL_OUTPUT, "\"a\"", "it serves" });
    assert_int_equal(send(jail.socket, "\"s\"", 3, MSG_NOSIGNAL), 3);
    assert_int_equal(kill(jail.pid, SIGKILL), 0);
    status = jail_end(&jail);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* 80 pages are 5 MiB: with less room than that it says so before the first call. */
static void memory_is_reserved_before_the_first_call(void **state)
{
    const char *object = object_of("large", &arena), *output;
    struct jail jail;

    (void)state;
    if (JAIL_OPEN)
        skip();
    jail = jail_start(&wasm_service, object, 4 << 20);
    assert_int_equal(jail_ask(&jail, str_of("1"), &arena, &output), JAIL_DEAD);
    assert_int_equal(WEXITSTATUS(jail_end(&jail)), 2);
}

static void floats_are_rounded_as_written(void **state)
{
    struct jail jail = start("floats");

    (void)state;
    check(&jail, &(struct row){ 'a', CALL_OUTPUT, "0", "rounded twice" });
    assert_int_equal(jail_end(&jail), 0);
}

/* docs/executors.md; needs clang with a linker for wasm. */
static void the_example_counts_words(void **state)
{
    static const struct {
        const char *payload;
        enum call_end end;
        const char *output;
    } rows[] = {
        { "{\"text\":\"to be or not to be\"}", CALL_OUTPUT, "{\"words\":6}" },
        { "{\"text\":\"one\\ntwo\\tthree \\\"4\\\"\"}", CALL_OUTPUT, "{\"words\":4}" },
        { "{\"text\":\"\"}", CALL_OUTPUT, "{\"words\":0}" },
        { "{\"test\":\"a\"}", CALL_EXCEPTION, "" },
        { "1", CALL_EXCEPTION, "" },
    };
    struct jail jail;

    (void)state;
    if (access(WASM_MODULES "/word_count.wasm", R_OK) != 0)
        skip();
    jail = start("word_count");
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *output;

        assert_int_equal(jail_ask(&jail, str_of(rows[i].payload), &arena, &output), rows[i].end);
        assert_string_equal(output, rows[i].output);
    }
    assert_int_equal(jail_end(&jail), 0);
}

static void what_is_no_executor_is_not_opened(void **state)
{
    struct error e = { 0 };

    (void)state;
    assert_false(wasm_service.open("/nonexistent.so", &e));
    assert_non_null(strstr(e.msg, "cannot be loaded"));
    assert_false(wasm_service.open("libm.so.6", &e));
    assert_non_null(strstr(e.msg, "is no executor"));
}

static int clean(void **state)
{
    arena_free(&arena);
    return remove_cache(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(payload_in_output_out),
        cmocka_unit_test(R_003_039_nothing_of_one_call_is_seen_by_the_next),
        cmocka_unit_test(all_of_a_large_memory_is_put_back),
        cmocka_unit_test(what_the_start_function_did_is_fresh),
        cmocka_unit_test(a_start_that_traps_is_an_exception_each_time),
        cmocka_unit_test(R_003_024_a_trap_is_an_exception),
        cmocka_unit_test(a_payload_without_room_is_an_exception),
        cmocka_unit_test(output_above_the_limit_is_a_limit),
        cmocka_unit_test(an_endless_loop_can_be_ended_from_outside),
        cmocka_unit_test(memory_is_reserved_before_the_first_call),
        cmocka_unit_test(floats_are_rounded_as_written),
        cmocka_unit_test(the_example_counts_words),
        cmocka_unit_test(what_is_no_executor_is_not_opened),
    };

    return cmocka_run_group_tests(tests, make_cache, clean);
}
