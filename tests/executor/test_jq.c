/* SPDX-License-Identifier: Apache-2.0 */
/* test_jq.c: jq programs as executors: what they return, and that none of jq's leaks is open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "executor/jq_leaks.h"
#include "executor/workers.h"

static struct pure *jq(const char *program)
{
    struct call_program p = workers_program(program);

    return workers_start("jq", &p);
}

/* The program alone, first with this payload; then it must still do what it does with another. */
static struct call once(const char *program, const char *payload)
{
    struct pure *p = jq(program);
    struct call call = workers_call(p, payload);

    pure_stop(p);
    return call;
}

/* ---- leaks ---- */

static bool is_closed(const struct jq_leak *leak)
{
    struct call_program program = workers_program(leak->attempt);
    struct error e = { 0 };
    struct pure *p;
    struct call call;

    if (!pure_start("jq", &program, &workers.a, &p, &e))
        return leak->end == LEAK_REFUSED;
    call = workers_call(p, "null");
    pure_stop(p);
    if (leak->end == LEAK_RAISES)
        return call.end == CALL_EXCEPTION &&
               strcmp(call.detail, "the program raised an exception") == 0;
    return leak->end == LEAK_CONSTANT && call.end == CALL_OUTPUT && str_is(call.text, leak->value);
}

static void R_003_017_R_003_021_R_003_022_every_leak_of_jq_is_closed(void **state)
{
    int open = 0;

    (void)state;
    for (size_t i = 0; i < jq_leak_count; i++) {
        if (is_closed(&jq_leaks[i]))
            continue;
        print_error("# open: %s\n", jq_leaks[i].name);
        open++;
    }
    assert_int_equal(open, 0);
}

/* A function of the program's own may still have one of these names. */
static void names_are_the_program_s_to_give(void **state)
{
    struct call call = once("def env: 7; env", "null");

    (void)state;
    assert_int_equal(call.end, CALL_OUTPUT);
    assert_string_equal(call.text.s, "7");
}

/* ---- values ---- */

static void a_program_returns_one_value_or_none(void **state)
{
    static const struct {
        const char *program, *payload;
        enum call_end end;
        const char *output;
    } rows[] = {
        { ".", "{\"b\":[1,2.5,null,true,\"\\u00e9\\n\"],\"a\":{}}", CALL_OUTPUT,
          "{\"b\":[1,2.5,null,true,\"é\\n\"],\"a\":{}}" },
        { "[.items[] | .qty * .price] | add", "{\"items\":[{\"qty\":2,\"price\":1.5}]}",
          CALL_OUTPUT, "3" },
        { "def f(x): x * 2; f(.) # the end", "21", CALL_OUTPUT, "42" },
        { "# a comment first\n.", "1", CALL_OUTPUT, "1" },
        { "empty", "1", CALL_NO_OUTPUT, NULL },
        { ".[] | select(. > 5)", "[1,2]", CALL_NO_OUTPUT, NULL },
        { "null", "1", CALL_OUTPUT, "null" },
        { ".[]", "[1,2]", CALL_EXCEPTION, NULL },
        { "range(infinite)", "1", CALL_EXCEPTION, NULL },
        { "1, error(\"x\")", "1", CALL_EXCEPTION, NULL },
        { "error(\"secret\")", "1", CALL_EXCEPTION, NULL },
        { "error", "{\"a\":1}", CALL_EXCEPTION, NULL },
        { ".a.b", "[1]", CALL_EXCEPTION, NULL },
        { "try error(\"x\") catch .", "1", CALL_OUTPUT, "\"x\"" },
        { ".", "not json", CALL_EXCEPTION, NULL },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct call call = once(rows[i].program, rows[i].payload);

        if (call.end != rows[i].end || (rows[i].output && !str_is(call.text, rows[i].output)))
            fail_msg("%s: %d %.*s", rows[i].program, (int)call.end, STR_ARG(call.text));
    }
}

static void R_003_041_what_is_raised_is_not_told(void **state)
{
    struct call call = once("error(\"secret\")", "1");

    (void)state;
    assert_string_equal(call.detail, "the program raised an exception");
    assert_int_equal(call.text.n, 0);
}

static void a_program_that_does_not_compile_is_refused_in_its_own_lines(void **state)
{
    static const struct {
        const char *program, *says;
    } rows[] = {
        { "1 +", "line 1" },
        { ".\n| nonesuch", "nonesuch/0 is not defined at <top-level>, line 2" },
        { "", "the program is empty" },
        { "module {}; .", "begins with what must come first" },
        { "import \"a\" as a; .", "module not found: a; an executor reads no files" },
        { "include \"./a\" {search: \"/\"}; .", "module not found" },
        { "include \"a\" {search: \"$ORIGIN/x\"}; .", "module not found" },
        { "import \"a\" as a {search: \"~/x\"}; .", "module not found" },
        { "import \"a\" as a {search: \"./x\"}; .", "module not found" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct call_program program = workers_program(rows[i].program);
        struct error e = { 0 };
        struct pure *p = NULL;

        assert_false(pure_start("jq", &program, &workers.a, &p, &e));
        if (!strstr(e.msg, rows[i].says) || strstr(e.msg, "payload alone"))
            fail_msg("'%s': %s", rows[i].program, e.msg);
    }
}

/* ---- bounds: the worker dies or is ended, and the next call has its answer ---- */

static void R_003_039_R_003_041_R_003_043_R_003_044_what_goes_too_far_concerns_no_other(
    void **state)
{
    static const struct {
        const char *program;
        enum call_end end;
    } rows[] = {
        { "[limit(2000000000; repeat(1))]", CALL_EXCEPTION },               /* memory, or time */
        { "def f: 1 + f; f", CALL_EXCEPTION },                              /* memory, or time */
        { "last(range(infinite))", CALL_TIMEOUT },                          /* time */
        { "reduce range(100000) as $i (0; [.])", CALL_LIMIT },              /* depth */
        { "reduce range(129) as $i (0; [.])", CALL_LIMIT },                 /* depth */
        { "[range(300000)]", CALL_LIMIT },                                  /* output */
        { "reduce range(30) as $i (\"xxxxxxxx\"; . + .)", CALL_EXCEPTION }, /* memory */
        { "reduce range(22) as $i (\"x\"; . + .)", CALL_LIMIT },            /* output */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *text =
            arena_printf(&workers.a, "if . == 1 then 1 else (%s) end", rows[i].program);
        struct call_program program = workers_program(text);
        struct pure *p;
        struct call call;

        program.bounds.timeout_ms = rows[i].end == CALL_TIMEOUT ? 200 : 20000;
        p = workers_start("jq", &program);
        workers_expect(p, "1", "1");
        call = workers_call(p, "2");
        if (call.end != rows[i].end)
            fail_msg("%s: %d %s", rows[i].program, (int)call.end, call.detail ? call.detail : "");
        workers_expect(p, "1", "1");
        pure_stop(p);
    }
}

static void depth_128_is_not_too_deep(void **state)
{
    struct call call = once("reduce range(128) as $i (\"[\\\"{\"; [.])", "1");

    (void)state;
    assert_int_equal(call.end, CALL_OUTPUT);
    assert_int_equal(call.text.n, 2 * 128 + strlen("\"[\\\"{\""));
}

/* The same call, among others, has the same answer: nothing is kept. */
static void R_003_038_R_003_039_no_call_changes_another(void **state)
{
    enum { CALLS = 600 };
    static const char *const payloads[] = { "{\"a\":[3,1,2]}", "{\"a\":7}", "{\"a\":[]}" };
    static const char *const outputs[] = { "[1,2,3]", NULL, "[]" };
    struct call *calls = arena_alloc(&workers.a, CALLS * sizeof *calls);
    struct pure *p = jq(". as $x | label $out | (.a | sort), break $out");

    (void)state;
    for (size_t i = 0; i < CALLS; i++)
        calls[i].payload = str_of(payloads[i % 3]);
    pure_calls(p, calls, CALLS, &workers.a);
    for (size_t i = 0; i < CALLS; i++) {
        const char *want = outputs[i % 3];

        assert_int_equal(calls[i].end, want ? CALL_OUTPUT : CALL_EXCEPTION);
        assert_true(!want || str_is(calls[i].text, want));
    }
    pure_stop(p);
}

/* libjq numbers labels, those of its own functions, too; which number one has is not to be seen. */
static void R_003_038_R_003_039_no_call_sees_the_labels_of_another(void **state)
{
    static const struct {
        const char *program, *output; /* NULL: an exception */
    } rows[] = {
        { "[label $f | (1, error({__jq: 0}), 2)]", "[1]" },
        { "[label $f | (1, ({(\"__\" + \"jq\"): 1} | error), 2)]", NULL },
        { "[label $f | try break $f catch .__jq]", "[0]" },
        { "[first(try 1 catch .__jq)]", "[1,0]" },
        { "def nest($d): if $d == 0 then error({__jq: 9}) else ((label $f | nest($d - 1)), $d) end;"
          "if .set then [limit(.set; range(9))] | length else [nest(9)] end",
          NULL },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct pure *p = jq(rows[i].program);

        for (int n = 0; n < 3; n++) {
            struct call call = workers_call(p, "{\"a\":1}");

            if (call.end != (rows[i].output ? CALL_OUTPUT : CALL_EXCEPTION) ||
                (rows[i].output && !str_is(call.text, rows[i].output)))
                fail_msg("%s: call %d: end %d, %.*s", rows[i].program, n, (int)call.end,
                         STR_ARG(call.text));
            (void)workers_call(p, "{\"set\":3}");
        }
        pure_stop(p);
    }
}

static void the_kind_is_a_row(void **state)
{
    struct call_program program = workers_program(". + 1");
    struct call calls[2] = { { .payload = str_of("1") }, { .payload = str_of("2") } };
    struct error e = { 0 };
    void *self;

    (void)state;
    assert_true(jq_kind.start(&program, &workers.a, &self, &e));
    jq_kind.calls(self, calls, 2, &workers.a);
    jq_kind.stop(self);
    assert_string_equal(calls[0].text.s, "2");
    assert_string_equal(calls[1].text.s, "3");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_003_017_R_003_021_R_003_022_every_leak_of_jq_is_closed),
        cmocka_unit_test(names_are_the_program_s_to_give),
        cmocka_unit_test(a_program_returns_one_value_or_none),
        cmocka_unit_test(R_003_041_what_is_raised_is_not_told),
        cmocka_unit_test(a_program_that_does_not_compile_is_refused_in_its_own_lines),
        cmocka_unit_test(
            R_003_039_R_003_041_R_003_043_R_003_044_what_goes_too_far_concerns_no_other),
        cmocka_unit_test(depth_128_is_not_too_deep),
        cmocka_unit_test(R_003_038_R_003_039_no_call_changes_another),
        cmocka_unit_test(R_003_038_R_003_039_no_call_sees_the_labels_of_another),
        cmocka_unit_test(the_kind_is_a_row),
    };

    return workers_run(argc, argv, tests, COUNT(tests));
}
