/* SPDX-License-Identifier: Apache-2.0 */
/* config_doc.h: what people set: classes of commands, workers, servers, hosts of registries.
 *
 * There are two of these documents. The project's own, .writ/config.yaml, comes with the project,
 * so it may name classes, servers and hosts of registries, and be stricter about falling back, and
 * no more: a worker is a program that is started outside of the walls. The user's, writ/config.yaml
 * below the configuration directory, may say all of it.
 */
#pragma once

#include "contract/classes.h"
#include "contract/route_doc.h"
#include "contract/secret_doc.h"
#include "contract/shape.h"

/* How a worker is reached; worker_kinds has the rows. */
enum worker_kind {
    WORKER_PIPE,  /* `writ worker --stdio` on this machine */
    WORKER_SLURM, /* the same, in a step of a Slurm allocation, by srun */
    WORKER_SSH,   /* the same, on a host, by ssh */
    WORKER_WRAP,  /* `<command> exec -- CMD`, as rch does */
    WORKER_KINDS,
};

struct worker_kind_row {
    const char *name;
    enum route route;
    const char *program; /* that must be there to reach it; NULL: writ itself */
    const char *meaning;
};

/* A class and its timeouts, as people add one. */
struct config_class {
    struct str class_id, label;    /* no label: the class's id */
    struct items allowed_prefixes; /* of struct str */
    bool force_rch;
    int64_t default_timeout_secs;                                    /* 0: the hard timeout */
    int64_t soft_timeout_secs, hard_timeout_secs, cancel_grace_secs; /* soft 0: the hard one */
};

struct config_worker {
    struct str name;
    int kind;             /* enum worker_kind */
    struct str host;      /* of ssh */
    struct items options; /* of struct str: for ssh or srun, before the command */
    struct items command; /* of struct str: the wrapper, or writ there; empty: rch, or writ */
    struct items probe;   /* of struct str: of wrap, ends with 0 when it is available */
    struct items
        refusals;         /* of int64_t: exit codes that are the wrapper's own, not the command's */
    struct str directory; /* where commands run there; no text: the same path as here */
    int64_t patience_secs; /* how long it may take to answer when it is reached for */
    int64_t queue_secs;    /* of slurm: how long in the queue; 0: as long as the run may take */
};

/* An MCP server by its name: what starts it in the sandbox, or where it is. */
struct config_server {
    struct str name;
    struct items command; /* of struct str */
    struct str url;
};

/* What becomes of a step of a plan whose dependency was not completed, and the plan goes on without
 * that (A04-6). */
enum dependency_skip {
    DEPENDENCY_SKIP_FAIL,    /* it fails, and the plan with it */
    DEPENDENCY_SKIP_CASCADE, /* it is skipped, too */
};

extern const char *const dependency_skip_names[]; /* ended by NULL */

/* What is set about the network. */
struct config_network {
    struct items registries; /* of struct str: hosts that level registry reaches besides */
};

struct config_doc {
    struct items classes; /* of struct config_class */
    struct items workers; /* of struct config_worker */
    struct str remote;    /* the worker that remote commands go to; no text: rch */
    int fallback;         /* enum fallback, or CHOICE_NONE: it says nothing about it */
    int dependency_skip;  /* enum dependency_skip, or CHOICE_NONE: the same */
    struct items servers; /* of struct config_server */
    struct items secrets; /* of struct secret_doc: for hosts; the user's own only */
    const struct config_network *network; /* never NULL */
};

/* The worker that is always there: of the kind pipe. */
#define WORKER_LOCAL "local"

extern const struct worker_kind_row worker_kinds[WORKER_KINDS];
extern const char *const worker_kind_names[]; /* ended by NULL */
extern const struct table worker_kinds_table;
extern const struct config_worker worker_rch; /* what `rch` means where nobody says otherwise */
extern const struct shape config_shape;

/* What a project's own document may not say. The report has what was found. */
void config_of_project(const struct doc *d, struct report *r);

/* The contract that holds: what writ ships, and the classes of these, in lexical order. A class
 * that is there already is reported where it is written last: nobody changes what a class means.
 * Configurations without a problem of their own make a contract that every invariant of route_shape
 * holds of. Documents are roots; places in the report are those of the last one, so whoever has
 * several adds one at a time. */
bool route_extended(const struct doc *const *documents, const struct config_doc *const *configs,
                    size_t n, struct arena *a, struct route_doc *out, struct report *r) NODISCARD;
