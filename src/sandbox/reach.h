/* SPDX-License-Identifier: Apache-2.0 */
/* reach.h: a filesystem level and the caller's lists, turned into grants. */
#pragma once

#include "contract/request_doc.h"
#include "sandbox/denied.h"
#include "sandbox/kept.h"
#include "sandbox/protect.h"
#include "sandbox/repository.h"
#include "sandbox/submounts.h"

struct reach_ask {
    const struct request_filesystem *filesystem;
    const char *cwd;           /* as given; "." where nothing was said */
    const char *home;          /* the caller's, where dependencies are kept; NULL: unknown */
    const char *caller;        /* the directory that relative paths of the lists start from */
    const char *const *states; /* where writ keeps what it knows, and where others of its runs may
                                * keep it; NULL is the end */
    struct protected_places places;
    struct kept *kept; /* what is known of the host's mounts; NULL: nothing is */
    bool person;       /* a person asks; a document may not reach out of the repository */
    bool approved;
    struct items inputs, outputs; /* of struct str: files that must lie within reach */
    struct items secrets; /* of struct str: files that it never sees, granted or not; what is
                           * relative starts from the working directory */
};

struct reach {
    const char *cwd;
    dev_t dev; /* of the working directory, as it was when it was decided about */
    ino_t ino;
    uid_t owner; /* of the working directory */
    gid_t group;
    struct repository repository;
    const char *protected_in; /* the protected name that the working directory is or lies in; NULL:
                               * none. There it is not written. */
    bool systems;             /* the working directory is the system's own: it is not written */
    const char *home_root;    /* the top of the repository the caller is in */
    struct grants grants;     /* not settled: the runtime is still to come */
    struct absents absent;
    struct aliases aliases;  /* of what is denied */
    struct submounts mounts; /* the host's */
    const char *told; /* IV-03: "ok", or what came out otherwise than somebody may have meant it */
};

/* False: IV-03 refuses; *e says which path and why. */
bool reach_build(const struct reach_ask *ask, struct arena *a, struct reach *out,
                 struct error *e) NODISCARD;

/* What holds, and may not be what was meant: a name that is misspelt, git without its repository;
 * "ok" where there is nothing of that. */
const char *reach_tell(const struct reach *r);

/* After grants_settle(): do the input and output files lie within reach? */
bool reach_covers(const struct reach_ask *ask, const struct reach *r, struct arena *a,
                  struct error *e) NODISCARD;
