/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_owner.h: whose a run's group is, told by its name: writ-PIDNS-PID-START-RUN. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "sandbox/cgroup/types.h"

struct cgroup_owner {
    int64_t ns; /* inode of the pid namespace in which pid counts */
    int64_t pid;
    int64_t start; /* when it began, so that a later process with its pid is not taken for it */
    int64_t run;
};

/* This process and its next run. *foreign: /proc belongs to another pid namespace, so that nothing
 * can be told of other processes. */
bool cgroup_owner_self(struct cgroup_owner *out, bool *foreign, struct error *e) NODISCARD;

void cgroup_owner_name(const struct cgroup_owner *o, char name[CGROUP_NAME]);

/* False: this is not the name of a run's group. */
bool cgroup_owner_named(struct str name, struct cgroup_owner *out);

/* Has it ended? When in doubt, no. */
bool cgroup_owner_dead(const struct cgroup_owner *o);
