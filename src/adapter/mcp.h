/* SPDX-License-Identifier: Apache-2.0 */
/* mcp.h: a client of the Model Context Protocol, in both of its eras.
 *
 * Over a pipe to a server that runs in the sandbox, over streamable HTTP, or over a WebSocket.
 * Which era a server speaks is found out when it is opened. A server is a stranger: every wait has
 * an end, every message a ceiling, and what does not fit is said, never guessed.
 *
 * One connection may be used by several threads: calls go out side by side.
 */
#pragma once

#include <stdatomic.h>

#include "adapter/adapter.h"
#include "adapter/http.h"
#include "base/world.h"

enum mcp_era { MCP_UNKNOWN, MCP_LEGACY, MCP_MODERN };

struct secret; /* adapter/secret.h */
struct secrets;

enum { MCP_MESSAGE_MAX = 4 << 20 };

/* What a server said who did not let itself be opened. */
struct mcp_refusal {
    int64_t code;     /* of HTTP, or of JSON-RPC; 0: none */
    int64_t later_ms; /* that it asks for; 0: none */
};

struct mcp_ask {
    int transport; /* enum mcp_transport */
    const struct world *world;
    const char *name;  /* of the server, for messages */
    int in, out;       /* of stdio: its standard output to read from, its input to write to; ours
                          from now on */
    struct http *http; /* of http and websocket */
    const char *url;
    const struct http_header *headers; /* sent with every request: authorization */
    size_t header_count;
    const char *secret_place;      /* where whoever asks says what is sent, for messages: "under
                                      interface.mcp.auth of the adapter" */
    const struct secrets *secrets; /* are in no message about the server; or NULL. They stay where
                                      they are as long as the connection. */
    struct http_hosts hosts;       /* that may be reached */
    const struct str *roots; /* directories (absolute paths) that a server that asks is told of */
    size_t root_count;
    enum mcp_era era;            /* as it was found out before; MCP_UNKNOWN: find out */
    int64_t patience_ms;         /* for opening */
    size_t message_max;          /* 0: MCP_MESSAGE_MAX */
    int cancel;                  /* of opening */
    struct mcp_refusal *refusal; /* is filled where opening fails; or NULL */
    atomic_bool *late; /* becomes true where opening fails for want of an answer; or NULL */
    /* Told of every message, as text, and which way it went; for transcripts and tests. Or NULL. */
    void (*seen)(void *self, bool outwards, struct str message);
    void *self;
};

struct mcp;

/* Has every request bring the secret. False: no header takes it (CODE_SECRET_MISSING). */
bool mcp_bearer(struct mcp_ask *ask, const struct secret *secret, struct arena *a,
                struct error *e) NODISCARD;

/* False: CODE_PEER_UNAVAILABLE (no answer in time, it is gone), CODE_PEER_PROTOCOL,
 * CODE_HOST_REFUSED.
 */
bool mcp_open(const struct mcp_ask *ask, struct mcp **out, struct error *e) NODISCARD;
void mcp_close(struct mcp *m); /* closes its line, which asks the server to end; NULL is fine */

enum mcp_era mcp_era_of(const struct mcp *m);
const char *mcp_version(const struct mcp *m);           /* the protocol's, as agreed */
const struct doc *mcp_server_info(const struct mcp *m); /* {name, version}; NULL: it did not say */

/* Its tools, a list in the order of their names, all pages; kept until the server says that they
 * have changed or their time is over. They live as long as `a`. */
bool mcp_tools(struct mcp *m, int64_t timeout_ms, int cancel, struct arena *a,
               const struct doc **out, struct error *e) NODISCARD;

/* What else that list has, and why it cannot be called. */
struct mcp_left {
    const char *tool, *why;
};

size_t mcp_tools_left(struct mcp *m, struct arena *a, const struct mcp_left **out);

/* The digest of a tool's definition: its canonical form without _meta and icons. */
struct digest mcp_tool_digest(const struct doc *tool, struct arena *a);

enum mcp_end {
    MCP_DONE,  /* `result` is there; `failed` tells whether the tool says that it failed */
    MCP_ERROR, /* a JSON-RPC error: `code` and `message` */
    MCP_LATE,  /* no answer in time: the call was called off */
    MCP_CANCELLED,
    MCP_REFUSED, /* it leads to where we may not go */
    MCP_GONE,    /* the line ended before the call was sent, or before its answer if repeatable */
    MCP_LOST,    /* it ended before the answer: what is not repeatable may have been done */
    MCP_GARBLED, /* what came is not the protocol: `message` says what */
    MCP_TOO_LARGE,
    MCP_CHANGED, /* the tool is not what was pinned; it was not called */
    MCP_UNKNOWN_TOOL,
};

struct mcp_call {
    struct str tool;
    const struct doc *arguments; /* a map */
    struct str pinned;           /* "sha256:..": its definition must be this; no text: any */
    int64_t timeout_ms;          /* whatever progress is told */
    int cancel;
    bool repeatable; /* to do it twice is as good as once */
    bool declines;   /* a form that the server asks for is not filled with its own defaults */
};

struct mcp_answer {
    enum mcp_end end;
    const struct doc *result; /* {content: [..], structuredContent, ..} */
    bool failed;              /* isError */
    int64_t code;
    int64_t later_ms;    /* that the server asks for before the next call; 0: it does not */
    const char *message; /* for people; of a stranger: at most 500 characters, one line */
    bool filled;         /* meanwhile it asked for a form and was given its own defaults */
    bool declined;       /* meanwhile it asked for a form and was given none */
};

/* True with an answer of any kind. Arguments are held against the tool's inputSchema by the server;
 * structuredContent is held against its outputSchema here (MCP_GARBLED). */
bool mcp_call(struct mcp *m, const struct mcp_call *call, struct arena *a, struct mcp_answer *out,
              struct error *e) NODISCARD;
