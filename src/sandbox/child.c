/* SPDX-License-Identifier: Apache-2.0 */
/* child.c: from clone to exec.
 *
 * Runs in the child of a possibly threaded parent: nothing here allocates, locks or uses stdio.
 * Each stage is one row; the parent names a failed stage by its row and errno, so that a refusal
 * reads "landlock: Operation not supported" whatever the kernel.
 */
#include "sandbox/child.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "contract/codes.h"
#include "sandbox/stages.h"

/* ---- the tables ---- */

/* The command itself: that it cannot be started is an outcome. */
enum { NO_LAYER = LAYER_COUNT };

/* clang-format off */
static const struct stage {
    const char *name;
    int layer; /* enum layer */
    int (*enter)(struct child *c); /* 0, or -1 with errno; with 0: it is not wanted any more */
} init_stages[] = {
    { "go",        LAYER_USER,     stage_wait_for_go },
    { "identity",  LAYER_USER,     stage_take_identity },
    { "network",   LAYER_NET,      stage_enter_net },
    { "root",      LAYER_MOUNT,    stage_make_root },
    { "trees",     LAYER_MOUNT,    stage_mount_trees },
    { "devices",   LAYER_MOUNT,    stage_mount_devices },
    { "proc",      LAYER_MOUNT,    stage_mount_proc },
    { "pivot",     LAYER_MOUNT,    stage_enter_root },
    { "others",    LAYER_PID,      stage_close_others },
    { "names",     LAYER_USER,     stage_set_names },
    { "rlimits",   LAYER_USER,     stage_set_limits },
    { "rights",    LAYER_USER,     stage_drop_rights },
    { "guard",     LAYER_PID,      stage_guard_init },
}, command_stages[] = {
    { "cgroup",    LAYER_CGROUP,   stage_enter_cgroup },
    { "streams",   LAYER_PID,      stage_set_streams },
    { "cpus",      LAYER_CGROUP,   stage_set_cpus },
    { "directory", LAYER_MOUNT,    stage_enter_cwd },
    { "program",   NO_LAYER,       stage_check_program },
    { "landlock",  LAYER_LANDLOCK, stage_enter_landlock },
    { "permit",    NO_LAYER,       stage_wait_for_permit },
    { "seccomp",   LAYER_SECCOMP,  stage_enter_seccomp },
    { "exec",      NO_LAYER,       stage_start_command },
};
/* clang-format on */

static const struct stage *stage_of(int n)
{
    size_t i = (size_t)n;

    return i < COUNT(init_stages) ? &init_stages[i] : &command_stages[i - COUNT(init_stages)];
}

/* Walks a table; on failure says where and why, and ends the process; where nobody is there to be
 * told, or wants it, it only ends. */
static void walk(struct child *c, const struct stage *stages, size_t n, int first)
{
    for (size_t i = 0; i < n; i++) {
        struct word word = { .kind = WORD_FAILED, .stage = first + (int)i };

        if (!((c->jail->layers | 1U << NO_LAYER) & (1U << stages[i].layer)) ||
            stages[i].enter(c) == 0)
            continue;
        word.sys = errno;
        if (word.sys == 0)
            _exit(0);
        (void)send(c->jail->line, &word, sizeof word, MSG_NOSIGNAL);
        _exit(127);
    }
}

static int command_main(void *child)
{
    walk(child, command_stages, COUNT(command_stages), COUNT(init_stages));
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

/* Until the command is over or the supervisor is gone; leaving ends the whole tree. */
static void watch(const struct jail *jail, int signals, pid_t command)
{
    struct pollfd fds[] = { { .fd = signals, .events = POLLIN }, { .fd = jail->line } };
    struct signalfd_siginfo info;
    struct word word = { .kind = WORD_ENDED };

    for (;;) {
        if (poll(fds, COUNT(fds), -1) < 0 && errno != EINTR)
            return;
        if (fds[1].revents)
            return;
        while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
            if (info.ssi_signo != SIGCHLD)
                (void)kill(-1, info.ssi_signo == SIGTERM ? SIGTERM : SIGKILL);
        if (reap(command, &word.status)) {
            (void)send(jail->line, &word, sizeof word, MSG_NOSIGNAL);
            return;
        }
    }
}

void child_main(struct jail *jail)
{
    static char stack[64 << 10] __attribute__((aligned(16)));
    struct child child = { .jail = jail, .root = -1 };
    sigset_t all, ours;
    int signals;
    pid_t command;

    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)signal(SIGCHLD, SIG_DFL);
    (void)setsid();
    walk(&child, init_stages, COUNT(init_stages), 0);
    (void)sigemptyset(&ours);
    (void)sigaddset(&ours, SIGCHLD);
    (void)sigaddset(&ours, SIGTERM);
    (void)sigaddset(&ours, SIGQUIT);
    signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
    /* The command borrows our memory until it execs: nothing is copied. */
    command = clone(command_main, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
    if (command > 0 && signals >= 0)
        watch(jail, signals, command);
    _exit(0); /* without a word that the command was started, nothing ran */
}

/* ---- what the supervisor makes of it ---- */

bool child_failed_at_exec(const struct word *word)
{
    return stage_of(word->stage)->layer == NO_LAYER;
}

const char *child_stage(const struct word *word, enum layer *layer)
{
    const struct stage *stage = stage_of(word->stage);

    *layer = stage->layer;
    return stage->name;
}

bool child_failure(const struct word *word, struct error *e)
{
    enum layer layer;
    const char *stage = child_stage(word, &layer);

    errno = word->sys;
    return error_sys(e, CODE_LAYER_MISSING, "LAYER_MISSING:%s: %s", layers[layer].name, stage);
}
