/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c: shows the rows of a table in columns, or as cards where they do not fit. */
#include "cli/rows.h"

#include "cli/print.h"

enum { COLUMNS_MAX = 16, INDENT = 2, GAP = 2, CARD_KEY = 12, FOLD_LEAST = 24 };

static void say_cell(const struct doc *d, struct buf *to)
{
    if (d->kind == DOC_TEXT)
        buf_add(to, d->text.s, d->text.n);
    else if (d->kind == DOC_BOOL)
        buf_adds(to, d->truth ? "yes" : "no");
    else
        doc_say(d, to);
}

/* How wide the names of a card are. */
static size_t card_width(const struct doc *row)
{
    size_t width = CARD_KEY;

    for (const struct doc *d = row->first; d; d = d->next)
        width = d->key.n > width ? d->key.n : width;
    return width;
}

static void show_card(const struct doc *row)
{
    size_t width = card_width(row);

    for (const struct doc *d = row->first; d; d = d->next) {
        _buf_ struct buf text = { .max = 1 << 16 };

        say_cell(d, &text);
        if (text.len == 0)
            continue;
        out(DIM, "%*s%-*.*s ", INDENT, "", (int)width, STR_ARG(d->key));
        out_folded(d == row->first ? BOLD : PLAIN, buf_str(&text), INDENT + width + 1);
    }
}

static void show_cards(const struct doc *rows)
{
    for (const struct doc *row = rows->first; row; row = row->next) {
        show_card(row);
        if (row->next)
            out(PLAIN, "\n");
    }
}

/* How wide each column is, its name included. */
static void measure(const struct doc *rows, size_t widths[COLUMNS_MAX])
{
    for (const struct doc *row = rows->first; row; row = row->next) {
        size_t i = 0;

        for (const struct doc *d = row->first; d && i < COLUMNS_MAX; d = d->next, i++) {
            _buf_ struct buf text = { .max = 1 << 16 };
            size_t name = str_chars(d->key), n;

            say_cell(d, &text);
            n = str_chars(buf_str(&text));
            n = n > name ? n : name;
            widths[i] = n > widths[i] ? n : widths[i];
        }
    }
}

static void show_row(const struct doc *row, const size_t widths[COLUMNS_MAX], bool head)
{
    size_t at = INDENT, i = 0;

    out(PLAIN, "%*s", INDENT, "");
    for (const struct doc *d = row->first; d && i < COLUMNS_MAX; d = d->next, i++) {
        _buf_ struct buf text = { .max = 1 << 16 };
        enum colour colour = head ? DIM : i == 0 ? BOLD : PLAIN;

        if (head)
            buf_add(&text, d->key.s, d->key.n);
        else
            say_cell(d, &text);
        if (!d->next) {
            out_folded(colour, buf_str(&text), at);
            continue;
        }
        out(colour, "%.*s", STR_ARG(buf_str(&text)));
        out_cell(PLAIN, str_of(""), widths[i] - str_chars(buf_str(&text)) + GAP);
        at += widths[i] + GAP;
    }
}

static void show_columns(const struct doc *rows)
{
    size_t widths[COLUMNS_MAX] = { 0 }, before_last = INDENT;

    measure(rows, widths);
    for (size_t i = 0; i + 1 < rows->first->count && i + 1 < COLUMNS_MAX; i++)
        before_last += widths[i] + GAP;
    if (before_last + FOLD_LEAST > print_width()) {
        show_cards(rows);
        return;
    }
    show_row(rows->first, widths, true);
    for (const struct doc *row = rows->first; row; row = row->next)
        show_row(row, widths, false);
}

void rows_show(const struct doc *table)
{
    const struct doc *rows = doc_get(table, "rows");
    struct str name = doc_text(table, "table");

    out(BOLD, "%.*s", STR_ARG(name));
    out(PLAIN, "%*s", GAP, "");
    out_folded(DIM, doc_text(table, "about"), name.n + GAP);
    if (rows->count == 1)
        show_card(rows->first);
    else if (rows->count > 1)
        show_columns(rows);
}
