/* SPDX-License-Identifier: Apache-2.0 */
/* request_doc.h: one command under limits, the execution contract (contract 001). */
#pragma once

#include "contract/levels.h"
#include "contract/network_doc.h"
#include "contract/shape.h"

enum on_oversize { OVERSIZE_REJECT, OVERSIZE_TRUNCATE };

enum {
    EXIT_CODE_ANY = -1,       /* no exit code is compared */
    REQUEST_SECRETS_MAX = 32, /* that a command is given in variables */
};

struct request_inputs {
    struct str command, working_directory;
    struct str stdin_text;    /* .s is NULL when there is none */
    struct items arguments;   /* of struct str */
    struct items environment; /* of struct pair */
    struct items secrets;     /* of struct secret_doc, each with its variable */
    struct items input_files; /* of struct str */
    int on_oversize;          /* enum on_oversize */
};

/* Where what a command writes goes: to the disk, or beside it, until somebody commits it. */
enum write_mode { WRITE_DIRECT, WRITE_COW };

/* What is the same each time: the environment, or time and chance too. */
enum determinism { DETERMINISM_STABLE, DETERMINISM_FIXED };

extern const char *const determinism_names[];

struct request_filesystem {
    int level;                      /* enum fs_level */
    int write_mode;                 /* enum write_mode */
    struct items read, write, deny; /* of struct str */
    struct items allow_protected;   /* of struct str: protected names that are not held */
};

struct request_processes {
    int64_t max_children;
    bool allow_fork;
};

/* Nothing in it is NULL: what the document leaves out has its default. */
struct request_sandbox {
    int64_t timeout_ms, memory_mb, cpu_cores;
    int deterministic; /* enum determinism */
    const struct request_filesystem *filesystem;
    const struct request_network *network;
    const struct request_processes *processes;
};

struct request_outputs {
    const struct doc *out, *err; /* stdout and stderr; ask request_expects() */
    int64_t exit_code;           /* or EXIT_CODE_ANY */
    struct items output_files;   /* of struct str */
    struct items artifacts;      /* of const struct doc *: texts and maps */
};

struct request_metadata {
    struct str requested_by, requested_at, purpose, evidence_ref;
};

struct request_approval {
    struct str reason;
};

/* Where it runs: as a lane of contract 000. */
struct request_route {
    struct str class_id;
    bool remote;                                        /* elsewhere, if that can be had */
    struct str worker;                                  /* no text: the one that remote means */
    int fallback;                                       /* enum fallback, or CHOICE_NONE */
    struct str command_id, correlation_id, scenario_id; /* no text: named after the execution */
};

/* Which operation of which adapter it is. */
struct request_call {
    struct str operation, adapter_version, adapter_digest;
    struct str tool_version;      /* that was found; no text: nobody asked */
    struct str parameters_digest; /* of their canonical form, before any transform */
};

struct request_doc {
    struct str execution_id, tool_id, adapter_id;
    const struct request_inputs *inputs;
    const struct request_sandbox *sandbox;
    const struct request_outputs *outputs;
    const struct request_metadata *metadata;
    const struct request_approval *approval; /* NULL: none */
    const struct request_route *route;       /* NULL: here, and as no lane */
    const struct request_call *call;         /* NULL: no adapter was called */
};

extern const struct shape request_shape;

/* The payload of a step that executes a command: a request without its name and who asks. Decodes
 * to a struct request_doc. */
extern const struct shape execute_shape;

/* The parts of a request that a template's step has beside its `run`, which says the command and
 * the arguments: those inputs have neither. */
extern const struct shape request_beside_run_shape, request_sandbox_shape, request_outputs_shape,
    request_approval_shape, request_route_shape;

/* A rule of requests: levels that need an approval have one. */
void request_levels_approved(const struct doc *d, const void *decoded, struct report *r);

/* The content a stream is expected to have; false when it is only captured. */
bool request_expects(const struct doc *stream, struct str *content);
