/* SPDX-License-Identifier: Apache-2.0 */
/* waits.c: how long a call would wait, and what it means for the clock that it did. */
#include "sandbox/held/waits.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>

enum {
    RED_ZONE = 256,            /* below a stack there may be something up to here */
    SHORT_SLEEP_NS = 10000000, /* what threads sleep that only look after something */
};

/* ---- how long ---- */

enum form { FORM_SPEC, FORM_VAL, FORM_MS, FORM_EVER };

/* clang-format off */
static const struct wait_row {
    int call, arg;
    enum form form;
    int expired; /* its result when the time is up */
} waits[] = {
    { SYS_nanosleep,        0, FORM_SPEC, 0 },
    { SYS_ppoll,            2, FORM_SPEC, 0 },
    { SYS_pselect6,         4, FORM_SPEC, 0 },
    { SYS_epoll_pwait,      3, FORM_MS,   0 },
    { 441 /* epoll_pwait2 */, 3, FORM_SPEC, 0 },
    { SYS_rt_sigtimedwait,  2, FORM_SPEC, -EAGAIN },
    { SYS_rt_sigsuspend,    0, FORM_EVER, 0 },
#ifdef SYS_poll
    { SYS_pause,            0, FORM_EVER, 0 },
    { SYS_poll,             2, FORM_MS,   0 },
    { SYS_epoll_wait,       3, FORM_MS,   0 },
    { SYS_select,           4, FORM_VAL,  0 },
#endif
};
/* clang-format on */

/* Two of them fit 64 bits, and each holds every point in time that a run may begin at. */
static const int64_t seconds_most = INT64_C(9000000000);

static uint64_t nanoseconds(const struct held_time *t, int64_t part_ns)
{
    if (t->s < 0 || t->s > seconds_most || t->ns < 0 || t->ns >= (int64_t)HELD_SECOND_NS)
        return UINT64_MAX;
    return (uint64_t)t->s * HELD_SECOND_NS + (uint64_t)(t->ns * part_ns);
}

/* False: it does not wait, waits for ever where not only for signals, or the kernel has a word to
 * say about it. */
static bool read_wait(const struct wait_row *row, pid_t pid, const struct tracee_regs *regs,
                      uint64_t *ns)
{
    uint64_t arg = tracee_arg(regs, row->arg);
    struct held_time t = { 0 };

    if (row->form == FORM_EVER) {
        *ns = UINT64_MAX;
        return true;
    }
    if (row->form == FORM_MS) {
        *ns = (uint64_t)(int)arg * HELD_TICK_NS;
        return (int)arg > 0;
    }
    if (!tracee_read(pid, arg, &t, sizeof t))
        return false;
    *ns = nanoseconds(&t, row->form == FORM_VAL ? 1000 : 1);
    return *ns != UINT64_MAX;
}

/* ---- until a point in time ---- */

/* Puts what is left into memory that the thread does not use, and returns where. 0: it has none. */
static uint64_t put_left(pid_t pid, const struct tracee_regs *regs, const void *left, size_t n)
{
    uint64_t at = (tracee_stack(regs) - RED_ZONE - n) & ~UINT64_C(15);

    return tracee_write(pid, at, left, n) ? at : 0;
}

static struct held_time left_until(const struct held_ground *g, const struct held_state *state,
                                   int clock, const struct held_time *until)
{
    struct held_time t = { 0 }, left;
    uint64_t then = nanoseconds(until, 1), here = 0;

    if (held_clock(g->held, state, clock, &t))
        here = nanoseconds(&t, 1);
    if (then == UINT64_MAX)
        then = until->s < 0 ? 0 : here + UINT64_MAX / 8;
    then = then > here ? then - here : 0;
    left = (struct held_time){ (int64_t)(then / HELD_SECOND_NS), (int64_t)(then % HELD_SECOND_NS) };
    return left;
}

static void keep_args(const struct tracee_regs *regs, struct held_return *out)
{
    out->changed = true;
    for (int i = 0; i < TRACEE_ARGS; i++)
        out->args[i] = tracee_arg(regs, i);
}

static bool wait_for(const struct held_state *state, uint64_t ns, struct held_return *out)
{
    out->began = state->mono_ns;
    out->deadline = held_deadline(state, ns);
    return true;
}

static bool wait_left(const struct held_state *state, const struct held_time *left,
                      struct held_return *out)
{
    return wait_for(state, nanoseconds(left, 1), out);
}

static bool sleep_on_clock(const struct held_ground *g, pid_t pid, struct tracee_regs *regs,
                           const struct held_state *state, struct held_return *out)
{
    int clock = (int)tracee_arg(regs, 0), flags = (int)tracee_arg(regs, 1);
    struct held_time t;
    uint64_t at;

    if (!tracee_read(pid, tracee_arg(regs, 2), &t, sizeof t) || nanoseconds(&t, 1) == UINT64_MAX)
        return false;
    if (!(flags & TIMER_ABSTIME))
        return wait_left(state, &t, out);
    t = left_until(g, state, clock, &t);
    at = put_left(pid, regs, &t, sizeof t);
    if (at == 0 || (t.s == 0 && t.ns == 0)) {
        (void)tracee_answer(pid, regs, 0);
        return false;
    }
    keep_args(regs, out);
    tracee_set_arg(regs, 0, CLOCK_MONOTONIC);
    tracee_set_arg(regs, 1, 0);
    tracee_set_arg(regs, 2, at);
    tracee_set_arg(regs, 3, 0);
    return tracee_set(pid, regs) && wait_left(state, &t, out);
}

/* FUTEX_WAIT is for as long, all others until then. Of these the one that C libraries use is turned
 * into it. */
static bool futex_wait(const struct held_ground *g, pid_t pid, struct tracee_regs *regs,
                       const struct held_state *state, struct held_return *out)
{
    int op = (int)tracee_arg(regs, 1), command = op & FUTEX_CMD_MASK;
    int clock = op & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    struct held_time t;
    uint64_t at;

    out->expired = -ETIMEDOUT;
    if (!tracee_read(pid, tracee_arg(regs, 3), &t, sizeof t) || nanoseconds(&t, 1) == UINT64_MAX)
        return false;
    if (command == FUTEX_WAIT)
        return wait_left(state, &t, out);
    if (command != FUTEX_WAIT_BITSET || (uint32_t)tracee_arg(regs, 5) != FUTEX_BITSET_MATCH_ANY)
        return false;
    t = left_until(g, state, clock, &t);
    at = put_left(pid, regs, &t, sizeof t);
    if (at == 0)
        return false;
    keep_args(regs, out);
    tracee_set_arg(regs, 1, FUTEX_WAIT | (uint64_t)(op & FUTEX_PRIVATE_FLAG));
    tracee_set_arg(regs, 3, at);
    return tracee_set(pid, regs) && wait_left(state, &t, out);
}

/* ---- timers ---- */

struct timer {
    struct held_time every, at;
};

static bool is_none(const struct held_time *t)
{
    return t->s == 0 && t->ns == 0;
}

static void keep_tick(struct held_state *state, int number, const struct timer *timer,
                      int64_t part_ns)
{
    uint64_t ns = nanoseconds(is_none(&timer->every) ? &timer->at : &timer->every, part_ns);

    if (!is_none(&timer->at) && ns != UINT64_MAX)
        held_set(state, number, ns);
}

/* Those that are set to a point in time are set to what is left. A timerfd sends no signal. */
static bool set_timer(const struct held_ground *g, pid_t pid, struct tracee_regs *regs,
                      struct held_state *state, struct held_return *out)
{
    int number = (int)tracee_arg(regs, 0);
    bool signals = out->call == SYS_timer_settime && number >= 0;
    struct timer timer;
    uint64_t at;

    _Static_assert(TFD_TIMER_ABSTIME == TIMER_ABSTIME, "one flag for both calls");
    if (!tracee_read(pid, tracee_arg(regs, 2), &timer, sizeof timer) || is_none(&timer.at))
        return false;
    if (!(tracee_arg(regs, 1) & TIMER_ABSTIME)) {
        if (signals)
            keep_tick(state, number, &timer, 1);
        return false;
    }
    timer.at =
        left_until(g, state,
                   timer.at.s < (int64_t)(HELD_START_NS / HELD_SECOND_NS) * 1000 ? CLOCK_MONOTONIC
                                                                                 : CLOCK_REALTIME,
                   &timer.at);
    timer.at.ns += is_none(&timer.at); /* 0 would stop it */
    if (signals)
        keep_tick(state, number, &timer, 1);
    at = put_left(pid, regs, &timer, sizeof timer);
    if (at == 0)
        return false;
    keep_args(regs, out);
    tracee_set_arg(regs, 1, 0);
    tracee_set_arg(regs, 2, at);
    return tracee_set(pid, regs);
}

static bool set_interval(pid_t pid, const struct tracee_regs *regs, struct held_state *state)
{
    int which = (int)tracee_arg(regs, 0);
    struct timer timer;

    if (which >= ITIMER_REAL && which < HELD_INTERVALS &&
        tracee_read(pid, tracee_arg(regs, 1), &timer, sizeof timer))
        keep_tick(state, -1 - which, &timer, 1000);
    return false;
}

#ifdef SYS_alarm
static bool set_alarm(const struct tracee_regs *regs, struct held_state *state)
{
    keep_tick(state, -1 - ITIMER_REAL, &(struct timer){ .at.s = (uint32_t)tracee_arg(regs, 0) }, 1);
    return false;
}
#endif

/* ---- a wait ---- */

bool held_wait(const struct held_ground *g, pid_t pid, struct tracee_regs *regs,
               struct held_state *state, struct held_return *out)
{
    uint64_t ns;

    switch (out->call) {
    case SYS_clock_nanosleep: return sleep_on_clock(g, pid, regs, state, out);
    case SYS_futex: return futex_wait(g, pid, regs, state, out);
    case SYS_timerfd_settime:
    case SYS_timer_settime: return set_timer(g, pid, regs, state, out);
    case SYS_setitimer: return set_interval(pid, regs, state);
#ifdef SYS_alarm
    case SYS_alarm: return set_alarm(regs, state);
#endif
    default: break;
    }
    for (size_t i = 0; i < COUNT(waits); i++) {
        if (waits[i].call != out->call)
            continue;
        if (!read_wait(&waits[i], pid, regs, &ns))
            return false;
        out->expired = waits[i].expired;
        return wait_for(state, ns, out);
    }
    return false;
}

/* Runtimes have threads that only look after others, and sleep between. How often they do is
 * nothing that is the same in two runs. A thread that waits for the time looks no different. */
static bool only_looks_after(const struct held_return *r, const struct held_state *state)
{
    bool sleeps = r->call == SYS_nanosleep || r->call == SYS_clock_nanosleep;

    return sleeps && r->deadline <= state->mono_ns + SHORT_SLEEP_NS &&
           syscall(SYS_tgkill, r->pid, r->pid, 0) != 0;
}

bool held_wait_is_cut(const struct held_return *r, int64_t result)
{
    return r->deadline && (result == -EINTR || (result >= RESTART_FIRST && result <= RESTART_LAST));
}

void held_wait_was_cut(const struct held_ground *g, const struct held_return *r)
{
    uint64_t at;
    struct held_state state = held_load(g, r->pid, &at);
    uint64_t end = held_cut(&state, r->timer, r->began, r->deadline);

    if (only_looks_after(r, &state))
        held_slept(&state, end);
    else
        held_pass(&state, end);
    held_store(r->pid, at, &state);
}

void held_wait_ended(const struct held_ground *g, const struct held_return *r, int64_t result)
{
    uint64_t at;
    struct held_state state = held_load(g, r->pid, &at);

    if (result != r->expired)
        held_stall(&state, r->deadline);
    else if (only_looks_after(r, &state))
        held_slept(&state, r->deadline);
    else
        held_pass(&state, r->deadline);
    held_store(r->pid, at, &state);
}
