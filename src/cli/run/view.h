/* SPDX-License-Identifier: Apache-2.0 */
/* view.h: the ways in which a person or a program follows a plan: a picture, lines, JSON.
 *
 * A view is called by one thread, and may block as long as whoever reads it: the plan does not wait
 * for it.
 */
#pragma once

#include "cli/run_state.h"

/* Any of them may be NULL. */
struct run_view {
    void (*begin)(void *self, const struct run_state *s);
    void (*raw)(void *self, struct str line); /* a line of progress as it came */
    void (*take)(void *self, const struct run_state *s, const struct run_change *change);

    /* Shows what is due. Returns in how many ms it wants to be called again, whatever happens; -1:
     * never. */
    int (*tick)(void *self, const struct run_state *s, int64_t now_ms);
    void (*resize)(void *self); /* the terminal has another size */
    void (*leave)(void *self);  /* nothing is to be shown any more that moves */
    void *self;
};

struct run_live;
struct run_lines;

/* A picture on the terminal that stderr is; lines on stderr; the lines of progress on stdout. */
void run_live_view(struct run_live *live, struct run_view *out);
void run_lines_view(struct run_lines *lines, struct run_view *out);
void run_json_view(struct run_view *out);
