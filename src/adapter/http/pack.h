/* SPDX-License-Identifier: Apache-2.0 */
/* pack.h: requests, heads and ends as the bodies of frames. What does not read is refused. */
#pragma once

#include "adapter/http.h"

/* What a request is on the other side; everything lies in the frame's body, or in `a`. */
struct http_ask {
    struct str method, url, protocol; /* .protocol: of a WebSocket */
    const struct http_header *headers;
    size_t header_count;
    struct str body; /* .s is NULL: none */
    struct http_hosts hosts;
    int64_t timeout_ms, body_max;
    int redirects_max;
    bool plain;
};

/* What the other side says first of an answer, and last. */
struct http_begun {
    int status;
    bool reused;
    struct str address;
    const struct http_header *headers;
    size_t header_count;
};

struct http_ended {
    enum http_end end;
    int status; /* the last that came, be it a redirect's or of a WebSocket not opened; 0: none */
    bool sent;  /* a request, by whichever connection */
    int64_t bytes;
    struct str why, address;
};

void http_pack_ask(struct buf *to, const struct http_request *request, const char *protocol);
void http_pack_begun(struct buf *to, const struct http_begun *head);
void http_pack_ended(struct buf *to, const struct http_ended *end);

bool http_read_ask(struct str body, struct arena *a, struct http_ask *out) NODISCARD;
bool http_read_begun(struct str body, struct arena *a, struct http_begun *out) NODISCARD;
bool http_read_ended(struct str body, struct http_ended *out) NODISCARD;
