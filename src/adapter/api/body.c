/* SPDX-License-Identifier: Apache-2.0 */
/* body.c: the body of a request, as JSON, as a form or as it is. */
#include "adapter/api/body.h"

#include "adapter/api/text.h"
#include "base/json_write.h"
#include "contract/codes.h"

enum { FOUND_MOST = 120 }; /* bytes of a value that is told */

struct str api_header(const struct http_header *headers, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (headers[i].name.n == strlen(name) &&
            str_cmp_letters(headers[i].name, str_of(name)) == 0)
            return headers[i].value;
    return (struct str){ 0 };
}

void api_header_replace(struct http_header *headers, size_t n, const char *name, struct str value)
{
    for (size_t i = 0; i < n && value.n; i++)
        if (headers[i].name.n == strlen(name) &&
            str_cmp_letters(headers[i].name, str_of(name)) == 0)
            headers[i].value = value;
}

static bool refuse(const struct doc *d, struct error *e, const char *why)
{
    struct at at = doc_at(d);

    return error_at(e, CODE_PARAMETER_REFUSED, &at, "'%.*s' %s", STR_ARG(d->key), why);
}

/* ---- a form ---- */

static bool add_field(struct buf *to, const struct doc *d, struct str name, const struct doc *value,
                      struct error *e)
{
    _buf_ struct buf text = { .max = API_BODY_MAX };

    if (!scalar_add(&text, value))
        return refuse(d, e, "is not a text, number or truth, as a form has them");
    buf_adds(to, to->len ? "&" : "");
    percent_add(to, name);
    buf_addc(to, '=');
    percent_add(to, buf_str(&text));
    return true;
}

static bool add_fields(struct buf *to, const struct doc *d, struct str name, struct error *e)
{
    if (d->kind == DOC_NULL)
        return true;
    if (d->kind != DOC_LIST)
        return add_field(to, d, name, d, e);
    for (const struct doc *c = d->first; c; c = c->next)
        if (!add_field(to, d, name, c, e))
            return false;
    return true;
}

static bool add_form(struct buf *to, const struct api_param *p, struct error *e)
{
    if (!p->whole || p->d->kind != DOC_MAP)
        return add_fields(to, p->d, p->name, e);
    for (const struct doc *c = p->d->first; c; c = c->next)
        if (!add_fields(to, c, c->key, e))
            return false;
    return true;
}

/* ---- JSON ---- */

static void add_json(struct buf *to, const struct api_params *params, struct arena *a)
{
    json_open(to, '{');
    for (size_t i = 0; i < params->n; i++) {
        if (params->v[i].in != IN_BODY)
            continue;
        json_key(to, arena_text(a, params->v[i].name));
        json_doc(to, params->v[i].d);
    }
    json_close(to, '}');
}

/* JSON looks at what stands before it: each value is made by itself. */
static void add_line(struct buf *to, const struct doc *d)
{
    _buf_ struct buf line = { .max = API_BODY_MAX };

    json_doc(&line, d);
    buf_add(to, line.s, line.len);
    buf_addc(to, '\n');
    to->full |= line.full;
}

static void add_lines(struct buf *to, const struct doc *d)
{
    if (d->kind == DOC_TEXT)
        buf_add(to, d->text.s, d->text.n);
    else if (d->kind != DOC_LIST)
        add_line(to, d);
    for (const struct doc *c = doc_first(d, DOC_LIST); c; c = c->next)
        add_line(to, c);
}

/* ---- a text ---- */

static bool add_text(struct buf *to, struct str type, const struct api_param *whole,
                     struct arena *a, struct error *e)
{
    _buf_ struct buf found = { .max = FOUND_MOST };
    struct at at;

    if (!whole)
        return error_set(e, CODE_PARAMETER_REFUSED,
                         "a body of type %s is one text, and the adapter does not say which "
                         "parameter that is; operations.<operation>.body does",
                         said(type, a));
    if (whole->d->kind == DOC_TEXT) {
        buf_add(to, whole->d->text.s, whole->d->text.n);
        return true;
    }
    doc_say(whole->d, &found);
    at = doc_at(whole->d);
    return error_at(e, CODE_PARAMETER_REFUSED, &at,
                    "'%.*s' is %s; it is a body of type %s, which is one text",
                    STR_ARG(whole->d->key), buf_str(&found).s, said(type, a));
}

/* ---- any of them ---- */

/* The first row whose word is in the type; JSON in a sequence (RFC 7464) is the caller's to write.
 */
static const struct kind_row {
    const char *word;
    enum body_kind kind;
} kind_rows[] = {
    { "json-seq", BODY_TEXT }, { "ndjson", BODY_LINES },      { "jsonl", BODY_LINES },
    { "json-l", BODY_LINES },  { "stream+json", BODY_LINES }, { "json", BODY_JSON },
};

static bool has_word(struct str type, const char *word)
{
    size_t n = strlen(word);

    for (size_t i = 0; i + n <= type.n; i++)
        if (str_cmp_letters((struct str){ type.s + i, n }, str_of(word)) == 0)
            return true;
    return false;
}

enum body_kind body_kind(struct str type)
{
    struct str alone = type_alone(type);

    if (!type.s)
        return BODY_JSON;
    if (str_cmp_letters(alone, str_of("application/x-www-form-urlencoded")) == 0)
        return BODY_FORM;
    for (size_t i = 0; i < COUNT(kind_rows); i++)
        if (has_word(alone, kind_rows[i].word))
            return kind_rows[i].kind;
    return BODY_TEXT;
}

static bool fill(struct buf *to, struct str type, const struct api_params *params,
                 const struct api_param *whole, struct arena *a, struct error *e)
{
    enum body_kind kind = body_kind(type);

    if (kind == BODY_FORM) {
        for (size_t i = 0; i < params->n; i++)
            if (params->v[i].in == IN_BODY && !add_form(to, &params->v[i], e))
                return false;
        return true;
    }
    if (kind == BODY_TEXT)
        return add_text(to, type, whole, a, e);
    if (kind == BODY_LINES && whole)
        add_lines(to, whole->d);
    else if (whole)
        json_doc(to, whole->d);
    else
        add_json(to, params, a);
    if (kind == BODY_LINES && !whole)
        buf_addc(to, '\n');
    return true;
}

bool api_body_make(struct api_body *body, const struct api_params *params, struct arena *a,
                   struct error *e)
{
    _buf_ struct buf out = { .max = API_BODY_MAX };
    const struct api_param *whole = NULL;
    bool any = false;

    for (size_t i = 0; i < params->n; i++) {
        if (params->v[i].in != IN_BODY)
            continue;
        any = true;
        if (params->v[i].whole)
            whole = &params->v[i];
    }
    if (!any)
        return true;
    if (!fill(&out, body->type, params, whole, a, e))
        return false;
    if (!buf_ok(&out))
        return error_set(e, CODE_PARAMETER_REFUSED, "the body would have more than 64 MiB");
    body->text = (struct str){ arena_text(a, buf_str(&out)), out.len };
    return true;
}
