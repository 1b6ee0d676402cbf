/* SPDX-License-Identifier: Apache-2.0 */
/* diff.c: holds an output against the golden one, and says what differs.
 *
 * A JSON Patch would say what to do; people ask what is where. So pointers of what was recorded are
 * those of the recorded output, and pointers of what is new are those of the new one.
 */
#include <inttypes.h>

#include "adapter/golden.h"
#include "base/doc_make.h"
#include "base/doc_same.h"
#include "base/json_write.h"
#include "base/line_diff.h"
#include "base/list_diff.h"
#include "base/pointer.h"
#include "base/utf8.h"

enum { LINES = 200, VALUE_CHARS = 160, STEPS = 200000000 };

/* ---- what may differ is left out ---- */

static void leave_out(struct doc *d, const struct str *names, size_t n, struct work *w);

/* A member goes; an item becomes null, so that those behind it keep their numbers. */
static void leave_one(struct doc *d, struct doc *child, struct doc *before)
{
    if (d->kind == DOC_LIST) {
        child->kind = DOC_NULL;
        return;
    }
    if (before)
        before->next = child->next;
    else
        d->first = child->next;
    if (d->last == child)
        d->last = before;
    d->count--;
}

static void leave_each(struct doc *list, const struct str *names, size_t n, struct work *w)
{
    for (struct doc *c = list->first; c && work_do(w, 1); c = c->next) {
        if (n == 0)
            c->kind = DOC_NULL;
        else
            leave_out(c, names, n, w);
    }
}

/* Goes as deep as the pointer has names. */
static void leave_out(struct doc *d, const struct str *names, size_t n, struct work *w)
{
    struct doc *before = NULL, *child;

    if (n && d->kind == DOC_LIST && str_is(names[0], "*")) {
        leave_each(d, names + 1, n - 1, w);
        return;
    }
    child = n ? pointer_step(d, names[0], &before, w) : NULL;
    if (child && n > 1)
        leave_out(child, names + 1, n - 1, w);
    else if (child)
        leave_one(d, child, before);
    else if (n == 0)
        d->kind = DOC_NULL;
}

/* A copy of its own: its pointers are those of the output, wherever that was read. */
static const struct doc *without(const struct golden *g, const struct doc *d, struct work *w,
                                 struct arena *a)
{
    const struct str *pointers = g->may_differ.v;
    struct doc *copy = doc_root(a, DOC_NULL);

    if (!doc_copy(d, copy, w, a))
        return d;
    for (size_t i = 0; i < g->may_differ.n; i++) {
        struct pointer p;
        struct error e;

        if (pointer_read(pointers[i], a, &p, &e))
            leave_out(copy, p.names, p.n, w);
    }
    return copy;
}

/* Is it too much to compare, they are not known to be the same. */
bool golden_same(const struct golden *g, const struct value *now, struct arena *a)
{
    struct work w = { .left = STEPS };

    if (!g->output.doc != !now->doc)
        return false;
    if (!now->doc)
        return str_eq(g->output.bytes, now->bytes);
    return doc_same(without(g, g->output.doc, &w, a), without(g, now->doc, &w, a), &w, a) &&
           !w.over;
}

/* ---- what differs ---- */

struct telling {
    struct work *w;
    struct arena *a;
    struct buf *to;
    size_t lines, more; /* that were told, and that were not */
};

static void tell(struct telling *t, char sign, const struct doc *d)
{
    _buf_ struct buf value = { .max = 1 << 20 };
    struct str text;
    size_t n = 0, chars = 0;

    if (t->lines == LINES) {
        t->more++;
        return;
    }
    t->lines++;
    json_doc(&value, d);
    text = buf_str(&value);
    while (n < text.n && chars < VALUE_CHARS) {
        size_t step = utf8_step(text.s + n, text.s + text.n);

        n += step ? step : 1;
        chars++;
    }
    buf_addf(t->to, "%c ", sign);
    doc_pointer(d, t->to);
    buf_addf(t->to, "%s%.*s%s\n", d->up ? ": " : "", (int)n, text.s,
             n < text.n || value.full ? "…" : "");
}

static void compare(struct telling *t, const struct doc *x, const struct doc *y);

static void compare_maps(struct telling *t, const struct doc *x, const struct doc *y)
{
    struct doc_pairs pairs;
    const struct doc *a, *b;

    if (!doc_pairs_begin(&pairs, x, y, t->w, t->a))
        return;
    while (doc_pairs_next(&pairs, &a, &b)) {
        if (a && b)
            compare(t, a, b);
        else
            tell(t, a ? '-' : '+', a ? a : b);
    }
}

/* Between two items that stay: those that went and those that came are held against each other, one
 * by one, and what is left over went or came. */
static void compare_lists(struct telling *t, const struct doc *x, const struct doc *y)
{
    const struct doc *a = x->first, *b = y->first;
    const uint8_t *stays_a, *stays_b;

    if (!list_diff(x, y, t->w, t->a, &stays_a, &stays_b))
        return;
    while (a || b) {
        bool went = a && !*stays_a, came = b && !*stays_b;

        if (went && came)
            compare(t, a, b);
        else if (went || came)
            tell(t, went ? '-' : '+', went ? a : b);
        if (a && (went || !came)) {
            a = a->next;
            stays_a++;
        }
        if (b && (came || !went)) {
            b = b->next;
            stays_b++;
        }
    }
}

/* As deep as the reader lets a document be. */
static void compare(struct telling *t, const struct doc *x, const struct doc *y)
{
    if (doc_same(x, y, t->w, t->a))
        return;
    if (x->kind == DOC_MAP && y->kind == DOC_MAP) {
        compare_maps(t, x, y);
    } else if (x->kind == DOC_LIST && y->kind == DOC_LIST) {
        compare_lists(t, x, y);
    } else {
        tell(t, '-', x);
        tell(t, '+', y);
    }
}

static void diff_values(const struct golden *g, const struct doc *now, struct arena *a,
                        struct buf *to)
{
    struct work w = { .left = STEPS };
    struct telling t = { &w, a, to, 0, 0 };

    compare(&t, without(g, g->output.doc, &w, a), without(g, now, &w, a));
    if (t.more)
        buf_addf(to, "… and %zu more\n", t.more);
    if (w.over)
        buf_adds(to, "… too large to be compared in full\n");
}

static void diff_bytes(struct str before, struct str now, struct arena *a, struct buf *to)
{
    struct work w = { .left = STEPS };
    size_t same = 0;

    if (utf8_valid(before) == before.n && utf8_valid(now) == now.n) {
        line_diff(before, now, &w, a, to);
        return;
    }
    while (same < before.n && same < now.n && before.s[same] == now.s[same])
        same++;
    buf_addf(to, "- %zu bytes\n+ %zu bytes, the same up to byte %zu\n", before.n, now.n, same);
}

/* One is a value and the other bytes: each is said to be what it is. */
static void diff_kinds(const struct value *before, const struct value *now, struct buf *to)
{
    const struct value *const both[] = { before, now };

    for (size_t i = 0; i < COUNT(both); i++) {
        buf_addf(to, "%c ", i ? '+' : '-');
        if (both[i]->doc)
            doc_say(both[i]->doc, to);
        else
            buf_addf(to, "%zu bytes", both[i]->bytes.n);
        buf_addc(to, '\n');
    }
}

void golden_diff(const struct golden *g, const struct value *now, struct arena *a, struct buf *to)
{
    if (!g->output.doc != !now->doc)
        diff_kinds(&g->output, now, to);
    else if (now->doc)
        diff_values(g, now->doc, a, to);
    else
        diff_bytes(g->output.bytes, now->bytes, a, to);
}
