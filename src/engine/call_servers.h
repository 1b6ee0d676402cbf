/* SPDX-License-Identifier: Apache-2.0 */
/* call_servers.h: MCP servers: started in the sandbox or connected to once, and spoken to by many
 * calls.
 *
 * A server that runs here is a run like any other: admitted, bounded, recorded, and ended with the
 * plan or the call it was started for.
 */
#pragma once

#include "adapter/mcp.h"
#include "engine/call.h"

struct server;

/* What calls need to know of an open one. */
struct server_line {
    struct mcp *mcp;
    const char *name;
    struct http *http;    /* by which it is spoken to; NULL: by a pipe */
    struct str execution; /* of its own run; no text: it does not run here */
};

/* The open server of the call's adapter. A server that went away is started anew. False: *e says
 * why it cannot be had, and *refusal what it said itself. */
bool servers_get(struct tool_call *c, struct server_line *out, struct mcp_refusal *refusal,
                 struct error *e) NODISCARD;

/* The words that start the server of the call's adapter, of struct str; none: nothing says how, and
 * servers_unnamed() tells that. It returns false. */
struct items servers_command(const struct tool_call *c);
bool servers_unnamed(const char *name, struct error *e);

/* Nothing more is heard of it: the next who asks starts it anew. */
void servers_lost(struct toolbox *box, const struct mcp *mcp);

/* How the server ended by itself, and its last words, without secrets, or that it runs on; it lives
 * as long as the call. NULL: it does not run here, or the call was called off. */
const char *servers_last_words(const struct tool_call *c, const struct mcp *mcp);

/* How the last call of it went: was it answered in time? Who waited for it in vain does not wait
 * for its end as well. */
void servers_heard(struct toolbox *box, const struct mcp *mcp, bool in_time);
