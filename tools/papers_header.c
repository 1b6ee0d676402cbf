/* SPDX-License-Identifier: Apache-2.0 */
/* papers_header.c: the words about a library, from its header.
 *
 * A header is a manual already: blocks between empty lines, each a comment and the declarations it
 * is about. A line that is indented in a comment stays as it is, if it fits on the page.
 */
#include "base/fs.h"
#include "papers.h"

/* WIDTH: what 80 columns leave where literal text stands. */
enum { HEADER_MAX = 1 << 20, INDENT = 4, WIDTH = 65, LINES = 16 };

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

static struct str trim(struct str s)
{
    while (s.n && s.s[0] == ' ')
        s = skip(s, 1);
    while (s.n && s.s[s.n - 1] == ' ')
        s.n--;
    return s;
}

static size_t margin_of(struct str line)
{
    return line.n - trim(line).n; /* lines of code have no spaces behind them */
}

/* ---- literal text ---- */

static void put_literal(size_t margin, struct str line, struct buf *to)
{
    buf_addf(to, "\t%*s", (int)margin, "");
    for (size_t i = 0; i < line.n; i++) {
        if (line.s[i] == '\\')
            buf_addc(to, '\\');
        buf_addc(to, line.s[i]);
    }
    buf_addc(to, '\n');
}

/* Behind the last of the characters `at` within that many columns; the whole where there is none.
 */
static size_t break_of(struct str text, size_t room, const char *at)
{
    for (size_t i = room + (text.s[room] == ' '); i > 0; i--)
        if (is_one_of(text.s[i - 1], at) && !str_is(skip(text, i), "*/"))
            return i;
    return text.n;
}

/* A line that is too long goes on in others, `hang` columns from the margin. */
static void put_folded(size_t margin, size_t hang, struct str text, const char *at, struct buf *to)
{
    text = trim(text);
    while (margin + text.n > WIDTH) {
        size_t n = break_of(text, WIDTH - margin, at);

        put_literal(margin, trim((struct str){ text.s, n }), to);
        text = trim(skip(text, n));
        margin = hang;
    }
    if (text.n)
        put_literal(margin, text, to);
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

/* Does what is shown go on in this line? */
static bool goes_on(struct str line)
{
    return str_begins(line, " ");
}

/* Two spaces or more end the first column of a line. */
static size_t first_column(struct str line)
{
    const char *gap = memmem(line.s, line.n, "  ", 2);

    return gap ? (size_t)(gap - line.s) : line.n;
}

/* What is said beside it comes below. */
static void put_json(struct str text, struct buf *to)
{
    size_t n = first_column(text);

    put_folded(0, 1, (struct str){ text.s, n }, ",|", to);
    put_folded(INDENT, INDENT, skip(text, n), " ", to);
}

/* What is shown as one: a line, and those in which it goes on. Lines that fit stay as they are. */
static void put_shown(struct str *lines, size_t n, struct buf *to)
{
    _buf_ struct buf whole = { .max = HEADER_MAX };
    bool fits = true, json = lines[0].s[0] == '{';

    for (size_t i = 0; i < n; i++) {
        struct str part = trim(lines[i]);

        fits &= lines[i].n <= WIDTH;
        buf_addf(&whole, "%s%.*s", i && !json ? " " : "", STR_ARG(part));
    }
    if (!fits && json) {
        put_json(buf_str(&whole), to);
        return;
    }
    if (!fits) {
        put_folded(0, lines[0].n - trim(skip(lines[0], first_column(lines[0]))).n, buf_str(&whole),
                   " ", to);
        return;
    }
    for (size_t i = 0; i < n; i++)
        put_literal(0, lines[i], to);
}

static bool is_literal(struct str words)
{
    return words.n > INDENT && str_begins(words, "    ");
}

/* Takes what stands literally at the beginning of a comment. */
static void put_literals(struct str *comment, struct buf *to)
{
    struct str shown[LINES] = { 0 }, rest = *comment, line;
    size_t n = 0;

    buf_adds(to, "\t```\n");
    while (next_line(&rest, &line) && is_literal(said(line))) {
        struct str part = skip(said(line), INDENT);

        if (n && (!goes_on(part) || n == LINES)) {
            put_shown(shown, n, to);
            n = 0;
        }
        shown[n++] = part;
        *comment = rest;
    }
    if (n)
        put_shown(shown, n, to);
    buf_adds(to, "\t```\n");
}

static void put_words(struct str comment, struct buf *to)
{
    struct str line;

    while (comment.n) {
        struct str words = said(line_of(comment));

        if (is_literal(words)) {
            put_literals(&comment, to);
            continue;
        }
        (void)next_line(&comment, &line);
        buf_adds(to, words.n ? "\t" : "");
        man_text(words, to);
        buf_addc(to, '\n');
    }
    buf_addc(to, '\n');
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

static bool fits(struct str code, size_t margin)
{
    struct str line;

    while (next_line(&code, &line))
        if (line.n > WIDTH + margin)
            return false;
    return true;
}

/* Takes lines until one ends so, as one line. */
static void join(struct str *code, const char *end, struct buf *out)
{
    struct str line;

    while (!ends(buf_str(out), end) && next_line(code, &line))
        buf_addf(out, " %.*s", STR_ARG(trim(line)));
}

/* What is said of a member comes above it. */
static void put_member(struct str line, const char *comment, struct str *rest, struct buf *to)
{
    _buf_ struct buf words = { .max = HEADER_MAX };
    size_t margin = margin_of(line), before = (size_t)(comment - line.s);

    buf_add(&words, comment, line.n - before);
    join(rest, "*/", &words);
    put_folded(margin, margin + 3, buf_str(&words), " ", to);
    put_folded(margin, margin, (struct str){ line.s, before }, "", to);
}

static void put_function(struct str line, struct str *rest, struct buf *to)
{
    _buf_ struct buf whole = { .max = HEADER_MAX };

    buf_add(&whole, line.s, line.n);
    join(rest, ";", &whole);
    put_folded(0, INDENT, buf_str(&whole), ",", to);
}

/* Code of which a line does not fit. */
static void put_narrow(struct str code, size_t margin, struct buf *to)
{
    struct str line;

    while (next_line(&code, &line)) {
        const char *comment = memmem(line.s, line.n, "/*", 2);

        line = skip(line, margin);
        if (comment)
            put_member(line, comment, &code, to);
        else if (memchr(line.s, '(', line.n))
            put_function(line, &code, to);
        else
            put_literal(0, line, to);
    }
}

/* Without the mark, and what is under it, of functions. */
static void put_code(struct str code, struct buf *to)
{
    size_t margin = str_begins(code, mark) ? sizeof mark - 1 : 0;
    struct str line;

    buf_adds(to, "\t```\n");
    if (!fits(code, margin))
        put_narrow(code, margin, to);
    else
        while (next_line(&code, &line))
            put_literal(0, skip(line, margin), to);
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
