/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h: what the files of the MCP client share, and nobody else sees.
 *
 *     mcp/open.c     opens and closes; finds out the era
 *     mcp/call.c     one request, in either era; one call of a tool, with the rounds it may take
 *     mcp/reply.c    what a server that asks us is told
 *     mcp/tools.c    the list of tools, kept; mcp/headers.c: parameters that go along as headers
 *     mcp/stream.c   calls that share one line: mcp/line.c (pipes), mcp/socket.c (WebSocket)
 *     mcp/words.c    what a server said, for people, without our secrets
 *     mcp/http.c     calls of which each is an exchange of its own; mcp/listen.c: what comes beside
 */
#pragma once

#include <pthread.h>

#include "adapter/mcp.h"
#include "adapter/mcp/headers.h"
#include "adapter/mcp_rpc.h"
#include "contract/interface_doc.h"

#define MCP_NEWEST "2026-07-28" /* the modern era's */

enum {
    MCP_ROUNDS = 8,       /* that a server may ask for more before it answers a call */
    MCP_CANCEL_MS = 1000, /* for the word that a call is called off, where sending takes time */
};

/* One request and what came of it, or a notification. */
struct mcp_exchange {
    const char *method;
    struct str name; /* of the tool; no text: none */
    int64_t id;      /* 0: a notification; nothing is waited for */
    struct str message;
    const struct http_header *headers; /* Mcp-Param-*: of http in the modern era */
    size_t header_count;
    int64_t end_ms; /* by the world's clock */
    int cancel;
    struct arena *a; /* what comes lives there */

    enum mcp_end end; /* MCP_DONE: `answer` has a result; MCP_ERROR: an error */
    struct rpc_message answer;
    const char *why;  /* of other ends, for people */
    int status;       /* of http; 0: none */
    int64_t later_ms; /* that the server asks for, of http; 0: none */
    bool sent;        /* whatever became of it */

    /* While it waits on a line that others use, too. */
    struct mcp_exchange *next;
    bool done;
    int wake; /* an eventfd, made when it is needed; -1: not yet */
};

/* Who is busy says so in HTTP, whatever else the answer says. */
static inline bool mcp_is_busy(const struct mcp_exchange *x)
{
    return x->status == 429 || x->status == 503;
}

struct mcp_wire {
    bool (*open)(struct mcp *m, struct error *e);
    void (*exchange)(struct mcp *m, struct mcp_exchange *x);
    void (*begun)(struct mcp *m); /* in the legacy era: it is initialized; or NULL */
    void (*look)(struct mcp *m);  /* hears what has come meanwhile, without waiting; or NULL */
    void (*close)(struct mcp *m);
};

extern const struct mcp_wire mcp_line, mcp_socket, mcp_http;

struct stream; /* mcp/stream.h */
struct tools;  /* mcp/tools.c */

/* How often the server asked for a form. */
struct forms {
    uint64_t filled, declined;
};

struct mcp {
    struct arena a; /* as long as the connection; used by mcp_open() alone */
    struct mcp_ask ask;
    const struct mcp_wire *wire;
    enum mcp_era era;
    const char *version;
    const struct doc *info;
    const char *capabilities; /* ours, JSON */
    const char *meta;         /* of the modern era: what each request says about us, JSON */

    pthread_mutex_t lock; /* of all below */
    int64_t last_id;
    char *session;       /* of legacy http; NULL: none */
    struct tools *tools; /* kept; NULL: none */
    uint64_t changes;    /* how often we were told that they have changed */
    struct forms forms;
    unsigned calls, declining; /* under way, and those of them that decline forms */

    pthread_mutex_t telling; /* of ask.seen */
    struct stream *stream;   /* of line and socket */
    void *own;               /* the wire's */
};

static inline int64_t mcp_now(const struct mcp *m)
{
    return m->ask.world->mono_ms(m->ask.world->self);
}

/* A message as it goes or comes, for who wants to see it. */
void mcp_seen(struct mcp *m, bool outwards, struct str message);

/* mcp/call.c: sends a request and waits. Its params are what `params` puts, members without braces,
 * or NULL; the era's own members are added. */
struct mcp_want {
    const char *method;
    void (*params)(const void *self, struct buf *to);
    const void *self;
    struct str name;
    const struct http_header *headers;
    size_t header_count;
    int64_t end_ms;
    int cancel;
    bool once; /* it is not sent again, whatever the server says of its session */
};
void mcp_request(struct mcp *m, const struct mcp_want *want, struct arena *a,
                 struct mcp_exchange *out);
/* mcp/open.c: where the answer says that the session of legacy http is over, begins another. True:
 * there is one. */
bool mcp_again(struct mcp *m, const struct mcp_exchange *x, int64_t end_ms);
void mcp_notify(struct mcp *m, const struct mcp_want *want);

/* mcp/words.c: what the server said, without our secrets; as one line, and not too long; and a
 * message, read: what is wrong with it may be shown. */
struct str mcp_clean(const struct mcp *m, struct str text, struct arena *a);
const struct doc *mcp_clean_doc(const struct mcp *m, const struct doc *d, struct arena *a);
const char *mcp_words(const struct mcp *m, struct str text, struct arena *a);
const char *mcp_error_words(const struct mcp *m, const struct doc *error, struct arena *a);
const char *mcp_large_words(const struct mcp *m, struct arena *a);
const char *mcp_status_words(const struct mcp *m, int status, struct arena *a);
void mcp_read(const struct mcp *m, struct str text, struct arena *a, struct rpc_message *out);

/* mcp/reply.c: a request of the server's. True: `to` has the result, a JSON object; false: it is
 * refused with *code and *why. */
bool mcp_reply(struct mcp *m, struct str method, const struct doc *params, struct buf *to,
               int *code, const char **why);

/* Around a call, which a form that the server asks for meanwhile is taken to belong to. */
struct forms forms_begin(struct mcp *m, const struct mcp_call *call);
void forms_end(struct mcp *m, const struct mcp_call *call, struct forms before,
               struct mcp_answer *out);

/* What has come that is no answer: a notification is heard, a request is answered into `to`, which
 * stays empty where there is nothing to say. */
void mcp_hear(struct mcp *m, const struct rpc_message *message, struct buf *to);

/* mcp/tools.c: one tool of the list that is kept, or is asked for now. The tool is good until
 * tools_let_go(). */
struct tool {
    struct str name;
    const struct doc *definition;
    char digest[DIGEST_TEXT];
    bool checked; /* its outputSchema was looked at */
    const struct jsonschema *output;
    const struct tool_headers *headers; /* NULL: none */
};

struct tool_use {
    struct tools *list;
    struct tool *tool;
};

enum tool_found { TOOL_FOUND, TOOL_UNKNOWN, TOOL_NO_LIST };
enum tool_found tools_find(struct mcp *m, const struct mcp_call *call, int64_t end_ms,
                           struct arena *a, struct tool_use *out, struct mcp_exchange *failed);
void tools_let_go(struct mcp *m, struct tools *list);
void tools_forget(struct mcp *m);

/* Is the result what the tool's outputSchema wants? NULL, or what is wrong. */
const char *tools_misfit(const struct mcp *m, const struct tool_use *use, const struct doc *result,
                         struct arena *a);
