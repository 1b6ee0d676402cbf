/* SPDX-License-Identifier: Apache-2.0 */
/* test_turn.c: one after the other, and who waits can be called off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <unistd.h>

#include "base/turn.h"

struct waiter {
    struct turn *turn;
    int cancel, *inside;
    bool taken;
};

static void *wait_for_turn(void *self)
{
    struct waiter *w = self;

    w->taken = turn_take(w->turn, w->cancel);
    if (w->taken) {
        (*w->inside)++; /* nobody else is there */
        turn_give(w->turn);
    }
    return NULL;
}

static void who_waits_has_its_turn_when_it_is_given(void **state)
{
    struct waiter waiters[4];
    pthread_t threads[4];
    struct turn turn;
    int inside = 0;

    (void)state;
    assert_true(turn_open(&turn) && turn_take(&turn, -1));
    for (int i = 0; i < 4; i++) {
        waiters[i] = (struct waiter){ &turn, -1, &inside, false };
        assert_int_equal(pthread_create(&threads[i], NULL, wait_for_turn, &waiters[i]), 0);
    }
    assert_int_equal(inside, 0);
    turn_give(&turn);
    for (int i = 0; i < 4; i++) {
        (void)pthread_join(threads[i], NULL);
        assert_true(waiters[i].taken);
    }
    assert_int_equal(inside, 4);
    turn_close(&turn);
}

static void who_waits_can_be_called_off(void **state)
{
    struct waiter w = { .inside = NULL };
    pthread_t thread;
    struct turn turn;
    int line[2];

    (void)state;
    assert_true(turn_open(&turn) && turn_take(&turn, -1));
    assert_int_equal(pipe(line), 0);
    w = (struct waiter){ &turn, line[0], NULL, true };
    assert_int_equal(pthread_create(&thread, NULL, wait_for_turn, &w), 0);
    assert_int_equal(write(line[1], "x", 1), 1);
    (void)pthread_join(thread, NULL);
    assert_false(w.taken);
    turn_give(&turn);
    assert_true(turn_take(&turn, line[0])); /* a turn that is free is had, whoever calls */
    (void)close(line[0]);
    (void)close(line[1]);
    turn_close(&turn);
    assert_false(turn_take(&turn, -1));
}

static void as_many_as_it_is_for_have_a_turn_at_once(void **state)
{
    int line[2];
    struct turn turn;

    (void)state;
    assert_int_equal(pipe(line), 0);
    assert_int_equal(write(line[1], "x", 1), 1);
    assert_true(turn_open_for(&turn, 2) && turn_take(&turn, line[0]) && turn_take(&turn, line[0]));
    assert_false(turn_take(&turn, line[0]));
    turn_give(&turn);
    turn_give(&turn);
    assert_true(turn_take(&turn, line[0]) && turn_take(&turn, line[0]));
    assert_false(turn_take(&turn, line[0]));
    turn_close(&turn);
    (void)close(line[0]);
    (void)close(line[1]);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_waits_has_its_turn_when_it_is_given),
        cmocka_unit_test(who_waits_can_be_called_off),
        cmocka_unit_test(as_many_as_it_is_for_have_a_turn_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
