/* SPDX-License-Identifier: Apache-2.0 */
/* protect.h: names in a writable directory that decide what runs later, outside of any sandbox.
 *
 * Hooks, configuration that names commands, editors' tasks: what is there is read-only for the
 * command; what is not there must not come into being.
 */
#pragma once

#include "base/table.h"
#include "sandbox/grants.h"

struct protected_row {
    const char *name; /* below a writable directory; .git/ is every directory of git's state */
    const char *runs; /* what it makes run */
};

extern const struct table protected_table;

/* A name that was not there when the run began. */
struct absent {
    const char *path;
    bool denied;     /* by the caller; else protected */
    bool links_only; /* as a directory it may come into being, as a file or a link not */
    bool led;        /* a link that leads nowhere stands on the way, and is held there */
};

struct absents {
    struct absent *v;
    size_t n, room;
    struct arena *a;
};

/* Protects the names in every writable directory of the list; the absent ones go to `absent`.
 * False: one that is there cannot be looked at for want of something. */
bool protect(struct grants *g, struct absents *absent, struct error *e) NODISCARD;

/* The protected name that a path is, or lies in, by what it is called; NULL where it is none. */
const char *protected_name(const char *path, struct arena *a);

void absents_add(struct absents *list, struct absent absent);

/* Pins the directories on the way to absent names, as far as they are there. */
bool absents_pin(const struct absents *list, struct grants *g, struct error *e) NODISCARD;
