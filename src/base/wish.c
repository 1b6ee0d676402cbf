/* SPDX-License-Identifier: Apache-2.0 */
/* wish.c: hears signals, and tells one wish from two. */
#include "base/wish.h"

#include <sys/signalfd.h>

enum { AGAIN_MS = 500 }; /* sooner nobody has read that it is stopping */

static bool is_ignored(int sig)
{
    struct sigaction now;

    return sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

int wish_listen(const int *signals)
{
    sigset_t set;

    (void)sigemptyset(&set);
    for (; *signals; signals++)
        if (!is_ignored(*signals))
            (void)sigaddset(&set, *signals);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool wish_insists(struct wishes *heard, uint32_t sig, const struct world *world)
{
    int64_t now = world->mono_ms(world->self);

    if (sig >= NSIG || sig == SIGHUP)
        return false;
    if (!heard->first_ms[sig])
        heard->first_ms[sig] = now;
    return now - heard->first_ms[sig] >= AGAIN_MS;
}
