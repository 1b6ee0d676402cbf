/* SPDX-License-Identifier: Apache-2.0 */
/* test_wasm.c: modules in the real worker, behind its real walls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compilers.h"
#include "workers.h"

static struct pure *start(const char *name)
{
    struct call_program program = workers_program("");

    program.file = object_of(name, &workers.a);
    assert_non_null(program.file);
    return workers_start("wasm", &program);
}

static void check(struct pure *p, char act, enum call_end end)
{
    char payload[] = { '"', act, '"', 0 };
    struct call call = workers_call(p, payload);

    if (call.end != end)
        fail_msg("act %c ended as %d, expected %d", act, call.end, end);
}

/* "fresh" each time, for all that can be left behind. */
static void R_003_016_R_003_039_every_call_finds_a_fresh_instance(void **state)
{
    struct pure *p = start("acts"), *large = start("large"), *starts = start("starts");

    (void)state;
    for (const char *acts = "cdefghitcdefghit"; *acts; acts++) {
        char payload[] = { '"', *acts, '"', 0 };

        workers_expect(p, payload, "\"fresh\"");
    }
    for (int turn = 0; turn < 3; turn++) {
        workers_expect(large, "1", "\"fresh\"");
        workers_expect(starts, "1", "8");
    }
    pure_stop(p);
    pure_stop(large);
    pure_stop(starts);
}

static void R_003_024_whatever_traps_is_an_exception(void **state)
{
    struct pure *p = start("acts");

    (void)state;
    for (const char *acts = "jklmnopqruvwxz{"; *acts; acts++) {
        check(p, *acts, CALL_EXCEPTION);
        workers_expect(p, "\"c\"", "\"fresh\"");
    }
    check(p, 'b', CALL_NO_OUTPUT);
    pure_stop(p);
}

static void an_endless_loop_is_a_timeout(void **state)
{
    struct pure *p = start("acts");

    (void)state;
    check(p, 's', CALL_TIMEOUT);
    workers_expect(p, "\"c\"", "\"fresh\"");
    pure_stop(p);
}

static void many_calls_at_once_are_answered_in_order(void **state)
{
    struct pure *p = start("acts");
    struct call calls[1000];

    (void)state;
    for (size_t i = 0; i < COUNT(calls); i++)
        calls[i] = (struct call){ .payload = str_of(arena_printf(&workers.a, "\"a%zu\"", i)) };
    calls[500].payload = str_of("\"j\"");
    pure_calls(p, calls, COUNT(calls), &workers.a);
    for (size_t i = 0; i < COUNT(calls); i++) {
        assert_int_equal(calls[i].end, i == 500 ? CALL_EXCEPTION : CALL_OUTPUT);
        if (i != 500)
            assert_true(str_eq(calls[i].text, calls[i].payload));
    }
    pure_stop(p);
}

/* 80 pages are 5 MiB. */
static void a_module_larger_than_the_worker_is_refused_at_the_start(void **state)
{
    struct call_program program = workers_program("");
    struct error e = { 0 };
    struct pure *p;

    (void)state;
    program.file = object_of("large", &workers.a);
    program.bounds.memory_bytes = 4 << 20;
    assert_false(pure_start("wasm", &program, &workers.a, &p, &e));
    assert_non_null(
        strstr(e.msg, "the memory that the executor may use is more than a worker has"));
}

/* The last one: objects of all the tests are in one cache. */
static void the_cache_is_left_tidy(void **state)
{
    (void)state;
    assert_int_equal(remove_cache(NULL), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_003_016_R_003_039_every_call_finds_a_fresh_instance),
        cmocka_unit_test(R_003_024_whatever_traps_is_an_exception),
        cmocka_unit_test(an_endless_loop_is_a_timeout),
        cmocka_unit_test(many_calls_at_once_are_answered_in_order),
        cmocka_unit_test(a_module_larger_than_the_worker_is_refused_at_the_start),
        cmocka_unit_test(the_cache_is_left_tidy),
    };

    return workers_run(argc, argv, tests, COUNT(tests));
}
