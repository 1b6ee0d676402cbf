/* SPDX-License-Identifier: Apache-2.0 */
/* steps.h: the executor of steps: what state each is in, its attempts, and what its end means.
 *
 * It knows nothing of the duties of an ended plan (rules.h), and they know nothing of attempts.
 */
#pragma once

#include "contract/backoff.h"
#include "plan/deadline.h"
#include "plan/graph.h"
#include "plan/hands.h"
#include "plan/sink.h"
#include "plan/trace.h"

enum step_state {
    STEP_IDLE,
    STEP_RUNS,
    STEP_HEARD, /* its attempt has ended; what follows is not decided yet */
    STEP_WAITS, /* to be tried again */
    STEP_COMPLETED,
    STEP_FAILED,
    STEP_SKIPPED, /* because of what it depends on; it never ran */
    STEP_STOPPED, /* the plan ended while it ran */
};

struct step {
    enum step_state state;
    int64_t attempt;
    int64_t begun_ms; /* both on the monotonic clock */
    int64_t due_ms;   /* STEP_RUNS: when its time is over; STEP_WAITS: when it begins again */
    size_t slot;
    size_t error; /* of the attempt before, its place in the trace */
    const struct doc *output;
};

struct steps {
    /* given by who runs them */
    const struct context_doc *context;
    const struct world *world;
    const struct hands *hands;
    const struct sink *sink;
    size_t jobs;
    bool cascade;
    struct arena *a;

    struct moment start, now; /* now: when something was heard last */
    struct deadline deadline;
    struct graph graph;
    struct backoff backoff;
    bool retryable[CODE_COUNT];
    size_t n;
    struct step *v;
    size_t ended, completed;
    struct trace trace;

    /* Those that run or wait to be tried again. Who waits keeps its place, so that one at a time
     * means the same order every time. */
    size_t *slots;
    size_t slot_count, running;
    int64_t due_ms; /* none of them is due before */

    /* Endings that came while that of another step was awaited. */
    struct ending *held;
    size_t held_first, held_end;

    bool forced;
    enum code end_code;
    const struct error_doc *end; /* what ended the plan before its time, or NULL */
};

/* The first eight members are given. */
void steps_init(struct steps *s);

/* Nothing more is to be begun: all have ended, or something has ended the plan. */
static inline bool steps_over(const struct steps *s)
{
    return s->end || s->ended == s->n;
}

/* Its turn has come: its first attempt, or why there is none. */
void steps_turn(struct steps *s, size_t step);

/* Nobody's turn comes, nobody runs: the plan goes in a circle, which its check should have found.
 */
void steps_stuck(struct steps *s);

/* The attempt after the one that failed. */
void steps_again(struct steps *s, size_t step);

/* Waits until something is heard or that time has come; true: an attempt has ended, and what
 * follows from it has been done. */
bool steps_hear(struct steps *s, int64_t until_mono_ms);

/* The first of those that are due, or NULL when there is none. */
struct step *steps_due(struct steps *s);

/* The time of an attempt is up. */
void steps_time_out(struct steps *s, size_t step);

/* The time of the plan is up: PLAN_TIMEOUT or DEADLINE_EXCEEDED. */
void steps_time_up(struct steps *s, enum code code);

/* Stops what still runs, and waits until it has ended. None of it counts. */
void steps_stop(struct steps *s);
