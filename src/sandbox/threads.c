/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c: raises the limit on tasks for each thread, and lowers it behind them. */
#include "sandbox/threads.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "base/own.h"
#include "sandbox/process.h"

/* The limit holds for processes and threads together. */
static void set_room(struct threads *t, const struct cgroup *group, int64_t room)
{
    if (room != t->room && cgroup_set_tasks(group, t->most + room))
        t->room = room;
}

/* Tasks that are no processes: threads, and the dead that nobody has waited for. */
static int64_t extra_tasks(const struct cgroup *group, int processes)
{
    int64_t tasks = cgroup_tasks(group);

    return tasks > processes ? tasks - processes : 0;
}

/* More processes than there may be: the youngest have slipped in. */
static void end_excess(struct threads *t, const struct cgroup *group, int64_t excess)
{
    for (; excess > 0; excess--) {
        pid_t youngest = cgroup_youngest(group);

        if (youngest <= 0 || kill(youngest, SIGKILL) != 0)
            return;
        t->ended++;
    }
}

void threads_look(struct threads *t, const struct cgroup *group)
{
    int processes = cgroup_processes(group);
    int64_t needed = extra_tasks(group, processes) + t->recent + t->last;

    if (t->init) {
        t->ended += process_end_excess(t->init, t->most);
        return;
    }
    if (processes > t->most)
        end_excess(t, group, processes - t->most);
    if (needed < t->room)
        set_room(t, group, needed);
    t->last = t->recent;
    t->recent = 0;
}

/* What may be left of the run when it is dead. */
static void note_use(struct threads *t, int call)
{
    bool net = call == SYS_socket, pair = call == SYS_socketpair;

    t->sockets |= net;
    t->pairs |= pair;
    t->ipc |= !net && !pair;
}

void threads_answer(struct threads *t, const struct cgroup *group)
{
    struct seccomp_notif question = { 0 };
    struct seccomp_notif_resp answer = { .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
    bool thread;

    if (ioctl(t->listener, SECCOMP_IOCTL_NOTIF_RECV, &question) != 0)
        return;
    answer.id = question.id;
    if (t->hosted && process_answers(t->hosted, t->listener, &question, &answer)) {
        (void)ioctl(t->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
        return;
    }
    thread = question.data.nr == SYS_clone;
    if (thread && t->room >= THREAD_ROOM)
        threads_look(t, group);
    if (!thread) {
        note_use(t, question.data.nr);
    } else if (t->room >= THREAD_ROOM) {
        answer.flags = 0;
        answer.error = -EAGAIN;
        t->refused++;
    } else {
        set_room(t, group, t->room + 1);
        t->recent++;
    }
    (void)ioctl(t->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}
