/* SPDX-License-Identifier: Apache-2.0 */
/* pack.c: numbers and texts one behind the other, each text with its length before it. */
#include "adapter/http/pack.h"

#include "adapter/http/frame.h"

/* ---- out ---- */

static void put_number(struct buf *to, int64_t n)
{
    buf_add(to, &n, sizeof n);
}

static void put_text(struct buf *to, struct str text)
{
    put_number(to, (int64_t)text.n);
    buf_add(to, text.s, text.n);
}

static void put_headers(struct buf *to, const struct http_header *headers, size_t n)
{
    put_number(to, (int64_t)n);
    for (size_t i = 0; i < n; i++) {
        put_text(to, headers[i].name);
        put_text(to, headers[i].value);
    }
}

static void put_texts(struct buf *to, const struct str *texts, size_t n)
{
    put_number(to, (int64_t)n);
    for (size_t i = 0; i < n; i++)
        put_text(to, texts[i]);
}

static size_t size_of(const struct str *texts, size_t n)
{
    size_t all = 0;

    for (size_t i = 0; i < n; i++)
        all += texts[i].n + sizeof(int64_t);
    return all;
}

/* All of it at once: a buffer that grows leaves copies of secrets behind. */
static bool make_room(struct buf *to, const struct http_request *r)
{
    size_t n = 1024 + strlen(r->url) + r->body.n;

    for (size_t i = 0; i < r->header_count; i++)
        n += r->headers[i].name.n + r->headers[i].value.n + 2 * sizeof(int64_t);
    n += size_of(r->hosts.allow, r->hosts.allow_count);
    n += size_of(r->hosts.deny, r->hosts.deny_count);
    return buf_reserve(to, n);
}

void http_pack_ask(struct buf *to, const struct http_request *request, const char *protocol)
{
    if (!make_room(to, request))
        return;
    put_number(to, request->timeout_ms > 0 ? request->timeout_ms : 0);
    put_number(to, request->body_max > INT64_MAX ? INT64_MAX : (int64_t)request->body_max);
    put_number(to, request->redirects_max > 0 ? request->redirects_max : 0);
    put_number(to, request->plain);
    put_text(to, str_of(request->method ? request->method : "GET"));
    put_text(to, str_of(request->url));
    put_text(to, str_of(protocol ? protocol : ""));
    put_headers(to, request->headers, request->header_count);
    put_texts(to, request->hosts.allow, request->hosts.allow_count);
    put_texts(to, request->hosts.deny, request->hosts.deny_count);
    put_number(to, request->body.s != NULL);
    put_text(to, request->body);
}

void http_pack_begun(struct buf *to, const struct http_begun *head)
{
    put_number(to, head->status);
    put_number(to, head->reused);
    put_text(to, head->address);
    put_headers(to, head->headers, head->header_count);
}

void http_pack_ended(struct buf *to, const struct http_ended *end)
{
    put_number(to, end->end);
    put_number(to, end->status);
    put_number(to, end->sent);
    put_number(to, end->bytes);
    put_text(to, end->why);
    put_text(to, end->address);
}

/* ---- in ---- */

/* What is left of a body. After the first that does not read, nothing does. */
struct rest {
    const char *at, *end;
    bool bad;
};

static struct rest rest_of(struct str body)
{
    return (struct rest){ body.s, body.s + body.n, false };
}

static int64_t take_number(struct rest *r, int64_t most)
{
    int64_t n = 0;

    if (r->bad || (size_t)(r->end - r->at) < sizeof n) {
        r->bad = true;
        return 0;
    }
    memcpy(&n, r->at, sizeof n);
    r->at += sizeof n;
    if (n < 0 || n > most)
        r->bad = true;
    return r->bad ? 0 : n;
}

static struct str take_text(struct rest *r)
{
    size_t n = (size_t)take_number(r, r->end - r->at);
    struct str text = { r->at, n };

    if (r->bad || (size_t)(r->end - r->at) < n) {
        r->bad = true;
        return (struct str){ "", 0 };
    }
    r->at += n;
    return text;
}

static const struct http_header *take_headers(struct rest *r, struct arena *a, size_t *n)
{
    size_t count = (size_t)take_number(r, HTTP_HEADERS);
    struct http_header *headers = arena_alloc(a, count * sizeof *headers);

    for (size_t i = 0; i < count; i++) {
        headers[i].name = take_text(r);
        headers[i].value = take_text(r);
    }
    *n = count;
    return headers;
}

static const struct str *take_texts(struct rest *r, struct arena *a, size_t *n)
{
    size_t count = (size_t)take_number(r, HTTP_HOSTS);
    struct str *texts = arena_alloc(a, count * sizeof *texts);

    for (size_t i = 0; i < count; i++)
        texts[i] = take_text(r);
    *n = count;
    return texts;
}

static bool is_done(const struct rest *r)
{
    return !r->bad && r->at == r->end;
}

bool http_read_ask(struct str body, struct arena *a, struct http_ask *out)
{
    struct rest r = rest_of(body);
    bool has_body;

    out->timeout_ms = take_number(&r, INT64_MAX);
    out->body_max = take_number(&r, INT64_MAX);
    out->redirects_max = (int)take_number(&r, INT32_MAX);
    out->plain = take_number(&r, 1) == 1;
    out->method = take_text(&r);
    out->url = take_text(&r);
    out->protocol = take_text(&r);
    out->headers = take_headers(&r, a, &out->header_count);
    out->hosts.allow = take_texts(&r, a, &out->hosts.allow_count);
    out->hosts.deny = take_texts(&r, a, &out->hosts.deny_count);
    has_body = take_number(&r, 1) == 1;
    out->body = take_text(&r);
    if (!has_body)
        out->body = (struct str){ 0 };
    return is_done(&r);
}

bool http_read_begun(struct str body, struct arena *a, struct http_begun *out)
{
    struct rest r = rest_of(body);

    out->status = (int)take_number(&r, 999);
    out->reused = take_number(&r, 1) == 1;
    out->address = take_text(&r);
    out->headers = take_headers(&r, a, &out->header_count);
    return is_done(&r);
}

bool http_read_ended(struct str body, struct http_ended *out)
{
    struct rest r = rest_of(body);

    out->end = (enum http_end)take_number(&r, HTTP_BROKEN);
    out->status = (int)take_number(&r, 999);
    out->sent = take_number(&r, 1) == 1;
    out->bytes = take_number(&r, INT64_MAX);
    out->why = take_text(&r);
    out->address = take_text(&r);
    return is_done(&r);
}
