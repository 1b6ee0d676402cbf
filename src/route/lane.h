/* SPDX-License-Identifier: Apache-2.0 */
/* lane.h: one routed command on its way through the states of contract 000.
 *
 * Whoever runs the command tells what happens; the lane moves along declared edges only, writes
 * each move down, and says at the end what it came to. An edge that is not declared ends it where
 * it is (A00-10).
 */
#pragma once

#include "contract/exits.h"
#include "contract/lane_doc.h"
#include "route/route.h"
#include "route/transcript.h"

struct lane {
    const struct route_plan *plan;
    struct transcript *transcript;
    enum route_state state;
    int attempt;       /* from 1 */
    enum code failure; /* CODE_NONE: nothing failed */
    int exit_code;
    enum outcome_class outcome;
    bool asked;           /* it was asked to end */
    struct error aborted; /* why, where the failure is invalid_transition */
};

/* How an attempt ended, as whoever ran it saw it. */
struct lane_end {
    enum cause cause;
    int exit_code;
    bool forced;      /* it had to be killed: it did not end in its grace */
    bool lost;        /* nobody knows how it ended: the worker went away */
    bool unavailable; /* it never began: no worker took it */
};

/* Writes the plan down and enqueues it. */
void lane_begin(struct lane *l, const struct route_plan *plan, struct transcript *transcript);

/* It is being started: queued to running. */
void lane_start(struct lane *l);

/* The soft timeout passed; it was asked to end, and by whom; it had to be killed. */
void lane_late(struct lane *l);
void lane_asked(struct lane *l, enum cause cause, const char *reason);
void lane_killed(struct lane *l);

/* The worker did not take it, this time. */
void lane_unavailable(struct lane *l, const char *why);

/* It goes elsewhere: the same lane by another plan. */
void lane_downgrade(struct lane *l, const struct route_plan *plan);

/* The attempt ended: A00-2, A00-3. The lane is in an end state afterwards, or aborted. */
void lane_ended(struct lane *l, const struct lane_end *end);

/* May the failure be tried again by the plan's policy (A00-8)? Then how long to wait before. */
bool lane_again(const struct lane *l, int64_t *delay_ms);

/* Another attempt, as a lane of its own in the same transcript: planned, enqueued. */
void lane_retry(struct lane *l, int64_t delay_ms);

/* What it came to and the manifest. `run` is the execution's id. */
void lane_result(const struct lane *l, struct str run, struct arena *a,
                 struct manifest_doc *manifest, struct lane_result_doc *out);
