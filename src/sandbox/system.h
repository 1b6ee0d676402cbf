/* SPDX-License-Identifier: Apache-2.0 */
/* system.h: paths of the system that every command can read, so that it can start.
 *
 * Most of them are names in / and in /etc. While neither of the two has changed, nor what is
 * mounted, they are what they were: nobody can put another file under a name, or lead a link
 * elsewhere, without changing the directory that has the name.
 */
#pragma once

#include "base/table.h"
#include "sandbox/grants.h"

extern const struct table system_table;

enum { SYSTEM_LINKS = 8 };

/* A name at the top of the disk that is a link: /bin -> usr/bin. It is made anew. */
struct system_link {
    const char *name, *to;
};

struct system_links {
    struct system_link v[SYSTEM_LINKS];
    size_t n;
};

/* What was found by earlier runs. For several threads at once. */
struct system_known;

struct system_ask {
    bool network, raw;          /* the rows for these, too */
    struct system_known *known; /* NULL: nothing is */
    unsigned mounts;            /* the age of what is mounted, by which it holds */
    int64_t now_ms;             /* Unix time */
};

struct system_known *system_known_new(void);
void system_known_free(struct system_known *known); /* accepts NULL */

/* Does it lie in what every command can read? */
bool system_has(const char *path);

/* Is it the system's own, which is written only with an approval? Not what lies below /opt, /run
 * and /srv, nor sources in /usr/src and /usr/local/src, nor what lies in the caller's home, or is
 * the caller's who is not root. */
bool system_owns(const struct grant *found, const char *home, struct arena *a);

/* Grants it, as implied, and tells which names are links. */
void system_grant(const struct system_ask *ask, struct system_links *links, struct grants *g);
