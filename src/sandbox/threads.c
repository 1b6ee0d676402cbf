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
#include <unistd.h>

#include "base/own.h"
#include "base/process.h"
#include "sandbox/process.h"

enum {
    LOOK_MS = 10,         /* while there is room that a thread may have left */
    LOOK_SOON_MS = 1,     /* while something is under way */
    COUNTED_LOOK_MS = 50, /* where the processes of a run are counted one by one */
    TURNS = 30,           /* looks at a thread before the loop goes on */
    TRIES = 5,            /* at threads that nobody leaves meanwhile */
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

static bool is_in(pid_t process, pid_t thread)
{
    char path[64];

    (void)snprintf(path, sizeof path, "/proc/%d/task/%d", process, thread);
    return access(path, F_OK) == 0;
}

/* Those that have ended are not looked for again. */
static void forget_ended(struct threads *t)
{
    int n = 0;

    for (int i = 0; i < t->leaving_count; i++)
        if (is_in(t->leaving[i], t->leaving[i]))
            t->leaving[n++] = t->leaving[i];
    t->leaving_count = n;
}

/* How many threads the process of this one has, without those that leave; false: it is gone. */
static bool look_at_process(const struct threads *t, pid_t thread, struct process *out)
{
    struct process again;
    int64_t leaving;

    for (int i = 0; i < TRIES; i++) {
        leaving = 0;
        if (!process_look(thread, out))
            return false;
        for (int k = 0; k < t->leaving_count; k++)
            leaving += is_in(thread, t->leaving[k]);
        if (t->leaving_count == 0 ||
            (process_look(thread, &again) && again.threads == out->threads))
            break;
    }
    out->threads -= leaving;
    return true;
}

/* What became of the thread that was let go on; false: that is not to be seen yet. While it makes
 * another it runs, or waits for its turn; when it sleeps, the call is over. */
static bool settle(struct threads *t, const struct cgroup *group)
{
    struct thread_change *c = &t->change;
    struct process now;
    bool there = look_at_process(t, c->thread, &now);
    bool made = there && now.threads > c->before;

    if (!made && there && !is_asleep_or_dead(&now) && ++c->looks < PATIENCE)
        return false;
    if (!made)
        set_room(t, group, t->room - 1);
    *c = (struct thread_change){ 0 };
    return true;
}

/* Where the limit is reached, a process may have taken the room of the thread. */
static void settle_soon(struct threads *t, const struct cgroup *group)
{
    for (int i = 0; i < TURNS && t->change.thread; i++)
        (void)settle(t, group);
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
    forget_ended(t);
    (void)look_at_process(t, asks, &now);
    t->change = (struct thread_change){ .thread = asks, .before = now.threads };
    /* The kernel counts a thread that leaves until it is gone. */
    set_room(t, group,
             t->room + 1 + (cgroup_tasks(group) >= t->most + t->room ? t->leaving_count : 0));
    return 0;
}

/* The limit is lowered before it goes: nobody comes into its room. */
static void end_thread(struct threads *t, const struct cgroup *group, pid_t asks)
{
    if (is_first_thread(asks))
        return;
    forget_ended(t);
    if (t->leaving_count == THREADS_LEAVE)
        t->leaving_count--; /* of 64 that have not ended yet, one is counted as if it had */
    t->leaving[t->leaving_count++] = asks;
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

/* Where processes may be made, nobody asks about them. */
static bool is_process(const struct seccomp_data *data)
{
#ifdef SYS_fork
    if (data->nr == SYS_fork || data->nr == SYS_vfork)
        return true;
#endif
    return data->nr == SYS_clone && !(data->args[0] & CLONE_THREAD);
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
    if (is_process(&question.data)) {
        answer.error = -EPERM;
        t->ended++;
    } else if (question.data.nr == SYS_clone) {
        answer.error = -begin_thread(t, group, (pid_t)question.pid);
    } else if (question.data.nr == SYS_exit) {
        end_thread(t, group, (pid_t)question.pid);
    } else if (question.data.nr == SYS_seccomp || question.data.nr == SYS_prctl) {
        answer.error = -filters_ask(&t->filters, group, (pid_t)question.pid);
    } else {
        note_use(t, question.data.nr);
    }
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
