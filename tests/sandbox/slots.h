/* SPDX-License-Identifier: Apache-2.0 */
/* slots.h: runs that have others made ahead of them. */
#pragma once

#include <sys/wait.h>

#include "runs.h"

static struct runs r;

static inline int make(void **state)
{
    (void)state;
    runs_make(&r);
    r.run.kept = kept_new();
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    kept_free(r.run.kept);
    runs_free(&r);
    assert_int_equal(waitpid(-1, NULL, __WALL | WNOHANG), -1); /* nobody, not even a dead one */
    assert_int_equal(errno, ECHILD);
    return 0;
}

/* What a script printed. */
static inline const char *printed(const char *script)
{
    struct outcome out = runs_do(&r, world_real(), script);

    if (out.exit_code != 0)
        fail_msg("%s: %d: %.*s", script, out.exit_code, STR_ARG(out.err.head));
    assert_int_equal(out.layers, LAYER_ALL);
    return arena_text(&r.a, out.out.head);
}

/* Where there are no slots, the tests hold all the same: everything goes the other way. */
static inline bool has_slots(void)
{
    return strcmp(runs_do(&r, world_real(), ":").cgroup, "v1") == 0;
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
