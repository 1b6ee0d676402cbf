/* SPDX-License-Identifier: Apache-2.0 */
/* signals.c: hears signals, and gives all of them back by the bare call. */
#include "base/signals.h"

#include <stddef.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SIGNALS = NSIG - 1 };
enum { AGAIN_MS = 500 }; /* sooner nobody has read that it is stopping */

static bool is_ignored(int sig)
{
    struct sigaction now;

    return sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

int signals_listen(const int *signals)
{
    sigset_t set;

    (void)sigemptyset(&set);
    for (; *signals; signals++)
        if (!is_ignored(*signals))
            (void)sigaddset(&set, *signals);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

bool signals_insist(struct signals_heard *heard, uint32_t sig, const struct world *world)
{
    int64_t now = world->mono_ms(world->self);

    if (sig >= NSIG || sig == SIGHUP)
        return false;
    if (!heard->first_ms[sig])
        heard->first_ms[sig] = now;
    return now - heard->first_ms[sig] >= AGAIN_MS;
}

void signals_reset(void)
{
    static const unsigned long standard[4]; /* SIG_DFL, no flags, no mask, in the kernel's words */

    for (int i = 1; i <= SIGNALS; i++)
        (void)syscall(SYS_rt_sigaction, i, standard, NULL, (size_t)SIGNALS / 8);
}
