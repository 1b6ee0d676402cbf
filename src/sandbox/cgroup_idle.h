/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_idle.h: groups that have carried a run and wait for another one. Making a group and taking
 * it away again is what a short run costs most. For several threads at once.
 */
#pragma once

#include "sandbox/cgroup.h"

struct cgroup_idle;

struct cgroup_idle *cgroup_idle_new(void);

/* Removes the groups. Accepts NULL. */
void cgroup_idle_free(struct cgroup_idle *idle);

/* Lets go of them all, which are somebody else's: they stay. */
void cgroup_idle_abandon(struct cgroup_idle *idle);

/* One with these limits; false: there is none. Groups that were made while this process was in
 * other groups than now are removed: it would not be held to what holds for us. A look at that is
 * good for some milliseconds. */
bool cgroup_idle_take(struct cgroup_idle *idle, const struct cgroup_limits *limits, int64_t now_ms,
                      struct cgroup *out) NODISCARD;

/* Looks, and wakes one with these limits for the next who takes it; false: there is none, and room
 * for it. */
bool cgroup_idle_ready(struct cgroup_idle *idle, const struct cgroup_limits *limits,
                       int64_t now_ms) NODISCARD;

/* Looks, and tells how often this process was in other groups than before: it goes into a group
 * that is made now. */
unsigned cgroup_idle_age(struct cgroup_idle *idle, int64_t now_ms);

/* Keeps a group whose run is dead and has used `last`, and zeroes *c; false: it must not carry
 * another one, and is the caller's to remove. */
bool cgroup_idle_give(struct cgroup_idle *idle, struct cgroup *c,
                      const struct cgroup_usage *last) NODISCARD;
