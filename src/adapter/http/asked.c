/* SPDX-License-Identifier: Apache-2.0 */
/* asked.c: a request that came from writ: is it one, and what may it reach? */
#include "adapter/http/serve.h"

enum { TIMEOUT_MAX = 7 * 24 * 3600 * 1000 };

bool asked_refuse(struct asked *q, enum http_end end, const char *why)
{
    if (q->refused == HTTP_DONE) {
        q->refused = end;
        q->why = why;
    }
    return false;
}

static bool is_token(struct str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!(text.s[i] >= 'a' && text.s[i] <= 'z') && !(text.s[i] >= 'A' && text.s[i] <= 'Z') &&
            !(text.s[i] >= '0' && text.s[i] <= '9') && !is_one_of(text.s[i], "!#$%&'*+-.^_`|~"))
            return false;
    return text.n > 0;
}

/* These say where a request begins and ends, and who it is for: not the caller's to write. */
static const char *const framing[] = { "Host",    "Content-Length",  "Transfer-Encoding",
                                       "Trailer", "Connection",      "Keep-Alive",
                                       "Upgrade", "Proxy-Connection" };

static bool check_header(struct asked *q, const struct http_header *h)
{
    if (!is_token(h->name))
        return asked_refuse(q, HTTP_REFUSED,
                            "the name of a header has a character that is not "
                            "allowed");
    for (size_t i = 0; i < COUNT(framing); i++)
        if (str_cmp_letters(h->name, str_of(framing[i])) == 0)
            return asked_refuse(
                q, HTTP_REFUSED,
                arena_printf(&q->a, "the header '%s' is not the caller's to set", framing[i]));
    for (size_t i = 0; i < h->value.n; i++)
        if (((unsigned char)h->value.s[i] < ' ' && h->value.s[i] != '\t') || h->value.s[i] == 0x7f)
            return asked_refuse(q, HTTP_REFUSED,
                                arena_printf(&q->a,
                                             "the value of header '%.*s' has a control character",
                                             STR_ARG(h->name)));
    return true;
}

static bool refuse_host(struct asked *q, const char *why)
{
    return asked_refuse(
        q, HTTP_REFUSED,
        arena_printf(&q->a, "'%.*s' is not reached: %s", STR_ARG(q->place.host), why));
}

/* Through a proxy, names are the proxy's to look up; addresses are judged here all the same. */
static bool check_place(struct asked *q, const struct serve *s)
{
    const char *why = http_refuses_host(&q->policy, &q->place);

    if (why)
        return refuse_host(q, why);
    q->proxy = http_proxy_for(&s->settings, &q->place);
    if (q->place.is_address)
        why = http_refuses_address(&q->policy, &q->place, &q->place.address);
    else if (q->proxy)
        why = http_refuses_proxy(&q->policy, &q->place);
    return why ? refuse_host(q, why) : true;
}

static void fill_web(struct asked *q)
{
    q->web = (struct web_ask){ .url = arena_text(&q->a, q->ask.url),
                               .method = arena_text(&q->a, q->ask.method),
                               .headers = q->ask.headers,
                               .header_count = q->ask.header_count,
                               .body = q->ask.body,
                               .proxy = q->proxy,
                               .timeout_ms = q->ask.timeout_ms,
                               .body_max = q->ask.body_max };
}

static bool check(struct asked *q, const struct serve *s, bool socket)
{
    const char *why;

    if (!is_token(q->ask.method))
        return asked_refuse(q, HTTP_REFUSED, "the method has a character that is not allowed");
    why = http_place_read(q->ask.url, &q->place);
    if (!why && q->place.socket != socket)
        why = socket ? "its scheme is not ws or wss" : "its scheme is not http or https";
    if (why)
        return asked_refuse(q, HTTP_REFUSED,
                            arena_printf(&q->a,
                                         "the URL is not one that is "
                                         "asked for: %s",
                                         why));
    for (size_t i = 0; i < q->ask.header_count; i++)
        if (!check_header(q, &q->ask.headers[i]))
            return false;
    if (q->ask.timeout_ms <= 0)
        return asked_refuse(q, HTTP_TIMEOUT, "there is no time left for it");
    return check_place(q, s);
}

bool asked_open(struct asked *q, const struct serve *s, struct str body, bool socket)
{
    q->n = body.n;
    if (!http_read_ask((struct str){ arena_text(&q->a, body), body.n }, &q->a, &q->ask))
        return asked_refuse(q, HTTP_REFUSED, "the request cannot be read");
    if (q->ask.timeout_ms > TIMEOUT_MAX)
        q->ask.timeout_ms = TIMEOUT_MAX;
    q->policy = (struct http_policy){ q->ask.hosts, q->ask.plain };
    q->deadline_ms = serve_now_ms(s) + q->ask.timeout_ms;
    if (!check(q, s, socket))
        return false;
    fill_web(q);
    return true;
}

void asked_forget(struct asked *q)
{
    arena_wipe(&q->a); /* requests have secrets in them */
    *q = (struct asked){ .a = q->a };
}

void asked_close(struct asked *q)
{
    asked_forget(q);
    arena_free(&q->a);
}

bool asked_may_reach(struct asked *q, const struct address *address, uint16_t port)
{
    const char *why = q->proxy ? NULL : http_refuses_address(&q->policy, &q->place, address);

    if (!why && !q->proxy && port != q->place.port)
        why = "its port is another";
    if (why)
        return refuse_host(q, why);
    address_text(address, port, q->address);
    return true;
}

void asked_say_end(const struct asked *q, struct serve *s, uint32_t call,
                   const struct http_ended *end)
{
    struct http_ended said = *end;

    if (q->refused != HTTP_DONE && end->end != HTTP_DONE) {
        said.end = q->refused;
        said.why = str_of(q->why);
    }
    said.address = str_of(q->address);
    serve_say_end(s, call, &said);
}
