/* SPDX-License-Identifier: Apache-2.0 */
/* serve.h: the parts of writ-net: its connections, and what each of its files does with them.
 *
 * Everything has a fixed size: what strangers send decides about no memory. One thread has all of
 * it; only names are looked up by others.
 */
#pragma once

#include "base/world.h"
#include "sandbox/net/body.h"
#include "sandbox/net/dns.h"
#include "sandbox/net/lookup.h"
#include "sandbox/net/tls.h"
#include "sandbox/net_wire.h"

enum {
    CONNS = 256,
    BODY_BYTES = 64 << 10,
    HEAD_BYTES = 48 << 10, /* a head as we write it: an answer's, or a request's and a secret */
    HEADER_MS = 30000,
    CONNECT_MS = 30000,
    IDLE_MS = 600000,
    LAST_MS = 2000,
    DRAIN_BYTES = 1 << 20, /* who sends more after our last word does not read it */
    NAMES = 4096,          /* that the resolver gives addresses to */
    EVENTS = 1024,         /* decisions that wait to be told */
};

/* Bytes on their way. `ready` of the body may go on; before it goes the head, which is ours. */
struct flow {
    char head[HEAD_BYTES], body[BODY_BYTES];
    size_t head_from, head_to;
    size_t from, ready, to;
    int64_t
        bytes; /* that went on; below 0: the gate's own words at the head of a tunnel go first */
};

/* One end of a connection. */
struct side {
    int fd; /* -1: there is none */
    struct tls *tls;
    uint32_t mask;             /* what the kernel is asked to tell */
    bool can_read, can_write;  /* as far as is known */
    bool ended, shut;          /* it says no more; we say no more */
    bool listed, gone, broken; /* gone: the kernel is not asked any more, reading tells */
};

enum stage {
    STAGE_NONE,
    STAGE_FIRST, /* HTTP or SOCKS? its first byte tells */
    STAGE_HELLO,
    STAGE_ASK,
    STAGE_HEAD,
    STAGE_NAMES,
    STAGE_LOOKUP,
    STAGE_CONNECT,
    STAGE_TLS,
    STAGE_EXCHANGE, /* a request and its answer */
    STAGE_OPENING,  /* what is said first in a tunnel is held back until it is known for whom */
    STAGE_ANSWER,   /* the server's answer to that tells whether it will be said again */
    STAGE_RAW,      /* bytes, as they come */
    STAGE_LAST,     /* what we said last goes out, then it is over */
};

struct conn {
    enum stage stage;
    enum via via;
    uint32_t life, turn; /* who has this place; what is being asked for */
    struct side client, server;
    struct flow up, down; /* from the client, and to it */
    int64_t deadline_ms;
    size_t drained; /* bytes that came after our last word */
    /* the decision at hand */
    struct host host;
    bool decided;
    enum host_refusal refused;
    int64_t began_ms, at_ms;
    char rule[WIRE_RULE], error[WIRE_RULE], address[ADDRESS_TEXT];
    struct address candidates[LOOKUP_ADDRESSES];
    size_t candidate_count, candidate;
    /* a request and its answer */
    size_t looked;
    bool tls;
    bool retried; /* the server asked for a second hello of TLS */
    int minor;
    struct body request, answer;
    bool to_head, keeps, answer_begun, waits; /* waits: for a next request */
    bool guarded;      /* a secret was added, and the answer is searched for it */
    size_t held;       /* bytes of the answer that may be its beginning, and do not go on yet */
    struct body shown; /* the answer as far as it may go on */
};

struct given_name {
    char name[HOST_MAX + 1];
};

struct served_door {
    int fd;
    enum door_kind kind;
    bool listed;
};

struct serve {
    const struct world *world;
    int channel, epoll, lookups;
    struct policy policy;
    struct arena a, scratch; /* for good; for one decision */
    struct served_door doors[DOORS_MAX];
    size_t door_count, conn_count, places; /* places: connections that there is room for */
    struct conn conns[CONNS];
    struct given_name names[NAMES];
    size_t name_count;
    struct wire_event events[EVENTS];
    size_t event_first, event_count;
    int64_t uncounted, now_ms, look_ms;
    bool channel_waits;
};

/* ---- net/serve.c: the loop ---- */

/* What the kernel's news are about: kind, which side and whose place it is. */
enum { MARK_CHANNEL, MARK_LOOKUPS, MARK_DOOR, MARK_CONN };
enum { MARK_KIND = 60, MARK_SIDE = 56 };

/* Takes in what holds. */
bool serve_hear_policy(struct serve *s, struct error *e) NODISCARD;
/* Until the channel ends. */
bool serve_run(struct serve *s, struct error *e) NODISCARD;
uint32_t conn_number(const struct serve *s, const struct conn *c);

/* ---- net/events.c: what was decided ---- */

/* A decision begins; event_end() tells it once. */
void event_begin(struct serve *s, struct conn *c);
void event_end(struct serve *s, struct conn *c);
void event_tell(struct serve *s, const struct wire_event *event);
/* As many as the channel takes; `last`: waits a little for it. */
void event_send(struct serve *s, bool last);

/* ---- net/relay.c: bytes in and out ---- */

void side_close(struct serve *s, struct side *side);
/* The kernel is not asked about it any more: it would tell again and again that it is over. */
void side_forget(struct serve *s, struct side *side);
/* Reads and writes what can be; true: something moved. */
bool relay_move(struct serve *s, struct conn *c);
/* `again`: there was more to do, and it is others' turn first. */
void relay_watch(struct serve *s, struct conn *c, bool again);
void flow_say(struct flow *f, const void *bytes, size_t n);
static inline bool flow_is_empty(const struct flow *f)
{
    return f->head_from == f->head_to && f->from == f->ready;
}
static inline struct str flow_unread(const struct flow *f)
{
    return (struct str){ f->body + f->ready, f->to - f->ready };
}

/* ---- net/conn.c: stages ---- */

void conn_open(struct serve *s, int fd, enum door_kind kind);
void conn_run(struct serve *s, struct conn *c);
/* Ends it so that neither end takes what it has for all. */
void conn_abort(struct serve *s, struct conn *c);
void conn_late(struct serve *s, struct conn *c);
/* Says that it does not go, in the client's own language, and ends. */
void conn_refuse(struct serve *s, struct conn *c, int status, const char *why);

/* ---- net/reach.c: from a host to a connection ---- */

/* c->host and c->via say what is wanted. */
void reach_begin(struct serve *s, struct conn *c);
/* It goes nowhere whatever the lists say: c->host is told as refused, and `why`. */
void reach_tell(struct serve *s, struct conn *c, const char *why);
/* The same, and says so to the client. */
void reach_stop(struct serve *s, struct conn *c, int status, const char *why);
/* The same where the text is no host; no text: nobody was named. */
void reach_nowhere(struct serve *s, struct conn *c, struct str text, int status, const char *why);
void reach_found(struct serve *s, struct conn *c, const struct lookup_answer *answer);
/* The server's end can be written to: it is there, or it failed. */
void reach_connected(struct serve *s, struct conn *c);
/* What is said in the tunnel is for somebody else: it is told as refused, and ends. */
void reach_revoke(struct serve *s, struct conn *c, const char *why);
/* The same of an answer; where nothing of it went on yet the client is told. */
void reach_cut(struct serve *s, struct conn *c, const char *why);

/* ---- net/http.c: requests and answers ---- */

/* The first bytes of a request, or all of its head, are there. */
void http_head(struct serve *s, struct conn *c);
/* What is there of a head is no good; it is told with the host that it names. */
void http_refuse(struct serve *s, struct conn *c, int status, const char *why);
void http_connected(struct serve *s, struct conn *c);
void http_exchange(struct serve *s, struct conn *c);

/* ---- net/names.c: the resolver ---- */

void names_serve(struct serve *s, int fd);
void names_stream(struct serve *s, struct conn *c);
/* Is it one of those that names are given? */
bool names_are_at(const struct address *address);
/* The name that was given that address of the loop, or no text. */
struct str names_of(const struct serve *s, const struct address *address);
