/* SPDX-License-Identifier: Apache-2.0 */
/* repository.h: the git repository a directory belongs to, found as git finds it. */
#pragma once

#include "sandbox/grants.h"

struct repository {
    const char *root;   /* the top of the working tree; the directory itself where there is none */
    const char *gitdir; /* where a linked working tree keeps its state; NULL for an ordinary one */
    const char *common; /* and what it shares with the others */
};

/* Climbs from a real directory; stops at the border of its file system, as git does. */
void repository_find(const char *dir, struct arena *a, struct repository *out);

/* A linked working tree needs parts of the repository it came from to make commits: grants those,
 * and protects its hooks and configuration. */
void repository_grant(const struct repository *r, struct grants *g);
