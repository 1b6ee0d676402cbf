/* SPDX-License-Identifier: Apache-2.0 */
/* run_watch.h: follows a plan while it runs: reads its progress for a view, and hears Ctrl-C.
 *
 * Two threads beside the one the plan runs in. One reads and shows, and may be held up by a
 * terminal that is; the other hears signals, and is never held up.
 */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/error.h"
#include "cli/run/view.h"

struct run_watch {
    struct run_state *state;
    const struct run_view *view;
    int progress[2]; /* a pipe: read by us, written by the plan */
    int force;       /* readable when the plan's time is to be up */
    int poke;        /* readable when the first signal has come, for the view */
    int signals, sizes, done;
    int heard;          /* the first signal that asked for the end; the hearer's until it is gone */
    sigset_t before;    /* what was blocked */
    atomic_bool moving; /* something is on the screen that has to be taken away */
    struct buf line;    /* as much of it as has come */
    pthread_t shower, hearer;
};

/* Signals are heard from here on, by nobody else. */
bool run_watch_begin(struct run_watch *w, struct run_state *state, const struct run_view *view,
                     struct error *e) NODISCARD;

/* After the plan has ended: all that was told is shown, and signals do what they did before. False:
 * nobody takes what is shown, and the thread that shows is left behind with its state and its view,
 * which must stay. */
bool run_watch_end(struct run_watch *w) NODISCARD;

/* Bytes as they came from the pipe, for the view; a line may come in parts. */
void run_watch_feed(struct run_watch *w, struct str bytes);
