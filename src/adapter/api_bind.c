/* SPDX-License-Identifier: Apache-2.0 */
/* api_bind.c: puts each parameter in its place: path, query, header, cookie or body.
 *
 * First every parameter gets a place, then the places are filled. A value never changes the form of
 * the request: it is encoded where it stands, or refused.
 */
#include "adapter/api_bind.h"

#include "adapter/api/body.h"
#include "adapter/api/text.h"
#include "adapter/host.h"
#include "contract/codes.h"

/* Servers refuse longer ones, and so do we, with better words. */
enum { URL_MAX = 64 << 10, HEADER_MAX = 64 << 10 };

static const struct method {
    const char *name;
    bool body;       /* parameters without a place go there */
    bool safe, same; /* changes nothing; twice is as good as once */
} methods[] = {
    { "GET", false, true, true },     { "HEAD", false, true, true },
    { "POST", true, false, false },   { "PUT", true, false, true },
    { "PATCH", true, false, false },  { "DELETE", false, false, true },
    { "OPTIONS", false, true, true },
};

struct binding {
    const struct adapter *adapter;
    const struct api_interface *api;
    struct str name; /* of the operation */
    struct operation_doc operation;
    const struct method *method;
    struct str path; /* with its placeholders */
    struct api_params params;
    struct http_header *headers;
    size_t header_count;
    struct arena *a;
};

/* ---- where everything goes ---- */

static bool refuse(const struct doc *d, struct error *e, const char *why)
{
    struct at at = doc_at(d);

    return error_at(e, CODE_PARAMETER_REFUSED, &at, "'%.*s' %s", STR_ARG(d->key), why);
}

static bool find_endpoint(struct binding *b, struct error *e)
{
    const struct pair *pairs = b->api->endpoint_mapping.v;
    size_t n = b->api->endpoint_mapping.n;
    const char **names = arena_alloc(b->a, (n + 1) * sizeof *names), *near;

    for (size_t i = 0; i < n; i++) {
        names[i] = arena_text(b->a, pairs[i].key);
        if (!str_eq(pairs[i].key, b->name))
            continue;
        b->path = pairs[i].text;
        for (size_t m = 0; m < COUNT(methods); m++) {
            size_t length = strlen(methods[m].name);

            if (!str_begins(b->path, methods[m].name) || b->path.n <= length ||
                b->path.s[length] != ' ')
                continue;
            b->method = &methods[m];
            b->path = (struct str){ b->path.s + length + 1, b->path.n - length - 1 };
            break;
        }
        return true;
    }
    near = str_nearest(b->name, names, n);
    return error_set(e, CODE_OPERATION_UNKNOWN, "%.*s has no operation %s%s%s%s",
                     STR_ARG(b->adapter->doc.name), said(b->name, b->a),
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* The next {name} of a template from *at on; .s is NULL: there is none, or it is not closed. */
static struct str next_placeholder(struct str path, size_t *at)
{
    const char *open = *at < path.n ? memchr(path.s + *at, '{', path.n - *at) : NULL;
    const char *close = open ? memchr(open, '}', path.n - (size_t)(open - path.s)) : NULL;

    if (!close)
        return (struct str){ 0 };
    *at = (size_t)(close - path.s) + 1;
    return (struct str){ open + 1, (size_t)(close - open) - 1 };
}

static bool has_placeholder(struct str path, struct str name)
{
    size_t at = 0;

    for (struct str p; (p = next_placeholder(path, &at)).s;)
        if (str_eq(p, name))
            return true;
    return false;
}

/* Does the document of the operation list every parameter there is? */
static bool lists_all(const struct operation_doc *o)
{
    const struct doc *more = o->input ? doc_get(o->input, "additionalProperties") : NULL;

    return more && more->kind == DOC_BOOL && !more->truth &&
           doc_first(doc_get(o->input, "properties"), DOC_MAP);
}

static bool listed(const struct operation_doc *o, struct str name)
{
    const struct doc *c = doc_first(doc_get(o->input, "properties"), DOC_MAP);

    while (c && !str_eq(c->key, name))
        c = c->next;
    return c != NULL;
}

static bool refuse_extra(const struct binding *b, const struct doc *d, struct error *e)
{
    const struct doc *properties = doc_get(b->operation.input, "properties");
    const char **names = arena_alloc(b->a, (properties->count + 1) * sizeof *names), *near;
    struct at at = doc_at(d);
    size_t n = 0;

    for (const struct doc *c = properties->first; c; c = c->next)
        names[n++] = arena_text(b->a, c->key);
    near = str_nearest(d->key, names, n);
    return error_at(e, CODE_PARAMETER_REFUSED, &at, "%.*s has no parameter %s%s%s%s",
                    STR_ARG(b->name), said(d->key, b->a), near ? "; did you mean '" : "",
                    near ? near : "", near ? "'?" : "");
}

static bool place_one(const struct binding *b, const struct doc *d, struct api_param *out,
                      struct error *e)
{
    struct parameter_doc said_place;

    *out = (struct api_param){ .d = d, .name = d->key };
    if (b->operation.body.n && str_eq(d->key, b->operation.body)) {
        out->in = IN_BODY;
        out->whole = true;
    } else if (operation_parameter(&b->operation, d->key, b->a, &said_place)) {
        out->in = said_place.in;
        out->name = said_place.name.n ? said_place.name : d->key;
    } else if (has_placeholder(b->path, d->key)) {
        out->in = IN_PATH;
    } else if (lists_all(&b->operation) && !listed(&b->operation, d->key)) {
        return refuse_extra(b, d, e);
    } else {
        out->in = b->method->body ? IN_BODY : IN_QUERY;
    }
    if (out->in == IN_BODY && !out->whole && b->operation.body.n)
        return refuse(d, e, "has no place: the whole body is another parameter");
    return true;
}

static bool taken(const struct api_params *all, const struct api_param *one)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].in == one->in && str_eq(all->v[i].name, one->name))
            return true;
    return false;
}

static bool place_all(struct binding *b, const struct doc *params, struct error *e)
{
    uint32_t n = params ? params->count : 0;

    if (!params || params->kind == DOC_NULL)
        return true;
    if (params->kind != DOC_MAP)
        return error_set(e, CODE_PARAMETER_REFUSED, "the parameters must be a map");
    if (n > API_PARAMS_MAX)
        return error_set(e, CODE_PARAMETER_REFUSED, "there are %u parameters, allowed at most %d",
                         n, API_PARAMS_MAX);
    b->params.v = arena_alloc(b->a, n * sizeof *b->params.v);
    for (const struct doc *c = params->first; c; c = c->next) {
        struct api_param one;

        if (!place_one(b, c, &one, e))
            return false;
        if (taken(&b->params, &one))
            return refuse(c, e, "has the place of another parameter");
        if (c->kind != DOC_NULL && api_auth_has(b->api, one.in, one.name))
            return refuse(c, e, "has the place of the secret that auth_method adds; leave it out");
        b->params.v[b->params.n++] = one;
    }
    return true;
}

/* ---- values ---- */

/* One value, or several with commas between them, each encoded by itself. */
static bool add_value(struct buf *to, const struct doc *d, const struct doc *item, bool percent,
                      struct error *e)
{
    _buf_ struct buf text = { .max = HEADER_MAX };
    bool good = scalar_add(&text, item);

    if (!good && item->kind == DOC_NULL)
        return refuse(d, e,
                      item == d ? "is null, which has no text"
                                : "has an item that is null, which has no text");
    if (!good && item->kind == DOC_MAP)
        return refuse(d, e,
                      item == d ? "is a map, and only a body takes one"
                                : "has an item that is a map, and only a body takes one");
    if (!good)
        return refuse(d, e, "is a list of lists, and only a body takes one");
    if (!buf_ok(&text))
        return refuse(d, e, "is too long for its place; 64 KiB are allowed");
    if (memchr(buf_str(&text).s, '\0', text.len))
        return refuse(d, e, "has a NUL byte, which its place cannot hold");
    if (percent)
        percent_add(to, buf_str(&text));
    else
        buf_add(to, text.s, text.len);
    return true;
}

static bool add_values(struct buf *to, const struct doc *d, bool percent, struct error *e)
{
    if (d->kind != DOC_LIST)
        return add_value(to, d, d, percent, e);
    for (const struct doc *c = d->first; c; c = c->next) {
        if (c != d->first)
            buf_addc(to, ',');
        if (!add_value(to, d, c, percent, e))
            return false;
    }
    return true;
}

/* ---- the path ---- */

static const struct api_param *in_path(struct binding *b, struct str placeholder)
{
    for (size_t i = 0; i < b->params.n; i++) {
        struct api_param *p = &b->params.v[i];

        if (p->in != IN_PATH || !str_eq(p->name, placeholder))
            continue;
        p->used = true;
        return p;
    }
    return NULL;
}

static bool add_placeholder(struct binding *b, struct str placeholder, struct buf *to,
                            struct error *e)
{
    const struct api_param *p = in_path(b, placeholder);
    size_t from = to->len;

    if (!p)
        return error_set(e, CODE_PARAMETER_REFUSED, "%.*s needs '%.*s'", STR_ARG(b->name),
                         STR_ARG(placeholder));
    if (!add_values(to, p->d, true, e))
        return false;
    if (!buf_ok(to))
        return refuse(p->d, e, "is too long for a URL; 64 KiB are allowed");
    if (to->len == from)
        return refuse(p->d, e, "is empty, and stands in the path");
    if (path_climbs((struct str){ to->s + from, to->len - from }))
        return refuse(p->d, e, "has '.' or '..' as a part of the path");
    return true;
}

/* What the adapter's author wrote stands as it is, but for what no URL may have. */
static void add_literal(struct buf *to, struct str text)
{
    for (size_t i = 0; i < text.n; i++) {
        bool odd = (unsigned char)text.s[i] >= 0x80 || is_one_of(text.s[i], "\"<>\\^`{|}");

        if (odd)
            percent_add(to, (struct str){ text.s + i, 1 });
        else
            buf_addc(to, text.s[i]);
    }
}

static bool fill_path(struct binding *b, struct buf *to, struct error *e)
{
    size_t at = 0, from = 0;

    for (struct str p; (p = next_placeholder(b->path, &at)).s; from = at) {
        add_literal(to, (struct str){ b->path.s + from, (size_t)(p.s - b->path.s) - 1 - from });
        if (!add_placeholder(b, p, to, e))
            return false;
    }
    add_literal(to, (struct str){ b->path.s + from, b->path.n - from });
    for (size_t i = 0; i < b->params.n; i++)
        if (b->params.v[i].in == IN_PATH && !b->params.v[i].used)
            return refuse(b->params.v[i].d, e, "has no place in the path");
    if (path_climbs(buf_str(to)))
        return error_set(e, CODE_PARAMETER_REFUSED,
                         "the path of %.*s would have '.' or '..' as a part", STR_ARG(b->name));
    if (memchr(b->path.s, '#', b->path.n))
        return error_set(e, CODE_PARAMETER_REFUSED, "the path of %.*s has a '#'", STR_ARG(b->name));
    return true;
}

/* ---- the query, headers, cookies ---- */

struct asking {
    struct buf *url, *shown;
    bool any; /* the ? is there */
};

static bool add_query(struct asking *q, const struct api_param *p, const struct doc *item,
                      struct error *e)
{
    struct buf *both[] = { q->url, q->shown };

    for (size_t i = 0; i < COUNT(both); i++) {
        buf_addc(both[i], q->any ? '&' : '?');
        percent_add(both[i], p->name);
        buf_adds(both[i], i == 0 ? "=" : "=..");
    }
    q->any = true;
    return add_value(q->url, p->d, item, true, e);
}

/* A list is the same name again and again; null is as if it were not there. */
static bool fill_query(const struct binding *b, struct asking *q, struct error *e)
{
    for (size_t i = 0; i < b->params.n; i++) {
        const struct api_param *p = &b->params.v[i];

        if (p->in != IN_QUERY || p->d->kind == DOC_NULL)
            continue;
        if (p->d->kind != DOC_LIST && !add_query(q, p, p->d, e))
            return false;
        for (const struct doc *c = doc_first(p->d, DOC_LIST); c; c = c->next)
            if (!add_query(q, p, c, e))
                return false;
    }
    return true;
}

static void add_header(struct binding *b, struct str name, struct str value)
{
    b->headers[b->header_count++] = (struct http_header){ name, value };
}

static bool fill_header(struct binding *b, const struct api_param *p, struct error *e)
{
    _buf_ struct buf value = { .max = HEADER_MAX };

    if (header_ours(p->name))
        return refuse(p->d, e, "would set a header that belongs to the connection");
    if (!add_values(&value, p->d, false, e))
        return false;
    if (!buf_ok(&value))
        return refuse(p->d, e, "is too long for a header; 64 KiB are allowed");
    if (!header_safe(buf_str(&value)))
        return refuse(p->d, e, "has a line end or another control character, and is a header");
    add_header(b, p->name, str_of(arena_text(b->a, buf_str(&value))));
    return true;
}

static bool fill_cookie(const struct api_param *p, struct buf *cookie, struct error *e)
{
    buf_adds(cookie, cookie->len ? "; " : "");
    percent_add(cookie, p->name);
    buf_addc(cookie, '=');
    if (p->d->kind == DOC_LIST)
        return refuse(p->d, e, "is a list, and a cookie is one value");
    return add_value(cookie, p->d, p->d, true, e);
}

static bool fill_headers(struct binding *b, struct error *e)
{
    const struct pair *own = b->api->headers.v;
    const char *wrong = api_type_refused(b->operation.content_type);
    _buf_ struct buf cookie = { .max = HEADER_MAX };

    b->headers = arena_alloc(b->a, (b->api->headers.n + b->params.n + 4) * sizeof *b->headers);
    for (size_t i = 0; i < b->api->headers.n; i++)
        add_header(b, own[i].key, own[i].text);
    if (wrong)
        return error_set(e, CODE_VALIDATION_ERROR, "the content_type of %.*s %s", STR_ARG(b->name),
                         wrong);
    api_header_replace(b->headers, b->header_count, "content-type", b->operation.content_type);
    for (size_t i = 0; i < b->params.n; i++) {
        const struct api_param *p = &b->params.v[i];

        if (p->d->kind == DOC_NULL)
            continue;
        if (p->in == IN_HEADER && !fill_header(b, p, e))
            return false;
        if (p->in == IN_COOKIE && !fill_cookie(p, &cookie, e))
            return false;
    }
    if (!buf_ok(&cookie))
        return error_set(e, CODE_PARAMETER_REFUSED, "the cookies have more than 64 KiB");
    if (cookie.len)
        add_header(b, str_of("Cookie"), str_of(arena_text(b->a, buf_str(&cookie))));
    return true;
}

/* ---- all of it ---- */

static bool fill_url(struct binding *b, struct api_call *out, struct error *e)
{
    _buf_ struct buf url = { .max = URL_MAX }, shown = { .max = URL_MAX };
    struct asking q = { &url, &shown, memchr(b->path.s, '?', b->path.n) != NULL };
    struct url_parts parts;
    struct str base = b->api->base_url;

    if (!url_split(base, &parts) || memchr(base.s, '?', base.n) || memchr(base.s, '#', base.n))
        return error_set(e, CODE_VALIDATION_ERROR,
                         "base_url %s must be a host and perhaps a path, without ? and #",
                         said(base, b->a));
    while (base.n && base.s[base.n - 1] == '/')
        base.n--;
    buf_add(&url, base.s, base.n);
    {
        _buf_ struct buf path = { .max = URL_MAX };

        if (!fill_path(b, &path, e))
            return false;
        buf_add(&url, path.s, path.len);
    }
    buf_addf(&shown, "%s %.*s", b->method->name, STR_ARG(buf_str(&url)));
    if (!fill_query(b, &q, e))
        return false;
    if (!buf_ok(&url))
        return error_set(e, CODE_PARAMETER_REFUSED,
                         "the URL would have more than 64 KiB; a body takes more");
    out->host = (struct str){ arena_text(b->a, parts.host), parts.host.n };
    out->request.url = arena_text(b->a, buf_str(&url));
    out->shown = arena_text(b->a, buf_str(&shown));
    return true;
}

static bool is_repeatable(const struct binding *b)
{
    if (b->operation.effect == EFFECT_READ || b->operation.idempotent ||
        api_header(b->headers, b->header_count, "idempotency-key").n)
        return true;
    return b->method->same && !(b->method->safe && b->operation.effect == EFFECT_WRITE);
}

bool api_bind(const struct adapter *adapter, struct str operation, const struct doc *params,
              struct arena *a, struct api_call *out, struct error *e)
{
    struct binding b = { .adapter = adapter,
                         .api = adapter->doc.interface->api,
                         .name = operation,
                         .method = &methods[0], /* where none is said */
                         .path = { "", 0 },
                         .a = a };
    struct api_call call = { .request = { .cancel = -1 } };
    struct api_body body = { 0 };
    struct str type;

    if (!find_endpoint(&b, e))
        return false;
    b.operation = operation_of(adapter->tree, operation, a);
    if (!place_all(&b, params, e) || !fill_url(&b, &call, e) || !fill_headers(&b, e))
        return false;
    type = api_header(b.headers, b.header_count, "content-type");
    body.type = type.s ? type : b.operation.content_type;
    if (!api_body_make(&body, &b.params, a, e))
        return false;
    if (body.text.s && !type.s)
        add_header(&b, str_of("Content-Type"),
                   body.type.s ? body.type : str_of("application/json"));
    call.request.method = b.method->name;
    call.request.headers = b.headers;
    call.request.header_count = b.header_count;
    call.request.body = body.text;
    call.repeatable = is_repeatable(&b);
    call.bare_url = call.request.url;
    call.bare_shown = call.shown;
    call.bare_headers = call.request.headers;
    call.bare_header_count = call.request.header_count;
    *out = call;
    return true;
}

bool api_may_repeat(const struct adapter *adapter, struct str operation, struct arena *a)
{
    struct binding b = { .adapter = adapter,
                         .api = adapter->doc.interface->api,
                         .name = operation,
                         .method = &methods[0],
                         .operation = operation_of(adapter->tree, operation, a),
                         .a = a };
    struct error e;

    return !find_endpoint(&b, &e) || is_repeatable(&b);
}
