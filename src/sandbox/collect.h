/* SPDX-License-Identifier: Apache-2.0 */
/* collect.h: the files a run was asked to leave, by size, never through links.
 *
 * Called when every process of the run is dead, so that nothing moves while it is read. A path is
 * opened once (openat2: beneath its root, no symbolic link, no magic link, no other mount, not
 * waiting for anything), looked at, hashed and copied from that one descriptor.
 */
#pragma once

#include "base/digest.h"
#include "base/error.h"
#include "base/mem.h"

struct grants;

enum collect_state {
    COLLECT_DONE,        /* "collected" */
    COLLECT_MISSING,     /* "missing": there is no such file */
    COLLECT_SYMLINK,     /* "symlink_refused": it, or a directory on the way, is a symbolic link */
    COLLECT_NOT_REGULAR, /* "not_regular": a directory, a device, a FIFO, a socket */
    COLLECT_LINKED,      /* "linked": it has other names, which may lie outside */
    COLLECT_OUTSIDE,     /* "outside": not below the root, or on another mount */
    COLLECT_TOO_LARGE,   /* "too_large": more than what is left of the ceiling */
    COLLECT_UNREADABLE,  /* "unreadable": it is there, and cannot be opened or read */
    COLLECT_WITHHELD,    /* "withheld": it holds what must not be kept */
    COLLECT_NOT_KEPT,    /* "not_kept": the store could not take it; not said of a file by itself */
    COLLECT_STATES,
};

extern const char *const collect_state_names[];

struct collected {
    struct str path; /* below the root, as found: any bytes but NUL */
    enum collect_state state;
    int64_t bytes;        /* of the file; 0 where it was not opened or is not regular */
    struct digest digest; /* of its content, when collected */
};

struct collected_list {
    struct collected *v;
    size_t n, room;
};

/* What a walk takes where the job does not say. */
enum {
    COLLECT_ENTRIES = 1 << 22, /* names read from directories, for all patterns of a job */
    COLLECT_NAMES = 1 << 16,   /* names of one directory that are held; the first in order */
    COLLECT_DEPTH = 256,       /* directories below one another */
};

struct collect_job {
    int root;         /* the directory all paths are below */
    int store;        /* a directory that gets each content as sha256/ab/cdef..; -1: hash only */
    bool linked;      /* files with several names are taken too: every name is the run's own */
    int64_t ceiling;  /* bytes of all files together */
    size_t count_max; /* entries that patterns may bring the list to */
    size_t entry_max, name_max, depth_max; /* 0: as above */

    /* What the command was denied is "unreadable" here, too, and so is all in it: it was masked,
     * and who collects sees what is below the mask. NULL: nothing was. */
    const struct grants *grants;
    const char *at; /* the root on the host, as grants name it */

    /* Is asked of each content before any of it is kept; true: it is withheld. NULL: nothing is. */
    bool (*withholds)(void *self, struct str content);
    void *self;

    bool truncated; /* out: something was left out, for its size or by a ceiling */
    int64_t total;  /* out: bytes collected so far */
    size_t entries; /* out: names read so far */
};

/* Both add to the list in the arena, and are false only where writ could not do its work: the store
 * cannot be written (it is full or read-only), or the system is out of descriptors. What was listed
 * before stays. A content is whole under its name or is not there; one that is there already is
 * left. The caller syncs the store when it wants it to outlive a loss of power. */

/* One exact path, relative to the root. Adds one entry, whatever is found. */
bool collect_file(struct collect_job *job, struct str path, struct arena *a,
                  struct collected_list *out, struct error *e) NODISCARD;

/* Every file that a pattern names, in bytewise order of the paths: `*` and `?` stand for bytes
 * within one name, a leading dot included; a part `**` for any number of directories, and at the
 * end for everything below. Nothing else is special. Directories are gone through, not listed,
 * unless they cannot be read. What the list has already is not added again. A pattern without a
 * match gives one entry with the pattern as its path; one with more than 63 parts has no match. */
bool collect_glob(struct collect_job *job, struct str pattern, struct arena *a,
                  struct collected_list *out, struct error *e) NODISCARD;

/* Bytes that are no file yet; *digest is theirs. */
bool collect_bytes(int store, struct str bytes, struct digest *digest, struct error *e) NODISCARD;

/* What is kept under that digest, to be read; -1 and errno: it is not there. */
int collect_kept(int store, const struct digest *digest);

/* For the walk: a descriptor below the root or -1 and errno; whether the command was denied what is
 * at a path; what errno means, COLLECT_STATES where
 * it is about writ and not about the file; one more entry, whose path lives in the arena. */
int collect_open(int root, const char *path, int flags);
bool collect_is_denied(const struct collect_job *job, const char *path);
enum collect_state collect_refusal(int sys);
void collect_add(struct collected_list *out, struct arena *a, struct collected entry);
