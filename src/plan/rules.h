/* SPDX-License-Identifier: Apache-2.0 */
/* rules.h: the orchestrator: what has to be done when a plan has ended, in which order.
 *
 * Contract 004 lists 8 duties after success, 10 after partial and 13 after failure. They are three
 * tables, walked by one loop (5: "No discretion is permitted").
 */
#pragma once

#include "plan/plan.h"
#include "plan/steps.h"

/* An execution that has ended, and what its duties have made of it so far. */
struct closing {
    const struct plan_ask *ask;
    struct steps *steps;
    enum plan_status status;
    struct arena *a;

    const struct error_doc *root; /* why it did not succeed, as it was raised */
    const struct doc *failed;     /* ids of the steps that failed, in the order they did */
    const struct doc *incomplete; /* ids of the steps that are not completed, in the plan's order */
    const struct doc *errors;     /* all of the trace */
    struct result_doc result;
    struct str text;
    bool released;
    struct plan_end *out;
};

/* What the steps came to. */
enum plan_status rules_status(const struct steps *s);

/* Does all that is owed to an ended plan. False: the result could not be persisted, or
 * what the contract has asserted of it does not hold. */
bool rules_follow(struct closing *c, struct error *e) NODISCARD;
