/* SPDX-License-Identifier: Apache-2.0 */
/* kept_runs.h: runs of a test that keep for the next what can be kept. */
#pragma once

#include "runs.h"

static struct runs r;

static inline int make_kept(void **state)
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
    return 0;
}

static inline struct outcome ran(const char *script)
{
    return runs_do(&r, world_real(), script);
}

/* What a script printed. */
static inline const char *printed(const char *script)
{
    struct outcome out = ran(script);

    if (out.exit_code != 0)
        fail_msg("%s: %d: %.*s", script, out.exit_code, STR_ARG(out.err.head));
    assert_int_equal(out.layers, LAYER_ALL);
    assert_int_equal(out.missing, 0);
    return arena_text(&r.a, out.out.head);
}
