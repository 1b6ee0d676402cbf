/* SPDX-License-Identifier: Apache-2.0 */
/* trial.h: tries one thing in a process of its own, so that whatever comes of it ends there. */
#pragma once

#include <sched.h>

#include "contract/layers.h"

enum {
    /* Those a run begins with; the network comes later (net.h). */
    NAMESPACES_FIRST =
        CLONE_NEWUSER | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_NEWNS | CLONE_NEWPID,
    NAMESPACES = 7,
};

struct namespace_row {
    unsigned flag;
    enum layer layer;
    const char *name; /* as in /proc/sys/user/max_NAME_namespaces */
};

/* The user namespace is the first: the others are made in it. */
extern const struct namespace_row namespaces[NAMESPACES];

/* Runs `act` (only system calls; 0, or -1 and errno) in a new process with these namespaces, and
 * waits for it. 0, or the errno of making the process or of the act; NULL: nothing is done there.
 * ENOTRECOVERABLE: something killed it. */
int trial(unsigned flags, int (*act)(const void *self), const void *self);

/* Can this namespace be made, beside the user namespace? 0, or errno. */
int trial_namespace(const struct namespace_row *row);

/* The first one of `flags` that cannot be made, or NULL. */
const struct namespace_row *trial_lacking(unsigned flags);

/* The layers to build where the caller does without these: one of them that is missing is left out.
 */
unsigned trial_layers(unsigned weak);
