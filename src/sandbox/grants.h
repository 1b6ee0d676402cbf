/* SPDX-License-Identifier: Apache-2.0 */
/* grants.h: which paths of the host a command sees, and what it may do with them.
 *
 * One list, sorted so that a directory comes before what lies in it. The deepest entry that holds a
 * path decides about it, except that a denied one decides about everything below it.
 */
#pragma once

#include <limits.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/mem.h"

/* In rising order: of two entries for the same path the higher one holds. */
enum access {
    ACCESS_READ,
    ACCESS_WRITE,
    ACCESS_PROTECTED, /* may be read, and not written although what is around it may */
    ACCESS_DENIED,
};

enum grant_reason {
    GRANT_UNSAID,
    GRANT_ASKED,
    GRANT_CWD,
    GRANT_DENIED,
    GRANT_DENIED_ELSEWHERE, /* under another name */
    GRANT_DEPENDENCIES,
    GRANT_GIT,
    GRANT_GIT_LINKED, /* of a linked working tree */
    GRANT_KERNEL,
    GRANT_LEADS_TO_DENIED,
    GRANT_OUTPUT,
    GRANT_PIN,
    GRANT_PROTECTED,
    GRANT_REPOSITORY,
    GRANT_RUNTIME,
    GRANT_SECRET,
    GRANT_STATE, /* writ's own */
    GRANT_SYSTEM,
};

struct grant {
    const char *path; /* absolute and real: no link, no `..` */
    enum access access;
    enum grant_reason why;
    bool implied; /* needed to start at all: gives way to every other entry */
    bool pinned;  /* mounted on itself, so that it cannot be renamed */
    bool is_dir;
    bool is_link;        /* the name of a link that is itself denied */
    const char *instead; /* the file that is mounted in its place, whose are dev and ino; or NULL */
    dev_t dev;
    ino_t ino;
    uid_t owner;
    gid_t group;
    nlink_t links;
};

struct grants {
    struct grant *v;
    size_t n, room;
    struct arena *a;
};

extern const char *const access_names[], *const grant_reasons[];

/* Looks a path up, following links, and tells what it really is. The path given may be relative to
 * `base`. False: it cannot be opened, or it lies where nothing is ever granted (/proc, /sys, /dev);
 * e->sys is ENOENT where it is not there. */
bool grant_find(const char *base, const char *path, struct arena *a, struct grant *out,
                struct error *e) NODISCARD;

/* Does an error of that, and of what is below, mean that there is nothing, or nothing that anybody
 * of us gets to? After any other, as that no descriptor is left, nobody knows what is there: a mask
 * that is not laid for such a reason is no mask. */
bool grant_is_missing(const struct error *e);

void grants_add(struct grants *g, const struct grant *grant);

/* Finds and adds. */
bool grants_open(struct grants *g, struct grant like, const char *base, const char *path,
                 struct error *e) NODISCARD;

/* As that, of a path that was real when it was found: one that leads elsewhere by now, by a link in
 * it, is refused. For what nobody asked for by name: a link must not choose what is granted. */
bool grants_open_itself(struct grants *g, struct grant like, const char *path,
                        struct error *e) NODISCARD;

/* Sorts, and drops what other entries make needless. */
void grants_settle(struct grants *g);

/* Pins the directories between a writable one and what is denied or protected in it: who could
 * rename one of them could put another in its place. */
bool grants_pin(struct grants *g, struct error *e) NODISCARD;

/* As that for one path. `there`: the entry that it lies in is pinned, too; else, as for a name that
 * is not there, only where that has to stay anyhow, or there are directories between. */
bool grants_pin_way(struct grants *g, const char *path, bool there, struct error *e) NODISCARD;

/* The entry that decides about a path, or NULL where none does. */
const struct grant *grants_decide(const struct grants *g, const char *path);

/* Does an entry show a path, whatever others say about it? The list need not be settled. */
bool grants_show(const struct grants *g, const char *path);

/* The name the kernel knows an open file by; false: it has none. */
bool path_of_open(int fd, char out[PATH_MAX]) NODISCARD;

/* Does `path` lie in `dir`, or is it that? */
bool path_is_in(const char *path, const char *dir);
