/* SPDX-License-Identifier: Apache-2.0 */
/* launch.h: starts a program of ours: without a shell, and with nothing that it is not given. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/own.h"

/* The first descriptor that is given; the next is one more. */
enum { LAUNCH_FIRST = 3 };

struct launch {
    const char *program;
    char *const *argv, *const *environment; /* lists that NULL ends */
    const int *given;                       /* from launch_moved_up(): none overwrites another */
    int given_count;
    bool streams; /* 0, 1 and 2 go nowhere; else there are none */
};

/* Signals are as at the beginning of the world, its session is its own. 0, or an errno. */
int launch(const struct launch *l, pid_t *pid) NODISCARD;

/* The same descriptor above all that a program is given; the old one is closed. -1 and errno. */
int launch_moved_up(int fd);

/* Ends the process of that pidfd at once, if it has not ended, and says how it did. The handle is
 * closed. */
void launch_end(int *handle, siginfo_t *how);
