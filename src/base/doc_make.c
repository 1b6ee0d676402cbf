/* SPDX-License-Identifier: Apache-2.0 */
/* doc_make.c: trees that are made, not read: copied, put together, put in order. */
#include "base/doc_make.h"

#include "base/utf8.h"

struct doc *doc_root(struct arena *a, enum doc_kind kind)
{
    struct document *document = arena_new(a, struct document);

    document->root.kind = kind;
    return &document->root;
}

struct doc *doc_add_kind(struct arena *a, struct doc *up, const char *key, enum doc_kind kind)
{
    struct doc *d = doc_add(a, up, key ? str_of(key) : (struct str){ 0 });

    d->kind = kind;
    return d;
}

void doc_add_text(struct arena *a, struct doc *up, const char *key, struct str text)
{
    doc_add_kind(a, up, key, DOC_TEXT)->text = text;
}

void doc_add_int(struct arena *a, struct doc *up, const char *key, int64_t n)
{
    doc_add_kind(a, up, key, DOC_INT)->whole = n;
}

void doc_add_bool(struct arena *a, struct doc *up, const char *key, bool truth)
{
    doc_add_kind(a, up, key, DOC_BOOL)->truth = truth;
}

/* All but the children. */
static void copy_value(const struct doc *from, struct doc *to)
{
    to->kind = from->kind;
    to->at = from->at;
    switch (from->kind) {
    case DOC_NULL: return;
    case DOC_BOOL: to->truth = from->truth; return;
    case DOC_INT: to->whole = from->whole; return;
    case DOC_NUMBER:
        to->number = from->number;
        to->written = from->written;
        return;
    case DOC_TEXT: to->text = from->text; return;
    case DOC_LIST:
    case DOC_MAP: return;
    }
}

static bool is_container(const struct doc *d)
{
    return d->kind == DOC_LIST || d->kind == DOC_MAP;
}

static bool copy(const struct doc *from, struct doc *to, bool sort, struct work *w, struct arena *a)
{
    const struct doc **sorted = NULL;
    const struct doc *c;
    uint32_t i = 0;

    if (!work_do(w, WORK_VALUE + (from->kind == DOC_TEXT ? work_text(from->text) : 0)))
        return false;
    copy_value(from, to);
    if (!is_container(from))
        return true;
    if (sort && from->kind == DOC_MAP)
        sorted = doc_sorted(from, a);
    for (c = from->first; c; c = c->next, i++) {
        const struct doc *child = sorted ? sorted[i] : c;
        struct doc *made;

        if (!work_do(w, work_text(child->key)))
            return false;
        made = doc_add(a, to, child->key);
        made->key_at = child->key_at;
        if (!copy(child, made, sort, w, a))
            return false;
    }
    return true;
}

bool doc_copy(const struct doc *from, struct doc *to, struct work *w, struct arena *a)
{
    return copy(from, to, false, w, a);
}

/* Where the work is over, the answer does not matter. */
static bool is_ordered(const struct doc *d, struct work *w)
{
    if (!is_container(d))
        return true;
    for (const struct doc *c = d->first; c; c = c->next) {
        if (!work_do(w, work_text(c->key)) || !is_ordered(c, w))
            return false;
        if (d->kind == DOC_MAP && c->next && key_cmp(c->key, c->next->key) > 0)
            return false;
    }
    return true;
}

bool doc_ordered(const struct doc *d, struct work *w, struct arena *a, const struct doc **out)
{
    struct doc *made;

    if (is_ordered(d, w)) {
        *out = d;
        return !w->over;
    }
    made = doc_root(a, DOC_NULL);
    if (!copy(d, made, true, w, a))
        return false;
    *out = made;
    return true;
}

/* What has no key has none to be looked at. */
static bool is_text(struct str t)
{
    return t.n == 0 || utf8_valid(t) == t.n;
}

const struct doc *doc_not_text(const struct doc *d)
{
    const struct doc *found = NULL;

    if (!is_text(d->key) || (d->kind == DOC_TEXT && !is_text(d->text)))
        return d;
    if (d->kind == DOC_LIST || d->kind == DOC_MAP)
        for (const struct doc *c = d->first; c && !found; c = c->next)
            found = doc_not_text(c);
    return found;
}
