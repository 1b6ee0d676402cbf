/* SPDX-License-Identifier: Apache-2.0 */
/* test_cancel.c: somebody wants it stopped, and is heard once for each time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cancel.h"

static void each_request_is_heard_once(void **state)
{
    int counter = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), fd = counter;

    (void)state;
    assert_true(counter >= 0);
    assert_false(cancel_heard(&fd)); /* nobody has said anything, and somebody may */
    assert_int_equal(fd, counter);
    assert_int_equal(eventfd_write(counter, 1), 0);
    assert_true(cancel_heard(&fd));
    assert_false(cancel_heard(&fd));
    assert_int_equal(fd, counter);
    (void)close(counter);
}

static void what_has_ended_is_not_asked_again(void **state)
{
    int line[2], fd;

    (void)state;
    assert_int_equal(pipe2(line, O_CLOEXEC | O_NONBLOCK), 0);
    fd = line[0];
    assert_int_equal(write(line[1], "x", 1), 1);
    (void)close(line[1]);
    assert_true(cancel_heard(&fd));
    assert_int_equal(fd, line[0]);
    assert_false(cancel_heard(&fd));
    assert_int_equal(fd, -1);
    (void)close(line[0]);
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
    assert_true(cancel_heard(&fd)); /* it was not read */
    (void)close(fd);
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
        cmocka_unit_test(what_has_ended_is_not_asked_again),
        cmocka_unit_test(a_wait_ends_by_the_clock_or_by_a_request),
        cmocka_unit_test(what_is_left_is_an_int_for_poll),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
