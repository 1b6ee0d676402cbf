/* SPDX-License-Identifier: Apache-2.0 */
/* trial.c: a process that tries one thing and tells by its exit status how that went. */
#include "sandbox/trial.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sys/wait.h>

#include "sandbox/kernel.h"
#include "sandbox/landlock.h"

/* clang-format off */
const struct namespace_row namespaces[NAMESPACES] = {
    { CLONE_NEWUSER,   LAYER_USER,  "user" },
    { CLONE_NEWIPC,    LAYER_USER,  "ipc" },
    { CLONE_NEWUTS,    LAYER_USER,  "uts" },
    { CLONE_NEWCGROUP, LAYER_USER,  "cgroup" },
    { CLONE_NEWNS,     LAYER_MOUNT, "mnt" },
    { CLONE_NEWPID,    LAYER_PID,   "pid" },
    { CLONE_NEWNET,    LAYER_NET,   "net" },
};
/* clang-format on */

int trial(unsigned flags, int (*act)(const void *self), const void *self)
{
    struct clone_args args = { .flags = flags };
    /* Where nothing new is asked for, the old call will do: clone3 may be what is forbidden. */
    long pid = flags ? syscall(SYS_clone3, &args, sizeof args) : syscall(SYS_clone, 0, 0, 0, 0, 0);
    int status;

    if (pid < 0)
        return errno;
    if (pid == 0)
        _exit(!act || act(self) == 0 ? 0 : errno); /* no errno is above 133 */
    while (waitpid((pid_t)pid, &status, __WALL) < 0)
        if (errno != EINTR)
            return errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : ENOTRECOVERABLE;
}

int trial_namespace(const struct namespace_row *row)
{
    return trial(CLONE_NEWUSER | row->flag, NULL, NULL);
}

const struct namespace_row *trial_lacking(unsigned flags)
{
    for (size_t i = 0; i < COUNT(namespaces); i++)
        if ((flags & namespaces[i].flag) && trial_namespace(&namespaces[i]) != 0)
            return &namespaces[i];
    return NULL;
}

static bool seccomp_works(void)
{
    uint32_t action = SECCOMP_RET_ERRNO;

    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

unsigned trial_layers(unsigned weak)
{
    unsigned all = LAYER_ALL;

    if ((weak & (1U << LAYER_LANDLOCK)) && landlock_version() == 0)
        all &= ~(1U << LAYER_LANDLOCK);
    if ((weak & (1U << LAYER_SECCOMP)) && !seccomp_works())
        all &= ~(1U << LAYER_SECCOMP);
    return all;
}
