/* SPDX-License-Identifier: Apache-2.0 */
/* pretty.c: writes JSON with a member or an item a line, sorted, indented by two.
 *
 * A change of one value is then a change of one line, wherever it was recorded.
 */
#include "adapter/golden/pretty.h"

#include "base/json_write.h"

struct layout {
    struct arena *a;
    struct buf *to;
};

/* Nobody writes a comma or a blank for us. */
static void put_scalar(const struct layout *l, const struct doc *d, const struct str *text)
{
    _buf_ struct buf one = { .max = l->to->max };

    if (text)
        json_text(&one, *text);
    else
        json_doc(&one, d);
    if (!buf_ok(&one))
        l->to->full = true;
    buf_add(l->to, one.s, one.len);
}

static void put(const struct layout *l, const struct doc *d, int indent);

static void put_members(const struct layout *l, const struct doc *d, int indent)
{
    const struct doc **sorted = d->kind == DOC_MAP ? doc_sorted(d, l->a) : NULL;
    const struct doc *item = d->first;

    for (uint32_t i = 0; i < d->count; i++) {
        const struct doc *c = sorted ? sorted[i] : item;

        buf_addf(l->to, "%s\n%*s", i ? "," : "", indent + 2, "");
        if (sorted) {
            put_scalar(l, NULL, &c->key);
            buf_adds(l->to, ": ");
        }
        put(l, c, indent + 2);
        item = c->next;
    }
    buf_addf(l->to, "\n%*s", indent, "");
}

/* As deep as the reader lets a document be. */
static void put(const struct layout *l, const struct doc *d, int indent)
{
    bool map = d->kind == DOC_MAP;

    if (!map && d->kind != DOC_LIST) {
        put_scalar(l, d, NULL);
        return;
    }
    buf_addc(l->to, map ? '{' : '[');
    if (d->count)
        put_members(l, d, indent);
    buf_addc(l->to, map ? '}' : ']');
}

void golden_pretty(const struct doc *d, struct arena *a, struct buf *to)
{
    put(&(struct layout){ a, to }, d, 0);
    buf_addc(to, '\n');
}
