/* SPDX-License-Identifier: Apache-2.0 */
/* version.h: what the two versions of control groups do differently, as one struct each. */
#pragma once

#include "sandbox/cgroup/seat.h"

enum { PERIOD_US = 100000 }; /* of CPU time: quota = cores x period */

struct cgroup_version {
    const char *name;

    /* The directory in which a run's group is to be made, as an O_PATH descriptor that may be
     * taken from the seat. `prepare`: may move this process and enable controllers for that; else
     * it only looks. */
    bool (*place)(struct cgroup_seat *seat, bool prepare, int *fd, struct error *e);

    /* Write the limits of a directory. */
    bool (*limit_memory)(int dir, int64_t bytes, struct error *e);
    bool (*limit_cpu)(int dir, int64_t cores, struct error *e);

    /* How many are in the directory; NULL: pids.current tells. */
    int64_t (*tasks)(const struct cgroup_dir *d);

    /* Fills in what the directory's controllers count. */
    void (*usage)(const struct cgroup_dir *d, struct cgroup_usage *out);

    /* Nobody is in the directory, as far as its controllers can tell, and little is charged to it.
     * NULL: that does not make it fit for another run, whose peak it could not tell. */
    bool (*rests)(struct cgroup_dir *d);

    /* Sets back what does not count upwards. False: it cannot be, or the directory is gone. */
    bool (*wake)(const struct cgroup_dir *d);

    /* One step on the way to an empty group: kills what is in it, and waits for about `us`. */
    void (*kill)(int dir, int us);
};

extern const struct cgroup_version cgroup_v1, cgroup_v2;
