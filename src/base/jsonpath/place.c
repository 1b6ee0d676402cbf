/* SPDX-License-Identifier: Apache-2.0 */
/* place.c: normalised paths (RFC 9535, 2.7).
 *
 * A value knows its list but not its index. Of one value it is counted; of many, each level of the
 * document remembers where it was last, because values mostly come in order, and who goes back has
 * the whole list sorted by address.
 */
#include "base/json_write.h"
#include "base/jsonpath.h"
#include "base/jsonpath/parts.h"

struct seat {
    const struct doc *child;
    uint32_t index;
};

struct level {
    const struct doc *list, *last;
    uint32_t index;     /* of last */
    struct seat *seats; /* by address; NULL while values came in order */
};

struct places {
    struct level *v;
    size_t n, room;
    struct arena *a;
    struct work *w;
};

/* --- the index in a list --- */

static int seat_cmp(const void *x, const void *y)
{
    const struct seat *a = x, *b = y;

    return a->child < b->child ? -1 : a->child > b->child;
}

static void take_seats(struct level *l, struct arena *a)
{
    uint32_t n = 0;

    l->seats = arena_alloc(a, l->list->count * sizeof *l->seats);
    for (const struct doc *c = l->list->first; c; c = c->next, n++)
        l->seats[n] = (struct seat){ c, n };
    qsort(l->seats, n, sizeof *l->seats, seat_cmp);
}

/* From where the level was last; false where d stands before that. */
static bool go_on(struct level *l, const struct doc *d, struct work *w)
{
    const struct doc *c = l->last;
    uint32_t index = l->index;

    for (; c && c != d; c = c->next)
        index++;
    if (!work_do(w, (index - l->index) / 8 + 1) || !c)
        return false;
    l->last = c;
    l->index = index;
    return true;
}

static uint32_t index_of(struct level *l, const struct doc *d, struct places *p)
{
    struct seat wanted = { d, 0 }, *found;

    if (l->list != d->up)
        *l = (struct level){ .list = d->up, .last = d->up->first };
    if (!l->seats && go_on(l, d, p->w))
        return l->index;
    if (p->w->over)
        return 0;
    if (!l->seats && work_do(p->w, l->list->count))
        take_seats(l, p->a);
    if (!l->seats)
        return 0;
    found = bsearch(&wanted, l->seats, l->list->count, sizeof wanted, seat_cmp);
    return found->index;
}

/* --- the text --- */

static void put_name(struct str name, struct buf *to)
{
    static const char letters[] = "bfnrt'\\", bytes[] = "\b\f\n\r\t'\\";

    buf_adds(to, "['");
    for (size_t i = 0; i < name.n; i++) {
        const char *plain = name.s[i] ? strchr(bytes, name.s[i]) : NULL;

        if (plain)
            buf_addf(to, "\\%c", letters[plain - bytes]);
        else if ((unsigned char)name.s[i] < ' ')
            buf_addf(to, "\\u%04x", (unsigned char)name.s[i]);
        else
            buf_addc(to, name.s[i]);
    }
    buf_adds(to, "']");
}

/* Returns how deep d is; recurses as deep as a document may be. */
static size_t put(struct places *p, const struct doc *d, struct buf *to)
{
    size_t depth;

    if (!d->up) {
        buf_addc(to, '$');
        return 0;
    }
    depth = put(p, d->up, to);
    if (depth == p->n) {
        p->v = arena_more(p->a, p->v, p->n, &p->room, sizeof *p->v);
        p->v[p->n++] = (struct level){ 0 };
    }
    if (d->key.s)
        put_name(d->key, to);
    else
        buf_addf(to, "[%u]", index_of(&p->v[depth], d, p));
    return depth + 1;
}

bool jsonpath_places(const struct nodes *n, struct work *w, struct buf *to)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf one = { .max = to->max };
    struct places p = { .a = &a, .w = w };

    json_open(to, '[');
    for (size_t i = 0; i < n->n && !w->over && buf_ok(to); i++) {
        buf_reset(&one);
        (void)put(&p, n->v[i], &one);
        json_text(to, buf_str(&one));
    }
    json_close(to, ']');
    return !w->over;
}
