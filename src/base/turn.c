/* SPDX-License-Identifier: Apache-2.0 */
/* turn.c: a counter of turns in the kernel, which is waited for together with a cancel. */
#include "base/turn.h"

#include <poll.h>
#include <stddef.h>
#include <sys/eventfd.h>

bool turn_open_for(struct turn *t, unsigned at_once)
{
    t->fd = eventfd(at_once, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    return t->fd >= 0;
}

bool turn_open(struct turn *t)
{
    return turn_open_for(t, 1);
}

void turn_close(struct turn *t)
{
    own_close(&t->fd);
}

bool turn_take(const struct turn *t, int cancel)
{
    struct pollfd fds[] = { { .fd = t->fd, .events = POLLIN }, { .fd = cancel, .events = POLLIN } };
    eventfd_t one;

    if (t->fd < 0)
        return false;
    while (eventfd_read(t->fd, &one) != 0) {
        (void)poll(fds, sizeof fds / sizeof fds[0], -1); /* interrupted: looked at again */
        if (fds[1].revents)
            return false;
    }
    return true;
}

void turn_give(const struct turn *t)
{
    (void)eventfd_write(t->fd, 1);
}
