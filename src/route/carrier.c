/* SPDX-License-Identifier: Apache-2.0 */
/* carrier.c: starts, signals and ends a program outside of the walls, by way of its guard. */
#include "route/carrier.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/num.h"
#include "base/variable.h"
#include "base/world.h"
#include "contract/codes.h"
#include "route/guard.h"
#include "sandbox/kernel.h"
#include "sandbox/quiet_clone.h"

enum {
    START_MS = 10000,   /* for a program to be started */
    PATIENCE_MS = 2000, /* with a guard that is to end everything */
    ROUNDS = 64,        /* of looking for who was started meanwhile */
};

/* ---- finding ---- */

static bool is_program(const char *path)
{
    struct stat s;

    return *path == '/' && stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

const char *carrier_find(const char *name, char *const *environment, struct arena *a)
{
    const char *at = variable_of((const char *const *)environment, str_of("PATH"));

    at = at ? at : "";
    if (strchr(name, '/'))
        return is_program(name) ? name : NULL;
    while (*name && *at) {
        size_t n = strcspn(at, ":");
        const char *path = arena_printf(a, "%.*s/%s", (int)n, at, name);

        if (is_program(path))
            return path;
        at += n + (at[n] == ':');
    }
    return NULL;
}

/* ---- starting ---- */

/* Descriptors of one start: ours are in the carrier, theirs are closed when it is under way. */
struct starting {
    int theirs[3];
    int caller, report[2];
};

static void starting_free(struct starting *s)
{
    for (int i = 0; i < 3; i++)
        own_close(&s->theirs[i]);
    own_close(&s->caller);
    own_close(&s->report[0]);
    own_close(&s->report[1]);
}

/* A pipe for their descriptor; they read from 0 and write to the others. */
static bool lay(struct starting *s, int fd, int *ours)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    *ours = ends[fd == 0];
    s->theirs[fd] = ends[fd != 0];
    return true;
}

static bool lay_all(const struct carrier_ask *ask, struct starting *s, struct carrier *c)
{
    bool ok = lay(s, 1, &c->from) && pipe2(s->report, O_CLOEXEC) == 0;

    ok = ok && (ask->errors ? lay(s, 2, &c->err)
                            : (s->theirs[2] = open("/dev/null", O_WRONLY | O_CLOEXEC)) >= 0);
    if (ask->input)
        ok = ok && (s->theirs[0] = fcntl(*ask->input, F_DUPFD_CLOEXEC, 0)) >= 0;
    else
        ok = ok && lay(s, 0, &c->to);
    return ok && (s->caller = (int)syscall(SYS_pidfd_open, getpid(), 0)) >= 0;
}

/* A program may stop its guard before it has said that it is there. False: the time is over. */
static bool has_word(int report)
{
    const struct world *w = world_real();
    int64_t deadline_ms = w->mono_ms(w->self) + START_MS, left = START_MS;
    struct pollfd p = { .fd = report, .events = POLLIN };

    while (left > 0 && poll(&p, 1, poll_ms(left)) < 0 && errno == EINTR)
        left = deadline_ms - w->mono_ms(w->self);
    return p.revents != 0;
}

static ssize_t next_word(int report, struct guard_word *word)
{
    ssize_t n;

    if (!has_word(report))
        return 0;
    do
        n = read(report, word, sizeof *word);
    while (n < 0 && errno == EINTR);
    return n;
}

/* Until the program has become what it is to be, or could not. */
static bool hear_words(struct starting *s, struct carrier *c, const char *path, struct error *e)
{
    struct guard_word word;
    bool alive = false, good = true;
    ssize_t n;

    (void)close(s->report[1]);
    s->report[1] = -1;
    while ((n = next_word(s->report[0], &word)) != 0) {
        if (n != (ssize_t)sizeof word)
            break;
        alive = true;
        if (word.news == GUARD_WHOLE) {
            c->whole = word.value != 0;
            continue;
        }
        good = false;
        errno = word.value;
        (void)error_sys(e, CODE_RCH_UNAVAILABLE, "%s cannot be started", path);
    }
    if (!alive)
        return error_set(e, CODE_RCH_UNAVAILABLE, "%s cannot be started", path);
    return good;
}

static bool start(const struct carrier_ask *ask, const char *path, struct carrier *c,
                  struct error *e)
{
    _cleanup_(starting_free) struct starting s = { .theirs = { -1, -1, -1 },
                                                   .caller = -1,
                                                   .report = { -1, -1 } };
    struct clone_args args = { .flags = CLONE_PIDFD, .pidfd = (uintptr_t)&c->pidfd };
    struct guard guard = { .path = path,
                           .argv = ask->argv,
                           .environment = ask->environment,
                           .cwd = ask->cwd,
                           .last = ask->last };
    long pid;

    if (!lay_all(ask, &s, c))
        return error_sys(e, CODE_RCH_UNAVAILABLE, "%s cannot be started: no pipe", path);
    memcpy(guard.stdio, s.theirs, sizeof guard.stdio);
    guard.caller = s.caller;
    guard.report = s.report[1];
    pid = quiet_clone(&args);
    if (pid < 0)
        return error_sys(e, CODE_RCH_UNAVAILABLE, "%s cannot be started", path);
    if (pid == 0)
        guard_main(&guard);
    c->pid = (pid_t)pid;
    return hear_words(&s, c, path, e);
}

bool carrier_start(const struct carrier_ask *ask, struct arena *a, struct carrier *out,
                   struct error *e)
{
    struct carrier c = { .pidfd = -1, .to = -1, .from = -1, .err = -1 };
    const char *path = carrier_find(ask->argv[0], ask->environment, a);

    if (!path)
        return error_set(e, CODE_RCH_UNAVAILABLE, "'%s' is not a program in PATH", ask->argv[0]);
    if (start(ask, path, &c, e)) {
        *out = c;
        return true;
    }
    (void)carrier_end(&c);
    return false;
}

/* ---- ending ---- */

void carrier_signal(const struct carrier *c, int signal)
{
    int sent = signal == SIGKILL ? SIGQUIT : signal;

    if (c->pidfd >= 0)
        (void)syscall(SYS_pidfd_send_signal, c->pidfd, sent, NULL, 0);
}

/* False: it is not of that session, or dead already. */
static bool end_one(pid_t pid, pid_t session)
{
    _fd_ int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd dead = { .fd = fd, .events = POLLIN };

    if (fd < 0 || getsid(pid) != session || poll(&dead, 1, 0) > 0)
        return false;
    (void)syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
    (void)poll(&dead, 1, PATIENCE_MS);
    return true;
}

static bool end_some(pid_t session)
{
    DIR *proc = opendir("/proc");
    bool any = false;
    struct dirent *d;

    while (proc && (d = readdir(proc))) {
        int64_t pid;

        if (num_int(str_of(d->d_name), &pid) && pid > 0 && pid <= INT_MAX)
            any |= end_one((pid_t)pid, session);
    }
    if (proc)
        (void)closedir(proc);
    return any;
}

/* A guard that was killed has ended nobody but the program. Who is still in its session is found by
 * that: its number is nobody else's until the guard was waited for. */
static void end_session(const struct carrier *c)
{
    siginfo_t how = { 0 };

    while (waitid(P_PID, (id_t)c->pid, &how, WEXITED | WNOWAIT | __WALL) < 0 && errno == EINTR)
        ;
    for (int i = 0; i < ROUNDS && how.si_code != CLD_EXITED && end_some(c->pid);)
        i++;
}

/* A guard that somebody has stopped is ended itself, and the program with it. */
int carrier_end(struct carrier *c)
{
    struct pollfd dead = { .fd = c->pidfd, .events = POLLIN };
    int status = 0;

    own_close(&c->to);
    own_close(&c->from);
    own_close(&c->err);
    if (c->pidfd < 0)
        return status;
    carrier_signal(c, SIGKILL);
    while (poll(&dead, 1, PATIENCE_MS) < 0 && errno == EINTR)
        ;
    if (!dead.revents)
        (void)syscall(SYS_pidfd_send_signal, c->pidfd, SIGKILL, NULL, 0);
    end_session(c);
    while (wait4(c->pid, &status, __WALL, &c->used) < 0 && errno == EINTR)
        ;
    own_close(&c->pidfd);
    return status;
}
