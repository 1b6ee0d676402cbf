/* SPDX-License-Identifier: Apache-2.0 */
/* template_doc.h: a plan as people write it: names for ids, defaults left out. */
#pragma once

#include "contract/plan_doc.h"
#include "contract/request_doc.h"

struct template_step {
    struct str name;
    struct str action; /* .s is NULL where `run` says it: execute */
    struct items run;  /* of struct str: a command and its arguments; n is 0: none */
    struct str tool;   /* of a command: the registry's tool that lets it run; .s is NULL: the one
                          that lists it */
    const struct request_inputs *inputs; /* of a command: as in a request, but for the command
                                            and its arguments; or NULL, as the next three */
    const struct request_sandbox *sandbox;
    const struct request_outputs *outputs;
    const struct request_approval *approval;
    const struct request_route *route;
    const struct doc *payload; /* of an action; NULL: {} */
    struct items after;        /* of struct str: names of steps */
    int on_failure;            /* enum on_failure; halt when left out */
    int64_t timeout_ms;        /* 0: the plan's */
};

struct template_doc {
    struct str name;
    struct items needs; /* of struct str: keys the context must have */
    struct items steps; /* of struct template_step */
    int64_t priority, timeout_ms, estimated_duration_ms;
    const struct retry_doc *retry; /* as a plan's retry_policy */
    const struct doc *metadata;
    struct items tags;
    const struct doc *written; /* the document it was decoded from: set by who did that */
};

enum { STEP_NAME_MAX = 100 };

extern const struct shape template_shape;
