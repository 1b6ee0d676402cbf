/* SPDX-License-Identifier: Apache-2.0 */
/* idle.h: a command that does nothing, run to find out whether the walls can be built here. */
#pragma once

#include "engine/exec.h"
#include "sandbox/held.h"

struct idle {
    struct exec x;
    const char *refused; /* why commands may not run in the current directory, or NULL */
    char *argv[4];
    const char *const *environment;
};

/* In the current directory, as far as that level can be had there; else the defaults of a request.
 */
void idle_prepare(struct idle *idle, const char *const *environment, enum fs_level level,
                  struct arena *a);

/* Runs it, without the layers in `weak` where they cannot be had. False: the walls could not be
 * built, or it did not end well in them. After idle_prepare(), and only where its program is there.
 */
bool idle_run(struct idle *idle, unsigned weak, const struct held *held, struct error *e) NODISCARD;
