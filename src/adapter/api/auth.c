/* SPDX-License-Identifier: Apache-2.0 */
/* auth.c: adds to a request what proves who calls: an API key, a token, one by OAuth, a password.
 *
 * A secret goes to one host: that of base_url. One of the user's own goes only to the hosts that it
 * lists. None goes over plain http, but to this machine: auth_whole.c sees to that.
 */
#include "adapter/api_bind.h"

#include "adapter/api/text.h"
#include "adapter/api/token.h"
#include "adapter/host.h"
#include "base/base64.h"
#include "contract/codes.h"

struct authorizing {
    const struct adapter *adapter;
    const struct auth_doc *doc; /* zeroes where there is none */
    const struct api_auth *auth;
    struct arena *a;
    struct api_call *call;
    struct secrets *secrets;
    struct url_parts url;
};

/* ---- which secret ---- */

static bool named_secret(const struct authorizing *z, struct str name, struct str *out,
                         struct error *e)
{
    const struct secret *s = secret_named(z->secrets, name);

    if (!s)
        return error_set(e, CODE_SECRET_MISSING, "the secret '%.*s' was not found", STR_ARG(name));
    *out = s->value;
    return true;
}

/* The user's own for the host: the last that was added under that name. */
static bool own_secret(const struct authorizing *z, struct str *out, struct error *e)
{
    size_t before = z->secrets->n;

    if (!secrets_for_host(z->auth->places, &z->url, z->a, z->secrets, e))
        return false;
    if (z->secrets->n == before)
        return error_set(e, CODE_SECRET_MISSING,
                         "there is no secret for %.*s: list one under `secrets` in "
                         "~/.config/writ/config.yaml, such as {env: API_TOKEN, hosts: [%.*s]}, or "
                         "name one in the adapter with interface.api.auth.secret",
                         STR_ARG(z->url.authority), STR_ARG(z->url.authority));
    *out = z->secrets->v[before].value;
    return true;
}

static bool find_secret(const struct authorizing *z, struct str *out, struct error *e)
{
    bool good = z->doc->secret.n ? named_secret(z, z->doc->secret, out, e) : own_secret(z, out, e);

    if (good && !header_safe(*out))
        return error_set(e, CODE_SECRET_MISSING,
                         "the secret for %.*s has a line end or another control character in it",
                         STR_ARG(z->url.authority));
    return good;
}

static bool find_header_secret(const struct authorizing *z, struct str *out, struct error *e)
{
    if (!find_secret(z, out, e))
        return false;
    return secret_fits_header(*out) ||
           error_set(e, CODE_SECRET_MISSING,
                     "the secret for %.*s has a character beyond ASCII, which no header takes",
                     STR_ARG(z->url.authority));
}

/* ---- putting it in ---- */

/* In place of one of that name, which can only be less right. */
static void set_header(const struct authorizing *z, struct str name, struct str value)
{
    struct http_request *r = &z->call->request;
    struct http_header *v = arena_alloc(z->a, (r->header_count + 1) * sizeof *v);
    size_t n = 0;

    for (size_t i = 0; i < r->header_count; i++)
        if (r->headers[i].name.n != name.n || str_cmp_letters(r->headers[i].name, name) != 0)
            v[n++] = r->headers[i];
    v[n++] = (struct http_header){ name, value };
    r->headers = v;
    r->header_count = n;
}

static void set_bearer(const struct authorizing *z, struct str token)
{
    set_header(z, str_of("Authorization"),
               str_of(arena_printf(z->a, "Bearer %.*s", STR_ARG(token))));
}

static void set_cookie(const struct authorizing *z, struct str name, struct str value)
{
    const struct http_request *r = &z->call->request;
    _buf_ struct buf cookie = { .max = 1 << 20 };

    for (size_t i = 0; i < r->header_count; i++)
        if (r->headers[i].name.n == 6 && str_cmp_letters(r->headers[i].name, str_of("cookie")) == 0)
            buf_addf(&cookie, "%.*s; ", STR_ARG(r->headers[i].value));
    percent_add(&cookie, name);
    buf_addc(&cookie, '=');
    percent_add(&cookie, value);
    set_header(z, str_of("Cookie"), str_of(arena_text(z->a, buf_str(&cookie))));
    explicit_bzero(cookie.s, cookie.cap);
}

static void set_query(const struct authorizing *z, struct str name, struct str value)
{
    _buf_ struct buf url = { .max = 1 << 20 }, shown = { .max = 1 << 20 };
    char joint = strchr(z->call->request.url, '?') ? '&' : '?';

    buf_addf(&url, "%s%c", z->call->request.url, joint);
    buf_addf(&shown, "%s%c", z->call->shown, joint);
    percent_add(&url, name);
    percent_add(&shown, name);
    buf_addc(&url, '=');
    buf_adds(&shown, "=..");
    percent_add(&url, value);
    z->call->request.url = arena_text(z->a, buf_str(&url));
    z->call->shown = arena_text(z->a, buf_str(&shown));
    explicit_bzero(url.s, url.cap);
}

static struct str key_name(const struct auth_doc *doc)
{
    return doc && doc->name.n ? doc->name : str_of("X-API-Key");
}

bool api_auth_has(const struct api_interface *api, enum parameter_place in, struct str name)
{
    static const enum parameter_place places[] = {
        [AUTH_IN_HEADER] = IN_HEADER, [AUTH_IN_QUERY] = IN_QUERY, [AUTH_IN_COOKIE] = IN_COOKIE
    };
    bool key = api->auth_method == AUTH_API_KEY;
    struct str own = key ? key_name(api->auth) : str_of("Authorization");

    if (api->auth_method == AUTH_NONE ||
        in != (key && api->auth ? places[api->auth->in] : IN_HEADER))
        return false;
    return in == IN_HEADER ? name.n == own.n && str_cmp_letters(name, own) == 0 : str_eq(name, own);
}

static bool add_key(const struct authorizing *z, struct error *e)
{
    struct str name = key_name(z->doc), value = { 0 };
    bool coded = z->doc->in == AUTH_IN_QUERY || z->doc->in == AUTH_IN_COOKIE;

    if (!(coded ? find_secret(z, &value, e) : find_header_secret(z, &value, e)))
        return false;
    if (z->doc->in == AUTH_IN_QUERY)
        set_query(z, name, value);
    else if (z->doc->in == AUTH_IN_COOKIE)
        set_cookie(z, name, value);
    else
        set_header(z, name, value);
    return true;
}

static bool add_bearer(const struct authorizing *z, struct error *e)
{
    struct str token = { 0 };

    if (!find_header_secret(z, &token, e))
        return false;
    set_bearer(z, token);
    return true;
}

/* A user and a password (RFC 7617). What is sent is a secret of its own: who has it, has both. */
static bool add_basic(const struct authorizing *z, struct error *e)
{
    const struct secret *named = secret_named(z->secrets, z->doc->user);
    struct str user = named ? named->value : z->doc->user, password = { 0 };
    _buf_ struct buf both = { .max = 64 << 10 }, text = { .max = 128 << 10 };

    if (!user.n || memchr(user.s, ':', user.n) || !header_safe(user))
        return error_set(e, CODE_VALIDATION_ERROR,
                         "basic needs interface.api.auth with user, which has no ':', and secret");
    if (!find_secret(z, &password, e))
        return false;
    buf_addf(&both, "%.*s:%.*s", STR_ARG(user), STR_ARG(password));
    base64_add(&text, buf_str(&both));
    explicit_bzero(both.s, both.cap);
    secrets_add(z->secrets, "basic", buf_str(&text), z->a);
    set_header(z, str_of("Authorization"),
               str_of(arena_printf(z->a, "Basic %.*s", STR_ARG(buf_str(&text)))));
    explicit_bzero(text.s, text.cap);
    return true;
}

/* ---- OAuth ---- */

/* Where the caller leaves none, there is none: the adapter's own list is more than he lets it have.
 */
static bool is_allowed(const struct authorizing *z, const struct url_parts *url)
{
    const struct http_request *r = &z->call->request;

    for (size_t i = 0; i < r->hosts.allow_count; i++)
        if (host_reached(r->hosts.allow[i], url))
            return true;
    return false;
}

static bool token_ask_of(const struct authorizing *z, struct token_ask *ask, struct error *e)
{
    const struct auth_doc *d = z->doc;
    const struct secret *id = secret_named(z->secrets, d->client_id);
    struct url_parts url;

    if (!url_split(d->token_url, &url))
        return error_set(e, CODE_VALIDATION_ERROR, "token_url is not a URL");
    if (!is_allowed(z, &url))
        return error_set(e, CODE_HOST_REFUSED,
                         "tokens are had at %.*s, which sandbox_override.network.allow does not "
                         "list, or the caller leaves out",
                         STR_ARG(url.authority));
    *ask = (struct token_ask){ .auth = z->auth,
                               .url = d->token_url,
                               .client_id = id ? id->value : d->client_id,
                               .scope = d->scope,
                               .resource = d->resource,
                               .host = url.authority,
                               .like = &z->call->request,
                               .refusal = &z->call->no_token };
    return named_secret(z, d->client_secret, &ask->client_secret, e);
}

static bool add_oauth(const struct authorizing *z, struct error *e)
{
    struct token_ask ask;
    struct str token = { 0 };

    if (!token_ask_of(z, &ask, e))
        return false;
    token_secrets(&ask, z->secrets, z->a);
    if (!token_get(&ask, z->a, &token, &z->call->token_kept, e))
        return false;
    secrets_add(z->secrets, "token", token, z->a);
    set_bearer(z, token);
    return true;
}

/* ---- any of them ---- */

static bool (*const adders[])(const struct authorizing *z, struct error *e) = {
    [AUTH_NONE] = NULL,         [AUTH_API_KEY] = add_key, [AUTH_OAUTH] = add_oauth,
    [AUTH_BEARER] = add_bearer, [AUTH_BASIC] = add_basic,
};

bool api_authorize(const struct adapter *adapter, const struct api_auth *auth, struct arena *a,
                   struct api_call *call, struct secrets *secrets, struct error *e)
{
    static const struct auth_doc nothing;
    const struct api_interface *api = adapter->doc.interface->api;
    struct authorizing z = { .adapter = adapter,
                             .doc = api->auth ? api->auth : &nothing,
                             .auth = auth,
                             .a = a,
                             .call = call,
                             .secrets = secrets };

    call->request.url = call->bare_url;
    call->request.headers = call->bare_headers;
    call->request.header_count = call->bare_header_count;
    call->shown = call->bare_shown;
    call->token_kept = false;
    call->no_token = (struct http_answer){ 0 };
    if (!adders[api->auth_method])
        return true;
    if (!url_split(str_of(call->request.url), &z.url))
        return error_set(e, CODE_VALIDATION_ERROR, "base_url is not a URL");
    return api_auth_whole(adapter, a, NULL, e) && adders[api->auth_method](&z, e);
}

bool api_renew(const struct adapter *adapter, const struct api_auth *auth,
               const struct http_answer *answer, struct api_call *call,
               const struct secrets *secrets)
{
    if (adapter->doc.interface->api->auth_method != AUTH_OAUTH || !call->token_kept ||
        answer->end != HTTP_DONE || answer->status != 401)
        return false;
    for (size_t i = 0; i < secrets->n; i++)
        if (str_is(secrets->v[i].name, "token"))
            token_forget(auth->tokens, secrets->v[i].value);
    call->token_kept = false; /* the next one is fresh, and is not asked for twice */
    return true;
}
