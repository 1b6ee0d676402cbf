/* SPDX-License-Identifier: Apache-2.0 */
/* resting.c: a list of sockets that should be silent, and a look at them. */
#include "adapter/http/resting.h"

#include <sys/socket.h>

void resting_wake(struct resting *r, int fd)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->v[i].fd == fd) {
            r->v[i] = r->v[--r->n];
            return;
        }
}

/* One for which there is no room is not used again, either. */
void resting_add(struct resting *r, int fd)
{
    resting_wake(r, fd);
    if (r->n == RESTING_MOST)
        (void)shutdown(fd, SHUT_RDWR);
    else
        r->v[r->n++] = (struct pollfd){ .fd = fd, .events = POLLIN };
}

void resting_shut(struct resting *r)
{
    if (r->n == 0 || poll(r->v, (nfds_t)r->n, 0) <= 0)
        return;
    for (size_t i = r->n; i-- > 0;)
        if (r->v[i].revents) {
            (void)shutdown(r->v[i].fd, SHUT_RDWR);
            r->v[i] = r->v[--r->n];
        }
}
