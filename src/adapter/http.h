/* SPDX-License-Identifier: Apache-2.0 */
/* http.h: asks writ-http, the program that knows libcurl, to speak HTTP and WebSocket for us.
 *
 * It runs beside us: what strangers send is read by a process that has no ledger, no key and no
 * terminal, and writ itself stays small. One of them serves many calls, side by side, and keeps
 * connections open. It ends when we do.
 *
 * For any thread.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"

struct http;

/* `program`: the path of writ-http. `environment`: for it, ended by NULL: proxies and certificates
 * (HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE, ..), nothing else is passed on. */
bool http_open(const char *program, const char *const *environment, struct http **out,
               struct error *e) NODISCARD;
void http_close(struct http *h); /* NULL is fine */

struct http_header {
    struct str name, value;
};

/* The only hosts that are reached: "example.org", "*.example.org" (below it), "example.org:8443",
 * an address, "[::1]:80". Names are looked up once a call, and the address that was looked at is
 * the one that is connected to. Private, loopback, link-local and metadata addresses are reached
 * only where an entry is that very address, or `localhost` for loopback. What is denied is not
 * reached by whatever name or form of its address. */
struct http_hosts {
    const struct str *allow, *deny;
    size_t allow_count, deny_count;
};

struct http_request {
    const char *method, *url;
    const struct http_header *headers;
    size_t header_count;
    struct str body; /* .s is NULL: none */
    struct http_hosts hosts;
    int64_t timeout_ms; /* for all of it */
    size_t body_max;    /* more than this ends the call: HTTP_TOO_LARGE */
    int redirects_max;  /* followed to the same scheme, host and port only; any other is an end */
    bool plain;         /* http:// to other than loopback is allowed; else HTTP_REFUSED */
    int cancel;         /* readable when it should be stopped; -1: never */

    /* Told of pieces of the body as they come, before the call ends; false: enough, the stream is
     * closed and the end is HTTP_ENOUGH. NULL: the answer has the whole body. `head` comes first.
     */
    bool (*head)(void *self, int status, const struct http_header *headers, size_t n);
    bool (*piece)(void *self, struct str bytes);
    void *self;
};

enum http_end {
    HTTP_DONE,        /* an answer came, whatever its status */
    HTTP_ENOUGH,      /* a listener wanted no more */
    HTTP_REFUSED,     /* not allowed: the host, its address, plain http, a redirect elsewhere */
    HTTP_UNREACHABLE, /* no name, no route, no connection, no TLS */
    HTTP_TIMEOUT,
    HTTP_CANCELLED,
    HTTP_TOO_LARGE,
    HTTP_BROKEN, /* what came is not HTTP, or ended in the middle */
};

struct http_answer {
    enum http_end end;
    const char *why; /* for people; never has the body, a header's value or the query of the URL */
    int status;      /* the last that came, be it a redirect's; 0: none */
    const struct http_header *headers;
    size_t header_count;
    struct str body;
    const char *address; /* that was connected to: "127.0.0.1:4010"; NULL: none */
    bool reused;         /* an open connection */
    bool sent;           /* HTTP_REFUSED, HTTP_UNREACHABLE: only after a request had been sent, by
                            another connection or before a redirect; it may have been done */
    int64_t bytes, duration_ms;
};

/* Waits for the answer. False: writ-http cannot be spoken to; an answer of any kind is true. */
bool http_call(struct http *h, const struct http_request *request, struct arena *a,
               struct http_answer *out, struct error *e) NODISCARD;

/* The header of that name, whatever its case; .s is NULL: it is not there. */
struct str http_header(const struct http_answer *answer, const char *name);

/* How long it asks to be left alone (Retry-After), at most `most_ms`; -1: it does not. */
int64_t http_retry_after(const struct http_answer *answer, int64_t now_wall_ms, int64_t most_ms);

/* ---- WebSocket (RFC 6455), text messages ---- */

struct http_socket;

/* `request`: url ws:// or wss://, headers, hosts, timeout_ms (to open it), body_max (of a message).
 * `protocol`: the subprotocol that must be agreed on. False: it could not be opened, *e says why;
 * *status: that the server answered in place of opening it (CODE_PEER_ERROR), else 0. */
bool http_socket_open(struct http *h, const struct http_request *request, const char *protocol,
                      struct http_socket **out, int *status, struct error *e) NODISCARD;
bool http_socket_send(struct http_socket *s, struct str text, struct error *e) NODISCARD;

/* The next message; .s is NULL: the other side has closed. False: the time is over
 * (CODE_PEER_UNAVAILABLE), or it broke. */
bool http_socket_next(struct http_socket *s, int64_t timeout_ms, int cancel, struct arena *a,
                      struct str *out, struct error *e) NODISCARD;

/* What the other side closed with: its code and its reason, the words of a stranger; no text: it
 * has not closed, or did not say. */
const char *http_socket_farewell(const struct http_socket *s);
void http_socket_close(struct http_socket *s);
