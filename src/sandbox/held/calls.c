/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c: what becomes of each of the calls about time and chance. */
#include "sandbox/held/calls.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <time.h>

#include "sandbox/held/dirs.h"
#include "sandbox/held/waits.h"

/* A call that was stopped at. */
struct asked {
    const struct held_ground *g;
    pid_t pid;
    struct tracee_regs regs;
    struct held_state state;
    uint64_t at; /* of the state */
    struct held_return *out;
};

static void answer(struct asked *a, int64_t result)
{
    (void)tracee_answer(a->pid, &a->regs, result);
}

/* Writes the answer where the caller wants it. */
static bool answer_with(struct asked *a, uint64_t to, const void *from, size_t n)
{
    bool there = tracee_write(a->pid, to, from, n);

    answer(a, there ? 0 : -EFAULT);
    return false;
}

/* ---- clocks ---- */

static struct held_time now(struct asked *a, int clock)
{
    struct held_time t = { 0 };

    held_asked(&a->state, HELD_READS_SLOW);
    held_store(a->pid, a->at, &a->state);
    (void)!held_clock(a->g->held, &a->state, clock, &t);
    return t;
}

static bool clock_read(struct asked *a)
{
    int clock = (int)tracee_arg(&a->regs, 0);
    struct held_time t;

    if (!held_clock(a->g->held, &a->state, clock, &t))
        return false; /* the kernel says what it thinks of it */
    t = now(a, clock);
    return answer_with(a, tracee_arg(&a->regs, 1), &t, sizeof t);
}

static bool day_read(struct asked *a)
{
    static const int64_t zone; /* two numbers of 32 bits */
    struct held_time t = now(a, CLOCK_REALTIME);
    uint64_t to = tracee_arg(&a->regs, 0), to_zone = tracee_arg(&a->regs, 1);

    t.ns /= 1000;
    if (to_zone && !tracee_write(a->pid, to_zone, &zone, sizeof zone)) {
        answer(a, -EFAULT);
        return false;
    }
    if (to)
        return answer_with(a, to, &t, sizeof t);
    answer(a, 0);
    return false;
}

#ifdef SYS_time
static bool seconds_read(struct asked *a)
{
    struct held_time t = now(a, CLOCK_REALTIME);
    uint64_t to = tracee_arg(&a->regs, 0);

    answer(a, to && !tracee_write(a->pid, to, &t.s, sizeof t.s) ? -EFAULT : t.s);
    return false;
}
#endif

/* In hundredths of a second, as the kernel counts everywhere. Nobody has used any of it. */
static bool ticks_read(struct asked *a)
{
    static const struct tms none;
    struct held_time t = now(a, CLOCK_MONOTONIC);
    uint64_t to = tracee_arg(&a->regs, 0);

    answer(a, to && !tracee_write(a->pid, to, &none, sizeof none) ? -EFAULT
                                                                  : t.s * 100 + t.ns / 10000000);
    return false;
}

static bool usage_read(struct asked *a)
{
    static const struct rusage none;

    return answer_with(a, tracee_arg(&a->regs, 1), &none, sizeof none);
}

/* ---- chance ---- */

static bool random_drawn(struct asked *a)
{
    enum { MOST = 1 << 20 }; /* who wants more asks again */
    uint64_t to = tracee_arg(&a->regs, 0), wanted = tracee_arg(&a->regs, 1);
    uint64_t n = wanted < MOST ? wanted : MOST, done = 0;
    unsigned char parts[16 * HELD_PART];

    while (done < n) {
        size_t some = n - done < sizeof parts ? (size_t)(n - done) : sizeof parts;

        for (size_t i = 0; i < some; i += HELD_PART)
            held_draw(a->g->held, (uint64_t)a->pid, &a->state.drawn, parts + i);
        if (!tracee_write(a->pid, to + done, parts, some))
            break;
        done += some;
    }
    held_store(a->pid, a->at, &a->state);
    answer(a, done > 0 || n == 0 ? (int64_t)done : -EFAULT);
    return false;
}

/* ---- calls that return ---- */

static bool program_loaded(struct asked *a)
{
    a->out->exec = true;
    a->out->state = a->state;
    return true;
}

/* What the kernel writes there is made the same when it returns. */
static bool filled(struct asked *a, int arg)
{
    a->out->memory = tracee_arg(&a->regs, arg);
    return a->out->memory != 0;
}

static bool system_read(struct asked *a)
{
    return filled(a, 0);
}

static bool directory_read(struct asked *a)
{
    return filled(a, 1);
}

static bool child_waited(struct asked *a)
{
    (void)filled(a, a->out->call == SYS_wait4 ? 3 : 4);
    a->out->info = tracee_arg(&a->regs, 2);
    return true;
}

static bool waited(struct asked *a)
{
    return held_wait(a->g, a->pid, &a->regs, &a->state, a->out);
}

static bool timer_set(struct asked *a)
{
    bool changed = waited(a);

    held_store(a->pid, a->at, &a->state);
    return changed;
}

/* clang-format off */
static const struct {
    int call;
    bool (*does)(struct asked *a); /* true: it is looked at when it returns */
} rows[] = {
    { SYS_clock_gettime,   clock_read },
    { SYS_gettimeofday,    day_read },
#ifdef SYS_time
    { SYS_time,            seconds_read },
#endif
    { SYS_times,           ticks_read },
    { SYS_getrusage,       usage_read },
    { SYS_getrandom,       random_drawn },
    { SYS_sysinfo,         system_read },
    { SYS_getdents64,      directory_read },
    { SYS_wait4,           child_waited },
    { SYS_waitid,          child_waited },
    { SYS_setitimer,       timer_set },
    { SYS_timer_settime,   timer_set },
#ifdef SYS_alarm
    { SYS_alarm,           timer_set },
#endif
    { SYS_execve,          program_loaded },
    { SYS_execveat,        program_loaded },
};
/* clang-format on */

bool held_call(const struct held_ground *g, pid_t pid, struct held_return *out)
{
    struct asked a = { .g = g, .pid = pid, .out = out };

    *out = (struct held_return){ .pid = pid };
    if (!tracee_get(pid, &a.regs))
        return false;
    a.state = held_load(g, pid, &a.at);
    out->call = tracee_call(&a.regs);
    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].call == out->call)
            return rows[i].does(&a);
    return waited(&a);
}

/* ---- at the return ---- */

static void make_system_same(const struct held_ground *g, const struct held_return *r)
{
    struct sysinfo s = { 0 };
    struct held_time t;
    uint64_t at;
    struct held_state state = held_load(g, r->pid, &at);

    if (!held_clock(g->held, &state, CLOCK_MONOTONIC, &t) ||
        !tracee_read(r->pid, r->memory, &s, sizeof s))
        return;
    s = (struct sysinfo){ .uptime = t.s,
                          .totalram = s.totalram,
                          .freeram = s.totalram,
                          .totalswap = s.totalswap,
                          .freeswap = s.totalswap,
                          .procs = 1,
                          .mem_unit = s.mem_unit };
    (void)!tracee_write(r->pid, r->memory, &s, sizeof s);
}

static void make_same(const struct held_ground *g, const struct held_return *r, int64_t result)
{
    static const struct rusage none;

    if (r->call == SYS_sysinfo)
        make_system_same(g, r);
    else if (r->call == SYS_getdents64)
        held_dirs_returned(r->pid, r->memory, result);
    else
        (void)!tracee_write(r->pid, r->memory, &none, sizeof none);
}

/* What a process has waited for was there when its child ended. */
static void catch_up(const struct held_ground *g, const struct held_return *r, int64_t result)
{
    uint64_t at;
    struct held_state state;
    siginfo_t info = { 0 };
    pid_t child = (pid_t)result;

    if (r->call == SYS_waitid) {
        if (!r->info || !tracee_read(r->pid, r->info, &info, sizeof info))
            return;
        child = info.si_pid;
    }
    for (size_t i = 0; i < HELD_ENDS && child > 0; i++) {
        if (g->ends[i].pid != child)
            continue;
        state = held_load(g, r->pid, &at);
        held_pass(&state, g->ends[i].mono_ns);
        held_store(r->pid, at, &state);
    }
}

bool held_returned(const struct held_ground *g, struct held_return *r)
{
    struct tracee_regs regs;
    int64_t result;

    if (!tracee_get(r->pid, &regs))
        return false;
    result = tracee_result(&regs);
    if (r->changed) {
        tracee_put_back(&regs, r->args);
        (void)tracee_set(r->pid, &regs);
        r->changed = false;
    }
    r->cut = held_wait_is_cut(r, result);
    r->again = result != -EINTR;
    if (r->cut) /* what takes it up again has the arguments, or needs none */
        return true;
    if (result >= RESTART_FIRST && result <= RESTART_LAST)
        return false;
    if (r->memory && result >= 0)
        make_same(g, r, result);
    if (r->deadline)
        held_wait_ended(g, r, result);
    if ((r->call == SYS_wait4 || r->call == SYS_waitid) && result >= 0)
        catch_up(g, r, result);
    return false;
}
