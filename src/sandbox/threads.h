/* SPDX-License-Identifier: Apache-2.0 */
/* threads.h: room for threads that is no room for processes.
 *
 * A01-9: the limit is on processes, and the kernel's counter counts threads as well. Its limit is
 * therefore kept at as many tasks as there may be processes and are threads. A program that makes a
 * thread asks here first: the limit is raised by one, and lowered again where no thread was made,
 * which is settled before the next question is heard. A thread that ends asks, too: the limit is
 * lowered before it goes.
 *
 * Threads ask, and not processes, because C libraries make and end threads with signals blocked: a
 * signal that comes before the question is heard makes the call fail, and fork never fails so.
 *
 * What ends threads without a question (exec, a signal, the end of a process) leaves room until the
 * next look. Where a process slipped into it, no process is let in until the youngest are ended.
 * The second time that happens the run has overrun its limit, and is ended.
 */
#pragma once

#include <stdbool.h>

#include "sandbox/cgroup.h"
#include "sandbox/filters.h"

enum { THREAD_ROOM = 512 };

struct jail;

/* A thread that was let go on to make another. */
struct thread_change {
    pid_t thread;   /* that asked; 0: none is under way */
    int64_t before; /* how many threads its process had, without those that leave */
    int looks;
};

enum { THREADS_LEAVE = 64 };

struct threads {
    int listener;    /* -1: nobody asks */
    int64_t most;    /* processes, those that always are included */
    int64_t room;    /* for threads, in the limit as it is now */
    int64_t refused; /* threads */
    int64_t ended;   /* processes; and those that were refused where there may be none */
    struct thread_change change;
    pid_t leaving[THREADS_LEAVE]; /* were let go on to end, and may not have yet */
    int leaving_count;
    bool shut;   /* no task is let in: there are too many processes */
    int overran; /* how often there were */
    struct filters filters;
    bool sockets;              /* one of the internet was asked for */
    bool pairs;                /* a pair of sockets was asked for */
    bool ipc;                  /* something else that outlives its maker was asked for */
    pid_t init;                /* whose tree is counted, where no group does it; 0: one does */
    const struct jail *hosted; /* who asks about files, too (process.h); NULL: nobody does */
};

/* Answers the question that is there; about all but threads and filters it is yes. */
void threads_answer(struct threads *t, const struct cgroup *group);

/* Whether a question can be answered now. */
bool threads_listen(const struct threads *t);

/* Looks what became of a thread, and whether too many processes are there. */
void threads_look(struct threads *t, const struct cgroup *group);

/* After how many milliseconds to look again; 0: not before the next question. */
int threads_look_in(const struct threads *t);

/* The limit on processes was passed a second time. */
bool threads_overran(const struct threads *t);
