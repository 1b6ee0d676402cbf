/* SPDX-License-Identifier: Apache-2.0 */
/* format_text.c: values as text: alone, a line each, or put into a template. */
#include "adapter/transform_parts.h"
#include "base/json_write.h"
#include "base/pointer.h"

bool format_text(const struct making *m, const void *options, const struct doc *d, struct buf *to)
{
    (void)options;
    return scalar_text(d, to) || unfit(m, d, "a text, a number, true, false or null; or say json");
}

/* Would it be read as more than one line, or as less than it is? */
static bool is_line(const struct doc *d)
{
    return d->kind != DOC_TEXT || d->text.n == 0 ||
           (!memchr(d->text.s, '\n', d->text.n) && !memchr(d->text.s, '\0', d->text.n) &&
            d->text.s[d->text.n - 1] != '\r');
}

bool format_lines(const struct making *m, const void *options, const struct doc *d, struct buf *to)
{
    (void)options;
    if (d->kind != DOC_LIST)
        return unfit(m, d, "a list");
    for (const struct doc *c = d->first; c; c = c->next) {
        if (!is_line(c))
            return unfit(m, c, "a text of one line");
        if (!scalar_text(c, to))
            return unfit(m, c, "a text, a number, true, false or null");
        buf_addc(to, '\n');
    }
    return true;
}

/* ---- templates ---- */

/* One piece of a template: text, or the name of a value. */
struct piece {
    struct str text;
    bool is_value;
};

/* Takes the next piece off a template. */
static bool piece_next(struct str *rest, struct piece *out, struct error *e)
{
    size_t n = 0;

    *out = (struct piece){ { rest->s, 1 }, false };
    if (rest->n > 1 && is_one_of(rest->s[0], "{}") && rest->s[1] == rest->s[0]) {
        *rest = (struct str){ rest->s + 2, rest->n - 2 };
        return true;
    }
    if (rest->s[0] == '}')
        return error_set(e, CODE_TRANSFORM_FAILED, "a '}' that ends nothing; '}}' is a brace");
    if (rest->s[0] != '{') {
        while (n < rest->n && rest->s[n] != '{' && rest->s[n] != '}')
            n++;
        out->text.n = n;
        *rest = (struct str){ rest->s + n, rest->n - n };
        return true;
    }
    while (n < rest->n && rest->s[n] != '}')
        n++;
    if (n == rest->n)
        return error_set(e, CODE_TRANSFORM_FAILED, "a '{' that no '}' ends; '{{' is a brace");
    if (n == 1)
        return error_set(e, CODE_TRANSFORM_FAILED, "{} names nothing; {/0} is the first item");
    *out = (struct piece){ { rest->s + 1, n - 1 }, true };
    *rest = (struct str){ rest->s + n + 1, rest->n - n - 1 };
    return true;
}

void template_fits(const struct doc *d, const void *decoded, struct report *r)
{
    const struct template_options *o = decoded;
    struct str rest = o->text, *names;
    struct error e = { 0 };
    struct piece piece;
    bool fits = true;
    size_t n;

    while (fits && rest.n > 0)
        fits = piece_next(&rest, &piece, &e) &&
               (!piece.is_value || place_read(piece.text, r->a, &names, &n, &e));
    if (!fits)
        report_add(r, ABOUT_VALUE, doc_place(d, "text"), CODE_VALIDATION_ERROR, "%s", e.msg);
}

static bool put_value(const struct making *m, const struct doc *d, struct str name, struct buf *to)
{
    _buf_ struct buf json = { .max = BYTES_MOST };
    struct pointer p = { 0 };
    struct str *names;

    if (!place_read(name, m->a, &names, &p.n, m->e))
        return false;
    p.names = names;
    d = pointer_find(&p, d, m->w);
    if (m->w->over)
        return making_over(m);
    if (!d)
        return error_set(m->e, CODE_TRANSFORM_FAILED, "there is no {%s}",
                         said(name, m->a) /* short */);
    if (scalar_text(d, to))
        return true;
    json_doc(&json, d);
    buf_add(to, json.s, json.len);
    to->full |= json.full;
    return true;
}

static bool put_all(const struct making *m, const struct template_options *o, const struct doc *d,
                    struct buf *to)
{
    struct str rest = o->text;
    struct piece piece;

    while (rest.n > 0) {
        if (!work_do(m->w, WORK_VALUE))
            return making_over(m);
        if (!piece_next(&rest, &piece, m->e))
            return false;
        if (!piece.is_value)
            buf_add(to, piece.text.s, piece.text.n);
        else if (!put_value(m, d, piece.text, to))
            return false;
    }
    return true;
}

bool format_template(const struct making *m, const void *options, const struct doc *d,
                     struct buf *to)
{
    const struct template_options *o = options;
    size_t row = 0;

    if (!o->each)
        return put_all(m, o, d, to);
    if (d->kind != DOC_LIST)
        return unfit(m, d, "a list, since the template says each");
    for (const struct doc *c = d->first; c; c = c->next, row++) {
        if (!put_all(m, o, c, to))
            return error_wrap(m->e, "item %zu", row);
        buf_addc(to, '\n');
    }
    return true;
}
