/* SPDX-License-Identifier: Apache-2.0 */
/* http.c: streamable HTTP: each request is a POST whose answer is JSON or a stream of events.
 *
 * In the legacy era a stream may end before the answer has come: it is taken up again where it
 * ended, by GET, after the time the server asked for. In the modern era to close it is to call off.
 */
#include "adapter/mcp/http.h"

#include <poll.h>
#include <sys/eventfd.h>

#include "contract/codes.h"

enum {
    STREAM_MAX = 256 << 20, /* bytes of one stream, whatever is in it */
    REDIRECTS = 3,          /* to the same host and port alone */
    RETRY_MS = 1000,        /* where the server names no time */
    RESUMES = 100,          /* that one request may take */
    REPLY_MS = 10000,       /* at most, for the answer to a server that asks */
    BYE_MS = 1000,
    HEADERS = 8, /* of the protocol, besides those of the caller and of the tool */
};

/* ---- headers ---- */

struct head {
    struct http_header *v;
    size_t n;
};

static void add_header(struct head *h, const char *name, struct str value)
{
    h->v[h->n++] = (struct http_header){ str_of(name), value };
}

static void add_headers(struct head *h, const struct http_header *more, size_t n)
{
    if (n)
        memcpy(h->v + h->n, more, n * sizeof *more);
    h->n += n;
}

static struct str session_of(struct mcp *m, struct arena *a)
{
    struct str session = { 0 };

    pthread_mutex_lock(&m->lock);
    if (m->session)
        session = str_of(arena_text(a, str_of(m->session)));
    pthread_mutex_unlock(&m->lock);
    return session;
}

static struct head headers_for(struct mcp *m, const struct mcp_exchange *x, struct str last_id)
{
    size_t room = HEADERS + m->ask.header_count + x->header_count;
    struct head h = { arena_alloc(x->a, room * sizeof *h.v), 0 };
    struct str session = session_of(m, x->a);

    add_header(&h, "Accept", str_of("application/json, text/event-stream"));
    if (x->message.n)
        add_header(&h, "Content-Type", str_of("application/json"));
    if (m->version)
        add_header(&h, "MCP-Protocol-Version", str_of(m->version));
    if (m->era == MCP_MODERN) {
        add_header(&h, "Mcp-Method", str_of(x->method));
        if (x->name.n)
            add_header(&h, "Mcp-Name", header_value(x->name, x->a));
        add_headers(&h, x->headers, x->header_count);
    }
    if (session.n && m->era == MCP_LEGACY)
        add_header(&h, "Mcp-Session-Id", session);
    if (last_id.n)
        add_header(&h, "Last-Event-ID", last_id);
    add_headers(&h, m->ask.headers, m->ask.header_count);
    return h;
}

/* ---- the end of an exchange that is none by its answer ---- */

static void fail(struct mcp_exchange *x, enum mcp_end end, const char *why)
{
    x->end = end;
    x->why = arena_text(x->a, str_of(why ? why : ""));
    x->done = true;
}

/* Whatever a server sends, an exchange has its time, and ends when it is called off. */
static bool is_over(const struct post *p)
{
    struct pollfd cancel = { .fd = p->x->cancel, .events = POLLIN };

    if (p->x->done)
        return true;
    if (p->x->cancel >= 0 && poll(&cancel, 1, 0) > 0)
        fail(p->x, MCP_CANCELLED, "it was called off");
    else if (mcp_now(p->m) >= p->x->end_ms)
        fail(p->x, MCP_LATE, "no answer in time");
    return p->x->done;
}

/* ---- replies ---- */

/* To a server that asks while it answers: another POST, beside the one that brought the question
 * and goes on when it is answered. It has no more time than that one, and ends with it. */
static void send_reply(const struct post *p, struct str text)
{
    _arena_ struct arena a = { 0 };
    struct mcp *m = p->m;
    int64_t left = p->x->end_ms - mcp_now(m);
    struct mcp_exchange x = { .method = "", .message = text, .cancel = -1, .a = &a };
    struct head h = headers_for(m, &x, (struct str){ 0 });
    struct http_request request = { .method = "POST",
                                    .url = m->ask.url,
                                    .headers = h.v,
                                    .header_count = h.n,
                                    .body = text,
                                    .hosts = m->ask.hosts,
                                    .timeout_ms = left < REPLY_MS ? left : REPLY_MS,
                                    .body_max = MCP_MESSAGE_MAX,
                                    .redirects_max = REDIRECTS,
                                    .cancel = p->x->cancel };
    struct http_answer answer;
    struct error e;
    bool sent = left > 0 && http_call(m->ask.http, &request, &a, &answer, &e);

    (void)sent; /* a reply that does not arrive is missed by who asked: the call goes late */
}

/* ---- what comes ---- */

/* One message; false: it is the answer, or no time is left for one. An error that names no request
 * is about this one. */
static bool hear(struct post *p, struct str text)
{
    _arena_ struct arena own = { 0 };
    _buf_ struct buf reply = { .max = MCP_MESSAGE_MAX };
    struct mcp_exchange *x = p->x;
    struct rpc_message message;

    mcp_seen(p->m, false, text);
    mcp_read(p->m, (struct str){ arena_text(&own, text), text.n }, &own, &message);
    if (message.kind == RPC_ANSWER &&
        (rpc_id_is(message.id, x->id) || (!message.id && message.error))) {
        arena_join(x->a, &own);
        x->answer = message;
        x->end = message.error ? MCP_ERROR : MCP_DONE;
        x->done = true;
        if (!message.error && p->status / 100 != 2) /* it says yes and no */
            fail(x, MCP_ERROR, mcp_status_words(p->m, p->status, x->a));
        return false;
    }
    if (message.kind == RPC_REQUEST || message.kind == RPC_NOTE) {
        mcp_hear(p->m, &message, &reply);
        if (reply.len) {
            send_reply(p, buf_str(&reply));
            return !is_over(p);
        }
    } else if (x->id > 0 && p->status / 100 == 2 && rpc_id_means(message.id, x->id)) {
        fail(x, MCP_GARBLED, message.wrong ? message.wrong : rpc_text_id);
        return false;
    } else if (!p->odd) { /* one is enough to tell, and there may be many */
        p->odd = message.wrong ? arena_text(x->a, str_of(message.wrong))
                               : "an answer to no request of ours";
    }
    return true;
}

static bool on_event(void *self, struct str type, struct str data)
{
    struct post *p = self;

    (void)type;
    return data.n == 0 || hear(p, data);
}

static bool is_events(struct str type)
{
    static const char events[] = "text/event-stream";
    size_t n = sizeof events - 1;

    return type.n >= n && str_cmp_letters((struct str){ type.s, n }, str_of(events)) == 0;
}

static void keep_session(struct mcp *m, struct str id)
{
    for (size_t i = 0; i < id.n; i++)
        if (id.s[i] < '!' || id.s[i] > '~')
            return;
    pthread_mutex_lock(&m->lock);
    free(m->session);
    m->session = strndup(id.s, id.n);
    pthread_mutex_unlock(&m->lock);
}

static bool on_head(void *self, int status, const struct http_header *headers, size_t n)
{
    struct post *p = self;
    struct http_answer answer = { .headers = headers, .header_count = n };
    struct str session = http_header(&answer, "Mcp-Session-Id");
    struct str type = http_header(&answer, "Content-Type");
    const struct world *world = p->m->ask.world;
    int64_t later = http_retry_after(&answer, world->wall_ms(world->self), INT64_MAX);

    p->status = status;
    p->x->later_ms = later > 0 ? later : 0;
    p->streams = status == 200 && type.s && is_events(type);
    if (session.s && session.n > 0 && p->m->era == MCP_LEGACY &&
        strcmp(p->x->method, "initialize") == 0)
        keep_session(p->m, session);
    if (p->begun > 0)
        (void)eventfd_write(p->begun, 1);
    return true;
}

static bool on_piece(void *self, struct str bytes)
{
    struct post *p = self;

    if (p->streams)
        return !is_over(p) && sse_feed(&p->sse, bytes, on_event, p);
    buf_add(&p->body, bytes.s, bytes.n);
    return buf_ok(&p->body);
}

/* ---- one exchange ---- */

/* How the call ended, where that is not by an answer that can be looked at. */
static void take_end(struct mcp_exchange *x, const struct http_answer *answer)
{
    static const enum mcp_end ends[] = {
        [HTTP_REFUSED] = MCP_REFUSED,     [HTTP_UNREACHABLE] = MCP_GONE,
        [HTTP_TIMEOUT] = MCP_LATE,        [HTTP_CANCELLED] = MCP_CANCELLED,
        [HTTP_TOO_LARGE] = MCP_TOO_LARGE, [HTTP_BROKEN] = MCP_GONE,
    };

    fail(x, ends[answer->end], answer->why);
}

void post_ask(struct post *p, const char *method, struct str last_id)
{
    struct mcp *m = p->m;
    struct mcp_exchange *x = p->x;
    int64_t left = x->end_ms - mcp_now(m);
    struct head h = headers_for(m, x, last_id);
    struct http_request request = { .method = method,
                                    .url = m->ask.url,
                                    .headers = h.v,
                                    .header_count = h.n,
                                    .hosts = m->ask.hosts,
                                    .timeout_ms = left > 0 ? left : 1,
                                    .body_max = STREAM_MAX,
                                    .redirects_max = REDIRECTS,
                                    .cancel = x->cancel,
                                    .head = on_head,
                                    .piece = on_piece,
                                    .self = p };
    struct http_answer answer = { 0 };
    struct error e = { 0 };
    bool called;

    if (method[0] == 'P')
        request.body = x->message;
    p->streams = false;
    buf_reset(&p->body);
    sse_again(&p->sse);
    called = http_call(m->ask.http, &request, x->a, &answer, &e);
    x->sent |= !called || answer.sent || answer.end != HTTP_UNREACHABLE;
    if (!called)
        fail(x, MCP_GONE, e.msg);
    else if (sse_full(&p->sse) || !buf_ok(&p->body))
        fail(x, MCP_TOO_LARGE, mcp_large_words(m, x->a));
    else if (!x->done && answer.end != HTTP_DONE && answer.end != HTTP_ENOUGH &&
             !(p->streams && answer.end == HTTP_BROKEN))
        take_end(x, &answer);
    x->status = p->status;
}

/* Waits as long as the server asked for; false: it is over. */
static bool rest(struct mcp *m, struct mcp_exchange *x, int64_t ms)
{
    struct pollfd p = { .fd = x->cancel, .events = POLLIN };

    if (mcp_now(m) + ms >= x->end_ms)
        fail(x, MCP_LATE, "its stream ended, and no time is left to take it up again");
    else if (poll(&p, 1, (int)ms) != 0)
        fail(x, MCP_CANCELLED, "it was called off");
    return !x->done;
}

/* It took the request, which must not be sent twice whatever it says now. */
static void not_again(struct post *p, const char *why)
{
    fail(p->x, MCP_GONE,
         arena_printf(p->x->a, "its stream ended before the answer, and is not to be had again: %s",
                      why));
    p->x->status = 0;
}

/* A server that is away may be starting anew: it is asked as long as there is time. */
static void resume(struct post *p)
{
    struct mcp_exchange *x = p->x;
    bool away = false;

    for (int i = 0; i < RESUMES && (away || (!x->done && p->streams)) && p->sse.last_id.len; i++) {
        struct str last = { arena_text(x->a, buf_str(&p->sse.last_id)), p->sse.last_id.len };
        int64_t wait_ms = p->sse.retry_ms ? p->sse.retry_ms : RETRY_MS;

        x->done = false;
        if (!rest(p->m, x, away && wait_ms < RETRY_MS ? RETRY_MS : wait_ms))
            return;
        post_ask(p, "GET", last);
        away = x->done && x->end == MCP_GONE && !p->streams;
        if (away)
            not_again(p, x->why);
        else if (!x->done && !p->streams)
            not_again(p, arena_printf(x->a, "HTTP status %d", p->status));
    }
}

static void conclude(struct post *p)
{
    struct mcp_exchange *x = p->x;

    if (!x->done && p->body.len > 0 && !p->streams)
        (void)hear(p, buf_str(&p->body));
    if (x->done || x->id == 0)
        return;
    if (p->status < 200 || p->status > 299) {
        fail(x, MCP_ERROR, mcp_status_words(p->m, p->status, x->a));
        return;
    }
    if (mcp_now(p->m) >= x->end_ms)
        fail(x, MCP_LATE, "no answer in time");
    else if (p->streams && !p->odd)
        fail(x, MCP_GONE, "its stream ended before the answer");
    else
        fail(x, MCP_GARBLED, p->odd ? p->odd : "it answered without a message");
}

static void put_id(const void *self, struct buf *to)
{
    const struct mcp_exchange *x = self;

    buf_addf(to, "\"requestId\":%lld", (long long)x->id);
}

/* In the legacy era to hang up is not to call off: the server is told. */
static void call_off(struct mcp *m, const struct mcp_exchange *x)
{
    struct mcp_want want = { .method = "notifications/cancelled",
                             .params = put_id,
                             .self = x,
                             .end_ms = mcp_now(m) + MCP_CANCEL_MS,
                             .cancel = -1 };

    mcp_notify(m, &want);
}

struct post post_of(struct mcp *m, struct mcp_exchange *x)
{
    return (struct post){
        .m = m, .x = x, .sse = { .max = m->ask.message_max }, .body = { .max = m->ask.message_max }
    };
}

void post_free(struct post *p)
{
    sse_free(&p->sse);
    buf_free(&p->body);
}

static void exchange(struct mcp *m, struct mcp_exchange *x)
{
    struct post p = post_of(m, x);

    mcp_seen(m, true, x->message);
    post_ask(&p, "POST", (struct str){ 0 });
    if (m->era == MCP_LEGACY && x->id > 0)
        resume(&p);
    conclude(&p);
    post_free(&p);
    if (m->era == MCP_LEGACY && x->id > 0 && (x->end == MCP_LATE || x->end == MCP_CANCELLED) &&
        strcmp(x->method, "initialize") != 0)
        call_off(m, x);
}

/* ---- opening and closing ---- */

static bool http_wire_open(struct mcp *m, struct error *e)
{
    return (m->ask.http && m->ask.url) ||
           error_set(e, CODE_PEER_UNAVAILABLE, "%s has no URL", m->ask.name);
}

static void http_wire_close(struct mcp *m)
{
    _arena_ struct arena a = { 0 };
    struct mcp_exchange x = { .method = "", .cancel = -1, .a = &a };
    struct http_request request = { .method = "DELETE",
                                    .url = m->ask.url,
                                    .hosts = m->ask.hosts,
                                    .timeout_ms = BYE_MS,
                                    .body_max = 1 << 16,
                                    .cancel = -1 };
    struct http_answer answer;
    struct error e;
    struct head h;
    bool told;

    listen_end(m);
    if (!m->session)
        return;
    h = headers_for(m, &x, (struct str){ 0 });
    request.headers = h.v;
    request.header_count = h.n;
    told = http_call(m->ask.http, &request, &a, &answer, &e);
    (void)told; /* a session that is not ended ends by itself */
}

const struct mcp_wire mcp_http = {
    .open = http_wire_open,
    .exchange = exchange,
    .begun = listen_begin,
    .close = http_wire_close,
};
