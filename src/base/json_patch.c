/* SPDX-License-Identifier: Apache-2.0 */
/* json_patch.c: JSON Patch (RFC 6902): a list of operations on a document, all of them or none.
 *
 * They work on a copy, which is handed out when the last of them has succeeded.
 */
#include "base/json_patch.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/ceilings.h"
#include "base/doc_make.h"
#include "base/doc_same.h"
#include "base/pointer.h"

struct patching {
    struct doc *root;
    struct work *w;
    struct arena *a;
    struct error *e;

    /* the operation */
    size_t number; /* from 1 */
    struct str op, path_text, from_text;
    struct pointer path, from;
    const struct doc *value; /* NULL: none is said */
};

/* A place for a value in a list or map. */
struct place {
    struct doc *up;     /* NULL: the place is that of the whole document */
    struct doc *before; /* the child before it, or NULL */
    struct doc *at;     /* what is there, or NULL */
    struct str name;
};

COLD static bool work_over(struct patching *p)
{
    (void)error_set(p->e, ERROR_CEILING, "the work of a call is used up");
    return false;
}

PRINTF(2, 3)
COLD static bool refuse(struct patching *p, const char *fmt, ...)
{
    char why[ERROR_MSG / 2];
    va_list ap;

    if (p->w->over)
        return work_over(p);
    va_start(ap, fmt);
    (void)vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    if (!p->op.s)
        (void)error_set(p->e, ERROR_SYNTAX, "operation %zu of the patch %s", p->number, why);
    else
        (void)error_set(p->e, ERROR_SYNTAX, "operation %zu of the patch (%.*s): %s", p->number,
                        STR_ARG(p->op), why);
    return false;
}

/* ---- places ---- */

/* The list or map that the last name of a pointer is looked up in. */
static bool find_up(struct patching *p, const struct pointer *pointer, struct str text,
                    struct place *out)
{
    struct doc *up = p->root, *before;

    for (size_t i = 0; up && i + 1 < pointer->n; i++)
        up = pointer_step(up, pointer->names[i], &before, p->w);
    *out = (struct place){ .up = up, .name = pointer->names[pointer->n - 1] };
    return (up && (up->kind == DOC_LIST || up->kind == DOC_MAP)) ||
           refuse(p, "nothing can be at %s: no list or map is above it", said(text, p->a));
}

/* The place of a value that is there. */
static bool find_value(struct patching *p, const struct pointer *pointer, struct str text,
                       struct place *out)
{
    if (pointer->n == 0) {
        *out = (struct place){ .at = p->root };
        return true;
    }
    if (!find_up(p, pointer, text, out))
        return false;
    out->at = pointer_step(out->up, out->name, &out->before, p->w);
    return out->at || refuse(p, "nothing is at %s", said(text, p->a));
}

/* The place where a value is to be added: of a list, before an item or behind the last. */
static bool find_room(struct patching *p, struct place *out)
{
    uint32_t index;

    if (p->path.n == 0) {
        *out = (struct place){ .at = p->root };
        return true;
    }
    if (!find_up(p, &p->path, p->path_text, out))
        return false;
    out->at = pointer_step(out->up, out->name, &out->before, p->w);
    if (p->w->over)
        return work_over(p);
    if (out->up->kind == DOC_MAP || out->at || str_is(out->name, "-"))
        return true;
    if (!pointer_index(out->name, &index))
        return refuse(p, "%s is not the number of an item, nor '-'", said(out->name, p->a));
    return index == out->up->count ||
           refuse(p, "item %u of a list of %u: nothing is before it", index, out->up->count);
}

/* ---- what changes the tree ---- */

static void unlink_value(const struct place *place)
{
    struct doc *next = place->at->next;

    if (place->before)
        place->before->next = next;
    else
        place->up->first = next;
    if (!next)
        place->up->last = place->before;
    place->up->count--;
    place->at->next = NULL;
    place->at->up = NULL;
}

static void link_value(const struct place *place, struct doc *value)
{
    struct doc *next = place->before ? place->before->next : place->up->first;

    value->up = place->up;
    value->key = place->up->kind == DOC_MAP ? place->name : (struct str){ 0 };
    value->next = next;
    if (place->before)
        place->before->next = value;
    else
        place->up->first = value;
    if (!next)
        place->up->last = value;
    place->up->count++;
}

/* How many lists and maps are inside each other, d included. */
static uint32_t height(const struct doc *d, struct work *w)
{
    uint32_t most = 0;

    if (!work_do(w, 1) || (d->kind != DOC_LIST && d->kind != DOC_MAP))
        return 0;
    for (const struct doc *c = d->first; c; c = c->next) {
        uint32_t h = height(c, w);

        most = h > most ? h : most;
    }
    return most + 1;
}

/* Every walker of documents counts on the ceiling: copies within copies must not get past it. */
static bool fits_depth(struct patching *p, const struct doc *up, const struct doc *value)
{
    uint32_t depth = height(value, p->w), max = ceiling_rows[CEILING_DEPTH].value;

    for (; up; up = up->up)
        depth++;
    return (!p->w->over && depth <= max) ||
           refuse(p, "the document would be %u deep, allowed %u", depth, max);
}

/* Puts a value that is in no tree where it belongs. What is there is pushed on in a list, when it
 * is not to be replaced, and makes room in a map. */
static bool put(struct patching *p, const struct place *place, struct doc *value, bool replace)
{
    if (!fits_depth(p, place->up, value))
        return false;
    if (!place->up) {
        value->key = (struct str){ 0 };
        p->root = value;
        return true;
    }
    if (place->at && (replace || place->up->kind == DOC_MAP))
        unlink_value(place);
    link_value(place, value);
    return true;
}

/* A copy that is in no tree, and may become a root. */
static bool copy_of(struct patching *p, const struct doc *value, struct doc **out)
{
    struct doc *made = doc_root(p->a, DOC_NULL);

    if (!doc_copy(value, made, p->w, p->a))
        return work_over(p);
    *out = made;
    return true;
}

/* ---- the operations ---- */

static bool op_add(struct patching *p)
{
    struct place place;
    struct doc *made;

    return find_room(p, &place) && copy_of(p, p->value, &made) && put(p, &place, made, false);
}

static bool op_remove(struct patching *p)
{
    struct place place;

    if (!find_value(p, &p->path, p->path_text, &place))
        return false;
    if (!place.up)
        return refuse(p, "the whole document cannot be removed");
    unlink_value(&place);
    return true;
}

static bool op_replace(struct patching *p)
{
    struct place place;
    struct doc *made;

    return find_value(p, &p->path, p->path_text, &place) && copy_of(p, p->value, &made) &&
           put(p, &place, made, true);
}

static bool op_copy(struct patching *p)
{
    struct place from, to;
    struct doc *made;

    return find_value(p, &p->from, p->from_text, &from) && copy_of(p, from.at, &made) &&
           find_room(p, &to) && put(p, &to, made, false);
}

/* Is the value at `from` above the place at `path`? */
static bool is_inside(const struct pointer *path, const struct pointer *from)
{
    for (size_t i = 0; i < from->n; i++)
        if (i == path->n || !str_eq(path->names[i], from->names[i]))
            return false;
    return path->n > from->n;
}

static bool op_move(struct patching *p)
{
    struct place from, to;
    struct doc *moved;

    if (!find_value(p, &p->from, p->from_text, &from))
        return false;
    if (is_inside(&p->path, &p->from))
        return refuse(p, "%s cannot be moved into itself", said(p->from_text, p->a));
    if (!from.up)
        return true; /* the whole document to where it is */
    moved = from.at;
    unlink_value(&from);
    if (p->path.n == 0)
        return copy_of(p, moved, &moved) && put(p, &(struct place){ .at = p->root }, moved, true);
    return find_room(p, &to) && put(p, &to, moved, false);
}

static bool op_test(struct patching *p)
{
    struct place place;

    if (!find_value(p, &p->path, p->path_text, &place))
        return false;
    return doc_same(place.at, p->value, p->w, p->a) ||
           refuse(p, "%s is another value", p->path.n ? said(p->path_text, p->a) : "the document");
}

/* ---- reading an operation ---- */

enum needs { NEEDS_PATH, NEEDS_VALUE, NEEDS_FROM };

/* clang-format off */
static const struct operation {
    const char *name;
    enum needs needs; /* besides path */
    bool (*apply)(struct patching *p);
} operations[] = {
    { "add",     NEEDS_VALUE, op_add },
    { "remove",  NEEDS_PATH,  op_remove },
    { "replace", NEEDS_VALUE, op_replace },
    { "move",    NEEDS_FROM,  op_move },
    { "copy",    NEEDS_FROM,  op_copy },
    { "test",    NEEDS_VALUE, op_test },
};
/* clang-format on */

static bool read_place(struct patching *p, const struct doc *map, const char *key, struct str *text,
                       struct pointer *out)
{
    const struct doc *member = doc_get(map, key);
    struct error why;

    if (!member || member->kind != DOC_TEXT)
        return refuse(p, "it needs '%s', a JSON pointer", key);
    *text = member->text;
    if (!work_do(p->w, 1 + (uint32_t)member->text.n))
        return work_over(p);
    return pointer_read(*text, p->a, out, &why) || refuse(p, "%s", why.msg);
}

static const struct operation *named(struct str op)
{
    for (size_t i = 0; i < COUNT(operations); i++)
        if (str_is(op, operations[i].name))
            return &operations[i];
    return NULL;
}

/* Members that an operation has no use for are ignored, as the RFC wants it. */
static bool apply(struct patching *p, const struct doc *map)
{
    const struct doc *op = doc_get(map, "op");
    const struct operation *operation = op && op->kind == DOC_TEXT ? named(op->text) : NULL;

    p->op = (struct str){ 0 };
    if (!work_do(p->w, 1 + map->count))
        return work_over(p);
    if (map->kind != DOC_MAP)
        return refuse(p, "is not a map");
    if (!operation)
        return refuse(p, "has no 'op' that is add, remove, replace, move, copy or test");
    p->op = op->text;
    p->value = doc_get(map, "value");
    if (!read_place(p, map, "path", &p->path_text, &p->path))
        return false;
    if (operation->needs == NEEDS_FROM && !read_place(p, map, "from", &p->from_text, &p->from))
        return false;
    if (operation->needs == NEEDS_VALUE && !p->value)
        return refuse(p, "it needs a 'value'");
    return operation->apply(p);
}

bool json_patch(const struct doc *document, const struct doc *patch, struct work *w,
                struct arena *a, const struct doc **out, struct error *e)
{
    struct patching p = { .w = w, .a = a, .e = e };

    if (patch->kind != DOC_LIST)
        return error_set(e, ERROR_SYNTAX, "a patch must be a list of operations");
    if (!copy_of(&p, document, &p.root))
        return false;
    for (const struct doc *c = patch->first; c; c = c->next) {
        p.number++;
        if (!apply(&p, c))
            return false;
    }
    *out = p.root;
    return true;
}
