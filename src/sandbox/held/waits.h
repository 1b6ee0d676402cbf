/* SPDX-License-Identifier: Apache-2.0 */
/* waits.h: waits of a process whose clock stands still. */
#pragma once

#include "sandbox/held/return.h"

/* At the beginning of a wait, or where a timer is set: the state is told what to. True: it is
 * looked at when it returns. */
bool held_wait(const struct held_ground *g, pid_t pid, struct tracee_regs *regs,
               struct held_state *state, struct held_return *out);

/* What it returned says that it is not over, or that a signal has come. */
bool held_wait_is_cut(const struct held_return *r, int64_t result);

/* And the signal was that of a timer: time passes, or who waits again each time never gets there.
 */
void held_wait_was_cut(const struct held_ground *g, const struct held_return *r);

/* At its end: the clock is moved if its time was up. */
void held_wait_ended(const struct held_ground *g, const struct held_return *r, int64_t result);
