/* SPDX-License-Identifier: Apache-2.0 */
/* layers.h: the walls around a command, each a thing the kernel does. */
#pragma once

#include "base/table.h"

enum layer {
    LAYER_CGROUP,
    LAYER_LANDLOCK,
    LAYER_MOUNT,
    LAYER_NET,
    LAYER_PID,
    LAYER_SECCOMP,
    LAYER_USER,
    LAYER_COUNT,
};

/* A set of layers is an unsigned with bit `1 << layer`. */
enum { LAYER_ALL = (1 << LAYER_COUNT) - 1 };

struct layer_row {
    const char *name;
    const char *holds;
    bool spared; /* a caller may go without it, with --allow-weak */
    const char *without;
    const char *mend;
};

extern const struct layer_row layers[LAYER_COUNT];
extern const struct table layers_table;

/* The layer of that name, or LAYER_COUNT. */
enum layer layer_named(struct str name);
