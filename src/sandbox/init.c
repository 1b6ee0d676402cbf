/* SPDX-License-Identifier: Apache-2.0 */
/* init.c: makes the first process of a run, in a berth or with everything for itself. */
#include "sandbox/init.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "contract/codes.h"
#include "sandbox/child.h"
#include "sandbox/identity.h"
#include "sandbox/kernel.h"
#include "sandbox/process.h"
#include "sandbox/quiet.h"
#include "sandbox/trees.h"
#include "sandbox/trial.h"

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

/* Who does without a wall has everything for itself: whether a socket was made only the filter
 * tells. So has who writes into layers, which lie below what a berth has mounted, and who reaches
 * hosts: its doors are in its network. And into a group of version 2 that is root's, only root can
 * put somebody. */
static bool may_be_in_berth(const struct jail *jail)
{
    return jail->layers == LAYER_ALL && jail->cover_count == 0 && jail->door_count == 0 &&
           !jail->held.on && !(jail->privileged && cgroup_into(&jail->cgroup) >= 0);
}

/* A mount that was taken away while init was made may be missing for it: another is made. */
static bool start_in_berth(struct init *i, const struct jail *jail, struct kept *kept)
{
    i->berth = kept_take(kept, jail);
    if (!i->berth)
        return false;
    if (berth_start(i->berth, jail, cgroup_into(&jail->cgroup), &i->pid, &i->fd)) {
        if (berth_is_whole(i->berth))
            return true;
        init_kill(i);
        (void)close(i->fd);
        i->fd = -1;
    }
    kept_give(kept, i->berth, false);
    i->berth = NULL;
    return false;
}

bool init_start(struct init *i, struct jail *jail, struct kept *kept, struct error *e)
{
    if (kept && may_be_in_berth(jail) && start_in_berth(i, jail, kept))
        return true;
    if (jail->hosted ? !process_fork(jail, &i->pid, &i->fd, e)
                     : (jail->privileged && !trees_open(jail, e)) || !start_alone(i, jail, e))
        return false;
    if (set_going(i, jail, e))
        return true;
    init_kill(i);
    return false;
}

void init_leave(struct init *i, struct kept *kept, struct berth_use used)
{
    if (!i->berth)
        return;
    i->berth->used.net |= used.net;
    i->berth->used.ipc |= used.ipc;
    kept_give(kept, i->berth, true);
    i->berth = NULL;
}

/* ---- both ---- */

/* The groups, when the new process is already at work: the command enters them by descriptors. */
bool init_enter_groups(const struct init *i, const struct jail *jail, struct error *e)
{
    union {
        char bytes[CMSG_SPACE(CGROUP_DIRS * sizeof(int))];
        struct cmsghdr head;
    } control = { .head = { .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
    char word = WORD_GROUPS;
    struct iovec part = { &word, 1 };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    int tasks[CGROUP_DIRS];
    size_t n = 0;

    if (!jail->late_groups && !i->berth)
        return true;
    for (int k = 0; k < jail->cgroup.count; k++)
        if (jail->cgroup.dirs[k].tasks >= 0)
            tasks[n++] = jail->cgroup.dirs[k].tasks;
    if (n > 0) {
        control.head.cmsg_len = CMSG_LEN(n * sizeof(int));
        memcpy(CMSG_DATA(&control.head), tasks, n * sizeof(int));
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(n * sizeof(int));
    }
    if (jail->late_groups && cgroup_into(&jail->cgroup) >= 0)
        return error_set(e, CODE_LAYER_MISSING,
                         "LAYER_MISSING:cgroup: version 2 is mounted at an unusual place");
    if (sendmsg(i->line, &message, MSG_NOSIGNAL) == 1)
        return true;
    return error_sys(e, CODE_LAYER_MISSING, "LAYER_MISSING:cgroup: the groups cannot be entered");
}

void init_kill(const struct init *i)
{
    (void)syscall(SYS_pidfd_send_signal, i->fd, SIGKILL, NULL, 0);
    while (waitpid(i->pid, NULL, __WALL) < 0 && errno == EINTR)
        ;
}

void init_close(struct init *i)
{
    own_close(&i->fd);
    own_close(&i->line);
}
