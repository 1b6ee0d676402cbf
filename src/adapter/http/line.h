/* SPDX-License-Identifier: Apache-2.0 */
/* line.h: the line to writ-http, which many calls share.
 *
 * Nobody reads it but those who wait: one of them reads for all, and hands over when it has what it
 * waited for. A caller that is alone pays for no other thread.
 */
#pragma once

#include <pthread.h>

#include "adapter/http.h"
#include "adapter/http/child.h"
#include "adapter/http/frame.h"
#include "base/world.h"

struct http {
    struct http_child child;
    const struct world *world;
    pthread_mutex_t writing; /* one frame after the other */
    pthread_mutex_t lock;    /* of all that follows */
    struct http_reader in;   /* of who reads, as is: */
    struct http_eager eager;
    struct line_call *calls;
    uint32_t last;
    bool reading; /* somebody does */
    bool dead;
    char how[ERROR_MSG]; /* it died */
};

struct line_call {
    struct line_call *next;
    uint32_t number;
    struct buf inbox;        /* frames that came; guarded by the line's lock */
    bool waits, lost;        /* lost: more came than there is room for */
    int wake;                /* an eventfd, once it has waited for another; -1 */
    struct http_reader mail; /* frames that were fetched: the call's own */
};

/* Begins a call, or a socket, with the frame in `frame`: it was made by http_frame_begin() and has
 * no end yet. `room`: bytes that may wait for the caller. False: writ-http cannot be spoken to. */
bool line_begin(struct http *h, struct line_call *c, enum http_kind kind, struct buf *frame,
                size_t room, struct error *e) NODISCARD;

/* One more frame about it. */
bool line_send(struct http *h, struct line_call *c, enum http_kind kind, struct str body,
               struct error *e) NODISCARD;

enum line_news {
    LINE_MAIL, /* there is some in c->mail */
    LINE_LATE,
    LINE_CANCELLED,
    LINE_DEAD, /* *e says how */
};

/* Waits until there is mail. All that was there before must have been taken. */
enum line_news line_wait(struct http *h, struct line_call *c, int64_t deadline_ms, int cancel,
                         struct error *e) NODISCARD;

/* The call is over; `stop`: for us, not yet for writ-http. */
void line_leave(struct http *h, struct line_call *c, bool stop);

int64_t line_now_ms(const struct http *h);
