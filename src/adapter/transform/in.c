/* SPDX-License-Identifier: Apache-2.0 */
/* in.c: what is done to parameters: rename, map, default, validate. */
#include "adapter/transform_parts.h"
#include "base/jsonschema.h"
#include "base/pointer.h"

enum { SAY = 256, PROBLEMS_SAY = 400 };

/* ---- places ---- */

bool place_read(struct str text, struct arena *a, struct str **names, size_t *n, struct error *e)
{
    struct pointer p;

    if (text.n == 0)
        return error_set(e, CODE_TRANSFORM_FAILED, "a name without characters");
    if (text.s[0] != '/') {
        *names = arena_alloc(a, sizeof **names);
        **names = text;
        *n = 1;
        return true;
    }
    if (!pointer_read(text, a, &p, e))
        return false;
    if (p.n > PLACE_NAMES)
        return error_set(e, CODE_TRANSFORM_FAILED, "%s has %zu names, allowed are %d",
                         said(text, a), p.n, PLACE_NAMES);
    *names = (struct str *)p.names;
    *n = p.n;
    return true;
}

/* A member of a map, there or not. */
struct spot {
    struct doc *up; /* NULL: there is no such map */
    struct str name;
    struct doc *at, *before; /* at NULL: the map has no such member */
};

/* "/size: ..": the parameter is not what it should be; false. */
static bool refuse(const struct making *m, const struct doc *d, struct str place, const char *why)
{
    _buf_ struct buf found = { .max = SAY }, pointer = { .max = ERROR_PTR - 1 };

    doc_say(d, &found);
    doc_pointer(d, &pointer);
    (void)error_set(m->e, CODE_PARAMETER_REFUSED, "%s: %s is %s, %s", said(place, m->a),
                    pointer.len ? pointer.s : "it", buf_str(&found).s, why);
    memcpy(m->e->at.ptr, buf_str(&pointer).s, pointer.len + 1);
    return false;
}

/* The way down to the last name but one. make: maps that are not there are made. *out is NULL
 * where they are not. */
static bool go_down(const struct making *m, struct doc *d, struct str place, bool make,
                    struct spot *out)
{
    struct str *names = NULL;
    size_t n = 0;

    *out = (struct spot){ 0 };
    if (!place_read(place, m->a, &names, &n, m->e) || n == 0)
        return false;
    for (size_t i = 0; i + 1 < n; i++) {
        struct doc *next = pointer_step(d, names[i], &out->before, m->w);

        if (!next && make && d->kind == DOC_MAP)
            next = made(m, d, names[i], DOC_MAP);
        if (m->w->over)
            return making_over(m);
        if (!next)
            return !make || refuse(m, d, place, "and has nothing of that name");
        d = next;
    }
    if (d->kind != DOC_MAP)
        return !make || refuse(m, d, place, "must be a map");
    out->up = d;
    out->name = names[n - 1];
    out->at = pointer_step(d, out->name, &out->before, m->w);
    return !m->w->over || making_over(m);
}

static struct doc *take_out(const struct spot *s)
{
    if (s->before)
        s->before->next = s->at->next;
    else
        s->up->first = s->at->next;
    if (s->up->last == s->at)
        s->up->last = s->before;
    s->up->count--;
    s->at->next = NULL;
    return s->at;
}

static void put_in(const struct spot *s, struct doc *d)
{
    d->up = s->up;
    d->key = s->name;
    if (s->up->last)
        s->up->last->next = d;
    else
        s->up->first = d;
    s->up->last = d;
    s->up->count++;
}

/* ---- rename ---- */

/* A map that has nothing left goes with what was taken out of it, and so does the one around it. */
static void drop_empty(const struct making *m, struct doc *map)
{
    while (map && !map->count && map->up && map->up->kind == DOC_MAP) {
        struct spot spot = { .up = map->up };

        spot.at = pointer_step(map->up, map->key, &spot.before, m->w);
        if (spot.at != map) /* it has gone before */
            return;
        map = take_out(&spot)->up;
    }
}

/* All are taken out before the first is put in: two may change places. */
bool change_rename(const struct making *m, const struct doc *spec, const struct doc *schema,
                   struct doc *params)
{
    struct doc **taken = arena_alloc(m->a, spec->count * sizeof *taken);
    struct doc **from = arena_alloc(m->a, spec->count * sizeof *from);
    struct spot spot;
    size_t i = 0;

    (void)schema;
    for (const struct doc *row = spec->first; row; row = row->next, i++) {
        if (!go_down(m, params, row->key, false, &spot))
            return false;
        taken[i] = spot.at ? take_out(&spot) : NULL;
        from[i] = taken[i] ? spot.up : NULL;
    }
    for (i = 0; i < spec->count; i++)
        drop_empty(m, from[i]);
    i = 0;
    for (const struct doc *row = spec->first; row; row = row->next, i++) {
        if (!taken[i])
            continue;
        if (!go_down(m, params, row->text, true, &spot))
            return false;
        if (spot.at) {
            _buf_ struct buf why = { .max = SAY };

            buf_addf(&why, "and %s would be renamed to it", said(row->key, m->a));
            return refuse(m, spot.at, row->text, buf_str(&why).s);
        }
        put_in(&spot, taken[i]);
    }
    return !m->w->over || making_over(m);
}

/* ---- map ---- */

/* The row for a value, else that of "*". */
static const struct doc *row_for(const struct making *m, const struct doc *rows,
                                 const struct doc *value)
{
    _buf_ struct buf text = { .max = BYTES_MOST };
    const struct doc *any = NULL;
    bool scalar = scalar_text(value, &text);

    for (const struct doc *row = rows->first; row; row = row->next) {
        if (!work_do(m->w, work_text(row->key)))
            return NULL;
        if (scalar && str_eq(row->key, buf_str(&text)))
            return row;
        if (str_is(row->key, "*"))
            any = row;
    }
    return any;
}

static bool map_one(const struct making *m, const struct doc *rows, struct doc *value)
{
    const struct doc *row = row_for(m, rows, value);

    if (m->w->over)
        return making_over(m);
    if (!row)
        return true;
    value->kind = DOC_NULL;
    value->count = 0;
    value->first = value->last = NULL;
    return doc_copy(row, value, m->w, m->a) || making_over(m);
}

static bool map_items(const struct making *m, const struct doc *rows, struct doc *list)
{
    for (struct doc *c = list->first; c; c = c->next)
        if (!map_one(m, rows, c))
            return false;
    return true;
}

bool change_map(const struct making *m, const struct doc *spec, const struct doc *schema,
                struct doc *params)
{
    (void)schema;
    for (const struct doc *row = spec->first; row; row = row->next) {
        struct spot spot;

        if (!go_down(m, params, row->key, false, &spot))
            return false;
        if (!spot.at)
            continue;
        if (spot.at->kind == DOC_LIST ? !map_items(m, row, spot.at) : !map_one(m, row, spot.at))
            return false;
    }
    return true;
}

/* ---- default ---- */

bool change_default(const struct making *m, const struct doc *spec, const struct doc *schema,
                    struct doc *params)
{
    (void)schema;
    for (const struct doc *row = spec->first; row; row = row->next) {
        struct spot spot;
        struct doc *d;

        if (!go_down(m, params, row->key, true, &spot))
            return false;
        if (spot.at)
            continue;
        d = made(m, spot.up, spot.name, DOC_NULL);
        if (!d || !doc_copy(row, d, m->w, m->a))
            return making_over(m);
    }
    return true;
}

/* ---- validate ---- */

/* What is wrong, the first in the words of its parameter, and how much more there is. */
static bool say_problems(const struct making *m, struct report *r)
{
    const struct problem *p;
    char *ptr = m->e->at.ptr;

    report_finish(r);
    p = r->first;
    while (p && p->warning)
        p = p->next;
    if (!p)
        return error_set(m->e, CODE_PARAMETER_REFUSED, "the parameters do not fit the schema");
    (void)error_set(m->e, CODE_PARAMETER_REFUSED, "%.*s", PROBLEMS_SAY, p->msg);
    if (strlen(p->pointer) < ERROR_PTR)
        memcpy(ptr, p->pointer, strlen(p->pointer) + 1);
    if (r->errors > 1) {
        size_t n = strlen(m->e->msg);
        _buf_ struct buf more = { .max = SAY };

        buf_addf(&more, " (and %u more)", r->errors - 1);
        if (n + more.len < ERROR_MSG)
            memcpy(m->e->msg + n, more.s, more.len + 1);
    }
    return false;
}

/* A value as a document of its own: its places then begin at itself. */
static const struct document *detached(const struct making *m, const struct doc *d)
{
    struct doc *root = doc_root(m->a, DOC_NULL);

    return doc_copy(d, root, m->w, m->a) ? (const struct document *)root : NULL;
}

bool change_validate(const struct making *m, const struct doc *spec, const struct doc *schema,
                     struct doc *params)
{
    struct schema_options options = { .code = CODE_PARAMETER_REFUSED };
    struct report in_schema = report_new(m->a, "", (struct str){ 0 });
    struct report problems = report_new(m->a, "", (struct str){ 0 });
    const struct document *document;
    const struct jsonschema *program;
    bool fits;

    if (spec->kind != DOC_TEXT)
        schema = spec;
    if (!schema)
        return true; /* a map, which they are */
    document = detached(m, schema);
    if (!document)
        return making_over(m);
    if (!jsonschema_read(document, &options, m->a, &program, &in_schema))
        return error_set(m->e, CODE_TRANSFORM_FAILED, "the schema: %s",
                         in_schema.first ? in_schema.first->msg : "cannot be read");
    fits = jsonschema_check(program, params, m->a, m->w, &problems);
    if (m->w->over)
        return making_over(m);
    return fits || say_problems(m, &problems);
}
