/* SPDX-License-Identifier: Apache-2.0 */
/* test_wires.c: a command on the caller's own pipes.
 *
 * usage: test_wires [--user]    with it, as an ordinary user to whom groups were given
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "streams.h"

enum { MANY = 10000000 };

/* The caller's side of a conversation. */
struct talk {
    pthread_t writer, reader;
    int to, from; /* our ends */
    int theirs[2];
    size_t sends; /* bytes, and then the end */
    int64_t sent, heard;
    struct sha256 said, got;
    bool tells; /* the end is heard: a file says so */
};

static void *write_all(void *self)
{
    struct talk *t = self;
    char part[8192];

    for (size_t left = t->sends; left > 0;) {
        size_t n = left < sizeof part ? left : sizeof part;
        ssize_t gone;

        for (size_t i = 0; i < n; i++)
            part[i] = (char)((left - i) * 31 >> 3);
        gone = write(t->to, part, n);
        if (gone <= 0)
            break;
        sha256_add(&t->said, part, (size_t)gone);
        t->sent += gone;
        left -= (size_t)gone;
    }
    if (t->to == t->from)
        (void)shutdown(t->to, SHUT_WR);
    else
        (void)close(t->to);
    return NULL;
}

static void *read_all(void *self)
{
    struct talk *t = self;
    char part[8192];
    ssize_t n;

    while ((n = read(t->from, part, sizeof part)) > 0) {
        sha256_add(&t->got, part, (size_t)n);
        t->heard += n;
    }
    if (t->tells)
        (void)home_write(r.dir, "heard", "");
    return NULL;
}

static void talk_begin(struct talk *t, size_t sends)
{
    int in[2], back[2];

    *t = (struct talk){ .sends = sends };
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(back, O_CLOEXEC), 0);
    t->to = in[1];
    t->from = back[0];
    t->theirs[0] = in[0];
    t->theirs[1] = back[1];
    r.run.wired = true;
    r.run.wires[0] = t->theirs[0];
    r.run.wires[1] = t->theirs[1];
    sha256_begin(&t->said);
    sha256_begin(&t->got);
}

/* The caller closes its copies of the command's ends when it runs, or would never hear the end. */
static bool talk_start(void *self, struct error *e)
{
    struct talk *t = self;

    (void)e;
    (void)close(t->theirs[0]);
    if (t->theirs[1] != t->theirs[0])
        (void)close(t->theirs[1]);
    (void)pthread_create(&t->reader, NULL, read_all, t);
    (void)pthread_create(&t->writer, NULL, write_all, t);
    return true;
}

static struct outcome talk_through(struct talk *t, const char *script)
{
    struct outcome out;

    r.run.permit = talk_start;
    r.run.permit_self = t;
    out = ran(script);
    (void)pthread_join(t->writer, NULL);
    (void)pthread_join(t->reader, NULL);
    (void)close(t->from);
    return out;
}

static void assert_same(struct talk *t)
{
    struct digest said = sha256_end(&t->said), got = sha256_end(&t->got);

    assert_int_equal(t->sent, t->sends);
    assert_int_equal(t->heard, t->sends);
    assert_memory_equal(&said, &got, sizeof said);
}

static void wires_carry_both_ways_and_their_end_ends_it(void **state)
{
    struct outcome out;
    struct talk t;

    (void)state;
    for (int i = 0; i < 2; i++) {
        talk_begin(&t, MANY);
        out = talk_through(&t, "echo said >&2; exec cat");
        assert_same(&t);
        assert_int_equal(out.cause, CAUSE_EXITED);
        assert_int_equal(out.exit_code, 0);
        assert_printed(&out.out, ""); /* nobody listened in */
        assert_printed(&out.err, "said\n");
    }
}

static void one_socket_can_be_both_wires(void **state)
{
    struct outcome out;
    struct talk t;
    int pair[2];

    (void)state;
    talk_begin(&t, MANY);
    (void)close(t.to);
    (void)close(t.from);
    (void)close(t.theirs[0]);
    (void)close(t.theirs[1]);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    t.to = t.from = pair[0];
    t.theirs[0] = t.theirs[1] = r.run.wires[0] = r.run.wires[1] = pair[1];
    out = talk_through(&t, "exec cat");
    assert_same(&t);
    assert_int_equal(out.exit_code, 0);
}

static void wires_and_a_result_go_together(void **state)
{
    struct outcome out;
    struct talk t;

    (void)state;
    r.run.result = true;
    talk_begin(&t, 1000);
    out = talk_through(&t, "cat; i=0; while [ $i -lt 1100 ]; do [ -e /proc/$$/fd/$i ] && "
                           "printf '%s ' $i >&3; i=$((i+1)); done");
    assert_same(&t);
    assert_printed(&out.result, "0 1 2 3 ");
}

/* What it closes is closed for the caller, too, while it goes on: it waits for what the caller does
 * then. */
static void a_closed_wire_breaks(void **state)
{
    struct outcome out;
    struct talk t;

    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    talk_begin(&t, MANY);
    t.tells = true;
    out =
        talk_through(&t, "exec 0<&- 1>&-; while [ ! -e heard ]; do sleep 0.01; done; echo on >&2");
    (void)signal(SIGPIPE, SIG_DFL);
    assert_true(t.sent < MANY);
    assert_int_equal(t.heard, 0);
    assert_printed(&out.err, "on\n");
}

static void a_wired_run_out_of_time_is_killed(void **state)
{
    struct outcome out;
    struct talk t;

    (void)state;
    talk_begin(&t, MANY);
    r.limits.timeout_ms = 300;
    r.run.pace.grace_ms = 10;
    out = talk_through(&t, "trap '' TERM; while :; do :; done");
    assert_int_equal(out.cause, CAUSE_TIMEOUT);
    assert_true(out.forced);
    assert_true(t.sent < MANY); /* and nobody holds its ends, or this would not have ended */
}

static bool start_and_stop(void *self, struct error *e)
{
    return talk_start(self, e) && eventfd_write(r.run.cancel, 1) == 0;
}

static void a_wired_run_is_cancelled_however_long_it_may_run(void **state)
{
    struct outcome out = { 0 };
    struct error e = { 0 };
    struct talk t;

    (void)state;
    talk_begin(&t, 0);
    r.limits.timeout_ms = INT64_MAX / 2;
    r.run.cancel = eventfd(0, EFD_CLOEXEC);
    r.run.permit = start_and_stop;
    r.run.permit_self = &t;
    assert_true(runs_try(&r, world_real(), "sleep 100000", &out, &e));
    (void)pthread_join(t.writer, NULL);
    (void)pthread_join(t.reader, NULL);
    assert_int_equal(out.cause, CAUSE_CANCELLED);
    (void)close(t.from);
    (void)close(r.run.cancel);
    r.run.cancel = -1;
}

static void a_wire_that_is_closed_is_refused(void **state)
{
    struct outcome out = { 0 };
    struct error e = { 0 };

    (void)state;
    r.run.wired = true;
    r.run.wires[0] = r.run.wires[1] = 1023;
    assert_false(runs_try(&r, world_real(), "echo", &out, &e));
    assert_non_null(strstr(e.msg, "the descriptor 1023 cannot be passed on"));
}

/* ---- nothing leaks ---- */

static size_t count_open(void)
{
    DIR *d = opendir("/proc/self/fd");
    size_t n = 0;

    assert_non_null(d);
    while (readdir(d))
        n++;
    (void)closedir(d);
    return n;
}

static void nothing_is_left_open_here(void **state)
{
    size_t before;
    struct talk t;

    (void)state;
    r.run.result = true;
    for (int i = 0; i < 4; i++)
        (void)ran("echo >&3"); /* what is kept is opened, and a slot made ahead */
    before = count_open();
    for (int i = 0; i < 16; i++) {
        talk_begin(&t, 10);
        (void)talk_through(&t, "cat");
    }
    assert_in_range(count_open(), 1, before); /* what is kept may be let go of at any time */
}

/* Another run begins while the first holds its wires, and outlives them: the first one's input ends
 * when the caller's end is closed, whoever else was started since. */
static void *run_beside(void *self)
{
    struct runs *other = self;
    struct outcome out = { 0 };
    struct error e = { 0 };

    return runs_try(other, world_real(), "exec cat", &out, &e) ? self : NULL;
}

static void wires_do_not_leak_into_other_runs(void **state)
{
    struct runs other;
    struct outcome out;
    struct talk t, long_one;
    pthread_t beside;
    void *went;
    char x;

    (void)state;
    talk_begin(&t, MANY);
    runs_make(&other);
    other.run.kept = r.run.kept;
    talk_begin(&long_one, 0);
    other.run.wired = true;
    other.run.wires[0] = long_one.theirs[0];
    other.run.wires[1] = long_one.theirs[1];
    r.run.wires[0] = t.theirs[0];
    r.run.wires[1] = t.theirs[1];
    assert_int_equal(pthread_create(&beside, NULL, run_beside, &other), 0);
    assert_int_equal(write(long_one.to, "x", 1), 1);
    assert_int_equal(read(long_one.from, &x, 1), 1); /* it runs: it has answered */
    out = talk_through(&t, "exec cat");              /* ends, although the other one goes on */
    assert_same(&t);
    assert_int_equal(out.exit_code, 0);
    (void)close(long_one.to);
    assert_int_equal(pthread_join(beside, &went), 0);
    assert_ptr_equal(went, &other);
    (void)close(long_one.from);
    (void)close(long_one.theirs[0]);
    (void)close(long_one.theirs[1]);
    runs_free(&other);
}

static int tests(void)
{
    const struct CMUnitTest list[] = {
        BOTH(wires_carry_both_ways_and_their_end_ends_it),
        BOTH(one_socket_can_be_both_wires),
        BOTH(wires_and_a_result_go_together),
        BOTH(a_closed_wire_breaks),
        BOTH(a_wired_run_out_of_time_is_killed),
        BOTH(a_wired_run_is_cancelled_however_long_it_may_run),
        BOTH(a_wire_that_is_closed_is_refused),
        BOTH(nothing_is_left_open_here),
        BOTH(wires_do_not_leak_into_other_runs),
    };

    return cmocka_run_group_tests(list, NULL, NULL);
}

int main(int argc, char **argv)
{
    (void)argv;
    return home_run(tests, argc > 1 ? SOME_USER : 0);
}
