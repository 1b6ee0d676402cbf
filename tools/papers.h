/* SPDX-License-Identifier: Apache-2.0 */
/* papers.h: the completions and man pages, as text made from the rows writ runs on. */
#pragma once

#include "base/buf.h"
#include "base/mem.h"
#include "base/table.h"
#include "cli/args.h"

/* ---- words: what can be typed where a name of a table is wanted ---- */

enum { WORDS_MAX = 2048 };

struct word {
    const char *name, *about;
};

struct words {
    struct word v[WORDS_MAX];
    size_t n;
};

/* The names in a table; of "*" every table, every kind of document and every row. Each name comes
 * once, and the words about it come from the first table that has a meaning for it. */
void words_of(const char *table, struct arena *a, struct words *out);

/* The column that says what a row means, or 0: the first is a key and never that. */
size_t meaning_column(const struct table *t);

/* Walks the tables that options and operands take their values from, each once. */
const char *table_used(size_t i);

/* The name of a table as part of the name of a shell function. */
const char *table_word(const char *table);

/* ---- the papers; `shell` is one of bash, zsh, fish ---- */

bool paper_completion(const char *shell, struct buf *to);

/* The scdoc source of the page: writ, writ-VERB, writ-documents. False when there is none. */
bool paper_man(const char *page, struct buf *to);
void paper_documents(struct buf *to);

/* The fields and rules of a kind of document, or of an "operation" of an adapter. False when there
 * is none of that name. */
bool paper_kind(struct str name, struct buf *to);

/* A page that is kept as a file, with the tables and kinds it asks for. */
bool paper_written(const char *path, struct buf *to);

/* Such a page, and what headers say of each of their declarations in place of "@functions". The
 * list ends with NULL. */
bool paper_library(const char *page, char *const *headers, struct buf *to);

/* ---- scdoc: the language the pages are written in ---- */

/* A page's first line, `# NAME` and the line under it. */
void man_begin(const char *page, int section, const char *summary, struct buf *to);

/* Text as it is: whatever scdoc or roff would take for a sign of theirs is escaped. What stands
 * between two backquotes becomes bold. */
void man_text(struct str text, struct buf *to);
void man_bold(struct str text, struct buf *to);

/* A row of a table: its keys in bold, its meaning under them, and the other columns by name. */
void man_row(const struct table *t, size_t row, struct buf *to);
