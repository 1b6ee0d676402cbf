/* SPDX-License-Identifier: Apache-2.0 */
/* process.h: what /proc says of a process. */
#pragma once

#include "base/own.h"
#include "base/str.h"

struct process {
    int64_t pid; /* as the namespace of /proc counts */
    int64_t parent;
    char state; /* 'Z': it is dead, and waited for */
    int64_t threads;
    int64_t start; /* when, in ticks since the boot: with the pid it names a process for good */
};

/* The process of that number, and this one. False: it is not there, or /proc does not tell. */
bool process_look(int64_t pid, struct process *out) NODISCARD;
bool process_self(struct process *out) NODISCARD;

/* The same from the text of its file `stat`. */
bool process_read(struct str stat, struct process *out) NODISCARD;
