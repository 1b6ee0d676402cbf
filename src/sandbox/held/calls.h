/* SPDX-License-Identifier: Apache-2.0 */
/* calls.h: the system calls of a fixed run that are answered by init, or changed by it.
 *
 * The filter stops a process at such a call (CALL_HELD in calls.h). Clocks and chance are answered
 * at once. A wait is made, and when it has come to its end, the held clock is moved; one until a
 * point in time is turned into one for as long as that is away on the held clock.
 */
#pragma once

#include <sys/types.h>

#include "sandbox/held/return.h"

/* At a call; true: it is to be stopped at its return, too, or carries something over. */
bool held_call(const struct held_ground *g, pid_t pid, struct held_return *out);

/* At its return. True: it is not over, for the kernel will take it up again. */
bool held_returned(const struct held_ground *g, struct held_return *r);
