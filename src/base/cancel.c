/* SPDX-License-Identifier: Apache-2.0 */
/* cancel.c: hears that somebody wants it stopped, whatever kind of descriptor says so. */
#include "base/cancel.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

bool cancel_heard(int *fd, struct cancel_calls *calls, const struct world *world)
{
    struct signalfd_siginfo info;
    ssize_t n = read(*fd, &info, sizeof info);
    bool first = !calls->told;

    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        *fd = -1;
    if (n != sizeof info)
        return n > 0;
    calls->told = true;
    return wish_insists(&calls->wishes, info.ssi_signo, world) || first;
}

bool cancel_asked(int fd)
{
    struct pollfd asked = { .fd = fd, .events = POLLIN };

    return poll(&asked, 1, 0) > 0 && asked.revents & POLLIN;
}

bool cancel_wait(int fd, int64_t ms, const struct world *world)
{
    struct pollfd asked = { .fd = fd, .events = POLLIN };
    int64_t until = world->mono_ms(world->self) + ms;

    for (;;) {
        int64_t left = until - world->mono_ms(world->self);
        int n;

        if (left <= 0)
            return true;
        n = poll(&asked, 1, poll_ms(left));
        if (n > 0 && asked.revents & POLLIN)
            return false;
        if (n > 0) /* whoever might have called has let go of it */
            asked.fd = -1;
        if (n < 0 && errno != EINTR)
            return true;
    }
}
