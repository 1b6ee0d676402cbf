/* SPDX-License-Identifier: Apache-2.0 */
/* decode.c: the one decoder. Documents are refused here or nowhere.
 *
 * It goes on after a problem, since a user wants all of them at once; whether there was one is the
 * report's to say.
 */
#include "contract/shape.h"

#include <stdio.h>

#include "base/number.h"
#include "contract/shape/problem.h"

enum { SAY = 64 };

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

/* A list of shapes holds the structs themselves, not pointers to them. */
size_t field_item_size(const struct field *f)
{
    return f->kind == F_SHAPE ? f->sub->size : wanted[f->kind].size;
}

static bool in_range(const struct spot *s, const struct doc *d, double v)
{
    int64_t min = field_min(s->field), max = field_max(s->field);

    if ((min == 0 && max == 0) || (v >= (double)min && v <= (double)max))
        return true;
    problem_range(s, d, min, max);
    return false;
}

static void decode_int(const struct spot *s, const struct doc *d, int64_t *to)
{
    if (in_range(s, d, (double)d->whole))
        *to = d->whole;
}

static void decode_number(const struct spot *s, const struct doc *d, double *to)
{
    double v = d->kind == DOC_INT ? (double)d->whole : d->number;

    if (in_range(s, d, v))
        *to = v;
}

static bool fits_length(const struct field *f, struct str text, size_t *chars)
{
    /* A character has at least one byte: where the bytes fit, nobody has to count. */
    if (text.n >= (size_t)f->min && f->min <= 1 && (!f->max || text.n <= (size_t)f->max))
        return true;
    *chars = str_chars(text);
    return *chars >= (size_t)f->min && (!f->max || *chars <= (size_t)f->max);
}

static void decode_text(const struct spot *s, const struct doc *d, struct str *to)
{
    const struct form_row *form = &forms[s->field->form];
    const char *why = NULL;
    size_t chars = 0;

    if (!fits_length(s->field, d->text, &chars))
        problem_length(s, d, chars);
    else if (form->fits && !form->fits(d->text, &why))
        problem_form(s, d, why);
    else
        *to = d->text;
}

static void decode_choice(const struct spot *s, const struct doc *d, int *to)
{
    const char *const *choices = s->field->choices;

    for (int i = 0; choices[i]; i++) {
        if (d->kind == DOC_TEXT && str_is(d->text, choices[i])) {
            *to = i;
            return;
        }
    }
    *to = CHOICE_NONE;
    problem_choice(s, d);
}

static void decode_shape(const struct spot *s, const struct doc *d, const void **to)
{
    void *sub = arena_alloc(s->report->a, s->field->sub->size);

    *to = sub;
    (void)shape_decode(s->field->sub, d, s->report, sub);
}

/* A whole number all the same: a double of that size has no fraction. */
static bool is_beyond(const struct doc *d)
{
    return d->kind == DOC_NUMBER &&
           (d->number > (double)WHOLE_MAX || d->number < -(double)WHOLE_MAX);
}

static void decode_one(const struct spot *s, const struct doc *d, void *to)
{
    enum field_kind kind = s->field->kind;
    bool fits = kind == F_ANY || kind == F_CHOICE || d->kind == wanted[kind].kind ||
                (kind == F_NUMBER && d->kind == DOC_INT);

    if (!fits) {
        if (kind == F_INT && is_beyond(d))
            problem_beyond(s, d);
        else
            problem_kind(s, d, wanted[kind].say);
        return;
    }
    switch (kind) {
    case F_TEXT: decode_text(s, d, to); return;
    case F_INT: decode_int(s, d, to); return;
    case F_NUMBER: decode_number(s, d, to); return;
    case F_BOOL: *(bool *)to = d->truth; return;
    case F_CHOICE: decode_choice(s, d, to); return;
    case F_SHAPE: decode_shape(s, d, to); return;
    case F_MAP:
    case F_ANY: *(const struct doc **)to = d; return;
    }
}

static void check_count(const struct spot *s, const struct doc *d)
{
    if (d->count < s->field->least || (s->field->most && d->count > s->field->most))
        problem_count(s, d);
}

static void decode_list(const struct spot *s, const struct doc *d, struct items *to)
{
    bool flat = s->field->kind == F_SHAPE;
    size_t size = field_item_size(s->field);
    char *item = arena_alloc(s->report->a, d->count * size);

    check_count(s, d);
    *to = (struct items){ item, d->count };
    for (const struct doc *c = d->first; c; c = c->next, item += size) {
        if (flat && c->kind == DOC_MAP)
            (void)shape_decode(s->field->sub, c, s->report, item);
        else if (flat)
            problem_kind(s, c, wanted[F_SHAPE].say);
        else
            decode_one(s, c, item);
    }
}

static void decode_dict(const struct spot *s, const struct doc *d, struct items *to)
{
    struct pair *pair = arena_alloc(s->report->a, d->count * sizeof *pair);

    check_count(s, d);
    *to = (struct items){ pair, d->count };
    for (const struct doc *c = d->first; c; c = c->next, pair++) {
        pair->key = c->key;
        decode_one(s, c, &pair->text);
    }
}

static void decode_field(const struct spot *s, const struct doc *d, void *to)
{
    const struct field *f = s->field;
    char should[SAY];

    if (f->many == ONE) {
        decode_one(s, d, to);
    } else if (f->many == LIST && d->kind == DOC_LIST) {
        decode_list(s, d, to);
    } else if (f->many == DICT && d->kind == DOC_MAP) {
        decode_dict(s, d, to);
    } else {
        (void)snprintf(should, sizeof should, "a %s of %s", f->many == LIST ? "list" : "map",
                       wanted[f->kind].say_many);
        problem_list(s, d, should);
    }
}

/* A field that is not there, or null where that means the same. */
static void fill_in(const struct spot *s, void *to)
{
    const struct field *f = s->field;
    int64_t fallback = f->limit && !f->bare ? f->limit->fallback : f->fallback;
    static const struct doc nothing = { .kind = DOC_MAP };

    if (f->many != ONE)
        return;
    if (f->kind == F_INT)
        *(int64_t *)to = fallback;
    else if (f->kind == F_NUMBER)
        *(double *)to = (double)fallback;
    else if (f->kind == F_BOOL)
        *(bool *)to = fallback != 0;
    else if (f->kind == F_CHOICE)
        *(int *)to = f->need == NEEDED ? CHOICE_NONE : (int)fallback;
    else if (f->kind == F_SHAPE && f->filled)
        decode_shape(s, &nothing, to);
    else if (f->kind == F_MAP && f->filled)
        *(const struct doc **)to = &nothing;
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

/* Decodes what is written. The set of rows that were, one bit each. */
static uint64_t decode_written(const struct shape *shape, const struct doc *d, struct report *r,
                               char *out)
{
    struct spot s = { .shape = shape, .report = r };
    uint64_t written = 0;
    size_t i = 0;

    for (const struct doc *c = d->first; c; c = c->next) {
        size_t found = find_field(shape, c->key, i);

        if (found == shape->count) {
            if (!shape->open)
                problem_unknown(&s, c);
            continue;
        }
        i = found;
        s.field = &shape->fields[i];
        if (c->kind == DOC_NULL && s.field->need == NULLABLE)
            continue;
        written |= UINT64_C(1) << i;
        if (c->kind != DOC_NULL || s.field->need != NEEDED_OR_NULL)
            decode_field(&s, c, out + s.field->at);
    }
    return written;
}

bool shape_decode(const struct shape *shape, const struct doc *d, struct report *r, void *out)
{
    struct spot s = { .shape = shape, .report = r };
    uint32_t before = r->errors;
    uint64_t written;

    if (d->kind != DOC_MAP) {
        problem_no_map(&s, d);
        return false;
    }
    written = decode_written(shape, d, r, out);
    for (size_t i = 0; i < shape->count; i++) {
        if (written >> i & 1)
            continue;
        s.field = &shape->fields[i];
        if (field_needed(s.field))
            problem_missing(&s, d);
        fill_in(&s, (char *)out + s.field->at);
    }
    for (size_t i = 0; i < shape->rule_count; i++)
        shape->rules[i].check(d, out, r);
    return r->errors == before;
}
