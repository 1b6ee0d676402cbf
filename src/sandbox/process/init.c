/* SPDX-License-Identifier: Apache-2.0 */
/* init.c: from fork to exec where there are no namespaces, and the end of the tree.
 *
 * As in child.c nothing here allocates, locks or uses stdio. Init is a plain process that gets
 * every orphan of its tree. It enters a Landlock domain that holds signals alone, and the command
 * one inside of it: so kill(-1) of init means its tree and nobody else, all of it at once, and the
 * command cannot reach init.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "contract/codes.h"
#include "sandbox/init_clock.h"
#include "sandbox/kernel.h"
#include "sandbox/landlock.h"
#include "sandbox/process.h"
#include "sandbox/quiet_clone.h"
#include "sandbox/stages.h"

/* ---- stages of its own ---- */

/* Where clone3 is forbidden, nobody can be born into a group. */
static int join_group(struct child *c)
{
    int into = c->jail->joins ? cgroup_into(&c->jail->cgroup) : -1, procs, done;

    if (into < 0)
        return 0;
    procs = openat(into, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (procs < 0)
        return -1;
    done = write(procs, "0", 1) == 1 ? 0 : -1;
    (void)close(procs);
    return done;
}

static int set_names(struct child *c)
{
    (void)c;
    (void)umask(022);
    return 0;
}

/* What the caller had is given up; that no program can bring rights along is settled before. */
static int drop_rights(struct child *c)
{
    struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct none[2] = { 0 };

    (void)c;
    return (int)syscall(SYS_capset, &head, none);
}

static int gather_orphans(struct child *c)
{
    (void)c;
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/* Before any right is given up, so that what holds can be seen: a kernel that let our signals out
 * all the same would have kill(-1) end whatever its user runs. */
static int hold_signals(struct child *c)
{
    (void)c;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || landlock_hold_signals() != 0)
        return -1;
    if (kill(getppid(), 0) != 0 && errno == EPERM)
        return 0;
    errno = EPROTO;
    return -1;
}

/* Killed at once it would leave the tree behind: the end of the supervisor is told to it. */
static int guard_init(struct child *c)
{
    struct pollfd line = { .fd = c->jail->line };

    if (prctl(PR_SET_DUMPABLE, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGQUIT) != 0)
        return -1;
    return poll(&line, 1, 0) == 1 ? STAGE_UNWANTED : 0;
}

enum { NO_LAYER = LAYER_COUNT };
enum { INIT = 1, COMMAND = 2 };
enum { STAGE_FORK = 0 }; /* walked by nobody: init makes the command when it is through */

/* clang-format off */
static const struct stage {
    const char *name;
    int layer; /* enum layer, to be told as missing */
    int walker;
    int (*enter)(struct child *c);
} stages[] = {
    [STAGE_FORK] = { "one more process of its user", LAYER_PID, 0, NULL },
    { "go",        LAYER_PID,      INIT,    stage_wait_for_go },
    { "group",     LAYER_CGROUP,   INIT,    join_group },
    { "signals",   LAYER_PID,      INIT,    stage_reset_signals },
    { "scope",     LAYER_LANDLOCK, INIT,    hold_signals },
    { "identity",  LAYER_USER,     INIT,    stage_take_identity },
    { "result",    LAYER_PID,      INIT,    stage_clear_result },
    { "others",    LAYER_PID,      INIT,    stage_close_others },
    { "names",     LAYER_USER,     INIT,    set_names },
    { "rlimits",   LAYER_USER,     INIT,    stage_set_limits },
    { "bounds",    LAYER_USER,     INIT,    stage_drop_bounds },
    { "rights",    LAYER_USER,     INIT,    drop_rights },
    { "orphans",   LAYER_PID,      INIT,    gather_orphans },
    { "guard",     LAYER_PID,      INIT,    guard_init },

    { "cgroup",    LAYER_CGROUP,   COMMAND, stage_enter_cgroup },
    { "streams",   LAYER_PID,      COMMAND, stage_set_streams },
    { "cpus",      LAYER_CGROUP,   COMMAND, stage_set_cpus },
    { "directory", LAYER_MOUNT,    COMMAND, stage_enter_cwd },
    { "program",   NO_LAYER,       COMMAND, stage_check_program },
    { "landlock",  LAYER_LANDLOCK, COMMAND, stage_enter_landlock },
    { "permit",    NO_LAYER,       COMMAND, stage_wait_for_permit },
    { "seccomp",   LAYER_SECCOMP,  COMMAND, stage_enter_seccomp },
    { "exec",      NO_LAYER,       COMMAND, stage_start_command },
};
/* clang-format on */

const char *process_stage(int stage, int *layer)
{
    size_t n = (size_t)stage - PROCESS_STAGES;
    const struct stage *row = &stages[n < COUNT(stages) ? n : COUNT(stages) - 1];

    *layer = row->layer;
    return row->name;
}

static _Noreturn void fail(const struct child *c, size_t stage)
{
    struct word word = { .kind = WORD_FAILED, .stage = PROCESS_STAGES + (int)stage, .sys = errno };

    (void)send(c->jail->line, &word, sizeof word, MSG_NOSIGNAL);
    _exit(127);
}

/* Every wall is needed but the one that can be spared. */
static void walk(struct child *c, int walker)
{
    for (size_t i = 0; i < COUNT(stages); i++) {
        bool spared = stages[i].layer == LAYER_CGROUP && !(c->jail->layers & (1U << LAYER_CGROUP));
        int done = stages[i].walker == walker && !spared ? stages[i].enter(c) : 0;

        if (done == STAGE_UNWANTED)
            _exit(0);
        if (done != 0)
            fail(c, i);
    }
}

static int command_main(void *child)
{
    walk(child, COMMAND);
    _exit(127); /* not reached: the last stage is exec */
}

/* ---- init's watch ---- */

/* Waits for every child that died; true when the command was among them. */
static bool reap(pid_t command, int *status)
{
    bool over = false;
    int s;

    for (;;) {
        pid_t pid = waitpid(-1, &s, WNOHANG | __WALL);

        if (pid <= 0)
            return over;
        if (pid == command) {
            *status = s;
            over = true;
        }
    }
}

/* Until the command is over, or the supervisor is gone; as child.c does it. */
static void watch(const struct jail *jail, int signals, pid_t command)
{
    struct pollfd fds[] = { { .fd = signals, .events = POLLIN }, { .fd = jail->line } };
    struct init_clock clock = { .most_ms = jail->most_ms };
    struct signalfd_siginfo info;
    struct word word = { .kind = WORD_ENDED };

    init_clock_begin(&clock);
    for (;;) {
        if (poll(fds, COUNT(fds), init_clock_left(&clock)) < 0 && errno != EINTR)
            return;
        if (fds[1].revents)
            return;
        while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
            if (info.ssi_signo != SIGCHLD)
                (void)kill(-1, info.ssi_signo == SIGTERM ? SIGTERM : SIGKILL);
        if (init_clock_is_up(&clock))
            (void)kill(-1, SIGKILL);
        if (reap(command, &word.status)) {
            word.at_ms = init_clock_now();
            (void)send(jail->line, &word, sizeof word, MSG_NOSIGNAL);
            return;
        }
    }
}

/* The kernel goes through all processes while none can be added, and the scope leaves it those of
 * the tree. Who dies leaves its children to us: when we have none, nobody is left. */
static void end_tree(void)
{
    do {
        (void)kill(-1, SIGKILL);
    } while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR);
}

static _Noreturn void init_main(struct jail *jail)
{
    static char stack[64 << 10] __attribute__((aligned(16)));
    struct child child = { .jail = jail, .root = AT_FDCWD };
    sigset_t ours;
    int signals;
    pid_t command;

    (void)setsid();
    walk(&child, INIT);
    (void)sigemptyset(&ours);
    (void)sigaddset(&ours, SIGCHLD);
    (void)sigaddset(&ours, SIGTERM);
    (void)sigaddset(&ours, SIGQUIT);
    signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0)
        _exit(0); /* without a word that the command was started, nothing ran */
    command = clone(command_main, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
    if (command < 0)
        fail(&child, STAGE_FORK);
    for (int i = 0; i < STREAM_COUNT; i++)
        if (jail->streams[i] >= STREAM_RESULT)
            (void)close(jail->streams[i]);
    watch(jail, signals, command);
    end_tree();
    _exit(0);
}

/* ---- the supervisor's end ---- */

bool process_fork(struct jail *jail, pid_t *pid, int *init, struct error *e)
{
    int into = cgroup_into(&jail->cgroup);
    struct clone_args args = { .flags = CLONE_PIDFD | CLONE_CLEAR_SIGHAND,
                               .pidfd = (uintptr_t)init };
    long made;

    if (into >= 0) {
        args.flags |= CLONE_INTO_CGROUP;
        args.cgroup = (uint64_t)into;
    }
    made = quiet_clone(&args);
    if (made < 0 && (errno == ENOSYS || errno == EPERM)) {
        jail->joins = true;
        made = quiet_fork(init);
    }
    if (made < 0)
        return error_sys(e, CODE_LAYER_MISSING, "LAYER_MISSING:pid: no process can be made");
    if (made == 0)
        init_main(jail);
    *pid = (pid_t)made;
    return true;
}
