/* SPDX-License-Identifier: Apache-2.0 */
/* quiet_clone.h: a new process hears no signal before it can do something about it. */
#pragma once

struct clone_args;

/* clone3; in the new process every signal is blocked from its first breath. */
long quiet_clone(struct clone_args *args);

/* The same by the elder call, where clone3 is forbidden; nobody is told of its death. */
long quiet_fork(int *pidfd);
