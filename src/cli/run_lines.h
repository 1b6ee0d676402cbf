/* SPDX-License-Identifier: Apache-2.0 */
/* run_lines.h: a plan that runs, as lines on stderr: one for each change, and one now and then. */
#pragma once

#include "cli/paint.h"
#include "cli/run/view.h"

/* Zero is how it begins. */
struct run_lines {
    struct paint lines; /* not written yet */
    int64_t beat_ms;    /* when it was last said how things stand */
};

void run_lines_free(struct run_lines *lines);

/* The lines of a change; how things stand. */
void run_lines_change(const struct run_state *s, const struct run_change *change, struct paint *p);
void run_lines_beat(const struct run_state *s, int64_t now_ms, struct paint *p);
