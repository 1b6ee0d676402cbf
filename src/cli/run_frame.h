/* SPDX-License-Identifier: Apache-2.0 */
/* run_frame.h: how a plan that runs looks on a terminal.
 *
 * What has ended is a line that stays. What is still going on is a region below, painted anew for
 * each frame. All of it is text: who shows it moves the cursor.
 */
#pragma once

#include "cli/paint.h"
#include "cli/run_state.h"

/* "audit  7 steps · 5 m 00 s limit · offline" */
void frame_head(const struct run_state *s, struct paint *p);

/* The lines that stay, where there are any: a step's end, what it said, a notice. */
void frame_change(const struct run_state *s, const struct run_change *change, struct paint *p);

/* The region: at most `rows` lines. `spin` is the frame's number. */
void frame_region(const struct run_state *s, int64_t now_ms, size_t rows, unsigned spin,
                  struct paint *p);

/* What is to be told of the lane of a step: "route downgrade: ..", in the words of `writ exec`, and
 * before them the name of the step of an inner plan that it is about. */
void frame_lane(const struct run_change *change, struct buf *to);

/* What a notify step tells: {"text":..} alone is that text. NULL: nothing. */
void frame_payload(const struct doc *payload, struct buf *to);

/* The last lines of what a step that failed said on stderr, each as it can be read: without
 * colours, blanks for tabs. Calls `line` for at most `most` of them, in their order; not where
 * there is one alone and the message of the failure has it. */
void frame_words(const struct doc *failed, int most, void (*line)(void *self, struct str text),
                 void *self);
