/* SPDX-License-Identifier: Apache-2.0 */
/* quiet.h: signals that must not be heard: of our caller, by a pipe that nobody reads; of a new
 * process, before it can do something about them.
 */
#pragma once

#include <signal.h>

struct clone_args;

/* Nobody reads what is passed on: the command is told, and our caller does not die of it. Returns
 * the signals as they were, for quiet_end(). */
sigset_t quiet_begin(void);
void quiet_end(const sigset_t *before);

/* clone3; in the new process every signal is blocked from its first breath. */
long quiet_clone(struct clone_args *args);

/* The same by the elder call, where clone3 is forbidden; nobody is told of its death. */
long quiet_fork(int *pidfd);
