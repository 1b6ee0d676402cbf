/* SPDX-License-Identifier: Apache-2.0 */
/* test_at_once.c: a run that is stopped at once is killed, and not asked to end before.
 *
 * usage: test_at_once [--user]    with it, as an ordinary user to whom groups were given
 *
 * Nothing here depends on how fast anything is: where patience matters, the clock is the test's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "runs.h"

/* A clock that moves on by a millisecond whenever somebody looks at it. */
static int64_t next_ms(void *self)
{
    return ++*(int64_t *)self;
}

static void stop_now(const struct runs *r)
{
    assert_int_equal(eventfd_write(r->run.cancel, 1), 0);
}

static bool stop_from_the_start(void *self, struct error *e)
{
    (void)e;
    stop_now(self);
    return true;
}

static const char stubborn[] = "trap 'echo asked' TERM; (trap '' TERM; while :; do :; done) & "
                               "while :; do wait; done";

static void a_cancelled_run_is_not_asked_to_end(void **state)
{
    struct fake_world still;
    struct runs r;
    struct outcome out;

    (void)state;
    fake_world_init(&still, 0);
    runs_make(&r);
    r.run.at_once = true;
    r.run.cancel = eventfd(0, EFD_CLOEXEC);
    r.run.permit = stop_from_the_start;
    r.run.permit_self = &r;
    out = runs_do(&r, &still.world, stubborn); /* no patience ever ends in that world */
    assert_int_equal(out.cause, CAUSE_CANCELLED);
    assert_int_equal(out.out.bytes, 0);
    (void)close(r.run.cancel);
    runs_free(&r);
}

static void a_run_out_of_time_is_not_asked_to_end(void **state)
{
    struct runs r;
    struct outcome out;

    (void)state;
    runs_make(&r);
    r.run.at_once = true;
    r.limits.timeout_ms = 200;
    out = runs_do(&r, world_real(), stubborn);
    assert_int_equal(out.cause, CAUSE_TIMEOUT);
    assert_int_equal(out.out.bytes, 0);
    runs_free(&r);
}

/* Our only child is init. */
static pid_t child_of_ours(void)
{
    FILE *f = fopen("/proc/thread-self/children", "re");
    int pid = -1;

    assert_non_null(f);
    assert_int_equal(fscanf(f, "%d", &pid), 1);
    (void)fclose(f);
    return pid;
}

static bool freeze_and_stop(void *self, struct error *e)
{
    (void)e;
    assert_int_equal(kill(child_of_ours(), SIGSTOP), 0);
    stop_now(self);
    return true;
}

/* An init that does not answer is killed after a hundredth of a second, by the clock of the run. */
static void a_silent_init_is_not_waited_for(void **state)
{
    int64_t now = 0;
    const struct world moving = { .mono_ms = next_ms, .wall_ms = next_ms, .self = &now };
    struct runs r;
    struct outcome out;

    (void)state;
    runs_make(&r);
    r.run.at_once = true;
    r.run.cancel = eventfd(0, EFD_CLOEXEC);
    r.run.permit = freeze_and_stop;
    r.run.permit_self = &r;
    out = runs_do(&r, &moving, stubborn);
    assert_int_equal(out.cause, CAUSE_CANCELLED);
    assert_true(out.duration_ms < 50);
    (void)close(r.run.cancel);
    runs_free(&r);
}

/* Nobody reads from the pipe until the run is over, whether or not a write to it would wait; both
 * streams go into it, so that each takes room of which the other has heard. */
static void a_slow_reader_is_not_waited_for(void **state)
{
    static const int flags[] = { O_NONBLOCK, 0 };

    (void)state;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        struct runs r;
        struct outcome out;
        int ends[2];
        char first;

        runs_make(&r);
        assert_int_equal(pipe2(ends, O_CLOEXEC | flags[i]), 0);
        r.run.at_once = true;
        r.run.live[0] = r.run.live[1] = ends[1];
        r.limits.timeout_ms = 1000;
        out = runs_do(&r, world_real(), "while :; do echo something; echo else >&2; done");
        assert_int_equal(out.cause, CAUSE_TIMEOUT);
        assert_true(out.out.bytes > 0);
        assert_int_equal(out.out.lost, ECANCELED);
        assert_int_equal(read(ends[0], &first, 1), 1);
        (void)close(ends[0]);
        (void)close(ends[1]);
        runs_free(&r);
    }
}

/* Somebody who has a copy of what the run prints into, and keeps it; in the end by an alarm. */
static pid_t keeper;

static bool keep(void *self, struct error *e)
{
    (void)self, (void)e;
    keeper = fork();
    if (keeper == 0) {
        (void)alarm(20);
        for (;;)
            (void)pause();
    }
    assert_true(keeper > 0);
    return true;
}

static bool keep_and_stop(void *self, struct error *e)
{
    stop_now(self);
    return keep(self, e);
}

static void end_keeper(void)
{
    int status;

    assert_int_equal(waitpid(keeper, &status, WNOHANG), 0); /* it is there still */
    assert_int_equal(kill(keeper, SIGKILL), 0);
    assert_int_equal(waitpid(keeper, &status, 0), keeper);
}

static void who_else_has_the_pipes_is_not_waited_for(void **state)
{
    struct runs r;
    struct outcome out;

    (void)state;
    runs_make(&r);
    r.run.cancel = eventfd(0, EFD_CLOEXEC);
    r.run.permit = keep_and_stop;
    r.run.permit_self = &r;
    for (int i = 0; i < 2; i++) {
        r.run.at_once = i == 0;
        out = runs_do(&r, world_real(), "while :; do sleep 1; done");
        assert_int_equal(out.cause, CAUSE_CANCELLED);
        end_keeper();
    }
    (void)close(r.run.cancel);
    runs_free(&r);
}

/* Nor where nobody stops the run; all that it printed comes. */
static void who_else_has_the_pipes_of_an_ended_run_is_not_waited_for(void **state)
{
    struct runs r;
    struct outcome out;

    (void)state;
    runs_make(&r);
    r.run.permit = keep;
    out = runs_do(&r, world_real(), "head -c 300000 /dev/zero");
    assert_int_equal(out.cause, CAUSE_EXITED);
    assert_int_equal(out.out.bytes, 300000);
    end_keeper();
    runs_free(&r);
}

/* Calls again and again once init is dead: what comes before that stops the run, and no more. */
static bool call_when_dead(void *self, struct error *e)
{
    const struct runs *r = self;
    struct pollfd init = { .events = POLLIN };

    (void)e;
    init.fd = (int)syscall(SYS_pidfd_open, child_of_ours(), 0);
    assert_true(init.fd >= 0);
    keeper = fork();
    if (keeper == 0) {
        (void)alarm(20);
        for ((void)poll(&init, 1, -1);; (void)poll(NULL, 0, 10))
            (void)eventfd_write(r->run.cancel, 1);
    }
    assert_true(keeper > 0);
    return close(init.fd) == 0;
}

/* It prints more than fits into the pipe that nobody reads, and less than fits into that and its
 * own. */
static void what_a_reader_was_not_given_is_captured_and_told(void **state)
{
    struct runs r;
    struct outcome out;
    int ends[2];

    (void)state;
    runs_make(&r);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    r.run.live[0] = ends[1];
    r.run.cancel = eventfd(0, EFD_CLOEXEC);
    r.run.permit = call_when_dead;
    r.run.permit_self = &r;
    out = runs_do(&r, world_real(), "head -c 80000 /dev/zero");
    assert_int_equal(out.out.bytes, 80000);
    assert_int_equal(out.out.lost, ECANCELED);
    end_keeper();
    (void)close(r.run.cancel);
    (void)close(ends[0]);
    (void)close(ends[1]);
    runs_free(&r);
}

/* Who asks, and when: when this can be read; -1: when the pipe that nobody reads is full. */
struct asking {
    const struct runs *r;
    int when;
};

static bool call_once(void *self, struct error *e)
{
    const struct asking *a = self;
    struct pollfd printed = { .fd = a->r->run.live[0], .events = POLLOUT };
    struct pollfd when = { .fd = a->when, .events = POLLIN };

    (void)e;
    keeper = fork();
    if (keeper == 0) {
        (void)alarm(20);
        if (when.fd >= 0)
            (void)poll(&when, 1, -1);
        while (when.fd < 0 && poll(&printed, 1, 0) > 0) /* until it is full */
            (void)poll(NULL, 0, 10);
        (void)eventfd_write(a->r->run.cancel, 1);
        for (;;)
            (void)pause();
    }
    assert_true(keeper > 0);
    return true;
}

/* A line to somebody far away: what it brings is evidence, however long it takes. */
static void read_slowly(const struct runs *r, int from)
{
    char bytes[4096];

    (void)poll(NULL, 0, READER_MS + 1000);
    (void)close(r->run.live[0]);
    while (read(from, bytes, sizeof bytes) > 0)
        continue;
}

static bool call_and_read(void *self, struct error *e)
{
    const struct asking *a = self;
    struct pollfd printed = { .fd = a->r->run.live[0], .events = POLLOUT };

    (void)e;
    keeper = fork();
    if (keeper == 0) {
        (void)alarm(60);
        while (poll(&printed, 1, 0) > 0) /* until it is full */
            (void)poll(NULL, 0, 10);
        (void)eventfd_write(a->r->run.cancel, 1);
        read_slowly(a->r, a->when);
        _exit(0);
    }
    assert_true(keeper > 0);
    return true;
}

static void a_patient_run_waits_for_its_reader(void **state)
{
    struct runs r;
    struct asking asking = { &r, -1 };
    struct outcome out;
    int ends[2];

    (void)state;
    runs_make(&r);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    r.run.live[0] = ends[1];
    r.run.cancel = eventfd(0, EFD_CLOEXEC);
    r.run.patient = true;
    r.run.permit = call_and_read;
    r.run.permit_self = &asking;
    asking.when = ends[0];
    out = runs_do(&r, world_real(), "head -c 80000 /dev/zero; exec sleep 20");
    assert_int_equal(out.cause, CAUSE_CANCELLED);
    assert_int_equal(out.out.bytes, 80000);
    assert_int_equal(out.out.lost, 0);
    end_keeper();
    (void)close(r.run.cancel);
    (void)close(ends[0]);
    (void)close(ends[1]);
    runs_free(&r);
}

/* Whatever ended it: one that ran out of time has said that it heard it when somebody asks. */
static void a_reader_of_a_run_that_was_called_off_is_not_waited_for_for_ever(void **state)
{
    static const struct {
        const char *command;
        int64_t timeout_ms;
        enum cause cause;
    } rows[] = {
        { "head -c 80000 /dev/zero; exec sleep 20", 60000, CAUSE_CANCELLED },
        { "trap 'echo >&2' TERM; head -c 80000 /dev/zero; while :; do sleep 0.1; done", 1000,
          CAUSE_TIMEOUT },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct runs r;
        struct asking asking = { &r, -1 };
        struct outcome out;
        int ends[2], errors[2];

        runs_make(&r);
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        assert_int_equal(pipe2(errors, O_CLOEXEC), 0);
        r.run.live[0] = ends[1];
        r.run.live[1] = errors[1];
        r.run.cancel = eventfd(0, EFD_CLOEXEC);
        r.run.permit = call_once;
        r.run.permit_self = &asking;
        r.limits.timeout_ms = rows[i].timeout_ms;
        asking.when = rows[i].cause == CAUSE_TIMEOUT ? errors[0] : -1;
        out = runs_do(&r, world_real(), rows[i].command);
        assert_int_equal(out.cause, rows[i].cause);
        assert_int_equal(out.out.bytes, 80000);
        assert_int_equal(out.out.lost, ECANCELED);
        end_keeper();
        (void)close(r.run.cancel);
        for (int k = 0; k < 2; k++) {
            (void)close(ends[k]);
            (void)close(errors[k]);
        }
        runs_free(&r);
    }
}

static int tests(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(a_cancelled_run_is_not_asked_to_end),
        cmocka_unit_test(a_run_out_of_time_is_not_asked_to_end),
        cmocka_unit_test(a_silent_init_is_not_waited_for),
        cmocka_unit_test(a_slow_reader_is_not_waited_for),
        cmocka_unit_test(who_else_has_the_pipes_is_not_waited_for),
        cmocka_unit_test(who_else_has_the_pipes_of_an_ended_run_is_not_waited_for),
        cmocka_unit_test(what_a_reader_was_not_given_is_captured_and_told),
        cmocka_unit_test(a_patient_run_waits_for_its_reader),
        cmocka_unit_test(a_reader_of_a_run_that_was_called_off_is_not_waited_for_for_ever),
    };

    return cmocka_run_group_tests(list, NULL, NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    return home_run(tests, argc > 1 ? SOME_USER : 0);
}
