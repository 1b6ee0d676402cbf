/* SPDX-License-Identifier: Apache-2.0 */
/* trees.h: documents for tests: from text, from chance, and back to text. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/doc_make.h"
#include "base/json_read.h"
#include "base/json_write.h"

static inline const struct doc *tree(const char *text, struct arena *a)
{
    struct ceilings max = ceilings_default();
    const struct document *d = NULL;
    struct error e = { 0 };

    if (!json_read("test", str_of(text), &max, a, &d, &e))
        fail_msg("%s: %s", text, e.msg);
    return &d->root;
}

static inline const char *canon(const struct doc *d, struct arena *a)
{
    _buf_ struct buf text = { .max = 64 << 20 };

    json_canon(d, a, &text);
    assert_true(buf_ok(&text));
    return arena_text(a, buf_str(&text));
}

/* Every child knows what is above it, names are where they belong, and the counts are right. */
static inline void assert_tree(const struct doc *d)
{
    const struct doc *last = NULL;
    uint32_t count = 0;

    if (d->kind != DOC_LIST && d->kind != DOC_MAP)
        return;
    for (const struct doc *c = d->first; c; c = c->next, count++) {
        assert_ptr_equal(c->up, d);
        assert_int_equal(c->key.s != NULL, d->kind == DOC_MAP);
        assert_tree(c);
        last = c;
    }
    assert_int_equal(d->count, count);
    assert_ptr_equal(d->last, last);
}

/* Numbers that look like chance and are always the same (splitmix64). */
static inline uint32_t draw(uint64_t *seed, uint32_t below)
{
    uint64_t v = *seed += UINT64_C(0x9e3779b97f4a7c15);

    v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((v ^ v >> 31) % below);
}

/* Fills d with a small value; names and numbers are few, so that two such values meet often. */
static inline void draw_value(uint64_t *seed, int depth, struct doc *d, struct arena *a)
{
    static const char *const names[] = { "a", "b", "c", "a/b", "m~n", "", "0", "-", "é" };
    static const enum doc_kind kinds[] = { DOC_NULL, DOC_BOOL, DOC_INT,  DOC_NUMBER, DOC_TEXT,
                                           DOC_LIST, DOC_MAP,  DOC_LIST, DOC_MAP };
    uint32_t n = draw(seed, 6);

    d->kind = kinds[draw(seed, depth > 0 ? COUNT(kinds) : 5)];
    if (d->kind == DOC_BOOL)
        d->truth = draw(seed, 2);
    else if (d->kind == DOC_INT)
        d->whole = draw(seed, 4);
    else if (d->kind == DOC_NUMBER)
        d->number = draw(seed, 8) / 2.0;
    else if (d->kind == DOC_TEXT)
        d->text = str_of(names[draw(seed, COUNT(names))]);
    for (uint32_t i = 0; d->kind == DOC_LIST && i < n; i++)
        draw_value(seed, depth - 1, doc_add(a, d, (struct str){ 0 }), a);
    for (uint32_t i = 0; d->kind == DOC_MAP && i < n; i++) {
        const char *name = names[draw(seed, COUNT(names))];

        if (!doc_get(d, name))
            draw_value(seed, depth - 1, doc_add(a, d, str_of(name)), a);
    }
}

static inline const struct doc *draw_tree(uint64_t *seed, int depth, struct arena *a)
{
    struct doc *root = doc_root(a, DOC_NULL);

    draw_value(seed, depth, root, a);
    return root;
}

/* A few values of a copy changed, taken away and put in. */
static inline void disturb(uint64_t *seed, struct doc *d, struct arena *a)
{
    for (struct doc *c = d->kind == DOC_LIST || d->kind == DOC_MAP ? d->first : NULL; c;
         c = c->next) {
        if (draw(seed, 8) == 0) {
            *c = (struct doc){ .key = c->key, .up = c->up, .next = c->next };
            draw_value(seed, 2, c, a);
        } else {
            disturb(seed, c, a);
        }
        while (d->kind == DOC_LIST && c->next && draw(seed, 8) == 0) {
            d->last = d->last == c->next ? c : d->last;
            c->next = c->next->next;
            d->count--;
        }
    }
}
