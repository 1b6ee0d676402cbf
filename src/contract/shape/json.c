/* SPDX-License-Identifier: Apache-2.0 */
/* json.c: a decoded struct as JSON again, by the same rows. */
#include "contract/shape.h"

#include "base/json_write.h"

static void put_one(const struct field *f, const void *at, struct buf *to)
{
    switch (f->kind) {
    case F_TEXT: json_text(to, *(const struct str *)at); return;
    case F_INT: json_int(to, *(const int64_t *)at); return;
    case F_NUMBER:
        json_doc(to, &(struct doc){ .kind = DOC_NUMBER, .number = *(const double *)at });
        return;
    case F_BOOL: json_bool(to, *(const bool *)at); return;
    case F_CHOICE: json_text(to, str_of(f->choices[*(const int *)at])); return;
    case F_SHAPE: shape_json(f->sub, *(const void *const *)at, to); return;
    case F_MAP:
    case F_ANY: json_doc(to, *(const struct doc *const *)at); return;
    }
}

static void put_list(const struct field *f, const struct items *items, struct buf *to)
{
    const char *item = items->v;

    json_open(to, '[');
    for (size_t i = 0; i < items->n; i++, item += field_item_size(f)) {
        if (f->kind == F_SHAPE)
            shape_json(f->sub, item, to);
        else
            put_one(f, item, to);
    }
    json_close(to, ']');
}

static void put_dict(const struct items *items, struct buf *to)
{
    const struct pair *pairs = items->v;

    json_open(to, '{');
    for (size_t i = 0; i < items->n; i++) {
        json_text(to, pairs[i].key);
        buf_addc(to, ':');
        json_text(to, pairs[i].text);
    }
    json_close(to, '}');
}

/* Texts, shapes and documents that are not there have no pointer; a choice that is not there is
 * below zero, and a number that need not be there is not when it is what its absence means. */
static bool is_there(const struct field *f, const void *at)
{
    if (f->many != ONE)
        return f->need == NEEDED || ((const struct items *)at)->v;
    if (f->kind == F_TEXT)
        return ((const struct str *)at)->s;
    if (f->kind == F_SHAPE || f->kind == F_MAP || f->kind == F_ANY)
        return *(const void *const *)at;
    if (f->kind == F_CHOICE)
        return *(const int *)at >= 0;
    if (f->kind == F_INT && (f->need == NULLABLE || f->bare))
        return *(const int64_t *)at != f->fallback;
    if (f->kind == F_NUMBER && f->bare)
        return *(const double *)at != (double)f->fallback;
    return true;
}

void shape_json(const struct shape *shape, const void *decoded, struct buf *to)
{
    json_open(to, '{');
    for (size_t i = 0; i < shape->count; i++) {
        const struct field *f = &shape->fields[i];
        const void *at = (const char *)decoded + f->at;
        bool there = is_there(f, at);

        if (!there && f->need != NEEDED_OR_NULL && !f->nil)
            continue;
        json_key(to, f->name);
        if (!there)
            json_nil(to);
        else if (f->many == LIST)
            put_list(f, at, to);
        else if (f->many == DICT)
            put_dict(at, to);
        else
            put_one(f, at, to);
    }
    json_close(to, '}');
}
