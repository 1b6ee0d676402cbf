/* SPDX-License-Identifier: Apache-2.0 */
/* wire.c: the rules about what an adapter sends, and where to. */
#include "adapter/callable/rules.h"

#include "adapter/api_bind.h"
#include "adapter/host.h"
#include "adapter/secret.h"
#include "contract/codes.h"
#include "contract/forms.h"

/* Decision 031: no document has a secret. */
void headers_without_secret(const struct adapter *adapter, struct report *r)
{
    const struct doc *c = adapter->doc.type == ADAPTER_API
                              ? doc_first(callable_member(adapter, "headers"), DOC_MAP)
                              : NULL;

    for (; c; c = c->next)
        if (header_secret(c->key))
            report_add(r, ABOUT_KEY, c, CODE_VALIDATION_ERROR,
                       "%s is a header for secrets, and no document has one; name the secret under "
                       "`secrets`, and let auth_method and auth send it",
                       said(c->key, r->a));
}

/* ---- headers ---- */

static void header_sendable(const struct doc *at, enum about about, struct str name,
                            struct report *r)
{
    const char *why = api_header_refused(name);

    if (why)
        report_add(r, about, at, CODE_VALIDATION_ERROR, "the header %s %s", said(name, r->a), why);
}

static bool is_in_header(const struct doc *parameter)
{
    return str_is(doc_text(parameter, "in"), "header");
}

/* The type of a body, and whether anything can be sent as that. */
static void type_sendable(const struct doc *operation, struct report *r)
{
    const struct doc *type = doc_get(operation, "content_type");
    const char *why;

    if (!type || type->kind != DOC_TEXT)
        return;
    why = api_type_refused(type->text);
    if (why)
        report_add(r, ABOUT_VALUE, type, CODE_VALIDATION_ERROR,
                   "content_type %s %s; write one such as application/merge-patch+json",
                   said(type->text, r->a), why);
    else if (api_type_is_text(type->text) && !doc_get(operation, "body"))
        report_add(r, ABOUT_ODD, type, CODE_VALIDATION_ERROR,
                   "a body of type %s is one text: without `body`, which names its parameter, none "
                   "can be sent",
                   said(type->text, r->a));
}

void headers_sendable(const struct adapter *adapter, struct report *r)
{
    const struct doc *o = doc_first(doc_get(adapter->tree, "operations"), DOC_MAP);
    const struct doc *c;

    if (adapter->doc.type != ADAPTER_API)
        return;
    for (c = doc_first(callable_member(adapter, "headers"), DOC_MAP); c; c = c->next)
        if (!header_secret(c->key)) /* which is told by a rule of its own */
            header_sendable(c, ABOUT_KEY, c->key, r);
    for (; o; o = o->next) {
        type_sendable(o, r);
        for (c = doc_first(doc_get(o, "parameters"), DOC_MAP); c; c = c->next) {
            const struct doc *name = doc_get(c, "name");

            if (is_in_header(c))
                header_sendable(name ? name : c, name ? ABOUT_VALUE : ABOUT_KEY,
                                name ? name->text : c->key, r);
        }
    }
}

/* ---- places ---- */

/* Only the call knows what a name leads to; it may be this machine. */
static void plain_is_here(const struct doc *at, const struct url_parts *url, struct report *r)
{
    if (url->tls || host_loopback(url->host))
        return;
    report_add(r, host_is_address(url->host) ? ABOUT_VALUE : ABOUT_ODD, at, CODE_HOST_REFUSED,
               "%.*s is not reached unless it is this machine: with others https is spoken, and "
               "plain http is not; write https:// (wss://)",
               STR_ARG(url->authority));
}

/* With a secret that is refused for more than one reason, which auth_whole says. */
void service_reachable(const struct adapter *adapter, struct report *r)
{
    const struct api_interface *api = adapter->doc.interface->api;
    const struct doc *at;
    struct url_parts parts;

    if (adapter->doc.type != ADAPTER_API)
        return;
    at = callable_member(adapter, "base_url");
    if (memchr(api->base_url.s, '?', api->base_url.n) ||
        memchr(api->base_url.s, '#', api->base_url.n))
        report_add(r, ABOUT_VALUE, at, CODE_VALIDATION_ERROR,
                   "base_url %s must be a host and perhaps a path, without ? and #: the path of "
                   "the operation is put behind it",
                   said(api->base_url, r->a));
    if (api->auth_method == AUTH_NONE && url_split(api->base_url, &parts))
        plain_is_here(at, &parts, r);
}

/* clang-format off */
static const struct scheme {
    const char *begins, *like; /* until it is open, a WebSocket is http */
    enum mcp_transport transport;
} schemes[] = {
    { "https://", "https://", TRANSPORT_HTTP },
    { "http://",  "http://",  TRANSPORT_HTTP },
    { "wss://",   "https://", TRANSPORT_WEBSOCKET },
    { "ws://",    "http://",  TRANSPORT_WEBSOCKET },
};
static const char *const by_transport[] = {
    [TRANSPORT_STDIO]     = "stdio",
    [TRANSPORT_HTTP]      = "http",
    [TRANSPORT_WEBSOCKET] = "websocket",
};
/* clang-format on */

static void url_fits(const struct mcp_interface *mcp, const struct doc *at, struct report *r)
{
    const struct scheme *s = schemes;
    struct url_parts parts;
    const char *why = NULL;
    struct str url;

    while (s < schemes + COUNT(schemes) && !str_begins(mcp->url, s->begins))
        s++;
    url = s < schemes + COUNT(schemes)
              ? str_of(arena_printf(r->a, "%s%.*s", s->like, (int)(mcp->url.n - strlen(s->begins)),
                                    mcp->url.s + strlen(s->begins)))
              : (struct str){ "", 0 };
    if (!url_split(url, &parts) || !forms[FORM_URL].fits(url, &why))
        report_add(r, ABOUT_VALUE, at, CODE_VALIDATION_ERROR,
                   "%s is no URL of a server, such as https://example.org/mcp",
                   said(mcp->url, r->a));
    else if ((int)s->transport != mcp->transport)
        report_add(r, ABOUT_VALUE, at, CODE_VALIDATION_ERROR,
                   "%s is of transport '%s', and '%s' is said; write one or the other",
                   said(mcp->url, r->a), by_transport[s->transport], by_transport[mcp->transport]);
    else if (memchr(url.s, '#', url.n))
        report_add(r, ABOUT_VALUE, at, CODE_VALIDATION_ERROR,
                   "%s has a '#', and no server is told what stands behind it; leave it out",
                   said(mcp->url, r->a));
    else
        plain_is_here(at, &parts, r);
}

/* Where both are left out the configuration says it. */
void server_reachable(const struct adapter *adapter, struct report *r)
{
    const struct mcp_interface *mcp = adapter->doc.interface->mcp;
    bool stdio = mcp && mcp->transport == TRANSPORT_STDIO;

    if (!mcp || url_has_login(mcp->url))
        return;
    if (stdio && !mcp->command.n && mcp->url.n)
        report_add(r, ABOUT_KEY, callable_member(adapter, "url"), CODE_VALIDATION_ERROR,
                   "a server of transport 'stdio' is started by `command`, and not found at a "
                   "`url`; give it the command, or say transport: http or websocket");
    else if (!stdio && !mcp->url.n && mcp->command.n)
        report_add(r, ABOUT_KEY, callable_member(adapter, "command"), CODE_VALIDATION_ERROR,
                   "a server of transport '%s' is found at a `url`, and not started by `command`; "
                   "give it the url, or say transport: stdio",
                   by_transport[mcp->transport]);
    else if (!stdio && mcp->url.n)
        url_fits(mcp, callable_member(adapter, "url"), r);
}

/* ---- what is sent again ---- */

/* Does it always send an Idempotency-Key, or take one as a parameter? */
static bool sends_key(const struct adapter *adapter, struct str operation)
{
    const struct doc *operations = doc_get(adapter->tree, "operations"), *c;
    struct str key = str_of("idempotency-key");

    for (c = doc_first(callable_member(adapter, "headers"), DOC_MAP); c; c = c->next)
        if (str_cmp_letters(c->key, key) == 0)
            return true;
    for (c = doc_first(operations, DOC_MAP); c && !str_eq(c->key, operation); c = c->next)
        ;
    c = c ? doc_first(doc_get(c, "parameters"), DOC_MAP) : NULL;
    for (; c; c = c->next)
        if (is_in_header(c) &&
            (str_cmp_letters(doc_text(c, "name"), key) == 0 || str_cmp_letters(c->key, key) == 0))
            return true;
    return false;
}

void retries_possible(const struct adapter *adapter, struct report *r)
{
    const struct adapter_errors *errors = adapter->doc.errors;
    const struct adapter_retry *retry = errors ? errors->retry : NULL;
    const struct doc *c;

    if (adapter->doc.type != ADAPTER_API || !retry || retry->max_attempts < 2 ||
        !retry->retryable_codes.n)
        return;
    for (c = doc_first(callable_member(adapter, "endpoint_mapping"), DOC_MAP); c; c = c->next)
        if (!api_may_repeat(adapter, c->key, r->a) && !sends_key(adapter, c->key))
            report_add(r, ABOUT_ODD, c, CODE_VALIDATION_ERROR,
                       "%s is never tried again, whatever retryable_codes lists, because it might "
                       "be done twice; where that does no harm, say `idempotent: true` under "
                       "operations, or let it send an Idempotency-Key",
                       said(c->key, r->a));
}
