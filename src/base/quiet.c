/* SPDX-License-Identifier: Apache-2.0 */
/* quiet.c: holds SIGPIPE back while somebody may not read. */
#include "base/quiet.h"

#include <time.h>

sigset_t quiet_begin(void)
{
    sigset_t pipe_only, before;

    (void)sigemptyset(&pipe_only);
    (void)sigaddset(&pipe_only, SIGPIPE);
    (void)pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    return before;
}

void quiet_end(const sigset_t *before)
{
    static const struct timespec at_once;
    sigset_t pipe_only;

    (void)sigemptyset(&pipe_only);
    (void)sigaddset(&pipe_only, SIGPIPE);
    if (!sigismember(before, SIGPIPE))
        (void)sigtimedwait(&pipe_only, NULL, &at_once);
    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
}
