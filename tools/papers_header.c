/* SPDX-License-Identifier: Apache-2.0 */
/* papers_header.c: the words about a library, from its header.
 *
 * A header is a manual already: blocks between empty lines, each a comment and the declarations it
 * is about. A line that is indented in a comment stays as it is.
 */
#include "base/fs.h"
#include "papers.h"

enum { HEADER_MAX = 1 << 20, INDENT = 4 };

static const char mark[] = "WRIT_API ", section[] = "/* ---- ";

static struct str line_of(struct str text)
{
    const char *end = memchr(text.s, '\n', text.n);

    return (struct str){ text.s, end ? (size_t)(end - text.s) : text.n };
}

static struct str skip(struct str text, size_t n)
{
    n = n < text.n ? n : text.n;
    return (struct str){ text.s + n, text.n - n };
}

static bool ends(struct str text, const char *with)
{
    size_t n = strlen(with);

    return text.n >= n && memcmp(text.s + text.n - n, with, n) == 0;
}

/* Takes the next line from a text; false: there is none. */
static bool next_line(struct str *text, struct str *line)
{
    if (!text->n)
        return false;
    *line = line_of(*text);
    *text = skip(*text, line->n + 1);
    return true;
}

/* ---- comments ---- */

/* What a line of a comment says, without the signs of the comment. */
static struct str said(struct str line)
{
    if (ends(line, "*/"))
        line.n -= 2;
    if (str_begins(line, "/*") || str_begins(line, " *"))
        line = skip(line, 2);
    while (line.n && line.s[line.n - 1] == ' ')
        line.n--;
    return skip(line, line.n && line.s[0] == ' ');
}

static void put_literal(struct str line, struct buf *to)
{
    buf_addc(to, '\t');
    for (size_t i = 0; i < line.n; i++) {
        if (line.s[i] == '\\')
            buf_addc(to, '\\');
        buf_addc(to, line.s[i]);
    }
    buf_addc(to, '\n');
}

static void put_words(struct str comment, struct buf *to)
{
    bool literal = false;
    struct str line;

    while (next_line(&comment, &line)) {
        struct str words = said(line);
        bool indented = words.n > INDENT && str_begins(words, "    ");

        if (indented != literal)
            buf_adds(to, "\t```\n");
        literal = indented;
        if (literal) {
            put_literal(skip(words, INDENT), to);
            continue;
        }
        buf_adds(to, words.n ? "\t" : "");
        man_text(words, to);
        buf_addc(to, '\n');
    }
    buf_adds(to, literal ? "\t```\n\n" : "\n");
}

/* ---- declarations ---- */

/* The name of the function that a line declares: what stands before the first parenthesis. */
static struct str function_of(struct str line)
{
    const char *open = memchr(line.s, '(', line.n);
    size_t end = open ? (size_t)(open - line.s) : line.n, at = end;

    while (at && !is_one_of(line.s[at - 1], " *"))
        at--;
    return (struct str){ line.s + at, end - at };
}

/* Functions by their names; of anything else its first line. */
static void put_heading(struct str code, struct buf *to)
{
    struct str first = line_of(code), line;
    bool named = false;

    while (next_line(&code, &line)) {
        if (!str_begins(line, mark))
            continue;
        buf_adds(to, named ? ", " : "");
        man_bold(function_of(line), to);
        buf_adds(to, "()");
        named = true;
    }
    if (!named) {
        first.n -= ends(first, " {") ? 2 : ends(first, ";");
        man_bold(first, to);
    }
    buf_addc(to, '\n');
}

/* Without the mark, and what is under it, of functions. */
static void put_code(struct str code, struct buf *to)
{
    size_t margin = str_begins(code, mark) ? sizeof mark - 1 : 0;
    struct str line;

    buf_adds(to, "\t```\n");
    while (next_line(&code, &line))
        put_literal(skip(line, margin), to);
    buf_adds(to, "\t```\n\n");
}

/* ---- blocks ---- */

/* The comment a block begins with; empty where there is none. */
static struct str comment_of(struct str block)
{
    const char *end = str_begins(block, "/*") ? memmem(block.s, block.n, "*/", 2) : NULL;

    return (struct str){ block.s, end ? (size_t)(end + 2 - block.s) : 0 };
}

static void put_section(struct str title, struct buf *to)
{
    const char *end = memmem(title.s, title.n, " ----", 5);

    buf_adds(to, "## ");
    man_text((struct str){ title.s, end ? (size_t)(end - title.s) : title.n }, to);
    buf_adds(to, "\n\n");
}

static void put_block(struct str block, struct buf *to)
{
    struct str comment = comment_of(block), code = skip(block, comment.n + (comment.n > 0));

    if (str_begins(block, section)) {
        put_section(skip(block, sizeof section - 1), to);
        return;
    }
    if (!comment.n || !code.n || code.s[0] == '#')
        return; /* it is for the compiler alone */
    put_heading(code, to);
    put_code(code, to);
    put_words(comment, to);
}

static bool put_header(const char *path, struct buf *to)
{
    _arena_ struct arena a = { 0 };
    struct error e;
    struct str text;

    if (!fs_read(path, HEADER_MAX, &a, &text, &e))
        return false;
    text = skip(text, line_of(text).n + 1); /* the licence */
    while (text.n) {
        const char *gap = memmem(text.s, text.n, "\n\n", 2);
        struct str block = { text.s, gap ? (size_t)(gap - text.s) : text.n };

        put_block(block, to);
        text = skip(text, block.n + 2);
    }
    return true;
}

bool paper_library(const char *page, char *const *headers, struct buf *to)
{
    static const char functions[] = "\n@functions\n";
    _buf_ struct buf text = { .max = HEADER_MAX };
    const char *at;

    if (!paper_written(page, &text) || !buf_ok(&text))
        return false;
    at = memmem(text.s, text.len, functions, sizeof functions - 1);
    if (!at)
        return false;
    buf_add(to, text.s, (size_t)(at + 1 - text.s));
    for (; *headers; headers++)
        if (!put_header(*headers, to))
            return false;
    at += sizeof functions - 1;
    buf_add(to, at, (size_t)(text.s + text.len - at));
    return true;
}
