/* SPDX-License-Identifier: Apache-2.0 */
/* uncounted.h: what the kernel keeps for a run and no control group counts.
 *
 * The kernel charges neither the locks of fcntl to anybody nor a connection before it is accepted,
 * and has no limit on either. The supervisor looks at them while the run lasts, and ends a run that
 * has more than any honest one needs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    UNCOUNTED_TICK_MS = 50,
    LOCKS_MOST = 20000, /* some 200 bytes each */
    WAITING_MOST = 256, /* some 130 kB each, where they are filled */
};

/* Zeroed but for the first two: nothing was looked at yet. */
struct uncounted {
    pid_t init;    /* the run's first process */
    bool own_net;  /* it has a network of its own */
    int looks;     /* since the locks were counted */
    int64_t slabs; /* pages of the whole machine, the least since the locks were counted */
};

/* What the run has too much of, in words; NULL: nothing. To be asked every UNCOUNTED_TICK_MS. */
const char *uncounted_look(struct uncounted *u);
