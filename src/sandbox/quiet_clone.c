/* SPDX-License-Identifier: Apache-2.0 */
/* quiet_clone.c: holds all signals back while a process is being started. */
#include "sandbox/quiet_clone.h"

#include <errno.h>
#include <signal.h>

#include "sandbox/kernel.h"

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
