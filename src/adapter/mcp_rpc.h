/* SPDX-License-Identifier: Apache-2.0 */
/* mcp_rpc.h: JSON-RPC 2.0 as MCP has it: messages to write, and what a stranger's text is. */
#pragma once

#include "base/doc.h"

enum {
    RPC_UNKNOWN_METHOD = -32601,
    RPC_HEADER_MISMATCH = -32020, /* these three are of the modern era */
    RPC_MISSING_CAPABILITY = -32021,
    RPC_UNSUPPORTED_VERSION = -32022,
    RPC_REFUSED = -1, /* the user, were there one, said no */
    RPC_WORDS = 500,  /* characters of a stranger that are passed on */
};

enum rpc_kind {
    RPC_ANSWER,  /* result or error */
    RPC_REQUEST, /* must be answered */
    RPC_NOTE,
    RPC_NOISE,  /* no JSON: something was printed that is no message */
    RPC_BROKEN, /* JSON that is no message, or one that the ceilings refuse */
};

struct rpc_message {
    enum rpc_kind kind;
    const struct doc *id; /* of an answer or a request, or what a broken one was to answer; NULL:
                             null or left out */
    struct str method;
    const struct doc *params;         /* a map, or NULL */
    const struct doc *result, *error; /* of an answer, one of them; maps */
    const char *wrong;                /* of noise and broken ones, for people */
    bool refused;                     /* it was a message, but is too much or too odd to read */
    size_t bytes;                     /* of its text */
};

/* As doc_get() and doc_text(), of what may not be there at all. */
static inline const struct doc *rpc_get(const struct doc *map, const char *key)
{
    return map ? doc_get(map, key) : NULL;
}

static inline struct str rpc_text(const struct doc *map, const char *key)
{
    return map ? doc_text(map, key) : str_of("");
}

/* What a text is. It must outlive the message, which lives in the arena. */
void rpc_read(struct str text, struct arena *a, struct rpc_message *out);

/* Is it this id of ours? 7 and "7" are two. */
bool rpc_id_is(const struct doc *id, int64_t ours);

/* What is wrong with an answer whose id only means ours. */
extern const char rpc_text_id[];

/* Does it mean this id of ours, as 7, "7" or 7.0? Who is answered so has been answered wrongly. */
bool rpc_id_means(const struct doc *id, int64_t ours);

/* Begins a request (id above 0) or a notification (0) up to the brace of its params, and ends it;
 * the members between are the caller's. */
void rpc_begin(struct buf *to, int64_t id, const char *method);
void rpc_end(struct buf *to);

/* An answer to a request of theirs: `result` is JSON text; or an error. */
void rpc_answer(struct buf *to, const struct doc *id, struct str result);
void rpc_refuse(struct buf *to, const struct doc *id, int code, const char *why);

/* Words of a stranger: one line, no control characters, at most RPC_WORDS characters. */
const char *rpc_words(struct str text, struct arena *a);
