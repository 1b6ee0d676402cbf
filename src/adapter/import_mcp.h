/* SPDX-License-Identifier: Apache-2.0 */
/* import_mcp.h: makes an adapter of the tools of an MCP server.
 *
 * Pure: what the server said comes in, YAML goes out. Each tool becomes an operation, pinned to the
 * digest of its definition as it is now; what a server says about its own tools (readOnlyHint) is
 * taken down as a hint and marked as one.
 */
#pragma once

#include "base/doc.h"

struct mcp_left;
struct secrets;

struct mcp_import_ask {
    const struct doc *server;    /* {name, version}; NULL: it did not say */
    const struct doc *tools;     /* the list, as mcp_tools() gives it */
    const struct mcp_left *left; /* what else it had, as mcp_tools_left() gives it */
    size_t left_count;
    const char *name, *tool;     /* of the adapter, and its tool_id; NULL: after the server */
    int transport;               /* enum mcp_transport */
    const char *const *argv;     /* of stdio: what starts it, ended by NULL */
    const char *url;             /* of http and websocket */
    const char *bearer;          /* the variable that has its token; or NULL */
    const struct secrets *known; /* that the server was told: they are in nothing that comes out */
    const char *const *include;  /* operations, as patterns with *, ended by NULL; or NULL: all */
    const char *const *exclude;
    const struct doc *hosts; /* of stdio: the first text of a list of those that it reaches */
    const struct secret_doc *secrets; /* of stdio: variables that it gets, and from where */
    size_t secret_count;
    const char *today; /* "2026-01-16" */
};

struct mcp_import_left {
    const char *operation, *why;
};

struct mcp_imported {
    struct str yaml;
    const char *adapter_id;
    size_t operations;
    struct mcp_import_left *left; /* what did not become an operation */
    size_t left_count;
};

/* False: nothing is left that could be called (CODE_VALIDATION_ERROR). */
bool import_mcp(const struct mcp_import_ask *ask, struct arena *a, struct mcp_imported *out,
                struct error *e) NODISCARD;
