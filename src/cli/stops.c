/* SPDX-License-Identifier: Apache-2.0 */
/* stops.c: hears the signals that ask us to stop. */
#include "cli/stops.h"

#include <signal.h>

#include "base/wish.h"

/* The first of the tree does not hear the terminal, we do. */
int stops_watch(void)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, 0 };

    (void)signal(SIGPIPE, SIG_IGN);
    return wish_listen(ends);
}
