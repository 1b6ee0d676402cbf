/* SPDX-License-Identifier: Apache-2.0 */
/* json_diff.c: what has to be done to one document to make it the other, as a JSON Patch.
 *
 * Operations come in the order of names and items, so that equal documents give equal patches
 * however their maps were written. The pointer of an operation is that of the document as the
 * operations before it leave it.
 */
#include "base/json_diff.h"

#include "base/doc_make.h"
#include "base/doc_same.h"
#include "base/list_diff.h"

enum { POINTER_MAX = 64 << 20 };

struct diffing {
    struct doc *patch;
    struct buf path;
    struct work *w;
    struct arena *a;
};

static bool diff(struct diffing *d, const struct doc *before, const struct doc *after);

/* Adds an operation at the path; its value is copied. */
static bool operation(struct diffing *d, const char *op, const struct doc *value)
{
    struct doc *map;

    /* Pointers may be much longer than all names together: each byte of them is a step. */
    if (!work_do(d->w, 4 * WORK_VALUE + (uint32_t)d->path.len) || !buf_ok(&d->path))
        return false;
    map = doc_add_kind(d->a, d->patch, NULL, DOC_MAP);
    doc_add_text(d->a, map, "op", str_of(op));
    doc_add_text(d->a, map, "path",
                 (struct str){ arena_text(d->a, buf_str(&d->path)), d->path.len });
    return !value || doc_copy(value, doc_add(d->a, map, str_of("value")), d->w, d->a);
}

static bool diff_member(struct diffing *d, const struct doc *before, const struct doc *after)
{
    size_t here = d->path.len;
    bool done;

    doc_pointer_name(before ? before->key : after->key, &d->path);
    if (!before)
        done = operation(d, "add", after);
    else
        done = after ? diff(d, before, after) : operation(d, "remove", NULL);
    d->path.len = here;
    return done;
}

static bool diff_maps(struct diffing *d, const struct doc *before, const struct doc *after)
{
    struct doc_pairs pairs;
    const struct doc *x, *y;

    if (!doc_pairs_begin(&pairs, before, after, d->w, d->a))
        return false;
    while (doc_pairs_next(&pairs, &x, &y))
        if (!work_do(d->w, work_text(x ? x->key : y->key)) || !diff_member(d, x, y))
            return false;
    return true;
}

/* Maps that share no name are better replaced as a whole. */
static bool nothing_in_common(struct diffing *d, const struct doc *before, const struct doc *after)
{
    struct doc_pairs pairs;
    const struct doc *x, *y;

    if (before->count == 0 || after->count == 0 ||
        !doc_pairs_begin(&pairs, before, after, d->w, d->a))
        return false;
    while (doc_pairs_next(&pairs, &x, &y))
        if (x && y)
            return false;
    return true;
}

static bool diff_item(struct diffing *d, uint32_t index, const struct doc *before,
                      const struct doc *after)
{
    size_t here = d->path.len;
    bool done;

    buf_addf(&d->path, "/%u", index);
    if (before && after)
        done = diff(d, before, after);
    else
        done = after ? operation(d, "add", after) : operation(d, "remove", NULL);
    d->path.len = here;
    return done;
}

/* Between two items that stay, items become others as long as there are some of both; the rest is
 * removed or added. */
static bool diff_lists(struct diffing *d, const struct doc *before, const struct doc *after)
{
    const struct doc *x = before->first, *y = after->first;
    const uint8_t *stays_x, *stays_y;
    uint32_t i = 0, j = 0, at = 0;

    if (!list_diff(before, after, d->w, d->a, &stays_x, &stays_y))
        return false;
    while (x || y) {
        bool removed = x && !stays_x[i], added = y && !stays_y[j];

        if ((removed || added) && !diff_item(d, at, removed ? x : NULL, added ? y : NULL))
            return false;
        if (x && (removed || !added)) {
            x = x->next;
            i++;
        }
        if (y && (added || !removed)) {
            y = y->next;
            j++;
            at++;
        }
    }
    return true;
}

static bool diff(struct diffing *d, const struct doc *before, const struct doc *after)
{
    if (doc_same(before, after, d->w, d->a))
        return true;
    if (d->w->over)
        return false;
    if (before->kind == DOC_MAP && after->kind == DOC_MAP && !nothing_in_common(d, before, after))
        return !d->w->over && diff_maps(d, before, after);
    if (before->kind == DOC_LIST && after->kind == DOC_LIST && before->count && after->count)
        return diff_lists(d, before, after);
    return operation(d, "replace", after);
}

bool json_diff(const struct doc *before, const struct doc *after, struct work *w, struct arena *a,
               const struct doc **out)
{
    struct diffing d = {
        .patch = doc_root(a, DOC_LIST), .path = { .max = POINTER_MAX }, .w = w, .a = a
    };
    bool done = diff(&d, before, after);

    buf_free(&d.path);
    if (!done)
        return false;
    *out = d.patch;
    return true;
}
