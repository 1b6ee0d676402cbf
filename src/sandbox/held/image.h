/* SPDX-License-Identifier: Apache-2.0 */
/* image.h: a program that has just been loaded, and not run yet: its clock is put into its
 * memory, and what the kernel has drawn for it is drawn from the stream.
 */
#pragma once

#include <sys/types.h>

#include "sandbox/held.h"
#include "sandbox/held/code.h"
#include "sandbox/held/tracee.h"

/* What time it was when a process ended: who waits for it does not go on before. */
struct held_end {
    pid_t pid;
    uint64_t mono_ns;
};

enum { HELD_ENDS = 512 };

/* What is the same for all programs of a run. */
struct held_ground {
    const struct held *held;
    struct held_places places;
    uint64_t top;                    /* where a process says where its state is; 0: not known yet */
    bool page_open;                  /* a program began that has the pages of the kernel's clocks */
    struct held_end ends[HELD_ENDS]; /* the latest of them */
    size_t end_count;
};

struct held_ground held_ground(const struct held *held);

/* Changes the program that this process has been stopped at the beginning of. */
bool held_image(struct held_ground *g, pid_t pid, struct held_state state);

/* That is what a program says by this illegal instruction: it goes on behind it. */
bool held_image_is_open(struct held_ground *g, pid_t pid, struct tracee_regs *regs);

/* The state of a process that is stopped, and where it lies. A process that has lost it is at the
 * beginning, and stays there. */
struct held_state held_load(const struct held_ground *g, pid_t pid, uint64_t *at);

/* A process is about to end, and its memory is still there. */
void held_ends(struct held_ground *g, pid_t pid);
void held_store(pid_t pid, uint64_t at, const struct held_state *state);
