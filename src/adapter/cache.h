/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h: what is remembered of calls, below one directory, each value a file.
 *
 * The levels are the rows of `caches` (contract/repeat.h): adapter schemas 24 h, tool metadata 1 h,
 * results until the session ends. Golden outputs are the project's (golden.h) and not kept here.
 *
 *     adapter-schema/<key>    tool-metadata/<key>    execution-results/<session>/<key>
 *
 * A file is written beside its name and renamed: who reads finds the old value, the new one or
 * none. It begins with a line that says what it is, and has a digest over all of it. One that is
 * torn, changed, of another version, somebody else's, or that others may write is not there.
 */
#pragma once

#include "base/digest.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "contract/repeat.h"

/* How much is kept. Above it the oldest go; results are counted by session. Not every put looks at
 * all of it: for a while there may be a quarter more bytes. */
struct cache_size {
    const char *level;
    int64_t items, bytes, value_bytes; /* value_bytes: of one */
};

extern const struct cache_size cache_sizes[CACHE_GOLDEN];
extern const struct table cache_sizes_table;

/* Where the values of a level are, below the directory of the cache. The catalog keeps its lists of
 * adapters beside the schemas: they are listed and cleared with them. */
const char *cache_directory(const char *cache, enum cache level, struct arena *a);

struct cache_place {
    const char *directory; /* <state>/cache */
    const char *session;   /* results of others are not seen; NULL: there is none, and no results */
    int64_t now_ms;        /* wall */
    struct str about;      /* what is put, for who lists it: "ADP-001.search 1.0.0"; or no text */
};

/* The session of this process. WRIT_SESSION of the environment: that name. Its end cannot be seen,
 * so that a result of it ends 24 h after it was made. Else the kernel's session and when its leader
 * began: it ends when the leader does, and a number that is used again is another session.
 *
 * NULL where the leader cannot be seen: it has ended, there is no /proc, or it is outside of the
 * container (the number is 0 then). Nobody could tell when such a session ends, so it has no
 * results; WRIT_SESSION gives it a name. */
const char *cache_session(const char *const *environment, struct arena *a);

/* The key of something that texts say all about: an adapter's id, version and digest, say. What
 * changes in one of them is another key: that is how a version change makes a schema forgotten. */
struct digest cache_key(const struct str *texts, size_t n);

bool cache_get(const struct cache_place *p, enum cache level, const struct digest *key,
               struct arena *a, struct str *out);

/* Also removes what is over, what is too much, and some of the sessions that have ended. Where it
 * fails nothing is remembered; the call itself is none the worse. */
bool cache_put(const struct cache_place *p, enum cache level, const struct digest *key,
               struct str value, struct error *e) NODISCARD;

struct cache_item {
    enum cache level;
    char key[DIGEST_TEXT];
    int64_t bytes, made_ms, ends_ms; /* ends_ms 0: with its session */
    bool ended;                      /* or broken: nobody gets it any more */
    const char *about;               /* what was said of it when it was put; NULL: nothing */
};

struct cache_items {
    struct cache_item *v; /* by level, then the oldest first */
    size_t n;
};

/* Of all sessions. What is not there has no items. */
bool cache_list(const struct cache_place *p, struct arena *a, struct cache_items *out,
                struct error *e) NODISCARD;

/* level -1: all but golden outputs. *removed: how many. Of all sessions. Files that are no values
 * of a cache are left alone. */
bool cache_clear(const struct cache_place *p, int level, size_t *removed,
                 struct error *e) NODISCARD;

/* The level that a person names: a row of `caches`, with blanks or dashes; -1: none. */
int cache_level(struct str name);
