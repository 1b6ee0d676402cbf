/* SPDX-License-Identifier: Apache-2.0 */
/* box.h: a sandbox made of chosen parts, to find out what each of them costs.
 *
 * It confines nobody: no path is checked and no secret is kept. It makes the same system calls, in
 * the same order, as a sandbox has to, and leaves out what a row does not ask for.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

enum box_birth {
    BIRTH_VFORK,  /* CLONE_VM | CLONE_VFORK: nothing is copied, the parent waits for the exec */
    BIRTH_BESIDE, /* CLONE_VM: nothing is copied, the parent goes on meanwhile */
    BIRTH_FORK,   /* a copy of the address space, as fork does */
};

enum box_root {
    ROOT_SAME,
    ROOT_NEW, /* tmpfs, filled and pivoted to, by the new mount calls */
    ROOT_OLD, /* the same by mount(2) */
};

enum box_net {
    NET_CLONE,    /* by the clone itself, if its namespaces have it */
    NET_UNSHARE,  /* by unshare in the child, after the clone */
    NET_PARALLEL, /* by unshare in the child, while a helper fills the new root */
    NET_COMMAND,  /* by unshare in the command's process, while its parent fills the new root */
    NET_KEPT,     /* one that is kept: the parent goes there for the clone (only root can) */
    NET_NONE,     /* that of the caller, whatever its namespaces have */
};

enum box_groups {
    GROUPS_NONE,
    GROUPS_MADE,    /* version 1: three directories with limits, entered by nobody */
    GROUPS_TASKS,   /* the child enters each by its `tasks` */
    GROUPS_LATE,    /* the parent makes them while the child fills its root, which then enters */
    GROUPS_UNIFIED, /* version 2, without limits: CLONE_INTO_CGROUP */
};

struct box {
    const char *name;
    int namespaces; /* CLONE_NEW* */
    enum box_birth birth;
    enum box_root root;
    int binds;   /* into the new root; at most BOX_BINDS */
    int tmpfs;   /* fresh ones in it; at most BOX_TMPFS */
    bool proc;   /* mounted in it */
    bool subset; /* proc with hidepid=invisible,subset=pid */
    enum box_net net;
    enum box_groups groups;
    bool landlock;   /* six paths, ports, scopes */
    bool filter;     /* seccomp, see filter.h */
    bool filter_one; /* seccomp with a single instruction, for the price of any filter at all */
    bool powerless;  /* bounding set and capabilities emptied, rlimits set */
    bool init;       /* the command is a child of the first process */
    bool moved;      /* the new root is moved upon the old one, which stays below, not pivoted */
    bool early;      /* it is started before the root is filled, and locks itself up meanwhile */
    bool lean;    /* one tmpfs in place of several, one call in place of 41 for the bounding set */
    bool capture; /* two pipes that are read to their ends */
    const char *program; /* NULL: /bin/true */
};

enum { BOX_BINDS = 10, BOX_TMPFS = 3 };

/* The parts of a whole sandbox, as in `.part = BOX_..`. */
#define BOX_NAMESPACES                                                                         \
    (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | \
     CLONE_NEWCGROUP)
#define BOX_FILES .root = ROOT_NEW, .binds = BOX_BINDS, .tmpfs = 2, .proc = true, .subset = true
#define BOX_LOCKS .landlock = true, .filter = true, .powerless = true

/* What boxes need: the directory they work in, which has a .git/hooks and a .git/config; beside it
 * an empty one, WORK.root, is made. */
void box_prepare(const char *work);

/* The network namespace of NET_KEPT: made here, or one that another process has made. Its
 * descriptor. Only root may. */
int box_keep_net(void);
void box_use_net(int net);

/* Whether this caller can have that box here. */
bool box_possible(const struct box *b);

/* Starts it, waits for its end and takes it down. The status as waitpid() has it; a box that could
 * not be built says why on standard error and ends with 99. */
int box_run(const struct box *b);

/* Removes WORK.root. */
void box_forget(void);
