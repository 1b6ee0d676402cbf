/* SPDX-License-Identifier: Apache-2.0 */
/* held_tracer.h: init of a fixed run, as the one who traces every process of it.
 *
 * A process is stopped when it loads a program, makes another process, makes one of the calls about
 * time and chance, or gets a signal; signals and stops are passed on as if nobody traced. All of it
 * runs in init: nothing allocates.
 */
#pragma once

#include "sandbox/held/calls.h"

enum { TRACER_RETURNS = 1024 };

struct tracer {
    bool on;
    struct held_ground ground;
    pid_t command;
    bool began, seized;
    int failed;  /* errno: it cannot be traced, and has not run */
    bool unheld; /* a later program was killed: nobody may look into it, it is of 32 bits, or has no
                    room */
    struct held_return returns[TRACER_RETURNS];
};

/* In the command, before anything of it is the program's: stops until init has taken it over. */
int tracer_begin(const struct held *held);

/* In init. */
void tracer_start(struct tracer *t, const struct held *held);

/* What waitpid has said of a process that has stopped. */
void tracer_stopped(struct tracer *t, pid_t pid, int status);
void tracer_ended(struct tracer *t, pid_t pid);
