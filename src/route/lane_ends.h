/* SPDX-License-Identifier: Apache-2.0 */
/* lane_ends.h: the ways in which an attempt of a lane ends, and what each makes of it (A00-2,
 * A00-3). */
#pragma once

#include "contract/exits.h"
#include "contract/states.h"

/* How an attempt ended, as whoever ran it saw it. */
struct lane_end {
    enum cause cause;
    int exit_code;
    bool forced;          /* it had to be killed: it did not end in its grace */
    bool lost;            /* nobody knows how it ended: the worker went away, or is not believed */
    const char *why_lost; /* or NULL */
    bool unavailable;     /* it never began: no worker took it */
};

enum lane_ending {
    ENDING_LOST,
    ENDING_TIMEOUT,
    ENDING_KILLED,
    ENDING_CANCELLED,
    ENDING_UNAVAILABLE,
    ENDING_NOT_STARTED,
    ENDING_EXIT_ZERO,
    ENDING_EXIT_NONZERO,
    LANE_ENDINGS,
};

/* What an attempt lacks of its way when it ends is gone first: `start`, where it may end so before
 * it was started; `cancel`, where it was stopped. */
struct ending_row {
    enum lane_ending ending;
    bool unstarted, stopped;
    enum route_trigger by; /* the last edge */
    enum code failure;     /* CODE_NONE: nothing failed */
    bool own_code;         /* the command's own exit code is reported, where it is not 0 */
    int exit_code;         /* else this one */
    const char *meaning;
};

extern const struct ending_row lane_endings[LANE_ENDINGS];
extern const struct table lane_endings_table;

/* The first row that holds. `asked_for`: why it was asked to end before, CAUSE_EXITED: it was not;
 * `killed`: it had to be. */
const struct ending_row *lane_ending(const struct lane_end *end, enum cause asked_for, bool killed);

/* The exit code that is reported. */
int lane_exit_code(const struct ending_row *row, const struct lane_end *end);
