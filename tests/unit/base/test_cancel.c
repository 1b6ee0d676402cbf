/* SPDX-License-Identifier: Apache-2.0 */
/* test_cancel.c: somebody wants it stopped, and is heard once for each time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cancel.h"

static bool heard(int *fd)
{
    struct cancel_calls none = { 0 };

    return cancel_heard(fd, &none, world_real());
}

static void each_request_is_heard_once(void **state)
{
    int counter = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), fd = counter;

    (void)state;
    assert_true(counter >= 0);
    assert_false(heard(&fd)); /* nobody has said anything, and somebody may */
    assert_int_equal(fd, counter);
    assert_int_equal(eventfd_write(counter, 1), 0);
    assert_true(heard(&fd));
    assert_false(heard(&fd));
    assert_int_equal(fd, counter);
    (void)close(counter);
}

static void nobody_asks_by_letting_go(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_false(cancel_asked(ends[0]));
    assert_int_equal(write(ends[1], "x", 1), 1);
    (void)close(ends[1]);
    assert_true(cancel_asked(ends[0]));
    assert_true(heard(&ends[0]));
    assert_false(cancel_asked(ends[0]));
    assert_false(cancel_asked(-1));
    (void)close(ends[0]);
}

static void what_has_ended_is_not_asked_again(void **state)
{
    int line[2], fd;

    (void)state;
    assert_int_equal(pipe2(line, O_CLOEXEC | O_NONBLOCK), 0);
    fd = line[0];
    assert_int_equal(write(line[1], "x", 1), 1);
    (void)close(line[1]);
    assert_true(heard(&fd));
    assert_int_equal(fd, line[0]);
    assert_false(heard(&fd));
    assert_int_equal(fd, -1);
    (void)close(line[0]);
}

static int64_t given_ms(void *self)
{
    return *(const int64_t *)self;
}

/* A signal, as the kernel describes it. */
static bool is_told(int line[2], struct cancel_calls *calls, uint32_t sig, int64_t at_ms)
{
    struct world world = { .mono_ms = given_ms, .self = &at_ms };
    struct signalfd_siginfo info = { .ssi_signo = sig };

    assert_int_equal(write(line[1], &info, sizeof info), sizeof info);
    return cancel_heard(&line[0], calls, &world);
}

static void one_wish_may_come_as_several_signals(void **state)
{
    struct cancel_calls calls = { 0 };
    int line[2];

    (void)state;
    assert_int_equal(pipe2(line, O_CLOEXEC | O_NONBLOCK), 0);
    assert_true(is_told(line, &calls, SIGTERM, 1000));
    assert_false(is_told(line, &calls, SIGTERM, 1000));
    assert_false(is_told(line, &calls, SIGHUP, 1001));
    assert_false(is_told(line, &calls, SIGINT, 1200));
    assert_false(is_told(line, &calls, SIGTERM, 1499));
    assert_true(is_told(line, &calls, SIGTERM, 1500)); /* somebody insists */
    assert_false(is_told(line, &calls, SIGINT, 1699));
    assert_true(is_told(line, &calls, SIGINT, 1700));
    assert_false(is_told(line, &calls, SIGHUP, 9000));
    (void)close(line[0]);
    (void)close(line[1]);
}

static void a_wait_ends_by_the_clock_or_by_a_request(void **state)
{
    static const int64_t hour_ms = 3600000;
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    (void)state;
    assert_true(fd >= 0);
    assert_true(cancel_wait(fd, 1, world_real()));
    assert_true(cancel_wait(-1, 1, world_real()));
    assert_int_equal(eventfd_write(fd, 1), 0);
    assert_true(cancel_wait(fd, 0, world_real()));
    assert_false(cancel_wait(fd, hour_ms, world_real()));
    assert_true(heard(&fd)); /* it was not read */
    (void)close(fd);
}

static void a_wait_goes_on_when_nobody_can_call_any_more(void **state)
{
    static const int64_t hour_ms = 3600000;
    int ends[2];

    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    (void)close(ends[1]);
    assert_false(cancel_wait(ends[0], hour_ms, world_real())); /* it was said before */
    assert_true(heard(&ends[0]));
    assert_true(cancel_wait(ends[0], 1, world_real()));
    (void)close(ends[0]);
}

static void what_is_left_is_an_int_for_poll(void **state)
{
    (void)state;
    assert_int_equal(poll_ms(INT64_MIN), 0);
    assert_int_equal(poll_ms(-1), 0);
    assert_int_equal(poll_ms(0), 0);
    assert_int_equal(poll_ms(61000), 61000);
    assert_int_equal(poll_ms((int64_t)INT_MAX + 1), INT_MAX);
    assert_int_equal(poll_ms(INT64_MAX), INT_MAX);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_request_is_heard_once),
        cmocka_unit_test(nobody_asks_by_letting_go),
        cmocka_unit_test(what_has_ended_is_not_asked_again),
        cmocka_unit_test(one_wish_may_come_as_several_signals),
        cmocka_unit_test(a_wait_ends_by_the_clock_or_by_a_request),
        cmocka_unit_test(a_wait_goes_on_when_nobody_can_call_any_more),
        cmocka_unit_test(what_is_left_is_an_int_for_poll),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
