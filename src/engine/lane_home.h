/* SPDX-License-Identifier: Apache-2.0 */
/* lane_home.h: where a lane keeps its transcript and what it came to, and how it is ended.
 *
 *     <state>/lanes/run-<execution id>/transcript.jsonl  manifest.json  result.json
 *                                      remediation.json  cancel
 *
 * The lanes of a plan have one transcript, lanes/plan-<the plan's execution id>.jsonl, each line of
 * which tells whose it is: what they came to is in the ledger, with their plan, and nobody ends
 * them but the plan. A directory for each would cost as much as what is run in it.
 *
 * <state>/open_lanes/run-<execution id> is there, locked, from before the lane's directory until
 * its result is in it. One that nobody holds is of a lane whose writ was killed (lane_lost.h).
 *
 * An execution id is used once. One whose lane was refused before the ledger had it was not used:
 * that lane is put aside, as refused-<execution id>, of which the last is kept.
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

/* The transcript of all lanes of a plan. */
struct lane_log {
    int fd; /* -1: it is not open */
    const char *path;
    atomic_bool *torn; /* as of struct transcript */
};

struct lane_home_ask {
    const char *state; /* the state directory; NULL: there is none */
    struct str execution, correlation;
    const struct world *world;
    struct listener listener;
    int cancel;                 /* the caller's, as of struct run; -1: never */
    const struct lane_log *log; /* of its plan; NULL: it is no step */
};

struct lane_home {
    const char *all, *run_id; /* where lanes are; its name */
    struct transcript transcript;
    bool alone; /* a step: nobody but its plan ends it */
    bool made;  /* its directory, by us */
    bool ended; /* whoever runs the lane says so: its result is in it */
    const char *mark_path;
    int mark;   /* its file that is locked; -1: there is none */
    bool used;  /* whoever runs the lane says so: the ledger has its id */
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

/* Writes a file of its own; the file's path, or NULL. */
const char *lane_home_keep(const struct lane_home *h, const char *name, struct str text,
                           struct arena *a, struct error *e) NODISCARD;

/* Opens the transcript of a plan's lanes; `plan` is its execution's id. */
bool lane_log_open(struct lane_log *log, const char *state, struct str plan, struct arena *a,
                   struct error *e) NODISCARD;

/* Nobody can end it any more. Also after it could not be opened. */
void lane_home_close(struct lane_home *h);

/* Where the files are that tell which lanes run. */
const char *lane_home_marks(const char *state, struct arena *a);

/* Where lanes are, below the state directory. */
const char *lane_home_all(const char *state, struct arena *a);
