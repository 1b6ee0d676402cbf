/* SPDX-License-Identifier: Apache-2.0 */
/* test_wrap_stops.c: commands run by a wrapper that are stopped, and that nothing of them survives.
 *
 * usage: test_wrap_stops WRAPPER [--user]    with it, as an ordinary user
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wraps.h"

/* ---- it is stopped ---- */

static void out_of_time_it_is_warned_and_asked_to_end(void **state)
{
    struct scene *s = *state;

    s->world = (struct world){ .mono_ms = ready_ms, .self = s };
    s->ask.pace.soft_ms = 50;
    s->ask.timeout_ms = 100;
    play(s, "polite", s->fifo);
    expect(s, CAUSE_TIMEOUT, EXIT_TIMEOUT);
    expect_moments(s, "la");
    assert_false(s->out.forced);
    assert_string_equal(s->out.out.head.s, "asked\n");
    expect_nobody(s);
}

static void who_does_not_end_in_its_grace_is_killed(void **state)
{
    struct scene *s = *state;

    s->world = (struct world){ .mono_ms = ready_ms, .self = s };
    s->ask.timeout_ms = 100;
    s->ask.pace.grace_ms = 50;
    play(s, "stubborn", s->fifo);
    expect(s, CAUSE_TIMEOUT, EXIT_TIMEOUT);
    expect_moments(s, "ak");
    assert_true(s->out.forced);
    expect_nobody(s);
}

static void a_flood_without_an_end_is_stopped(void **state)
{
    struct scene *s = *state;

    s->ask.timeout_ms = 300;
    play(s, "flood", "-1");
    expect(s, CAUSE_TIMEOUT, EXIT_TIMEOUT);
    assert_true(s->out.out.bytes >= (int64_t)s->out.out.head.n);
}

/* The wrapper itself says into the FIFO when it may be cancelled. */
static void cancelled_it_is_asked_to_end(void **state)
{
    struct scene *s = *state;

    s->ask.cancel = s->ends;
    play(s, "polite", s->fifo);
    expect(s, CAUSE_CANCELLED, 3);
    expect_moments(s, "a");
    assert_false(s->out.forced);
    expect_nobody(s);
}

static void cancelled_twice_it_is_killed_at_once(void **state)
{
    struct scene *s = *state;

    s->ask.cancel = s->ends;
    s->cancel_again = true;
    play(s, "stubborn", s->fifo);
    expect(s, CAUSE_CANCELLED, 128 + SIGKILL);
    expect_moments(s, "ak");
    assert_true(s->out.forced);
    expect_nobody(s);
}

static void who_wants_it_at_once_does_not_ask(void **state)
{
    struct scene *s = *state;

    s->ask.cancel = s->ends;
    s->ask.at_once = true;
    play(s, "polite", s->fifo);
    expect(s, CAUSE_CANCELLED, 128 + SIGKILL);
    expect_moments(s, "ak");
    assert_int_equal(s->out.out.bytes, 0);
    expect_nobody(s);
}

/* A clock that goes fast once the guard is stopped. */
static int64_t stopped_ms(void *self)
{
    struct scene *s = self;

    if (is_ready(s->ends, 0) && s->tick_ms == 0) {
        assert_int_equal(kill(guard_of_ours(), SIGSTOP), 0);
        s->tick_ms = 20000;
    }
    s->now += s->tick_ms;
    return s->now;
}

/* It does not do what it is told, and is ended itself, when its time is over. */
static void a_guard_that_does_not_answer_is_not_waited_for(void **state)
{
    struct scene *s = *state;

    s->world = (struct world){ .mono_ms = stopped_ms, .self = s };
    s->ask.timeout_ms = 100;
    s->ask.pace.grace_ms = 50;
    play(s, "stubborn", s->fifo);
    expect(s, CAUSE_TIMEOUT, EXIT_TIMEOUT);
    expect_moments(s, "ak");
    expect_nobody(s);
}

/* A clock that leaps as it does for who was stopped himself: once it was told that the command is
 * late, the guard is killed, and an age has passed when that is seen. */
static int64_t leaps_ms(void *self)
{
    struct scene *s = self;
    siginfo_t dead;

    if (s->count == 0)
        return ready_ms(self);
    if (s->tick_ms == 0) {
        assert_int_equal(kill(guard_of_ours(), SIGKILL), 0);
        assert_int_equal(waitid(P_ALL, 0, &dead, WEXITED | WNOWAIT | __WALL), 0);
        s->tick_ms = 2 * (int64_t)HOUR_MS;
        return s->now;
    }
    return s->now + s->tick_ms;
}

/* Nobody knows when it ended: that counts as too late. */
static void who_is_found_dead_long_after_its_time_was_too_late(void **state)
{
    struct scene *s = *state;

    s->world = (struct world){ .mono_ms = leaps_ms, .self = s };
    s->ask.pace.soft_ms = 50;
    play(s, "polite", s->fifo);
    expect(s, CAUSE_TIMEOUT, EXIT_TIMEOUT);
    expect_moments(s, "la");
    expect_nobody(s);
}

/* A code that is a refusal says nothing once it was stopped. */
static void who_was_stopped_did_not_refuse(void **state)
{
    struct scene *s = *state;

    s->refusals[0] = 3;
    s->ask.cancel = s->ends;
    play(s, "polite", s->fifo);
    expect(s, CAUSE_CANCELLED, 3);
}

/* ---- nothing of it survives ---- */

static void what_it_left_behind_is_gone(void **state)
{
    struct scene *s = *state;

    play(s, "leave", s->fifo);
    expect(s, CAUSE_EXITED, 0);
    assert_string_equal(s->out.out.head.s, "left\n");
    expect_nobody(s);
}

static void what_it_left_behind_is_gone_when_it_is_killed(void **state)
{
    struct scene *s = *state;

    s->ask.cancel = s->ends;
    s->cancel_again = true;
    play(s, "leave_and_stay", s->fifo);
    expect(s, CAUSE_CANCELLED, 128 + SIGKILL);
    expect_nobody(s);
}

static void nothing_survives_us(void **state)
{
    struct scene *s = *state;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        play(s, "leave_and_stay", s->fifo);
        _exit(1);
    }
    assert_true(is_ready(s->ends, LONG_MS));
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    expect_nobody(s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(out_of_time_it_is_warned_and_asked_to_end),
        TEST(who_does_not_end_in_its_grace_is_killed),
        TEST(a_flood_without_an_end_is_stopped),
        TEST(cancelled_it_is_asked_to_end),
        TEST(cancelled_twice_it_is_killed_at_once),
        TEST(who_wants_it_at_once_does_not_ask),
        TEST(a_guard_that_does_not_answer_is_not_waited_for),
        TEST(who_is_found_dead_long_after_its_time_was_too_late),
        TEST(who_was_stopped_did_not_refuse),
        TEST(what_it_left_behind_is_gone),
        TEST(what_it_left_behind_is_gone_when_it_is_killed),
        TEST(nothing_survives_us),
    };

    return run_scenes(argc, argv, tests, COUNT(tests));
}
