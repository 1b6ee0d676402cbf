/* SPDX-License-Identifier: Apache-2.0 */
/* slots.h: runs that have others made ahead of them. */
#pragma once

#include <sys/wait.h>

#include "kept_runs.h"

static inline int end_slots(void **state)
{
    (void)end(state);
    assert_int_equal(waitpid(-1, NULL, __WALL | WNOHANG), -1); /* nobody, not even a dead one */
    assert_int_equal(errno, ECHILD);
    return 0;
}

/* Where there are no slots, the tests hold all the same: everything goes the other way. Only an
 * ordinary user has them in groups of version 2. */
static inline bool has_slots(void)
{
    return strcmp(ran(":").cgroup, "v1") == 0 || geteuid() != 0;
}

/* After this the next run takes a slot. */
static inline void warm(void)
{
    bool slots = has_slots();

    for (int i = 0; i < 3; i++)
        (void)printed(":");
    if (slots)
        assert_true(kept_count(r.run.kept).slots > 0);
}

/* A run since then has taken a slot. */
static inline void assert_taken(size_t before)
{
    if (has_slots())
        assert_true(kept_count(r.run.kept).taken > before);
}
