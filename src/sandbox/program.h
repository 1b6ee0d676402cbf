/* SPDX-License-Identifier: Apache-2.0 */
/* program.h: which file a command is, and what it needs around it to start.
 *
 * A01-11: no level of the contract lets a program load its libraries. The system's own and the
 * program's runtime are therefore granted too, read-only, and listed in the record.
 */
#pragma once

#include "sandbox/system.h"

struct program {
    const char *path; /* what is started: the name under which it was found */
    const char *real; /* the file it leads to */
    int missing;      /* 0; or ENOENT, EACCES: it cannot be started */
    dev_t dev;
    ino_t ino;
    struct system_links links;
    const char *bin; /* a directory to put at the head of PATH, or NULL */
};

struct program_ask {
    const char *command; /* as typed */
    const char *cwd;     /* where one with a slash is looked up */
    const char *path;    /* where one without is looked up; NULL: the policy's */
    const char *home;    /* nothing directly in it becomes visible with a program; may be NULL */
    bool network;        /* what programs need to trust hosts */
    bool raw;            /* and to find them in the host's own network */
    struct system_ask system; /* what is known of it; the rest is found here */
};

extern const char policy_path[];

/* Finds the file. A command that is not there is an outcome, not an error: see `missing`. */
void program_find(const struct program_ask *ask, struct arena *a, struct program *out);

/* Grants, as implied, what it needs. */
void program_grant(const struct program_ask *ask, struct program *p, struct grants *g);
