/* SPDX-License-Identifier: Apache-2.0 */
/* protect.h: names in a writable directory that decide what runs later, outside of any sandbox.
 *
 * Hooks, configuration that names commands, editors' tasks: what is there is read-only for the
 * command; what is not there must not come into being.
 */
#pragma once

#include "base/table.h"
#include "contract/shape.h"
#include "sandbox/absents.h"

/* Who can have a name written all the same. */
enum protected_leave {
    LEAVE_NONE,   /* nobody */
    LEAVE_OPTION, /* a person, by --allow-protected */
    LEAVE_COMMIT, /* the same; in write mode cow it is written beside the disk, and `writ commit`
                   * wants it to be named */
    LEAVE_COUNT
};

struct protected_row {
    const char *name; /* below a writable directory; .git/ is every directory of git's state */
    const char *runs; /* what it makes run */
    bool hooks;       /* a directory of programs, which may be links, or have other names */
    int leave;        /* enum protected_leave */
};

extern const struct table protected_table;

/* The user's own directories in which names are protected, from wherever they can be written; NULL
 * behind them, and NULL where none is known. */
struct protected_places {
    const char *const *settings; /* as ~/.config */
    const char *const *caches;   /* as ~/.cache: what writ has built, and runs later, is in there */
};

/* Which rows: all, those that a layer of write mode cow does not have, or the others alone. */
enum protected_part { PROTECT_ALL, PROTECT_ALWAYS, PROTECT_COMMIT };

struct protect_ask {
    enum protected_part part;
    struct protected_places places;
    struct items allowed; /* of struct str: names that are not protected */
};

/* Protects the names in every writable directory of the list, and in those places, if any
 * are given. The absent ones go to `absent`, and for PROTECT_ALL what would make such a directory a
 * repository of git's. False: one that is there cannot be looked at for want of something. */
bool protect(struct grants *g, const struct protect_ask *ask, struct absents *absent,
             struct error *e) NODISCARD;

/* Are they names that may be written if a person says so? No document can say so: it comes with the
 * repository whose names they are. */
bool protected_may_allow(const struct items *names, bool person, struct error *e) NODISCARD;

/* What is protected by the list, and a path is, or lies in; NULL where it does not. */
const char *protected_around(const struct grants *g, const char *path);

/* The protected name that a path is, or lies in, by what it is called; NULL where it is none, or
 * one of `allowed`. */
const char *protected_name(const char *path, const struct items *allowed, struct arena *a);

/* The name of the row that a path is or lies in at the top of a writable directory, if a person may
 * have it written; else NULL. */
const char *protected_allowable(const struct grants *g, const char *path);

/* Is it, or does it lie in, a protected name of git's state? "config", "hooks/pre-commit": below
 * the directory of that state. */
bool protected_state_name(const char *below);
