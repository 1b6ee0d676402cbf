/* SPDX-License-Identifier: Apache-2.0 */
/* socket.c: asks writ-http for a WebSocket, and for what comes and goes by it. */
#include "adapter/http.h"

#include <stdio.h>

#include "adapter/http/line.h"
#include "adapter/http/pack.h"
#include "adapter/http/ws.h"
#include "contract/codes.h"

enum { GRACE_MS = 1000, WAITING = 64 << 20 }; /* bytes of messages that nobody asked for yet */

struct http_socket {
    struct http *http;
    struct line_call line;
    bool over;  /* nothing more is said about it */
    int status; /* that came in place of an opening; 0: none */
    char farewell[WS_CONTROL + sizeof "65535 "];
};

/* clang-format off */
static const enum code codes_of[] = {
    [HTTP_DONE]        = CODE_PEER_PROTOCOL,
    [HTTP_ENOUGH]      = CODE_PEER_PROTOCOL,
    [HTTP_REFUSED]     = CODE_HOST_REFUSED,
    [HTTP_UNREACHABLE] = CODE_PEER_UNAVAILABLE,
    [HTTP_TIMEOUT]     = CODE_PEER_UNAVAILABLE,
    [HTTP_CANCELLED]   = CODE_PEER_UNAVAILABLE,
    [HTTP_TOO_LARGE]   = CODE_PEER_PROTOCOL,
    [HTTP_BROKEN]      = CODE_PEER_PROTOCOL,
};
/* clang-format on */

/* The next frame about it. False: there is none, *e says why. */
static bool next_frame(struct http_socket *s, int64_t deadline_ms, int cancel,
                       struct http_frame *out, struct error *e)
{
    bool whole = false;

    for (;;) {
        if (!http_reader_take(&s->line.mail, out, &whole, e))
            return false;
        if (whole)
            return true;
        switch (line_wait(s->http, &s->line, deadline_ms, cancel, e)) {
        case LINE_MAIL: break;
        case LINE_LATE: return error_set(e, CODE_PEER_UNAVAILABLE, "no message came in time");
        case LINE_CANCELLED: return error_set(e, CODE_PEER_UNAVAILABLE, "it was cancelled");
        case LINE_DEAD: s->over = true; return false;
        }
    }
}

static int64_t deadline(const struct http_socket *s, int64_t timeout_ms)
{
    int64_t most_ms = timeout_ms < 0 ? 0 : timeout_ms > INT32_MAX ? INT32_MAX : timeout_ms;

    return line_now_ms(s->http) + most_ms;
}

static bool ended(struct http_socket *s, struct str body, bool *closed, struct error *e)
{
    struct http_ended end;

    s->over = true;
    *closed = false;
    if (!http_read_ended(body, &end))
        return error_set(e, CODE_IO, "writ-http says what cannot be read");
    s->status = end.status;
    *closed = end.end == HTTP_DONE;
    if (*closed)
        (void)snprintf(s->farewell, sizeof s->farewell, "%.*s", STR_ARG(end.why));
    return *closed || error_set(e, end.status ? CODE_PEER_ERROR : (int)codes_of[end.end], "%.*s",
                                STR_ARG(end.why));
}

/* ---- open and close ---- */

/* Requests have secrets in them. */
static void wipe(struct buf *b)
{
    if (b->s)
        explicit_bzero(b->s, b->len);
    buf_free(b);
}

static bool wait_until_open(struct http_socket *s, const struct http_request *request,
                            struct error *e)
{
    int64_t deadline_ms = deadline(s, request->timeout_ms) + GRACE_MS;
    struct http_frame f;
    bool closed;

    if (!next_frame(s, deadline_ms, request->cancel, &f, e))
        return false;
    if (f.kind == HTTP_OPENED)
        return true;
    if (f.kind == HTTP_END && !ended(s, f.body, &closed, e))
        return false;
    return error_set(e, CODE_PEER_PROTOCOL, "no WebSocket was opened");
}

bool http_socket_open(struct http *h, const struct http_request *request, const char *protocol,
                      struct http_socket **out, int *status, struct error *e)
{
    _cleanup_(wipe) struct buf frame = { .max = HTTP_FRAME_HEAD + http_frames[HTTP_OPEN].most };
    struct http_request asked = *request;
    struct http_socket *s;

    asked.body = (struct str){ 0 };
    asked.method = "GET";
    *status = 0;
    (void)http_frame_begin(&frame);
    http_pack_ask(&frame, &asked, protocol);
    if (!buf_ok(&frame) || request->header_count > HTTP_HEADERS ||
        request->hosts.allow_count > HTTP_HOSTS || request->hosts.deny_count > HTTP_HOSTS)
        return error_set(e, CODE_CEILING, "what opens a WebSocket has more than 1 MiB");
    s = mem_zeroed(sizeof *s);
    s->http = h;
    if (!line_begin(h, &s->line, HTTP_OPEN, &frame, WAITING, e)) {
        free(s);
        return false;
    }
    if (wait_until_open(s, request, e)) {
        *out = s;
        return true;
    }
    *status = s->status;
    http_socket_close(s);
    return false;
}

void http_socket_close(struct http_socket *s)
{
    if (!s)
        return;
    line_leave(s->http, &s->line, !s->over);
    free(s);
}

/* ---- messages ---- */

bool http_socket_send(struct http_socket *s, struct str text, struct error *e)
{
    if (text.n > HTTP_TEXT_MAX)
        return error_set(e, CODE_CEILING, "a message has %zu bytes, allowed are %d", text.n,
                         HTTP_TEXT_MAX);
    return line_send(s->http, &s->line, HTTP_SEND, text, e);
}

const char *http_socket_farewell(const struct http_socket *s)
{
    return s->farewell;
}

bool http_socket_next(struct http_socket *s, int64_t timeout_ms, int cancel, struct arena *a,
                      struct str *out, struct error *e)
{
    struct http_frame f;
    bool closed;

    if (s->over) {
        *out = (struct str){ 0 };
        return true;
    }
    if (!next_frame(s, deadline(s, timeout_ms), cancel, &f, e))
        return false;
    if (f.kind == HTTP_END) {
        if (!ended(s, f.body, &closed, e))
            return false;
        *out = (struct str){ 0 };
        return true;
    }
    if (f.kind != HTTP_TEXT)
        return error_set(e, CODE_IO, "writ-http says what cannot be read");
    *out = (struct str){ arena_text(a, f.body), f.body.n };
    return true;
}
