/* SPDX-License-Identifier: Apache-2.0 */
/* steps.h: the executor of steps: what state each is in, and whose turn it is.
 *
 * What the end of an attempt means is in endings.h. Neither knows anything of the duties of an
 * ended plan (rules.h), and they know nothing of attempts.
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
    int64_t begun_ms;      /* both on the monotonic clock */
    int64_t due_ms;        /* STEP_RUNS: when its time is over; STEP_WAITS: when it begins again */
    enum code stopped_for; /* it was told to stop: why; CODE_NONE: it was not */
    int64_t stopped_ms;    /* when that was */
    size_t slot;
    size_t first_error; /* those of its attempts are in the trace from that place on */
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
    int64_t done_ms; /* when the last of the completed ones was over */
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

/* What who runs them gives is there already. */
void steps_init(struct steps *s);

/* Nothing more is to be begun: all have ended, or something has ended the plan. */
static inline bool steps_over(const struct steps *s)
{
    return s->end || s->ended == s->n;
}

/* Something has ended already and waits for its turn. */
static inline bool steps_held(const struct steps *s)
{
    return s->held_first < s->held_end;
}

static inline const struct step_doc *steps_doc(const struct steps *s, size_t place)
{
    return &((const struct step_doc *)s->context->plan->steps.v)[place];
}

/* Its turn has come: its first attempt, or why there is none. */
void steps_turn(struct steps *s, size_t place);

/* Nobody's turn comes, nobody runs: the plan goes in a circle, which its check should have found.
 */
void steps_stuck(struct steps *s);

/* The next attempt at a step that has a place. */
void steps_begin(struct steps *s, size_t place);

/* The first of those that are due, or NULL when there is none. */
struct step *steps_due(struct steps *s);

/* ---- for endings.c, which decides what follows an attempt ---- */

void steps_set_due(struct steps *s, struct step *step, int64_t due_ms);
void steps_tell(const struct steps *s, const struct telling *telling);

/* Adds an error to the trace. */
const struct error_doc *steps_note(struct steps *s, const struct fault *fault);

/* It gives its place away; no attempt at it follows. */
void steps_leave(struct steps *s, size_t place);
void steps_end(struct steps *s, size_t place, enum step_state state);

/* The plan is over because of this error of the trace. */
void steps_end_plan(struct steps *s, enum code code, const struct error_doc *error);
