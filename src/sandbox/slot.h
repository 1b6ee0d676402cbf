/* SPDX-License-Identifier: Apache-2.0 */
/* slot.h: init of a run to come, made ahead by a berth with everything that does not depend on what
 * is run; the command's process waits in it, behind Landlock and the filter, for the word what to
 * become.
 *
 * A slot is used once. It belongs to no group until it is handed over; where groups are of version
 * 2 it begins in that of the run to come, which is made ahead with it. It ends when nobody takes it
 * for some time, and when the line to its owner breaks.
 */
#pragma once

#include "sandbox/berth.h"

/* The group that a slot is to be in, where these are of version 2: its limits on memory and cores,
 * and its age (kept.h). */
struct slot_group {
    struct cgroup_limits limits;
    unsigned age;
};

/* Takes the slot that the berth has, when its walls are those of this jail, and what holds its
 * mounts. False: there is none; one that does not fit is gone. */
bool slot_take(struct berth *berth, const struct jail *jail, const struct slot_group *group,
               struct slot *out, int *mounts) NODISCARD;

/* Says over its line what is to be run. False: it is dead, and nothing was run. */
bool slot_hand_over(const struct berth *berth, const struct jail *jail, int line) NODISCARD;

/* Has the next one made with the same walls, and does not wait for it. `near` and `far` are the
 * ends of its line; with true `near` is the berth's, and *group, which may be none, is the slot's
 * and zeroed. */
bool slot_make_next(struct berth *berth, const struct jail *jail, int near, int far,
                    struct cgroup *group) NODISCARD;
