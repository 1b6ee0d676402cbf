/* SPDX-License-Identifier: Apache-2.0 */
/* format_json.c: JSON on one line, on many, or an item a line. */
#include "adapter/transform_parts.h"
#include "base/json_write.h"

bool format_json(const struct making *m, const void *options, const struct doc *d, struct buf *to)
{
    (void)m;
    (void)options;
    json_doc(to, d);
    buf_addc(to, '\n');
    return true;
}

bool format_json_lines(const struct making *m, const void *options, const struct doc *d,
                       struct buf *to)
{
    (void)options;
    if (d->kind != DOC_LIST)
        return unfit(m, d, "a list");
    for (const struct doc *c = d->first; c; c = c->next) {
        json_doc(to, c);
        buf_addc(to, '\n');
    }
    return true;
}

static void indent(struct buf *to, uint32_t depth)
{
    buf_addc(to, '\n');
    for (uint32_t i = 0; i < depth; i++)
        buf_add(to, "  ", 2);
}

static bool has_children(const struct doc *d)
{
    return (d->kind == DOC_LIST || d->kind == DOC_MAP) && d->first;
}

/* The key of a value, if it has one, and a blank: json_write.h puts commas where it likes. */
static void begin(const struct doc *d, const struct doc *top, struct buf *to)
{
    _buf_ struct buf key = { .max = to->max };

    if (d == top || d->up->kind != DOC_MAP)
        return;
    json_text(&key, d->key);
    buf_add(to, key.s, key.len);
    to->full |= key.full;
    buf_add(to, ": ", 2);
}

static void put_leaf(const struct doc *d, struct buf *to)
{
    _buf_ struct buf value = { .max = to->max };

    json_doc(&value, d);
    buf_add(to, value.s, value.len);
    to->full |= value.full;
}

/* Closes all that ends behind d; what comes next, or NULL. */
static const struct doc *after(const struct doc *d, const struct doc *top, uint32_t *depth,
                               struct buf *to)
{
    while (d != top && !d->next) {
        d = d->up;
        indent(to, --*depth);
        buf_addc(to, d->kind == DOC_LIST ? ']' : '}');
    }
    if (d == top)
        return NULL;
    buf_addc(to, ',');
    indent(to, *depth);
    return d->next;
}

bool format_json_pretty(const struct making *m, const void *options, const struct doc *d,
                        struct buf *to)
{
    const struct doc *top = d;
    uint32_t depth = 0;

    (void)m;
    (void)options;
    while (d) {
        begin(d, top, to);
        if (has_children(d)) {
            buf_addc(to, d->kind == DOC_LIST ? '[' : '{');
            indent(to, ++depth);
            d = d->first;
            continue;
        }
        put_leaf(d, to);
        d = after(d, top, &depth, to);
    }
    buf_addc(to, '\n');
    return true;
}
