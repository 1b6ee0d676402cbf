/* SPDX-License-Identifier: Apache-2.0 */
/* call.c: asks writ-http for a request, and waits for its answer. */
#include "adapter/http.h"

#include <sys/socket.h>
#include <sys/time.h>

#include "adapter/http/line.h"
#include "adapter/http/pack.h"

enum { GRACE_MS = 1000 }; /* in which writ-http has to say that the time is over */

bool http_open(const char *program, const char *const *environment, struct http **out,
               struct error *e)
{
    static const struct timeval look = { .tv_usec =
                                             100000 }; /* how often who waits sees the time */
    struct http *h = mem_zeroed(sizeof *h);

    if (!http_child_start(program, environment, &h->child, e)) {
        free(h);
        return false;
    }
    (void)setsockopt(h->child.channel, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof look);
    h->world = world_real();
    (void)pthread_mutex_init(&h->writing, NULL);
    (void)pthread_mutex_init(&h->lock, NULL);
    http_reader_open(&h->in, HTTP_PROGRAM);
    h->eager = http_eager_new();
    *out = h;
    return true;
}

void http_close(struct http *h)
{
    _arena_ struct arena a = { 0 };

    if (!h)
        return;
    if (!h->dead)
        (void)http_child_end(&h->child, &a);
    own_close(&h->child.channel);
    http_reader_close(&h->in);
    (void)pthread_mutex_destroy(&h->lock);
    (void)pthread_mutex_destroy(&h->writing);
    free(h);
}

/* ---- one call ---- */

struct calling {
    const struct http_request *request;
    struct arena *a;
    struct http_answer *out;
    struct buf body;
    bool over, known; /* known: writ-http has said so itself */
};

static void end_with(struct calling *c, enum http_end end, const char *why)
{
    c->out->end = end;
    c->out->why = why;
    c->over = true;
}

static const char *kept(struct calling *c, struct str text)
{
    return arena_text(c->a, text);
}

static struct http_header *kept_headers(struct calling *c, const struct http_begun *begun)
{
    struct http_header *headers = arena_alloc(c->a, begun->header_count * sizeof *headers);

    for (size_t i = 0; i < begun->header_count; i++) {
        const struct http_header *h = &begun->headers[i];

        headers[i].name = (struct str){ kept(c, h->name), h->name.n };
        headers[i].value = (struct str){ kept(c, h->value), h->value.n };
    }
    return headers;
}

static bool take_head(struct calling *c, struct str body)
{
    const struct http_request *r = c->request;
    struct http_begun begun;

    if (!http_read_begun(body, c->a, &begun))
        return false;
    c->out->status = begun.status;
    c->out->reused = begun.reused;
    c->out->address = kept(c, begun.address);
    c->out->headers = kept_headers(c, &begun);
    c->out->header_count = begun.header_count;
    if (r->head && !r->head(r->self, begun.status, c->out->headers, begun.header_count))
        end_with(c, HTTP_ENOUGH, "");
    return true;
}

static bool take_piece(struct calling *c, struct str bytes)
{
    const struct http_request *r = c->request;

    c->out->bytes += (int64_t)bytes.n;
    if (c->out->bytes > 0 && (uint64_t)c->out->bytes > r->body_max)
        return false;
    if (!r->piece)
        buf_add(&c->body, bytes.s, bytes.n);
    else if (!r->piece(r->self, bytes))
        end_with(c, HTTP_ENOUGH, "");
    return buf_ok(&c->body);
}

static bool take_end(struct calling *c, struct str body)
{
    struct http_ended ended;

    if (!http_read_ended(body, &ended))
        return false;
    end_with(c, ended.end, kept(c, ended.why));
    c->known = true;
    c->out->bytes = ended.bytes;
    c->out->sent = ended.sent;
    if (ended.status)
        c->out->status = ended.status;
    if (ended.address.n > 0)
        c->out->address = kept(c, ended.address);
    return true;
}

static bool take(struct calling *c, const struct http_frame *f)
{
    switch ((int)f->kind) {
    case HTTP_HEAD: return take_head(c, f->body);
    case HTTP_BODY: return take_piece(c, f->body);
    case HTTP_END: return take_end(c, f->body);
    default: return false;
    }
}

/* False: what writ-http says cannot be read. */
static bool take_mail(struct calling *c, struct line_call *line, struct error *e)
{
    struct http_frame f;
    bool whole = true;

    while (whole && !c->over) {
        if (!http_reader_take(&line->mail, &f, &whole, e))
            return false;
        if (whole && !take(c, &f))
            return error_set(e, ERROR_SYNTAX, "writ-http says what cannot be read");
    }
    return true;
}

static bool converse(struct http *h, struct calling *c, struct line_call *line, int64_t deadline_ms,
                     struct error *e)
{
    while (!c->over) {
        switch (line_wait(h, line, deadline_ms, c->request->cancel, e)) {
        case LINE_MAIL:
            if (!take_mail(c, line, e))
                return false;
            break;
        case LINE_LATE: end_with(c, HTTP_TIMEOUT, "no whole answer came in time"); break;
        case LINE_CANCELLED: end_with(c, HTTP_CANCELLED, "it was cancelled"); break;
        case LINE_DEAD: return false;
        }
    }
    return true;
}

/* What is too much for a frame never gets that far. */
static bool pack(struct calling *c, struct buf *frame)
{
    const struct http_request *r = c->request;

    if (r->header_count > HTTP_HEADERS || r->hosts.allow_count > HTTP_HOSTS ||
        r->hosts.deny_count > HTTP_HOSTS) {
        end_with(c, HTTP_REFUSED, "there are more than 1000 headers or hosts");
        return false;
    }
    (void)http_frame_begin(frame);
    http_pack_ask(frame, r, NULL);
    if (buf_ok(frame))
        return true;
    end_with(c, HTTP_TOO_LARGE, "the request has more than 64 MiB");
    return false;
}

/* Requests have secrets in them. */
static void wipe(struct buf *b)
{
    if (b->s)
        explicit_bzero(b->s, b->len);
    buf_free(b);
}

static bool call(struct http *h, struct calling *c, int64_t start_ms, struct error *e)
{
    _cleanup_(wipe) struct buf frame = { .max = HTTP_FRAME_HEAD + HTTP_ASK_MAX };
    int64_t timeout_ms = c->request->timeout_ms;
    struct line_call line;
    bool ok;

    if (!pack(c, &frame))
        return true;
    if (!line_begin(h, &line, HTTP_CALL, &frame, c->request->body_max, e))
        return false;
    timeout_ms = timeout_ms < 0 ? 0 : timeout_ms > INT32_MAX ? INT32_MAX : timeout_ms;
    ok = converse(h, c, &line, start_ms + timeout_ms + GRACE_MS, e);
    line_leave(h, &line, !c->known);
    return ok;
}

bool http_call(struct http *h, const struct http_request *request, struct arena *a,
               struct http_answer *out, struct error *e)
{
    int64_t start_ms = line_now_ms(h);
    struct http_answer answer = { 0 };
    _buf_ struct buf body = { 0 };
    struct calling c = { .request = request, .a = a, .out = &answer };
    bool ok;

    c.body.max = request->body_max < SIZE_MAX / 2 ? request->body_max + 1 : SIZE_MAX / 2;
    ok = call(h, &c, start_ms, e);
    body = c.body;
    if (!ok)
        return false;
    answer.body = (struct str){ arena_text(a, buf_str(&body)), body.len };
    answer.duration_ms = line_now_ms(h) - start_ms;
    *out = answer;
    return true;
}

struct str http_header(const struct http_answer *answer, const char *name)
{
    for (size_t i = 0; i < answer->header_count; i++)
        if (str_cmp_letters(answer->headers[i].name, str_of(name)) == 0)
            return answer->headers[i].value;
    return (struct str){ 0 };
}
