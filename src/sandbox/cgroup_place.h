/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_place.h: where groups are made: found by the first run that uses it, and looked up by the
 * next. For several threads at once.
 */
#pragma once

#include "sandbox/cgroup/seat.h"

struct cgroup_place;

struct cgroup_place *cgroup_place_new(void);
void cgroup_place_free(struct cgroup_place *p); /* accepts NULL */

/* Something was mounted: it is found anew. */
void cgroup_place_forget(struct cgroup_place *p);

/* Whether a group may be one of version 2: a process is cloned into it, so that it has to be there
 * before. */
bool cgroup_place_first(struct cgroup_place *p);

/* The seats of this process. NULL as a place, too, is one where nothing is known. */
bool cgroup_place_find(struct cgroup_place *p, struct cgroup_seats *out, struct error *e) NODISCARD;
