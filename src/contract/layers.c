/* SPDX-License-Identifier: Apache-2.0 */
/* layers.c: the table of layers. */
#include "contract/layers.h"

/* clang-format off */
const struct layer_row layers[LAYER_COUNT] = {
    [LAYER_CGROUP]   = { "cgroup",   "Memory, CPU time and the number of tasks of the whole tree.",       true,  "Limits hold for each process alone, by rlimits.",             "Run writ where it owns a cgroup: systemd-run --user --scope -p Delegate=yes writ ..." },
    [LAYER_LANDLOCK] = { "landlock", "The same paths a second time, by the kernel's own list for the process.",    true,  "The private mounts alone hide what is not granted.",          "Boot with landlock in the list of lsm=, on Linux 5.13 or newer." },
    [LAYER_MOUNT]    = { "mount",    "A private root that holds only what is granted.",                   false, "",                                                            "Use Linux 5.12 or newer, where user namespaces may mount." },
    [LAYER_NET]      = { "net",      "A network of its own, with nothing in it but itself.",              false, "",                                                            "Allow network namespaces: sysctl user.max_net_namespaces=10000" },
    [LAYER_PID]      = { "pid",      "A tree of processes that ends with its first one.",                 false, "",                                                            "Allow process namespaces: sysctl user.max_pid_namespaces=10000" },
    [LAYER_SECCOMP]  = { "seccomp",  "The list of system calls; a call that is not on it fails as if it did not exist.",       true,  "Every system call of the kernel can be tried.",               "Use a kernel with CONFIG_SECCOMP_FILTER." },
    [LAYER_USER]     = { "user",     "An identity without any right outside.",                            true,  "Landlock, the filter and the cgroup alone hold it, in the host's namespaces: `writ explain process`.", "Allow user namespaces: sysctl user.max_user_namespaces=10000; on Ubuntu also sysctl kernel.apparmor_restrict_unprivileged_userns=0" },
};

static const struct column layer_columns[] = {
    { "layer",   COLUMN_TEXT, offsetof(struct layer_row, name) },
    { "holds",   COLUMN_TEXT, offsetof(struct layer_row, holds) },
    { "spared",  COLUMN_BOOL, offsetof(struct layer_row, spared) },
    { "without", COLUMN_TEXT, offsetof(struct layer_row, without) },
    { "mend",    COLUMN_TEXT, offsetof(struct layer_row, mend) },
};
/* clang-format on */

const struct table layers_table = {
    .name = "layers",
    .about = "The layers of the sandbox around a command; which one a caller may do without, and "
             "what that means.",
    COLUMNS(layer_columns),
    .keys = 1,
    ROWS(layers),
};

enum layer layer_named(struct str name)
{
    enum layer layer = 0;

    while (layer < LAYER_COUNT && !str_is(name, layers[layer].name))
        layer++;
    return layer;
}
