/* SPDX-License-Identifier: Apache-2.0 */
/* kept.h: what a process that runs many commands keeps from one to the next.
 *
 * Only what is the same for both and cannot carry anything from one to the other: berths (berth.h),
 * groups that are empty again (cgroup_idle.h), and the digests of programs that have not changed.
 * Whatever cannot be kept, or is in use, is made anew, as it is without this. Several threads may
 * use one at once.
 */
#pragma once

#include "base/digest.h"
#include "sandbox/jail.h"
#include "sandbox/submounts.h"

struct kept;
struct berth;

struct kept *kept_new(void);

/* No run may be using it. Accepts NULL. */
void kept_free(struct kept *k);

/* In a process that was forked from its owner: lets go of it, and disturbs nobody. Accepts NULL. */
void kept_abandon(struct kept *k);

/* How long a slot waits (slot.h) before it ends; a berth waits twice as long. */
void kept_set_patience(struct kept *k, int ms);

/* How many berths wait, how many of them have a slot, and how many runs have taken one. */
struct kept_count {
    size_t berths, slots, taken;
};

struct kept_count kept_count(struct kept *k);

/* A berth for this jail that nobody else is in, or NULL; where none waits, and it may, one is
 * opened. */
struct berth *kept_take(struct kept *k, const struct jail *jail, bool open);

/* Gives it back; `whole`: the run in it ended as it should. */
void kept_give(struct kept *k, struct berth *berth, bool whole);

/* The digest of that file, as it was found before; false: it was not, or the file has changed. */
bool kept_digest(struct kept *k, const struct stat *file, struct digest *out);

/* Keeps it. `now_ms` is Unix time: of a file that was changed just now the clock does not tell
 * whether it is changed once more. */
void kept_learn(struct kept *k, const struct stat *file, int64_t now_ms,
                const struct digest *digest);

/* Where the kernel's own is mounted; read again when something was mounted or taken away. */
bool kept_submounts(struct kept *k, struct arena *a, struct submounts *out,
                    struct error *e) NODISCARD;

/* What is known of the paths of the system, for as long as *k; `now_ms` is Unix time. */
struct system_ask kept_system(struct kept *k, int64_t now_ms);

/* Whether groups have to be made before the process that is to be in them (cgroup_place.h). */
bool kept_groups_first(struct kept *k);

/* Groups with these limits: those of an earlier run, or new ones; `now_ms` is of any clock that
 * only goes on. */
bool kept_group(struct kept *k, const struct cgroup_limits *limits, int64_t now_ms,
                struct cgroup *out, struct error *e) NODISCARD;

/* New ones in any case; and what of an age they are that are made now: those of another one were
 * made when this process was in other groups. */
bool kept_new_group(struct kept *k, const struct cgroup_limits *limits, int64_t now_ms,
                    struct cgroup *out, struct error *e) NODISCARD;
unsigned kept_groups_age(struct kept *k, int64_t now_ms);

/* When there is time: readies some for the next who asks for the same. */
void kept_ready_group(struct kept *k, const struct cgroup_limits *limits, int64_t now_ms);

/* Keeps the groups of a run that is dead and has used this, and zeroes *group; false: they are to
 * be removed. */
bool kept_give_group(struct kept *k, struct cgroup *group,
                     const struct cgroup_usage *used) NODISCARD;

/* True once: whoever is told so looks for groups that the dead have left. */
bool kept_sweeps(struct kept *k);
