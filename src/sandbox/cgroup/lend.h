/* SPDX-License-Identifier: Apache-2.0 */
/* lend.h: says why no group can be made, and what gives a user one. */
#pragma once

#include "sandbox/cgroup/seat.h"

/* After mkdir has failed in that seat, for the controllers that each seat has: fills *e and returns
 * false. */
bool cgroup_refuse(const struct cgroup_seats *s, const struct cgroup_seat *at, struct error *e);
