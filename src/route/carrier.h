/* SPDX-License-Identifier: Apache-2.0 */
/* carrier.h: a program of the caller's own that carries a command elsewhere: ssh, srun, a wrapper.
 *
 * It runs outside of the walls, as the caller, for it has to reach what commands may not. It has a
 * session of its own, and a guard (route/guard.h): when it ends, when it is ended, and when we die,
 * everything it started ends. Where somebody kills the guard, those of its session do, and who has
 * left that is not found: all of them are the caller's own, and may do so.
 */
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/mem.h"

struct carrier {
    pid_t pid;          /* of its guard, as is the pidfd: readable when all of it is dead */
    int pidfd;          /* -1: it was ended */
    int to, from, err;  /* its stdin, stdout, stderr: pipes; -1: closed, or not asked for */
    bool whole;         /* nothing of it survives it, not even what left its process group */
    struct rusage used; /* by all of it, when it has ended */
};

struct carrier_ask {
    char *const *argv;        /* argv[0] as people say it: looked for in PATH of the environment */
    char *const *environment; /* the caller's, ended by NULL */
    const char *cwd;          /* NULL: ours */
    const int *input;         /* an open file as its stdin, lent; NULL: a pipe from us */
    char *const *const *last; /* what is run when we are gone and it has ended, or NULL: as of
                               * struct guard */
    bool errors;              /* its stderr comes to us; else it goes nowhere */
};

/* The file of that name in PATH, which must be absolute; NULL: there is none. */
const char *carrier_find(const char *name, char *const *environment, struct arena *a);

/* False: nothing runs. Any thread; the carrier outlives it. Who writes to it holds back SIGPIPE. */
bool carrier_start(const struct carrier_ask *ask, struct arena *a, struct carrier *out,
                   struct error *e) NODISCARD;

/* A signal to its process group; SIGKILL to all of it. */
void carrier_signal(const struct carrier *c, int signal);

/* Ends what is left of it, closes the descriptors and returns its status as from wait. */
int carrier_end(struct carrier *c);
