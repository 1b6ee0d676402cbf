/* SPDX-License-Identifier: Apache-2.0 */
/* signals.c: hears signals, and gives all of them back by the bare call. */
#include "base/signals.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SIGNALS = NSIG - 1 };

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

void signals_reset(void)
{
    static const unsigned long standard[4]; /* SIG_DFL, no flags, no mask, in the kernel's words */

    for (int i = 1; i <= SIGNALS; i++)
        (void)syscall(SYS_rt_sigaction, i, standard, NULL, (size_t)SIGNALS / 8);
}
