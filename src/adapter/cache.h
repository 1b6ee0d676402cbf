/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h: what is remembered of calls, below one directory: level/key, each a file.
 *
 * The levels are the rows of `caches` (contract/repeat.h): adapter schemas 24 h, tool metadata 1 h,
 * results until the session ends. Golden outputs are the project's (golden.h). A file that is torn
 * or of another version is not there.
 */
#pragma once

#include "base/digest.h"
#include "contract/repeat.h"

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"

struct cache_place {
    const char *directory; /* <state>/cache */
    const char *session; /* names the session: results of others are not seen, and are removed when
                            their session has ended */
    int64_t now_ms;      /* wall */
};

/* The session of this process: WRIT_SESSION of the environment, else the kernel's session and when
 * it began, so that it ends when its leader does. */
const char *cache_session(const char *const *environment, struct arena *a);

bool cache_get(const struct cache_place *p, enum cache level, const struct digest *key,
               struct arena *a, struct str *out);
bool cache_put(const struct cache_place *p, enum cache level, const struct digest *key,
               struct str value, struct error *e) NODISCARD;

struct cache_item {
    enum cache level;
    char key[DIGEST_TEXT];
    int64_t bytes, made_ms, ends_ms; /* ends_ms 0: with its session */
    bool ended;
};

struct cache_items {
    struct cache_item *v;
    size_t n;
};

bool cache_list(const struct cache_place *p, struct arena *a, struct cache_items *out,
                struct error *e) NODISCARD;

/* level -1: all but golden outputs. *removed: how many. */
bool cache_clear(const struct cache_place *p, int level, size_t *removed,
                 struct error *e) NODISCARD;
