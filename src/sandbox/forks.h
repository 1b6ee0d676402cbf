/* SPDX-License-Identifier: Apache-2.0 */
/* forks.h: counts processes as they are made, and refuses the one too many.
 *
 * A01-9: the limit is on processes; the kernel's own counter counts threads as well. So the filter
 * on system calls lets every process that wants to start another one ask here. The flags it asks
 * with are values, not memory: nothing can change between the question and the deed.
 */
#pragma once

#include "sandbox/cgroup.h"

enum { FORKS_PENDING = 128, FORKS_PATIENCE = 200 };

struct forks {
    int listener; /* -1: nobody asks */
    int64_t most; /* processes besides the command */
    int64_t refused;
    int first; /* processes in the group when the first question came: no child is among them */
    int pending[FORKS_PENDING]; /* threads that were let go on and may not have done it yet */
    size_t pending_count;
    uint64_t held; /* the id of a question that waits for those; 0: none */
    int holder;    /* and the thread that asked it */
    int patience;  /* how often it will be looked at again */
};

/* Answers what was asked; false: one question waits, and forks_step() wants to be called again in
 * a millisecond even if nobody asks. */
bool forks_step(struct forks *f, const struct cgroup *group, bool asked);
