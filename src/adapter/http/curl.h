/* SPDX-License-Identifier: Apache-2.0 */
/* curl.h: libcurl, as writ-http uses it: transfers side by side, whose connections stay open.
 *
 * What is allowed is decided by who listens; here it is only asked. No cookies, no .netrc, no
 * redirects, no encodings, http and https alone. Not for two threads.
 */
#pragma once

#include <poll.h>

#include "adapter/http/pack.h"
#include "adapter/http/policy.h"

struct web;
struct web_call;

/* What the environment says; NULL: nothing. */
struct web_settings {
    const char *certificates, *certificate_directory;
};

enum web_take {
    WEB_TAKEN,
    WEB_HOLD, /* not now: web_go_on() */
    WEB_STOP,
};

struct web_listener {
    /* A connection is about to be made, or used again, to that address. Of one that is used, `used`
     * is true, and the request is sent next. */
    bool (*may_reach)(void *self, const struct address *address, uint16_t port, bool used);
    bool (*line)(void *self, struct str line); /* of the head, with its end */
    enum web_take (*body)(void *self, struct str bytes);
    /* It has ended; `why` is for people. web_begin() and web_end() may be called. */
    void (*done)(void *self, enum http_end end, const char *why);
};

struct web_ask {
    const char *url, *method;
    const struct http_header *headers;
    size_t header_count;
    struct str body;   /* lent until the end; .s is NULL: none */
    const char *proxy; /* NULL: none */
    int64_t timeout_ms;
    int64_t body_max;  /* an answer that says it is longer is not read; 0: it is */
    bool connect_only; /* done is told when there is a connection: web_send(), web_receive() */
};

bool web_open(const struct web_settings *settings, struct web **out, struct error *e) NODISCARD;

/* The call stays until web_end(). NULL: it cannot be made. */
struct web_call *web_begin(struct web *w, const struct web_ask *ask,
                           const struct web_listener *listener, void *self);
void web_end(struct web_call *c);             /* NULL is fine */
bool web_go_on(struct web_call *c) NODISCARD; /* false: it has come to its end, untold */

int web_status(const struct web_call *c);
bool web_reused(const struct web_call *c);
const char *web_redirect(const struct web_call *c); /* where an answer points to; NULL: nowhere */

/* Of a call that is connect_only and was done. What was sent or received; 0: not now; -1: it is
 * over. */
int web_descriptor(const struct web_call *c);
ssize_t web_send(struct web_call *c, struct str bytes);
ssize_t web_receive(struct web_call *c, void *to, size_t room);

/* What to wait for: at most `room` descriptors, and until when (monotonic; -1: for ever). */
size_t web_polls(const struct web *w, struct pollfd *to, size_t room);
int64_t web_due_ms(const struct web *w);

/* Does what can be done. */
void web_go(struct web *w, const struct pollfd *ready, size_t n, int64_t now_ms);
