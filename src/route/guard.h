/* SPDX-License-Identifier: Apache-2.0 */
/* guard.h: the small process between us and a carrier: when the carrier ends, or we do, it ends
 * everything the carrier started.
 *
 * Orphans come to it, for it is their subreaper, so it finds them whatever they did to get away. A
 * process namespace would be surer, and is not used: in it a wrapper's /proc is somebody else's, a
 * worker could not build walls, and ssh refuses files of a root that it cannot see.
 *
 * Nothing in it allocates or takes a lock: it is a copy of a process that may have threads.
 */
#pragma once

#include <stdbool.h>

/* To the guard: SIGQUIT ends all of it, every other signal is passed on to the process group. */

enum guard_news { GUARD_WHOLE, GUARD_FAILED };

/* What it tells while the program is being started; then the pipe ends. */
struct guard_word {
    enum guard_news news;
    int value; /* whole: whether it can find everybody; failed: errno */
};

struct guard {
    const char *path; /* of the program */
    char *const *argv, *const *environment;
    const char *cwd; /* NULL: as it is */
    int stdio[3];    /* for the program */
    int caller;      /* a pidfd: readable when we are gone */
    /* Commands that are run one after the other, each for a few seconds at most, when all of it has
     * ended otherwise than with 0 and we are gone: what ends its like elsewhere. Lists of words
     * ended by NULL, the first an absolute path; ended by NULL. NULL: there are none. */
    char *const *const *last;
    int report; /* where words go */
};

/* The life of the guard; every signal must be blocked. Ends as the program ended. */
_Noreturn void guard_main(const struct guard *g);
