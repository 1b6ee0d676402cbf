/* SPDX-License-Identifier: Apache-2.0 */
/* berth.h: what runs with the same grants have in common, built once and kept by a process.
 *
 * A berth is a process with the user, the root, the names, the network and the ipc that such a run
 * would have. The root cannot be written, names cannot be changed, and nobody has made a socket in
 * the network or anything in the ipc. For each run it makes init, with the namespaces that a run
 * has for itself: processes and mounts. Init mounts its own /proc, /tmp, /run, /dev/shm and home
 * over those of the berth, and goes on as any other.
 *
 * One run at a time is in a berth. What a run leaves in it is nothing: it had no right over any
 * part of it, its mounts were its own, and when it made a socket, the network is made anew; so is
 * the ipc, when it made something there. When it made a pair of sockets, the berth goes.
 */
#pragma once

#include "base/digest.h"
#include "sandbox/jail.h"

/* What a run may have left something in. Descriptors under way in a pair of sockets are there until
 * the kernel finds that nobody can receive them: until then whoever has the same user lacks what
 * they hold, and sees their names. With these, nothing of the berth is used again. */
struct berth_use {
    bool net, ipc, all;
};

/* What is made ahead for the next run (slot.h). */
struct slot {
    bool asked; /* for; it may not be there yet */
    int at;     /* its place */
    pid_t pid;  /* 0: not heard of yet */
    int fd;     /* a pidfd */
    int line;   /* our end */

    /* That it waits in: of version 2, where who is made begins in its group. Else none. */
    struct cgroup group;
};

struct place;

struct berth {
    struct digest key; /* of what is built in it */
    unsigned age;      /* of the host's mounts, as kept.c counts */
    int line;
    int mounts; /* readable when one of its mounts has gone */
    pid_t pid;
    struct place *places; /* the memory that says what is to be run */
    int at;               /* the place of the run that is in it, or was */
    unsigned runs;        /* that were made the plain way */
    bool may_slot;        /* the run that is in it may have another made ahead */
    struct slot slot;
    unsigned taken;  /* slots, since kept.c has counted them */
    int patience_ms; /* how long a slot waits, and the berth twice as long */
    int left; /* the mounts of the last run, which are taken down when there is time; or -1 */
    struct berth_use used; /* by the runs since it was made, or made anew */
    struct berth *next;
};

/* What a berth for this jail would hold, made by the thread that calls. */
struct digest berth_key(const struct jail *jail);

/* NULL: it cannot be built here; nothing is left. */
struct berth *berth_open(const struct jail *jail, int patience_ms);
void berth_close(struct berth *berth);

/* In a process that was forked from its owner: lets go of it. */
void berth_abandon(struct berth *berth);

/* Whether the berth is still as it was built. */
bool berth_is_whole(const struct berth *berth);

/* Makes init of a run: its number and a pidfd. `into` is a group of version 2 that it begins in, or
 * -1. False: there is none, and the berth is of no more use. */
bool berth_start(struct berth *berth, const struct jail *jail, int into, pid_t *pid,
                 int *init) NODISCARD;

/* Has a slot made at that place, which its line leads to, in a group of version 2 or in none (-1),
 * and the mounts of the last run taken down; berth_has_slot() tells what was made, before anything
 * else is asked. */
bool berth_ask_slot(struct berth *berth, int at, int line, int into) NODISCARD;

/* Whether the slot that was asked for is there. */
bool berth_has_slot(struct berth *berth);

/* Ends the slot, if one was asked for, and removes its group. */
void berth_drop_slot(struct berth *berth);
