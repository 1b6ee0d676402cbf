/* SPDX-License-Identifier: Apache-2.0 */
/* conflict.c: walks two events side by side until they differ.
 *
 * They are the same where their canonical forms are (A02-6), and ids of a lineage are a set.
 */
#include "ledger/conflict.h"

#include <stdlib.h>

#include "base/json_read.h"
#include "base/json_write.h"

enum { LEAF_MAX = 16 << 20 };

struct contrast {
    struct arena *a;
    const struct doc *at; /* of the event that came; NULL: no difference so far */
    const char *how;      /* goes on after "led-.. already says what attempt 1 came to as ..," */
};

static bool differ(struct contrast *c, const struct doc *at, const char *how)
{
    c->at = at;
    c->how = how;
    return false;
}

static bool same(struct contrast *c, const struct doc *came, const struct doc *kept);

static bool same_map(struct contrast *c, const struct doc *came, const struct doc *kept)
{
    const struct doc **x = doc_sorted(came, c->a), **y = doc_sorted(kept, c->a);
    uint32_t i = 0, k = 0;

    while (i < came->count || k < kept->count) {
        int order = i == came->count ? 1 : k == kept->count ? -1 : key_cmp(x[i]->key, y[k]->key);

        if (order < 0)
            return differ(c, x[i], "without this member");
        if (order > 0)
            return differ(
                c, came,
                arena_printf(c->a, "with %s, which is missing here", said(y[k]->key, c->a)));
        if (!same(c, x[i++], y[k++]))
            return false;
    }
    return true;
}

static bool same_list(struct contrast *c, const struct doc *came, const struct doc *kept)
{
    const struct doc *x = came->first, *y = kept->first;

    for (; x && y; x = x->next, y = y->next)
        if (!same(c, x, y))
            return false;
    if (x)
        return differ(c, x, "without this item");
    return !y || differ(c, came, "with more items here");
}

static bool same_leaf(struct contrast *c, const struct doc *came, const struct doc *kept)
{
    _buf_ struct buf x = { .max = LEAF_MAX }, y = { .max = LEAF_MAX };

    json_canon(came, c->a, &x);
    json_canon(kept, c->a, &y);
    return (buf_ok(&x) && buf_ok(&y) && str_eq(buf_str(&x), buf_str(&y))) ||
           differ(c, came, "with another value here");
}

static int by_text(const void *a, const void *b)
{
    const struct doc *const *x = a, *const *y = b;

    return str_cmp((*x)->text, (*y)->text);
}

static const struct doc **sorted_items(const struct doc *list, struct arena *a)
{
    const struct doc **items = arena_alloc(a, list->count * sizeof(struct doc *));
    size_t n = 0;

    for (const struct doc *item = list->first; item; item = item->next)
        items[n++] = item;
    qsort(items, n, sizeof(struct doc *), by_text);
    return items;
}

/* A02-6: in which order, and how often, says nothing. */
static bool same_set(struct contrast *c, const struct doc *came, const struct doc *kept)
{
    const struct doc **x = sorted_items(came, c->a), **y = sorted_items(kept, c->a);
    uint32_t i = 0, k = 0;

    while (i < came->count || k < kept->count) {
        int order = i == came->count ? 1 : k == kept->count ? -1 : str_cmp(x[i]->text, y[k]->text);
        struct str id = order > 0 ? y[k]->text : x[i]->text;

        if (order < 0)
            return differ(c, x[i], "without this id");
        if (order > 0)
            return differ(c, came,
                          arena_printf(c->a, "with %s, which is missing here", said(id, c->a)));
        while (i < came->count && str_eq(x[i]->text, id))
            i++;
        while (k < kept->count && str_eq(y[k]->text, id))
            k++;
    }
    return true;
}

/* /lineage/dependsOnLedgerIds: in both a list of texts, for the shape was checked. */
static bool is_depends(const struct doc *d)
{
    return d->key.s && str_is(d->key, "dependsOnLedgerIds") && d->up && d->up->key.s &&
           str_is(d->up->key, "lineage") && d->up->up && !d->up->up->up;
}

static bool same(struct contrast *c, const struct doc *came, const struct doc *kept)
{
    if (came->kind != kept->kind)
        return same_leaf(c, came, kept); /* of numbers, one kind may say what another says */
    if (came->kind == DOC_MAP)
        return same_map(c, came, kept);
    if (came->kind == DOC_LIST)
        return (is_depends(came) ? same_set : same_list)(c, came, kept);
    return same_leaf(c, came, kept);
}

/* The events themselves; false: it cannot be told where they differ. */
static bool contrast(struct contrast *c, const struct draft *d, const struct entry *kept)
{
    static const char *const parts[] = { "payload", "lineage" };
    struct ceilings max = ceilings_default();
    const struct document *document;
    struct error e;

    if (kept->erased || !json_read("event", kept->body, &max, c->a, &document, &e))
        return false;
    for (size_t i = 0; i < COUNT(parts) && !c->at; i++) {
        const struct doc *x = doc_get(&d->document->root, parts[i]);
        const struct doc *y =
            document->root.kind == DOC_MAP ? doc_get(&document->root, parts[i]) : NULL;

        if (x && y)
            (void)same(c, x, y);
    }
    return c->at;
}

void conflict_tell(struct draft *d, const struct entry *kept, struct arena *a)
{
    struct contrast c = { .a = a };
    _buf_ struct buf pointer = { .max = LEAF_MAX };

    if (contrast(&c, d, kept)) {
        doc_pointer(c.at, &pointer);
        d->pointer = arena_text(a, buf_str(&pointer));
    } else {
        c.how = kept->erased
                    ? "with another payload or lineage; its body was erased, so where they "
                      "differ cannot be told"
                    : "with another payload or lineage";
        d->pointer = "";
    }
    d->message = arena_printf(a, "%s, %s", d->message, c.how);
}
