/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c: raises the limit on tasks for each thread, and lowers it with them. */
#include "sandbox/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "base/own.h"
#include "base/process.h"
#include "sandbox/process.h"

enum {
    LOOK_MS = 10,         /* while there is room that a thread may have left */
    LOOK_SOON_MS = 1,     /* while something is under way */
    COUNTED_LOOK_MS = 50, /* where the processes of a run are counted one by one */
    TURNS = 50,           /* of waiting for a thread before the loop goes on */
    PATIENCE = 200,       /* looks at a thread of which nothing is to be seen */
    OVERRUNS = 2,         /* end the run */
};

/* The limit holds for processes and threads together. */
static void set_room(struct threads *t, const struct cgroup *group, int64_t room)
{
    if (room >= 0 && room != t->room && !t->shut && cgroup_set_tasks(group, t->most + room))
        t->room = room;
}

/* ---- too many processes ---- */

/* Nobody is let in while the youngest end. */
static void end_excess(struct threads *t, const struct cgroup *group, int64_t excess)
{
    if (!t->shut) {
        t->shut = cgroup_set_tasks(group, 0);
        t->overran++;
        t->ended += excess;
    }
    cgroup_end_youngest(group, excess);
}

/* Tasks that are no processes: threads, and the dead that nobody has waited for. */
static int64_t extra_tasks(const struct cgroup *group, int processes)
{
    int64_t tasks = cgroup_tasks(group);

    return tasks > processes ? tasks - processes : 0;
}

static void count(struct threads *t, const struct cgroup *group)
{
    int processes = cgroup_processes(group);
    int64_t extra = extra_tasks(group, processes);

    if (processes > t->most) {
        end_excess(t, group, processes - t->most);
        return;
    }
    if (t->shut)
        t->shut = !cgroup_set_tasks(group, t->most + t->room);
    if (!t->change.thread && extra < t->room)
        set_room(t, group, extra);
}

/* ---- one thread ---- */

static bool is_asleep_or_dead(const struct process *p)
{
    return p->state == 'S' || p->state == 'T' || p->state == 'Z' || p->state == 'X';
}

/* What became of the thread that was let go on; false: that is not to be seen yet. While it makes
 * another it runs, or waits for its turn; when it sleeps, the call is over. */
static bool settle(struct threads *t, const struct cgroup *group)
{
    struct thread_change *c = &t->change;
    struct process now;
    bool there = process_look(c->thread, &now);
    bool made = !c->ends && there && now.threads > c->before;
    bool over = c->ends ? !there : made || !there || is_asleep_or_dead(&now);

    if (!over && ++c->looks < PATIENCE)
        return false;
    if (!c->ends && !made)
        set_room(t, group, t->room - 1);
    *c = (struct thread_change){ 0 };
    return true;
}

/* Where the limit is reached, a process may have taken the room of the thread. */
static void settle_soon(struct threads *t, const struct cgroup *group)
{
    for (int i = 0; i < TURNS && t->change.thread && !settle(t, group); i++)
        (void)sched_yield();
    if (cgroup_tasks(group) >= t->most + t->room)
        count(t, group);
}

/* The first thread of a process stays, dead, until the others have ended. */
static bool is_first_thread(pid_t thread)
{
    char path[48], text[512];
    const char *at;
    ssize_t n;
    _fd_ int fd = -1;

    (void)snprintf(path, sizeof path, "/proc/%d/status", thread);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    at = strstr(text, "\nTgid:");
    return at && strtol(at + strlen("\nTgid:"), NULL, 10) == thread;
}

static int begin_thread(struct threads *t, const struct cgroup *group, pid_t asks)
{
    struct process now = { .threads = 0 };

    if (t->room >= THREAD_ROOM)
        count(t, group);
    if (t->room >= THREAD_ROOM || t->shut) {
        t->refused++;
        return EAGAIN;
    }
    (void)!process_look(asks, &now);
    t->change = (struct thread_change){ .thread = asks, .before = now.threads };
    set_room(t, group, t->room + 1);
    return 0;
}

static void end_thread(struct threads *t, const struct cgroup *group, pid_t asks)
{
    if (is_first_thread(asks))
        return;
    t->change = (struct thread_change){ .thread = asks, .ends = true };
    set_room(t, group, t->room - 1);
}

/* ---- questions ---- */

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

    if (ioctl(t->listener, SECCOMP_IOCTL_NOTIF_RECV, &question) != 0)
        return;
    answer.id = question.id;
    if (t->hosted && process_answers(t->hosted, t->listener, &question, &answer)) {
        (void)ioctl(t->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
        return;
    }
    if (question.data.nr == SYS_clone)
        answer.error = -begin_thread(t, group, (pid_t)question.pid);
    else if (question.data.nr == SYS_exit)
        end_thread(t, group, (pid_t)question.pid);
    else if (question.data.nr == SYS_seccomp || question.data.nr == SYS_prctl)
        answer.error = -filters_ask(&t->filters, group, (pid_t)question.pid);
    else
        note_use(t, question.data.nr);
    if (answer.error)
        answer.flags = 0;
    (void)ioctl(t->listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    if (t->change.thread)
        settle_soon(t, group);
}

bool threads_listen(const struct threads *t)
{
    return t->listener >= 0 && !t->change.thread && !t->shut;
}

/* ---- time ---- */

void threads_look(struct threads *t, const struct cgroup *group)
{
    if (t->init) {
        t->ended += process_end_excess(t->init, t->most);
        return;
    }
    if (t->change.thread)
        (void)settle(t, group);
    count(t, group);
}

int threads_look_in(const struct threads *t)
{
    if (t->init)
        return t->room > 0 ? COUNTED_LOOK_MS : 0;
    if (t->change.thread || t->shut)
        return LOOK_SOON_MS;
    return t->room > 0 ? LOOK_MS : 0;
}

bool threads_overran(const struct threads *t)
{
    return t->overran >= OVERRUNS;
}
