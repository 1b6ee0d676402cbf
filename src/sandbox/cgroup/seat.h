/* SPDX-License-Identifier: Apache-2.0 */
/* seat.h: which groups this process sits in, and where their directories are. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/str.h"
#include "sandbox/cgroup/types.h"

/* The controllers writ sets limits by; a set of them is an unsigned with bit `1 << controller`. */
enum controller { CONTROLLER_MEMORY, CONTROLLER_PIDS, CONTROLLER_CPU, CONTROLLERS };

/* This one only counts processor time (cpuacct). Version 2 counts it with CONTROLLER_CPU; version 1
 * may have it in a hierarchy of its own. A run does without it where no group can be had there. */
enum { CONTROLLER_TIME = CONTROLLERS, CONTROLLER_NAMES };

enum { CONTROLLERS_ALL = (1 << CONTROLLERS) - 1 };

extern const char *const controller_names[CONTROLLER_NAMES];

/* The bits of those that a list names; the names are parted by one of `between`. */
unsigned controllers_in(struct str list, const char *between);

/* The set as text, for messages: "memory, cpu". */
enum { CONTROLLERS_TEXT = 32 };
void controllers_text(unsigned set, char text[CONTROLLERS_TEXT]);

/* The group this process is in, in one hierarchy. */
struct cgroup_seat {
    bool v2;
    bool near;            /* version 2: of the groups around it, none will do */
    unsigned controllers; /* those writ takes from this hierarchy */
    struct str group;     /* as /proc/self/cgroup names it; lies in struct cgroup_seats */
    int fd;               /* O_PATH; -1: no mount shows it to this process, or it was not opened */
    int sys;              /* why it was not, where that says nothing about mounts; else 0 */
    size_t levels;        /* how far up from it the mount's root is */
    char dir[PATH_MAX];   /* its path, for messages */
};

enum { SEATS_TEXT = 16 * 1024 };

struct cgroup_seats {
    int count;
    unsigned missing; /* controllers that no hierarchy has */
    struct cgroup_seat seats[CGROUP_DIRS];
    char text[SEATS_TEXT];
};

/* Finds the seat of every controller, each hierarchy once, in the kernel's order: version 2 last.
 */
bool cgroup_seats_find(struct cgroup_seats *out, struct error *e) NODISCARD;

/* The same, where this process is still in the groups that `known` was found for: the mounts are
 * not looked through again. False: it is not, or a descriptor cannot be had. */
bool cgroup_seats_again(const struct cgroup_seats *known, struct cgroup_seats *out) NODISCARD;

/* True if it is one that can be reached. */
bool cgroup_seat_seen(const struct cgroup_seat *seat, struct error *e) NODISCARD;

/* Closes all descriptors that are left. */
void cgroup_seats_free(struct cgroup_seats *s);

#define _seats_ _cleanup_(cgroup_seats_free)
