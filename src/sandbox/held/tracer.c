/* SPDX-License-Identifier: Apache-2.0 */
/* tracer.c: from one stop to the next. */
#include "sandbox/held_tracer.h"

#include <errno.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/held/waits.h"

enum {
    FOLLOWED = PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
               PTRACE_O_TRACEEXIT | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD |
               PTRACE_O_EXITKILL,
    IN_CALL = 0x80, /* what TRACESYSGOOD adds to SIGTRAP */
    EVENTS = 16,    /* bits below the event in a status */
};

int tracer_begin(const struct held *held)
{
    if (!held->on)
        return 0;
    if (personality(ADDR_NO_RANDOMIZE) < 0)
        return -1;
    if (tracee_ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
        return -1;
    return kill(getpid(), SIGSTOP);
}

void tracer_start(struct tracer *t, const struct held *held)
{
    t->on = held->on;
    if (held->on)
        t->ground = held_ground(held);
}

/* ---- calls that return ---- */

static struct held_return *find_return(struct tracer *t, pid_t pid)
{
    for (size_t i = 0; i < TRACER_RETURNS; i++)
        if (t->returns[i].pid == pid)
            return &t->returns[i];
    return NULL;
}

static void drop_return(struct tracer *t, pid_t pid)
{
    struct held_return *r = pid > 0 ? find_return(t, pid) : NULL;

    if (r)
        r->pid = 0;
}

/* Until the return of a call is seen, every stop of the thread is asked for. */
static void go_on(struct tracer *t, pid_t pid, int signal)
{
    const struct held_return *r = find_return(t, pid);

    (void)tracee_ptrace(r && !r->exec ? PTRACE_SYSCALL : PTRACE_CONT, pid, 0, (uint64_t)signal);
}

/* Where there is no room left, it is let go on, and its clock stays where it is. A wait that is
 * made again as it was has the deadline that it had: what is left of it is real. */
static void at_call(struct tracer *t, pid_t pid)
{
    struct held_return seen, was = { 0 }, *place = find_return(t, pid);

    if (place)
        was = *place;
    drop_return(t, pid);
    if (held_call(&t->ground, pid, &seen)) {
        if (was.cut) {
            seen.began = was.began;
            seen.deadline = was.deadline;
        }
        place = find_return(t, 0);
        if (place)
            *place = seen;
    }
    go_on(t, pid, 0);
}

/* What the kernel says of a stop in a call; every C library names it differently. */
struct in_call {
    uint8_t op;
    uint32_t arch;
    uint64_t at, stack;
    uint64_t call; /* at its beginning */
    uint64_t args[TRACEE_ARGS];
};

/* The kernel makes a wait again that nobody has heard the signal of: by a call for that, or as it
 * was. */
static bool is_taken_up(const struct held_return *r, const struct in_call *info)
{
    if (!r || !r->cut || !r->again)
        return false;
    return info->call == SYS_restart_syscall ||
           (info->call == (uint64_t)r->call && info->at == r->at && info->stack == r->stack);
}

/* The kernel says in_call at the beginning and at the end; at a beginning only one that takes up
 * what a signal has interrupted belongs to the same call. */
static void in_call(struct tracer *t, pid_t pid)
{
    struct held_return *r = find_return(t, pid);
    struct in_call info = { 0 };
    bool over = false;

    (void)tracee_ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, (uintptr_t)&info);
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        over = !is_taken_up(r, &info);
    } else if (r && info.op == PTRACE_SYSCALL_INFO_EXIT) {
        over = !held_returned(&t->ground, r);
        r->at = info.at;
        r->stack = info.stack;
    }
    if (over)
        drop_return(t, pid);
    go_on(t, pid, 0);
}

/* ---- programs ---- */

/* What is traced since before its first program cannot be let stop and go on as others are; who is
 * taken over afterwards can. It is stopped, let go of and taken over, and has not run. */
static bool take_over(struct tracer *t, pid_t pid)
{
    int status;

    if (kill(pid, SIGSTOP) != 0 || tracee_ptrace(PTRACE_DETACH, pid, 0, 0) != 0)
        return false;
    while (waitpid(pid, &status, WUNTRACED | __WALL) < 0)
        if (errno != EINTR)
            return false;
    if (!WIFSTOPPED(status) || tracee_ptrace(PTRACE_SEIZE, pid, 0, FOLLOWED) != 0)
        return false;
    t->seized = true;
    return kill(pid, SIGCONT) == 0;
}

static void at_exec(struct tracer *t, pid_t pid)
{
    unsigned long former = 0;
    const struct held_return *r;
    struct held_state state = held_begin();

    (void)tracee_ptrace(PTRACE_GETEVENTMSG, pid, 0, (uintptr_t)&former);
    r = find_return(t, (pid_t)former);
    if (r && r->exec)
        state = r->state;
    drop_return(t, (pid_t)former);
    drop_return(t, pid);
    errno = 0;
    if (!held_image(&t->ground, pid, state) || (!t->seized && !take_over(t, pid))) {
        if (!t->seized)
            t->failed = errno ? errno : EFAULT;   /* its memory is not as it should be */
        t->unheld |= t->seized && errno != ESRCH; /* else it is gone already */
        (void)kill(pid, SIGKILL);                 /* with a clock that runs nobody may go on */
        return;
    }
    go_on(t, pid, 0);
}

/* Of who is killed nobody waits to hear what time it was. */
static void at_exit(struct tracer *t, pid_t pid)
{
    unsigned long status = SIGKILL;

    (void)tracee_ptrace(PTRACE_GETEVENTMSG, pid, 0, (uintptr_t)&status);
    drop_return(t, pid);
    if (WTERMSIG((int)status) != SIGKILL)
        held_ends(&t->ground, pid);
    go_on(t, pid, 0);
}

/* ---- signals ---- */

static const int intervals[HELD_INTERVALS] = {
    [ITIMER_REAL] = SIGALRM,
    [ITIMER_VIRTUAL] = SIGVTALRM,
    [ITIMER_PROF] = SIGPROF,
};

static bool is_of_timer(pid_t pid, int signal, int *timer)
{
    siginfo_t info = { 0 };

    if (tracee_ptrace(PTRACE_GETSIGINFO, pid, 0, (uintptr_t)&info) != 0)
        return false;
    if (info.si_code == SI_TIMER) {
        *timer = info.si_timerid;
        return true;
    }
    for (int i = 0; i < HELD_INTERVALS && info.si_code == SI_KERNEL; i++)
        if (intervals[i] == signal) {
            *timer = -1 - i;
            return true;
        }
    return false;
}

static void cut_wait(struct tracer *t, const struct held_return *r)
{
    if (r->of_timer)
        held_wait_was_cut(&t->ground, r);
    drop_return(t, r->pid);
}

/* Which signal interrupts a wait is known when it comes, right after. Who is traced is interrupted
 * by those, too, that it ignores: whether this one cuts the wait off is known when the kernel has
 * made the handler's place on the stack, or none. It stops there before anything of it runs. */
static void interrupt_wait(struct tracer *t, pid_t pid, int signal)
{
    struct held_return *r = find_return(t, pid);

    if (!r || !r->cut)
        return;
    r->of_timer = is_of_timer(pid, signal, &r->timer);
    if (r->again)
        r->asked = tracee_ptrace(PTRACE_INTERRUPT, pid, 0, 0) == 0;
    else
        cut_wait(t, r);
}

static void look_for_handler(struct tracer *t, pid_t pid)
{
    struct held_return *r = find_return(t, pid);
    struct tracee_regs regs;

    if (!r || !r->asked)
        return;
    r->asked = false;
    if (tracee_get(pid, &regs) && tracee_stack(&regs) != r->stack)
        cut_wait(t, r);
}

static void at_signal(struct tracer *t, pid_t pid, int signal)
{
    struct tracee_regs regs;
    struct held_state state;
    uint64_t at;

    if (signal == SIGSEGV && tracee_get(pid, &regs)) {
        state = held_load(&t->ground, pid, &at);
        state.cycles++;
        if (tracee_step_over_counter(pid, &regs, state.mono_ns + state.cycles)) {
            held_store(pid, at, &state);
            signal = 0;
        }
    }
    if (signal == SIGILL && tracee_get(pid, &regs) && held_image_is_open(&t->ground, pid, &regs))
        signal = 0;
    interrupt_wait(t, pid, signal);
    go_on(t, pid, signal);
}

/* A stop of the whole process is left in force until somebody ends it. */
static void at_stop(struct tracer *t, pid_t pid, int signal)
{
    look_for_handler(t, pid);
    if (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU)
        (void)tracee_ptrace(PTRACE_LISTEN, pid, 0, 0);
    else
        go_on(t, pid, 0);
}

void tracer_stopped(struct tracer *t, pid_t pid, int status)
{
    int signal = WSTOPSIG(status), event = status >> EVENTS;

    if (!t->began && pid == t->command) {
        t->began = true;
        if (tracee_ptrace(PTRACE_SETOPTIONS, pid, 0, FOLLOWED) != 0)
            t->failed = errno;
        (void)tracee_ptrace(PTRACE_CONT, pid, 0, 0);
    } else if (event == PTRACE_EVENT_EXEC) {
        at_exec(t, pid);
    } else if (event == PTRACE_EVENT_SECCOMP) {
        at_call(t, pid);
    } else if (event == PTRACE_EVENT_EXIT) {
        at_exit(t, pid);
    } else if (event == PTRACE_EVENT_STOP) {
        at_stop(t, pid, signal);
    } else if (event != 0) {
        go_on(t, pid, 0);
    } else if (signal == (SIGTRAP | IN_CALL)) {
        in_call(t, pid);
    } else {
        at_signal(t, pid, signal);
    }
}

void tracer_ended(struct tracer *t, pid_t pid)
{
    if (t->on)
        drop_return(t, pid);
}
