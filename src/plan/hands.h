/* SPDX-License-Identifier: Apache-2.0 */
/* hands.h: who does the work of steps: the seam between a plan and the engine.
 *
 * A plan says when an attempt begins and when it has to stop; hands do it, one or several at a
 * time, and say how it ended. In tests they are a fake on a fake clock.
 */
#pragma once

#include "contract/codes.h"
#include "contract/plan_doc.h"

/* One attempt at a step. */
struct attempt {
    size_t step;       /* its place in the plan */
    int64_t number;    /* from 1 */
    int64_t budget_ms; /* it is stopped after that; for hands that can hold a time themselves */
};

/* How an attempt ended. What it points to lives as long as the plan runs. */
struct ending {
    size_t step;
    int64_t ended_ms;          /* mono: when it was over by itself; 0: when it is heard of */
    enum code code;            /* CODE_NONE: completed; one that is a warning: so too (A04-19) */
    const char *message;       /* of a failure */
    bool final;                /* of a failure: what was tried is used up, and not tried again */
    const struct doc *output;  /* of a completed step: a map; NULL: {} */
    const struct doc *context; /* of a failure: a map that helps to find out why; NULL: {} */
    const char *note;          /* a few words for people; NULL: none */
    const char *last_words;    /* the end of what it said on stderr; NULL: nothing */
};

enum hands_news {
    HANDS_ENDED,  /* an attempt has ended: *out */
    HANDS_TIME,   /* `until_ms` has come */
    HANDS_FORCED, /* the caller wants no more of it: its time is up now (A04-13) */
};

struct hands {
    void (*begin)(void *self, const struct attempt *attempt);

    /* Waits until something has happened; what has ended comes before what the clock says. */
    enum hands_news (*wait)(void *self, int64_t until_mono_ms, struct ending *out);

    /* Ends an attempt at once and all it started; its ending still comes by wait(). */
    void (*stop)(void *self, size_t step);
    void *self;
};
