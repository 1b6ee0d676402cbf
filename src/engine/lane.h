/* SPDX-License-Identifier: Apache-2.0 */
/* lane.h: one run as a lane: what the files of it hand on to each other. */
#pragma once

#include "engine/exec.h"
#include "engine/fleet.h"
#include "engine/lane_home.h"
#include "route/lane.h"

struct exec_lane {
    struct fleet own, *fleet; /* its own, or the plan's */
    const struct settings *settings;
    struct lane_doc doc;
    struct route_ask ask;
    const struct route_plan *plan;
    struct lane_home home;
    struct lane lane;
    const char *unavailable;  /* why the plan's worker is not there; NULL: it is */
    const char *left;         /* what could not be ended elsewhere; NULL: nothing is */
    bool unwanted;            /* somebody called it off while that was found out */
    bool begun;               /* its place is to be let go of */
    bool started;             /* this attempt */
    bool queued;              /* the worker's job waited in its queue as long as it may */
    bool absent;              /* no worker took it, and it may not run here */
    struct digest transcript; /* as far as it is written */
    const char *remediation;  /* the file that tells what to do; NULL: there is none */
    struct manifest_doc manifest;
    struct lane_result_doc result;
};

enum tried {
    TRIED_ENDED,       /* the outcome is there, or nobody knows: now.lost */
    TRIED_UNAVAILABLE, /* nothing ran: the worker could not be had; *e says why */
    TRIED_NOTHING,     /* nothing ran: *status and *e, or the report, say why */
};

/* What a way to run is handed, and where it says why nothing ran. */
struct try_ask {
    struct report *report;
    const char **kind;
    int *status;
    struct error *e;
};

/* One attempt: on a worker that speaks frames, by a wrapper. */
enum tried try_far(struct exec *x, const struct try_ask *ask);
enum tried try_wrap(struct exec *x, const struct try_ask *ask);

/* Takes what the worker's record says as this run's. False: it is not believed, and nobody knows;
 * *e says of which member, what it is and what is known here. */
bool far_record_take(struct exec *x, const struct errand *errand, struct error *e) NODISCARD;

/* Nothing ran, and it is on record that it was about to: *e says why. The attempt has failed. */
enum tried try_failed(struct exec *x, const struct try_ask *ask);

/* Nothing ran, or nobody knows, and that is an outcome. It is on record as if it had begun. */
enum tried try_unrun(struct exec *x, struct outcome outcome, const struct try_ask *ask);

/* Where the lane goes and how: before anything is made for it. False: *status and *e, or the
 * report, say why not. */
bool lane_plan(struct exec *x, const struct try_ask *ask) NODISCARD;

/* The caller's policy for a command that runs elsewhere: IV-01 by the registry here. */
bool lane_admit(struct exec *x, const struct try_ask *ask) NODISCARD;

/* Adds what is wrong with the lane that a step asks for, where that is known before anything runs:
 * its class, the command in it, its worker. fleet: whose settings hold; NULL: they are not looked
 * at, and the command is held against a class that ships, which nobody changes. */
void lane_suits(struct fleet *fleet, const struct doc *payload, const struct request_doc *request,
                struct report *r);

/* Where the lane would go, as its worker is now: x->lane has it. x->step has the fleet. False: it
 * is refused, and *ask says why. */
bool lane_foresee(struct exec *x, const struct try_ask *ask) NODISCARD;

/* May the wrapper of its route run it? What it asks for must need no walls of ours. */
bool lane_may_be_wrapped(const struct exec *x, struct error *e) NODISCARD;
