/* SPDX-License-Identifier: Apache-2.0 */
/* server.c: where the service of an OpenAPI document is: base_url.
 *
 * A document that does not say where its service is, is for whoever has it running.
 */
#include "adapter/import/parts.h"

#include "adapter/host.h"
#include "contract/forms.h"

enum { URL_BYTES = 4096 };

/* {name} in the URL of a server stands for the default of its variable. One that is too long to be
 * an address stays as it is, and is told. */
static struct str with_defaults(struct importing *im, const struct doc *server)
{
    _buf_ struct buf out = { .max = URL_BYTES };
    struct str url = map_text(server, "url");
    size_t from = 0;

    if (url.n > URL_BYTES)
        return url;
    for (size_t i = 0; i < url.n; i++) {
        const char *close = url.s[i] == '{' ? memchr(url.s + i, '}', url.n - i) : NULL;
        struct str name, value;

        if (!close)
            continue;
        name = (struct str){ url.s + i + 1, (size_t)(close - url.s) - i - 1 };
        value = map_text(map_find(map_get(server, "variables"), name), "default");
        buf_add(&out, url.s + from, i - from);
        buf_add(&out, value.s, value.n);
        i = (size_t)(close - url.s);
        from = i + 1;
    }
    buf_add(&out, url.s + from, url.n - from);
    return buf_ok(&out) ? str_of(arena_text(im->a, buf_str(&out))) : url;
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

struct str import_server(struct importing *im)
{
    const struct doc *server = doc_first(map_get(im->root, "servers"), DOC_LIST);
    struct str url = im->spec == SWAGGER_2 ? swagger_url(im)
                     : server              ? with_defaults(im, server)
                                           : (struct str){ "", 0 };
    struct url_parts parts;
    const char *why = NULL, *made;

    while (url.n && url.s[url.n - 1] == '/')
        url.n--;
    if (url_split(url, &parts) && forms[FORM_URL].fits(url, &why) && !memchr(url.s, '?', url.n) &&
        !memchr(url.s, '#', url.n))
        return url;
    import_warn(im, arena_printf(im->a,
                                 "the document does not say where the service is (%s): put its "
                                 "address into base_url and sandbox_override.network.allow",
                                 url_has_login(url) ? url_login_told : said(url, im->a)));
    made = arena_printf(im->a, "https://api.example.com%.*s",
                        url.n && url.s[0] == '/' ? (int)url.n : 0, url.s);
    url = str_of(made);
    return forms[FORM_URL].fits(url, &why) ? url : str_of("https://api.example.com");
}
