/* SPDX-License-Identifier: Apache-2.0 */
/* http_child.c: starts and ends the process of writ-http. */
#include "adapter/http_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "adapter/http_frame.h"
#include "adapter/http_proxy.h"

enum { ABOVE = 16 }; /* the descriptors that it is given: none is overwritten on its way */

/* Signals as at the beginning of the world, a session of its own, away from our terminal. */
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

/* 0, 1 and 2 go nowhere: a library that prints must not print into a connection. */
static int fill_actions(posix_spawn_file_actions_t *actions, int channel)
{
    int bad = posix_spawn_file_actions_adddup2(actions, channel, HTTP_CHANNEL);

    for (int fd = 0; fd < HTTP_CHANNEL && !bad; fd++)
        bad = posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDWR, 0);
    return bad ? bad : posix_spawn_file_actions_addclosefrom_np(actions, HTTP_CHANNEL + 1);
}

static int spawn(const char *program, char *const *environment, int channel, pid_t *pid)
{
    static char name[] = "writ-http", protocol[] = HTTP_PROTOCOL;
    char *const argv[] = { name, protocol, NULL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    int bad = posix_spawn_file_actions_init(&actions);

    if (bad)
        return bad;
    bad = posix_spawnattr_init(&attr);
    if (!bad) {
        bad = fill_attributes(&attr);
        bad = bad ? bad : fill_actions(&actions, channel);
        bad = bad ? bad : posix_spawn(pid, program, &actions, &attr, argv, environment);
        (void)posix_spawnattr_destroy(&attr);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return bad;
}

static char **allowed(const char *const *environment, struct arena *a)
{
    size_t n = 0, count = 0;
    char **out;

    while (environment && environment[count])
        count++;
    out = arena_alloc(a, (count + 1) * sizeof *out);
    for (size_t i = 0; i < count; i++)
        if (http_setting_of(environment[i]) < SETTINGS)
            out[n++] = arena_text(a, str_of(environment[i]));
    return out;
}

static int moved_up(int fd)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, ABOVE);

    (void)close(fd);
    return high;
}

bool http_child_start(const char *program, const char *const *environment, struct http_child *out,
                      struct error *e)
{
    _arena_ struct arena a = { 0 };
    _fd_ int theirs = -1;
    struct http_child c = { -1, -1 };
    int pair[2];
    pid_t pid = 0;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return error_sys(e, ERROR_IO, "no channel can be made");
    c.channel = pair[0];
    theirs = moved_up(pair[1]);
    errno = theirs < 0 ? errno : spawn(program, allowed(environment, &a), theirs, &pid);
    if (errno == 0)
        c.handle = (int)syscall(SYS_pidfd_open, pid, 0);
    if (c.handle >= 0) {
        *out = c;
        return true;
    }
    (void)error_sys(e, ERROR_IO, "%s cannot be started", program);
    own_close(&c.channel);
    if (pid > 0) {
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
    }
    return false;
}

const char *http_child_end(struct http_child *c, struct arena *a)
{
    siginfo_t how = { 0 };
    const char *name;

    (void)syscall(SYS_pidfd_send_signal, c->handle, SIGKILL, NULL, 0);
    while (waitid(P_PIDFD, (id_t)c->handle, &how, WEXITED) != 0 && errno == EINTR)
        ;
    own_close(&c->handle);
    c->handle = -1;
    if (how.si_code == CLD_EXITED)
        return arena_printf(a, "ended with status %d", how.si_status);
    name = sigabbrev_np(how.si_status);
    return name ? arena_printf(a, "was ended by SIG%s", name) : "ended";
}
