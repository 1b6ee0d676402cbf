/* SPDX-License-Identifier: Apache-2.0 */
/* catalog.h: the adapters there are: listed cheaply (L0), loaded one at a time (L1 to L3).
 *
 * A list of ten thousand parses none of them: the four members of L0 are skimmed off the text of
 * each, and an index is kept below the cache directory by path, size and times of change. What
 * cannot be skimmed for certain is parsed.
 */
#pragma once

#include "adapter/adapter.h"
#include "base/report.h"

struct catalog_ask {
    const char
        *project;      /* the project's top: adapters are in .writ/adapters below it; NULL: none */
    const char *user;  /* the user's configuration directory: adapters/ below it; NULL: none */
    const char *cache; /* where indexes are kept; NULL: nowhere */
    int64_t now_ms;    /* wall; an index is good for 24 hours (contract 001) */
};

/* L0. */
struct catalog_entry {
    struct str adapter_id, name, tool_id;
    int type; /* enum adapter_type */
    enum origin origin;
    const char *path; /* its file; of the shipped ones their name */
    bool shadowed;    /* a nearer origin has one of that id, which holds */
    bool twice;       /* so has another file of its own origin: neither can be called */
};

struct catalog_fault {
    const char *path, *why; /* a file that is no adapter, or has the adapter_id of another */
};

struct catalog {
    struct catalog_entry *v; /* by adapter_id, bytewise; of one id the nearest origin comes first */
    size_t n;
    struct catalog_fault *faults;
    size_t fault_count, fault_room;
    bool indexed; /* the index told it, and nothing was read */
};

bool catalog_list(const struct catalog_ask *ask, struct arena *a, struct catalog *out,
                  struct error *e) NODISCARD;

/* The one of that adapter_id, else of that name, the nearest origin first. False:
 * CODE_ADAPTER_UNKNOWN (with the nearest name), CODE_ADAPTER_AMBIGUOUS (two of one origin). */
bool catalog_find(const struct catalog *c, struct str name, struct arena *a,
                  const struct catalog_entry **out, struct error *e) NODISCARD;

/* The ones for a tool that hold, in the order of the catalog. */
struct items catalog_for_tool(const struct catalog *c, struct str tool_id,
                              struct arena *a); /* of const struct catalog_entry * */

/* All of it, checked. False: the report has the problems. */
bool catalog_load(const struct catalog_ask *ask, const struct catalog_entry *entry, struct arena *a,
                  struct adapter *out, struct report *r) NODISCARD;

/* What a task needs of an adapter. */
struct catalog_want {
    struct str tool_id;
    struct str operation; /* no text: any */
    int type;             /* enum adapter_type; -1: any */
    struct str installed; /* the tool's version; no text: nobody can tell, and any does */
};

/* How it was found. */
struct catalog_choice {
    const struct catalog_entry *entry;
    bool from_cache; /* L0 came from the index */
    size_t listed;   /* those whose L0 was loaded: all */
    size_t compared; /* those whose L1 was: all for the tool where there are several, else none */
};

/* The contract's way of loading: the tool's adapters by L0, one of them by L1 where there are
 * several. The one that is chosen is for catalog_load(). Of those that fit, the nearest origin
 * holds, then the first by adapter_id. False: CODE_ADAPTER_UNKNOWN. */
bool catalog_pick(const struct catalog *c, const struct catalog_want *want, struct arena *a,
                  struct catalog_choice *out, struct error *e) NODISCARD;

/* The adapters that ship with writ, and the registry that lists their tools. */
struct shipped_row {
    const char *name, *text; /* "ripgrep.yaml" and what is in it */
};
extern const struct shipped_row shipped_adapters[];
extern const size_t shipped_count;
extern const char *const shipped_tools; /* a registry, as YAML */

/* What `writ init` writes: a registry and an adapter, with comments. */
extern const char *const shipped_init_tools, *const shipped_init_adapter;
