/* SPDX-License-Identifier: Apache-2.0 */
/* finding.h: what was found out about a layer of this machine. */
#pragma once

#include "contract/layers.h"

enum finding_state {
    FINDING_NONE, /* there was nothing to find out */
    FINDING_PASS,
    FINDING_WEAK, /* it holds, and lacks something that newer systems have */
    FINDING_ABSENT,
};

/* In the order people read them. */
enum finding_of {
    FINDING_USER,
    FINDING_OWNERS,
    FINDING_MOUNT,
    FINDING_PID,
    FINDING_NET,
    FINDING_LANDLOCK,
    FINDING_SECCOMP,
    FINDING_MEMORY, /* the controllers, in the order of cgroup_probe() */
    FINDING_PIDS,
    FINDING_CPU,
    FINDING_COUNT,
};

struct finding_row {
    enum layer layer;
    const char *what;
    const char *part; /* of what; NULL: all of it */
};

struct finding {
    enum finding_state state;
    const char *detail, *mend; /* NULL: none */
};

extern const struct finding_row finding_rows[FINDING_COUNT];
extern const char *const finding_states[];
