/* SPDX-License-Identifier: Apache-2.0 */
/* lane.h: one routed command on its way through the states of contract 000.
 *
 * Whoever runs the command tells what happens; the lane moves along declared edges only, writes
 * each move down, and says at the end what it came to. An edge that is not declared ends it where
 * it is (A00-10): nothing moves it afterwards. Until it has succeeded it counts as failed, and no
 * other lane has exit code 0.
 */
#pragma once

#include "contract/lane_doc.h"
#include "route/lane_ends.h"
#include "route/route.h"
#include "route/transcript.h"

struct lane {
    const struct route_plan *plan;
    enum route route; /* of the plan: whoever holds it may put the next one in its place */
    struct transcript *transcript;
    enum route_state state;
    int attempt;       /* from 1 */
    int retries;       /* how often it was tried again by this plan */
    enum code failure; /* CODE_NONE: nothing failed */
    int exit_code;
    enum outcome_class outcome;
    bool asked;           /* it was asked to end */
    enum cause asked_for; /* the first time, where it was asked */
    bool step;            /* of a plan: who wants it to end is its step, whose time is up */
    bool person;          /* a person wanted it to end: it is not tried again */
    bool killed;          /* it did not end in its grace */
    bool nowhere;         /* it ended and had been taken nowhere */
    struct error aborted; /* why, where the failure is invalid_transition */
};

/* Writes the plan down and enqueues it. */
void lane_begin(struct lane *l, const struct route_plan *plan, struct transcript *transcript);

/* It is being started: queued to running; and on to cancel_requested, where it was asked to end
 * while it waited. */
void lane_start(struct lane *l);

/* The soft timeout passed; it was asked to end, and by whom; it had to be killed. To ask again, or
 * while it waits in the queue, is noted and moves nothing: there is no such edge (A00-2). */
void lane_late(struct lane *l);
void lane_asked(struct lane *l, enum cause cause, const char *reason);
void lane_killed(struct lane *l,
                 enum cause cause); /* CAUSE_CANCELLED: nobody waited for its grace */

/* The worker did not take it, this time. While it waits in the queue lane_again() tells then
 * whether to try once more. */
void lane_unavailable(struct lane *l, const char *why);

/* It goes elsewhere: the same lane by another plan, with all its retries. In the queue it stays
 * there; one that failed because no worker took it becomes another attempt. */
void lane_downgrade(struct lane *l, const struct route_plan *plan);

/* The attempt ended: A00-2, A00-3; route/lane_ends.c has the table. The lane is in an end state
 * afterwards, or aborted. */
void lane_ended(struct lane *l, const struct lane_end *end);

/* May the failure be tried again by the plan's policy (A00-8)? Then how long to wait before. */
bool lane_again(const struct lane *l, int64_t *delay_ms);

/* Another attempt, as a lane of its own in the same transcript: planned, enqueued. In the queue:
 * the same attempt, which reaches for its worker once more. */
void lane_retry(struct lane *l, int64_t delay_ms);

/* The command, shortly: its class, the digest of its words (each ended by a NUL), the beginning of
 * its line: `cargo_test sha256:<hex> cargo test -p x`. The same command is always the same text. */
struct str lane_provenance(const struct route_plan *plan, struct arena *a);

/* What the last line of an attempt and the manifest have in common: all but the run and its trace,
 * which each line has. */
struct manifest_doc lane_manifest(const struct lane *l, struct arena *a);

/* What it came to and the manifest. `run` is the execution's id. */
void lane_result(const struct lane *l, struct str run, struct arena *a,
                 struct manifest_doc *manifest, struct lane_result_doc *out);
