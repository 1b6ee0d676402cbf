/* SPDX-License-Identifier: Apache-2.0 */
/* test_states.c: only declared edges move a routed command (contract 000). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "contract/names.h"
#include "contract/states.h"

/* ---- contract 000 ---- */

/* The whole grid, by hand: the state a trigger leads to, or -- where it leads nowhere. */
enum { X = -1, P, Q, R, CR, S, F, C };

/* clang-format off */
static const int grid[ROUTE_STATE_COUNT][ROUTE_TRIGGER_COUNT] = {
    /*                     enqueue start cancel cancel_completed cancel_timeout exit_zero exit_nonzero */
    [ROUTE_PLANNED]          = { Q,  X,    X,     X,               X,             X,        X },
    [ROUTE_QUEUED]           = { X,  R,    X,     X,               X,             X,        X },
    [ROUTE_RUNNING]          = { X,  X,    CR,    X,               X,             S,        F },
    [ROUTE_CANCEL_REQUESTED] = { X,  X,    X,     C,               F,             X,        X },
    [ROUTE_SUCCEEDED]        = { X,  X,    X,     X,               X,             X,        X },
    [ROUTE_FAILED]           = { X,  X,    X,     X,               X,             X,        X },
    [ROUTE_CANCELLED]        = { X,  X,    X,     X,               X,             X,        X },
};
/* clang-format on */

static void check_edge(enum route_state from, enum route_trigger by, enum route_state to)
{
    enum route_state got = from;
    struct error e;

    assert_true(route_advance(from, by, &got, &e));
    assert_int_equal(got, to);
}

static void R_000_031_planned_enqueue_queued(void **state)
{
    (void)state;
    check_edge(ROUTE_PLANNED, TRIGGER_ENQUEUE, ROUTE_QUEUED);
}

static void R_000_032_queued_start_running(void **state)
{
    (void)state;
    check_edge(ROUTE_QUEUED, TRIGGER_START, ROUTE_RUNNING);
}

static void R_000_033_running_cancel_cancel_requested(void **state)
{
    (void)state;
    check_edge(ROUTE_RUNNING, TRIGGER_CANCEL, ROUTE_CANCEL_REQUESTED);
}

static void R_000_034_cancel_requested_cancel_completed_cancelled(void **state)
{
    (void)state;
    check_edge(ROUTE_CANCEL_REQUESTED, TRIGGER_CANCEL_COMPLETED, ROUTE_CANCELLED);
}

static void states_and_triggers_have_the_contracts_names(void **state)
{
    static const char *const states[] = { "planned",   "queued", "running",  "cancel_requested",
                                          "succeeded", "failed", "cancelled" };
    static const char *const triggers[] = { "enqueue",          "start",          "cancel",
                                            "cancel_completed", "cancel_timeout", "exit_zero",
                                            "exit_nonzero" };

    (void)state;
    for (int i = 0; i < ROUTE_STATE_COUNT; i++)
        assert_int_equal(name_at(route_state_names, str_of(states[i])), i);
    for (int i = 0; i < ROUTE_TRIGGER_COUNT; i++)
        assert_int_equal(name_at(route_trigger_names, str_of(triggers[i])), i);
}

static void check_pair(int from, int by)
{
    enum route_state to = ROUTE_STATE_COUNT;
    struct error e = { 0 };
    bool ok = route_advance((enum route_state)from, (enum route_trigger)by, &to, &e);

    if (grid[from][by] == X) {
        assert_false(ok);
        assert_int_equal(to, ROUTE_STATE_COUNT); /* untouched */
        assert_int_equal(e.code, CODE_INVALID_TRANSITION);
    } else {
        assert_true(ok);
        assert_int_equal(to, grid[from][by]);
        assert_int_equal(e.code, CODE_NONE);
    }
}

static void R_000_063_R_000_064_every_pair_of_state_and_trigger(void **state)
{
    (void)state;
    for (int from = 0; from < ROUTE_STATE_COUNT; from++) {
        for (int by = 0; by < ROUTE_TRIGGER_COUNT; by++)
            check_pair(from, by);
    }
}

static void check_refusal(enum route_state from, enum route_trigger by, const char *msg)
{
    enum route_state to;
    struct error e = { 0 }, again = { 0 };

    assert_false(route_advance(from, by, &to, &e));
    assert_string_equal(e.msg, msg);
    assert_false(route_advance(from, by, &to, &again));
    assert_memory_equal(&e, &again, sizeof e);
}

static void R_000_065_refusals_depend_on_state_and_trigger_alone(void **state)
{
    (void)state;
    check_refusal(ROUTE_PLANNED, TRIGGER_CANCEL,
                  "'cancel' does not lead anywhere from 'planned', allowed enqueue");
    check_refusal(ROUTE_RUNNING, TRIGGER_START,
                  "'start' does not lead anywhere from 'running', allowed cancel, exit_nonzero, "
                  "exit_zero");
    check_refusal(ROUTE_FAILED, TRIGGER_START,
                  "'start' does not lead anywhere from 'failed', allowed nothing: it is an end");
}

static void route_edges_are_lexical_and_unique(void **state)
{
    (void)state;
    for (size_t i = 1; i < ROUTE_EDGES; i++) {
        int by_state = strcmp(route_state_names[route_edges[i - 1].from],
                              route_state_names[route_edges[i].from]);

        assert_true(by_state <= 0);
        if (by_state == 0)
            assert_true(strcmp(route_trigger_names[route_edges[i - 1].by],
                               route_trigger_names[route_edges[i].by]) < 0);
    }
}

/* ---- between the contracts ---- */

static void check_word(const char *contract, const char *word, enum event_state event)
{
    for (size_t i = 0; i < WORD_ROWS; i++) {
        if (strcmp(state_words[i].contract, contract) == 0 &&
            strcmp(state_words[i].word, word) == 0) {
            assert_int_equal(state_words[i].event, event);
            return;
        }
    }
    fail_msg("%s is not there", word);
}

/* */
static void every_word_of_every_contract_has_its_event(void **state)
{
    (void)state;
    for (int i = 0; i < ROUTE_STATE_COUNT; i++) {
        int same = name_at(event_state_names, str_of(route_state_names[i]));

        check_word("000", route_state_names[i],
                   same < 0 ? EVENT_STATE_COUNT : (enum event_state)same);
    }
    check_word("003", "SUCCESS", EVENT_SUCCEEDED);
    check_word("003", "FAILED", EVENT_FAILED);
    check_word("003", "BLOCKED", EVENT_FAILED);
    check_word("004", "success", EVENT_SUCCEEDED);
    check_word("004", "partial", EVENT_FAILED);
    check_word("004", "failure", EVENT_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_000_031_planned_enqueue_queued),
        cmocka_unit_test(R_000_032_queued_start_running),
        cmocka_unit_test(R_000_033_running_cancel_cancel_requested),
        cmocka_unit_test(R_000_034_cancel_requested_cancel_completed_cancelled),
        cmocka_unit_test(states_and_triggers_have_the_contracts_names),
        cmocka_unit_test(R_000_063_R_000_064_every_pair_of_state_and_trigger),
        cmocka_unit_test(R_000_065_refusals_depend_on_state_and_trigger_alone),
        cmocka_unit_test(route_edges_are_lexical_and_unique),
        cmocka_unit_test(every_word_of_every_contract_has_its_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
