/* SPDX-License-Identifier: Apache-2.0 */
/* body.c: the body of a request, as JSON, as a form or as it is. */
#include "adapter/api/body.h"

#include "adapter/api/text.h"
#include "base/json_write.h"
#include "contract/codes.h"

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

/* ---- either ---- */

enum body_kind { BODY_JSON, BODY_FORM, BODY_PLAIN };

static enum body_kind kind_of(struct str type)
{
    static const char form[] = "application/x-www-form-urlencoded";
    struct str begins = { type.s, type.n < sizeof form - 1 ? type.n : sizeof form - 1 };

    if (!type.s)
        return BODY_JSON;
    if (str_cmp_letters(begins, str_of(form)) == 0)
        return BODY_FORM;
    for (size_t i = 0; i + 4 <= type.n; i++)
        if (str_cmp_letters((struct str){ type.s + i, 4 }, str_of("json")) == 0)
            return BODY_JSON;
    return BODY_PLAIN;
}

static bool fill(struct buf *to, enum body_kind kind, const struct api_params *params,
                 const struct api_param *whole, struct arena *a, struct error *e)
{
    if (kind == BODY_FORM) {
        for (size_t i = 0; i < params->n; i++)
            if (params->v[i].in == IN_BODY && !add_form(to, &params->v[i], e))
                return false;
    } else if (kind == BODY_JSON && whole) {
        json_doc(to, whole->d);
    } else if (kind == BODY_JSON) {
        add_json(to, params, a);
    } else if (!whole || whole->d->kind != DOC_TEXT) {
        return error_set(
            e, CODE_PARAMETER_REFUSED,
            "a body that is neither JSON nor a form is one text; the adapter names its "
            "parameter with operations.<operation>.body");
    } else {
        buf_add(to, whole->d->text.s, whole->d->text.n);
    }
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
    if (!fill(&out, kind_of(body->type), params, whole, a, e))
        return false;
    if (!buf_ok(&out))
        return error_set(e, CODE_PARAMETER_REFUSED, "the body would have more than 64 MiB");
    body->text = (struct str){ arena_text(a, buf_str(&out)), out.len };
    return true;
}
