/* SPDX-License-Identifier: Apache-2.0 */
/* denied.h: what is denied stays denied under another name.
 *
 * A mask covers a name. A run that may write around it can rename a directory above it, and the
 * next run would find the secret under the new name; and a file may have several names from the
 * start. So it is remembered which files a denied name has meant, and where one of them is not in
 * its place, or has other names, it is looked for in all that is granted and masked there too.
 *
 * A link on the way to it is such a name, too: it stays as it is while the command runs, and what
 * it has led to is remembered.
 */
#pragma once

#include "sandbox/protect.h"

/* What is denied, as it is called by way of a link. */
struct alias {
    const char *name; /* from the link on as it was given */
    const char *path; /* the entry, of something that is there or is not */
};

struct aliases {
    struct alias *v;
    size_t n, room;
};

/* Denies a directory of writ's own, and holds the links that it is found by; one that is not there
 * is passed over. */
bool denied_hide(struct grants *g, const char *base, const char *given, struct error *e) NODISCARD;

/* Adds an entry for each link on the way to what is denied that the command could put another in
 * the place of, and its aliases. `path` is the given one with its directories real. */
bool denied_hold_links(struct grants *g, const char *base, const char *given, const char *path,
                       struct aliases *out, struct error *e) NODISCARD;

/* Adds entries for the other names. `state` is the directory where it is remembered; NULL where
 * there is none. False: it cannot be remembered although it has to be. */
bool denied_follow(struct grants *g, const struct absents *absent, const struct aliases *aliases,
                   const char *state, struct error *e) NODISCARD;
