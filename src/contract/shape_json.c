/* SPDX-License-Identifier: Apache-2.0 */
/* shape_json.c: a decoded struct as JSON again, by the same rows. */
#include "base/json_write.h"
#include "contract/shape.h"

static void put_one(const struct field *f, const void *at, struct buf *to)
{
    const struct doc *d;

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
    case F_ANY:
        d = *(const struct doc *const *)at;
        json_doc(to, d);
        return;
    }
}

static size_t item_size(const struct field *f)
{
    static const size_t sizes[] = {
        [F_TEXT] = sizeof(struct str), [F_INT] = sizeof(int64_t), [F_NUMBER] = sizeof(double),
        [F_BOOL] = sizeof(bool),       [F_CHOICE] = sizeof(int),  [F_MAP] = sizeof(void *),
        [F_ANY] = sizeof(void *)
    };

    return f->kind == F_SHAPE ? f->sub->size : sizes[f->kind];
}

static void put_list(const struct field *f, const struct items *items, struct buf *to)
{
    const char *item = items->v;

    json_open(to, '[');
    for (size_t i = 0; i < items->n; i++, item += item_size(f)) {
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
        const char *at = (const char *)decoded + f->at;

        if (!is_there(f, at) && f->need != NEEDED_OR_NULL)
            continue;
        json_key(to, f->name);
        if (!is_there(f, at))
            json_nil(to);
        else if (f->many == LIST)
            put_list(f, (const struct items *)(const void *)at, to);
        else if (f->many == DICT)
            put_dict((const struct items *)(const void *)at, to);
        else
            put_one(f, at, to);
    }
    json_close(to, '}');
}
