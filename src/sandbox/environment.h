/* SPDX-License-Identifier: Apache-2.0 */
/* environment.h: what every command finds in its environment, the same wherever it runs. */
#pragma once

#include "base/mem.h"
#include "base/table.h"
#include "contract/hosts.h"
#include "contract/shape.h"

extern const struct table environment_table;

/* Where its HOME is, unless it is asked for elsewhere. */
#define ENVIRONMENT_HOME "/home/writ"

struct environment_ask {
    const struct pair *asked; /* by name in bytewise order; wins over the table */
    size_t count;
    const char *path, *cwd;
    bool network;              /* hosts are reached through the gate */
    const struct hosts *hosts; /* which; NULL: none is listed */
};

/* "NAME=value" texts in bytewise order, ended by NULL. */
char **environment_make(const struct environment_ask *ask, struct arena *a);
