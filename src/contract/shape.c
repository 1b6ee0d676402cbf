/* SPDX-License-Identifier: Apache-2.0 */
/* shape.c: the one decoder. Documents are refused here or nowhere. */
#include "contract/shape.h"

#include <stdio.h>

#include "contract/said.h"

enum { SAY = 256, FIELDS_MAX = 64 };

static const struct wanted {
    enum doc_kind kind;
    const char *say, *say_many;
    size_t size; /* of one decoded value */
} wanted[] = {
    [F_TEXT] = { DOC_TEXT, "text", "texts", sizeof(struct str) },
    [F_INT] = { DOC_INT, "a whole number", "whole numbers", sizeof(int64_t) },
    [F_NUMBER] = { DOC_NUMBER, "a number", "numbers", sizeof(double) },
    [F_BOOL] = { DOC_BOOL, "true or false", "true or false", sizeof(bool) },
    [F_CHOICE] = { DOC_TEXT, "text", "texts", sizeof(int) },
    [F_SHAPE] = { DOC_MAP, "a map", "maps", sizeof(void *) },
    [F_MAP] = { DOC_MAP, "a map", "maps", sizeof(void *) },
    [F_ANY] = { DOC_NULL, "any value", "values", sizeof(void *) },
};

/* What one decoding needs everywhere. */
struct decoder {
    const struct shape *shape;
    struct report *report;
};

static bool wrong_kind(struct decoder *dec, const struct field *f, const struct doc *d,
                       const char *should)
{
    _buf_ struct buf found = { .max = SAY };

    doc_say(d, &found);
    report_add(dec->report, ABOUT_VALUE, d, dec->shape->code, "%s is %s, must be %s", f->name,
               found.s, should);
    return false;
}

static bool out_of_range(struct decoder *dec, const struct field *f, const struct doc *d,
                         int64_t min, int64_t max)
{
    _buf_ struct buf found = { .max = SAY }, allowed = { .max = SAY };

    doc_say(d, &found);
    say_range(min, max, &allowed);
    report_add(dec->report, ABOUT_VALUE, d, f->limit ? CODE_LIMIT_RANGE : dec->shape->code,
               "%s is %s, allowed %s", f->name, found.s, allowed.s);
    return false;
}

static bool in_range(struct decoder *dec, const struct field *f, const struct doc *d, double v)
{
    int64_t min = f->limit ? f->limit->min : f->min, max = f->limit ? f->limit->max : f->max;

    return (min == 0 && max == 0) || (v >= (double)min && v <= (double)max) ||
           out_of_range(dec, f, d, min, max);
}

static bool wrong_length(struct decoder *dec, const struct field *f, const struct doc *d,
                         size_t chars)
{
    _buf_ struct buf allowed = { .max = SAY };

    say_range(f->min, f->max, &allowed);
    report_add(dec->report, ABOUT_VALUE, d, dec->shape->code, "%s has %zu characters, allowed %s",
               f->name, chars, allowed.s);
    return false;
}

static bool wrong_form(struct decoder *dec, const struct doc *d, const struct form_row *form,
                       const char *why)
{
    _buf_ struct buf found = { .max = SAY };

    doc_say(d, &found);
    report_add(dec->report, ABOUT_VALUE, d, dec->shape->code, "%s is not %s such as %s%s%s",
               found.s, form->name, form->example, why ? ": " : "", why ? why : "");
    return false;
}

static bool decode_text(struct decoder *dec, const struct field *f, const struct doc *d,
                        struct str *to)
{
    const struct form_row *form = &forms[f->form];
    const char *why = NULL;

    /* A character has at least one byte: where the bytes fit, nobody has to count. */
    if (d->text.n < (size_t)f->min || f->min > 1 || (f->max && d->text.n > (size_t)f->max)) {
        size_t chars = str_chars(d->text);

        if ((f->max && chars > (size_t)f->max) || chars < (size_t)f->min)
            return wrong_length(dec, f, d, chars);
    }
    if (form->fits && !form->fits(d->text, &why))
        return wrong_form(dec, d, form, why);
    *to = d->text;
    return true;
}

static bool no_choice(struct decoder *dec, const struct field *f, const struct doc *d, size_t n)
{
    _buf_ struct buf found = { .max = SAY }, allowed = { .max = 1024 };
    const char *near = d->kind == DOC_TEXT ? str_nearest(d->text, f->choices, n) : NULL;

    doc_say(d, &found);
    for (size_t i = 0; i < n; i++)
        buf_addf(&allowed, "%s%s", i ? ", " : "", f->choices[i]);
    if (n == 1)
        report_add(dec->report, ABOUT_VALUE, d, dec->shape->code, "%s is %s, must be '%s'", f->name,
                   found.s, f->choices[0]);
    else
        report_add(dec->report, ABOUT_VALUE, d, dec->shape->code, "%s is not one of %s%s%s%s",
                   found.s, allowed.s, near ? " (did you mean '" : "", near ? near : "",
                   near ? "'?)" : "");
    return false;
}

static bool decode_choice(struct decoder *dec, const struct field *f, const struct doc *d, int *to)
{
    int n = 0;

    for (; f->choices[n]; n++) {
        if (d->kind == DOC_TEXT && str_is(d->text, f->choices[n])) {
            *to = n;
            return true;
        }
    }
    *to = CHOICE_NONE;
    return no_choice(dec, f, d, (size_t)n);
}

static bool decode_shape(struct decoder *dec, const struct field *f, const struct doc *d,
                         const void **to)
{
    void *sub = arena_alloc(dec->report->a, f->sub->size);

    *to = sub;
    return shape_decode(f->sub, d, dec->report, sub);
}

static bool decode_one(struct decoder *dec, const struct field *f, const struct doc *d, void *to)
{
    bool fits = f->kind == F_ANY || f->kind == F_CHOICE || d->kind == wanted[f->kind].kind ||
                (f->kind == F_NUMBER && d->kind == DOC_INT);

    if (!fits)
        return wrong_kind(dec, f, d, wanted[f->kind].say);
    switch (f->kind) {
    case F_TEXT: return decode_text(dec, f, d, to);
    case F_INT: *(int64_t *)to = d->whole; return in_range(dec, f, d, (double)d->whole);
    case F_NUMBER:
        *(double *)to = d->kind == DOC_INT ? (double)d->whole : d->number;
        return in_range(dec, f, d, *(double *)to);
    case F_BOOL: *(bool *)to = d->truth; return true;
    case F_CHOICE: return decode_choice(dec, f, d, to);
    case F_SHAPE: return decode_shape(dec, f, d, to);
    case F_MAP:
    case F_ANY: *(const struct doc **)to = d; return true;
    }
    return false;
}

static bool wrong_count(struct decoder *dec, const struct field *f, const struct doc *d)
{
    _buf_ struct buf allowed = { .max = SAY };

    say_range(f->least, f->most, &allowed);
    report_add(dec->report, ABOUT_VALUE, d, dec->shape->code, "%s has %u entries, allowed %s",
               f->name, d->count, allowed.s);
    return false;
}

static bool count_fits(struct decoder *dec, const struct field *f, const struct doc *d)
{
    return (d->count >= f->least && (f->most == 0 || d->count <= f->most)) ||
           wrong_count(dec, f, d);
}

static bool decode_list(struct decoder *dec, const struct field *f, const struct doc *d,
                        struct items *to)
{
    bool flat = f->kind == F_SHAPE; /* the structs themselves, not pointers to them */
    size_t size = flat ? f->sub->size : wanted[f->kind].size;
    bool ok = count_fits(dec, f, d);
    char *item = arena_alloc(dec->report->a, d->count * size);

    *to = (struct items){ item, d->count };
    for (const struct doc *c = d->first; c; c = c->next, item += size) {
        if (!flat)
            ok &= decode_one(dec, f, c, item);
        else if (c->kind == DOC_MAP)
            ok &= shape_decode(f->sub, c, dec->report, item);
        else
            ok &= wrong_kind(dec, f, c, wanted[f->kind].say);
    }
    return ok;
}

static bool decode_dict(struct decoder *dec, const struct field *f, const struct doc *d,
                        struct items *to)
{
    bool ok = count_fits(dec, f, d);
    struct pair *pair = arena_alloc(dec->report->a, d->count * sizeof *pair);

    *to = (struct items){ pair, d->count };
    for (const struct doc *c = d->first; c; c = c->next, pair++) {
        pair->key = c->key;
        ok &= decode_one(dec, f, c, &pair->text);
    }
    return ok;
}

static bool decode_field(struct decoder *dec, const struct field *f, const struct doc *d, void *to)
{
    char should[SAY];

    if (d->kind == DOC_NULL && (f->need == NULLABLE || f->need == NEEDED_OR_NULL))
        return true;
    if (f->many == ONE)
        return decode_one(dec, f, d, to);
    if (f->many == LIST && d->kind == DOC_LIST)
        return decode_list(dec, f, d, to);
    if (f->many == DICT && d->kind == DOC_MAP)
        return decode_dict(dec, f, d, to);
    (void)snprintf(should, sizeof should, "a %s of %s", f->many == LIST ? "list" : "map",
                   wanted[f->kind].say_many);
    return wrong_kind(dec, f, d, should);
}

static const char *article(const struct shape *shape)
{
    return strchr("aeiou", shape->name[0]) ? "an" : "a";
}

static bool missing(const struct shape *shape, const struct field *f, const struct doc *d,
                    struct report *r, void *to)
{
    if (f->kind == F_CHOICE && f->many == ONE)
        *(int *)to = CHOICE_NONE;
    report_add(r, ABOUT_VALUE, d, shape->code, "%s %s needs '%s'", article(shape), shape->name,
               f->name);
    return false;
}

static bool fill_in(const struct shape *shape, const struct field *f, const struct doc *d,
                    struct report *r, void *to)
{
    int64_t fallback = f->limit && !f->bare ? f->limit->fallback : f->fallback;
    static const struct doc nothing = { .kind = DOC_MAP };

    if (f->need == NEEDED || f->need == NEEDED_OR_NULL)
        return missing(shape, f, d, r, to);
    if (f->many != ONE)
        return true;
    if (f->kind == F_INT)
        *(int64_t *)to = fallback;
    else if (f->kind == F_NUMBER)
        *(double *)to = (double)fallback;
    else if (f->kind == F_BOOL)
        *(bool *)to = fallback != 0;
    else if (f->kind == F_CHOICE)
        *(int *)to = (int)fallback;
    else if (f->kind == F_SHAPE && f->filled)
        return decode_shape(&(struct decoder){ shape, r }, f, &nothing, to);
    return true;
}

/* The row of that name; documents mostly follow the order of the rows, so `from` comes first. */
static size_t find_field(const struct shape *shape, struct str name, size_t from)
{
    for (size_t i = 0; i < shape->count; i++) {
        size_t at = from + i < shape->count ? from + i : from + i - shape->count;

        if (str_is(name, shape->fields[at].name))
            return at;
    }
    return shape->count;
}

static bool unknown_field(const struct shape *shape, const struct doc *d, struct report *r)
{
    const char *names[FIELDS_MAX], *near;
    _buf_ struct buf found = { .max = SAY };
    struct doc key = { .kind = DOC_TEXT, .text = d->key };

    if (shape->open)
        return true;
    for (size_t i = 0; i < shape->count; i++)
        names[i] = shape->fields[i].name;
    near = str_nearest(d->key, names, shape->count);
    doc_say(&key, &found);
    report_add(r, ABOUT_KEY, d, shape->code, "%s %s has no field %s%s%s%s", article(shape),
               shape->name, found.s, near ? " (did you mean '" : "", near ? near : "",
               near ? "'?)" : "");
    return false;
}

static bool decode_fields(const struct shape *shape, const struct doc *d, struct report *r,
                          void *out)
{
    struct decoder dec = { shape, r };
    uint64_t seen = 0;
    size_t next = 0;
    bool ok = true;

    for (const struct doc *c = d->first; c; c = c->next) {
        size_t i = find_field(shape, c->key, next);

        if (i == shape->count) {
            ok &= unknown_field(shape, c, r);
            continue;
        }
        seen |= UINT64_C(1) << i;
        next = i + 1;
        ok &= decode_field(&dec, &shape->fields[i], c, (char *)out + shape->fields[i].at);
        if (c->kind == DOC_NULL && shape->fields[i].need == NULLABLE)
            seen &= ~(UINT64_C(1) << i);
    }
    for (size_t i = 0; i < shape->count; i++)
        if (!(seen >> i & 1))
            ok &= fill_in(shape, &shape->fields[i], d, r, (char *)out + shape->fields[i].at);
    return ok;
}

bool shape_decode(const struct shape *shape, const struct doc *d, struct report *r, void *out)
{
    uint32_t before = r->errors;

    if (d->kind != DOC_MAP) {
        _buf_ struct buf found = { .max = SAY };

        doc_say(d, &found);
        report_add(r, ABOUT_VALUE, d, shape->code, "%s %s must be a map, not %s", article(shape),
                   shape->name, found.s);
        return false;
    }
    (void)decode_fields(shape, d, r, out);
    for (size_t i = 0; i < shape->rule_count; i++)
        shape->rules[i].check(d, out, r);
    return r->errors == before;
}
