/* SPDX-License-Identifier: Apache-2.0 */
/* return.h: what is kept of a call of a fixed run until it returns. */
#pragma once

#include "sandbox/held/image.h"
#include "sandbox/held/tracee.h"

/* Numbers inside the kernel: it takes the call up again, or a handler comes first. */
enum { RESTART_FIRST = -516, RESTART_LAST = -512 };

/* A call that has to be looked at when it returns. */
struct held_return {
    pid_t pid; /* of the thread; 0: this one is free */
    int call;
    bool exec;          /* it loads a program: `state` is carried over, and it does not return */
    bool cut;           /* a wait that a signal has interrupted, .. */
    bool again;         /* .. which the kernel takes up again where no handler hears it */
    bool asked;         /* to stop once more, when it is known whether one does */
    bool of_timer;      /* the signal, .. */
    int timer;          /* .. and of which (held.h) */
    uint64_t at, stack; /* of the thread when it was interrupted */
    uint64_t began, deadline;
    int64_t expired; /* the result that says that the time is up */
    uint64_t memory; /* what is to be made the same in every run; 0: nothing */
    uint64_t info;   /* where waitid says whom it has waited for */
    bool changed;    /* the arguments are to be as they were */
    union {          /* there are many of these, and none needs both */
        struct held_state state;
        uint64_t args[TRACEE_ARGS];
    };
};
