/* SPDX-License-Identifier: Apache-2.0 */
/* foresee.h: what will be said to a step, found out without running anything of the plan. */
#pragma once

#include "engine/plan.h"

/* Where a step's lane would go, as its worker is now. */
struct foreseen_lane {
    const char *step; /* of an inner plan: its name there, "build/test"; NULL: the step itself */
    struct str class_id;
    const char *route, *reason, *worker; /* worker: NULL: none */
    const char *unavailable; /* why it goes without the worker it was meant for, or NULL */
    const char *otherwise;   /* the route where its worker cannot be reached, or NULL */
    int64_t timeout_ms;
    bool wrapped; /* held to its time by us, and to nothing else */
};

/* Zeroes: nothing is to be said. */
struct foreseen {
    enum code code;      /* it will be refused; CODE_NONE: not that anybody knew */
    const char *message; /* why */
    bool unsure;         /* as things are now; what runs before it may change that */
    const char **warned; /* what it will be let through with */
    size_t warned_count;
    const struct foreseen_lane *lane; /* NULL: it is none */
    struct foreseen_lane *inner;      /* of an inner plan, those of its steps */
    size_t inner_count;
    bool cut; /* of its steps there is more to be said */
};

/* Of one step, as the registry and this machine are now. The texts live in r->a. Executors and what
 * is found out by asking a program are not looked into. */
struct foreseen foresee(struct running *r, const struct step_doc *step);

/* Was the plan or the execution of that id used before? Of r->inner->before it is asked. */
struct foreseen foresee_used(const struct running *r, struct str id);

/* "refused":{..}|null,"warnings":[..],"lane":{..}|[..]|null */
void foresee_put(const struct foreseen *f, struct buf *to);
