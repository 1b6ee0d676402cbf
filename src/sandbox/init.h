/* SPDX-License-Identifier: Apache-2.0 */
/* init.h: the first process of a run, as its supervisor knows it: how it is made, and told what it
 * waits for. What it does is in child.h.
 */
#pragma once

#include "base/error.h"
#include "sandbox/berth.h"
#include "sandbox/jail.h"
#include "sandbox/kept.h"

struct init {
    pid_t pid;
    int fd;              /* a pidfd */
    int line;            /* our end */
    struct berth *berth; /* that it was made in, or NULL */
    bool slotted;        /* it was made ahead, and waits for the word what to run */
    int mounts;          /* what holds its mounts when it is dead, or -1 */
};

/* Makes it, in a berth if something is kept and this run may be in one, and lets it build. */
bool init_start(struct init *i, struct jail *jail, struct kept *kept, struct error *e) NODISCARD;

/* Hands the groups over that the command enters itself. */
bool init_enter_groups(const struct init *i, const struct jail *jail, struct error *e) NODISCARD;

/* The command may run. */
bool init_release(struct init *i, struct jail *jail, struct kept *kept, struct error *e) NODISCARD;

/* Ends it and its tree, and waits for that; what has ended that way is left alone. */
void init_kill(struct init *i);

/* When its tree is dead: gives the berth back; `used`: what it may have made something in. */
void init_leave(struct init *i, struct kept *kept, struct berth_use used);

/* When it runs: has a slot made for the next run, if that may be had. */
void init_make_next(const struct init *i, const struct jail *jail);

void init_close(struct init *i);
