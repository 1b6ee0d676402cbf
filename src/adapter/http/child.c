/* SPDX-License-Identifier: Apache-2.0 */
/* child.c: starts and ends the process of writ-http. */
#include "adapter/http/child.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "adapter/http/frame.h"
#include "adapter/http/proxy.h"
#include "base/launch.h"

static int spawn(const char *program, char *const *environment, int channel, pid_t *pid)
{
    static char name[] = "writ-http", protocol[] = HTTP_PROTOCOL;
    char *const argv[] = { name, protocol, NULL };
    struct launch l = { program, argv, environment, &channel, 1, true };

    return launch(&l, pid);
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
    theirs = launch_moved_up(pair[1]);
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
    siginfo_t how;
    const char *name;

    launch_end(&c->handle, &how);
    if (how.si_code == CLD_EXITED)
        return arena_printf(a, "ended with status %d", how.si_status);
    name = sigabbrev_np(how.si_status);
    return name ? arena_printf(a, "was ended by SIG%s", name) : "ended";
}
