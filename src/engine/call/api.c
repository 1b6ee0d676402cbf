/* SPDX-License-Identifier: Apache-2.0 */
/* api.c: an attempt that a service on the network answers. */
#include "adapter/api_bind.h"
#include "adapter/host.h"
#include "base/doc_make.h"
#include "base/json_read.h"
#include "contract/exits.h"
#include "engine/call.h"
#include "engine/call/peer.h"

enum { BODY_MAX = 10 << 20, HEADERS_MAX = 256 << 10, REDIRECTS_MAX = 5, TOLD_MOST = 300 };

struct api_attempt {
    struct tool_call *c;
    struct http *http;
    struct secret_places places;
    struct api_auth auth;
    struct api_call bound;
    struct http_answer answer;
    struct attempt_end *end;
};

/* clang-format off */
static const struct ending_row {
    enum code code;
    int exit;
    enum cause cause;
    bool nothing_happened;
} endings[] = {
    [HTTP_DONE]        = { CODE_NONE,             0,                  CAUSE_EXITED,    false },
    [HTTP_ENOUGH]      = { CODE_NONE,             0,                  CAUSE_EXITED,    false },
    [HTTP_REFUSED]     = { CODE_HOST_REFUSED,     WRIT_REFUSED,       CAUSE_EXITED,    true },
    [HTTP_UNREACHABLE] = { CODE_PEER_UNAVAILABLE, WRIT_UNAVAILABLE,   CAUSE_EXITED,    true },
    [HTTP_TIMEOUT]     = { CODE_COMMAND_TIMEOUT,  EXIT_TIMEOUT,       CAUSE_TIMEOUT,   false },
    [HTTP_CANCELLED]   = { CODE_EXECUTION_HALTED, EXIT_TIMEOUT,       CAUSE_CANCELLED, false },
    [HTTP_TOO_LARGE]   = { CODE_PEER_PROTOCOL,    WRIT_NO,            CAUSE_EXITED,    false },
    [HTTP_BROKEN]      = { CODE_PEER_PROTOCOL,    WRIT_NO,            CAUSE_LOST,      false },
};
/* clang-format on */

/* Who answered, and how: nothing of what was sent but names. */
static const struct doc *peer_doc(const struct api_attempt *t)
{
    struct arena *a = t->c->a;
    struct doc *d = doc_root(a, DOC_MAP);

    doc_add_text(a, d, "kind", str_of("api"));
    doc_add_text(a, d, "request", str_of(t->bound.shown));
    if (t->answer.status)
        doc_add_int(a, d, "status", t->answer.status);
    if (t->answer.address)
        doc_add_text(a, d, "address", str_of(t->answer.address));
    doc_add_int(a, d, "bytes", t->answer.bytes);
    return d;
}

static bool is_good(int status)
{
    return status >= 200 && status < 300;
}

/* A token that was kept may have been called back meanwhile: then once more, with a new one. */
static bool ask_service(struct api_attempt *t, struct error *e)
{
    struct tool_call *c = t->c;

    if (!http_call(t->http, &t->bound.request, c->a, &t->answer, e))
        return false;
    if (!api_renew(c->adapter, &t->auth, &t->answer, &t->bound, &c->secrets))
        return true;
    api_spend(&t->bound.request, &t->answer);
    return api_authorize(c->adapter, &t->auth, c->a, &t->bound, &c->secrets, e) &&
           http_call(t->http, &t->bound.request, c->a, &t->answer, e);
}

/* That it failed, and the beginning of why, where it says so in words. */
static const char *failed(const struct api_attempt *t)
{
    struct arena *a = t->c->a;
    struct str type = http_header(&t->answer, "content-type"), body = t->answer.body;
    const char *what = arena_printf(a, "%s answered %d", t->bound.shown, t->answer.status);

    if (!body.n || !type.n || !(str_begins(type, "text/") || memmem(type.s, type.n, "json", 4)))
        return what;
    return arena_printf(a, "%s: %s", what, call_quoted(body, TOLD_MOST, a));
}

/* A proxy that answers runs, and what it says tells who can help. */
static const char *advice_of(const char *why)
{
    static const struct {
        const char *why, *advice;
    } rows[] = {
        { "the proxy answered 407", "; it wants a name and a password, as in "
                                    "HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT" },
        { "the proxy answered 5", "; it does not reach the host: look whether that runs there, or "
                                  "name it in NO_PROXY" },
        { "the proxy answered", "; it has to allow the host, or the host is named in NO_PROXY" },
        { "the proxy", "; look at HTTPS_PROXY and ALL_PROXY" },
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        if (str_begins(str_of(why), rows[i].why))
            return rows[i].advice;
    return "; look whether it runs there";
}

/* How long it may take, and who says so; how much it may send is told with what was too much. */
static const char *limit_of(const struct api_attempt *t)
{
    if (t->answer.end == HTTP_TIMEOUT)
        return call_time_said(call_timeout(t->c), t->c->a);
    if (t->answer.end == HTTP_TOO_LARGE)
        return "; ask for less";
    return t->answer.end == HTTP_UNREACHABLE ? advice_of(t->answer.why) : "";
}

/* Why there is no answer, and from whom: neither path nor query is told, they may hold anything. */
static const char *unanswered(const struct api_attempt *t)
{
    struct url_parts url;

    if (!t->answer.why || !url_split(str_of(t->bound.bare_url), &url))
        return t->answer.why;
    return arena_printf(t->c->a, "%.*s%s: %s%s", STR_ARG(url.host),
                        url.port.n ? arena_printf(t->c->a, ":%.*s", STR_ARG(url.port)) : "",
                        t->answer.why, limit_of(t));
}

/* A new token may come too late as well, or be called off. */
static enum http_end end_of(int code)
{
    return code == CODE_COMMAND_TIMEOUT    ? HTTP_TIMEOUT
           : code == CODE_EXECUTION_HALTED ? HTTP_CANCELLED
                                           : HTTP_BROKEN;
}

/* Who cannot be reached did nothing, but not where that was by a second connection: then it is as
 * with any answer that was lost. */
static void may_be_done(struct api_attempt *t)
{
    t->answer.end = HTTP_BROKEN;
    t->answer.why =
        arena_printf(t->c->a, "the request was sent, its answer is lost: %s", t->answer.why);
}

static void ask(void *self, struct exec *x)
{
    struct api_attempt *t = self;
    struct tool_call *c = t->c;
    struct peer_end end = { 0 };
    const struct ending_row *row;
    struct error e;

    if (!ask_service(t, &e)) {
        t->answer =
            (struct http_answer){ .end = end_of(e.code), .why = arena_text(c->a, str_of(e.msg)) };
        if (t->answer.end == HTTP_BROKEN)
            toolbox_http_lost(c->box, t->http);
    }
    if (t->answer.end == HTTP_UNREACHABLE && t->answer.sent && !t->bound.repeatable)
        may_be_done(t);
    t->answer.body = redact(t->answer.body, &c->secrets, c->a); /* before any of it is cut off */
    row = &endings[t->answer.end];
    end = (struct peer_end){ .cause = row->cause,
                             .exit_code = row->exit,
                             .code = row->code,
                             .message = call_redacted(c, unanswered(t)),
                             .printed = t->answer.body,
                             .duration_ms = t->answer.duration_ms,
                             .peer = peer_doc(t) };
    t->end->nothing_happened = row->nothing_happened && !t->answer.sent;
    if (end.code == CODE_NONE && !is_good(t->answer.status)) {
        end.code = CODE_PEER_ERROR;
        end.exit_code = WRIT_NO;
        end.message = failed(t);
    }
    peer_ended(x, &end);
}

/* Whoever gives tokens is reached as the service is: what the caller denies holds for both. */
static bool token_host_fits(const struct api_attempt *t, struct error *e)
{
    const struct api_interface *api = t->c->adapter->doc.interface->api;
    struct url_parts url;
    struct http_hosts ignored;

    if (api->auth_method != AUTH_OAUTH || !api->auth || !url_split(api->auth->token_url, &url))
        return true; /* what is no URL is told by api_authorize() */
    return call_hosts(t->c, url.host, &ignored, e);
}

/* What is asked, whom, and by whom: all that can be refused before anything is sent. */
static bool prepare(struct api_attempt *t, struct error *e)
{
    struct tool_call *c = t->c;
    struct http_hosts hosts;

    t->places = call_places(c);
    if (!api_bind(c->adapter, c->operation, c->params, c->a, &t->bound, e) ||
        !call_hosts(c, t->bound.host, &hosts, e) || !token_host_fits(t, e) ||
        !toolbox_http(c->box, &t->http, e))
        return false;
    t->bound.request.hosts = hosts;
    t->bound.request.timeout_ms = call_timeout(c);
    t->bound.request.body_max = BODY_MAX;
    t->bound.request.redirects_max = REDIRECTS_MAX;
    t->bound.request.cancel = c->ask->cancel;
    t->auth = (struct api_auth){ .http = t->http,
                                 .tokens = c->box->tokens,
                                 .places = &t->places,
                                 .now_ms = c->world->mono_ms(c->world->self) };
    return api_authorize(c->adapter, &t->auth, c->a, &t->bound, &c->secrets, e) &&
           call_keeps_secrets(c, e); /* a host's own secret, too, and a token */
}

static int status_of(enum code code)
{
    return code == CODE_PARAMETER_REFUSED  ? WRIT_USAGE
           : code == CODE_PEER_UNAVAILABLE ? WRIT_UNAVAILABLE
           : code == CODE_COMMAND_TIMEOUT  ? EXIT_TIMEOUT
           : code == CODE_EXECUTION_HALTED ? EXIT_TIMEOUT
           : code == CODE_PEER_ERROR       ? WRIT_NO
           : code == CODE_PEER_PROTOCOL    ? WRIT_NO
                                           : WRIT_REFUSED;
}

/* Of one value: not of lines of them, such as application/x-ndjson. */
static bool is_json(struct str type)
{
    const char *end = memchr(type.s, ';', type.n);
    struct str name =
        str_trim((struct str){ type.s, end ? (size_t)(end - type.s) : type.n }, " \t");

    return name.n > 5 && (str_is(str_from(name, name.n - 5), "/json") ||
                          str_is(str_from(name, name.n - 5), "+json"));
}

/* A service that says that it speaks JSON is read as such, where the adapter does not say how. */
static struct value value_of(const struct api_attempt *t)
{
    const struct items *transforms = &t->c->adapter->doc.transforms->output;
    const struct transform *first = transforms->v;
    struct str type = http_header(&t->answer, "content-type");
    struct value value = api_value(&t->answer);
    struct ceilings max = ceilings_answer();
    const struct document *document;
    struct error e;

    if (value.doc || (transforms->n && first->type == OUTPUT_PARSE) || !type.s ||
        !memmem(type.s, type.n, "json", 4))
        return value;
    if (json_read("answer", value.bytes, &max, t->c->a, &document, &e))
        value.doc = &document->root;
    else if (value.bytes.n && is_json(type))
        call_warn(t->c, call_redacted(t->c, arena_printf(t->c->a,
                                                         "the answer says that it is JSON, and is "
                                                         "not: line %d, column %d: %s",
                                                         e.at.line, e.at.col, e.msg)));
    return value;
}

static void take_status(const struct http_answer *answer, const struct tool_call *c,
                        struct attempt_end *end)
{
    end->status = answer->status;
    end->retry_after = http_retry_after(answer, c->world->wall_ms(c->world->self), INT64_MAX);
}

/* One that came several times is one list (RFC 9110, 5.3). */
static struct str header_of(const struct api_attempt *t, const char *name)
{
    _buf_ struct buf all = { .max = HEADERS_MAX };
    struct arena *a = t->c->a;

    for (size_t i = 0; i < t->answer.header_count; i++)
        if (str_cmp_letters(t->answer.headers[i].name, str_of(name)) == 0)
            buf_addf(&all, "%s%.*s", all.len ? ", " : "", STR_ARG(t->answer.headers[i].value));
    return redact((struct str){ arena_text(a, buf_str(&all)), all.len }, &t->c->secrets, a);
}

/* Where to go on, and when: the next page, what was made, the version that was seen, the rest of
 * what may be asked. */
static const struct doc *headers_told(const struct api_attempt *t)
{
    static const char *const names[] = {
        "link",
        "location",
        "etag",
        "last-modified",
        "retry-after",
        "x-total-count",
        "x-next-page",
        "x-ratelimit-limit",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
    };
    struct doc *told = doc_root(t->c->a, DOC_MAP);

    for (size_t i = 0; i < COUNT(names); i++) {
        struct str value = header_of(t, names[i]);

        if (value.n)
            doc_add_text(t->c->a, told, names[i], value);
    }
    return told;
}

static void take_end(struct api_attempt *t, const struct exec *x, struct attempt_end *end)
{
    struct tool_call *c = t->c;

    take_status(&t->answer, c, end);
    end->headers = t->answer.status ? headers_told(t) : NULL;
    end->repeatable = t->bound.repeatable;
    end->once =
        arena_printf(c->a, "as %s without an Idempotency-Key, and not said to be idempotent",
                     t->bound.request.method);
    end->ok = !x->now.failing;
    if (end->ok) {
        end->value = value_of(t);
        return;
    }
    end->code = x->now.failing->code;
    end->message = x->now.failing->message;
    end->exit = x->outcome.exit_code;
}

void call_api(struct tool_call *c, struct attempt_end *end)
{
    struct api_attempt t = { .c = c, .end = end };
    struct exec *x = arena_new(c->a, struct exec);
    struct exec_call how = { .peer = ask, .clean = call_nothing_to_clean, .self = &t };
    struct call_request request = { .command = c->operation };
    struct str shown;
    struct error e;

    if (!call_secrets(c, end))
        return;
    if (!prepare(&t, &e)) {
        e.code = e.code ? e.code : CODE_PEER_UNAVAILABLE;
        call_failed(end, status_of((enum code)e.code), &e, c->a);
        end->nothing_happened = true;
        take_status(&t.bound.no_token, c, end);
        return;
    }
    shown = str_of(t.bound.shown);
    request.arguments = (struct items){ &shown, 1 };
    how.allowed =
        arena_printf(c->a, "allowed: %.*s %.*s", STR_ARG(c->tool->tool_id), STR_ARG(c->operation));
    if (call_exec(c, call_request(c, &request), &how, x, end))
        take_end(&t, x, end);
    exec_close(x);
}
