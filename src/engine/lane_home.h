/* SPDX-License-Identifier: Apache-2.0 */
/* lane_home.h: the directory of a lane: its transcript, what it came to, and how to end it.
 *
 *     <state>/lanes/run-<execution id>/transcript.jsonl  manifest.json  result.json
 *                                      remediation.json  cancel
 *
 * `cancel` is a pipe with a name that is there while the lane runs: who may write it may end the
 * lane. There are no process ids in it that could have become somebody else's.
 */
#pragma once

#include <pthread.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/world.h"
#include "route/transcript.h"

struct lane_home_ask {
    const char *state; /* the state directory; NULL: there is none */
    struct str execution, correlation;
    const struct world *world;
    struct listener listener;
    int cancel; /* the caller's, as of struct run; -1: never */
    bool alone; /* nobody but the caller ends it, and nothing waits for the disk: it is a step */
};

struct lane_home {
    const char *directory, *run_id;
    struct transcript transcript;
    bool alone;
    int cancel; /* as of struct run: the caller's, or by name */

    /* of the thread that hears both */
    const char *pipe_path;
    int from, pipe, quit;
    bool watched;
    pthread_t thread;
    pthread_mutex_t lock;
    char reason[256]; /* that was given by name */
};

bool lane_home_open(struct lane_home *h, const struct lane_home_ask *ask, struct arena *a,
                    struct error *e) NODISCARD;

/* Why it was asked to end, in words; NULL: nobody said. */
const char *lane_home_reason(struct lane_home *h, struct arena *a);

/* Writes a file into it. */
bool lane_home_keep(const struct lane_home *h, const char *name, struct str text, struct arena *a,
                    struct error *e) NODISCARD;

/* Nobody can end it any more. */
void lane_home_close(struct lane_home *h);

/* Where lanes are, below the state directory. */
const char *lane_home_all(const char *state, struct arena *a);
