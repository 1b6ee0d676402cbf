/* SPDX-License-Identifier: Apache-2.0 */
/* threads.h: room for threads that is no room for processes.
 *
 * A01-9: the limit is on processes, and the kernel's counter counts threads as well. Its limit is
 * therefore kept at as many tasks as there may be processes, and whoever makes a thread asks here
 * first: the limit is then raised by one. When threads have ended, it is lowered again. A process
 * that slips into the room a thread has left is ended.
 *
 * Threads ask, and not processes, because C libraries make threads with signals blocked: a signal
 * that comes while one waits for the answer would make fork fail, which it never does otherwise.
 */
#pragma once

#include <stdbool.h>

#include "sandbox/cgroup.h"

enum { THREAD_ROOM = 512, THREADS_TICK_MS = 50 };

struct jail;

struct threads {
    int listener;              /* -1: nobody asks */
    int64_t most;              /* processes, those that always are included */
    int64_t room;              /* for threads, in the limit as it is now */
    int64_t recent, last;      /* let go on since the last look, and before it */
    int64_t refused;           /* threads */
    int64_t ended;             /* processes */
    bool sockets;              /* one of the internet was asked for */
    bool pairs;                /* a pair of sockets was asked for */
    bool ipc;                  /* something else that outlives its maker was asked for */
    pid_t init;                /* whose tree is counted, where no group does it; 0: one does */
    const struct jail *hosted; /* who asks about files, too (process.h); NULL: nobody does */
};

/* Answers the question that is there; about all but threads it is yes. */
void threads_answer(struct threads *t, const struct cgroup *group);

/* Looks whether the room is still used, and whether too many are there; every THREADS_TICK_MS,
 * while there is some. */
void threads_look(struct threads *t, const struct cgroup *group);
