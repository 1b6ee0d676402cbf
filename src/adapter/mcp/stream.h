/* SPDX-License-Identifier: Apache-2.0 */
/* stream.h: calls that share one line, on which answers come in any order.
 *
 * There is no thread of our own. One of those that wait reads, and hands each answer to whom it
 * belongs; when it has its own it wakes another to read on. One caller alone thus never waits for a
 * second thread. While nobody waits nobody reads, and the server's words wait in the pipe.
 *
 * What came and is no message (somebody printed to stdout) is remembered and does no harm: only a
 * call that in the end has no answer says so, as MCP_GARBLED in place of MCP_LATE.
 */
#pragma once

#include "adapter/mcp/parts.h"

enum stream_next {
    STREAM_MESSAGE,
    STREAM_NOTHING,   /* time is over, or somebody wanted us to look around */
    STREAM_CANCELLED, /* by the exchange's own descriptor */
    STREAM_TOO_LARGE, /* a message above the ceiling; the rest of it is skipped */
    STREAM_GARBLED,   /* what came is not the transport's; the line is over */
    STREAM_OVER,
};

struct stream_ops {
    /* The next message, into the arena; `x` has the time and the cancel. */
    enum stream_next (*next)(struct mcp *m, const struct mcp_exchange *x, struct arena *a,
                             struct str *out);
    /* Sends a message, or sees to it that it is sent; NULL, or why the line is of no use. */
    const char *(*send)(struct mcp *m, struct str message);
};

enum { STREAM_ODD = 200 };

struct stream {
    const struct stream_ops *ops;
    /* Under the lock of the connection: */
    struct mcp_exchange *waiting;
    bool reading;
    bool over, garbled;
    char why[STREAM_ODD]; /* it is over */
    char odd[STREAM_ODD]; /* the last thing that came and was no message */
    uint64_t odds;
};

void stream_exchange(struct mcp *m, struct mcp_exchange *x);
void stream_look(struct mcp *m);
