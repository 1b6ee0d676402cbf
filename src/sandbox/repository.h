/* SPDX-License-Identifier: Apache-2.0 */
/* repository.h: the git repository a directory belongs to, found as git finds it. */
#pragma once

#include "sandbox/grants.h"

struct repository {
    const char *root;   /* the top of the working tree; the directory itself where there is none */
    const char *gitdir; /* where a linked working tree keeps its state; NULL for an ordinary one */
    const char *common; /* and what it shares with the others */
};

struct repository_ask {
    const char *dir;     /* real */
    const char *home;    /* the caller's, or NULL */
    uid_t caller, owner; /* whose word is taken: the caller's, and that of the owner of `dir` */
};

/* Climbs from a directory; stops at the border of its file system, as git does. What belongs to
 * somebody else says nothing: else anybody could widen what is granted from a directory above. */
void repository_find(const struct repository_ask *ask, struct arena *a, struct repository *out);

/* A linked working tree needs parts of the repository it came from to make commits: grants those,
 * and protects its hooks and configuration. */
void repository_grant(const struct repository *r, struct grants *g);
