/* SPDX-License-Identifier: Apache-2.0 */
/* sse.h: reads text/event-stream, piece by piece as it comes (WHATWG HTML, server-sent events). */
#pragma once

#include "base/buf.h"

/* Zero with .max set is one that has read nothing. */
struct sse {
    size_t max; /* bytes of a line, and of the data of an event */
    struct buf line, data, type;
    struct buf id, last_id; /* of this event; of the last one that ended */
    int64_t retry_ms;       /* as the server asked for; 0: it did not */
    bool has_data, after_cr, begun;
};

/* Told of each event: its type ("message" where it says none) and its data. False: enough. */
typedef bool sse_event(void *self, struct str type, struct str data);

/* The next bytes. False: it was enough, or something is above the ceiling (sse_full()). */
bool sse_feed(struct sse *s, struct str bytes, sse_event *event, void *self) NODISCARD;

/* The stream has ended and another goes on: what was not whole is forgotten, the last id is not. */
void sse_again(struct sse *s);
bool sse_full(const struct sse *s);
void sse_free(struct sse *s);
