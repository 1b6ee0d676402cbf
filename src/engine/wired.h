/* SPDX-License-Identifier: Apache-2.0 */
/* wired.h: a run in a thread of its own, spoken to over its standard input and output. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/own.h"
#include "base/world.h"

/* How long one is waited for by who hurries: when its input has ended, and when SIGTERM was sent. A
 * second in all, for it keeps an answer that has come. */
enum { WIRED_SOON_MS = 700, WIRED_GRACE_MS = 300 };

struct wired {
    /* Runs it, with these as its input and output, until it ends or wired.stop is readable. It may
     * close them when the run has its own (-1). */
    void (*run)(void *self, int wires[2]);
    void *self;
    const struct world *world;
    pthread_t thread;
    bool runs;        /* the thread is there and was not waited for */
    bool hurried;     /* who wants it to end has an answer in hand, and nothing else to do */
    atomic_bool deaf; /* it did not answer in time: it is not waited for when it is to end */
    atomic_bool left; /* it has ended, and its run is being recorded */
    int inner[2];     /* the run's ends: its input and its output */
    int stop[2];      /* a byte in it stops the run */
};

/* Makes what stops it; it does not run yet. False: *w may be closed all the same. */
bool wired_open(struct wired *w, struct error *e) NODISCARD;

/* Starts it; ours: what it prints can be read from [0], what it reads is written to [1]. */
bool wired_start(struct wired *w, int ours[2], struct error *e) NODISCARD;

/* Has it ended by itself? Waits for that, but not longer than `most_ms`; and for the record of one
 * that has, which is ours to write. */
bool wired_ended(struct wired *w, int64_t most_ms);

/* Waits for its end. Its line was closed, which asks it to end; who does not is stopped. */
void wired_end(struct wired *w);

/* Lets go of what is left. */
void wired_close(struct wired *w);
