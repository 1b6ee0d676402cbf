/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h: what the files of the cache hand on to each other. */
#pragma once

#include <stddef.h>
#include <sys/stat.h>

#include "adapter/cache.h"
#include "base/buf.h"

enum {
    CACHE_KEY = 64,        /* characters of a key as the name of a file */
    CACHE_ABOUT = 200,     /* bytes that say what a value is, for people */
    CACHE_HEAD = 512,      /* the first line is shorter */
    SESSION_NAME = 128,    /* of its directory, with the NUL */
    DAY_MS = 86400 * 1000, /* a session without a visible end is over after that */
};

extern const char *const cache_names[CACHE_GOLDEN]; /* of the directories */

/* ---- the file of a value (cache/file.c) ---- */

struct cache_head {
    int64_t made_ms, ends_ms, bytes;
    size_t length;    /* of the line, with its end */
    struct str about; /* in the text that was read; no text: nothing is said */
};

/* The line before a value, and a digest over both. */
void cache_head_write(enum cache level, const char *key, const struct cache_head *head,
                      struct str value, struct buf *to);

/* Reads the line at the beginning of the text. False: it is no value of that level and key. */
bool cache_head_read(struct str text, enum cache level, const char *key, struct cache_head *out);

/* Is the digest that of the line and of what follows it? */
bool cache_head_fits(struct str text, const struct cache_head *head);

/* May it be got now? */
bool cache_head_holds(const struct cache_head *head, int64_t now_ms);

/* A file that only we can have written. */
bool cache_file_ours(const struct stat *s);

/* Is this a key as the name of a file? */
bool cache_is_key(const char *name);
bool cache_is_new(const char *name); /* of one that is being written */

/* A list of adapters (catalog.h): it lies among their schemas, in a form of its own. */
bool cache_is_index(struct str text);

/* ---- sessions (cache/session.c) ---- */

/* The directory of a session, below that of results. */
void session_directory(const char *session, char out[SESSION_NAME]);

/* Is its end one that can be seen? */
bool session_is_seen(const char *directory);

/* Is this the name of such a directory? */
bool session_is_one(const char *directory);

/* What tells whether sessions have ended; none of it changes while we run. */
struct session_eye {
    char here[17]; /* this boot and this space of process numbers; "": cannot be told */
    int64_t now_ms;
};

void session_look(struct session_eye *eye, int64_t now_ms);
bool session_ended(const struct session_eye *eye, const char *directory, const struct stat *s);

/* ---- what is there, and what goes (cache/sweep.c) ---- */

struct cache_entry {
    const char *name;
    struct stat s;
};

struct cache_entries {
    struct cache_entry *v;
    size_t n;
};

/* What is in a directory: files, or directories; names that begin with a dot as well. One that
 * cannot be read has nothing; errno tells why, 0 where it could. */
struct cache_entries cache_entries(const char *directory, bool directories, struct arena *a);

struct cache_put {
    const char *key; /* its digits */
    int64_t bytes;
};

/* Of one directory, into which this was put: what is over, and of what is too much the oldest. */
void cache_sweep(const char *directory, enum cache level, const struct cache_put *put,
                 int64_t now_ms);

/* Sessions that have ended, as many as a put has time for. */
void cache_sweep_sessions(const char *directory, int64_t now_ms);
