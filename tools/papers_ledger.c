/* SPDX-License-Identifier: Apache-2.0 */
/* papers_ledger.c: a page that was written by hand, with the tables it asks for.
 *
 * A line "@table NAME" becomes the rows of that table, "@kind NAME" the fields of that kind of
 * document, and @version@ the version.
 */
#include "base/fs.h"
#include "engine/tables.h"
#include "papers.h"

enum { PAGE_MAX = 1 << 20 };

static const char version_mark[] = "@version@";

static bool put_table(struct str name, struct buf *to)
{
    for (size_t i = 0; i < tables_count(); i++) {
        const struct table *t = tables_at(i);

        if (!str_is(name, t->name))
            continue;
        for (size_t row = 0; row < t->row_count; row++)
            man_row(t, row, to);
        return true;
    }
    return false;
}

static const struct {
    const char *mark;
    bool (*put)(struct str name, struct buf *to);
} pastes[] = {
    { "@table ", put_table },
    { "@kind ", paper_kind },
};

static void put_line(struct str line, struct buf *to)
{
    const char *mark = memmem(line.s, line.n, version_mark, sizeof version_mark - 1);
    size_t before = mark ? (size_t)(mark - line.s) : line.n;

    buf_add(to, line.s, before);
    if (mark) {
        buf_adds(to, WRIT_VERSION);
        before += sizeof version_mark - 1;
        buf_add(to, line.s + before, line.n - before);
    }
    buf_addc(to, '\n');
}

/* False: there is nothing of the name that a mark asks for. */
static bool put_any(struct str line, struct buf *to)
{
    for (size_t i = 0; i < COUNT(pastes); i++) {
        size_t n = strlen(pastes[i].mark);

        if (str_begins(line, pastes[i].mark))
            return pastes[i].put((struct str){ line.s + n, line.n - n }, to);
    }
    put_line(line, to);
    return true;
}

bool paper_written(const char *path, struct buf *to)
{
    _arena_ struct arena a = { 0 };
    struct error e;
    struct str text;

    if (!fs_read(path, PAGE_MAX, &a, &text, &e))
        return false;
    while (text.n) {
        const char *end = memchr(text.s, '\n', text.n);
        struct str line = { text.s, end ? (size_t)(end - text.s) : text.n };

        if (!put_any(line, to))
            return false;
        text = (struct str){ line.s + line.n + (end ? 1 : 0), text.n - line.n - (end ? 1 : 0) };
    }
    return true;
}
