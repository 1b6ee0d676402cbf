/* SPDX-License-Identifier: Apache-2.0 */
/* security.c: the security schemes of an OpenAPI document as auth_method, auth and secrets.
 *
 * An adapter has one way to prove who calls. The first scheme that can be done is it, as the
 * document asks for it; operations that want another are left out.
 */
#include "adapter/import/parts.h"

#include "adapter/host.h"
#include "base/doc_make.h"
#include "contract/forms.h"

enum way { WAY_NONE, WAY_BEARER, WAY_KEY, WAY_OAUTH, WAY_BASIC };

static const struct doc *schemes(const struct importing *im)
{
    return im->spec == SWAGGER_2 ? map_get(im->root, "securityDefinitions")
                                 : map_get(map_get(im->root, "components"), "securitySchemes");
}

/* The flow by which a client has tokens by itself. */
static const struct doc *client_flow(const struct importing *im, const struct doc *scheme)
{
    if (im->spec == SWAGGER_2)
        return str_is(map_text(scheme, "flow"), "application") ? scheme : NULL;
    return map_get(map_get(scheme, "flows"), "clientCredentials");
}

/* One that an adapter may have: what is none leaves a token that somebody else got. */
static bool is_token_url(struct str url)
{
    struct url_parts parts;
    const char *why;

    return url_split(url, &parts) && forms[FORM_URL].fits(url, &why) && !memchr(url.s, '#', url.n);
}

static enum way way_of(struct importing *im, struct str name)
{
    const char *ignored;
    const struct doc *all = schemes(im);
    uint32_t cost = 1 + (all && all->kind == DOC_MAP ? all->count / 16 : 0);
    const struct doc *said_scheme = work_do(&im->work, cost) ? map_find(all, name) : NULL;
    const struct doc *scheme = said_scheme ? import_deref(im, said_scheme, &ignored) : NULL;
    struct str type = scheme ? map_text(scheme, "type") : (struct str){ "", 0 };
    struct str http = scheme ? map_text(scheme, "scheme") : (struct str){ "", 0 };

    if (str_is(type, "apiKey"))
        return map_text(scheme, "name").n ? WAY_KEY : WAY_NONE;
    if (str_is(type, "basic")) /* so in Swagger 2.0 */
        return WAY_BASIC;
    if (str_is(type, "http") && http.n == 5 && str_cmp_letters(http, str_of("basic")) == 0)
        return WAY_BASIC;
    if (str_is(type, "http"))
        return http.n == 6 && str_cmp_letters(http, str_of("bearer")) == 0 ? WAY_BEARER : WAY_NONE;
    if (str_is(type, "oauth2"))
        return is_token_url(map_text(client_flow(im, scheme), "tokenUrl")) ? WAY_OAUTH : WAY_BEARER;
    return str_is(type, "openIdConnect") ? WAY_BEARER : WAY_NONE;
}

/* ---- which one ---- */

/* Has it one name, or several that one token meets? A request has one place for a Bearer, so that
 * schemes that all come to one are met by the same. */
static bool is_one(struct importing *im, const struct doc *requirement)
{
    const struct doc *c = doc_first(requirement, DOC_MAP);

    if (!c || !c->next)
        return c != NULL;
    for (; c; c = c->next)
        if (way_of(im, c->key) != WAY_BEARER)
            return false;
    return true;
}

static struct str first_possible(struct importing *im, const struct doc *security)
{
    for (const struct doc *c = doc_first(security, DOC_LIST); c; c = c->next)
        if (is_one(im, c) && way_of(im, c->first->key) != WAY_NONE)
            return c->first->key;
    return (struct str){ 0 };
}

void import_see_security(struct importing *im, const struct doc *op)
{
    const struct doc *own = map_get(op, "security");

    im->root_secures = im->root_secures || !own;
    if (!im->scheme.s)
        im->scheme = first_possible(im, own);
}

/* What the document asks for comes first, where an operation goes by that. */
static struct str choose(struct importing *im)
{
    struct str name = { 0 };

    if (im->root_secures)
        name = first_possible(im, map_get(im->root, "security"));
    return name.s ? name : im->scheme;
}

/* The requirements an operation has: its own, else those of all. */
static const struct doc *required_by(const struct importing *im, const struct doc *op)
{
    const struct doc *own = map_get(op, "security");

    return doc_first(own ? own : map_get(im->root, "security"), DOC_LIST);
}

void import_note_open(struct importing *im, const struct found *f)
{
    if (!im->scheme.n || required_by(im, f->op))
        return;
    if (im->open_count < COUNT(im->open))
        im->open[im->open_count] = f->name;
    im->open_count++;
}

void import_tell_open(struct importing *im)
{
    _buf_ struct buf names = { .max = 1200 };

    for (size_t i = 0; i < im->open_count && i < COUNT(im->open); i++)
        buf_addf(&names, "%s%s", i ? ", " : "", im->open[i]);
    if (im->open_count)
        import_warn(im, arena_printf(im->a,
                                     "%s%s: the document asks for no proof of who calls, and it is "
                                     "sent all the same, since an adapter has one auth_method; "
                                     "import them by themselves (--include) to call without it",
                                     buf_str(&names).s,
                                     im->open_count > COUNT(im->open) ? ", .." : ""));
}

/* Why the first of its requirements is not met. */
static const char *unmet(struct importing *im, const struct doc *requirement)
{
    const struct doc *one = requirement->first;

    if (one->next)
        return "two ways at once, and an adapter does it in one";
    if (!map_find(schemes(im), one->key))
        return arena_printf(im->a, "%s, which the document does not define", said(one->key, im->a));
    return arena_printf(im->a, "%s, %s", said(one->key, im->a),
                        im->scheme.n
                            ? "and this adapter does it in another way"
                            : "which is not known here: keys, Basic, Bearer and OAuth are");
}

const char *import_secured(struct importing *im, const struct found *f)
{
    const struct doc *first = required_by(im, f->op);

    for (const struct doc *c = first; c; c = c->next)
        if (!doc_first(c, DOC_MAP) || (im->scheme.n && map_find(c, im->scheme) && is_one(im, c)))
            return NULL;
    return first ? arena_printf(im->a, "callers prove who they are by %s", unmet(im, first)) : NULL;
}

/* ---- what the adapter says ---- */

/* PETSTORE_TOKEN: a variable after the adapter's id. */
static const char *variable(struct importing *im, const char *id, const char *what)
{
    char *out = arena_printf(im->a, "%s%s_%s", *id >= '0' && *id <= '9' ? "API_" : "", id, what);

    for (char *c = out; *c; c++) {
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
        else if (!(*c >= 'A' && *c <= 'Z') && !(*c >= '0' && *c <= '9'))
            *c = '_';
    }
    return out;
}

static void put_secret(struct importing *im, struct doc *secrets, const char *name, const char *env)
{
    struct doc *one = doc_add_kind(im->a, secrets, NULL, DOC_MAP);

    doc_add_text(im->a, one, "name", str_of(name));
    doc_add_text(im->a, one, "env", str_of(env));
}

static void put_scopes(struct importing *im, const struct doc *flow, struct doc *auth)
{
    _buf_ struct buf text = { .max = 2000 };
    const struct doc *c = doc_first(map_get(flow, "scopes"), DOC_MAP);

    for (; c; c = c->next) {
        buf_adds(&text, text.len ? " " : "");
        buf_add(&text, c->key.s, c->key.n);
    }
    if (text.len && buf_ok(&text) && !memchr(text.s, '\0', text.len))
        doc_add_text(im->a, auth, "scope", str_of(arena_text(im->a, buf_str(&text))));
}

static void put_oauth(struct importing *im, const struct doc *scheme, struct doc *auth,
                      struct doc *allow)
{
    const struct doc *flow = client_flow(im, scheme);
    struct url_parts url;

    doc_add_text(im->a, auth, "token_url", map_text(flow, "tokenUrl"));
    doc_add_text(im->a, auth, "client_id", str_of("client_id"));
    doc_add_text(im->a, auth, "client_secret", str_of("client_secret"));
    put_scopes(im, flow, auth);
    if (url_split(map_text(flow, "tokenUrl"), &url) && !str_eq(url.authority, allow->first->text))
        doc_add_text(im->a, allow, NULL, url.authority);
}

static const char *key_place(const struct doc *scheme)
{
    struct str in = map_text(scheme, "in");

    return str_is(in, "query") ? "query" : str_is(in, "cookie") ? "cookie" : "header";
}

bool import_has_key(struct importing *im, const char *in, struct str name)
{
    const char *ignored;
    const struct doc *scheme;
    struct str own;

    if (!im->scheme.n || way_of(im, im->scheme) != WAY_KEY)
        return false;
    scheme = import_deref(im, map_find(schemes(im), im->scheme), &ignored);
    own = map_text(scheme, "name");
    if (strcmp(key_place(scheme), in) != 0)
        return false;
    return strcmp(in, "header") == 0 ? own.n == name.n && str_cmp_letters(own, name) == 0
                                     : str_eq(own, name);
}

static void put_key(struct importing *im, const struct doc *scheme, struct doc *auth)
{
    doc_add_text(im->a, auth, "secret", str_of("key"));
    doc_add_text(im->a, auth, "in", str_of(key_place(scheme)));
    doc_add_text(im->a, auth, "name", map_text(scheme, "name"));
}

void import_security(struct importing *im, const char *id, struct doc *api, struct doc *adapter,
                     struct doc *allow)
{
    static const char *const methods[] = { "none", "bearer", "api_key", "oauth", "basic" };
    const char *ignored;
    const struct doc *scheme;
    struct doc *auth, *secrets;
    enum way way;

    im->scheme = choose(im);
    way = im->scheme.n ? way_of(im, im->scheme) : WAY_NONE;
    doc_add_text(im->a, api, "auth_method", str_of(methods[way]));
    if (way == WAY_NONE)
        return;
    scheme = import_deref(im, map_find(schemes(im), im->scheme), &ignored);
    auth = doc_add_kind(im->a, api, "auth", DOC_MAP);
    secrets = doc_add_kind(im->a, adapter, "secrets", DOC_LIST);
    if (way == WAY_OAUTH) {
        put_oauth(im, scheme, auth, allow);
        put_secret(im, secrets, "client_id", variable(im, id, "CLIENT_ID"));
        put_secret(im, secrets, "client_secret", variable(im, id, "CLIENT_SECRET"));
    } else if (way == WAY_KEY) {
        put_key(im, scheme, auth);
        put_secret(im, secrets, "key", variable(im, id, "KEY"));
    } else if (way == WAY_BASIC) {
        doc_add_text(im->a, auth, "user", str_of("user"));
        doc_add_text(im->a, auth, "secret", str_of("password"));
        put_secret(im, secrets, "user", variable(im, id, "USER"));
        put_secret(im, secrets, "password", variable(im, id, "PASSWORD"));
    } else {
        doc_add_text(im->a, auth, "secret", str_of("token"));
        put_secret(im, secrets, "token", variable(im, id, "TOKEN"));
    }
}
