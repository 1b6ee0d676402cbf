/* SPDX-License-Identifier: Apache-2.0 */
/* body.c: what an operation of an OpenAPI document sends as its body: of which type, and whether
 * its members are parameters or all of it is one. */
#include "adapter/import/parts.h"

#include "adapter/api_bind.h"
#include "base/doc_make.h"

static bool has_word(struct str type, const char *word)
{
    size_t n = strlen(word);

    for (size_t i = 0; i + n <= type.n; i++)
        if (str_cmp_letters((struct str){ type.s + i, n }, str_of(word)) == 0)
            return true;
    return false;
}

/* One document: application/json, application/hal+json; not many in a row. What no header can say
 * is no type. */
static bool is_json_type(struct str type)
{
    static const char *const rows[] = { "ndjson", "jsonl", "json-l", "json-seq", "stream+json" };

    for (size_t i = 0; i < type.n; i++)
        if (type.s[i] < ' ' || type.s[i] > '~' || type.n > IMPORT_NAME)
            return false;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (has_word(type, rows[i]))
            return false;
    return has_word(type, "json") || str_is(type, "*/*");
}

/* Where any type is taken JSON is, too. Of an answer that would be a guess. */
static bool takes_json(struct str type)
{
    return is_json_type(type) || str_is(type, "application/*");
}

/* What people write as a text, and no other bytes. */
static bool is_text_type(struct str type)
{
    static const char *const words[] = { "xml", "yaml", "csv", "graphql", "sql" };

    if (str_is(type, "text/*"))
        return true;
    if (!type.n || type.n > IMPORT_NAME || api_type_refused(type) || has_word(type, "json"))
        return false;
    if (str_begins(type, "text/"))
        return true;
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_begins(type, "application/") && has_word(type, words[i]))
            return true;
    return false;
}

static bool is_of_form(struct str type, enum body_form form)
{
    return form == BODIES_FORM   ? body_is_form(type)
           : form == BODIES_TEXT ? is_text_type(type)
                                 : takes_json(type);
}

/* What the adapter has to say of a body of JSON; no text: nothing, it is application/json. A type
 * with a * is not one, but any of many. */
static struct str type_to_send(struct str type)
{
    struct str plain = str_of("application/json");
    bool any = type.n && memchr(type.s, '*', type.n);

    if (any || !is_json_type(type) || api_type_refused(type) ||
        (type.n == plain.n && str_cmp_letters(type, plain) == 0))
        return (struct str){ 0 };
    return type;
}

static struct str text_to_send(struct str type)
{
    return memchr(type.s, '*', type.n) ? str_of("text/plain") : type;
}

/* The first type of that form among those that Swagger 2.0 lists for the operation, or for all. */
static const struct doc *consumed(const struct making *m, enum body_form form)
{
    const struct doc *own = map_get(m->f->op, "consumes");
    const struct doc *c = doc_first(own ? own : map_get(m->im->root, "consumes"), DOC_LIST);

    while (c && (c->kind != DOC_TEXT || !is_of_form(c->text, form)))
        c = c->next;
    return c;
}

struct str import_not_json(const struct importing *im, const struct doc *op, const char *key)
{
    const struct doc *own = map_get(op, key);
    const struct doc *first = doc_first(own ? own : map_get(im->root, key), DOC_LIST);

    if (im->spec != SWAGGER_2)
        return (struct str){ 0 };
    for (const struct doc *c = first; c; c = c->next)
        if (c->kind != DOC_TEXT || is_json_type(c->text))
            return (struct str){ 0 };
    return first ? first->text : (struct str){ 0 };
}

bool body_is_form(struct str type)
{
    return api_type_is_form(type);
}

/* The first of its types that can be sent, or NULL. */
static const struct doc *body_content(const struct doc *body, enum body_form form)
{
    const struct doc *c = doc_first(map_get(body, "content"), DOC_MAP);

    while (c && !is_of_form(c->key, form))
        c = c->next;
    return c;
}

bool import_is_json(const struct doc *response)
{
    const struct doc *c = doc_first(map_get(response, "content"), DOC_MAP);

    while (c && !is_json_type(c->key))
        c = c->next;
    return c != NULL;
}

const struct doc *import_body_schema(const struct doc *body, enum body_form form)
{
    const struct doc *content = body_content(body, form);
    const struct doc *schema = content ? map_get(content, "schema") : NULL;

    return schema ? schema : content;
}

/* 3.1: does something beside a reference say more than the reference does? */
static bool says_more(const struct making *m, const struct doc *schema)
{
    if (m->im->spec != OPENAPI_31 || !map_get(schema, "$ref"))
        return false;
    for (const struct doc *c = schema->first; c; c = c->next)
        if (!str_is(c->key, "$ref") && !str_is(c->key, "summary") && !str_is(c->key, "description"))
            return true;
    return false;
}

/* Is each of the texts a name in the map? */
static bool all_named(const struct doc *texts, const struct doc *map)
{
    for (const struct doc *c = doc_first(texts, DOC_LIST); c; c = c->next)
        if (c->kind == DOC_TEXT && !map_find(map, c->text))
            return false;
    return true;
}

/* Can each member of the body be a parameter of its own, and is there no other that it needs? */
static bool is_flat(struct making *m, const struct doc *schema)
{
    static const char *const more[] = {
        "allOf", "anyOf", "oneOf", "not", "patternProperties", "minProperties"
    };
    const struct doc *properties = map_get(schema, "properties");
    const struct doc *others = map_get(schema, "additionalProperties");

    if (!properties || properties->kind != DOC_MAP || !properties->count ||
        properties->count > 100 || map_true(schema, "nullable") ||
        !all_named(map_get(schema, "required"), properties))
        return false;
    if (others && !(others->kind == DOC_BOOL && !others->truth))
        return false;
    for (size_t i = 0; i < COUNT(more); i++)
        if (map_get(schema, more[i]))
            return false;
    for (const struct doc *c = properties->first; c; c = c->next)
        if (map_find(m->properties, c->key) || c->key.n == 0 || c->key.n > IMPORT_NAME ||
            memchr(c->key.s, '\0', c->key.n))
            return false;
    return true;
}

static bool in_list(const struct doc *list, struct str text)
{
    for (const struct doc *c = doc_first(list, DOC_LIST); c; c = c->next)
        if (c->kind == DOC_TEXT && str_eq(c->text, text))
            return true;
    return false;
}

bool body_add(struct making *m)
{
    const struct doc *schema = m->body_schema;
    bool required = m->body_required;
    const char *ignored;
    const struct doc *flat = import_deref(m->im, schema, &ignored);
    struct doc *to;

    if (flat && !m->body_text && !says_more(m, schema) && is_flat(m, flat)) {
        const struct doc *c = map_get(flat, "properties")->first;

        for (; c; c = c->next) {
            if (map_true(c, "readOnly"))
                continue;
            to = parameter_put(m, c->key, "body",
                               required && in_list(map_get(flat, "required"), c->key));
            if (!to || !schema_copy(&m->schemas, c, to, 0))
                return false;
        }
        return true;
    }
    m->body = parameter_name(m, str_of("body"), "whole");
    if (!m->body) {
        m->schemas.why = "two of its parameters have one name";
        return false;
    }
    if (required)
        doc_add_text(m->im->a, m->required, NULL, str_of(m->body));
    to = doc_add_kind(m->im->a, m->properties, m->body, DOC_NULL);
    if (m->body_text) {
        to->kind = DOC_MAP;
        doc_add_text(m->im->a, to, "type", str_of("string"));
        return true;
    }
    return schema_copy(&m->schemas, schema, to, 0);
}

/* Why a body of that type is not sent. */
static const char *unlike(struct making *m, struct str type)
{
    return arena_printf(m->im->a,
                        "%s, and an adapter sends JSON, application/x-www-form-urlencoded or text",
                        said(type, m->im->a));
}

void body_is_of_form(struct making *m)
{
    if (m->im->bodies != BODIES_FORM)
        m->body_type = str_of("application/x-www-form-urlencoded");
}

/* What is sent of this form, by the type that the document has. */
static void body_is_of(struct making *m, enum body_form form, struct str type)
{
    m->body_text = form == BODIES_TEXT;
    if (form == BODIES_FORM)
        body_is_of_form(m);
    else
        m->body_type = m->body_text ? text_to_send(type) : type_to_send(type);
    if (form == BODIES_JSON && m->im->bodies == BODIES_FORM && !m->body_type.n)
        m->body_type = str_of("application/json");
}

/* JSON is what can say the most. */
static const enum body_form by_rank[] = { BODIES_JSON, BODIES_FORM, BODIES_TEXT };

bool body_take(struct making *m, const struct doc *parameter)
{
    struct str other = import_not_json(m->im, m->f->op, "consumes");
    enum body_form form = consumed(m, BODIES_JSON) || !other.n ? BODIES_JSON : BODIES_TEXT;
    const struct doc *type = consumed(m, form);

    if (form == BODIES_TEXT && !type)
        return body_leave(m, other, map_true(parameter, "required"));
    m->body_schema = map_get(parameter, "schema");
    m->body_required = map_true(parameter, "required");
    body_is_of(m, form, type ? type->text : (struct str){ 0 });
    return true;
}

bool body_find(struct making *m)
{
    const struct doc *said_body = map_get(m->f->op, "requestBody"), *body, *schema, *first;

    if (!said_body || m->im->spec == SWAGGER_2)
        return true;
    body = import_deref(m->im, said_body, &m->schemas.why);
    if (!body)
        return false;
    schema = NULL;
    for (size_t i = 0; i < COUNT(by_rank) && !schema; i++) {
        schema = import_body_schema(body, by_rank[i]);
        if (schema)
            body_is_of(m, by_rank[i], body_content(body, by_rank[i])->key);
    }
    first = doc_first(map_get(body, "content"), DOC_MAP);
    m->body_schema = schema;
    m->body_required = map_true(body, "required");
    if (schema || !first)
        return true;
    if (!m->body_required) {
        m->body_left = unlike(m, first->key);
        return true;
    }
    m->schemas.why = arena_printf(m->im->a, "its body is %s", unlike(m, first->key));
    return false;
}

bool body_leave(struct making *m, struct str type, bool required)
{
    m->body_left = unlike(m, type);
    if (required)
        m->schemas.why = arena_printf(m->im->a, "its body is %s", m->body_left);
    return !required;
}
