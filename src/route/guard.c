/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c: starts the program of a carrier, waits, and leaves nothing of it behind. */
#include "route/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/own.h"
#include "base/signals.h"

/* Its descriptors, after those of the program. */
enum { FD_CALLER = 3, FD_REPORT, FD_REST, ABOVE = 16 };

enum {
    TICK_MS = 50,
    TICKS = 20,        /* until a program whose caller is gone is asked to end, and until it must */
    LIST = 4096,       /* bytes of a list of processes, read at a time */
    LAST_TICKS = 60,   /* for a command that is run at the end */
    LAST_ROUNDS = 2,   /* of those: what they end may only be coming into being */
    STATUS_LOST = 127, /* the program could not even be started */
};

struct watch {
    const struct guard *g;
    pid_t self, program;
    int signals;
    bool whole;
    bool over; /* the program has ended: status */
    int status;
    bool kill; /* somebody wants the end of it all */
};

/* ---- the program ---- */

static void tell(enum guard_news news, int value)
{
    const struct guard_word word = { news, value };

    (void)!write(FD_REPORT, &word, sizeof word);
}

/* The program was not started. */
static _Noreturn void give_up(void)
{
    tell(GUARD_FAILED, errno);
    _exit(STATUS_LOST);
}

/* It dies with the guard, which has one thread only. */
static int program_main(void *self)
{
    const struct watch *w = self;
    sigset_t none;

    (void)sigemptyset(&none);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == w->self && (!w->g->cwd || chdir(w->g->cwd) == 0)) {
        (void)sigprocmask(SIG_SETMASK, &none, NULL);
        descriptors_restore();
        (void)execve(w->g->path, w->g->argv, w->g->environment);
    }
    give_up();
}

/* Descriptors that are where others are to be are moved out of the way first. */
static bool take_descriptors(const struct guard *g)
{
    const int from[FD_REST] = { g->stdio[0], g->stdio[1], g->stdio[2], g->caller, g->report };
    int high[FD_REST];

    for (int i = 0; i < FD_REST; i++)
        high[i] = fcntl(from[i], F_DUPFD_CLOEXEC, ABOVE);
    for (int i = 0; i < FD_REST; i++)
        if (high[i] < 0 || dup3(high[i], i, i < FD_CALLER ? 0 : O_CLOEXEC) < 0)
            return false;
    return syscall(SYS_close_range, FD_REST, UINT32_MAX, 0) == 0;
}

/* ---- everybody ---- */

static pid_t number(const char **at)
{
    pid_t n = 0;

    while (**at >= '0' && **at <= '9')
        n = n * 10 + (*(*at)++ - '0');
    return n;
}

/* Are the numbers of /proc ours? In a process namespace it may be another's. */
static bool proc_is_ours(pid_t self)
{
    char name[32] = { 0 };
    const char *at = name;

    return readlink("/proc/self", name, sizeof name - 1) > 0 && number(&at) == self;
}

/* Those whose numbers are in the list; one that may be cut off at its end is met the next time. */
static bool kill_listed(const char *list)
{
    bool any = false;

    while (*list) {
        pid_t pid = number(&list);

        if (pid > 0 && *list == ' ')
            any |= kill(pid, SIGKILL) == 0;
        list += *list != '\0';
    }
    return any;
}

/* Our own children, and nobody else: who lost its parents has become one. */
static bool kill_children(void)
{
    char list[LIST + 1];
    _fd_ int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, list, LIST);

    if (n <= 0)
        return false;
    list[n] = '\0';
    return kill_listed(list);
}

static void reap(struct watch *w, int how)
{
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, how | __WALL)) > 0) {
        how = WNOHANG;
        if (pid != w->program)
            continue;
        w->over = true;
        w->status = status;
    }
}

/* A program that was killed may have left somebody who cleans up after it: srun has such a child,
 * that ends its step. It is given a moment. */
static void let_heirs_end(struct watch *w)
{
    struct pollfd signals = { .fd = w->signals, .events = POLLIN };
    struct signalfd_siginfo info;

    for (int tick = 0; tick < TICKS && w->over && WIFSIGNALED(w->status) && !w->kill; tick++) {
        if (waitpid(-1, NULL, WNOHANG | __WALL) < 0)
            return; /* nobody is left */
        if (poll(&signals, 1, TICK_MS) <= 0)
            continue;
        while (read(w->signals, &info, sizeof info) == (ssize_t)sizeof info)
            w->kill |= info.ssi_signo == SIGQUIT;
    }
}

/* When one is dead, those it had started are ours, and the next. */
static void kill_all(struct watch *w)
{
    (void)kill(-w->program, SIGKILL);
    while (w->whole && kill_children())
        reap(w, 0);
    while (!w->over && waitpid(w->program, &w->status, __WALL) < 0 && errno == EINTR)
        ;
}

/* ---- waiting ---- */

static void hear(struct watch *w)
{
    struct signalfd_siginfo info;

    while (read(w->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGQUIT)
            w->kill = true;
        else if (info.ssi_signo == SIGCHLD)
            reap(w, WNOHANG);
        else
            (void)kill(-w->program, (int)info.ssi_signo);
    }
}

/* Its input has ended with us, and it may end by itself: an srun that is killed leaves its step. */
static void outlive_caller(struct watch *w)
{
    struct pollfd signals = { .fd = w->signals, .events = POLLIN };

    for (int tick = 0; tick < 2 * TICKS && !w->over && !w->kill; tick++) {
        if (tick == TICKS)
            (void)kill(-w->program, SIGTERM);
        if (poll(&signals, 1, TICK_MS) > 0)
            hear(w);
    }
}

static void wait_for_end(struct watch *w)
{
    struct pollfd fds[] = { { .fd = w->signals, .events = POLLIN },
                            { .fd = FD_CALLER, .events = POLLIN } };

    while (!w->over && !w->kill) {
        if (poll(fds, COUNT(fds), -1) < 0)
            continue;
        if (fds[0].revents)
            hear(w);
        if (fds[1].revents) {
            outlive_caller(w);
            return;
        }
    }
}

struct last {
    char *const *words, *const *environment;
};

static int last_main(void *self)
{
    const struct last *last = self;
    sigset_t none;

    (void)sigemptyset(&none);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)execve(last->words[0], last->words, last->environment);
    _exit(STATUS_LOST);
}

static bool caller_is_gone(void)
{
    struct pollfd caller = { .fd = FD_CALLER, .events = POLLIN };

    return poll(&caller, 1, 0) > 0;
}

static void run_one(const struct watch *w, char *const *words)
{
    static char stack[16 << 10] __attribute__((aligned(16)));
    struct pollfd signals = { .fd = w->signals, .events = POLLIN };
    struct signalfd_siginfo info;
    struct last last = { words, w->g->environment };
    pid_t pid = clone(last_main, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &last);

    for (int tick = 0; pid > 0 && tick < LAST_TICKS; tick++) {
        if (waitpid(pid, NULL, WNOHANG | __WALL) != 0)
            return;
        if (poll(&signals, 1, TICK_MS) > 0)
            (void)!read(w->signals, &info, sizeof info);
    }
    if (pid > 0 && kill(pid, SIGKILL) == 0)
        (void)waitpid(pid, NULL, __WALL);
}

/* We are gone, and cannot do it. */
static void run_last(const struct watch *w)
{
    if (!w->g->last || !caller_is_gone() || (WIFEXITED(w->status) && WEXITSTATUS(w->status) == 0))
        return;
    for (int fd = 0; fd < FD_CALLER; fd++)
        (void)open("/dev/null", O_RDWR);
    for (int round = 0; round < LAST_ROUNDS; round++) {
        if (round)
            (void)poll(NULL, 0, TICKS * TICK_MS);
        for (char *const *const *words = w->g->last; *words; words++)
            run_one(w, *words);
    }
}

/* As the program did, but without another core; and, should that signal not end us, never with 0.
 */
static _Noreturn void end_as(int status)
{
    static const struct rlimit no_core;
    sigset_t it; /* alone: others may be waiting */

    if (!WIFSIGNALED(status))
        _exit(WEXITSTATUS(status));
    (void)setrlimit(RLIMIT_CORE, &no_core);
    (void)sigemptyset(&it);
    (void)sigaddset(&it, WTERMSIG(status));
    (void)kill(getpid(), WTERMSIG(status));
    (void)sigprocmask(SIG_UNBLOCK, &it, NULL);
    _exit(128 + WTERMSIG(status));
}

void guard_main(const struct guard *g)
{
    static char stack[64 << 10] __attribute__((aligned(16)));
    struct watch w = { .g = g, .self = getpid() };
    sigset_t all;

    (void)setsid();
    (void)prctl(PR_SET_NAME, "writ-guard");
    (void)sigfillset(&all);
    signals_reset();
    if (!take_descriptors(g))
        _exit(STATUS_LOST);
    w.signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    if (w.signals < 0)
        give_up();
    w.whole = prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 && proc_is_ours(w.self) &&
              access("/proc/thread-self/children", R_OK) == 0;
    tell(GUARD_WHOLE, w.whole);
    /* The program borrows our memory until it execs: nothing is copied. */
    w.program = clone(program_main, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &w);
    if (w.program < 0)
        give_up();
    (void)close(FD_REPORT);
    for (int fd = 0; fd < FD_CALLER; fd++)
        (void)close(fd);
    (void)!chdir("/"); /* it keeps no file system busy */
    wait_for_end(&w);
    let_heirs_end(&w);
    kill_all(&w);
    run_last(&w);
    end_as(w.status);
}
