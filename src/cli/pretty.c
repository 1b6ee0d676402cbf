/* SPDX-License-Identifier: Apache-2.0 */
/* pretty.c: shows a JSON value, a member a line. */
#include "cli/pretty.h"

#include "base/json_write.h"
#include "cli/print.h"

enum { STEP = 2, KEY_END = sizeof ": ," - 1, FLAT_MOST = 60, VALUE_MAX = 64 << 20 };

static bool is_group(const struct doc *d)
{
    return d->kind == DOC_LIST || d->kind == DOC_MAP;
}

/* A short list or map of plain values is easier to read on one line. */
static bool is_flat(const struct doc *d, struct str json)
{
    if (!is_group(d) || d->count == 0)
        return true;
    if (json.n > FLAT_MOST)
        return false;
    for (const struct doc *c = d->first; c; c = c->next)
        if (is_group(c))
            return false;
    return true;
}

/* Its name, and after it as much room as there is left. */
static size_t show_key(const struct doc *d, size_t column)
{
    _buf_ struct buf key = { .max = VALUE_MAX };

    json_text(&key, d->key);
    out_cut(CYAN, buf_str(&key), print_room(column + KEY_END));
    out(PLAIN, ": ");
    return column + print_columns(buf_str(&key)) + 2;
}

/* One value; whether it is shown with its name, and is the last of those it stands among. */
static void show_value(const struct doc *d, size_t indent, bool named, bool last)
{
    _buf_ struct buf json = { .max = VALUE_MAX };
    size_t column = indent;
    const char *comma = last ? "" : ",";

    json_doc(&json, d);
    out(PLAIN, "%*s", (int)indent, "");
    if (named)
        column = show_key(d, column);
    if (is_flat(d, buf_str(&json))) {
        out_cut(PLAIN, buf_str(&json), print_room(column + 1));
        out(PLAIN, "%s\n", comma);
        return;
    }
    out(PLAIN, "%s\n", d->kind == DOC_MAP ? "{" : "[");
    for (const struct doc *c = d->first; c; c = c->next)
        show_value(c, indent + STEP, d->kind == DOC_MAP, !c->next);
    out(PLAIN, "%*s%s%s\n", (int)indent, "", d->kind == DOC_MAP ? "}" : "]", comma);
}

void pretty_show(const struct doc *d, size_t indent)
{
    show_value(d, indent, false, true);
}

/* Members and values, one after the other; digests are left to those who list evidence. */
static void add_words(const struct doc *d, struct buf *to)
{
    const char *between = "";

    for (const struct doc *c = d->first; c; c = c->next) {
        if (str_is(c->key, "digest"))
            continue;
        buf_adds(to, between);
        if (d->kind == DOC_MAP)
            buf_addf(to, "%.*s ", STR_ARG(c->key));
        pretty_words(c, to);
        between = ", ";
    }
}

void pretty_words(const struct doc *d, struct buf *to)
{
    _buf_ struct buf json = { .max = VALUE_MAX };

    if (d->kind == DOC_TEXT) {
        buf_add(to, d->text.s, d->text.n);
    } else if (is_group(d)) {
        add_words(d, to);
    } else {
        json_doc(&json, d);
        buf_add(to, json.s, json.len);
    }
}
