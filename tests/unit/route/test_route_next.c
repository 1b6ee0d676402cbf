/* SPDX-License-Identifier: Apache-2.0 */
/* test_route_next.c: the states of a lane by the edges of a contract, every pair of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/route/planning.h"

static bool is_declared(size_t state, size_t trigger, size_t *to)
{
    static const struct {
        enum route_state from;
        enum route_trigger by;
        enum route_state to;
    } edges[] = {
        { ROUTE_PLANNED, TRIGGER_ENQUEUE, ROUTE_QUEUED },
        { ROUTE_QUEUED, TRIGGER_START, ROUTE_RUNNING },
        { ROUTE_RUNNING, TRIGGER_CANCEL, ROUTE_CANCEL_REQUESTED },
        { ROUTE_RUNNING, TRIGGER_EXIT_ZERO, ROUTE_SUCCEEDED },
        { ROUTE_RUNNING, TRIGGER_EXIT_NONZERO, ROUTE_FAILED },
        { ROUTE_CANCEL_REQUESTED, TRIGGER_CANCEL_COMPLETED, ROUTE_CANCELLED },
        { ROUTE_CANCEL_REQUESTED, TRIGGER_CANCEL_TIMEOUT, ROUTE_FAILED },
    };

    for (size_t i = 0; i < COUNT(edges); i++) {
        if (edges[i].from != state || edges[i].by != trigger)
            continue;
        *to = edges[i].to;
        return true;
    }
    return false;
}

/* By the table and by the contract, which must agree in every word. */
static void check_pair(const struct route_doc *contract, size_t state, size_t trigger)
{
    static const char before[] = "unchanged";
    struct str next = str_of(before);
    enum route_state by_table = ROUTE_STATE_COUNT;
    struct error said_table = { 0 }, said_contract = { 0 };
    size_t to = 0;
    bool declared = is_declared(state, trigger, &to);
    bool table =
        route_advance((enum route_state)state, (enum route_trigger)trigger, &by_table, &said_table);
    bool text = route_next(contract, str_of(route_state_names[state]),
                           str_of(route_trigger_names[trigger]), &next, &said_contract);

    assert_int_equal(table, declared);
    assert_int_equal(text, declared);
    if (declared) {
        assert_int_equal(by_table, to);
        check_is(next, route_state_names[to]);
        return;
    }
    assert_int_equal(by_table, ROUTE_STATE_COUNT);
    assert_ptr_equal(next.s, before);
    assert_int_equal(said_table.code, CODE_INVALID_TRANSITION);
    assert_int_equal(said_contract.code, CODE_INVALID_TRANSITION);
    assert_string_equal(said_table.msg, said_contract.msg);
}

static void R_000_063_R_000_064_R_000_065_every_pair_is_as_declared_or_refused(void **state)
{
    _arena_ struct arena a = { 0 };
    struct route_doc contract;

    (void)state;
    route_shipped(&a, &contract);
    for (size_t i = 0; i < ROUTE_STATE_COUNT; i++)
        for (size_t k = 0; k < ROUTE_TRIGGER_COUNT; k++)
            for (int again = 0; again < 2; again++)
                check_pair(&contract, i, k);
}

static void A00_2_before_it_runs_nothing_is_cancelled(void **state)
{
    static const enum route_state early[] = { ROUTE_PLANNED, ROUTE_QUEUED };
    _arena_ struct arena a = { 0 };
    struct route_doc contract;
    struct str next;
    struct error e;

    (void)state;
    route_shipped(&a, &contract);
    for (size_t i = 0; i < COUNT(early); i++)
        assert_false(route_next(&contract, str_of(route_state_names[early[i]]), str_of("cancel"),
                                &next, &e));
    assert_string_equal(e.msg, "'cancel' does not lead anywhere from 'queued', allowed start");
}

static void R_000_065_the_words_do_not_depend_on_the_order_of_edges(void **state)
{
    _arena_ struct arena a = { 0 };
    struct route_doc contract;
    struct transition_doc *edge;
    struct error one, two;
    struct str next;

    (void)state;
    route_shipped(&a, &contract);
    edge = contract.state_transitions.v;
    assert_false(route_next(&contract, str_of("running"), str_of("start"), &next, &one));
    assert_string_equal(one.msg, "'start' does not lead anywhere from 'running', allowed cancel, "
                                 "exit_nonzero, exit_zero");
    for (size_t i = 0; i < contract.state_transitions.n / 2; i++) {
        struct transition_doc first = edge[i];

        edge[i] = edge[contract.state_transitions.n - 1 - i];
        edge[contract.state_transitions.n - 1 - i] = first;
    }
    assert_false(route_next(&contract, str_of("running"), str_of("start"), &next, &two));
    assert_string_equal(one.msg, two.msg);
}

static void states_of_ones_own_are_texts(void **state)
{
    struct transition_doc edge[] = { { { "a", 1 }, { "go", 2 }, { "b", 1 } } };
    const struct route_doc contract = { .state_transitions = { edge, 1 } };
    struct str next;
    struct error e;

    (void)state;
    assert_true(route_next(&contract, str_of("a"), str_of("go"), &next, &e));
    check_is(next, "b");
    assert_false(route_next(&contract, str_of("b"), str_of("go"), &next, &e));
    assert_string_equal(e.msg,
                        "'go' does not lead anywhere from 'b', allowed nothing: it is an end");
    assert_false(route_next(&contract, str_of("a\x1b[2J"), str_of("g\no"), &next, &e));
    assert_string_equal(e.msg, "'a\\x1b[2J' is no state, allowed a, b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(R_000_063_R_000_064_R_000_065_every_pair_is_as_declared_or_refused),
        cmocka_unit_test(A00_2_before_it_runs_nothing_is_cancelled),
        cmocka_unit_test(R_000_065_the_words_do_not_depend_on_the_order_of_edges),
        cmocka_unit_test(states_of_ones_own_are_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
