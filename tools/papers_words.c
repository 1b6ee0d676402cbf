/* SPDX-License-Identifier: Apache-2.0 */
/* papers_words.c: the names in the tables, for completions. */
#include <assert.h>

#include "cli/commands.h"
#include "contract/kinds.h"
#include "engine/tables.h"
#include "papers.h"

enum { CELL_MAX = 4096 };

static bool is_known(const struct words *words, const char *name)
{
    for (size_t i = 0; i < words->n; i++)
        if (strcmp(words->v[i].name, name) == 0)
            return true;
    return false;
}

static void add(struct words *words, const char *name, const char *about)
{
    if (!*name || is_known(words, name))
        return;
    assert(words->n < WORDS_MAX);
    words->v[words->n++] = (struct word){ name, about };
}

size_t meaning_column(const struct table *t)
{
    for (size_t i = t->keys; i < t->column_count; i++)
        if (strcmp(t->columns[i].name, "meaning") == 0)
            return i;
    return 0;
}

static const char *cell(const struct table *t, size_t row, size_t column, struct arena *a)
{
    _buf_ struct buf text = { .max = CELL_MAX };

    table_cell(t, row, column, &text);
    return arena_text(a, buf_str(&text));
}

static void add_row(const struct table *t, size_t row, struct arena *a, struct words *out)
{
    size_t meaning = meaning_column(t);

    for (size_t key = 0; key < t->keys; key++)
        add(out, cell(t, row, key, a), meaning ? cell(t, row, meaning, a) : t->about);
}

static void add_rows(const struct table *t, struct arena *a, struct words *out)
{
    for (size_t row = 0; row < t->row_count; row++)
        add_row(t, row, a, out);
}

/* Of a table that says what may be spared an option takes no other row. */
static bool is_taken(const struct table *t, size_t row, struct arena *a)
{
    for (size_t i = t->keys; i < t->column_count; i++)
        if (strcmp(t->columns[i].name, "spared") == 0)
            return strcmp(cell(t, row, i, a), "yes") == 0;
    return true;
}

static void add_taken(const struct table *t, struct arena *a, struct words *out)
{
    for (size_t row = 0; row < t->row_count; row++)
        if (is_taken(t, row, a))
            add_row(t, row, a, out);
}

static void add_all(struct arena *a, struct words *out)
{
    add_rows(&kinds_table, a, out);
    for (size_t i = 0; i < tables_count(); i++)
        add(out, tables_at(i)->name, tables_at(i)->about);
    for (size_t i = 0; i < tables_count(); i++)
        if (meaning_column(tables_at(i)))
            add_rows(tables_at(i), a, out);
    for (size_t i = 0; i < tables_count(); i++)
        add_rows(tables_at(i), a, out);
}

void words_of(const char *table, struct arena *a, struct words *out)
{
    out->n = 0;
    if (strcmp(table, "*") == 0) {
        add_all(a, out);
        return;
    }
    if (strcmp(table, kinds_table.name) == 0)
        add_rows(&kinds_table, a, out);
    for (size_t i = 0; i < tables_count(); i++)
        if (strcmp(table, tables_at(i)->name) == 0)
            add_taken(tables_at(i), a, out);
    assert(out->n > 0); /* an option names a table that is not there */
}

const char *table_used(size_t i)
{
    struct words used = { .n = 0 };

    for (size_t c = 0; c < command_count; c++) {
        if (commands[c]->table)
            add(&used, commands[c]->table, "");
        for (const struct option *o = commands[c]->options; o->name; o++)
            if (o->table)
                add(&used, o->table, "");
    }
    return i < used.n ? used.v[i].name : NULL;
}

const char *table_word(const char *table)
{
    return strcmp(table, "*") == 0 ? "names" : table;
}
