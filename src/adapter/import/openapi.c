/* SPDX-License-Identifier: Apache-2.0 */
/* openapi.c: an OpenAPI document becomes an adapter: its name, its server, its operations.
 */
#include "adapter/import_openapi.h"

#include "adapter/host.h"
#include "adapter/import/parts.h"
#include "adapter/import_yaml.h"
#include "base/doc_make.h"
#include "contract/codes.h"

enum { WORK_STEPS = 50000000, YAML_BYTES = 4 << 20 };

static const char *const method_names[] = { "get",   "head",   "post",    "put",
                                            "patch", "delete", "options", "trace" };

/* ---- maps, texts, names ---- */

const struct doc *map_find(const struct doc *d, struct str key)
{
    for (const struct doc *c = doc_first(d, DOC_MAP); c; c = c->next)
        if (str_eq(c->key, key))
            return c;
    return NULL;
}

const struct doc *map_get(const struct doc *d, const char *key)
{
    return d && d->kind == DOC_MAP ? doc_get(d, key) : NULL;
}

struct str map_text(const struct doc *d, const char *key)
{
    const struct doc *c = map_get(d, key);

    return c && c->kind == DOC_TEXT && c->text.n ? c->text : (struct str){ "", 0 };
}

bool map_true(const struct doc *d, const char *key)
{
    const struct doc *c = map_get(d, key);

    return c && c->kind == DOC_BOOL && c->truth;
}

void import_leave(struct importing *im, const char *operation, const char *why)
{
    im->left = arena_more(im->a, im->left, im->left_count, &im->left_room, sizeof *im->left);
    im->left[im->left_count++] = (struct import_left){ operation, why };
}

void import_warn(struct importing *im, const char *text)
{
    im->warnings =
        arena_more(im->a, im->warnings, im->warned, &im->warnings_room, sizeof *im->warnings);
    im->warnings[im->warned++] = text;
}

struct str import_line(struct importing *im, struct str text, size_t most)
{
    char *out = arena_alloc(im->a, (text.n < 4 * most ? text.n : 4 * most) + 4);
    size_t n = 0, chars = 0;

    for (size_t i = 0; i < text.n && chars < most; i++) {
        unsigned char c = (unsigned char)text.s[i];
        bool blank = c <= ' ' || c == 0x7f;

        if (blank && (n == 0 || out[n - 1] == ' '))
            continue;
        out[n++] = blank ? ' ' : text.s[i];
        /* A character is counted at its last byte: none is cut. */
        chars += i + 1 == text.n || ((unsigned char)text.s[i + 1] & 0xc0) != 0x80;
    }
    while (n && out[n - 1] == ' ')
        n--;
    return (struct str){ out, n };
}

const char *import_word(struct importing *im, struct str text, char other, bool lower)
{
    size_t most = text.n < IMPORT_NAME ? text.n : IMPORT_NAME, n = 0;
    char *out = arena_alloc(im->a, most + 2);

    for (size_t i = 0; i < most; i++) {
        char c = text.s[i];
        bool capital = c >= 'A' && c <= 'Z';
        bool good = capital || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

        if (good)
            out[n++] = lower && capital ? (char)(c - 'A' + 'a') : c;
        else if (n && out[n - 1] != other)
            out[n++] = c == '_' || c == '-' ? c : other;
    }
    while (n && is_one_of(out[n - 1], "_-"))
        n--;
    out[n] = '\0';
    return n ? out : "unnamed";
}

/* ---- the document ---- */

static bool read_spec(struct importing *im, struct error *e)
{
    struct str three = map_text(im->root, "openapi");
    const struct doc *two = map_get(im->root, "swagger");
    struct at at = doc_at(im->root);

    if (str_begins(three, "3.0"))
        im->spec = OPENAPI_30;
    else if (str_begins(three, "3."))
        im->spec = OPENAPI_31;
    else if (two && ((two->kind == DOC_TEXT && str_is(two->text, "2.0")) ||
                     (two->kind == DOC_NUMBER && two->number == 2.0) ||
                     (two->kind == DOC_INT && two->whole == 2)))
        im->spec = SWAGGER_2;
    else
        return error_at(e, CODE_VALIDATION_ERROR, &at,
                        "this is no OpenAPI document: it has neither openapi: 3.x nor swagger: "
                        "\"2.0\"");
    return true;
}

/* ---- its operations ---- */

/* Does the text fit a pattern in which * stands for anything? In time by their lengths' product. */
static bool fits(const char *pattern, const char *text)
{
    const char *star = NULL, *back = text;

    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            back = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++back;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

static bool fits_any(const char *const *patterns, const char *name)
{
    for (; *patterns; patterns++)
        if (fits(*patterns, name))
            return true;
    return false;
}

static bool is_wanted(const struct import_ask *ask, const char *name)
{
    return (!ask->include || !*ask->include || fits_any(ask->include, name)) &&
           !(ask->exclude && fits_any(ask->exclude, name));
}

/* operationId, or get_pets_petId of GET /pets/{petId}; no two the same. It is the document's alone:
 * the same whatever is wanted of it. */
static const char *operation_name(struct importing *im, const struct doc *op, const char *method,
                                  struct str path)
{
    struct str id = map_text(op, "operationId");
    const char *name =
        id.n ? import_word(im, id, '_', false)
             : arena_printf(im->a, "%s_%s", method, import_word(im, path, '_', false));

    return names_give(&im->names, name, im->a);
}

/* What is sent of a path: a # and what follows only tells operations of one path apart. */
static struct str sent_path(struct str path)
{
    const char *mark = path.n ? memchr(path.s, '#', path.n) : NULL;

    return mark ? (struct str){ path.s, (size_t)(mark - path.s) } : path;
}

/* What keeps it from being an endpoint; NULL: nothing. */
static const char *path_wrong(struct importing *im, struct str path)
{
    if (path.n > 1000)
        return "its path has more than 1000 characters";
    if (path.n == 0 || path.s[0] != '/')
        return arena_printf(im->a, "its path %s does not begin with /", said(path, im->a));
    for (size_t i = 0; i < path.n; i++) {
        if (path.s[i] == '?')
            return arena_printf(im->a, "its path %s has a query, which parameters are to say",
                                said(path, im->a));
        if ((unsigned char)path.s[i] <= ' ' || path.s[i] == '\x7f')
            return arena_printf(im->a, "its path %s has a blank", said(path, im->a));
    }
    return NULL;
}

/* Some names of those that are not wanted: whoever gets nothing may have meant one. */
static void pass_by(struct importing *im, const char *name)
{
    if (im->passed < COUNT(im->some))
        im->some[im->passed] = name;
    im->passed++;
}

static void take_operation(struct importing *im, const struct doc *item, const struct doc *op,
                           struct str path, const char *method)
{
    struct found f = { .item = item, .op = op, .path = sent_path(path), .method = method };
    const char *why = path_wrong(im, f.path);

    f.name = operation_name(im, op, method, path);
    if (!is_wanted(im->ask, f.name)) {
        pass_by(im, f.name);
        return;
    }
    im->wanted++;
    if (im->endpoints->count >= IMPORT_OPERATIONS)
        why = arena_printf(im->a, "an adapter has at most %d operations", IMPORT_OPERATIONS);
    else if (strcmp(method, "trace") == 0)
        why = "TRACE is not sent";
    else if (!why)
        why = import_operation(im, &f);
    if (why)
        import_leave(im, f.name, why);
}

/* Calls `each` for every operation: the members of a path that are methods, and no others. */
static void walk(struct importing *im,
                 void (*each)(struct importing *im, const struct doc *item, const struct doc *op,
                              struct str path, const char *method))
{
    const struct doc *p = doc_first(map_get(im->root, "paths"), DOC_MAP);

    for (; p; p = p->next) {
        const char *why = "";
        const struct doc *item = import_deref(im, p, &why);

        for (size_t i = 0; item && i < COUNT(method_names); i++) {
            const struct doc *op = map_get(item, method_names[i]);

            if (op && op->kind == DOC_MAP)
                each(im, item, op, p->key, method_names[i]);
        }
    }
}

/* Paths that refer elsewhere are told once, not for each way of walking them. */
static void leave_paths(struct importing *im)
{
    const struct doc *p = doc_first(map_get(im->root, "paths"), DOC_MAP);

    for (; p; p = p->next) {
        const char *why = "";

        if (!import_deref(im, p, &why))
            import_leave(im, arena_text(im->a, import_line(im, p->key, IMPORT_NAME)), why);
    }
}

/* Has it a parameter that is its body, as Swagger 2.0 writes it? */
static bool has_body(struct importing *im, const struct doc *list)
{
    for (const struct doc *c = doc_first(list, DOC_LIST); c; c = c->next) {
        const char *ignored;
        const struct doc *p = import_deref(im, c, &ignored);

        if (p && str_is(map_text(p, "in"), "body"))
            return true;
    }
    return false;
}

/* What those that are wanted have: a body of JSON decides for all. */
static void see(struct importing *im, const struct doc *item, const struct doc *op, struct str path,
                const char *method)
{
    const struct doc *said_body = map_get(op, "requestBody"), *body;
    const char *type = import_form_type(im, item, op), *ignored;

    if (!is_wanted(im->ask, operation_name(im, op, method, path)))
        return;
    import_see_security(im, op);
    import_see_server(im, item, op);
    body = said_body ? import_deref(im, said_body, &ignored) : NULL;
    im->any_json =
        im->any_json || (body && import_body_schema(body, BODIES_JSON)) ||
        (!import_not_json(im, op, "consumes").n &&
         (has_body(im, map_get(op, "parameters")) || has_body(im, map_get(item, "parameters"))));
    im->any_form = im->any_form || (body && import_body_schema(body, BODIES_FORM)) ||
                   (type && !str_begins(str_of(type), "multipart/"));
}

/* ---- the adapter ---- */

static void put_rest(struct importing *im, struct doc *adapter)
{
    static const int codes_again[] = { 429, 502, 503, 504 };
    struct arena *a = im->a;
    struct doc *transforms = doc_add_kind(a, adapter, "transforms", DOC_MAP), *d;

    d = doc_add_kind(a, doc_add_kind(a, transforms, "input", DOC_LIST), NULL, DOC_MAP);
    doc_add_text(a, d, "type", str_of("validate"));
    doc_add_text(a, d, "spec", str_of("json_schema"));
    if (im->json_only) {
        d = doc_add_kind(a, doc_add_kind(a, transforms, "output", DOC_LIST), NULL, DOC_MAP);
        doc_add_text(a, d, "type", str_of("parse"));
        doc_add_text(a, d, "spec", str_of("json"));
    }
    d = doc_add_kind(a, doc_add_kind(a, adapter, "errors", DOC_MAP), "retry", DOC_MAP);
    doc_add_int(a, d, "max_attempts", 3);
    doc_add_int(a, d, "backoff_ms", 1000);
    d = doc_add_kind(a, d, "retryable_codes", DOC_LIST);
    for (size_t i = 0; i < COUNT(codes_again); i++)
        doc_add_int(a, d, NULL, codes_again[i]);
    d = doc_add_kind(a, adapter, "metadata", DOC_MAP);
    doc_add_text(a, d, "author", str_of("writ adapters import"));
    doc_add_text(a, d, "created", str_of(im->ask->today));
    doc_add_text(a, d, "updated", str_of(im->ask->today));
    doc_add_text(a, d, "status", str_of("experimental"));
}

/* The hosts that are reached, as a list: that of the service is the first. */
static struct doc *put_override(struct importing *im, struct str url, struct doc *adapter)
{
    struct doc *override = doc_add_kind(im->a, adapter, "sandbox_override", DOC_MAP), *network,
               *allow;
    struct url_parts parts;

    doc_add_int(im->a, override, "timeout_ms", 30000);
    network = doc_add_kind(im->a, override, "network", DOC_MAP);
    doc_add_bool(im->a, network, "enabled", true);
    allow = doc_add_kind(im->a, network, "allow", DOC_LIST);
    if (url_split(url, &parts))
        doc_add_text(im->a, allow, NULL, parts.authority);
    return allow;
}

static struct doc *make_adapter(struct importing *im, const char *id)
{
    struct arena *a = im->a;
    struct doc *adapter = doc_root(a, DOC_MAP), *api, *headers, *allow;
    struct str url;

    walk(im, see);
    url = import_server(im);
    doc_add_text(a, adapter, "adapter_id", str_of(id));
    doc_add_text(a, adapter, "name", str_of(id));
    doc_add_text(a, adapter, "version", str_of("1.0.0"));
    doc_add_text(a, adapter, "tool_id", str_of(im->ask->tool ? im->ask->tool : id));
    doc_add_text(a, adapter, "type", str_of("api"));
    api = doc_add_kind(a, doc_add_kind(a, adapter, "interface", DOC_MAP), "api", DOC_MAP);
    doc_add_text(a, api, "base_url", url);
    allow = put_override(im, url, adapter);
    import_security(im, id, api, adapter, allow);
    headers = doc_add_kind(a, api, "headers", DOC_MAP);
    /* A service that has nothing but CSV or a picture would refuse to answer with JSON alone. */
    doc_add_text(a, headers, "Accept", str_of("application/json, */*;q=0.5"));
    im->endpoints = doc_add_kind(a, api, "endpoint_mapping", DOC_MAP);
    im->operations = doc_add_kind(a, adapter, "operations", DOC_MAP);
    im->bodies = im->any_form && !im->any_json ? BODIES_FORM : BODIES_JSON;
    if (im->bodies == BODIES_FORM)
        doc_add_text(a, headers, "Content-Type", str_of("application/x-www-form-urlencoded"));
    im->names = (struct names){ 0 };
    walk(im, take_operation);
    leave_paths(im);
    import_tell_open(im);
    put_rest(im, adapter);
    return adapter;
}

/* "there are 9 others, such as getPet, listPets" */
static bool nothing_wanted(const struct importing *im, const struct at *at, struct error *e)
{
    _buf_ struct buf names = { .max = 200 };

    for (size_t i = 0; i < im->passed && i < COUNT(im->some); i++)
        buf_addf(&names, "%s%s", i ? ", " : "", im->some[i]);
    return error_at(e, CODE_VALIDATION_ERROR, at,
                    "none of its operations is chosen by --include and --exclude; it has %zu%s%s",
                    im->passed, im->passed > COUNT(im->some) ? ", such as " : ": ",
                    buf_str(&names).s);
}

static bool nothing_left(const struct importing *im, struct error *e)
{
    struct at at = doc_at(im->root);

    if (!im->wanted && im->passed)
        return nothing_wanted(im, &at, e);
    if (!im->wanted && !im->left_count)
        return error_at(e, CODE_VALIDATION_ERROR, &at, "there are no operations under `paths`%s",
                        map_get(im->root, "webhooks")
                            ? "; what is under `webhooks` is called by the service"
                            : "");
    return error_at(e, CODE_VALIDATION_ERROR, &at, "none of its operations can be called%s%s",
                    im->left_count ? "; the first: " : "", im->left_count ? im->left[0].why : "");
}

bool import_openapi(const struct import_ask *ask, struct arena *a, struct import_made *out,
                    struct error *e)
{
    struct importing im = { .ask = ask,
                            .root = ask->root,
                            .work = { .left = WORK_STEPS },
                            .series = { .a = a, .work = { .left = SCHEMA_SERIES_STEPS } },
                            .json_only = true,
                            .a = a };
    _buf_ struct buf yaml = { .max = YAML_BYTES };
    struct at at = doc_at(ask->root);
    const char *id;
    struct doc *adapter;

    if (!read_spec(&im, e))
        return false;
    id = ask->name ? ask->name
                   : import_word(&im, map_text(map_get(ask->root, "info"), "title"), '-', true);
    adapter = make_adapter(&im, id);
    if (im.endpoints->count == 0)
        return nothing_left(&im, e);
    yaml_write(adapter, &yaml);
    if (!buf_ok(&yaml))
        return error_at(e, CODE_CEILING, &at,
                        "the adapter would have more than 4 MiB; choose operations with --include");
    *out = (struct import_made){ .yaml = { arena_text(a, buf_str(&yaml)), yaml.len },
                                 .adapter_id = id,
                                 .operations = im.endpoints->count,
                                 .left = im.left,
                                 .left_count = im.left_count,
                                 .warnings = im.warnings,
                                 .warned = im.warned };
    return true;
}
