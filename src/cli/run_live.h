/* SPDX-License-Identifier: Apache-2.0 */
/* run_live.h: the picture of a plan that moves, on the terminal that stderr is. */
#pragma once

#include "cli/paint.h"
#include "cli/run/view.h"

/* Zero is how it begins. */
struct run_live {
    struct paint stays;  /* lines for the scrollback that were not written yet */
    struct paint region; /* what moves, painted */
    struct buf shown;    /* the region that is on the screen */
    size_t rows, columns;
    int64_t drawn_ms;
    bool hidden; /* the cursor */
};

void run_live_free(struct run_live *live);

/* The frame that replaces what is shown by the lines that stay and the region as painted: bytes
 * for the terminal. Nothing where both are as they were. */
void run_live_frame(struct run_live *live, struct buf *out);

/* What takes the region away and gives the cursor back. */
void run_live_clear(struct run_live *live, struct buf *out);

/* Rows that the region on the screen takes where a row has so many columns. */
size_t run_live_rows(const struct run_live *live, size_t columns);
