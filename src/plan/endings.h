/* SPDX-License-Identifier: Apache-2.0 */
/* endings.h: how attempts end, and what follows: on_failure, retries and time. */
#pragma once

#include "plan/steps.h"

/* Waits until something is heard or that time has come. True: an attempt has ended, and what
 * follows from it has been done. */
bool endings_hear(struct steps *s, int64_t until_mono_ms);

/* The time of an attempt is up: it is stopped, and has failed. */
void endings_time_out(struct steps *s, size_t place);

/* The time of the plan is up: PLAN_TIMEOUT or DEADLINE_EXCEEDED. */
void endings_time_up(struct steps *s, enum code code);

/* Stops what still runs, and waits until it has ended. None of it counts but what was done all
 * the same, and before the plan's time was over (A04-9); where that is all of it, the plan has not
 * ended by time. */
void endings_stop(struct steps *s);
