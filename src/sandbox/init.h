/* SPDX-License-Identifier: Apache-2.0 */
/* init.h: the first process of a run, as its supervisor knows it: how it is made, and told what it
 * waits for. What it does is in child.h.
 */
#pragma once

#include "base/error.h"
#include "sandbox/berth.h"
#include "sandbox/jail.h"
#include "sandbox/kept.h"
#include "sandbox/slot.h"

struct init {
    pid_t pid;
    int fd;              /* a pidfd */
    int line;            /* our end */
    struct berth *berth; /* that it was made in, or NULL */
    bool slotted;        /* it was made ahead, and waits for the word what to run */
    int mounts;          /* what holds its mounts when it is dead, or -1 */
};

/* One that was made ahead, if something is kept and this run may be in a berth: slot.h. Where it is
 * in a group already, that is the jail's from now on. False: there is none. */
bool init_take(struct init *i, struct jail *jail, struct kept *kept,
               const struct slot_group *group) NODISCARD;

/* Makes it, in a berth if it may be in one, and lets it build; not again who was taken. */
bool init_start(struct init *i, struct jail *jail, struct kept *kept, struct error *e) NODISCARD;

/* Hands the groups over that the command enters itself. */
bool init_enter_groups(const struct init *i, const struct jail *jail, struct error *e) NODISCARD;

/* The command may run. */
bool init_release(struct init *i, struct jail *jail, struct kept *kept, struct error *e) NODISCARD;

/* Ends it and its tree, and waits for that; what has ended that way is left alone. */
void init_kill(struct init *i);

/* When its tree is dead: gives the berth back; `used`: what it may have made something in. */
void init_leave(struct init *i, struct kept *kept, struct berth_use used);

/* Whether a slot for the next run may be had. */
bool init_may_slot(const struct init *i);

/* When it runs: has one made, in *group, which is zeroed then. */
void init_make_next(const struct init *i, const struct jail *jail, struct cgroup *group);

void init_close(struct init *i);
