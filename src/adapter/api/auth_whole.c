/* SPDX-License-Identifier: Apache-2.0 */
/* auth_whole.c: whether what an adapter says about auth can ever do, whoever calls.
 *
 * `writ check` and the call ask the same: what passes here fails later only for want of a secret,
 * or because the caller leaves less of the network.
 */
#include "adapter/api_bind.h"

#include "adapter/api/text.h"
#include "adapter/host.h"
#include "contract/codes.h"

struct looking {
    const struct adapter *adapter;
    const struct auth_doc *doc; /* zeroes where there is none */
    struct arena *a;
    struct url_parts url;  /* of base_url */
    const struct doc **at; /* what is wrong; NULL: nobody asks */
};

/* The member of `auth` that is wrong; where it has none of that name, what asks for it. */
static void found_at(const struct looking *l, const char *member)
{
    const struct doc *api = doc_get(doc_get(l->adapter->tree, "interface"), "api");
    const struct doc *auth = doc_get(api, "auth");
    const struct doc *d = auth ? doc_get(auth, member) : NULL;

    if (!d)
        d = strcmp(member, "base_url") == 0 ? doc_get(api, member) : auth;
    *l->at = d ? d : doc_get(api, "auth_method");
}

static const struct secret_doc *secret_listed(const struct looking *l, struct str name)
{
    const struct secret_doc *all = l->adapter->doc.secrets.v;

    for (size_t i = 0; i < l->adapter->doc.secrets.n; i++)
        if (str_eq(all[i].name, name))
            return &all[i];
    return NULL;
}

static bool is_listed(const struct looking *l, struct str name, const char *member, struct error *e)
{
    found_at(l, member);
    return secret_listed(l, name) ||
           error_set(e, CODE_SECRET_MISSING,
                     "auth names the secret '%.*s', which is not among the adapter's `secrets`",
                     STR_ARG(name));
}

/* A user's or a client's name, too, may be a secret: then it goes where that one may. */
static bool name_is_whole(const struct looking *l, struct str name, const struct url_parts *url,
                          const char *member, struct error *e)
{
    if (!secret_listed(l, name))
        return true;
    found_at(l, member);
    return secret_goes_to(l->adapter, name, url, e);
}

/* Without a name it is the user's own for the host, which only the call can find. */
static bool secret_is_whole(const struct looking *l, struct error *e)
{
    return !l->doc->secret.n || (is_listed(l, l->doc->secret, "secret", e) &&
                                 secret_goes_to(l->adapter, l->doc->secret, &l->url, e));
}

static bool is_private_way(const struct url_parts *url, const char *what, struct error *e)
{
    if (url->tls || host_loopback(url->host))
        return true;
    return error_set(e, CODE_HOST_REFUSED,
                     "%s would go to %.*s over plain http, where others can read it; use https",
                     what, STR_ARG(url->authority));
}

/* ---- by method ---- */

static bool key_is_whole(const struct looking *l, struct error *e)
{
    struct str name = l->doc->name;

    if (!secret_is_whole(l, e))
        return false;
    found_at(l, "name");
    return !name.n || l->doc->in != AUTH_IN_HEADER || (!header_ours(name) && header_safe(name)) ||
           error_set(e, CODE_VALIDATION_ERROR, "auth.name %s is no header for a key",
                     said(name, l->a));
}

static bool user_is_whole(const struct looking *l, struct error *e)
{
    struct str user = l->doc->user;

    found_at(l, "user");
    if (user.n && (secret_listed(l, user) || (!memchr(user.s, ':', user.n) && header_safe(user))))
        return name_is_whole(l, user, &l->url, "user", e) && secret_is_whole(l, e);
    return error_set(e, CODE_VALIDATION_ERROR,
                     "basic needs interface.api.auth with user, which has no ':', and secret");
}

static bool is_allowed(const struct looking *l, const struct url_parts *url)
{
    const struct sandbox_override *o = l->adapter->doc.sandbox_override;
    const struct str *v = o && o->network ? o->network->allow.v : NULL;

    for (size_t i = 0; v && i < o->network->allow.n; i++)
        if (host_reached(v[i], url))
            return true;
    return false;
}

static bool client_is_whole(const struct looking *l, struct error *e)
{
    const struct auth_doc *d = l->doc;
    struct url_parts url;

    found_at(l, "token_url");
    if (!d->token_url.n || !d->client_id.n || !d->client_secret.n)
        return error_set(e, CODE_VALIDATION_ERROR,
                         "oauth needs interface.api.auth with token_url, client_id and "
                         "client_secret");
    if (!url_split(d->token_url, &url) || memchr(d->token_url.s, '#', d->token_url.n))
        return error_set(e, CODE_VALIDATION_ERROR, "token_url is not a URL");
    if (!is_allowed(l, &url))
        return error_set(e, CODE_HOST_REFUSED,
                         "tokens are had at %.*s, which sandbox_override.network.allow does not "
                         "list",
                         STR_ARG(url.authority));
    return is_private_way(&url, "the client's secret", e) &&
           name_is_whole(l, d->client_id, &url, "client_id", e) &&
           is_listed(l, d->client_secret, "client_secret", e) &&
           secret_goes_to(l->adapter, d->client_secret, &url, e);
}

static bool (*const wholes[])(const struct looking *l, struct error *e) = {
    [AUTH_NONE] = NULL,
    [AUTH_API_KEY] = key_is_whole,
    [AUTH_OAUTH] = client_is_whole,
    [AUTH_BEARER] = secret_is_whole,
    [AUTH_BASIC] = user_is_whole,
};

bool api_auth_whole(const struct adapter *adapter, struct arena *a, const struct doc **at,
                    struct error *e)
{
    static const struct auth_doc nothing;
    const struct api_interface *api = adapter->doc.interface->api;
    const struct doc *wrong = NULL;
    struct looking l = {
        .adapter = adapter, .doc = api->auth ? api->auth : &nothing, .a = a, .at = at ? at : &wrong
    };

    if (!wholes[api->auth_method])
        return true;
    found_at(&l, "base_url");
    if (!url_split(api->base_url, &l.url))
        return error_set(e, CODE_VALIDATION_ERROR, "base_url is not a URL");
    return is_private_way(&l.url, "a secret", e) && wholes[api->auth_method](&l, e);
}
