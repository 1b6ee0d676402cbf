/* SPDX-License-Identifier: Apache-2.0 */
/* pure_worker.h: the process of a worker: started, looked at, ended. */
#pragma once

#include <sys/types.h>

#include "base/error.h"
#include "base/mem.h"
#include "executor/kind.h"
#include "executor/pure_wire.h"

struct worker {
    pid_t pid; /* 0: there is none */
    int handle, channel;
    struct pure_page *page;
    uint32_t answered; /* calls it was given, before those at hand */
};

/* Starts the process; it has nothing of ours but its end of the channel and the page. */
bool worker_start(const char *kind, const struct call_program *program, struct worker *out,
                  struct error *e) NODISCARD;

/* Ends it, however it is doing, and lets go of everything. Says how it came to its end; what it did
 * not do itself is not its end. */
const char *worker_end(struct worker *w, struct arena *a);

/* How many of the calls at hand it has begun. */
static inline size_t worker_begun(const struct worker *w)
{
    return (uint32_t)(atomic_load(&w->page->begun) - w->answered);
}

/* How long it may go on with one thing. */
struct watch {
    size_t call; /* what it is at */
    int64_t cpu_ms, wall_ms;
    bool begun;
};

enum { WATCH_SLOWER = 10, WATCH_SPARE_MS = 1000 };

/* Is it too late? Looks at the worker's own time, and at the wall clock as a backstop: a machine
 * with much to do changes no verdict. The first look at a call begins its time. */
bool watch_over(struct watch *watch, const struct worker *w, size_t call,
                const struct call_program *program, int64_t timeout_ms);

/* How long to wait between two looks. */
int watch_pause_ms(int64_t timeout_ms);
