/* SPDX-License-Identifier: Apache-2.0 */
/* http.h: one exchange over HTTP while it lasts, and the stream on which a server may ask. */
#pragma once

#include "adapter/mcp/parts.h"
#include "adapter/sse.h"

struct post {
    struct mcp *m;
    struct mcp_exchange *x;
    int status;
    bool streams; /* what comes are events */
    struct sse sse;
    struct buf body;
    const char *odd; /* what came and was no message */
    int begun;       /* an eventfd, told when the answer begins; 0: none */
};

struct post post_of(struct mcp *m, struct mcp_exchange *x);
void post_free(struct post *p);

/* Sends the exchange's message by POST, or takes up a stream by GET; what comes is heard. */
void post_ask(struct post *p, const char *method, struct str last_id);

/* mcp/listen.c: listens to what a server of the legacy era says beside its answers. */
void listen_begin(struct mcp *m);
void listen_end(struct mcp *m);
