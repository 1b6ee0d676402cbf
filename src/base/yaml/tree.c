/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c: builds the tree of a YAML document, value by value.
 *
 * Aliases are resolved by copying: what comes out is a tree, and its values are counted.
 */
#include "base/yaml/tree.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json_write.h"
#include "base/yaml_scalar.h"

struct yaml_anchor {
    struct str name;
    const struct doc *value;
    struct yaml_anchor *before;
};

bool tree_refuse(struct yaml_tree *t, int code, size_t at, const char *fmt, ...)
{
    struct at place = document_at(t->document, t->up, at);
    char msg[ERROR_MSG];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    return error_at(t->e, code, &place, "%s", msg);
}

bool tree_above(struct yaml_tree *t, enum ceiling which)
{
    return tree_refuse(t, ERROR_CEILING, t->at, "%s is above %u: %s", ceiling_rows[which].name,
                       t->max->v[which], ceiling_rows[which].meaning);
}

bool tree_wants_key(const struct yaml_tree *t)
{
    return t->up && t->up->kind == DOC_MAP && !t->key.s;
}

/* The value that comes next: the root, an item, or the member whose key was read. */
static struct doc *place_value(struct yaml_tree *t)
{
    struct doc *d = t->up ? doc_add(t->a, t->up, t->key) : &t->document->root;

    d->at = (uint32_t)t->at;
    d->key_at = (uint32_t)t->key_at;
    t->key = (struct str){ 0 };
    return d;
}

static bool count_value(struct yaml_tree *t)
{
    return ++t->values <= t->max->v[CEILING_VALUES] || tree_above(t, CEILING_VALUES);
}

static bool keep_anchor(struct yaml_tree *t, struct str name, const struct doc *value)
{
    struct yaml_anchor *anchor;

    if (!name.s)
        return true;
    if (++t->anchor_count > t->max->v[CEILING_ANCHORS])
        return tree_above(t, CEILING_ANCHORS);
    anchor = arena_new(t->a, struct yaml_anchor);
    *anchor = (struct yaml_anchor){ name, value, t->anchors };
    t->anchors = anchor;
    return true;
}

/* A key is text. A plain word that is a number, a truth or nothing by the core schema is taken for
 * its text only where every reader would: 8080 and true, but not 0x1F, +1 or ~. */
static bool key_is_text(struct yaml_tree *t, struct str text)
{
    _buf_ struct buf canonical = { .max = t->max->v[CEILING_TEXT] };
    struct doc value = { 0 };
    const char *why;
    bool known = yaml_scalar(text, &value, &why);

    if (known && value.kind == DOC_TEXT)
        return true;
    if (known && value.kind != DOC_NULL)
        json_doc(&canonical, &value);
    return (canonical.len > 0 && str_eq(buf_str(&canonical), text)) ||
           tree_refuse(t, ERROR_SUBSET, t->at,
                       "this key reads as a number, a truth or null; quote it");
}

static bool read_key(struct yaml_tree *t, struct str text, bool plain, struct str anchor)
{
    if (memchr(text.s, '\0', text.n))
        return tree_refuse(t, ERROR_SUBSET, t->at, "a key must not hold the character NUL");
    if (anchor.s)
        return tree_refuse(t, ERROR_SUBSET, t->at, "a key cannot carry an anchor");
    t->key = text;
    t->key_at = t->at;
    return !plain || key_is_text(t, text);
}

bool tree_scalar(struct yaml_tree *t, struct str text, bool plain, struct str anchor)
{
    struct doc *d;
    const char *why;

    if (tree_wants_key(t))
        return read_key(t, text, plain, anchor);
    d = place_value(t);
    d->kind = DOC_TEXT;
    d->text = text;
    if (plain && !(t->max->any_number && yaml_number(text, t->a, d)) && !yaml_scalar(text, d, &why))
        return tree_refuse(t, ERROR_NUMBER, t->at, "%.*s %s", (int)(text.n < 40 ? text.n : 40),
                           text.s, why);
    if ((d->kind == DOC_INT || d->kind == DOC_NUMBER) && text.n > t->max->v[CEILING_NUMBER])
        return tree_above(t, CEILING_NUMBER);
    return count_value(t) && keep_anchor(t, anchor, d);
}

bool tree_open(struct yaml_tree *t, enum doc_kind kind, struct str anchor)
{
    struct doc *d;

    if (tree_wants_key(t))
        return tree_refuse(t, ERROR_SUBSET, t->at, "a key must be text, not a list or a map");
    if (++t->depth > t->max->v[CEILING_DEPTH])
        return tree_above(t, CEILING_DEPTH);
    d = place_value(t);
    d->kind = kind;
    t->up = d;
    return count_value(t) && keep_anchor(t, anchor, d);
}

bool tree_close(struct yaml_tree *t)
{
    if (t->up->kind == DOC_MAP) {
        const struct doc *twice = doc_twice(t->up, t->a);

        if (twice)
            return tree_refuse(t, ERROR_DUPLICATE, twice->key_at, "the key %s is given twice",
                               said(twice->key, t->a));
    }
    t->up = t->up->up;
    t->depth--;
    return true;
}

static bool copy_value(struct yaml_tree *t, const struct doc *from, struct doc *to)
{
    to->kind = from->kind;
    if (!count_value(t))
        return false;
    if (from->kind < DOC_LIST) {
        to->text = from->text;
        return true;
    }
    for (const struct doc *c = from->first; c; c = c->next) {
        struct doc *d = doc_add(t->a, to, c->key);

        d->at = c->at;
        d->key_at = c->key_at;
        if (!copy_value(t, c, d))
            return false;
    }
    return true;
}

static uint32_t height(const struct doc *d)
{
    uint32_t most = 0;

    if (d->kind < DOC_LIST)
        return 0;
    for (const struct doc *c = d->first; c; c = c->next) {
        uint32_t h = height(c);

        most = h > most ? h : most;
    }
    return most + 1;
}

static bool is_open(const struct yaml_tree *t, const struct doc *d)
{
    for (const struct doc *up = t->up; up; up = up->up)
        if (up == d)
            return true;
    return false;
}

bool tree_alias(struct yaml_tree *t, struct str name)
{
    const struct yaml_anchor *anchor = t->anchors;

    if (tree_wants_key(t))
        return tree_refuse(t, ERROR_SUBSET, t->at, "a key cannot be an alias");
    while (anchor && !str_eq(anchor->name, name))
        anchor = anchor->before;
    if (!anchor)
        return tree_refuse(t, ERROR_SYNTAX, t->at, "no anchor '&%.*s' stands before this alias",
                           STR_ARG(name));
    if (is_open(t, anchor->value))
        return tree_refuse(t, ERROR_SUBSET, t->at,
                           "the alias '*%.*s' stands inside what it repeats", STR_ARG(name));
    if (t->depth + height(anchor->value) > t->max->v[CEILING_DEPTH])
        return tree_above(t, CEILING_DEPTH);
    return copy_value(t, anchor->value, place_value(t));
}
