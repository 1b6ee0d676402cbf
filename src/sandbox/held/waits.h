/* SPDX-License-Identifier: Apache-2.0 */
/* waits.h: waits of a process whose clock stands still. */
#pragma once

#include "sandbox/held/return.h"

/* At the beginning of a wait. True: it is looked at when it returns. */
bool held_wait(const struct held_ground *g, pid_t pid, struct tracee_regs *regs,
               struct held_state *state, struct held_return *out);

/* At its end: the clock is moved if its time was up. */
void held_wait_ended(const struct held_ground *g, const struct held_return *r, int64_t result);
