/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c: a shape as a JSON Schema (2020-12), by the same rows. */
#include "contract/shape.h"

#include "base/json_write.h"

static void put_schema(const struct shape *shape, struct buf *to, int depth);

static void put_bounds(const struct field *f, struct buf *to, const char *low, const char *high)
{
    int64_t min = field_min(f), max = field_max(f);

    if (min == 0 && max == 0)
        return;
    json_key(to, low);
    json_int(to, min);
    if (max > 0 && max != WHOLE_MAX) {
        json_key(to, high);
        json_int(to, max);
    }
}

static void put_text_form(const struct field *f, struct buf *to)
{
    const struct form_row *form = &forms[f->form];

    put_bounds(f, to, "minLength", "maxLength");
    if (form->format)
        json_put(to, "format", form->format);
    if (form->pattern)
        json_put(to, "pattern", form->pattern);
}

static bool may_be_null(const struct field *f)
{
    return f->need == NULLABLE || f->need == NEEDED_OR_NULL;
}

static void put_choices(const struct field *f, struct buf *to)
{
    json_key(to, "enum");
    json_open(to, '[');
    for (size_t i = 0; f->choices[i]; i++)
        json_text(to, str_of(f->choices[i]));
    if (may_be_null(f))
        json_nil(to);
    json_close(to, ']');
}

static void put_type(const struct field *f, const char *type, struct buf *to)
{
    json_key(to, "type");
    if (!may_be_null(f) || f->many != ONE) {
        json_text(to, str_of(type));
        return;
    }
    json_open(to, '[');
    json_text(to, str_of(type));
    json_text(to, str_of("null"));
    json_close(to, ']');
}

/* The keywords of one value, inside an object that is already open. */
static void put_value(const struct field *f, struct buf *to, int depth)
{
    switch (f->kind) {
    case F_TEXT:
        put_type(f, "string", to);
        put_text_form(f, to);
        return;
    case F_INT:
        put_type(f, "integer", to);
        put_bounds(f, to, "minimum", "maximum");
        return;
    case F_NUMBER:
        put_type(f, "number", to);
        put_bounds(f, to, "minimum", "maximum");
        return;
    case F_BOOL: put_type(f, "boolean", to); return;
    case F_CHOICE: put_choices(f, to); return;
    case F_SHAPE:
        if (depth > 0)
            put_schema(f->sub, to, depth);
        else
            put_type(f, "object", to); /* a shape that holds itself: one level is spelled out */
        return;
    case F_MAP:
        put_type(f, "object", to);
        if (f->sub && depth > 0) {
            json_key(to, "additionalProperties");
            json_open(to, '{');
            put_schema(f->sub, to, depth);
            json_close(to, '}');
        }
        return;
    case F_ANY: return;
    }
}

static void put_many(const struct field *f, struct buf *to, int depth)
{
    bool list = f->many == LIST;

    json_put(to, "type", list ? "array" : "object");
    if (f->least) {
        json_key(to, list ? "minItems" : "minProperties");
        json_int(to, f->least);
    }
    if (f->most) {
        json_key(to, list ? "maxItems" : "maxProperties");
        json_int(to, f->most);
    }
    json_key(to, list ? "items" : "additionalProperties");
    json_open(to, '{');
    put_value(f, to, depth);
    json_close(to, '}');
}

static void put_field(const struct field *f, struct buf *to, int depth)
{
    bool nullable_shape = may_be_null(f) && f->kind == F_SHAPE && f->many == ONE && depth > 0;

    json_key(to, f->name);
    json_open(to, '{');
    if (nullable_shape) {
        json_key(to, "anyOf");
        json_open(to, '[');
        json_open(to, '{');
        json_put(to, "type", "null");
        json_close(to, '}');
        json_open(to, '{');
        put_value(f, to, depth);
        json_close(to, '}');
        json_close(to, ']');
    } else if (f->many == ONE) {
        put_value(f, to, depth);
    } else {
        put_many(f, to, depth);
    }
    if (f->help && (f->kind != F_SHAPE || f->many != ONE || nullable_shape))
        json_put(to, "description", f->help);
    json_close(to, '}');
}

static void put_needed(const struct shape *shape, struct buf *to)
{
    json_key(to, "required");
    json_open(to, '[');
    for (size_t i = 0; i < shape->count; i++)
        if (field_needed(&shape->fields[i]) && !shape->fields[i].later)
            json_text(to, str_of(shape->fields[i].name));
    json_close(to, ']');
}

static void put_rules(const struct shape *shape, struct buf *to)
{
    _buf_ struct buf text = { .max = 1 << 16 };

    if (shape->rule_count == 0)
        return;
    buf_adds(&text, "Also checked:");
    for (size_t i = 0; i < shape->rule_count; i++)
        buf_addf(&text, " %s", shape->rules[i].says);
    json_put_text(to, "$comment", buf_str(&text));
}

static void put_schema(const struct shape *shape, struct buf *to, int depth)
{
    json_put(to, "title", shape->name);
    json_put(to, "type", "object");
    put_needed(shape, to);
    json_key(to, "properties");
    json_open(to, '{');
    for (size_t i = 0; i < shape->count; i++)
        put_field(&shape->fields[i], to, shape->fields[i].sub == shape ? 0 : depth - 1);
    json_close(to, '}');
    if (!shape->open) {
        json_key(to, "additionalProperties");
        json_bool(to, false);
    }
    put_rules(shape, to);
}

void shape_schema(const struct shape *shape, struct buf *to)
{
    enum { DEEP = 8 };

    json_open(to, '{');
    json_put(to, "$schema", "https://json-schema.org/draft/2020-12/schema");
    put_schema(shape, to, DEEP);
    json_close(to, '}');
}
