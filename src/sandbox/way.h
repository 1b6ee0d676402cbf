/* SPDX-License-Identifier: Apache-2.0 */
/* way.h: the links on the way of a path.
 *
 * A link in a place that commands write is a word of theirs: whoever grants or denies a path must
 * know by which links it was found.
 */
#pragma once

#include "sandbox/grants.h"

struct way_link {
    const char *path; /* its directory real, and its own name */
    const char *rest; /* what follows it on the way; "" where it is the last name */
    dev_t dev;
    ino_t ino;
};

struct way {
    struct way_link *v; /* in the order in which they are met */
    size_t n, room;
    const char *
        *left; /* directories that `..` led out of: a link in such a place leads elsewhere */
    size_t left_count, left_room;
    const char *end; /* its real name, there or not; NULL where links lead round and round, or to a
                      * name that is too long to be */
    bool cut;        /* `..` follows a name that is not there, or too much: the end is that name */
    const char *hidden; /* a directory on it that cannot be looked into; NULL: none */
    bool there;         /* every name on it is there, and may be looked at */
    dev_t dev;          /* of what it ends at, where that is there */
    ino_t ino;
};

/* Does a path have no link on its way? `real` is what it was found to be. Where it is not written
 * plainly the answer is no, and way_find() knows. Asks the kernel nothing. */
bool way_is_straight(const char *base, const char *path, const char *real);

/* Goes along a path, name by name, as the kernel does; one that is relative starts at `base`. It
 * ends where a name is not there, or where the kernel follows no further link. False: a name cannot
 * be looked at for want of something. */
bool way_find(const char *base, const char *path, struct arena *a, struct way *out,
              struct error *e) NODISCARD;

/* A path that somebody asked for, and where it was found. */
struct way_ask {
    const char *base, *given;
    const struct grant *found;
    const char *const *dirs; /* real: in which commands may have put links before */
    size_t n;
};

/* False: a link in one of these directories leads out of it, by which a command would choose what
 * the next one is granted. Links that lie elsewhere are the business of whoever put them there. */
bool way_stays(const struct way_ask *ask, struct arena *a, struct error *e) NODISCARD;
