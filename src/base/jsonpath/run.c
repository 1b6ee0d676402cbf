/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: a path over a document.
 *
 * Each value goes through all segments before the next one sets out: the order of the RFC, and no
 * lists in between. Only segments recurse; what is inside a value is walked by its links.
 */
#include "base/jsonpath.h"
#include "base/jsonpath/parts.h"

static bool walk(struct hunt *h, const struct segment *s, const struct doc *d);

static bool has_children(const struct doc *d)
{
    return d->kind == DOC_LIST || d->kind == DOC_MAP;
}

const struct doc *jsonpath_child_named(struct run *r, const struct doc *map, struct str name)
{
    const struct doc *d;
    uint32_t seen = 0;

    if (map->kind != DOC_MAP)
        return NULL;
    for (d = map->first; d && !str_eq(d->key, name); d = d->next)
        seen++;
    return work_do(r->w, seen / 8 + 1) ? d : NULL;
}

const struct doc *jsonpath_child_at(struct run *r, const struct doc *list, int64_t index)
{
    const struct doc *d;

    if (list->kind != DOC_LIST)
        return NULL;
    if (index < 0)
        index += list->count;
    if (index < 0 || index >= list->count || !work_do(r->w, (uint32_t)(index / 8 + 1)))
        return NULL;
    if (index == list->count - 1)
        return list->last;
    for (d = list->first; index > 0; index--)
        d = d->next;
    return d;
}

/* --- selectors --- */

static bool found(struct hunt *h, const struct doc *d)
{
    if (h->n++ == 0)
        h->first = d;
    if (h->out) {
        h->out->v = arena_more(h->run->a, h->out->v, h->out->n, &h->out->room, sizeof *h->out->v);
        h->out->v[h->out->n++] = d;
    }
    return h->n < h->enough;
}

static bool all(struct hunt *h, const struct segment *s, const struct doc *d)
{
    if (!has_children(d))
        return true;
    for (const struct doc *c = d->first; c; c = c->next)
        if (!work_do(h->run->w, 1) || !walk(h, s->next, c))
            return false;
    return true;
}

static bool filtered(struct hunt *h, const struct segment *s, const struct selector *sel,
                     const struct doc *d)
{
    struct work *w = h->run->w;

    if (!has_children(d))
        return true;
    for (const struct doc *c = d->first; c; c = c->next) {
        bool fits = work_do(w, 1) && jsonpath_passes(h->run, sel->filter, c);

        if (w->over || (fits && !walk(h, s->next, c)))
            return false;
    }
    return true;
}

/* A bound as RFC 9535, 2.3.4.2.2 has it: from the end if negative, then between least and most. */
static int64_t bound(int64_t at, int64_t count, int64_t least, int64_t most)
{
    if (at < 0)
        at += count;
    return at < least ? least : at > most ? most : at;
}

static bool forwards(struct hunt *h, const struct segment *s, const struct selector *sel,
                     const struct doc *list)
{
    int64_t count = list->count;
    int64_t from = sel->from == SLICE_NONE ? 0 : bound(sel->from, count, 0, count);
    int64_t to = sel->to == SLICE_NONE ? count : bound(sel->to, count, 0, count), i = 0;

    for (const struct doc *c = list->first; c && i < to; c = c->next, i++) {
        if (!work_do(h->run->w, 1))
            return false;
        if (i >= from && (i - from) % sel->step == 0 && !walk(h, s->next, c))
            return false;
    }
    return true;
}

/* Children know only who comes next, so they are laid out first. */
static bool backwards(struct hunt *h, const struct segment *s, const struct selector *sel,
                      const struct doc *list)
{
    int64_t count = list->count;
    int64_t from = sel->from == SLICE_NONE ? count - 1 : bound(sel->from, count, -1, count - 1);
    int64_t to = sel->to == SLICE_NONE ? -1 : bound(sel->to, count, -1, count - 1);
    _arena_ struct arena a = { 0 };
    const struct doc **child = NULL;
    size_t n = 0, room = 0;

    if (!work_do(h->run->w, list->count))
        return false;
    for (const struct doc *c = list->first; c; c = c->next) {
        child = arena_more(&a, child, n, &room, sizeof *child);
        child[n++] = c;
    }
    if (!child)
        return true; /* an empty list */
    for (int64_t i = from; i > to; i += sel->step)
        if (!work_do(h->run->w, 1) || !walk(h, s->next, child[i]))
            return false;
    return true;
}

static bool pick(struct hunt *h, const struct segment *s, const struct selector *sel,
                 const struct doc *d)
{
    const struct doc *child;

    switch (sel->kind) {
    case SELECT_NAME:
        child = jsonpath_child_named(h->run, d, sel->name);
        return child ? walk(h, s->next, child) : !h->run->w->over;
    case SELECT_INDEX:
        child = jsonpath_child_at(h->run, d, sel->from);
        return child ? walk(h, s->next, child) : !h->run->w->over;
    case SELECT_ALL: return all(h, s, d);
    case SELECT_FILTER: return filtered(h, s, sel, d);
    case SELECT_SLICE:
        if (d->kind != DOC_LIST || sel->step == 0)
            return true;
        return sel->step > 0 ? forwards(h, s, sel, d) : backwards(h, s, sel, d);
    }
    return true;
}

/* --- segments --- */

static bool select_all(struct hunt *h, const struct segment *s, const struct doc *d)
{
    for (const struct selector *sel = s->first; sel; sel = sel->next)
        if (!pick(h, s, sel, d))
            return false;
    return true;
}

/* The value after d among those inside `top`, top first: down, else across, else up and across. */
static const struct doc *after(const struct doc *d, const struct doc *top)
{
    if (has_children(d) && d->first)
        return d->first;
    while (d != top && !d->next)
        d = d->up;
    return d == top ? NULL : d->next;
}

static bool walk(struct hunt *h, const struct segment *s, const struct doc *d)
{
    if (!s)
        return found(h, d);
    if (!s->deep)
        return select_all(h, s, d);
    for (const struct doc *inside = d; inside; inside = after(inside, d))
        if (!work_do(h->run->w, 1) || (has_children(inside) && !select_all(h, s, inside)))
            return false;
    return true;
}

bool jsonpath_hunt(struct hunt *h, const struct query *q, const struct doc *at)
{
    return walk(h, q->first, q->absolute ? h->run->root : at);
}

const struct doc *jsonpath_one(struct run *r, const struct query *q, const struct doc *at)
{
    const struct doc *d = q->absolute ? r->root : at;

    for (const struct segment *s = q->first; s && d; s = s->next)
        d = s->first->kind == SELECT_NAME ? jsonpath_child_named(r, d, s->first->name)
                                          : jsonpath_child_at(r, d, s->first->from);
    return d;
}

bool jsonpath_run(const struct jsonpath *p, const struct doc *root, struct arena *a, struct work *w,
                  struct nodes *out)
{
    struct run r = { .root = root, .w = w, .a = a };
    struct nodes nodes = { 0 };
    struct hunt h = { .run = &r, .out = &nodes, .enough = SIZE_MAX };

    (void)jsonpath_hunt(&h, &p->query, root);
    arena_free(&r.scratch);
    if (w->over)
        return false;
    *out = nodes;
    return true;
}
