/* SPDX-License-Identifier: Apache-2.0 */
/* protect.h: names in a writable directory that decide what runs later, outside of any sandbox.
 *
 * Hooks, configuration that names commands, editors' tasks: what is there is read-only for the
 * command; what is not there must not come into being.
 */
#pragma once

#include "base/table.h"
#include "sandbox/absents.h"

struct protected_row {
    const char *name; /* below a writable directory; .git/ is every directory of git's state */
    const char *runs; /* what it makes run */
    bool hooks;       /* a directory of programs, which may be links, or have other names */
};

extern const struct table protected_table;

/* The user's own directories in which names are protected, from wherever they can be written; NULL
 * behind them, and NULL where none is known. */
struct protected_places {
    const char *const *settings; /* as ~/.config */
    const char *const *caches;   /* as ~/.cache: what writ has built, and runs later, is in there */
};

/* Protects the names in every writable directory of the list, and in those places, if any
 * are given. The absent ones go to `absent`. False: one that is there cannot be looked at for want
 * of something. */
bool protect(struct grants *g, const struct protected_places *places, struct absents *absent,
             struct error *e) NODISCARD;

/* What is protected by the list, and a path is, or lies in; NULL where it does not. */
const char *protected_around(const struct grants *g, const char *path);

/* The protected name that a path is, or lies in, by what it is called; NULL where it is none. */
const char *protected_name(const char *path, struct arena *a);

/* Is it, or does it lie in, a protected name of git's state? "config", "hooks/pre-commit": below
 * the directory of that state. */
bool protected_state_name(const char *below);
