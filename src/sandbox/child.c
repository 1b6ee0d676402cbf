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
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "contract/codes.h"
#include "sandbox/held_chance.h"
#include "sandbox/held_tracer.h"
#include "sandbox/init_clock.h"
#include "sandbox/place.h"
#include "sandbox/process.h"
#include "sandbox/stages.h"

/* ---- the table ---- */

/* The command itself: that it cannot be started is an outcome. */
enum { NO_LAYER = LAYER_COUNT };

/* Who walks through a stage: init of a run that has everything for itself; a berth, which builds
 * what the runs in it have in common (berth.h), and init of a run in a berth; the command, and one
 * that waits in a slot (slot.h). */
enum { FRESH = 1, BERTH = 2, KEPT = 4, COMMAND = 8, SLOT = 16 };

/* clang-format off */
static const struct stage {
    const char *name;
    int layer; /* enum layer */
    unsigned walkers;
    int (*enter)(struct child *c); /* as stages.h says */
    bool chosen; /* only a caller who wants it has it, and may do without */
} stages[] = {
    { "go",        LAYER_USER,     FRESH | BERTH,        stage_wait_for_go },
    { "signals",   LAYER_PID,      FRESH | BERTH,        stage_reset_signals },
    { "watches",   LAYER_USER,     FRESH | BERTH,        stage_bound_watches },
    { "chance",    LAYER_MOUNT,    FRESH,                stage_open_chance },
    { "identity",  LAYER_USER,     FRESH | BERTH,        stage_take_identity },
    { "network",   LAYER_NET,      FRESH | BERTH,        stage_enter_net },
    { "doors",     LAYER_NET,      FRESH,                stage_open_doors },
    { "root",      LAYER_MOUNT,    FRESH | BERTH,        stage_make_root },
    { "layers",    LAYER_MOUNT,    FRESH,                stage_make_layers, .chosen = true },
    { "trees",     LAYER_MOUNT,    FRESH | BERTH,        stage_mount_trees },
    { "names held", LAYER_MOUNT,   FRESH,                stage_hold_names },
    { "devices",   LAYER_MOUNT,    FRESH | BERTH,        stage_mount_devices },
    { "no proc",   LAYER_MOUNT,            BERTH,        stage_mount_no_proc },
    { "scratch",   LAYER_MOUNT,                   KEPT, stage_mount_scratch },
    { "proc",      LAYER_MOUNT,    FRESH |        KEPT, stage_mount_proc },
    { "pivot",     LAYER_MOUNT,    FRESH | BERTH,        stage_enter_root },
    { "lock",      LAYER_MOUNT,            BERTH,        stage_lock_root },
    { "result",    LAYER_PID,      FRESH |        KEPT, stage_clear_result },
    { "others",    LAYER_PID,      FRESH | BERTH | KEPT, stage_close_others },
    { "watch",     LAYER_MOUNT,    FRESH |        KEPT, stage_watch_mounts },
    { "names",     LAYER_USER,     FRESH | BERTH,        stage_set_names },
    { "rlimits",   LAYER_USER,     FRESH | BERTH,        stage_set_limits },
    { "bounds",    LAYER_USER,     FRESH | BERTH,        stage_drop_bounds },
    { "rights",    LAYER_USER,     FRESH |        KEPT, stage_drop_rights },
    { "guard",     LAYER_PID,      FRESH | BERTH | KEPT, stage_guard_init },

    { "trace",     LAYER_SECCOMP,  COMMAND,             stage_be_traced },
    { "mounts",    LAYER_MOUNT,              SLOT,      stage_keep_mounts },
    { "landlock",  LAYER_LANDLOCK,           SLOT,      stage_enter_landlock },
    { "cpus",      LAYER_CGROUP,             SLOT,      stage_set_cpus },
    { "seccomp",   LAYER_SECCOMP,            SLOT,      stage_enter_seccomp },
    { "slot",      LAYER_PID,                SLOT,      stage_wait_for_command },
    { "cgroup",    LAYER_CGROUP,   COMMAND | SLOT,      stage_enter_cgroup },
    { "streams",   LAYER_PID,      COMMAND | SLOT,      stage_set_streams },
    { "cpus",      LAYER_CGROUP,   COMMAND,             stage_set_cpus },
    { "directory", LAYER_MOUNT,    COMMAND | SLOT,      stage_enter_cwd },
    { "program",   NO_LAYER,       COMMAND | SLOT,      stage_check_program },
    { "landlock",  LAYER_LANDLOCK, COMMAND,             stage_enter_landlock },
    { "permit",    NO_LAYER,       COMMAND,             stage_wait_for_permit },
    { "seccomp",   LAYER_SECCOMP,  COMMAND,             stage_enter_seccomp },
    { "exec",      NO_LAYER,       COMMAND | SLOT,      stage_start_command },
};
/* clang-format on */

static const struct stage *stage_of(int n)
{
    return &stages[(size_t)n < COUNT(stages) ? (size_t)n : COUNT(stages) - 1];
}

/* On failure says where and why, and ends the process; where nobody is there to be told, or wants
 * it, it only ends. */
static void walk(struct child *c, unsigned walker)
{
    for (size_t i = 0; i < COUNT(stages); i++) {
        struct word word = { .kind = WORD_FAILED, .stage = (int)i };
        bool meant = (stages[i].walkers & walker) &&
                     ((c->jail->layers | 1U << NO_LAYER) & (1U << stages[i].layer));
        int done = meant ? stages[i].enter(c) : 0;

        if (done == 0)
            continue;
        word.sys = errno;
        if (done == STAGE_UNWANTED)
            _exit(0);
        (void)send(c->jail->line, &word, sizeof word, MSG_NOSIGNAL);
        _exit(127);
    }
}

static int command_main(void *child)
{
    const struct place *place = ((struct child *)child)->jail->place;

    walk(child, place && place->ahead ? SLOT : COMMAND);
    _exit(127); /* not reached: the last stage is exec */
}

/* ---- init's watch ---- */

/* Waits for every child that died; true when the command was among them. */
static bool reap(struct tracer *tracer, pid_t command, int *status)
{
    bool over = false;
    int s;

    for (;;) {
        pid_t pid = waitpid(-1, &s, WNOHANG | __WALL);

        if (pid <= 0)
            return over;
        if (WIFSTOPPED(s)) { /* only who is traced is heard of */
            tracer_stopped(tracer, pid, s);
            continue;
        }
        tracer_ended(tracer, pid);
        if (pid == command) {
            *status = s;
            over = true;
        }
    }
}

/* A command that cannot be traced has not run, and does not: its stage failed. */
static struct word last_word(const struct tracer *tracer, int status)
{
    struct word word = { .kind = WORD_ENDED, .status = status, .at_ms = init_clock_now() };

    if (!tracer->failed)
        return word;
    word = (struct word){ .kind = WORD_FAILED, .sys = tracer->failed };
    for (size_t i = 0; i < COUNT(stages); i++)
        if (stages[i].enter == stage_be_traced)
            word.stage = (int)i;
    return word;
}

/* What init has told of a fixed run: once, and before the end of the command. */
struct told {
    bool unheld, page;
};

static void tell_once(const struct jail *jail, enum word_kind kind, bool so, bool *told)
{
    struct word word = { .kind = kind };

    if (!so || *told)
        return;
    *told = true;
    (void)send(jail->line, &word, sizeof word, MSG_NOSIGNAL);
}

/* Of whom the mounts are: a run in a berth knows only those that it has made itself. */
static const struct jail *walls;

/* Others may come and go, as the kernel itself mounts what an NFS server has below a directory. */
static bool walls_stand(void)
{
    for (size_t i = 0; i < walls->mount_count; i++) {
        const struct jail_mount *m = &walls->mounts[i];
        struct statx s;

        if (!m->inner && (statx(AT_FDCWD, m->to, AT_SYMLINK_NOFOLLOW, 0, &s) != 0 ||
                          !(s.stx_attributes & STATX_ATTR_MOUNT_ROOT)))
            return false;
    }
    return true;
}

/* It is not known what it has reached since: that it is over is all that is left to do. */
static void look_at_walls(const struct jail *jail, struct pollfd *mounts)
{
    struct word word = { .kind = WORD_BREACHED };

    if (walls_stand())
        return;
    mounts->fd = -1;
    (void)kill(-1, SIGKILL);
    (void)send(jail->line, &word, sizeof word, MSG_NOSIGNAL);
}

enum watched { WATCH_SIGNALS, WATCH_LINE, WATCH_OWNER, WATCH_CHANCE, WATCH_MOUNTS, WATCHES };

/* Until the command is over or the supervisor is gone; leaving ends the whole tree. A supervisor
 * that is stopped ends nothing: we end a run ourselves that is far over its time. The supervisor
 * has no number in here. A signal from a sender that has one comes from inside and is not heard: a
 * command could end itself that way where Landlock does not keep its signals from us (before
 * Linux 6.12). */
static void watch(const struct jail *jail, struct tracer *tracer, int signals, pid_t command)
{
    struct pollfd fds[WATCHES] = {
        [WATCH_SIGNALS] = { .fd = signals, .events = POLLIN },
        [WATCH_LINE] = { .fd = jail->line },
        [WATCH_OWNER] = { .fd = jail->owner, .events = POLLIN },
        [WATCH_CHANCE] = { .fd = jail->chance, .events = POLLIN },
        [WATCH_MOUNTS] = { .fd = jail->watched, .events = POLLPRI },
    };
    struct init_clock clock = { .most_ms = jail->most_ms };
    struct signalfd_siginfo info;
    struct word word;
    struct told told = { 0 };
    bool over;
    int status = 0;

    for (;;) {
        if (!tracer->on || tracer->seized)
            init_clock_begin(&clock);
        if (poll(fds, WATCHES, init_clock_left(&clock)) < 0 && errno != EINTR)
            return;
        if (fds[WATCH_LINE].revents || fds[WATCH_OWNER].revents)
            return;
        while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
            if (info.ssi_signo != SIGCHLD && info.ssi_pid == 0)
                (void)kill(-1, info.ssi_signo == SIGTERM ? SIGTERM : SIGKILL);
        if (fds[WATCH_CHANCE].revents & POLLIN)
            held_chance_serve(&tracer->ground, fds[WATCH_CHANCE].fd);
        else if (fds[WATCH_CHANCE].revents)
            fds[WATCH_CHANCE].fd = -1;
        if (fds[WATCH_MOUNTS].revents)
            look_at_walls(jail, &fds[WATCH_MOUNTS]);
        if (init_clock_is_up(&clock))
            (void)kill(-1, SIGKILL);
        over = reap(tracer, command, &status);
        tell_once(jail, WORD_UNHELD, tracer->unheld, &told.unheld);
        tell_once(jail, WORD_PAGE, tracer->ground.page_open, &told.page);
        if (over) {
            word = last_word(tracer, status);
            (void)send(jail->line, &word, sizeof word, MSG_NOSIGNAL);
            return;
        }
    }
}

static _Noreturn void run_command(struct child *child)
{
    static char alone[PLACE_STACK] __attribute__((aligned(16)));
    static struct tracer tracer;
    struct place *place = child->jail->place;
    char *stack = place ? place->command_stack : alone;
    bool ahead = place && place->ahead;
    /* The command borrows our memory until it execs: nothing is copied. One that is traced cannot:
     * we have to be there for it before. */
    int borrows = child->jail->held.on ? 0 : CLONE_VM | CLONE_VFORK;
    sigset_t ours;
    int signals;
    pid_t command;

    (void)sigemptyset(&ours);
    (void)sigaddset(&ours, SIGCHLD);
    (void)sigaddset(&ours, SIGTERM);
    (void)sigaddset(&ours, SIGQUIT);
    signals = signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0)
        _exit(0); /* as below */
    tracer_start(&tracer, &child->jail->held);
    command = clone(command_main, stack + PLACE_STACK, borrows | SIGCHLD, child);
    tracer.command = command;
    for (int i = 0; i < STREAM_COUNT && !ahead; i++) /* the command's: what it closes is closed */
        if (child->jail->streams[i] >= STREAM_RESULT)
            (void)close(child->jail->streams[i]);
    if (command > 0)
        watch(child->jail, &tracer, signals, command);
    _exit(0); /* without a word that the command was started, nothing ran */
}

static void begin(void)
{
    sigset_t all;

    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)setsid();
}

void child_main(struct jail *jail)
{
    struct child child = { .jail = jail, .root = -1 };

    walls = jail;
    begin();
    walk(&child, FRESH);
    run_command(&child);
}

void child_berth(struct jail *jail, void (*serve)(void *self), void *self)
{
    struct child child = { .jail = jail, .root = -1 };

    walls = jail;
    begin();
    walk(&child, BERTH);
    serve(self);
    _exit(0); /* the supervisor is gone, or does not need it any more */
}

void child_main_in_berth(struct jail *jail)
{
    struct child child = { .jail = jail, .root = AT_FDCWD };

    (void)setsid();
    walk(&child, KEPT);
    run_command(&child);
}

/* ---- what the supervisor makes of it ---- */

static const char *stage_in(const struct word *word, int *layer)
{
    const struct stage *stage;

    if (word->stage >= PROCESS_STAGES)
        return process_stage(word->stage, layer);
    stage = stage_of(word->stage);
    *layer = stage->layer;
    return stage->name;
}

bool child_failed_at_exec(const struct word *word)
{
    int layer;

    (void)stage_in(word, &layer);
    return layer == NO_LAYER;
}

bool child_failed_at_choice(const struct word *word)
{
    return word->stage < PROCESS_STAGES && stage_of(word->stage)->chosen;
}

const char *child_stage(const struct word *word, enum layer *layer)
{
    int found;
    const char *name = stage_in(word, &found);

    *layer = (enum layer)found;
    return name;
}

bool child_failure(const struct word *word, struct error *e)
{
    enum layer layer;
    const char *stage = child_stage(word, &layer);

    if (word->sys == ENOEXEC && layer == LAYER_SECCOMP) /* who traces has looked at the program */
        return error_set(e, CODE_LAYER_MISSING, "LAYER_MISSING:%s: %s: %s", layers[layer].name,
                         stage, "a 32-bit program: only 64-bit programs can be held");
    errno = word->sys;
    return error_sys(e, CODE_LAYER_MISSING, "LAYER_MISSING:%s: %s", layers[layer].name, stage);
}
