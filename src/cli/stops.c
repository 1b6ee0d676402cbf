/* SPDX-License-Identifier: Apache-2.0 */
/* stops.c: hears the signals that ask us to stop. */
#include "cli/stops.h"

#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>

/* The first of the tree does not hear the terminal, we do. */
int stops_watch(void)
{
    sigset_t ours;

    (void)sigemptyset(&ours);
    (void)sigaddset(&ours, SIGINT);
    (void)sigaddset(&ours, SIGTERM);
    (void)sigaddset(&ours, SIGHUP);
    (void)sigaddset(&ours, SIGQUIT);
    (void)sigprocmask(SIG_BLOCK, &ours, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK);
}
