/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.c: a request and its answer: the head, the ceilings, redirects. */
#include "adapter/http/serve.h"
#include "adapter/http/unpack.h"

struct transfer {
    struct transfer *next;
    struct serve *serve;
    uint32_t call;
    struct asked asked;
    struct web_call *web;
    struct unpack *unpack; /* NULL: the body is not packed */

    struct arena head; /* of the answer that is coming */
    struct http_header *headers;
    size_t header_count, header_room, head_bytes;
    bool begun;   /* the head was told */
    bool skipped; /* a redirect that is followed: its body goes nowhere */
    bool held;
    bool over; /* its end was told: there is only the tidying up */
    int status, redirects, sent;
    int64_t bytes;
};

/* ---- the head ---- */

static void forget_head(struct transfer *t)
{
    arena_wipe(&t->head);
    t->headers = NULL;
    t->header_count = t->header_room = 0;
}

static const char blanks[] = " \t\r\n";

static struct str kept(struct transfer *t, struct str text)
{
    return (struct str){ arena_text(&t->head, text), text.n };
}

/* A line that goes on with the one before, as was allowed long ago, is left out. */
static bool add_header(struct transfer *t, struct str line)
{
    const char *colon = memchr(line.s, ':', line.n);
    struct http_header *h;

    if (!colon || is_one_of(line.s[0], " \t"))
        return true;
    if (t->header_count == HTTP_HEADERS)
        return asked_refuse(
            &t->asked, HTTP_TOO_LARGE,
            arena_printf(&t->asked.a, "the answer has more than %d headers", HTTP_HEADERS));
    t->headers = arena_more(&t->head, t->headers, t->header_count, &t->header_room, sizeof *h);
    h = &t->headers[t->header_count++];
    h->name = kept(t, str_trim((struct str){ line.s, (size_t)(colon - line.s) }, blanks));
    h->value = kept(t, str_trim(str_from(line, (size_t)(colon - line.s) + 1), blanks));
    return true;
}

static bool has_header(const struct transfer *t, const char *name)
{
    for (size_t i = 0; i < t->header_count; i++)
        if (str_cmp_letters(t->headers[i].name, str_of(name)) == 0)
            return true;
    return false;
}

static bool is_redirect(const struct transfer *t)
{
    static const int statuses_of_it[] = { 301, 302, 303, 307, 308 };

    for (size_t i = 0; i < COUNT(statuses_of_it); i++)
        if (t->status == statuses_of_it[i])
            return t->asked.ask.redirects_max > 0 && has_header(t, "Location");
    return false;
}

/* An answer with two lengths has no end that can be trusted, nor one whose length is no number. */
static bool has_one_length(const struct transfer *t)
{
    struct str first = { 0 };

    for (size_t i = 0; i < t->header_count; i++) {
        struct str value = t->headers[i].value;

        if (str_cmp_letters(t->headers[i].name, str_of("Content-Length")) != 0)
            continue;
        if (!value.n || !str_only(value, "0123456789") || (first.s && !str_eq(first, value)))
            return false;
        first = value;
    }
    return true;
}

static const char packed_oddly[] = "its body is packed in a way that cannot be unpacked";

/* False: it is packed in a way that is not known here, or in more than one. */
static bool begin_body(struct transfer *t)
{
    unpack_close(t->unpack);
    t->unpack = NULL;
    for (size_t i = 0; i < t->header_count; i++) {
        struct str how = t->headers[i].value;

        if (str_cmp_letters(t->headers[i].name, str_of("Content-Encoding")) != 0 || !how.n ||
            str_cmp_letters(how, str_of("identity")) == 0)
            continue;
        if (t->unpack || !unpack_knows(how))
            return asked_refuse(&t->asked, HTTP_BROKEN, packed_oddly);
        t->unpack = unpack_open();
        if (!t->unpack)
            return asked_refuse(&t->asked, HTTP_BROKEN, packed_oddly);
    }
    return true;
}

static bool end_head(struct transfer *t)
{
    struct http_begun begun = { .reused = web_reused(t->web) };
    size_t at;

    t->status = web_status(t->web);
    if (t->status >= 100 && t->status < 200 && t->status != 101) { /* there is more to come */
        forget_head(t);
        return true;
    }
    if (!has_one_length(t))
        return asked_refuse(&t->asked, HTTP_BROKEN, "its body has not one length");
    t->skipped = is_redirect(t);
    if (t->skipped)
        return true;
    if (!begin_body(t))
        return false;
    t->begun = true;
    begun.status = t->status;
    begun.address = str_of(t->asked.address);
    begun.headers = t->headers;
    begun.header_count = t->header_count;
    at = http_frame_begin(&t->serve->out);
    http_pack_begun(&t->serve->out, &begun);
    http_frame_end(&t->serve->out, at, HTTP_HEAD, t->call);
    return true;
}

static bool on_line(void *self, struct str line)
{
    struct transfer *t = self;

    t->head_bytes += line.n;
    if (t->head_bytes > HTTP_HEAD_BYTES)
        return asked_refuse(&t->asked, HTTP_TOO_LARGE,
                            arena_printf(&t->asked.a,
                                         "the head of the answer has more than %d bytes",
                                         HTTP_HEAD_BYTES));
    if (t->begun || t->skipped) /* what may follow a body in pieces */
        return true;
    if (str_only(line, blanks))
        return end_head(t);
    if (str_begins(line, "HTTP/")) {
        forget_head(t);
        return true;
    }
    return add_header(t, line);
}

/* ---- the end, and the body ---- */

static void end_with(struct transfer *t, enum http_end end, const char *why)
{
    struct http_ended ended = { .end = end,
                                .status = t->status < 200 ? 0 : t->status,
                                .sent = t->redirects > 0 || t->sent > 0,
                                .bytes = t->bytes,
                                .why = str_of(why) };

    asked_say_end(&t->asked, t->serve, t->call, &ended);
    t->over = true;
    t->serve->transfer_count--;
}

static enum web_take take_body(void *self, struct str bytes)
{
    struct transfer *t = self;

    if (!t->skipped && serve_is_full(t->serve)) {
        t->held = true;
        return WEB_HOLD;
    }
    if ((int64_t)bytes.n > t->asked.ask.body_max - t->bytes) {
        (void)asked_refuse(&t->asked, HTTP_TOO_LARGE,
                           arena_printf(&t->asked.a, "the body has more than %lld bytes",
                                        (long long)t->asked.ask.body_max));
        return WEB_STOP;
    }
    t->bytes += (int64_t)bytes.n;
    while (bytes.n > 0 && !t->skipped) {
        size_t n = bytes.n < HTTP_PIECE ? bytes.n : HTTP_PIECE;

        serve_say(t->serve, HTTP_BODY, t->call, (struct str){ bytes.s, n });
        bytes = (struct str){ bytes.s + n, bytes.n - n };
    }
    return WEB_TAKEN;
}

static enum web_take on_body(void *self, struct str bytes)
{
    struct transfer *t = self;

    if (!t->unpack)
        return take_body(t, bytes);
    switch (unpack_feed(t->unpack, bytes, take_body, t)) {
    case UNPACK_TAKEN: return WEB_TAKEN;
    case UNPACK_HOLD: return WEB_HOLD;
    case UNPACK_STOP: return WEB_STOP;
    case UNPACK_ODD: (void)asked_refuse(&t->asked, HTTP_BROKEN, packed_oddly);
    }
    return WEB_STOP;
}

void transfers_go_on(struct serve *s)
{
    for (struct transfer *t = s->transfers, *next; t; t = next) {
        next = t->next;
        if (!t->held || t->over)
            continue;
        t->held = false;
        if (!web_go_on(t->web))
            end_with(t, HTTP_BROKEN, "the answer cannot be read");
    }
}

/* ---- connections ---- */

static bool may_be_repeated(const char *method)
{
    static const char *const safe[] = { "GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE" };

    for (size_t i = 0; i < COUNT(safe); i++)
        if (strcmp(method, safe[i]) == 0)
            return true;
    return false;
}

/* A connection that was kept may end in the moment it is used, and curl then sends the request once
 * more by another. Nobody knows what became of the first: only what may be repeated is. */
static bool on_reach(void *self, const struct address *address, uint16_t port, bool used)
{
    struct transfer *t = self;

    if (used && t->sent++ > 0 && !may_be_repeated(t->asked.web.method))
        return asked_refuse(&t->asked, HTTP_BROKEN, "the connection was closed without an answer");
    return asked_may_reach(&t->asked, address, port);
}

/* ---- begin and end ---- */

static void on_done(void *self, enum http_end end, const char *why);

static const struct web_listener listener = { on_reach, on_line, on_body, on_done };

enum { SPARE_BYTES = 64 << 10 }; /* of a request whose memory is kept */

static void leave(struct transfer *t)
{
    struct serve *s = t->serve;
    struct transfer **at = &s->transfers;
    bool keep = !s->spare && t->asked.n <= SPARE_BYTES;

    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    s->transfer_count -= !t->over;
    web_end(t->web);
    unpack_close(t->unpack);
    asked_forget(&t->asked);
    arena_wipe(&t->head); /* as answers may */
    if (keep) {
        *t = (struct transfer){ .asked = t->asked, .head = t->head };
        s->spare = t;
        return;
    }
    asked_close(&t->asked);
    arena_free(&t->head);
    free(t);
}

void transfers_tidy(struct serve *s)
{
    for (struct transfer *t = s->transfers, *next; t; t = next) {
        next = t->next;
        if (t->over)
            leave(t);
    }
}

static bool ask_again(struct transfer *t)
{
    t->sent = 0;
    t->web = web_begin(t->serve->web, &t->asked.web, &listener, t);
    return t->web != NULL;
}

/* As browsers do: what was posted is asked for with GET, unless 307 or 308 say otherwise. */
static void change_method(struct transfer *t)
{
    struct web_ask *ask = &t->asked.web;
    bool head = strcmp(ask->method, "HEAD") == 0, post = strcmp(ask->method, "POST") == 0;

    if ((t->status == 303 && !head) || ((t->status == 301 || t->status == 302) && post)) {
        ask->method = "GET";
        ask->body = (struct str){ 0 };
    }
}

/* False: it is an end. */
static bool follow(struct transfer *t)
{
    struct asked *q = &t->asked;
    const char *to = web_redirect(t->web);
    struct http_place place;

    if (++t->redirects > q->ask.redirects_max)
        return asked_refuse(
            q, HTTP_REFUSED,
            arena_printf(&q->a, "it redirects more than %d times", q->ask.redirects_max));
    if (!to || http_place_read(str_of(to), &place) != NULL)
        return asked_refuse(q, HTTP_REFUSED, "it redirects to a URL that is not asked for");
    if (!http_same_place(&place, &q->place))
        return asked_refuse(q, HTTP_REFUSED,
                            arena_printf(&q->a, "it redirects to another place, %s://%.*s:%d",
                                         place.tls ? "https" : "http", STR_ARG(place.host),
                                         place.port));
    q->web.url = arena_text(&q->a, str_of(to));
    q->web.timeout_ms = q->deadline_ms - serve_now_ms(t->serve);
    if (q->web.timeout_ms <= 0)
        return asked_refuse(q, HTTP_TIMEOUT, "no whole answer came in time");
    change_method(t);
    web_end(t->web);
    t->web = NULL;
    t->bytes = 0;
    t->head_bytes = 0;
    t->skipped = false;
    forget_head(t);
    return ask_again(t) || asked_refuse(q, HTTP_UNREACHABLE, "libcurl cannot make another request");
}

static void on_done(void *self, enum http_end end, const char *why)
{
    struct transfer *t = self;

    if (end == HTTP_DONE && t->skipped && follow(t))
        return;
    if (end == HTTP_DONE && (!t->begun || (t->unpack && !unpack_whole(t->unpack)))) {
        /* or what follow() found */
        end = HTTP_BROKEN;
        why = "the answer ended in the middle";
    }
    end_with(t, end, why);
}

void transfer_begin(struct serve *s, const struct http_frame *f)
{
    struct transfer *t = s->spare ? s->spare : mem_zeroed(sizeof *t);

    s->spare = NULL;
    t->serve = s;
    t->call = f->call;
    t->next = s->transfers;
    s->transfers = t;
    s->transfer_count++;
    if (!asked_open(&t->asked, s, f->body, false)) {
        end_with(t, HTTP_REFUSED, "");
        return;
    }
    if (s->transfer_count > SERVE_CALLS)
        end_with(t, HTTP_UNREACHABLE, "there are too many calls at once");
    else if (!ask_again(t))
        end_with(t, HTTP_UNREACHABLE, "libcurl cannot make another request");
}

bool transfer_stop(struct serve *s, uint32_t call)
{
    for (struct transfer *t = s->transfers; t; t = t->next) {
        if (t->call != call || t->over)
            continue;
        leave(t);
        return true;
    }
    return false;
}
