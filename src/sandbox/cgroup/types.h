/* SPDX-License-Identifier: Apache-2.0 */
/* types.h: what the parts of the control groups share. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cgroup_limits { /* all above 0 */
    int64_t memory_bytes;
    int64_t cores; /* of CPU time: quota = cores x period */
    int64_t tasks; /* processes and threads together: a backstop */
};

struct cgroup_usage {
    int64_t memory_peak_bytes; /* -1: this kernel does not tell */
    int64_t cpu_ms;            /* -1: this kernel does not tell */
    int64_t oom_kills;         /* processes; version 2 counts the first one twice */
    int64_t task_hits;         /* how often the limit on tasks refused one */
};

/* Memory, pids and cpu have limits; with cpuacct there is at most one hierarchy each. */
enum { CGROUP_LIMITED = 3, CGROUP_DIRS = 4, CGROUP_NAME = 96, CGROUP_OPEN = 7 };

/* One directory of a run. */
struct cgroup_dir {
    const struct cgroup_version *version;
    unsigned controllers; /* bits */
    int parent, dir;
    int tasks;             /* version 1: to be entered by; else -1 */
    int open[CGROUP_OPEN]; /* version 1, when it rests: what is read of every run; else -1 */
};
