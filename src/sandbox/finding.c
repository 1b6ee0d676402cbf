/* SPDX-License-Identifier: Apache-2.0 */
/* finding.c: the things a probe looks at. */
#include "sandbox/finding.h"

/* clang-format off */
const struct finding_row finding_rows[FINDING_COUNT] = {
    [FINDING_USER]     = { LAYER_USER,     "user namespaces",    NULL },
    [FINDING_OWNERS]   = { LAYER_USER,     "owners of files",    NULL },
    [FINDING_MOUNT]    = { LAYER_MOUNT,    "private root",       NULL },
    [FINDING_PID]      = { LAYER_PID,      "process tree",       NULL },
    [FINDING_NET]      = { LAYER_NET,      "network of its own", NULL },
    [FINDING_LANDLOCK] = { LAYER_LANDLOCK, "landlock",           NULL },
    [FINDING_SECCOMP]  = { LAYER_SECCOMP,  "seccomp",            NULL },
    [FINDING_MEMORY]   = { LAYER_CGROUP,   "cgroup",             "memory" },
    [FINDING_PIDS]     = { LAYER_CGROUP,   "cgroup",             "pids" },
    [FINDING_CPU]      = { LAYER_CGROUP,   "cgroup",             "cpu" },
};
/* clang-format on */

const char *const finding_states[] = { "none", "pass", "weak", "absent" };
