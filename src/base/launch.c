/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c: starts and ends programs of ours. */
#include "base/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { ABOVE = 16 };

/* Away from our terminal, too. */
static int fill_attributes(posix_spawnattr_t *attr)
{
    sigset_t all, none;

    (void)sigfillset(&all);
    (void)sigemptyset(&none);
    (void)posix_spawnattr_setsigdefault(attr, &all);
    (void)posix_spawnattr_setsigmask(attr, &none);
    return posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSID);
}

/* A library that prints must not print into what it was given. */
static int fill_actions(posix_spawn_file_actions_t *actions, const struct launch *l)
{
    int bad = 0;

    for (int i = 0; i < l->given_count && !bad; i++)
        bad = posix_spawn_file_actions_adddup2(actions, l->given[i], LAUNCH_FIRST + i);
    for (int fd = 0; fd < LAUNCH_FIRST && !bad; fd++)
        bad = l->streams ? posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDWR, 0)
                         : posix_spawn_file_actions_addclose(actions, fd);
    return bad ? bad
               : posix_spawn_file_actions_addclosefrom_np(actions, LAUNCH_FIRST + l->given_count);
}

int launch(const struct launch *l, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    int bad = posix_spawn_file_actions_init(&actions);

    if (bad)
        return bad;
    bad = posix_spawnattr_init(&attr);
    if (!bad) {
        bad = fill_attributes(&attr);
        bad = bad ? bad : fill_actions(&actions, l);
        bad = bad ? bad : posix_spawn(pid, l->program, &actions, &attr, l->argv, l->environment);
        (void)posix_spawnattr_destroy(&attr);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return bad;
}

int launch_moved_up(int fd)
{
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, ABOVE);

    if (fd >= 0)
        (void)close(fd);
    return high;
}

void launch_end(int *handle, siginfo_t *how)
{
    *how = (siginfo_t){ 0 };
    (void)syscall(SYS_pidfd_send_signal, *handle, SIGKILL, NULL, 0);
    while (waitid(P_PIDFD, (id_t)*handle, how, WEXITED) != 0 && errno == EINTR)
        ;
    own_close(handle);
}
