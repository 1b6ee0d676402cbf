/* SPDX-License-Identifier: Apache-2.0 */
/* test_run_state.c: what lines of progress make of what is known of a plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/answer.h"
#include "cli/run_state.h"

/* a, b and c, which waits for both; d has no name. */
#define A "11111111-0000-4000-8000-000000000000"
#define B "22222222-0000-4000-8000-000000000000"
#define C "00000000-0000-4000-8000-000000000000"
#define D "44444444-0000-4000-8000-000000000000"
static const char plan_text[] =
    "{\"name\":\"audit\",\"timeout_ms\":300000,"
    "\"retry_policy\":{\"max_attempts\":3,\"retryable_error_codes\":[\"STEP_FAILED\",7]},"
    "\"metadata\":{\"writ\":{\"names\":{\"" A "\":\"a\",\"" B "\":\"b\",\"" C "\":\"see\"}}},"
    "\"steps\":["
    "{\"id\":\"" A
    "\",\"action\":\"execute\",\"payload\":{\"inputs\":{\"command\":\"rg\",\"arguments\":[\"-n\",\"x y\"]}}},"
    "{\"id\":\"" B "\",\"action\":\"json_select\",\"payload\":{}},"
    "{\"id\":\"" C "\",\"action\":\"notify\",\"payload\":{},\"depends_on\":[\"" A "\",\"" B "\"]},"
    "{\"id\":\"" D "\",\"action\":\"execute\",\"payload\":{},\"depends_on\":[\"nobody\",3]}]}";

/* What is known of the plan does not need it any more. */
static void begin(struct run_state *s)
{
    _arena_ struct arena a = { 0 };
    char text[sizeof plan_text];

    memcpy(text, plan_text, sizeof text);
    run_state_plan(s, answer_read(text, &a), 2, 1000);
    memset(text, '?', sizeof text);
    arena_wipe(&a);
}

static void a_plan_is_known_before_it_runs(void **state)
{
    struct run_state s;

    (void)state;
    begin(&s);
    assert_int_equal(s.count, 4);
    assert_int_equal(s.states[STEP_WAITS], 4);
    assert_int_equal(s.timeout_ms, 300000);
    assert_true(s.offline);
    assert_true(str_is(s.steps[0].about, "execute rg -n x y"));
    assert_true(str_is(s.steps[1].about, "json_select"));
    assert_true(str_is(s.steps[2].name, "see"));
    assert_int_equal(s.steps[2].after_count, 2);
    assert_int_equal(s.steps[2].after[1], 1);
    assert_true(str_is(s.steps[3].name, "44444444"));
    assert_int_equal(s.steps[3].after_count, 0);
    assert_ptr_equal(run_state_find(&s, str_of(B)), &s.steps[1]);
    assert_ptr_equal(run_state_find(&s, str_of(C)), &s.steps[2]);
    assert_null(run_state_find(&s, str_of("nobody")));
    run_state_free(&s);
}

/* clang-format off */
static const struct { const char *plan; size_t count; bool offline; } odd_plans[] = {
    { "{}", 0, false },
    { "3", 0, false },
    { "{\"steps\":{}}", 0, false },
    { "{\"steps\":[],\"name\":4,\"metadata\":[]}", 0, false },
    { "{\"steps\":[1,null,{}],\"metadata\":{\"writ\":{\"names\":[1]}}}", 3, false },
    { "{\"steps\":[{\"id\":\"x\",\"action\":\"execute\",\"depends_on\":[\"x\"],\"payload\":[1]}]}", 1, true },
    { "{\"steps\":[{\"action\":\"execute\",\"payload\":{\"sandbox\":{\"network\":{\"enabled\":true}}}}]}", 1, false },
    { "{\"steps\":[{\"action\":\"notify\",\"payload\":{}}]}", 1, false },
};
/* clang-format on */

static void an_odd_plan_is_known_as_far_as_it_goes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(odd_plans); i++) {
        _arena_ struct arena a = { 0 };
        struct run_state s;

        run_state_plan(&s, answer_read(odd_plans[i].plan, &a), 1, 0);
        assert_int_equal(s.count, odd_plans[i].count);
        assert_int_equal(s.offline, odd_plans[i].offline);
        run_state_free(&s);
    }
}

#define STEP(event, index, more) \
    "{\"event\":\"" event "\",\"index\":" #index ",\"attempt\":1,\"max_attempts\":3" more "}"
#define FAILED(index, code, how, severity) \
    STEP("step_failed", index,             \
         ",\"code\":\"" code "\",\"on_failure\":\"" how "\",\"severity\":\"" severity "\"")

/* Each line after those above it. */
/* clang-format off */
static const struct { const char *line; enum run_event event; size_t index; enum step_state becomes; } told[] = {
    { STEP("step_started", 0, ",\"at\":5000"),            RUN_STARTED,   0, STEP_RUNS },
    { FAILED(0, "STEP_FAILED", "retry", "error"),         RUN_STUMBLED,  0, STEP_PAUSES },
    { STEP("step_retries", 0, ",\"wait_ms\":800,\"at\":6000"), RUN_RETRIES, 0, STEP_PAUSES },
    { STEP("step_started", 0, ""),                        RUN_STARTED,   0, STEP_RUNS },
    { FAILED(0, "OTHER", "retry", "error"),               RUN_FAILED,    0, STEP_FAILED },
    { FAILED(0, "STEP_FAILED", "retry", "fatal"),         RUN_FAILED,    0, STEP_FAILED },
    { FAILED(0, "STEP_FAILED", "skip", "error"),          RUN_FAILED,    0, STEP_FAILED },
    { STEP("step_retries", 0, ",\"wait_ms\":800"),        RUN_RETRIES,   0, STEP_PAUSES },
    { STEP("step_completed", 0, ""),                      RUN_COMPLETED, 0, STEP_DONE },
    { STEP("step_completed", 3, ""),                      RUN_COMPLETED, 3, STEP_DONE }, /* its start was lost */
    { STEP("notify", 1, ""),                              RUN_NOTICE,    1, STEP_WAITS },
    { STEP("step_lane", 1, ""),                           RUN_LANE,      1, STEP_WAITS },
    { STEP("step_held", 1, ""),                           RUN_HELD,      1, STEP_WAITS },
    { STEP("step_started", 2, ",\"lost\":3"),             RUN_STARTED,   2, STEP_RUNS },
    { STEP("step_unheard", 1, ""),                        RUN_NOTHING,   1, STEP_DONE }, /* 2 waited for it */
};

static const char *const odd_lines[] = {
    "3", "null", "[]", "{}", "{\"event\":[]}", "{\"event\":\"step_started\"}",
    "{\"event\":\"step_started\",\"index\":4}", "{\"event\":\"step_started\",\"index\":-1}",
    "{\"event\":\"step_started\",\"index\":\"0\"}", "{\"event\":\"step_started\",\"index\":0.5}",
};
/* clang-format on */

static void lines_move_steps_from_state_to_state(void **state)
{
    _arena_ struct arena a = { 0 };
    struct run_state s;

    (void)state;
    begin(&s);
    for (size_t i = 0; i < COUNT(told); i++) {
        struct run_change change = run_state_take(&s, answer_read(told[i].line, &a));
        size_t all = 0;

        assert_int_equal(change.event, told[i].event);
        assert_int_equal(s.steps[told[i].index].state, told[i].becomes);
        for (enum step_state state_of = 0; state_of < STEP_STATES; state_of++)
            all += s.states[state_of];
        assert_int_equal(all, 4);
        if (i == 2)
            assert_int_equal(s.steps[0].next_ms, 6800);
    }
    assert_int_equal(s.lost, 3);
    assert_int_equal(s.states[STEP_DONE], 3);
    run_state_free(&s);
}

static void the_last_attempt_is_not_tried_again(void **state)
{
    _arena_ struct arena a = { 0 };
    struct run_state s;
    static const char line[] = "{\"event\":\"step_failed\",\"index\":0,\"attempt\":3,"
                               "\"code\":\"STEP_FAILED\",\"on_failure\":\"retry\"}";

    (void)state;
    begin(&s);
    (void)run_state_take(&s, answer_read(STEP("step_started", 0, ""), &a));
    assert_int_equal(run_state_take(&s, answer_read(line, &a)).event, RUN_FAILED);
    run_state_free(&s);
}

static void odd_lines_change_nothing(void **state)
{
    _arena_ struct arena a = { 0 };
    struct run_state s;

    (void)state;
    begin(&s);
    for (size_t i = 0; i < COUNT(odd_lines); i++)
        assert_int_equal(run_state_take(&s, answer_read(odd_lines[i], &a)).event, RUN_NOTHING);
    assert_int_equal(s.states[STEP_WAITS], 4);
    run_state_free(&s);
}

static void the_end_and_the_beginning_are_known(void **state)
{
    _arena_ struct arena a = { 0 };
    struct run_state s;

    (void)state;
    begin(&s);
    (void)run_state_take(&s, answer_read("{\"event\":\"plan_started\",\"at\":7}", &a));
    assert_int_equal(s.began_ms, 7);
    assert_false(s.ended);
    assert_int_equal(
        run_state_take(&s, answer_read("{\"event\":\"plan_execution_partial\"}", &a)).event,
        RUN_ENDED);
    assert_true(s.ended);
    run_state_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_known_before_it_runs),
        cmocka_unit_test(an_odd_plan_is_known_as_far_as_it_goes),
        cmocka_unit_test(lines_move_steps_from_state_to_state),
        cmocka_unit_test(the_last_attempt_is_not_tried_again),
        cmocka_unit_test(odd_lines_change_nothing),
        cmocka_unit_test(the_end_and_the_beginning_are_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
