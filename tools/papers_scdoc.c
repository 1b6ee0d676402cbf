/* SPDX-License-Identifier: Apache-2.0 */
/* papers_scdoc.c: writes scdoc, which scdoc turns into roff: two languages whose signs are escaped
 * here and nowhere else. */
#include "papers.h"

enum { CELL_MAX = 4096, WORD_MAX = 60 };

/* An empty bold, before what roff would take for a request at the beginning of a line. */
static const char nothing[] = "**";

static void plain(struct str text, struct buf *to)
{
    for (size_t i = 0; i < text.n; i++) {
        if (is_one_of(text.s[i], "\\*_+#|[]-~;`"))
            buf_addc(to, '\\');
        buf_addc(to, text.s[i]);
    }
}

void man_bold(struct str text, struct buf *to)
{
    buf_addc(to, '*');
    plain(text, to);
    buf_addc(to, '*');
}

void man_text(struct str text, struct buf *to)
{
    if (text.n && strchr(".'", text.s[0]))
        buf_adds(to, nothing);
    while (text.n) {
        const char *open = memchr(text.s, '`', text.n);
        const char *shut =
            open ? memchr(open + 1, '`', text.n - (size_t)(open + 1 - text.s)) : NULL;
        size_t used = shut ? (size_t)(shut + 1 - text.s) : text.n;

        plain((struct str){ text.s, shut ? (size_t)(open - text.s) : text.n }, to);
        if (shut)
            man_bold((struct str){ open + 1, (size_t)(shut - open) - 1 }, to);
        text = (struct str){ text.s + used, text.n - used };
    }
}

void man_begin(const char *page, int section, const char *summary, struct buf *to)
{
    buf_addf(to, "%s(%d) \"writ " WRIT_VERSION "\"\n\n# NAME\n\n%s - ", page, section, page);
    man_text(str_of(summary), to);
    buf_addc(to, '\n');
}

/* A word so long that no line of a terminal holds it: it stands alone, as it is. */
static bool is_long(struct str text)
{
    return text.n > WORD_MAX && !memchr(text.s, ' ', text.n);
}

/* Between ``` lines a backslash is the only sign. */
static void literal(struct str text, struct buf *to)
{
    for (size_t i = 0; i < text.n; i++) {
        if (text.s[i] == '\\')
            buf_addc(to, '\\');
        buf_addc(to, text.s[i]);
    }
}

static void put_keys(const struct table *t, size_t row, struct buf *to)
{
    for (size_t i = 0; i < t->keys; i++) {
        _buf_ struct buf text = { .max = CELL_MAX };

        table_cell(t, row, i, &text);
        buf_adds(to, i ? ", " : "");
        man_bold(buf_str(&text), to);
    }
    buf_addc(to, '\n');
}

/* A cell that is not a key: in `line` with the others, or after them. */
static void put_cell(const struct table *t, struct str text, size_t column, struct buf *line,
                     struct buf *after)
{
    const char *name = t->columns[column].name;

    if (text.n == 0)
        return;
    if (is_long(text)) {
        buf_addf(after, "\n\t%s:\n\n\t```\n\t", name);
        literal(text, after);
        buf_adds(after, "\n\t```\n");
        return;
    }
    buf_adds(line, line->len ? "; " : "");
    man_text(str_of(name), line);
    buf_adds(line, ": ");
    man_text(text, line);
}

void man_row(const struct table *t, size_t row, struct buf *to)
{
    _buf_ struct buf meaning = { .max = CELL_MAX }, line = { .max = 1 << 16 },
                     after = { .max = 1 << 16 };
    size_t means = meaning_column(t);

    put_keys(t, row, to);
    for (size_t i = t->keys; i < t->column_count; i++) {
        _buf_ struct buf text = { .max = CELL_MAX };

        table_cell(t, row, i, &text);
        if (i == means)
            man_text(buf_str(&text), &meaning);
        else
            put_cell(t, buf_str(&text), i, &line, &after);
    }
    if (meaning.len && line.len)
        buf_addf(to, "\t%s++\n%s\n", meaning.s, line.s); /* ++ breaks the line */
    else
        buf_addf(to, "\t%s\n", meaning.len ? meaning.s : line.s);
    buf_add(to, after.s, after.len);
    buf_addc(to, '\n');
}
