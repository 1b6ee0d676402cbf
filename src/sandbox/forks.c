/* SPDX-License-Identifier: Apache-2.0 */
/* forks.c: answers each wish to start a process with go on, or no.
 *
 * Between "go on" and the new process there is a moment in which it is not counted yet. Near the
 * limit, who was let go on is looked up: as long as it is still inside the call, it counts as one.
 */
#include "sandbox/forks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#ifdef SYS_fork
static const long fork_calls[] = { SYS_clone, SYS_fork, SYS_vfork };
#else
static const long fork_calls[] = { SYS_clone };
#endif

/* Is the thread still in the call that makes a process? */
static bool is_forking(int thread)
{
    char path[48], text[32] = "";
    _fd_ int fd = -1;
    ssize_t n;
    long call;
    char *end;

    (void)snprintf(path, sizeof path, "/proc/%d/syscall", thread);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (n <= 0)
        return false; /* it is gone */
    call = strtol(text, &end, 10);
    for (size_t i = 0; end != text && i < COUNT(fork_calls); i++)
        if (call == fork_calls[i])
            return true;
    return false;
}

static void forget(struct forks *f, int thread)
{
    for (size_t i = 0; i < f->pending_count; i++)
        if (f->pending[i] == thread)
            f->pending[i--] = f->pending[--f->pending_count];
}

static void forget_done(struct forks *f)
{
    for (size_t i = 0; i < f->pending_count; i++)
        if (!is_forking(f->pending[i]))
            f->pending[i--] = f->pending[--f->pending_count];
}

static void answer(struct forks *f, uint64_t id, bool go_on)
{
    struct seccomp_notif_resp response = { .id = id };

    if (go_on)
        response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    else
        response.error = -EAGAIN;
    f->refused += !go_on;
    (void)ioctl(f->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

/* True when the question was answered. */
static bool decide(struct forks *f, const struct cgroup *group, uint64_t id, int thread)
{
    int64_t now = cgroup_processes(group) - f->first;

    if (now >= f->most) {
        answer(f, id, false);
        return true;
    }
    if (now + (int64_t)f->pending_count >= f->most || f->pending_count == FORKS_PENDING)
        forget_done(f);
    if (f->pending_count == FORKS_PENDING)
        return false;
    now = cgroup_processes(group) - f->first;
    if (now < f->most && now + (int64_t)f->pending_count >= f->most)
        return false;
    if (now < f->most)
        f->pending[f->pending_count++] = thread;
    answer(f, id, now < f->most);
    return true;
}

bool forks_step(struct forks *f, const struct cgroup *group, bool asked)
{
    struct seccomp_notif question = { 0 };

    if (f->held) {
        if (f->patience-- == 0)
            f->pending_count =
                0; /* a parent in vfork stays in the call as long as its child likes */
        if (!decide(f, group, f->held, f->holder))
            return false;
        f->held = 0;
    }
    if (!asked || ioctl(f->listener, SECCOMP_IOCTL_NOTIF_RECV, &question) != 0)
        return true;
    if (f->first == 0)
        f->first = cgroup_processes(group);
    forget(f, (int)question.pid);
    if (decide(f, group, question.id, (int)question.pid))
        return true;
    f->held = question.id;
    f->holder = (int)question.pid;
    f->patience = FORKS_PATIENCE;
    return false;
}
