/* SPDX-License-Identifier: Apache-2.0 */
/* repository.h: the git repository a directory belongs to, found as git finds it, or nearer. */
#pragma once

#include "sandbox/grants.h"

struct repository {
    const char *root; /* the top of the working tree; the directory itself where there is none */
    const char
        *gitdir; /* where git keeps its state, if that is outside and names this tree; or NULL */
    const char *common; /* of a linked working tree: what it shares with the others */
    const char *untied; /* where .git leads to, outside, and nothing there names this tree */
};

struct repository_ask {
    const char *dir;     /* real */
    const char *home;    /* the caller's, or NULL */
    uid_t caller, owner; /* whose word is taken: the caller's, and that of the owner of `dir` */
};

/* Climbs from a directory; stops at the border of its file system, as git does, and at the first
 * .git, also one in which git finds nothing. What belongs to somebody else says nothing: else
 * anybody could widen what is granted from a directory above. */
void repository_find(const struct repository_ask *ask, struct arena *a, struct repository *out);

/* Grants what git needs of a repository that lies outside of its working tree: all that is there to
 * be read, and to be written but for what belongs to other linked working trees. False: nobody can
 * say what is there. */
bool repository_grant(const struct repository *r, bool writes, struct grants *g,
                      struct error *e) NODISCARD;
