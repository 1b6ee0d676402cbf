/* SPDX-License-Identifier: Apache-2.0 */
/* crew.h: the hands that do the steps of a plan: threads, one for each step at a time. */
#pragma once

#include "engine/plan.h"

struct crew;

/* Hands that do the deeds of r->deeds. `force`: readable when the plan's time is up; -1: never.
 * NULL: no descriptors are left. */
struct crew *crew_open(struct running *r, int jobs, int force);
void crew_close(struct crew *c);
struct hands crew_hands(struct crew *c);
