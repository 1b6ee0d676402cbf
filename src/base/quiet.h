/* SPDX-License-Identifier: Apache-2.0 */
/* quiet.h: a pipe that nobody reads must not end our caller. */
#pragma once

#include <signal.h>

/* Whoever writes is told by errno; SIGPIPE is held back in this thread, and forgotten at the end.
 * Returns the signals as they were, for quiet_end(). */
sigset_t quiet_begin(void);
void quiet_end(const sigset_t *before);
