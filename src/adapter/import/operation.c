/* SPDX-License-Identifier: Apache-2.0 */
/* operation.c: one operation of an OpenAPI document: its endpoint, parameters and schema. */
#include "adapter/import/parts.h"

#include "base/doc_make.h"
#include "base/jsonschema.h"
#include "contract/codes.h"

/* ---- all parameters ---- */

/* RFC 9110 and OpenAPI: these headers are said elsewhere. */
static bool said_elsewhere(struct str name)
{
    static const char *const names[] = { "accept", "content-type", "authorization" };

    for (size_t i = 0; i < COUNT(names); i++)
        if (name.n == strlen(names[i]) && str_cmp_letters(name, str_of(names[i])) == 0)
            return true;
    return false;
}

static const char *place_of(struct str in)
{
    static const char *const places[] = { "path", "query", "header", "cookie" };

    for (size_t i = 0; i < COUNT(places); i++)
        if (str_is(in, places[i]))
            return places[i];
    return str_is(in, "formData") ? "body" : NULL;
}

static bool add_one(struct making *m, const struct doc *p)
{
    struct str name = map_text(p, "name"), in = map_text(p, "in");
    const char *place = place_of(in);

    if (str_is(in, "body") && m->im->spec == SWAGGER_2)
        return body_take(m, p);
    if (m->form && str_is(in, "formData"))
        return body_leave(m, str_of(m->form), map_true(p, "required"));
    if (name.n == 0 || name.n > IMPORT_NAME || memchr(name.s, '\0', name.n) || !place) {
        m->schemas.why = "it has a parameter without a name or a place";
        return false;
    }
    if ((strcmp(place, "header") == 0 && said_elsewhere(name)) ||
        import_has_key(m->im, place, name))
        return true;
    return parameter_add(m, p, place);
}

/* Is there one of the same name and place in the operation's own list? */
static bool overridden(struct making *m, const struct doc *p)
{
    const struct doc *c = doc_first(map_get(m->f->op, "parameters"), DOC_LIST);

    for (; c; c = c->next) {
        const char *ignored;
        const struct doc *own = import_deref(m->im, c, &ignored);

        if (own && str_eq(map_text(own, "name"), map_text(p, "name")) &&
            str_eq(map_text(own, "in"), map_text(p, "in")))
            return true;
    }
    return false;
}

static bool add_list(struct making *m, const struct doc *list, bool inherited)
{
    if (list && list->count > 200) {
        m->schemas.why = "it has more than 200 parameters";
        return false;
    }
    for (const struct doc *c = doc_first(list, DOC_LIST); c; c = c->next) {
        const struct doc *p = import_deref(m->im, c, &m->schemas.why);

        if (!p)
            return false;
        if (inherited && overridden(m, p))
            continue;
        if (!add_one(m, p))
            return false;
    }
    return true;
}

static bool has_place(const struct making *m, struct str placeholder)
{
    for (const struct doc *c = m->places->first; c; c = c->next) {
        struct str name = map_text(c, "name");

        if (str_is(map_text(c, "in"), "path") && str_eq(name.n ? name : c->key, placeholder))
            return true;
    }
    return false;
}

static bool lone_brace(struct making *m)
{
    m->schemas.why = "its path has half a pair of braces";
    return false;
}

/* Placeholders that nobody has described are texts. */
static bool add_placeholders(struct making *m)
{
    struct str path = m->f->path;
    size_t from = 0;

    for (size_t i = 0; i < path.n; i++) {
        struct str name = { path.s + from, i - from };
        struct doc *to;

        if (!is_one_of(path.s[i], "{}"))
            continue;
        if ((path.s[i] == '{') == (from > 0))
            return lone_brace(m);
        from = path.s[i] == '{' ? i + 1 : 0;
        if (from)
            continue;
        if (has_place(m, name))
            continue;
        to = name.n ? parameter_put(m, name, "path", true) : NULL;
        if (!to) {
            m->schemas.why = "its path has a placeholder without a name";
            return false;
        }
        to->kind = DOC_MAP;
        doc_add_text(m->im->a, to, "type", str_of("string"));
    }
    return from == 0 || lone_brace(m);
}

/* ---- putting it together ---- */

/* The type of a form that no adapter sends. */
static const char *unsent_form(struct making *m)
{
    const char *type = import_form_type(m->im, m->f->item, m->f->op);

    if (!type || !body_is_form(str_of(type)))
        return type;
    body_is_of_form(m);
    return NULL;
}

static struct doc *make_input(struct making *m)
{
    struct arena *a = m->im->a;
    struct doc *input = doc_root(a, DOC_MAP);

    doc_add_text(a, input, "type", str_of("object"));
    m->properties = doc_add_kind(a, input, "properties", DOC_MAP);
    m->required = doc_root(a, DOC_LIST);
    m->places = doc_root(a, DOC_MAP);
    m->form = unsent_form(m);
    if (!add_list(m, map_get(m->f->item, "parameters"), true) ||
        !add_list(m, map_get(m->f->op, "parameters"), false) || !add_placeholders(m) ||
        !body_find(m) || (m->body_schema && !body_add(m)))
        return NULL;
    if (m->required->count &&
        !doc_copy(m->required, doc_add_kind(a, input, "required", DOC_NULL), &m->im->work, a))
        return NULL;
    doc_add_bool(a, input, "additionalProperties", false);
    return schema_defs(&m->schemas, input) ? input : NULL;
}

/* Will it be read when somebody calls? False: *why. */
static bool is_schema(struct importing *im, const struct doc *input, const char **why)
{
    _arena_ struct arena scratch = { 0 }; /* patterns take more room than the document */
    struct schema_options options = { .code = CODE_VALIDATION_ERROR, .series = &im->series };
    struct report r = report_new(&scratch, "schema", (struct str){ 0 });
    const struct jsonschema *ignored;

    if (jsonschema_read((const struct document *)(const void *)input, &options, &scratch, &ignored,
                        &r))
        return true;
    *why = r.first ? arena_printf(im->a, "its schema cannot be read: %s: %s", r.first->pointer,
                                  r.first->msg)
                   : "its schema cannot be read";
    return false;
}

/* Patterns that our own reader does not read are left out first. */
static struct doc *good_input(struct making *m)
{
    struct doc *input = make_input(m);

    if (!input || is_schema(m->im, input, &m->schemas.why))
        return input;
    *m = (struct making){ .im = m->im, .f = m->f, .dry = true };
    m->schemas = (struct schemas){ .im = m->im, .readable_only = true };
    input = make_input(m);
    return !input || is_schema(m->im, input, &m->schemas.why) ? input : NULL;
}

static void put_about(struct making *m, struct doc *to)
{
    struct str about = import_line(m->im, map_text(m->f->op, "summary"), IMPORT_ABOUT);

    if (!about.n)
        about = import_line(m->im, map_text(m->f->op, "description"), IMPORT_ABOUT);
    if (about.n)
        doc_add_text(m->im->a, to, "about", about);
}

static bool put_operation(struct making *m, const struct doc *input)
{
    struct arena *a = m->im->a;
    struct work *w = &m->im->work;
    bool reads = strcmp(m->f->method, "get") == 0 || strcmp(m->f->method, "head") == 0 ||
                 strcmp(m->f->method, "options") == 0;
    struct doc *op = doc_add_kind(a, m->im->operations, m->f->name, DOC_MAP);
    char *endpoint = arena_printf(a, "%s %.*s", m->f->method, STR_ARG(m->f->path));

    for (char *c = endpoint; *c != ' '; c++)
        *c = (char)(*c - 'a' + 'A');
    doc_add_text(a, m->im->endpoints, m->f->name, str_of(endpoint));
    put_about(m, op);
    if (!doc_copy(input, doc_add_kind(a, op, "input", DOC_NULL), w, a))
        return false;
    if (m->places->count && !doc_copy(m->places, doc_add_kind(a, op, "parameters", DOC_NULL), w, a))
        return false;
    if (m->body)
        doc_add_text(a, op, "body", str_of(m->body));
    if (m->body_type.n)
        doc_add_text(a, op, "content_type", m->body_type);
    doc_add_text(a, op, "effect", str_of(reads ? "read" : "write"));
    return true;
}

/* Does it answer with JSON whenever all is well? */
static bool answers_json(struct importing *im, const struct found *f)
{
    const struct doc *c = doc_first(map_get(f->op, "responses"), DOC_MAP);
    bool any = false;

    for (; c; c = c->next) {
        const char *ignored;
        const struct doc *response = import_deref(im, c, &ignored);

        if (!c->key.n || c->key.s[0] != '2')
            continue;
        any = true;
        if (!response ||
            (im->spec == SWAGGER_2 ? !map_get(response, "schema") : !import_is_json(response)))
            return false;
    }
    return any && !import_not_json(im, f->op, "produces").n;
}

static void leave_patterns(struct importing *im, const char *operation, const struct schemas *s)
{
    bool many = s->unread_count > 1;

    import_leave(im, operation,
                 arena_printf(im->a,
                              "only %zu pattern%s of its parameters, which the service alone holds "
                              "them to: %s%s",
                              s->unread_count, many ? "s" : "", many ? "the first is " : "",
                              s->unread));
}

const char *import_operation(struct importing *im, const struct found *f)
{
    struct making m = { .im = im, .f = f, .schemas = { .im = im } };
    const char *why = import_secured(im, f);
    const struct doc *input;

    if (why)
        return why;
    if (import_is_elsewhere(im, f))
        return "it has a server of its own";
    input = good_input(&m);
    if (!input)
        return m.schemas.why ? m.schemas.why : "its schema is too large";
    if (!put_operation(&m, input))
        return "the document is too large";
    if (m.body_left)
        import_leave(im, f->name,
                     arena_printf(im->a, "only its body, without which it can be called: it is %s",
                                  m.body_left));
    if (m.schemas.unread_count)
        leave_patterns(im, f->name, &m.schemas);
    import_note_open(im, f);
    im->json_only = im->json_only && answers_json(im, f);
    return NULL;
}
