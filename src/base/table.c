/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: prints, searches and exports const tables. */
#include "base/table.h"

#include <inttypes.h>

#include "base/json_write.h"

static const void *cell(const struct table *t, size_t row, const struct column *c)
{
    return (const char *)t->rows + row * t->row_size + c->at;
}

static const char *text_of(const struct column *c, const void *at)
{
    const char *text =
        c->kind == COLUMN_NAME ? c->names[*(const int *)at] : *(const char *const *)at;

    return text ? text : "";
}

static int64_t number_of(const struct column *c, const void *at)
{
    if (c->kind == COLUMN_INT)
        return *(const int *)at;
    return c->kind == COLUMN_INT64 ? *(const int64_t *)at : *(const uint32_t *)at;
}

static bool is_text(const struct column *c)
{
    return c->kind == COLUMN_TEXT || c->kind == COLUMN_NAME;
}

void table_cell(const struct table *t, size_t row, size_t column, struct buf *to)
{
    const struct column *c = &t->columns[column];
    const void *at = cell(t, row, c);

    if (is_text(c))
        buf_adds(to, text_of(c, at));
    else if (c->kind == COLUMN_BOOL)
        buf_adds(to, *(const bool *)at ? "yes" : "no");
    else
        buf_addf(to, "%" PRId64, number_of(c, at));
}

static void put_cell(const struct table *t, size_t row, const struct column *c, struct buf *to)
{
    const void *at = cell(t, row, c);

    if (is_text(c))
        json_text(to, str_of(text_of(c, at)));
    else if (c->kind == COLUMN_BOOL)
        json_bool(to, *(const bool *)at);
    else
        json_int(to, number_of(c, at));
}

bool table_row_is(const struct table *t, size_t row, struct str word)
{
    for (size_t i = 0; i < t->keys; i++) {
        _buf_ struct buf text = { .max = 4096 };

        table_cell(t, row, i, &text);
        if (str_eq(buf_str(&text), word))
            return true;
    }
    return false;
}

void table_row_json(const struct table *t, size_t row, struct buf *to)
{
    json_open(to, '{');
    for (size_t i = 0; i < t->column_count; i++) {
        json_key(to, t->columns[i].name);
        put_cell(t, row, &t->columns[i], to);
    }
    json_close(to, '}');
}

void table_json(const struct table *t, struct buf *to)
{
    json_open(to, '{');
    json_put(to, "table", t->name);
    json_put(to, "about", t->about);
    json_key(to, "rows");
    json_open(to, '[');
    for (size_t i = 0; i < t->row_count; i++)
        table_row_json(t, i, to);
    json_close(to, ']');
    json_close(to, '}');
}
