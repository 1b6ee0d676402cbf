/* SPDX-License-Identifier: Apache-2.0 */
/* guard.h: how one protected name is held in its place, whatever it is and wherever it leads. */
#pragma once

#include "sandbox/absents.h"

/* What is protected goes to `g`; what is not there, to `absent`. */
struct guard {
    struct grants *g;
    struct absents *absent;
    struct error *e;
    bool failed;   /* e says why */
    bool made_up;  /* commands may have made what is looked at: its files' other names are theirs */
    size_t walked; /* links and directories that ways have led through */
    struct {
        const char *asked, *real;
        bool missing;
    } around; /* the directory before the last name that had one: several names may have the same */
};

/* The last call found nothing of that name. Any other errno means that nobody can know. */
bool guard_is_missing(void);

/* Why a name cannot be held: nothing is run then. What is merely missing is passed over. */
void guard_note(struct guard *w, const struct error *e);

/* `name` in the directory `dir`, which is real; the name may have one directory before it. Where it
 * is a link, the links on the way stay, and what they lead to is protected, there or not. */
void guard_name(struct guard *w, const char *dir, const char *name);

/* As that for a directory of hooks: what links in it lead to is protected, too, and its files that
 * have other names are entries of their own. */
void guard_hooks(struct guard *w, const char *dir, const char *name);

/* What cannot be looked into may hold anything, and the command may let itself in: it stays as it
 * is, altogether. */
void guard_whole(struct guard *w, const char *dir);

/* The real name of what an absolute path leads to, there or not; every link on the way stays. NULL:
 * there is none, and what can be done about that is done. */
const char *guard_lead(struct guard *w, const char *path);

/* A link, whose directory is real, stays; nobody asks where it leads to. */
void guard_link(struct guard *w, const char *path, const struct stat *s);
