/* SPDX-License-Identifier: Apache-2.0 */
/* jail.h: everything the new process needs, decided and laid out before it is made.
 *
 * Between clone and exec nothing allocates: what is built there is a walk over these arrays.
 */
#pragma once

#include "contract/layers.h"
#include "sandbox/cgroup.h"
#include "sandbox/cow.h"
#include "sandbox/grants.h"
#include "sandbox/held.h"
#include "sandbox/program.h"
#include "sandbox/seccomp.h"

struct door;
struct hosts;

enum jail_mount_kind {
    MOUNT_TREE,      /* a part of the host's disk */
    MOUNT_MASK_DIR,  /* an empty directory nobody may enter, in place of a denied one */
    MOUNT_MASK_FILE, /* an empty file nobody may open, in place of a denied one */
};

struct jail_mount {
    enum jail_mount_kind kind;
    const char *from; /* on the host */
    const char *to;   /* below the new root, without a slash before it */
    bool writable;
    bool shown; /* `to` lies in a tree mounted before, and must not be made */
    bool is_link;
    bool owned;   /* owners are mapped: only for a privileged caller */
    bool covered; /* by a layer, which takes what is written */
    bool inner;   /* lies in a tree that is covered, and is a part of what is seen there */
    int tree;     /* opened already, or -1 */
    dev_t dev;    /* what was looked at when it was decided; anything else is refused */
    ino_t ino;
};

/* A file that is written into the new root. */
struct jail_file {
    const char *path, *text;
};

/* A layer over one of the mounts; open from when it was made until it is handed over. */
struct jail_cover {
    struct jail_mount *over;
    bool ours; /* it belongs to whom the command is */
    int upper, merged;
};

/* A name that is not there and must not come into being: something is put in its place. */
struct jail_barred {
    const char *dir, *name; /* below the new root, without a slash before it */
    const char *below;      /* the root of the layer */
    size_t cover;
};

/* A path the command may read, or write too. */
struct jail_rule {
    const char *path;
    bool writable;
    dev_t dev; /* what was looked at when it was decided; ino 0: that is not asked */
    ino_t ino;
};

/* What a command has open: its 0, 1 and 2, and perhaps a 3, on which it hands over a result. */
enum { STREAM_RESULT = 3, STREAM_COUNT };

struct jail {
    const char *path; /* of the program, inside */
    dev_t dev;        /* and the file it must be */
    ino_t ino;
    char *const *argv;
    char *const *env;
    const char *cwd;

    bool privileged; /* the caller has rights over the host that must be given up */
    uid_t uid;       /* inside */
    gid_t gid;
    uid_t outside; /* the number the host knows it by */
    gid_t outside_group;

    const char **dirs; /* to be made, in this order */
    size_t dir_count;
    struct jail_mount *mounts;
    size_t mount_count;
    struct jail_file *files;
    size_t file_count;
    const struct system_link *links;
    size_t link_count;
    struct jail_rule *rules; /* for Landlock */
    size_t rule_count;
    const char *scratch_size; /* "size=" of the private root */

    struct jail_cover covers[COW_MAX]; /* in write mode cow; else none */
    size_t cover_count;
    struct jail_barred *barred;
    size_t barred_count;

    unsigned layers;          /* to be built; what the caller does without is not among them */
    bool hosted;              /* in the host's namespaces: held by lists alone (process.h) */
    bool host_network;        /* no network of its own */
    const struct door *doors; /* to be opened in its network, and handed out */
    size_t door_count;
    bool asks;          /* the supervisor is asked: about filters, threads, sockets, files */
    int64_t file_bytes; /* largest file it may write */
    int64_t process_most, memory_most; /* by rlimits, where no group can hold them; 0: not */
    int cores;                         /* CPUs it may run on */
    int64_t most_ms;                   /* then init ends it, should nobody have; 0: never */

    struct cgroup cgroup;
    bool late_groups;    /* they are made while the root is built, and come over the line */
    bool into_group;     /* its init begins in one of version 2, which is made before */
    bool has_group;      /* .. and is there already: no slot is in it */
    struct place *place; /* of a run in a berth: the memory that this lies in */
    bool joins;          /* hosted: it enters its group of version 2 itself */
    bool in_berth;       /* a berth, or a run in one: made by no thread in particular */
    int owner;           /* there: a pidfd of whom it ends with; -1: none */
    struct seccomp_program seccomp;
    struct held held; /* time and chance */
    int chance;       /* where init is asked for what /dev/random reads; -1: nowhere */
    int sysctls;      /* of a berth: /proc/sys, for the networks it makes; else 0 or -1 */
    int watched;      /* where init is told that mounts are gone; -1: nowhere */

    int streams[STREAM_COUNT]; /* what become its 0, 1, 2 and 3; -1: it has no 3 */
    int line;                  /* to the supervisor: words one way, and an end when that one dies */
    int far_end;               /* the supervisor's end of it, to be closed in the new process */
};

enum own_use {
    OWN_ROOT,    /* a part of the root alone */
    OWN_WAY,     /* leads to one that is scratch */
    OWN_SCRATCH, /* may be written: it is on the root's own disk, and in a berth on one of the run's
                  */
};

/* The directories that every run has for itself, each after what it lies in. */
enum { OWN_DIRS = 8 };
extern const struct own_dir {
    const char *path;
    enum own_use use;
} own_dirs[OWN_DIRS];

struct jail_ask {
    const struct program *program;
    const struct grants *grants; /* settled */
    const char *cwd;
    uid_t owner; /* of the working directory */
    gid_t group;
    int64_t memory_mb, cpu_cores;
    bool allow_fork, count_threads, host_network;
    const struct hosts *hosts; /* that it reaches through doors; NULL: none */
    bool ask_use;              /* whether the network was used, or ipc, has to be known */
    const struct held *held;   /* NULL: time runs */
    unsigned layers;
    char *const *argv, *const *env;
};

/* Lays everything out; opens nothing. */
void jail_build(const struct jail_ask *ask, struct arena *a, struct jail *out);
