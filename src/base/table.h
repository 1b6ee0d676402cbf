/* SPDX-License-Identifier: Apache-2.0 */
/* table.h: const tables that can be printed, searched and turned into JSON.
 *
 * A table says where its rows are and what their columns hold; nothing is copied. Help, `writ
 * explain`, the man pages and the tests read the same rows the program runs on.
 */
#pragma once

#include <stddef.h>

#include "base/buf.h"

enum column_kind {
    COLUMN_TEXT,  /* const char * */
    COLUMN_INT,   /* int */
    COLUMN_INT64, /* int64_t */
    COLUMN_UINT,  /* uint32_t */
    COLUMN_BOOL,  /* bool, printed yes or no */
    COLUMN_NAME,  /* an enum: int index into `names` */
};

struct column {
    const char *name;
    enum column_kind kind;
    size_t at; /* offsetof in the row */
    const char *const *names;
};

/* The first `keys` columns name a row. */
struct table {
    const char *name;  /* "limits" */
    const char *about; /* one sentence */
    const struct column *columns;
    size_t column_count, keys;
    const void *rows;
    size_t row_size, row_count;
};

#define COLUMNS(all) .columns = (all), .column_count = COUNT(all)
#define ROWS(all)    .rows = (all), .row_size = sizeof((all)[0]), .row_count = COUNT(all)

/* One cell as text. */
void table_cell(const struct table *t, size_t row, size_t column, struct buf *to);

/* Does one of the row's key columns hold this word? */
bool table_row_is(const struct table *t, size_t row, struct str word);

/* One row as a JSON object; the whole table as {"table","about","rows":[...]}. */
void table_row_json(const struct table *t, size_t row, struct buf *to);
void table_json(const struct table *t, struct buf *to);
