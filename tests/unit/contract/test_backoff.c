/* SPDX-License-Identifier: Apache-2.0 */
/* test_backoff.c: how long a retry waits, and that no number breaks it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <math.h>

#include "contract/backoff.h"

static int64_t delay(int64_t ms, double multiplier, int64_t most, int attempt)
{
    struct backoff b = { 9, ms, most, multiplier };

    return backoff_delay(&b, attempt);
}

/* A04-32 */
static void R_004_017_R_004_018_R_004_019_each_wait_is_longer_by_the_multiplier_up_to_the_most(
    void **state)
{
    static const int64_t want[] = { 100, 200, 400, 800, 1000, 1000 };

    (void)state;
    for (int i = 0; i < 6; i++)
        assert_int_equal(delay(100, 2.0, 1000, i + 1), want[i]);
    for (int i = 1; i < 10; i++)
        assert_int_equal(delay(500, 1.0, 60000, i), 500);
    assert_int_equal(delay(100, 1.1, 60000, 3), 121);
    assert_int_equal(delay(1000, 1.5, 60000, 4), 3375);
    assert_int_equal(delay(5000, 3.0, 1000, 1), 1000);
}

static void no_number_overflows(void **state)
{
    (void)state;
    assert_int_equal(delay(1, 2.0, INT64_MAX, INT_MAX), INT64_MAX);
    assert_int_equal(delay(INT64_MAX, 1.0, INT64_MAX, 5), INT64_MAX);
    assert_int_equal(delay(0, 1e300, 60000, INT_MAX), 0);
    assert_int_equal(delay(1, 1e300, 60000, 7), 60000);
    assert_int_equal(delay(1, INFINITY, 60000, 2), 60000);
    assert_int_equal(delay(7, NAN, 60000, 9), 7);
    assert_int_equal(delay(7, 0.5, 60000, 9), 7);
    assert_int_equal(delay(-5, 2.0, 60000, 1), 0);
    assert_int_equal(delay(100, 2.0, 0, 3), 0);
    assert_int_equal(delay(100, 2.0, 1, 3), 1);
    assert_int_equal(delay(100, 2.0, 60000, 0), 100);
    assert_int_equal(delay(100, 2.0, 60000, INT_MIN), 100);
}

static void waits_never_shrink(void **state)
{
    (void)state;
    for (int i = 1; i < 2000; i++)
        assert_true(delay(3, 1.01, 60000, i) <= delay(3, 1.01, 60000, i + 1));
}

static void a_plan_that_says_nothing_never_tries_again(void **state)
{
    (void)state;
    assert_false(backoff_again(&backoff_plan, 1));
    assert_int_equal(backoff_plan.max_attempts, 1);
    assert_int_equal(backoff_plan.backoff_ms, 0);
    assert_int_equal(backoff_plan.max_backoff_ms, 60000);
    assert_true(backoff_plan.multiplier == 1.0);
}

/* A00-8 */
static void a_route_tries_twice_more_after_one_and_two_seconds(void **state)
{
    (void)state;
    assert_true(backoff_again(&backoff_route, 1));
    assert_int_equal(backoff_delay(&backoff_route, 1), 1000);
    assert_true(backoff_again(&backoff_route, 2));
    assert_int_equal(backoff_delay(&backoff_route, 2), 2000);
    assert_false(backoff_again(&backoff_route, 3));
    assert_int_equal(backoff_delay(&backoff_route, 9), 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            R_004_017_R_004_018_R_004_019_each_wait_is_longer_by_the_multiplier_up_to_the_most),
        cmocka_unit_test(no_number_overflows),
        cmocka_unit_test(waits_never_shrink),
        cmocka_unit_test(a_plan_that_says_nothing_never_tries_again),
        cmocka_unit_test(a_route_tries_twice_more_after_one_and_two_seconds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
