/* SPDX-License-Identifier: Apache-2.0 */
/* registry_doc.h: the tools that are allowed, and to do what (.writ/tools.yaml). */
#pragma once

#include "contract/levels.h"
#include "contract/shape.h"

/* Strict: only what is listed runs. Caller: a person's own command runs too. */
enum allowlist { ALLOWLIST_STRICT, ALLOWLIST_CALLER };

/* What is done with an argument that a shell would read as more than text (IV-02). */
enum iv02 { IV02_ESCAPE, IV02_BLOCK };

enum tool_status { TOOL_ACTIVE, TOOL_DEPRECATED, TOOL_BLOCKED };

struct tool_scope {
    struct items commands, operations; /* of struct str */
    int filesystem;                    /* enum fs_level */
    int network;                       /* enum net_level */
    int iv02;                          /* enum iv02 */
};

struct tool_approval {
    struct str by, at, reason;
};

struct tool_doc {
    struct str tool_id, name, version, owner, provenance, last_review, next_review;
    const struct tool_scope *scope;
    const struct tool_approval *approval; /* NULL: none */
    int status;                           /* enum tool_status */
};

struct registry_doc {
    int allowlist;      /* enum allowlist */
    struct items tools; /* of struct tool_doc */
    const char *file;   /* where it was read; NULL: not from a file */
};

extern const struct shape registry_shape;

/* ---- what adapters may do with a tool; `writ check` asks the same as a call does ---- */

/* The tool of that id; NULL: there is none. */
const struct tool_doc *registry_tool(const struct registry_doc *registry, struct str id);

/* Is nothing of it called? Then it says so. */
bool tool_blocked(const struct tool_doc *tool, struct error *e) NODISCARD;

/* May this operation be called? False: it says why not. */
bool tool_lets_call(const struct tool_doc *tool, struct str operation, struct arena *a,
                    struct error *e) NODISCARD;

/* May its calls reach hosts at all? False: it says what is missing. */
bool tool_lets_reach(const struct tool_doc *tool, struct error *e) NODISCARD;

/* The most of the disk that its calls get, whatever the caller approves of. */
enum fs_level tool_fs_most(const struct tool_doc *tool);

/* A rule of tools: where their calls get less than their scope says, that is odd. */
void tool_calls_odd(const struct doc *d, const void *decoded, struct report *r);
