/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h: one execution of a plan: what the files of it hand on to each other. */
#pragma once

#include <writ/plans.h>

#include "engine/alive.h"
#include "engine/fleet.h"
#include "engine/keeping.h"
#include "engine/plan/evidence.h"
#include "engine/plan/inner.h"
#include "engine/plan/progress.h"
#include "engine/plan/trail.h"
#include "engine/plan_read.h"
#include "engine/registries.h"
#include "plan/handler.h"
#include "plan/plan.h"
#include "sandbox/kept.h"

enum { NESTING_MAX = 8, RUNNING_ENTRIES = 8 };

/* How many steps may run at the same time where so many are asked for. */
static inline int plan_jobs(int asked)
{
    return asked ? asked : 1;
}

/* Did the caller hand a plan over, and is what he says besides what may be said: policy, jobs,
 * what is set and what is done without? Else the answer tells what is not, and the status is
 * WRIT_USAGE. */
bool plan_given(const struct writ_plan *ask, char **answer) NODISCARD;

struct exec_step;
struct job;
struct toolbox;

/* What can be done in a step. */
struct deed {
    struct handler handler;
    bool quick; /* it computes and waits for nothing: it is done on the spot */
    void (*act)(struct job *job, struct ending *out);
    const struct executor *executor; /* of an executor's id; else NULL */
    struct str adapter, operation;   /* of an adapter's operation; else no text */
};

/* Actions of the plan that were found, each once. */
struct found {
    const struct deed *deed;
    const struct found *next;
};

struct running {
    const struct writ_plan *ask;
    const struct running *parent; /* the plan that has this one as a step; NULL: none */
    size_t step;                  /* its place there */
    const struct world *world;
    struct arena *a;
    const char *file;      /* the plan's, as an absolute path; NULL: it has none */
    const char *named;     /* as the plan that has this one names it; NULL: it is written there */
    struct digest written; /* of the file, when it was read */
    bool guarded;          /* the file is this plan's own, and is not to be changed while it runs */
    struct plan_read plan;
    struct report report; /* of the plan's document */
    struct context_doc context;
    const struct deed **deeds; /* by the step's place */
    const struct found *found;
    const struct absence *absences; /* actions that were not found, each once */
    struct keeping *keeping;
    struct progress *progress;
    struct registries *registries;
    struct kept *kept;   /* what runs of commands have in common */
    struct fleet *fleet; /* NULL: no configuration is looked at */
    struct toolbox *toolbox;
    struct inner *inner;       /* the outermost plan's */
    struct str rerun_of;       /* the execution that this one repeats; no text: none */
    bool cascade;              /* what depends on a step that was skipped is skipped, too */
    size_t height;             /* how many plans are in each other below it, as it was checked */
    bool once;                 /* one of those below it is used once */
    struct evidence *evidence; /* of all plans of a run */
    struct trail trail;

    /* the ledger's entries: the plan, its context, then events and result */
    struct uuid entries[RUNNING_ENTRIES];
    size_t entry_count;
    int64_t snapshot_ms;
    bool claimed; /* the ledger has that it runs */
    bool owes;    /* and no end of it */
    struct alive alive[2];
    bool *begun;            /* by the step's place; NULL: no step could be */
    struct trail_row *rows; /* by the step's place: its last attempt, until it is judged */
};

/* One attempt in somebody's hands. */
struct job {
    struct running *r;
    const struct deed *deed;
    const struct step_doc *step;
    size_t index;
    struct attempt attempt;
    int cancel;         /* readable when it has to stop at once; -1: it is quick */
    struct arena *kept; /* lives as long as the plan runs: for the ending */
    struct arena *scratch;
    int64_t started_ms;        /* wall */
    char execution[UUID_TEXT]; /* of the attempt; "": it has none of its own */
    char before[UUID_TEXT];    /* of the attempt before; "": there is none, or it had none */
};

/* The deed of an action: a row, or an executor; NULL: there is none. self: a struct running. */
const struct handler *deeds_find(void *self, struct str action);

/* An action that may have been meant instead of one that was not found, or NULL. */
const char *deeds_near(void *self, struct str action);

/* Why one that was not found is not there, or may not be called; NULL: nobody knows. */
const char *deeds_why(void *self, struct str action);

/* Reads the plan's environment and times. False: the report says what is wrong with the document.
 */
bool context_make(struct running *r, struct report *report) NODISCARD;

/* Why it is refused for its context, before any step is looked at: keys that it needs and does not
 * have, too little time. CODE_NONE: it is not. `missing`: the keys' names, or NULL. */
struct refused context_refusal(const struct running *r, struct items *missing);

/* Adds what is wrong with what its steps ask for, of a plan that may be wrong itself and does not
 * run. Executors are not held against the ledger. `set`: its context is known, and what plans
 * need of it is looked for; lanes are held against the configuration, else against what ships. */
void plan_judge(const struct writ_plan *ask, bool set, const struct plan_read *plan,
                struct arena *a, struct report *r);

/* Is all in order before anything runs? False: *why, for plan_refuse(). */
bool running_check(struct running *r, struct refused *why) NODISCARD;

/* Enters the plan and that it runs. The plan and the execution are used once. */
bool running_claim(struct running *r, struct error *e) NODISCARD;

/* Who looks afterwards finds that it does not run, whether the ledger has its end or not. */
void running_leave(struct running *r);

/* The duties of an ended plan that are the ledger's. self: a struct running. */
extern const struct office running_office;

/* Runs it, or refuses it, to its result. */
bool running_go(struct running *r, int jobs, int force, struct plan_end *end,
                struct error *e) NODISCARD;

/* The plan that is a step of this one, read and found right. False: it is wrong. */
bool plan_child(struct running *r, const struct step_doc *step, struct running *child) NODISCARD;

/* Why the step, which has that plan, is not tried again as it asks to be; NULL: it is, or does not
 * ask. */
const char *retried_in_vain(const struct running *r, const struct step_doc *step,
                            const struct running *child);

/* The rows of what steps can do. */
void act_execute(struct job *job, struct ending *out);
void act_apply(struct job *job, struct ending *out);
void act_validate(struct job *job, struct ending *out);
void act_notify(struct job *job, struct ending *out);
void act_call(struct job *job, struct ending *out);
void act_plan(struct job *job, struct ending *out);
void check_execute(void *self, const struct step_doc *step, struct report *r);
void check_call(void *self, const struct step_doc *step, struct report *r);
void check_validate(void *self, const struct step_doc *step, struct report *r);

/* Why what a step that validates says of its failure does not hold; NULL: it does. */
const char *validate_ends(const struct step_doc *step, struct arena *a);
void check_plan(void *self, const struct step_doc *step, struct report *r);

/* What a command or a call of this step is told of its plan. */
void job_step(const struct job *job, struct exec_step *out);

/* A line of progress about the step, to be ended by job_told(); NULL: nobody listens. */
struct buf *job_tells(const struct job *job, const char *event) NODISCARD;
void job_told(const struct job *job);

/* An ending that is a failure. The message is as printf() would write it. */
void job_failed(struct job *job, struct ending *out, enum code code, const char *fmt, ...)
    PRINTF(4, 5);
