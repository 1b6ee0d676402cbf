/* SPDX-License-Identifier: Apache-2.0 */
/* quiet.c: holds signals back: SIGPIPE while a run lasts, all of them while it is being started. */
#include "sandbox/quiet.h"

#include <errno.h>
#include <time.h>

#include "sandbox/kernel.h"

sigset_t quiet_begin(void)
{
    sigset_t pipe_only, before;

    (void)sigemptyset(&pipe_only);
    (void)sigaddset(&pipe_only, SIGPIPE);
    (void)pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    return before;
}

void quiet_end(const sigset_t *before)
{
    static const struct timespec at_once;
    sigset_t pipe_only;

    (void)sigemptyset(&pipe_only);
    (void)sigaddset(&pipe_only, SIGPIPE);
    if (!sigismember(before, SIGPIPE))
        (void)sigtimedwait(&pipe_only, NULL, &at_once);
    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* The first process of a namespace loses signals that it neither handles nor blocks, and somebody
 * may stop a run before that process has done anything. Of the elder call the third argument is
 * where the pidfd goes. */
static long clone_quietly(struct clone_args *args, int *pidfd)
{
    sigset_t all, before;
    long pid;
    int sys;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    pid = args ? syscall(SYS_clone3, args, sizeof *args)
               : syscall(SYS_clone, CLONE_PIDFD, 0, pidfd, 0, 0);
    if (pid == 0)
        return 0;
    sys = errno;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = sys;
    return pid;
}

long quiet_clone(struct clone_args *args)
{
    return clone_quietly(args, NULL);
}

long quiet_fork(int *pidfd)
{
    return clone_quietly(NULL, pidfd);
}
