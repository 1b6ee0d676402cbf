/* SPDX-License-Identifier: Apache-2.0 */
/* child.c: from clone to exec.
 *
 * Runs in the child of a possibly threaded parent: nothing here allocates, locks or uses stdio.
 * Each stage is one row; the parent names a failed stage by its row and errno, so that a refusal
 * reads "landlock: Operation not supported" whatever the kernel.
 */
#include "sandbox/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "contract/codes.h"
#include "sandbox/kernel.h"
#include "sandbox/landlock.h"
#include "sandbox/net.h"
#include "sandbox/root.h"

enum { SIGNALS = 64 };

/* What the stages hand on to each other. */
struct child {
    struct jail *jail;
    int root; /* of the new disk */
};

/* ---- stages of init ---- */

static int wait_for(const struct child *c, char wanted)
{
    char word = 0;
    ssize_t n;

    do {
        n = recv(c->jail->line, &word, 1, 0);
    } while (n < 0 && errno == EINTR);
    if (n == 1 && word == wanted)
        return 0;
    _exit(0); /* it is gone, or has thought better of it */
}

/* The supervisor writes who we are into /proc and then lets us go on. */
static int wait_for_go(struct child *c)
{
    (void)close(c->jail->far_end);
    return wait_for(c, WORD_GO);
}

/* By the bare calls: those of the C library look for the threads that our parent had. */
static int take_identity(struct child *c)
{
    const struct jail *j = c->jail;

    if (!j->privileged)
        return 0;
    if (syscall(SYS_setgroups, 0, NULL) != 0 || syscall(SYS_setresgid, j->gid, j->gid, j->gid) != 0)
        return -1;
    return (int)syscall(SYS_setresuid, j->uid, j->uid, j->uid);
}

static int enter_net(struct child *c)
{
    return c->jail->host_network ? 0 : net_enter();
}

static int make_root(struct child *c)
{
    return root_make(c->jail, &c->root);
}

static int mount_trees(struct child *c)
{
    return root_mount(c->jail, c->root);
}

static int mount_devices(struct child *c)
{
    return root_devices(c->jail, c->root);
}

static int mount_proc(struct child *c)
{
    return root_proc(c->jail, c->root);
}

static int enter_root(struct child *c)
{
    return root_enter(c->jail, c->root);
}

/* The same for every run, wherever it runs. */
static int set_names(struct child *c)
{
    (void)c;
    (void)umask(022);
    return sethostname("writ", 4) == 0 && setdomainname("", 0) == 0 ? 0 : -1;
}

static int set_limit(__rlimit_resource_t which, rlim_t most)
{
    struct rlimit now, want;

    if (getrlimit(which, &now) != 0)
        return -1;
    want.rlim_max = now.rlim_max < most ? now.rlim_max : most;
    want.rlim_cur = want.rlim_max;
    return setrlimit(which, &want);
}

static int set_limits(struct child *c)
{
    /* clang-format off */
    const struct {
        __rlimit_resource_t which;
        rlim_t most;
    } rows[] = {
        { RLIMIT_CORE,     1 }, /* 0 would still start a handler that core_pattern pipes to */
        { RLIMIT_NOFILE,   1024 },
        { RLIMIT_FSIZE,    (rlim_t)c->jail->file_bytes },
        { RLIMIT_MEMLOCK,  64 << 10 },
        { RLIMIT_MSGQUEUE, 0 },
        { RLIMIT_STACK,    8 << 20 },
        { RLIMIT_NICE,     0 },
        { RLIMIT_RTPRIO,   0 },
        { RLIMIT_SIGPENDING, 1024 },
    };
    /* clang-format on */

    for (size_t i = 0; i < COUNT(rows); i++)
        if (set_limit(rows[i].which, rows[i].most) != 0)
            return -1;
    if (c->jail->process_most > 0 && set_limit(RLIMIT_NPROC, (rlim_t)c->jail->process_most) != 0)
        return -1;
    if (c->jail->memory_most > 0 && set_limit(RLIMIT_AS, (rlim_t)c->jail->memory_most) != 0)
        return -1;
    return 0;
}

/* From here on nobody in the tree has a right over anything, nor can get one: no capability is
 * left, being root inside means nothing, and no program can bring rights along. */
static int drop_rights(struct child *c)
{
    struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct none[2] = { 0 };
    unsigned long bits = SECURE_ALL_BITS & ~(1UL << SECURE_KEEP_CAPS);

    (void)c;
    if (prctl(PR_SET_SECUREBITS, bits | SECURE_ALL_LOCKS) != 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return (int)syscall(SYS_capset, &head, none);
}

/* Changing who we are cleared what was said about dying before; and init's memory is not for the
 * command to look at. */
static int guard_init(struct child *c)
{
    struct pollfd line = { .fd = c->jail->line };

    if (prctl(PR_SET_DUMPABLE, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return -1;
    if (poll(&line, 1, 0) == 1)
        _exit(0);
    return 0;
}

/* The lowest descriptor from `from` on that is still needed; ~0U: none. */
static unsigned next_needed(const struct jail *j, unsigned from)
{
    int needed[4 + CGROUP_DIRS] = { j->line, j->streams[0], j->streams[1], j->streams[2] };
    unsigned next = ~0U;

    for (int i = 0; i < CGROUP_DIRS; i++)
        needed[4 + i] = i < j->cgroup.count ? j->cgroup.dirs[i].tasks : -1;
    for (size_t i = 0; i < COUNT(needed); i++)
        if (needed[i] >= 0 && (unsigned)needed[i] >= from && (unsigned)needed[i] < next)
            next = (unsigned)needed[i];
    return next;
}

/* What the supervisor had open is not ours: a pipe we held would never break. */
static int close_others(struct child *c)
{
    for (unsigned from = 3;;) {
        unsigned next = next_needed(c->jail, from);

        if (next > from && syscall(SYS_close_range, from, next - 1, 0) != 0)
            return -1;
        if (next == ~0U)
            return 0;
        from = next + 1;
    }
}

/* ---- stages of the command ---- */

/* As late as can be: what is built before is not the command's, and would be slowed by its quota.
 */
static int enter_cgroup(struct child *c)
{
    union {
        char bytes[CMSG_SPACE(CGROUP_DIRS * sizeof(int))];
        struct cmsghdr head;
    } control = { 0 };
    char word = 0;
    struct iovec part = { &word, 1 };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
    };
    int tasks[CGROUP_DIRS];
    size_t n;

    if (!c->jail->late_groups)
        return cgroup_enter(&c->jail->cgroup);
    if (recvmsg(c->jail->line, &message, MSG_CMSG_CLOEXEC) != 1 || word != WORD_GROUPS)
        return -1;
    n = control.head.cmsg_len > CMSG_LEN(0) ? (control.head.cmsg_len - CMSG_LEN(0)) / sizeof(int)
                                            : 0;
    memcpy(tasks, CMSG_DATA(&control.head), n * sizeof(int));
    for (size_t i = 0; i < n; i++)
        if (write(tasks[i], "0", 1) != 1)
            return -1;
    return 0;
}

/* A01-10: as many CPUs as cores, beginning with the one we are on: nothing has to move. */
static int set_cpus(struct child *c)
{
    cpu_set_t mine, few;
    int here = sched_getcpu();

    CPU_ZERO(&few);
    if (here < 0 || sched_getaffinity(0, sizeof mine, &mine) != 0)
        return -1;
    for (int k = 0; k < CPU_SETSIZE && CPU_COUNT(&few) < c->jail->cores; k++)
        if (CPU_ISSET((here + k) % CPU_SETSIZE, &mine))
            CPU_SET((here + k) % CPU_SETSIZE, &few);
    return sched_setaffinity(0, sizeof few, &few);
}

/* By the bare calls: the C library leaves out the two signals it keeps for itself. */
static void reset_signals(void)
{
    static const unsigned char none[64]; /* as an action: the default; as a set: empty */

    for (int s = 1; s <= SIGNALS; s++)
        (void)syscall(SYS_rt_sigaction, s, none, NULL, SIGNALS / 8);
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, none, NULL, SIGNALS / 8);
}

static int set_streams(struct child *c)
{
    const struct jail *j = c->jail;

    for (int i = 0; i < 3; i++)
        if (dup2(j->streams[i], i) < 0)
            return -1;
    reset_signals();
    return setpgid(0, 0);
}

static int enter_cwd(struct child *c)
{
    return chdir(c->jail->cwd);
}

static int enter_landlock(struct child *c)
{
    return landlock_enter(c->jail);
}

/* Hands the descriptor on which threads are asked for to the supervisor. */
static int send_listener(int line, int listener)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr head;
    } control = { .head = { .cmsg_level = SOL_SOCKET,
                            .cmsg_type = SCM_RIGHTS,
                            .cmsg_len = CMSG_LEN(sizeof(int)) } };
    struct word word = { .kind = WORD_LISTENER };
    struct iovec part = { &word, sizeof word };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control
    };

    memcpy(CMSG_DATA(&control.head), &listener, sizeof listener);
    return sendmsg(line, &message, MSG_NOSIGNAL) == (ssize_t)sizeof word ? 0 : -1;
}

static int enter_seccomp(struct child *c)
{
    struct sock_fprog program = { c->jail->seccomp.count, c->jail->seccomp.code };
    bool listens = c->jail->count_threads;
    long got = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                       listens ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0, &program);

    if (got < 0 || !listens)
        return (int)got;
    return send_listener(c->jail->line, (int)got);
}

/* What is started is what was found and is digested. */
static int check_program(struct child *c)
{
    struct stat s;

    if (stat(c->jail->path, &s) != 0)
        return -1;
    errno = EACCES; /* it is denied, or was swapped */
    return s.st_dev == c->jail->dev && s.st_ino == c->jail->ino ? 0 : -1;
}

/* Only 0, 1 and 2 stay open. */
static int start_command(struct child *c)
{
    struct word word = { .kind = WORD_READY };

    if (syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC) != 0 ||
        send(c->jail->line, &word, sizeof word, MSG_NOSIGNAL) < 0)
        return -1;
    return execve(c->jail->path, c->jail->argv, c->jail->env);
}

/* That it runs is on record: then, and not before, it may. */
static int wait_for_permit(struct child *c)
{
    return wait_for(c, WORD_RUN);
}

/* ---- the tables ---- */

/* The command itself: that it cannot be started is an outcome. */
enum { NO_LAYER = LAYER_COUNT };

/* clang-format off */
static const struct stage {
    const char *name;
    int layer; /* enum layer */
    int (*enter)(struct child *c); /* 0, or -1 with errno */
} init_stages[] = {
    { "go",        LAYER_USER,     wait_for_go },
    { "identity",  LAYER_USER,     take_identity },
    { "network",   LAYER_NET,      enter_net },
    { "root",      LAYER_MOUNT,    make_root },
    { "trees",     LAYER_MOUNT,    mount_trees },
    { "devices",   LAYER_MOUNT,    mount_devices },
    { "proc",      LAYER_MOUNT,    mount_proc },
    { "pivot",     LAYER_MOUNT,    enter_root },
    { "others",    LAYER_PID,      close_others },
    { "names",     LAYER_USER,     set_names },
    { "rlimits",   LAYER_USER,     set_limits },
    { "rights",    LAYER_USER,     drop_rights },
    { "guard",     LAYER_PID,      guard_init },
}, command_stages[] = {
    { "cgroup",    LAYER_CGROUP,   enter_cgroup },
    { "streams",   LAYER_PID,      set_streams },
    { "cpus",      LAYER_CGROUP,   set_cpus },
    { "directory", LAYER_MOUNT,    enter_cwd },
    { "program",   NO_LAYER,       check_program },
    { "landlock",  LAYER_LANDLOCK, enter_landlock },
    { "permit",    NO_LAYER,       wait_for_permit },
    { "seccomp",   LAYER_SECCOMP,  enter_seccomp },
    { "exec",      NO_LAYER,       start_command },
};
/* clang-format on */

static const struct stage *stage_of(int n)
{
    size_t i = (size_t)n;

    return i < COUNT(init_stages) ? &init_stages[i] : &command_stages[i - COUNT(init_stages)];
}

/* Walks a table; on failure says where and why, and ends the process. */
static void walk(struct child *c, const struct stage *stages, size_t n, int first)
{
    for (size_t i = 0; i < n; i++) {
        struct word word = { .kind = WORD_FAILED, .stage = first + (int)i };

        if (!((c->jail->layers | 1U << NO_LAYER) & (1U << stages[i].layer)) ||
            stages[i].enter(c) == 0)
            continue;
        word.sys = errno;
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
