/* SPDX-License-Identifier: Apache-2.0 */
/* test_events.c: which event may follow which in the ledger (contract 002). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/names.h"
#include "contract/states.h"

static void R_002_019_the_states_are_five(void **state)
{
    static const char *const want[] = { "planned", "running", "succeeded", "failed", "cancelled" };

    (void)state;
    assert_int_equal(COUNT(want), EVENT_STATE_COUNT);
    for (int i = 0; i < EVENT_STATE_COUNT; i++) {
        assert_int_equal(name_at(event_state_names, str_of(want[i])), i);
        assert_int_equal(event_states[i].state, i);
    }
    assert_int_equal(name_at(event_state_names, str_of("queued")), -1);
    assert_int_equal(name_at(event_state_names, str_of("Planned")), -1);
    assert_int_equal(name_at(event_state_names, str_of("")), -1);
}

/* Which attempts the later event may have: lower, same, higher than the earlier one. */
enum { LOWER = 1, SAME = 2, HIGHER = 4 };

/* clang-format off */
static const int steps[EVENT_STATE_COUNT][EVENT_STATE_COUNT] = {
    /*                    planned running succeeded failed cancelled */
    [EVENT_PLANNED]   = { 0,      SAME,   0,        0,     0 },
    [EVENT_RUNNING]   = { 0,      0,      SAME,     SAME,  SAME },
    [EVENT_SUCCEEDED] = { 0,      0,      0,        0,     0 },
    [EVENT_FAILED]    = { HIGHER, HIGHER, 0,        0,     0 },
    [EVENT_CANCELLED] = { 0,      0,      0,        0,     0 },
};
/* clang-format on */

/* Every attempt relation of one pair of states; 5 is the attempt of the earlier event. */
static void check_steps(enum event_state from, enum event_state to)
{
    static const struct {
        int64_t attempt;
        int relation;
    } later[] = { { 1, LOWER },  { 4, LOWER },  { 5, SAME },
                  { 6, HIGHER }, { 9, HIGHER }, { INT64_MAX, HIGHER } };

    for (size_t i = 0; i < COUNT(later); i++) {
        struct error e = { 0 };
        bool allowed = steps[from][to] & later[i].relation;

        assert_int_equal(ledger_step(from, 5, to, later[i].attempt, &e), allowed);
        assert_int_equal(e.code, allowed ? CODE_NONE : CODE_EVENT_TRANSITION);
    }
}

static void check_from(enum event_state from)
{
    for (int to = 0; to < EVENT_STATE_COUNT; to++)
        check_steps(from, (enum event_state)to);
}

static void R_002_020_planned_leads_to_running_only(void **state)
{
    (void)state;
    check_from(EVENT_PLANNED);
}

static void R_002_021_R_002_022_R_002_023_R_002_024_running_leads_to_an_end_only(void **state)
{
    (void)state;
    check_from(EVENT_RUNNING);
}

static void R_002_008_R_002_025_R_002_026_R_002_027_failed_leads_to_a_higher_attempt_only(
    void **state)
{
    (void)state;
    check_from(EVENT_FAILED);
}

static void R_002_028_R_002_029_succeeded_and_cancelled_are_ends(void **state)
{
    (void)state;
    check_from(EVENT_SUCCEEDED);
    check_from(EVENT_CANCELLED);
    for (int i = 0; i < EVENT_STATE_COUNT; i++)
        assert_int_equal(event_states[i].terminal, i == EVENT_SUCCEEDED || i == EVENT_CANCELLED);
}

/* A02-4: (attempt, rank) rises with every step that is allowed. */
static void R_002_015_attempt_and_rank_rise_together(void **state)
{
    static const int ranks[EVENT_STATE_COUNT] = { 0, 1, 2, 2, 2 };
    struct error e;

    (void)state;
    for (int i = 0; i < EVENT_STATE_COUNT; i++)
        assert_int_equal(event_states[i].rank, ranks[i]);
    for (int n = 0; n < EVENT_STATE_COUNT * EVENT_STATE_COUNT * 3; n++) {
        enum event_state from = (enum event_state)(n / 3 / EVENT_STATE_COUNT);
        enum event_state to = (enum event_state)(n / 3 % EVENT_STATE_COUNT);
        int attempt = n % 3 + 1; /* after attempt 2 */

        if (ledger_step(from, 2, to, attempt, &e))
            assert_true(attempt > 2 ||
                        (attempt == 2 && event_states[to].rank > event_states[from].rank));
    }
}

static void refused_events_say_what_is_allowed(void **state)
{
    struct error e;

    (void)state;
    assert_false(ledger_step(EVENT_PLANNED, 1, EVENT_FAILED, 1, &e));
    assert_string_equal(e.msg, "'failed' cannot follow 'planned', allowed 'running'");
    assert_false(ledger_step(EVENT_FAILED, 1, EVENT_CANCELLED, 2, &e));
    assert_string_equal(e.msg,
                        "'cancelled' cannot follow 'failed', allowed 'planned' with a higher "
                        "attempt, 'running' with a higher attempt");
    assert_false(ledger_step(EVENT_FAILED, 2, EVENT_RUNNING, 2, &e));
    assert_string_equal(e.msg,
                        "'running' after 'failed' of attempt 2 is attempt 2, must be higher");
    assert_false(ledger_step(EVENT_PLANNED, 1, EVENT_RUNNING, 2, &e));
    assert_string_equal(e.msg,
                        "'running' after 'planned' of attempt 1 is attempt 2, must be the same");
    assert_false(ledger_first(EVENT_PLANNED, 3, CODE_NONE, &e));
    assert_string_equal(e.msg, "the first attempt is 3, must be 1");
    assert_false(ledger_first(EVENT_FAILED, 1, CODE_NONE, &e));
    assert_string_equal(e.msg, "the first event is 'failed', must be 'planned' (or what the "
                               "coherence gate says: 'failed' with COHERENCE_BLOCKED, 'cancelled' "
                               "with PARTIAL_REQUIRES_REVIEW)");
    assert_false(ledger_step(EVENT_SUCCEEDED, 1, EVENT_PLANNED, 2, &e));
    assert_string_equal(e.msg,
                        "'planned' cannot follow 'succeeded', allowed nothing: it is an end");
}

/* A02-2 */
static void an_execution_begins_planned_or_with_the_gates_word(void **state)
{
    static const enum code whys[] = { CODE_NONE, CODE_COHERENCE_BLOCKED,
                                      CODE_PARTIAL_REQUIRES_REVIEW, CODE_MODEL_OUTPUT_INVALID };

    (void)state;
    for (int to = 0; to < EVENT_STATE_COUNT; to++) {
        for (size_t i = 0; i < COUNT(whys); i++) {
            struct error e = { 0 };
            bool allowed = to == EVENT_PLANNED ||
                           (to == EVENT_FAILED && whys[i] == CODE_COHERENCE_BLOCKED) ||
                           (to == EVENT_CANCELLED && whys[i] == CODE_PARTIAL_REQUIRES_REVIEW);

            assert_int_equal(ledger_first((enum event_state)to, 1, whys[i], &e), allowed);
            assert_int_equal(e.code, allowed ? CODE_NONE : CODE_EVENT_TRANSITION);
            assert_false(ledger_first((enum event_state)to, 2, whys[i], &e));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_002_019_the_states_are_five),
        cmocka_unit_test(R_002_020_planned_leads_to_running_only),
        cmocka_unit_test(R_002_021_R_002_022_R_002_023_R_002_024_running_leads_to_an_end_only),
        cmocka_unit_test(
            R_002_008_R_002_025_R_002_026_R_002_027_failed_leads_to_a_higher_attempt_only),
        cmocka_unit_test(R_002_028_R_002_029_succeeded_and_cancelled_are_ends),
        cmocka_unit_test(R_002_015_attempt_and_rank_rise_together),
        cmocka_unit_test(refused_events_say_what_is_allowed),
        cmocka_unit_test(an_execution_begins_planned_or_with_the_gates_word),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
