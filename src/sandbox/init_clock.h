/* SPDX-License-Identifier: Apache-2.0 */
/* init_clock.h: the time that init itself gives its tree.
 *
 * The supervisor ends a run when its time is up. One that is stopped, as by Ctrl-Z, ends nothing:
 * so init has a clock of its own, a little behind. Nothing here allocates.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/own.h"

struct init_clock {
    int64_t most_ms; /* 0: the tree has all the time there is */
    int64_t at_ms;   /* 0: the command has not begun */
};

/* The command has begun; said again, that changes nothing. */
void init_clock_begin(struct init_clock *c);

/* For poll. */
int init_clock_left(const struct init_clock *c);

/* Whether the tree has to end now. Until it has, that is so once a second. */
bool init_clock_is_up(struct init_clock *c) NODISCARD;

/* Now, as both ends of the line know it: on the kernel's clock, whatever world the run has. */
int64_t init_clock_now(void);
