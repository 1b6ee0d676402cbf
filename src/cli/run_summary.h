/* SPDX-License-Identifier: Apache-2.0 */
/* run_summary.h: how a plan ended, as it stays on the screen. */
#pragma once

#include "cli/run_state.h"

/* On stdout: the status, each failure with what to do next, what was not run, where it is recorded.
 * `answer` is what writ_run() gave; `s` knows the names of the steps, and may know none. */
void run_summary_show(const struct run_state *s, const struct doc *answer);

/* "partial, 6 of 7 steps in 2.4 s" */
void run_summary_line(const struct doc *result, struct buf *to);
