/* SPDX-License-Identifier: Apache-2.0 */
/* socket.c: a server at a WebSocket: one message a text frame, subprotocol mcp.
 *
 * MCP does not have this transport; it lets others be made, and this is the one that its first
 * clients had.
 */
#include <poll.h>

#include "adapter/mcp/stream.h"
#include "contract/codes.h"

enum { A_TICK_MS = 2 };

/* "1011 out of memory" without secrets and control characters, and not too long. */
static const char *closed_told(const struct mcp *m, struct arena *a)
{
    const char *farewell = http_socket_farewell(m->own);

    if (!farewell[0])
        return "it has closed the connection";
    return arena_printf(a, "it has closed the connection: %s", mcp_words(m, str_of(farewell), a));
}

static enum stream_next socket_next(struct mcp *m, const struct mcp_exchange *x, struct arena *a,
                                    struct str *out)
{
    int64_t left = x->end_ms > 0 ? x->end_ms - mcp_now(m) : 0;
    struct pollfd cancel = { .fd = x->cancel, .events = POLLIN };
    struct error e = { 0 };

    if (http_socket_next(m->own, left > 0 ? left : 0, x->cancel, a, out, &e)) {
        if (out->s)
            return STREAM_MESSAGE;
        *out = str_of(closed_told(m, a));
        return STREAM_OVER;
    }
    if (x->cancel >= 0 && poll(&cancel, 1, 0) > 0)
        return STREAM_CANCELLED;
    /* The same code says that the time is over and that the peer went away: the clock tells. */
    if (e.code == CODE_PEER_UNAVAILABLE && mcp_now(m) + A_TICK_MS >= x->end_ms)
        return STREAM_NOTHING;
    *out = str_of(arena_text(a, str_of(e.msg)));
    return e.code == CODE_PEER_PROTOCOL ? STREAM_GARBLED : STREAM_OVER;
}

static const char *socket_send(struct mcp *m, struct str message)
{
    struct error e = { 0 };

    return http_socket_send(m->own, message, &e) ? NULL : "it does not take what it is sent";
}

static bool socket_open(struct mcp *m, struct error *e)
{
    static const struct stream_ops ops = { .next = socket_next, .send = socket_send };
    struct http_request request = { .method = "GET",
                                    .url = m->ask.url,
                                    .headers = m->ask.headers,
                                    .header_count = m->ask.header_count,
                                    .hosts = m->ask.hosts,
                                    .timeout_ms = m->ask.patience_ms,
                                    .body_max = m->ask.message_max,
                                    .cancel = m->ask.cancel };
    _arena_ struct arena a = { 0 };
    struct http_socket *socket;
    int status;

    m->stream = mem_zeroed(sizeof *m->stream);
    m->stream->ops = &ops;
    if (!m->ask.http || !m->ask.url)
        return error_set(e, CODE_PEER_UNAVAILABLE, "%s has no URL", m->ask.name);
    if (!http_socket_open(m->ask.http, &request, "mcp", &socket, &status, e)) {
        if (status)
            return error_set(e, e->code, "%s opens no WebSocket there: %s", m->ask.name,
                             mcp_status_words(m, status, &a));
        return error_wrap(e, "%s", m->ask.name);
    }
    m->own = socket;
    return true;
}

static void socket_close(struct mcp *m)
{
    if (m->own)
        http_socket_close(m->own);
}

const struct mcp_wire mcp_socket = {
    .open = socket_open, .exchange = stream_exchange, .look = stream_look, .close = socket_close
};
