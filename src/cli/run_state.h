/* SPDX-License-Identifier: Apache-2.0 */
/* run_state.h: what is known of a plan that runs: its steps, and what its progress told of each.
 *
 * Lines of progress may be missing, late or odd. They move a picture for people and nothing else:
 * how a plan ended is told by its answer.
 */
#pragma once

#include "base/doc.h"

enum step_state { STEP_WAITS, STEP_RUNS, STEP_PAUSES, STEP_DONE, STEP_FAILED, STEP_STATES };

struct run_step {
    struct str id, name;
    struct str about;      /* "execute sha256sum a b", or another action's name */
    const uint16_t *after; /* places of the steps it waits for */
    size_t after_count;
    enum step_state state;
    int64_t attempt, max_attempts;
    int64_t began_ms; /* Unix time, of the attempt in work */
    int64_t next_ms;  /* and of the next, while it pauses */
};

struct run_state {
    struct arena arena;
    struct str name;
    struct run_step *steps; /* as in the plan */
    size_t count;
    const struct run_step **by_id;
    size_t states[STEP_STATES]; /* how many steps are in each */
    size_t name_width, about_width;
    int64_t timeout_ms, began_ms, jobs;
    int64_t lost;                /* lines that nobody read */
    bool offline;                /* commands are run, and none of them reaches the network */
    bool told;                   /* lines were read */
    bool ended;                  /* the line that tells of the end was read */
    bool forced;                 /* somebody wants no more of it */
    int heard;                   /* by this signal, once it has ended; 0: by none that we heard */
    const struct doc *retryable; /* codes: a list of texts, or NULL */
};

/* From a plan as writ_plan_show() answers, of which it keeps nothing but copies. */
void run_state_plan(struct run_state *s, const struct doc *plan, int64_t jobs, int64_t now_ms);
void run_state_free(struct run_state *s);

/* The ids that its steps were given, in their order, as the answer of writ_run() has them: a
 * template gets new ones whenever it is asked. They must outlive it. */
void run_state_names(struct run_state *s, const struct doc *names);

/* The step of this id, or NULL. */
const struct run_step *run_state_find(const struct run_state *s, struct str id);

enum run_event {
    RUN_NOTHING, /* an odd line, or one that nothing is known about */
    RUN_STARTED,
    RUN_COMPLETED,
    RUN_FAILED,   /* and it is not tried again */
    RUN_STUMBLED, /* an attempt failed, and there is another */
    RUN_RETRIES,
    RUN_NOTICE,
    RUN_LANE, /* its lane goes another way, or waits for its worker */
    RUN_HELD, /* where its lane ran, and by what it was not held */
    RUN_ENDED,
    RUN_FORCED, /* not from a line: somebody wants no more of it */
    RUN_EVENTS,
};

struct run_change {
    enum run_event event;
    const struct run_step *step; /* NULL: of the plan */
    const struct doc *line;
};

/* What a line of progress changes. */
struct run_change run_state_take(struct run_state *s, const struct doc *line);

/* Does the plan go on without the step whose failure a line tells of? */
bool run_goes_on(const struct doc *line);
