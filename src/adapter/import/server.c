/* SPDX-License-Identifier: Apache-2.0 */
/* server.c: where the service of an OpenAPI document is: base_url.
 *
 * A document that does not say where its service is, is for whoever has it running.
 */
#include "adapter/import/parts.h"

#include "adapter/host.h"
#include "contract/forms.h"

enum { URL_BYTES = 4096, KEPT_COST = 8 /* steps for each byte that stays */ };

/* {name} in the URL of a server stands for the default of its variable. One that is too long to be
 * an address stays as it is, and is told. */
static struct str with_defaults(struct importing *im, const struct doc *server)
{
    _buf_ struct buf out = { .max = URL_BYTES };
    struct str url = map_text(server, "url");
    const struct doc *variables = map_get(server, "variables");
    uint32_t each = 1 + (variables && variables->kind == DOC_MAP ? variables->count / 16 : 0);
    size_t from = 0;

    if (url.n > URL_BYTES || !url.n || !memchr(url.s, '{', url.n))
        return url;
    for (size_t i = 0; i < url.n; i++) {
        const char *close = url.s[i] == '{' ? memchr(url.s + i, '}', url.n - i) : NULL;
        struct str name, value;

        if (!close)
            continue;
        if (!work_do(&im->work, each))
            return url;
        name = (struct str){ url.s + i + 1, (size_t)(close - url.s) - i - 1 };
        value = map_text(map_find(variables, name), "default");
        buf_add(&out, url.s + from, i - from);
        buf_add(&out, value.s, value.n);
        i = (size_t)(close - url.s);
        from = i + 1;
    }
    buf_add(&out, url.s + from, url.n - from);
    if (!buf_ok(&out) || !work_do(&im->work, KEPT_COST * (uint32_t)out.len))
        return url;
    return str_of(arena_text(im->a, buf_str(&out)));
}

static struct str swagger_url(struct importing *im)
{
    struct str host = map_text(im->root, "host"), path = map_text(im->root, "basePath");
    const struct doc *schemes = map_get(im->root, "schemes");
    bool tls = !doc_first(schemes, DOC_LIST);

    for (const struct doc *c = doc_first(schemes, DOC_LIST); c; c = c->next)
        tls = tls || (c->kind == DOC_TEXT && str_is(c->text, "https"));
    if (!host.n)
        return path;
    return str_of(
        arena_printf(im->a, "%s://%.*s%.*s", tls ? "https" : "http", STR_ARG(host), STR_ARG(path)));
}

static struct str without_slashes(struct str url)
{
    while (url.n && url.s[url.n - 1] == '/')
        url.n--;
    return url;
}

static bool is_address(struct str url, struct url_parts *parts)
{
    const char *ignored;

    return url_split(url, parts) && forms[FORM_URL].fits(url, &ignored) &&
           !memchr(url.s, '?', url.n) && !memchr(url.s, '#', url.n);
}

/* The first. Plain http is spoken with this machine alone: before that of another goes the first
 * that has https. */
static struct str listed_url(struct importing *im, const struct doc *servers)
{
    struct str first = { "", 0 };

    for (const struct doc *c = doc_first(servers, DOC_LIST); c && work_do(&im->work, 1);
         c = c->next) {
        struct str url = without_slashes(with_defaults(im, c));
        struct url_parts parts;
        bool is_first = c == servers->first;

        if (is_address(url, &parts) && (parts.tls || (is_first && host_loopback(parts.host))))
            return url;
        if (is_first)
            first = url;
    }
    return first;
}

/* Those that an operation is said to have, or its path; NULL: it goes by the document's. */
static const struct doc *own_servers(const struct doc *item, const struct doc *op)
{
    const struct doc *own = map_get(op, "servers");

    if (!doc_first(own, DOC_LIST))
        own = map_get(item, "servers");
    return doc_first(own, DOC_LIST) ? own : NULL;
}

void import_see_server(struct importing *im, const struct doc *item, const struct doc *op)
{
    const struct doc *own = own_servers(item, op);
    struct str url = own ? listed_url(im, own) : (struct str){ "", 0 };

    if (!im->server_seen)
        im->url = url;
    else if (!str_eq(im->url, url))
        im->url = (struct str){ "", 0 };
    im->server_seen = true;
}

bool import_is_elsewhere(struct importing *im, const struct found *f)
{
    const struct doc *own = own_servers(f->item, f->op);

    for (const struct doc *c = doc_first(own, DOC_LIST); c && work_do(&im->work, 1); c = c->next)
        if (str_eq(without_slashes(with_defaults(im, c)), im->url))
            return false;
    return own != NULL;
}

/* Whoever reads the document sees its first server, and may mean that one. */
static void tell_passed(struct importing *im, struct str url)
{
    const struct doc *server = doc_first(map_get(im->root, "servers"), DOC_LIST);
    struct str first = server ? with_defaults(im, server) : (struct str){ "", 0 };
    struct url_parts its, taken;

    if (is_address(without_slashes(first), &its) && is_address(url, &taken) &&
        !str_eq(its.host, taken.host))
        import_warn(im, arena_printf(im->a,
                                     "base_url is the first server that has https, %.*s; the first "
                                     "of all, %.*s, has plain http",
                                     STR_ARG(taken.authority), STR_ARG(its.authority)));
}

struct str import_server(struct importing *im)
{
    bool own = im->url.n > 0; /* all operations have it */
    struct str url = im->spec == SWAGGER_2 ? without_slashes(swagger_url(im))
                     : own                 ? im->url
                                           : listed_url(im, map_get(im->root, "servers"));
    struct url_parts parts;
    const char *why = NULL, *made;

    im->url = url;
    if (is_address(url, &parts)) {
        if (!own)
            tell_passed(im, url);
        return url;
    }
    import_warn(im, arena_printf(im->a,
                                 "the document does not say where the service is (%s): put its "
                                 "address into base_url and sandbox_override.network.allow",
                                 url_has_login(url) ? url_login_told : said(url, im->a)));
    made = arena_printf(im->a, "https://api.example.com%.*s",
                        url.n && url.s[0] == '/' ? (int)url.n : 0, url.s);
    url = str_of(made);
    return forms[FORM_URL].fits(url, &why) ? url : str_of("https://api.example.com");
}
