/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup.h: limits on a whole tree of processes, and what it used, by the kernel's own count.
 *
 * One group for one run at a time, made before any process is in it. It carries another run only
 * where it is empty again and counts that one alone (cgroup_rest()). Which hierarchy carries which
 * limit is found out per controller: version 1 where the kernel has the controller there, else
 * version 2, else there is none and cgroup_make() refuses. Groups are made below the one this
 * process is in (version 2: or beside it), never above the root of its namespace or mount.
 */
#pragma once

#include "base/error.h"
#include "sandbox/cgroup/types.h"

/* Zeroed means: no group. */
struct cgroup {
    int count; /* of dirs; everything else is private */
    struct cgroup_dir dirs[CGROUP_DIRS];
    char name[CGROUP_NAME];
    struct cgroup_limits limits; /* as they were when it was made */
    struct cgroup_usage before;  /* what earlier runs have added to the counters */
    int64_t awake;               /* for a run of so many tasks; 0: it rests, or is in use */
    unsigned age;                /* of where this process sat then, as cgroup/idle.c counts */
};

/* Makes the groups of one run, with its limits written. On false nothing is left behind; the error
 * (CODE_LAYER_MISSING) names the controller and why. On version 2 this may move the process into a
 * leaf `writ-supervisor` of its own group, when it is alone there: only a group without processes
 * hands controllers down. */
bool cgroup_make(const struct cgroup_limits *limits, struct cgroup *out, struct error *e) NODISCARD;

/* The same, at a place that is remembered (cgroup_place.h); NULL: none is. */
struct cgroup_place;
bool cgroup_make_at(struct cgroup_place *place, const struct cgroup_limits *limits,
                    struct cgroup *out, struct error *e) NODISCARD;

/* "v1", "v2", "hybrid" (some of each) for the record; "none" where there is no group. */
const char *cgroup_kind(const struct cgroup *c);

/* The descriptor for CLONE_INTO_CGROUP, or -1 when nothing is on version 2. */
int cgroup_into(const struct cgroup *c);

/* In the new, single-threaded process, before it starts anything: enters the version 1 groups by
 * writing "0" to descriptors of `tasks` opened before the clone (cgroup.procs waits for a grace
 * period: 7 ms). Only system calls, no allocation. 0, or -1 and errno. */
int cgroup_enter(const struct cgroup *c);

/* How many processes (not threads) are in it now, and how many tasks of all kinds; -1 when it
 * cannot be told. */
int cgroup_processes(const struct cgroup *c);
int64_t cgroup_tasks(const struct cgroup *c);

/* Calls `each` for every task in it, threads included; false: they cannot be told. */
bool cgroup_each_task(const struct cgroup *c, void (*each)(pid_t task, void *self),
                      void *self) NODISCARD;

/* Changes the limit on tasks. */
bool cgroup_set_tasks(const struct cgroup *c, int64_t tasks) NODISCARD;

/* Whether who was cloned into it is counted too: on version 2 that is init, on version 1 only the
 * command enters. */
bool cgroup_counts_init(const struct cgroup *c);

/* SIGKILL for as many processes, those with the highest numbers. */
void cgroup_end_youngest(const struct cgroup *c, int64_t n);

/* What it used; to be asked when it has ended. */
void cgroup_usage(const struct cgroup *c, struct cgroup_usage *out);

/* Whether a group of this kind can carry another run at all. */
bool cgroup_may_rest(const struct cgroup *c);

/* Readies it for another run with the same limits on memory and cores, when the last one, which
 * has used `last`, is dead. False: somebody is in it, or too much is still charged to it; it has to
 * be removed. */
bool cgroup_rest(struct cgroup *c, const struct cgroup_usage *last) NODISCARD;

/* Makes a rested group one for this many tasks, if it is not yet; false: somebody has taken it
 * away. */
bool cgroup_wake(struct cgroup *c, int64_t tasks) NODISCARD;

/* Removes the directories if nobody is in them any more; false: somebody is. cgroup_remove() has to
 * be called all the same. */
bool cgroup_drop(const struct cgroup *c) NODISCARD;

/* Kills who is in it, and waits until nobody is, about 2 s at most. */
void cgroup_end(const struct cgroup *c);

/* Closes its descriptors and leaves *c zeroed; the directories stay. */
void cgroup_close(struct cgroup *c);

/* Kills what is left in it, waits until it is empty (about 2 s at most) and removes the
 * directories. Closes all descriptors and leaves *c zeroed, also on false, which means that one
 * could not be removed; a sweep tries again once this process is gone. Accepts a zeroed one. */
bool cgroup_remove(struct cgroup *c, struct error *e) NODISCARD;

/* Removes the groups of runs whose supervisor is dead, beside these. Cheap when there are none. */
void cgroup_sweep(const struct cgroup *c);

/* For doctor: which of memory, pids and cpu could be limited here, found by making a group and
 * removing it. kind is "v1", "v2" or NULL; why then says what stands in the way and what mends
 * it. */
struct cgroup_finding {
    const char *controller;
    const char *kind;
    char why[ERROR_MSG];
};
void cgroup_probe(struct cgroup_finding out[CGROUP_LIMITED]);
