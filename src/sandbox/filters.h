/* SPDX-License-Identifier: Apache-2.0 */
/* filters.h: how many seccomp filters the programs of a run have made, and a user's runs together.
 *
 * Compiled filters lie in memory that no group counts, under one limit for the machine. So making
 * one is asked for: a run has at most FILTERS_OF_RUN at once, and all runs of a user with one state
 * directory have FILTERS_OF_USER.
 *
 * The count is of those that were made. Where it reaches a limit, those that are left are counted
 * by what the kernel says of each task (Seccomp_filters in its status): a filter that many tasks
 * have inherited counts for each of them, so the count is never too low. Of a user's, each is a
 * byte of one file that its run's supervisor has locked: whatever ends the supervisor unlocks it.
 * What cannot be counted is refused.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/own.h"
#include "sandbox/cgroup.h"

enum { FILTERS_OF_RUN = 100, FILTERS_OF_USER = 1000 };

/* A thread that was let go on to make one. */
struct filter_asked {
    pid_t thread;
    int64_t before; /* how many it had */
};

struct filters {
    const char *state; /* the user's directory for what lasts; NULL: there is none */
    int file;          /* whose bytes are locked, or -1 */
    int64_t count;
    short mine[FILTERS_OF_RUN]; /* the bytes */
    struct filter_asked asked[FILTERS_OF_RUN];
    int asked_count;
    int64_t refused;
    int64_t looked_at_ms; /* when no room was found last */
};

/* Whether that thread may make one more; 0, or the errno it gets. */
int filters_ask(struct filters *f, const struct cgroup *group, pid_t thread);

void filters_close(struct filters *f);
