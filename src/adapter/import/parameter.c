/* SPDX-License-Identifier: Apache-2.0 */
/* parameter.c: a parameter of an OpenAPI document: its name, its place, its schema. */
#include "adapter/import/parts.h"

#include "adapter/api_bind.h"
#include "base/doc_make.h"

const char *parameter_name(struct making *m, struct str name, const char *in)
{
    struct str other = str_of(arena_printf(m->im->a, "%s_%.*s", in, STR_ARG(name)));

    if (!map_find(m->properties, name))
        return arena_text(m->im->a, name);
    return map_find(m->properties, other) ? NULL : other.s;
}

struct doc *parameter_put(struct making *m, struct str name, const char *in, bool required)
{
    const char *key = parameter_name(m, name, in);
    struct doc *place;

    if (!key)
        return NULL;
    place = doc_add_kind(m->im->a, m->places, key, DOC_MAP);
    doc_add_text(m->im->a, place, "in", str_of(in));
    if (strlen(key) != name.n)
        doc_add_text(m->im->a, place, "name", name);
    if (required)
        doc_add_text(m->im->a, m->required, NULL, str_of(key));
    return doc_add_kind(m->im->a, m->properties, key, DOC_NULL);
}

/* The type a schema has at first sight. */
static struct str type_of(struct importing *im, const struct doc *schema)
{
    const char *why;
    const struct doc *d = schema ? import_deref(im, schema, &why) : NULL;

    return d ? map_text(d, "type") : (struct str){ "", 0 };
}

/* Has the schema the type of a list, perhaps as one of several? */
static bool has_list_type(const struct doc *schema)
{
    const struct doc *type = map_get(schema, "type");

    if (type && type->kind == DOC_TEXT)
        return str_is(type->text, "array");
    for (const struct doc *c = doc_first(type, DOC_LIST); c; c = c->next)
        if (c->kind == DOC_TEXT && str_is(c->text, "array"))
            return true;
    return false;
}

/* May its value be a list: by its type, or by one of the schemas that it is put together of? */
static bool may_be_list(struct importing *im, const struct doc *schema)
{
    static const char *const parts[] = { "oneOf", "anyOf", "allOf" };
    const char *ignored;
    const struct doc *d = schema ? import_deref(im, schema, &ignored) : NULL;

    for (size_t i = 0; i < COUNT(parts); i++) {
        const struct doc *c = doc_first(map_get(d, parts[i]), DOC_LIST);

        for (; c && work_do(&im->work, 1); c = c->next)
            if (has_list_type(import_deref(im, c, &ignored)))
                return true;
    }
    return has_list_type(d);
}

/* Is a list in it written as we write it: in the query its name again and again, elsewhere with
 * commas? */
static bool repeats(const struct importing *im, const struct doc *p, struct str in)
{
    const struct doc *explode = map_get(p, "explode");
    struct str style = map_text(p, im->spec == SWAGGER_2 ? "collectionFormat" : "style");

    if (!str_is(in, "query"))
        return im->spec == SWAGGER_2 ? !style.n || str_is(style, "csv")
                                     : !style.n || str_is(style, "simple");
    if (im->spec == SWAGGER_2)
        return str_is(style, "multi");
    return (!style.n || str_is(style, "form")) &&
           (!explode || explode->kind != DOC_BOOL || explode->truth);
}

/* A list that is written in another way is a text, and the caller writes it. */
static void put_joined(struct making *m, const struct doc *p, struct doc *to)
{
    struct str style = map_text(p, m->im->spec == SWAGGER_2 ? "collectionFormat" : "style");
    const char *sign = str_is(style, "pipes") || str_is(style, "pipeDelimited")  ? "|"
                       : str_is(style, "ssv") || str_is(style, "spaceDelimited") ? "blanks"
                       : str_is(style, "tsv")                                    ? "tabs"
                                                                                 : "commas";
    struct str about = import_line(m->im, map_text(p, "description"), IMPORT_ABOUT);

    to->kind = DOC_MAP;
    doc_add_text(m->im->a, to, "type", str_of("string"));
    doc_add_text(m->im->a, to, "description",
                 str_of(arena_printf(m->im->a, "Several, with %s between them.%s%.*s", sign,
                                     about.n ? " " : "", STR_ARG(about))));
}

/* What a parameter says about itself goes into its schema, where people see it. */
static void put_description(struct making *m, const struct doc *p, struct doc *schema)
{
    struct str text = import_line(m->im, map_text(p, "description"), IMPORT_ABOUT);

    if (text.n && schema->kind == DOC_MAP && !map_get(schema, "description") &&
        !map_get(schema, "$ref"))
        doc_add_text(m->im->a, schema, "description", text);
}

/* Everywhere but in a body a number is sent as its digits: of 64 bits, where most readers of JSON
 * have 53, it may be given as these, too. */
static void put_digits(struct arena *a, struct doc *schema)
{
    struct str type = map_text(schema, "type");
    bool whole = str_is(type, "integer") && str_is(map_text(schema, "format"), "int64") &&
                 !map_get(schema, "pattern");

    for (struct doc *c = schema->kind == DOC_MAP ? schema->first : NULL; c; c = c->next) {
        if (str_is(type, "array") && str_is(c->key, "items"))
            put_digits(a, c);
        if (!whole || !str_is(c->key, "type"))
            continue;
        c->kind = DOC_LIST;
        c->first = c->last = NULL;
        c->count = 0;
        doc_add_text(a, c, NULL, type);
        doc_add_text(a, c, NULL, str_of("string"));
    }
    if (whole)
        doc_add_text(a, schema, "pattern", str_of("^-?[0-9]+$"));
}

static const char *unlike(struct importing *im, const struct doc *p, struct str in)
{
    const struct doc *schema = im->spec == SWAGGER_2 ? p : map_get(p, "schema");
    struct str style = map_text(p, "style");

    if (str_is(in, "header") && api_header_refused(map_text(p, "name")))
        return api_header_by_itself(map_text(p, "name"))
                   ? "it belongs to the connection, which says it by itself"
                   : "no header has such a name";
    if (map_get(p, "content"))
        return "it is a document inside of a parameter";
    if (str_is(type_of(im, schema), "object") || str_is(style, "deepObject"))
        return "it is an object, which only a body takes";
    if (str_is(type_of(im, schema), "file"))
        return "it is a file";
    if (str_is(in, "path") && style.n && !str_is(style, "simple"))
        return "it is written in a style of its own";
    if (str_is(in, "cookie") && str_is(type_of(im, schema), "array"))
        return "it is a list in a cookie";
    return NULL;
}

bool parameter_add(struct making *m, const struct doc *p, const char *in)
{
    struct importing *im = m->im;
    struct str name = map_text(p, "name");
    bool header = strcmp(in, "header") == 0;
    bool required = (map_true(p, "required") && !(header && api_header_by_itself(name))) ||
                    strcmp(in, "path") == 0;
    const char *why = unlike(im, p, str_of(in));
    const struct doc *schema = im->spec == SWAGGER_2 ? p : map_get(p, "schema");
    bool list = may_be_list(im, schema);
    struct doc *to;

    if (why && !required) {
        if (!m->dry)
            import_leave(im, m->f->name,
                         arena_printf(im->a, "only its parameter %s: %s", said(name, im->a), why));
        return true;
    }
    if (why) {
        m->schemas.why =
            arena_printf(im->a, "it needs the parameter %s: %s", said(name, im->a), why);
        return false;
    }
    to = parameter_put(m, name, in, required);
    if (!to) {
        m->schemas.why = "two of its parameters have one name";
        return false;
    }
    if (list && strcmp(in, "body") != 0 && !repeats(im, p, str_of(in))) {
        put_joined(m, p, to);
        return true;
    }
    if (!schema)
        to->kind = DOC_MAP;
    else if (im->spec == SWAGGER_2 ? !schema_of_parameter(&m->schemas, p, to)
                                   : !schema_copy(&m->schemas, schema, to, 0))
        return false;
    if (strcmp(in, "body") != 0)
        put_digits(im->a, to);
    put_description(m, p, to);
    return true;
}
