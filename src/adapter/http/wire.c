/* SPDX-License-Identifier: Apache-2.0 */
/* wire.c: a WebSocket, on the side of strangers. */
#include "adapter/http/serve.h"
#include "adapter/http/ws.h"

enum { RECEIVED = 64 << 10, OUT_MAX = 64 << 20, GIVE_BACK = 1 << 20, TURNS = 16 };

enum wire_state {
    WIRE_CONNECTS,
    WIRE_ASKS, /* for a WebSocket: no answer has come */
    WIRE_OPEN,
};

struct wire {
    struct wire *next;
    struct serve *serve;
    uint32_t call;
    struct asked asked;
    struct web_call *web;
    enum wire_state state;
    uint8_t key[WS_KEY];
    struct buf head; /* the answer, as far as it has come */
    struct buf out;
    size_t sent;
    bool pinged; /* and the pong waits until all else is sent: */
    char pong[WS_CONTROL];
    size_t pong_bytes;
    struct ws_reader in;
    bool more;  /* may be here: TLS keeps what no descriptor tells of */
    int status; /* that the server answered in place of opening it; else 0 */
    int64_t bytes;
};

/* ---- end ---- */

static void leave(struct wire *w)
{
    struct wire **at = &w->serve->wires;

    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    w->serve->wire_count--;
    web_end(w->web);
    asked_close(&w->asked);
    buf_free(&w->head);
    if (w->out.s)
        explicit_bzero(w->out.s, w->out.cap);
    buf_free(&w->out);
    ws_reader_free(&w->in);
    free(w);
}

static void end_with(struct wire *w, enum http_end end, const char *why)
{
    struct http_ended ended = {
        .end = end, .status = w->status, .bytes = w->bytes, .why = str_of(why)
    };

    asked_say_end(&w->asked, w->serve, w->call, &ended);
    leave(w);
}

/* ---- out ---- */

static void mask_for(const struct wire *w, uint8_t mask[4])
{
    w->serve->world->chance(w->serve->world->self, mask, 4);
}

/* What was sent, while more waits: when it is more than what has to be moved for it. */
static void give_back(struct wire *w)
{
    size_t before = w->out.len;

    if (w->sent < GIVE_BACK || w->sent < before - w->sent)
        return;
    buf_drop(&w->out, w->sent);
    explicit_bzero(w->out.s + w->out.len, before - w->out.len);
    w->sent = 0;
}

static void add_pong(struct wire *w)
{
    uint8_t mask[4];

    if (!w->pinged)
        return;
    mask_for(w, mask);
    ws_frame_add(&w->out, WS_PONG, (struct str){ w->pong, w->pong_bytes }, mask);
    w->pinged = false;
}

/* All is sent but for the pong, if one waits. */
static void begin_anew(struct wire *w)
{
    if (w->out.s)
        explicit_bzero(w->out.s, w->out.len);
    buf_reset(&w->out);
    w->sent = 0;
    add_pong(w);
}

/* False: the connection is over, or nobody reads at its other end. */
static bool flush(struct wire *w)
{
    if (w->sent == w->out.len)
        begin_anew(w);
    while (w->sent < w->out.len) {
        ssize_t n = web_send(w->web, (struct str){ w->out.s + w->sent, w->out.len - w->sent });

        if (n == 0) {
            give_back(w);
            return true;
        }
        if (n < 0)
            return false;
        w->sent += (size_t)n;
        if (w->sent == w->out.len)
            begin_anew(w);
    }
    return true;
}

static bool put(struct wire *w, struct str message)
{
    uint8_t mask[4];

    add_pong(w);
    mask_for(w, mask);
    ws_frame_add(&w->out, WS_TEXT, message, mask);
    return buf_ok(&w->out) && flush(w);
}

/* A server that pings and does not read has one pong to wait for, that of its last ping (RFC 6455,
 * 5.5.3). */
static bool answer_ping(struct wire *w, struct str payload)
{
    if (payload.n > 0)
        memcpy(w->pong, payload.s, payload.n);
    w->pong_bytes = payload.n;
    w->pinged = true;
    return flush(w);
}

/* What we say last is said once: nobody waits for it to arrive. */
static void close_with(struct wire *w, int code)
{
    uint8_t mask[4];

    if (w->state != WIRE_OPEN)
        return;
    mask_for(w, mask);
    ws_close_add(&w->out, code, mask);
    (void)(buf_ok(&w->out) && flush(w));
}

void wire_send(struct serve *s, const struct http_frame *f)
{
    struct wire *w = s->wires;

    while (w && w->call != f->call)
        w = w->next;
    if (w && w->state == WIRE_OPEN && !put(w, f->body))
        end_with(w, HTTP_UNREACHABLE, "the connection broke in the middle");
}

bool wire_stop(struct serve *s, uint32_t call)
{
    for (struct wire *w = s->wires; w; w = w->next) {
        if (w->call != call)
            continue;
        close_with(w, WS_NORMAL);
        leave(w);
        return true;
    }
    return false;
}

/* ---- opening ---- */

static void add_line(struct buf *to, const char *name, struct str value)
{
    buf_adds(to, name);
    buf_adds(to, ": ");
    buf_add(to, value.s, value.n);
    buf_adds(to, "\r\n");
}

static bool ask(struct wire *w)
{
    const struct http_place *p = &w->asked.place;
    struct buf *to = &w->out;

    w->serve->world->chance(w->serve->world->self, w->key, sizeof w->key);
    buf_adds(to, "GET ");
    if (p->path.n == 0 || p->path.s[0] != '/')
        buf_addc(to, '/');
    buf_add(to, p->path.s, p->path.n);
    buf_addf(to, " HTTP/1.1\r\nHost: %s%.*s%s:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
             p->is_address && p->address.six ? "[" : "", STR_ARG(p->host),
             p->is_address && p->address.six ? "]" : "", p->port);
    buf_adds(to, "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ");
    ws_key_add(to, w->key);
    buf_adds(to, "\r\n");
    if (w->asked.ask.protocol.n > 0)
        add_line(to, "Sec-WebSocket-Protocol", w->asked.ask.protocol);
    for (size_t i = 0; i < w->asked.ask.header_count; i++) {
        const struct http_header *h = &w->asked.ask.headers[i];

        add_line(to, arena_text(&w->asked.a, h->name), h->value);
    }
    buf_adds(to, "\r\n");
    w->state = WIRE_ASKS;
    return buf_ok(to) && flush(w);
}

/* The head that answers; others of 1xx may come before it (RFC 9110, 15.2). What came behind it is
 * the first of the frames. *end: bytes up to there; 0: it is not whole yet. */
static bool opened(struct wire *w, size_t *end)
{
    const char *why;
    int status;

    *end = 0;
    do {
        struct str head = { w->head.s + *end, w->head.len - *end };
        size_t n = ws_head_end(head);

        if (n == 0) {
            *end = 0;
            return w->head.len < WS_HEAD_MAX ||
                   asked_refuse(&w->asked, HTTP_TOO_LARGE, "the head of the answer is too large");
        }
        why = ws_disagrees((struct str){ head.s, n - 2 }, w->key, w->asked.ask.protocol, &status);
        *end += n;
    } while (status >= 100 && status < 200 && status != WS_SWITCHED);
    if (why && status > 0 && status != WS_SWITCHED) {
        w->status = status;
        why = arena_printf(&w->asked.a, "%s: HTTP status %d", why, status);
    }
    if (why)
        return asked_refuse(&w->asked, HTTP_BROKEN, why);
    w->state = WIRE_OPEN;
    serve_say(w->serve, HTTP_OPENED, w->call, (struct str){ 0 });
    return true;
}

/* ---- in ---- */

/* What it closes with, as "1011 out of memory"; no text: it does not say. */
static const char *farewell(struct wire *w, const struct ws_event *event)
{
    if (!event->code)
        return "";
    return arena_printf(&w->asked.a, "%d%s%.*s", event->code, event->text.n ? " " : "",
                        STR_ARG(event->text));
}

/* False: it is over, and w is gone. */
static bool heard(struct wire *w, const struct ws_event *event)
{
    switch (event->news) {
    case WS_MORE: return true;
    case WS_MESSAGE: serve_say(w->serve, HTTP_TEXT, w->call, event->text); return true;
    case WS_PINGED:
        if (answer_ping(w, event->text))
            return true;
        end_with(w, HTTP_UNREACHABLE, "the connection broke in the middle");
        return false;
    case WS_CLOSED:
        close_with(w, event->code ? event->code : WS_NORMAL);
        end_with(w, HTTP_DONE, farewell(w, event));
        return false;
    case WS_BROKEN:
        close_with(w, event->code);
        end_with(w, event->code == WS_LARGE ? HTTP_TOO_LARGE : HTTP_BROKEN, event->why);
        return false;
    }
    return false;
}

static bool take(struct wire *w, struct str bytes)
{
    struct ws_event event;

    if (w->state == WIRE_ASKS) {
        size_t end = 0;

        buf_add(&w->head, bytes.s, bytes.n);
        if (!buf_ok(&w->head) || !opened(w, &end)) {
            end_with(w, HTTP_BROKEN, "the head of the answer is too large");
            return false;
        }
        bytes = (struct str){ w->head.s + end, end ? w->head.len - end : 0 };
    }
    if (w->state != WIRE_OPEN)
        return true;
    ws_reader_give(&w->in, bytes);
    do {
        event = ws_next(&w->in);
        if (!heard(w, &event))
            return false;
    } while (event.news != WS_MORE);
    return true;
}

/* A server that never stops gets its turn, and others get theirs. */
static void receive(struct wire *w)
{
    static char bytes[RECEIVED];

    for (int i = 0; i < TURNS && !serve_is_full(w->serve); i++) {
        ssize_t n = web_receive(w->web, bytes, sizeof bytes);

        w->more = n > 0;
        if (n == 0)
            return;
        if (n < 0) {
            end_with(w, HTTP_UNREACHABLE, "the connection was closed in the middle");
            return;
        }
        w->bytes += n;
        if (!take(w, (struct str){ bytes, (size_t)n }))
            return;
    }
}

/* ---- begin ---- */

static bool on_reach(void *self, const struct address *address, uint16_t port, bool used)
{
    struct wire *w = self;

    (void)used;
    return asked_may_reach(&w->asked, address, port);
}

static bool on_line(void *self, struct str line)
{
    (void)self;
    (void)line;
    return true;
}

static enum web_take on_body(void *self, struct str bytes)
{
    (void)self;
    (void)bytes;
    return WEB_STOP;
}

static void on_done(void *self, enum http_end end, const char *why)
{
    struct wire *w = self;

    if (end != HTTP_DONE)
        end_with(w, end, why);
    else if (!ask(w))
        end_with(w, HTTP_UNREACHABLE, "the connection broke in the middle");
}

static const struct web_listener listener = { on_reach, on_line, on_body, on_done };

/* curl connects, with TLS and through proxies; it does not know ws:// */
static bool connect_it(struct wire *w)
{
    struct web_ask *web = &w->asked.web;
    const char *rest = strchr(web->url, ':');

    web->url = arena_printf(&w->asked.a, "%s%s", w->asked.place.tls ? "https" : "http", rest);
    web->method = "GET";
    web->header_count = 0;
    web->body = (struct str){ 0 };
    web->connect_only = true;
    w->web = web_begin(w->serve->web, web, &listener, w);
    return w->web != NULL;
}

void wire_begin(struct serve *s, const struct http_frame *f)
{
    struct wire *w = mem_zeroed(sizeof *w);
    bool good;

    w->serve = s;
    w->call = f->call;
    w->next = s->wires;
    s->wires = w;
    s->wire_count++;
    w->head.max = WS_HEAD_MAX + RECEIVED;
    w->out.max = OUT_MAX;
    good = asked_open(&w->asked, s, f->body, true);
    ws_reader_open(&w->in, w->asked.ask.body_max < HTTP_TEXT_MAX ? (size_t)w->asked.ask.body_max
                                                                 : HTTP_TEXT_MAX);
    if (!good)
        end_with(w, HTTP_REFUSED, "");
    else if (s->wire_count > SERVE_SOCKETS)
        end_with(w, HTTP_UNREACHABLE, "there are too many WebSockets at once");
    else if (!connect_it(w))
        end_with(w, HTTP_UNREACHABLE, "libcurl cannot make another connection");
}

/* ---- the loop's part ---- */

/* A place for each, in the order of the list; who is not waited for has none. */
size_t wires_polls(const struct serve *s, struct pollfd *to, size_t room)
{
    size_t n = 0;

    for (const struct wire *w = s->wires; w && n < room; w = w->next) {
        if (w->state == WIRE_CONNECTS)
            continue;
        to[n++] = (struct pollfd){
            web_descriptor(w->web),
            (short)((serve_is_full(s) ? 0 : POLLIN) | (w->out.len > w->sent ? POLLOUT : 0)), 0
        };
    }
    return n;
}

/* Opening has a deadline; libcurl's own ends where it has connected. */
int64_t wires_due_ms(const struct serve *s)
{
    int64_t due_ms = -1;

    for (const struct wire *w = s->wires; w; w = w->next)
        if (w->more && !serve_is_full(s))
            due_ms = 0;
        else if (w->state != WIRE_OPEN && (due_ms < 0 || w->asked.deadline_ms < due_ms))
            due_ms = w->asked.deadline_ms;
    return due_ms;
}

static bool is_ready(const struct wire *w, const struct pollfd *ready, size_t n)
{
    int fd = web_descriptor(w->web);

    for (size_t i = 0; i < n; i++)
        if (ready[i].fd == fd && ready[i].revents)
            return true;
    return w->more;
}

void wires_go(struct serve *s, const struct pollfd *ready, size_t n)
{
    int64_t now_ms = s->wires ? serve_now_ms(s) : 0;

    for (struct wire *w = s->wires, *next; w; w = next) {
        next = w->next;
        if (w->state != WIRE_OPEN && now_ms >= w->asked.deadline_ms)
            end_with(w, HTTP_TIMEOUT, "no WebSocket was opened in time");
        else if (w->state == WIRE_CONNECTS || !is_ready(w, ready, n))
            continue;
        else if (!flush(w))
            end_with(w, HTTP_UNREACHABLE, "the connection broke in the middle");
        else
            receive(w);
    }
}
