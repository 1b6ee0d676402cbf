/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c: schemas of OpenAPI as JSON Schema 2020-12 has them; references within a
 * document.
 *
 * A reference becomes one to $defs of the operation's own schema, so that schemas that refer to
 * themselves stay as they are, and nothing is copied twice.
 */
#include "adapter/import/parts.h"

#include "base/doc_make.h"
#include "base/num.h"
#include "base/pointer.h"
#include "base/regex.h"

/* ---- references ---- */

/* The fragment of a URI: %XX undone. */
static struct str decoded(struct str t, struct arena *a)
{
    char *out = arena_alloc(a, t.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < t.n; i++) {
        int high = i + 2 < t.n && t.s[i] == '%' ? num_hex(t.s[i + 1]) : -1;
        int low = high >= 0 ? num_hex(t.s[i + 2]) : -1;

        out[n++] = low >= 0 ? (char)(high << 4 | low) : t.s[i];
        i += low >= 0 ? 2 : 0;
    }
    return (struct str){ out, n };
}

static const struct doc *follow(struct importing *im, struct str ref, const char **why)
{
    struct pointer p;
    struct error ignored;
    const struct doc *d = NULL;

    if (ref.n == 0 || ref.s[0] != '#') {
        *why = arena_printf(im->a,
                            "it refers to %s, and only references within the document are followed",
                            said(ref, im->a));
        return NULL;
    }
    if (ref.n > IMPORT_REF) {
        *why = arena_printf(im->a, "it refers to %s, which has %zu characters, allowed are %d",
                            said(ref, im->a), ref.n, IMPORT_REF);
        return NULL;
    }
    if (pointer_read(decoded((struct str){ ref.s + 1, ref.n - 1 }, im->a), im->a, &p, &ignored))
        d = pointer_find(&p, im->root, &im->work);
    if (!d)
        *why = arena_printf(im->a, "it refers to %s, which is not there", said(ref, im->a));
    return d;
}

const struct doc *import_deref(struct importing *im, const struct doc *d, const char **why)
{
    for (int hops = 0; d; hops++) {
        const struct doc *ref = map_get(d, "$ref");

        if (!ref || ref->kind != DOC_TEXT)
            return d;
        if (hops == IMPORT_HOPS) {
            *why = "its references go round and round";
            return NULL;
        }
        d = follow(im, ref->text, why);
    }
    return NULL;
}

/* ---- definitions ---- */

static const char *def_name(struct schemas *s, struct str ref)
{
    size_t slash = ref.n;
    const char *name;

    while (slash && ref.s[slash - 1] != '/')
        slash--;
    name = import_word(s->im, (struct str){ ref.s + slash, ref.n - slash }, '_', false);
    return names_give(&s->names, name, s->im->a);
}

static bool put_ref(struct schemas *s, struct str ref, struct doc *to)
{
    const struct doc *from = follow(s->im, ref, &s->why);
    size_t i = 0;

    if (!from)
        return false;
    while (i < s->def_count && s->defs[i].from != from)
        i++;
    if (!work_do(&s->im->work, 1 + (uint32_t)i / 16)) {
        s->why = "its schema is too large";
        return false;
    }
    if (i == s->def_count) {
        s->defs = arena_more(s->im->a, s->defs, i, &s->def_room, sizeof *s->defs);
        s->defs[i] = (struct schema_def){ from, def_name(s, ref) };
        s->def_count++;
    }
    doc_add_text(s->im->a, to, "$ref",
                 str_of(arena_printf(s->im->a, "#/$defs/%s", s->defs[i].name)));
    return true;
}

bool schema_defs(struct schemas *s, struct doc *input)
{
    struct doc *defs = s->def_count ? doc_add_kind(s->im->a, input, "$defs", DOC_MAP) : NULL;

    for (size_t i = 0; i < s->def_count; i++) {
        const struct doc *from = s->defs[i].from;
        const char *name = s->defs[i].name;

        if (!schema_copy(s, from, doc_add_kind(s->im->a, defs, name, DOC_NULL), 0))
            return false;
    }
    return true;
}

/* ---- keywords ---- */

/* What is not listed is left out: examples, xml, discriminators, extensions. */
enum { PATTERN_COST = 8 }; /* steps for each of its characters: it is read once to be tried */

enum holds { A_VALUE, A_SCHEMA, SCHEMAS, SCHEMA_MAP, A_LINE, A_PATTERN, A_BOUND, MEMBERS };

static const struct keyword {
    const char *name;
    enum holds holds;
} keywords[] = {
    { "type", A_VALUE },
    { "format", A_VALUE },
    { "enum", A_VALUE },
    { "const", A_VALUE },
    { "default", A_VALUE },
    { "minimum", A_VALUE },
    { "maximum", A_VALUE },
    { "exclusiveMinimum", A_BOUND },
    { "exclusiveMaximum", A_BOUND },
    { "multipleOf", A_VALUE },
    { "minLength", A_VALUE },
    { "maxLength", A_VALUE },
    { "pattern", A_PATTERN },
    { "minItems", A_VALUE },
    { "maxItems", A_VALUE },
    { "uniqueItems", A_VALUE },
    { "minProperties", A_VALUE },
    { "maxProperties", A_VALUE },
    { "required", MEMBERS },
    { "dependentRequired", A_VALUE },
    { "description", A_LINE },
    { "items", A_SCHEMA },
    { "additionalProperties", A_SCHEMA },
    { "not", A_SCHEMA },
    { "contains", A_SCHEMA },
    { "propertyNames", A_SCHEMA },
    { "if", A_SCHEMA },
    { "then", A_SCHEMA },
    { "else", A_SCHEMA },
    { "allOf", SCHEMAS },
    { "anyOf", SCHEMAS },
    { "oneOf", SCHEMAS },
    { "prefixItems", SCHEMAS },
    { "properties", SCHEMA_MAP },
    { "patternProperties", SCHEMA_MAP },
    { "dependentSchemas", SCHEMA_MAP },
};

static const struct keyword *keyword_of(struct str name)
{
    for (size_t i = 0; i < COUNT(keywords); i++)
        if (str_is(name, keywords[i].name))
            return &keywords[i];
    return NULL;
}

static bool is_name(struct str t)
{
    return t.n > 0 && t.n <= IMPORT_NAME && !memchr(t.s, '\0', t.n);
}

/* No text in it has a NUL byte, which an adapter must not have. */
static bool whole(const struct doc *d)
{
    if (d->key.s && memchr(d->key.s, '\0', d->key.n))
        return false;
    if (d->kind == DOC_TEXT)
        return !d->text.n || !memchr(d->text.s, '\0', d->text.n);
    if (d->kind != DOC_LIST && d->kind != DOC_MAP)
        return true;
    for (const struct doc *c = d->first; c; c = c->next)
        if (!whole(c))
            return false;
    return true;
}

/* A number that no double holds: documents of others have some, such as the largest of 64 bits, and
 * an adapter has none. */
static bool has_long_number(const struct doc *d)
{
    if (d->kind == DOC_NUMBER)
        return d->written != NULL;
    if (d->kind != DOC_LIST && d->kind != DOC_MAP)
        return false;
    for (const struct doc *c = d->first; c; c = c->next)
        if (has_long_number(c))
            return true;
    return false;
}

static bool put_value(struct schemas *s, const struct doc *from, struct doc *to)
{
    if (!whole(from)) {
        s->why = "a text in its schema has a NUL byte";
        return false;
    }
    if (!doc_copy(from, to, &s->im->work, s->im->a)) {
        s->why = "its schema is too large";
        return false;
    }
    return true;
}

static bool put_children(struct schemas *s, const struct doc *from, struct doc *to, int depth)
{
    bool map = from->kind == DOC_MAP;

    to->kind = from->kind;
    for (const struct doc *c = from->first; c; c = c->next) {
        if (map && !is_name(c->key)) {
            s->why = "its schema has a name without end, or none";
            return false;
        }
        if (!schema_copy(s, c, doc_add(s->im->a, to, map ? c->key : (struct str){ 0 }), depth + 1))
            return false;
    }
    return true;
}

static bool holds_right(const struct keyword *k, const struct doc *c)
{
    switch (k->holds) {
    case A_SCHEMA: return c->kind == DOC_MAP || c->kind == DOC_BOOL;
    case SCHEMAS: return c->kind == DOC_LIST && c->count > 0;
    case SCHEMA_MAP: return c->kind == DOC_MAP;
    case A_LINE:
    case A_PATTERN: return c->kind == DOC_TEXT;
    case A_BOUND: return (c->kind == DOC_INT || c->kind == DOC_NUMBER) && !has_long_number(c);
    case MEMBERS:
    case A_VALUE: return !has_long_number(c);
    }
    return true;
}

/* Is it one that our own reader reads? */
static bool is_readable(struct schemas *s, struct str pattern)
{
    _arena_ struct arena scratch = { 0 };
    const struct regex *ignored;
    struct error e;

    if (regex_read_within(pattern, REGEX_ECMA, &s->im->series.work, &scratch, &ignored, &e))
        return true;
    if (s->unread_count++ == 0)
        s->unread = arena_printf(s->im->a, "%s: %s", said(pattern, s->im->a), e.msg);
    return false;
}

/* Are there names in patternProperties that cannot be read? Without them nobody knows which members
 * are additional ones. */
static bool names_unread(struct schemas *s, const struct doc *schema)
{
    const struct doc *c = doc_first(map_get(schema, "patternProperties"), DOC_MAP);
    bool unread = false;

    for (; c && s->readable_only; c = c->next)
        unread = !is_readable(s, c->key) || unread;
    return unread;
}

static bool is_read_only(struct schemas *s, const struct doc *member)
{
    const char *ignored;

    return member && (map_true(member, "readOnly") ||
                      map_true(import_deref(s->im, member, &ignored), "readOnly"));
}

/* Those that are required: one that is only read is so of answers, and not of whoever asks. */
static bool put_members(struct schemas *s, const struct doc *from, struct doc *to)
{
    const struct doc *all = map_get(from->up, "properties");
    uint32_t each = 1 + (all && all->kind == DOC_MAP ? all->count / 16 : 0);

    if (from->kind != DOC_LIST)
        return put_value(s, from, to);
    to->kind = DOC_LIST;
    for (const struct doc *c = from->first; c; c = c->next) {
        if (!work_do(&s->im->work, each)) {
            s->why = "its schema is too large";
            return false;
        }
        if (c->kind == DOC_TEXT && is_read_only(s, map_find(all, c->text)))
            continue;
        if (!put_value(s, c, doc_add(s->im->a, to, (struct str){ 0 })))
            return false;
    }
    return true;
}

static bool put_keyword(struct schemas *s, const struct keyword *k, const struct doc *c,
                        struct doc *to, int depth)
{
    struct doc *made;

    if (!holds_right(k, c) ||
        (k->holds == A_PATTERN && s->readable_only && !is_readable(s, c->text)))
        return true; /* a keyword that has no such form says nothing: the service has the last word
                      */
    if (k->holds == A_PATTERN && !work_do(&s->im->work, PATTERN_COST * (uint32_t)c->text.n)) {
        s->why = "its schema is too large";
        return false;
    }
    made = doc_add(s->im->a, to, c->key);
    switch (k->holds) {
    case A_SCHEMA: return schema_copy(s, c, made, depth + 1);
    case SCHEMAS:
    case SCHEMA_MAP: return put_children(s, c, made, depth);
    case A_LINE:
        made->kind = DOC_TEXT;
        made->text = import_line(s->im, c->text, IMPORT_ABOUT);
        return true;
    case MEMBERS: return put_members(s, c, made);
    case A_VALUE:
    case A_PATTERN:
    case A_BOUND: break;
    }
    return put_value(s, c, made);
}

/* 3.0: `nullable` beside a type; the type becomes one of two. */
static void put_nullable(struct schemas *s, const struct doc *from, struct doc *to)
{
    struct arena *a = s->im->a;
    const struct doc *type = map_get(from, "type");

    if (!map_true(from, "nullable") || !type || type->kind != DOC_TEXT)
        return;
    for (struct doc *c = to->first; c; c = c->next) {
        if (str_is(c->key, "type")) {
            c->kind = DOC_LIST;
            c->first = c->last = NULL;
            c->count = 0;
            doc_add_text(a, c, NULL, type->text);
            doc_add_text(a, c, NULL, str_of("null"));
        } else if (str_is(c->key, "enum") && c->kind == DOC_LIST) {
            (void)doc_add_kind(a, c, NULL, DOC_NULL);
        }
    }
}

/* 3.0 and 2.0: exclusiveMinimum: true makes the minimum one that is not reached. */
static void put_exclusive(struct doc *to, const struct doc *from)
{
    static const char *const pairs[][2] = { { "minimum", "exclusiveMinimum" },
                                            { "maximum", "exclusiveMaximum" } };

    for (size_t i = 0; i < COUNT(pairs); i++)
        for (struct doc *c = to->first; c && map_true(from, pairs[i][1]); c = c->next)
            if (str_is(c->key, pairs[i][0]))
                c->key = str_of(pairs[i][1]);
}

static bool put_keywords(struct schemas *s, const struct doc *from, struct doc *to, int depth)
{
    bool loose = names_unread(s, from);

    to->kind = DOC_MAP;
    for (const struct doc *c = from->first; c; c = c->next) {
        const struct keyword *k = keyword_of(c->key);

        if (loose &&
            (str_is(c->key, "patternProperties") || str_is(c->key, "additionalProperties")))
            continue;
        if (++s->values > IMPORT_VALUES || !work_do(&s->im->work, 1)) {
            s->why = "its schema is too large";
            return false;
        }
        if (k && !put_keyword(s, k, c, to, depth))
            return false;
    }
    put_nullable(s, from, to);
    put_exclusive(to, from);
    return true;
}

bool schema_copy(struct schemas *s, const struct doc *from, struct doc *to, int depth)
{
    const struct doc *ref = map_get(from, "$ref");

    if (depth > IMPORT_DEPTH || ++s->values > IMPORT_VALUES) {
        s->why = "its schema is too large or too deep";
        return false;
    }
    if (from->kind == DOC_BOOL) {
        to->kind = DOC_BOOL;
        to->truth = from->truth;
        return true;
    }
    to->kind = DOC_MAP;
    if (from->kind != DOC_MAP)
        return true; /* what is no schema says nothing: {} */
    if (ref && ref->kind == DOC_TEXT) {
        if (!put_ref(s, ref->text, to))
            return false;
        if (s->im->spec != OPENAPI_31)
            return true; /* what stands beside it is ignored there */
    }
    return put_keywords(s, from, to, depth);
}

bool schema_of_parameter(struct schemas *s, const struct doc *parameter, struct doc *to)
{
    to->kind = DOC_MAP;
    for (const struct doc *c = parameter->first; c; c = c->next) {
        const struct keyword *k = str_is(c->key, "required") ? NULL : keyword_of(c->key);

        if (k && !put_keyword(s, k, c, to, 0))
            return false;
    }
    put_exclusive(to, parameter);
    return true;
}
