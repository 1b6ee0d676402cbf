/* SPDX-License-Identifier: Apache-2.0 */
/* repeatable.h: would the same call come to the same again? Only then is its result remembered.
 *
 * A01-13: all six rows of `determinism` (contract/repeat.h) must hold for the run. Pure: who asks
 * brings the facts. Before a run they say whether to look for a result, and under which key; after
 * it, with what was found out meanwhile, whether to remember it. Only a call that came to what it
 * should is remembered; that is the caller's to see.
 */
#pragma once

#include "base/digest.h"
#include "base/doc.h"
#include "contract/levels.h"
#include "contract/repeat.h"

/* What the command could read or write of the disk, besides the system's own paths. */
enum place_kind {
    PLACE_FILE,
    PLACE_EMPTY, /* a directory that has nothing in it */
    PLACE_TREE,  /* any other directory */
};

struct repeat_place {
    const char *path;
    enum place_kind kind;
    const struct digest *digest; /* of a file, the same before and after the run; NULL: not known */
    bool runtime;                /* the program's installation, not data */
    bool written;                /* it may be written */
};

struct repeat_facts {
    /* What was called. */
    struct str adapter_id, adapter_version, operation;
    const struct digest *adapter; /* of its canonical form; NULL: not known */
    struct str tool_version;      /* as it was found, exactly; no text: nobody can tell */
    const struct digest
        *executable;             /* of the file that was started; NULL: not known, or none was */
    const struct digest *system; /* repeat_system(); NULL: not known. Needed with executable */

    /* With what. */
    const struct doc *params;
    const struct doc *narrow; /* what the caller denies it beside the adapter; NULL: nothing */
    const char *directory;    /* it was started in; NULL: none */
    const struct pair *environment;
    size_t environment_count;
    const struct repeat_place *places;
    size_t place_count;
    bool secrets; /* it was handed some: they go into no key */
    bool cut;     /* not all of its input was given to it */
    bool lasting; /* a server that was asked before may remember */

    /* What the adapter says of the operation (operations.<operation>.deterministic), or what holds
     * it to that. */
    bool seeded;   /* it draws no chance beside what the environment seeds */
    bool timeless; /* it reads no clock, or a fixed one */

    enum net_level network;
    const struct str *hosts; /* that were reached, or may be */
    size_t host_count;

    int64_t timeout_ms, memory_mb, cpu_cores, max_children;
    const char *mode; /* "stable": as of --deterministic */
};

struct repeat_verdict {
    bool all;
    const char
        *why[REPEAT_COUNT]; /* "no network variance: example.org was reached"; NULL: it holds */
};

void repeatable(const struct repeat_facts *f, struct arena *a, struct repeat_verdict *out);

/* The key of its result: a digest over the canonical JSON of everything above that the result may
 * depend on. */
struct digest repeat_key(const struct repeat_facts *f, struct arena *a);

/* A digest that changes when the system's programs and libraries do (`writ explain system`): over
 * the names, times and numbers of their directories, of the linker's cache and of the packages'
 * database. What is changed in place deep inside is not seen. False: there are none. */
bool repeat_system(struct digest *out) NODISCARD;
