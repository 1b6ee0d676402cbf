/* SPDX-License-Identifier: Apache-2.0 */
/* init.c: makes the first process of a run, in a berth or with everything for itself. */
#include "sandbox/init.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/elsewhere.h"
#include "base/pass.h"
#include "contract/codes.h"
#include "sandbox/child.h"
#include "sandbox/identity.h"
#include "sandbox/kernel.h"
#include "sandbox/process.h"
#include "sandbox/quiet_clone.h"
#include "sandbox/trees.h"
#include "sandbox/trial.h"

static bool make_line(struct init *i, struct jail *jail)
{
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    i->line = jail->far_end = pair[0];
    jail->line = pair[1];
    return true;
}

static void drop_line(struct init *i, struct jail *jail)
{
    own_close(&i->line);
    own_close(&jail->line);
    jail->far_end = -1;
}

/* ---- with everything for itself ---- */

/* Which namespace it was the kernel does not say: each is tried alone. */
static bool refuse(const struct clone_args *args, struct error *e)
{
    int sys = errno;
    const struct namespace_row *lacking = trial_lacking(NAMESPACES_FIRST);
    enum layer layer = args->flags & CLONE_INTO_CGROUP ? LAYER_CGROUP : LAYER_USER;

    errno = sys;
    if (!lacking)
        return error_sys(e, CODE_LAYER_MISSING, "LAYER_MISSING:%s: no process can be made",
                         layers[layer].name);
    return error_sys(e, CODE_LAYER_MISSING, "LAYER_MISSING:%s: no %s namespace can be made",
                     layers[lacking->layer].name, lacking->name);
}

static bool start_alone(struct init *i, struct jail *jail, struct error *e)
{
    int into = cgroup_into(&jail->cgroup);
    struct clone_args args = { .flags = NAMESPACES_FIRST | CLONE_PIDFD | CLONE_CLEAR_SIGHAND,
                               .pidfd = (uintptr_t)&i->fd };
    long pid;

    if (into >= 0) {
        args.flags |= CLONE_INTO_CGROUP;
        args.cgroup = (uint64_t)into;
    }
    pid = quiet_clone(&args);
    if (pid < 0)
        return refuse(&args, e);
    if (pid == 0)
        child_main(jail);
    i->pid = (pid_t)pid;
    elsewhere(i->pid);
    return true;
}

static bool set_going(const struct init *i, const struct jail *jail, struct error *e)
{
    char go = WORD_GO;

    if (!jail->hosted && !identity_write(jail, i->pid, e))
        return false;
    if (send(i->line, &go, 1, MSG_NOSIGNAL) != 1)
        return error_sys(e, CODE_LAYER_MISSING, "LAYER_MISSING:pid: the new process is gone");
    return true;
}

/* ---- in a berth ---- */

/* A run without one of the walls gets its own namespaces, because only the filter tells whether it
 * made a socket. So does a run that writes into layers, which lie below what a berth has mounted,
 * and one that reaches hosts, because its doors are in its network. A privileged caller's run in a
 * group of version 2 does, because only root can put a process into a group that is root's. */
static bool may_be_in_berth(const struct jail *jail)
{
    return jail->layers == LAYER_ALL && jail->cover_count == 0 && jail->door_count == 0 &&
           !jail->held.on && !(jail->privileged && jail->into_group);
}

bool init_take(struct init *i, struct jail *jail, struct kept *kept, const struct slot_group *group)
{
    struct slot slot;

    i->berth = kept && may_be_in_berth(jail) ? kept_take(kept, jail, false) : NULL;
    if (!i->berth || !slot_take(i->berth, jail, group, &slot, &i->mounts))
        return false;
    i->slotted = true;
    i->line = slot.line;
    i->pid = slot.pid;
    i->fd = slot.fd;
    if (slot.group.count > 0)
        jail->cgroup = slot.group;
    return true;
}

/* A mount that was taken away while init was made may be missing for it: another is made. */
static bool start_in_berth(struct init *i, struct jail *jail, struct kept *kept)
{
    if (make_line(i, jail) &&
        berth_start(i->berth, jail, cgroup_into(&jail->cgroup), &i->pid, &i->fd)) {
        if (berth_is_whole(i->berth))
            return true;
        init_kill(i);
        own_close(&i->fd);
    }
    drop_line(i, jail); /* what one has said on it is not of the next */
    kept_give(kept, i->berth, false);
    i->berth = NULL;
    return false;
}

bool init_start(struct init *i, struct jail *jail, struct kept *kept, struct error *e)
{
    if (!i->berth && kept &&
        may_be_in_berth(jail)) /* a process is there more: groups come before */
        i->berth = kept_take(kept, jail, true);
    if (i->slotted || (i->berth && start_in_berth(i, jail, kept)))
        return true;
    if (i->line < 0 && !make_line(i, jail))
        return error_sys(e, CODE_IO, "a socket cannot be made");
    if (jail->hosted ? !process_fork(jail, &i->pid, &i->fd, e)
                     : (jail->privileged && !trees_open(jail, e)) || !start_alone(i, jail, e))
        return false;
    if (set_going(i, jail, e))
        return true;
    init_kill(i);
    return false;
}

/* A process that has ended meanwhile (EPIPE) has said why on the line, which is heard later. */
static bool send_run(const struct init *i, struct error *e)
{
    char word = WORD_RUN;

    return send(i->line, &word, 1, MSG_NOSIGNAL) == 1 || errno == EPIPE ||
           error_sys(e, CODE_LAYER_MISSING, "LAYER_MISSING:pid: the new process is gone");
}

/* A slot that has died while it waited is no loss: another is made, the way without. */
static bool start_again(struct init *i, struct jail *jail, struct kept *kept, struct error *e)
{
    init_kill(i);
    own_close(&i->fd);
    own_close(&i->mounts);
    own_close(&i->line);
    i->slotted = false;
    kept_give(kept, i->berth, false);
    i->berth = NULL;
    if (init_start(i, jail, NULL, e) && init_enter_groups(i, jail, e) && send_run(i, e))
        return true;
    return false;
}

bool init_release(struct init *i, struct jail *jail, struct kept *kept, struct error *e)
{
    if (!i->slotted)
        return send_run(i, e);
    return slot_hand_over(i->berth, jail, i->line) || start_again(i, jail, kept, e);
}

bool init_may_slot(const struct init *i)
{
    return i->berth && i->berth->may_slot && !i->berth->slot.asked;
}

void init_make_next(const struct init *i, const struct jail *jail, struct cgroup *group)
{
    int pair[2];

    if (!init_may_slot(i) || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return;
    if (!slot_make_next(i->berth, jail, pair[0], pair[1], group))
        (void)close(pair[0]);
    (void)close(pair[1]);
}

void init_leave(struct init *i, struct kept *kept, struct berth_use used)
{
    if (!i->berth)
        return;
    i->berth->used.net |= used.net;
    i->berth->used.ipc |= used.ipc;
    if (used.all || i->berth->used.net || i->berth->used.ipc)
        berth_drop_slot(i->berth); /* it is in what has been used */
    own_close(&i->berth->left);
    i->berth->left = i->mounts;
    i->mounts = -1;
    kept_give(kept, i->berth, !used.all);
    i->berth = NULL;
}

/* ---- both ---- */

/* The groups, when the new process is already at work: the command enters them by descriptors. */
bool init_enter_groups(const struct init *i, const struct jail *jail, struct error *e)
{
    char word = WORD_GROUPS;
    int tasks[CGROUP_DIRS];
    size_t n = 0;

    if (i->slotted || (!jail->late_groups && !i->berth))
        return true;
    for (int k = 0; k < jail->cgroup.count; k++)
        if (jail->cgroup.dirs[k].tasks >= 0)
            tasks[n++] = jail->cgroup.dirs[k].tasks;
    if (jail->late_groups && cgroup_into(&jail->cgroup) >= 0)
        return error_set(e, CODE_LAYER_MISSING,
                         "LAYER_MISSING:cgroup: version 2 is mounted at an unusual place");
    if (pass_send(i->line, &word, sizeof word, tasks, n))
        return true;
    return error_sys(e, CODE_LAYER_MISSING, "LAYER_MISSING:cgroup: the groups cannot be entered");
}

static bool ends_in_time(int pidfd)
{
    struct pollfd end = { .fd = pidfd, .events = POLLIN };
    int n;

    while ((n = poll(&end, 1, END_MS)) < 0 && errno == EINTR)
        ;
    return n > 0;
}

/* The number is somebody else's, once it was waited for. */
void init_kill(struct init *i)
{
    if (i->pid <= 0)
        return;
    (void)syscall(SYS_pidfd_send_signal, i->fd, SIGKILL, NULL, 0);
    if (!ends_in_time(i->fd))
        return;
    while (waitpid(i->pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
    i->pid = -1;
}

void init_close(struct init *i)
{
    own_close(&i->fd);
    own_close(&i->line);
    own_close(&i->mounts);
}
