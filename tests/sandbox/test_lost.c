/* SPDX-License-Identifier: Apache-2.0 */
/* test_lost.c: a process that a berth has made, and whose pidfd did not come, is nobody's burden;
 * and without the descriptor that tells init of signals nothing begins.
 *
 * The kernel hands a word over without its descriptor where none is free. Here it is taken away.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/pass.h"
#include "slots.h"

static int to_lose;
static pid_t who_loses; /* the berth is a copy of us, and loses nothing */

bool __real_pass_take(int line, void *word, size_t size, int fds[PASS_MOST]);
bool __wrap_pass_take(int line, void *word, size_t size, int fds[PASS_MOST]);

bool __wrap_pass_take(int line, void *word, size_t size, int fds[PASS_MOST])
{
    bool ok = __real_pass_take(line, word, size, fds);

    if (ok && to_lose > 0 && getpid() == who_loses && fds[0] >= 0) {
        to_lose--;
        pass_drop(fds, 0);
    }
    return ok;
}

static bool deaf;

int __real_signalfd(int fd, const sigset_t *mask, int flags);
int __wrap_signalfd(int fd, const sigset_t *mask, int flags);

int __wrap_signalfd(int fd, const sigset_t *mask, int flags)
{
    if (!deaf)
        return __real_signalfd(fd, mask, flags);
    errno = EMFILE;
    return -1;
}

static void lose(int n)
{
    to_lose = n;
    who_loses = getpid();
}

static void a_run_goes_on_without_it(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        lose(1);
        assert_string_equal(printed("echo here"), "here\n");
        assert_int_equal(to_lose, 0);
        assert_string_equal(printed("echo here"), "here\n");
    }
}

static void a_slot_that_is_lost_is_none(void **state)
{
    (void)state;
    for (int n = 1; n <= 3; n++) {
        warm();
        lose(n);
        assert_string_equal(printed("echo here"), "here\n");
        lose(0);
        assert_string_equal(printed("echo here"), "here\n");
    }
}

static void without_signals_no_command_is_started(void **state)
{
    struct outcome out = { 0 };
    struct error e = { 0 };
    bool ok;

    (void)state;
    deaf = true;
    ok = runs_try(&r, world_real(), "echo here", &out, &e);
    deaf = false;
    assert_false(ok);
    assert_non_null(strstr(e.msg, "vanished while its walls were built"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_kept, end_slots)

static int tests(void)
{
    const struct CMUnitTest list[] = {
        TEST(a_run_goes_on_without_it),
        TEST(a_slot_that_is_lost_is_none),
        TEST(without_signals_no_command_is_started),
    };

    return cmocka_run_group_tests_name("lost", list, NULL, NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    return home_run(tests, argc > 1 ? SOME_USER : 0);
}
