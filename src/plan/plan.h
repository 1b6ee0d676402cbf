/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h: runs a plan and says what became of it. The door of this folder.
 *
 * Two parts, as contract 004 has it (A04-18): the executor of steps (steps.c: order and attempts,
 * endings.c: on_failure and time) and the orchestrator (rules.c: the ordered duties when it has
 * ended). The loop is in run.c.
 */
#pragma once

#include "base/world.h"
#include "contract/context_doc.h"
#include "contract/result_doc.h"
#include "plan/hands.h"
#include "plan/sink.h"

/* What the duties of an ended plan need from outside. Only persist can say no: then there is no
 * result (A04-25). */
struct office {
    bool (*persist)(void *self, const struct result_doc *result, struct str text, struct error *e);
    void (*complete)(void *self); /* in the plan registry: this plan is completed */
    void (*incomplete)(void *self, const size_t *steps, size_t n); /* in the audit trail */
    void (*release)(void *self); /* what the execution held; called once, whatever the status */
    void (*alarm)(void *self, const struct error_doc *error); /* the error handler; NULL: none */
    void *self;
};

struct plan_ask {
    const struct context_doc *context; /* checked; nothing of it is changed */
    const struct world *world;
    const struct hands *hands;
    const struct office *office;
    const struct sink *sink;
    int jobs;     /* steps that may run at the same time, at least 1 */
    bool cascade; /* a step whose dependency was skipped is skipped, too (A04-6); off by default */
};

struct plan_end {
    struct result_doc result; /* its trees share what the endings pointed to */
    struct str text;          /* the PlanResult as JSON, members in the order of the contract */
    int64_t done_ms;          /* mono: when the last of the completed steps was over; 0: none was */
};

/* Runs it to its end. False: the result could not be persisted, and there is none. */
bool plan_run(const struct plan_ask *ask, struct arena *a, struct plan_end *out,
              struct error *e) NODISCARD;

/* Why a plan is refused before any step of it runs: a fatal code. */
struct refused {
    enum code code;
    const char *message;
    struct str step_id;        /* .s is NULL: the plan as a whole */
    const struct doc *context; /* a map; NULL: {} */
};

/* A plan that cannot be run fails by the same duties, with no step executed (A04-24). Of the
 * context only execution_id, started_at and the plan's id and number of steps are needed. */
bool plan_refuse(const struct plan_ask *ask, const struct refused *why, struct arena *a,
                 struct plan_end *out, struct error *e) NODISCARD;

/* The order in which steps are started when they are started one at a time: the smallest place in
 * the list first among those whose dependencies are completed. out: plan->steps.n places. */
void plan_order(const struct plan_doc *plan, struct arena *a, size_t *out);

/* The ordered duties after success (8), partial (10) and failure (13): for `writ explain`. */
extern const struct table plan_success_table, plan_partial_table, plan_failure_table;
