/* SPDX-License-Identifier: Apache-2.0 */
/* carrier.h: a program of the caller's own that carries a command elsewhere: ssh, srun, a wrapper.
 *
 * It runs outside of the walls, as the caller, for it has to reach what commands may not. It has
 * its own process group and, where that can be had, its own process namespace: when it is ended,
 * and when we die, all of it ends.
 */
#pragma once

#include <sys/types.h>

#include "base/error.h"
#include "base/mem.h"

struct carrier {
    pid_t pid;
    int pidfd;
    int to, from, err; /* its stdin, stdout, stderr; -1: closed, or not asked for */
    bool whole;        /* has a process namespace: nothing of it survives it */
};

struct carrier_ask {
    char *const *argv;        /* argv[0] as people say it: looked for in PATH of the environment */
    char *const *environment; /* the caller's, ended by NULL */
    bool errors;              /* its stderr comes to us; else it goes nowhere */
};

/* The file of that name in PATH, which must be absolute; NULL: there is none. */
const char *carrier_find(const char *name, const char *const *environment, struct arena *a);

bool carrier_start(const struct carrier_ask *ask, struct arena *a, struct carrier *out,
                   struct error *e) NODISCARD;

/* A signal to all of it. */
void carrier_signal(const struct carrier *c, int signal);

/* Ends what is left of it, closes the descriptors and returns its status as from wait. */
int carrier_end(struct carrier *c);
