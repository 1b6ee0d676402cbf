/* SPDX-License-Identifier: Apache-2.0 */
/* text.c: the texts (scalars) of YAML 1.2.2: plain, in quotes, literal and folded.
 *
 * Numbers in brackets are the productions of the specification. No character is looked at more
 * than a few times, so that the time is linear.
 */
#include "base/yaml/text.h"

#include "base/num.h"
#include "base/utf8.h"

void yaml_begin_line(struct yaml_reader *r)
{
    size_t i = r->p.at;

    r->p.line = i;
    while (i < r->t.n && r->t.s[i] == ' ')
        i++;
    r->p.indent = (ptrdiff_t)(i - r->p.line);
    while (i < r->t.n && yaml_blank(r->t.s[i]))
        i++;
    r->p.first = i;
}

void yaml_skip_blanks(struct yaml_reader *r)
{
    while (yaml_blank(yaml_peek(r, 0)))
        r->p.at++;
}

/* The end of the line, or of the text. */
static size_t line_end(const struct yaml_reader *r, size_t at)
{
    const char *end = memchr(r->t.s + at, '\n', r->t.n - at);

    return end ? (size_t)(end - r->t.s) : r->t.n;
}

void yaml_skip(struct yaml_reader *r)
{
    for (;;) {
        yaml_skip_blanks(r);
        if (yaml_peek(r, 0) == '#' && (r->p.at == r->p.line || yaml_blank(r->t.s[r->p.at - 1])))
            r->p.at = line_end(r, r->p.at);
        if (yaml_peek(r, 0) != '\n')
            return;
        r->p.at++;
        yaml_begin_line(r);
    }
}

bool yaml_marker(const struct yaml_reader *r, const char *which)
{
    return r->p.at == r->p.line && str_begins(str_from(r->t, r->p.at), which) &&
           !yaml_safe(yaml_peek(r, 3), false);
}

bool yaml_ended(const struct yaml_reader *r)
{
    return r->p.at == r->t.n || yaml_marker(r, "---") || yaml_marker(r, "...");
}

/* From a line end to the first line that holds more than blanks: the number of line ends. It stops
 * at a tab before which fewer spaces stand. */
static size_t skip_line_ends(struct yaml_reader *r, ptrdiff_t least)
{
    size_t n = 0;

    for (; yaml_peek(r, 0) == '\n'; n++) {
        r->p.at++;
        yaml_begin_line(r);
        r->p.at = r->p.indent < least ? r->p.line + (size_t)r->p.indent : r->p.first;
    }
    return n;
}

static void add_line_ends(struct yaml_reader *r, size_t n)
{
    while (n-- > 0)
        buf_addc(&r->words, '\n');
}

/* One line end is a space; of more, the first is dropped (73). */
static void add_fold(struct yaml_reader *r, size_t line_ends)
{
    if (line_ends == 1)
        buf_addc(&r->words, ' ');
    else
        add_line_ends(r, line_ends - 1);
}

static void add_source(struct yaml_reader *r, size_t begin, size_t end)
{
    buf_add(&r->words, r->t.s + begin, end - begin);
}

/* The text is what was put together, or a part of the document where nothing was. */
static bool finish(struct yaml_reader *r, struct str part, bool made, struct yaml_text *out)
{
    r->tree.at = out->at;
    if (!buf_ok(&r->words) || (!made && part.n > r->words.max))
        return tree_above(&r->tree, CEILING_TEXT);
    out->text = part;
    if (made)
        out->text = (struct str){ arena_text(r->tree.a, buf_str(&r->words)), r->words.len };
    return true;
}

/* Where a plain text ends in this line, the blanks behind it left out (126 to 132). */
static size_t plain_end(const struct yaml_reader *r, bool flow)
{
    size_t end = r->p.at;

    for (size_t i = end; i < r->t.n && r->t.s[i] != '\n'; i++) {
        char c = r->t.s[i];

        if (yaml_blank(c))
            continue;
        if (c == ':' && !yaml_safe(i + 1 < r->t.n ? r->t.s[i + 1] : '\0', flow))
            break;
        if ((c == '#' && i > 0 && yaml_blank(r->t.s[i - 1])) || (flow && is_one_of(c, ",[]{}")))
            break;
        end = i + 1;
    }
    return end;
}

/* Goes to the next line of a plain text, if it has one: with the number of line ends before. */
static bool next_plain_line(struct yaml_reader *r, ptrdiff_t least, bool flow, size_t *line_ends)
{
    struct yaml_place before = r->p;

    yaml_skip_blanks(r);
    *line_ends = skip_line_ends(r, least);
    if (*line_ends > 0 && !yaml_ended(r) && r->p.indent >= least && yaml_peek(r, 0) != '#' &&
        plain_end(r, flow) > r->p.at)
        return true;
    r->p = before;
    return false;
}

static bool read_plain(struct yaml_reader *r, ptrdiff_t least, bool flow, struct yaml_text *out)
{
    size_t begin = r->p.at, end = plain_end(r, flow), line_ends;
    struct str line = { r->t.s + begin, end - begin };
    bool folded = false;

    out->plain = true;
    for (r->p.at = end; next_plain_line(r, least, flow, &line_ends); r->p.at = end) {
        if (!folded)
            buf_add(&r->words, line.s, line.n);
        folded = true;
        add_fold(r, line_ends);
        end = plain_end(r, flow);
        add_source(r, r->p.at, end);
    }
    return finish(r, line, folded, out);
}

/* Goes over the line ends inside quotes: with their number. */
static bool skip_quoted_lines(struct yaml_reader *r, ptrdiff_t least, size_t *line_ends)
{
    *line_ends = skip_line_ends(r, 0);
    if (r->p.at == r->t.n)
        return true; /* read_quoted() finds that the last quote is missing */
    if (yaml_ended(r))
        return tree_refuse(&r->tree, ERROR_SYNTAX, r->p.at,
                           "this is not YAML: the document ends inside a text in quotes");
    return r->p.indent >= least ||
           tree_refuse(&r->tree, ERROR_SYNTAX, r->p.at,
                       "this is not YAML: a text in quotes goes on in lines that stand deeper than "
                       "its key");
}

/* clang-format off */
static const struct escape {
    char letter;
    uint32_t point; /* the character; where there are digits, their number */
    bool digits;
} escapes[] = {
    { '0', 0, false },     { 'a', 7, false },      { 'b', 8, false },      { 't', 9, false },
    { '\t', 9, false },    { 'n', 10, false },     { 'v', 11, false },     { 'f', 12, false },
    { 'r', 13, false },    { 'e', 27, false },     { ' ', ' ', false },    { '"', '"', false },
    { '/', '/', false },   { '\\', '\\', false },  { 'N', 0x85, false },   { '_', 0xa0, false },
    { 'L', 0x2028, false }, { 'P', 0x2029, false }, { 'x', 2, true },      { 'u', 4, true },
    { 'U', 8, true },
};
/* clang-format on */

/* So many hexadecimal digits from here on, or -1. */
static int64_t read_digits(struct yaml_reader *r, uint32_t count)
{
    int64_t n = 0;

    for (uint32_t i = 0; i < count; i++) {
        int digit = num_hex(yaml_peek(r, i));

        if (digit < 0)
            return -1;
        n = n * 16 + digit;
    }
    r->p.at += count;
    return n;
}

/* The second half of a pair of \u, as JSON writes characters above U+FFFF. */
static int64_t read_pair(struct yaml_reader *r, int64_t high)
{
    int64_t low;

    if (yaml_peek(r, 0) != '\\' || yaml_peek(r, 1) != 'u')
        return high;
    r->p.at += 2;
    low = read_digits(r, 4);
    return low >= 0xdc00 && low <= 0xdfff ? 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00) : -1;
}

/* What stands behind a backslash that does not end its line (41 to 62). */
static bool read_escape(struct yaml_reader *r)
{
    const struct escape *found = NULL;
    size_t begin = r->p.at;
    int64_t point;
    char utf8[4];

    for (size_t i = 0; i < COUNT(escapes) && !found; i++)
        if (escapes[i].letter == yaml_peek(r, 1))
            found = &escapes[i];
    if (!found)
        return tree_refuse(&r->tree, ERROR_SYNTAX, begin,
                           "this is not YAML: no such escape; a backslash is written \\\\");
    r->p.at += 2;
    point = found->digits ? read_digits(r, found->point) : found->point;
    if (found->letter == 'u' && point >= 0xd800 && point <= 0xdbff)
        point = read_pair(r, point);
    if (point < 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
        return tree_refuse(&r->tree, ERROR_SYNTAX, begin,
                           "this is not YAML: the digits of this escape are no character");
    buf_add(&r->words, utf8, utf8_put((uint32_t)point, utf8));
    return true;
}

/* A line end inside quotes: blanks around it are dropped, those of escapes kept (111, 117). */
static bool fold_quoted(struct yaml_reader *r, ptrdiff_t least, size_t keep)
{
    size_t line_ends;

    while (r->words.len > keep && yaml_blank(r->words.s[r->words.len - 1]))
        r->words.len--;
    if (!skip_quoted_lines(r, least, &line_ends))
        return false;
    add_fold(r, line_ends);
    return true;
}

/* A backslash that ends its line: the line end is dropped, blanks before it are kept (112). */
static bool join_lines(struct yaml_reader *r, ptrdiff_t least)
{
    size_t line_ends;

    r->p.at++;
    if (!skip_quoted_lines(r, least, &line_ends))
        return false;
    add_line_ends(r, line_ends - 1);
    return true;
}

static bool read_quoted(struct yaml_reader *r, ptrdiff_t least, struct yaml_text *out)
{
    char quote = yaml_peek(r, 0);
    size_t begin = ++r->p.at, keep = 0;
    bool made = false;

    for (;; begin = r->p.at, keep = r->words.len) {
        bool ok = true;

        while (r->p.at < r->t.n && yaml_peek(r, 0) != quote && yaml_peek(r, 0) != '\n' &&
               !(quote == '"' && yaml_peek(r, 0) == '\\'))
            r->p.at++;
        if (r->p.at == r->t.n)
            return tree_refuse(&r->tree, ERROR_SYNTAX, out->at,
                               "this is not YAML: the quote that ends this text is missing");
        if (yaml_peek(r, 0) == quote && !(quote == '\'' && yaml_peek(r, 1) == '\''))
            break;
        add_source(r, begin, r->p.at);
        made = true;
        if (yaml_peek(r, 0) == '\n')
            ok = fold_quoted(r, least, keep);
        else if (quote == '"')
            ok = yaml_peek(r, 1) == '\n' ? join_lines(r, least) : read_escape(r);
        else
            buf_addc(&r->words, quote), r->p.at += 2;
        if (!ok)
            return false;
    }
    if (made)
        add_source(r, begin, r->p.at);
    r->p.at++;
    return finish(r, (struct str){ r->t.s + begin, r->p.at - 1 - begin }, made, out);
}

bool yaml_read_text(struct yaml_reader *r, ptrdiff_t least, bool flow, struct yaml_text *out)
{
    char c = yaml_peek(r, 0);

    *out = (struct yaml_text){ .at = r->p.at };
    buf_reset(&r->words);
    if (c == '"' || c == '\'')
        return read_quoted(r, least, out);
    if (yaml_sign(r, '?', flow))
        return tree_refuse(&r->tree, ERROR_SUBSET, out->at, "a question mark alone must be quoted");
    if (r->p.at == r->t.n)
        return tree_refuse(&r->tree, ERROR_SYNTAX, out->at,
                           "this is not YAML: the text ends inside brackets");
    if (is_one_of(c, "-:") ? yaml_safe(yaml_peek(r, 1), flow) : !is_one_of(c, ",[]{}#&*!|>%@`"))
        return read_plain(r, least, flow, out);
    return tree_refuse(
        &r->tree, ERROR_SYNTAX, out->at,
        "this is not YAML: a value cannot begin with '%c' here; put a text in quotes", c);
}

struct block {
    bool folded;
    char chomp;       /* '-', '+' or 0: what becomes of the last line ends */
    ptrdiff_t indent; /* the spaces that its lines begin with */
    size_t line_ends; /* behind the last line with characters, not written yet */
    bool any, spaced; /* there was a line with characters; it began with a blank */
};

/* What stands behind | or > in its line (162). */
static bool read_header(struct yaml_reader *r, struct block *b)
{
    b->folded = yaml_peek(r, 0) == '>';
    for (r->p.at++;; r->p.at++) {
        char c = yaml_peek(r, 0);

        if ((c == '+' || c == '-') && !b->chomp)
            b->chomp = c;
        else if (c >= '1' && c <= '9' && !b->indent)
            b->indent = c - '0';
        else
            break;
    }
    if (yaml_blank(yaml_peek(r, 0))) {
        yaml_skip_blanks(r);
        if (yaml_peek(r, 0) == '#')
            r->p.at = line_end(r, r->p.at);
    }
    if (r->p.at < r->t.n && yaml_peek(r, 0) != '\n')
        return tree_refuse(&r->tree, ERROR_SYNTAX, r->p.at,
                           "this is not YAML: behind | or > stands no text but + or - and a digit "
                           "from 1 to 9");
    r->p.at += r->p.at < r->t.n;
    return true;
}

static ptrdiff_t count_spaces(const struct yaml_reader *r, size_t at, ptrdiff_t most)
{
    ptrdiff_t n = 0;

    while (n < most && at + (size_t)n < r->t.n && r->t.s[at + (size_t)n] == ' ')
        n++;
    return n;
}

/* The indentation is that of the first line with characters; it has to be above the parent's (183).
 */
static bool find_indent(struct yaml_reader *r, ptrdiff_t parent, struct block *b)
{
    struct yaml_place begin = r->p;
    ptrdiff_t longest = parent + 1;
    size_t deepest = r->p.at;
    bool found = false; /* a line of the text */

    for (; r->p.at < r->t.n; r->p.at = line_end(r, r->p.at) + 1) {
        size_t text = r->p.at;

        yaml_begin_line(r);
        text += (size_t)r->p.indent;
        if (text < r->t.n && r->t.s[text] != '\n') {
            found = r->p.indent > parent && !yaml_ended(r);
            b->indent = r->p.indent;
            break;
        }
        deepest = r->p.indent > longest ? r->p.at : deepest;
        longest = r->p.indent > longest ? r->p.indent : longest;
    }
    r->p = begin;
    b->indent = found ? b->indent : longest;
    return b->indent >= longest ||
           tree_refuse(&r->tree, ERROR_SYNTAX, deepest,
                       "this is not YAML: an empty line before the text has more spaces than the "
                       "text");
}

/* One line with characters, and the line ends before it: folded between two lines that begin with
 * no blank, as they are elsewhere (175 to 181). */
static void add_block_line(struct yaml_reader *r, struct block *b, size_t begin, size_t end)
{
    bool spaced = yaml_blank(r->t.s[begin]);

    if (b->folded && b->any && !spaced && !b->spaced)
        add_fold(r, b->line_ends);
    else
        add_line_ends(r, b->line_ends);
    add_source(r, begin, end);
    b->any = true;
    b->spaced = spaced;
    b->line_ends = 0;
}

/* The last line end is kept once, all of them with a +, none with a - (165). A text whose last line
 * has none gets none. */
static void add_last_line_ends(struct yaml_reader *r, const struct block *b)
{
    if (b->chomp == '+')
        add_line_ends(r, b->line_ends);
    else if (!b->chomp && b->any && b->line_ends > 0)
        add_line_ends(r, 1);
}

bool yaml_read_block(struct yaml_reader *r, ptrdiff_t parent, struct yaml_text *out)
{
    struct block b = { 0 };

    *out = (struct yaml_text){ .at = r->p.at };
    buf_reset(&r->words);
    if (!read_header(r, &b))
        return false;
    if (b.indent)
        b.indent += parent > 0 ? parent : 0;
    else if (!find_indent(r, parent, &b))
        return false;
    for (; yaml_begin_line(r), r->p.at < r->t.n; b.line_ends++, r->p.at++) {
        size_t end = line_end(r, r->p.at);
        size_t begin = r->p.at + (size_t)count_spaces(r, r->p.at, b.indent);
        bool deep = begin - r->p.at == (size_t)b.indent;

        if (begin < end && !deep && r->p.first == end)
            return tree_refuse(
                &r->tree, ERROR_SYNTAX, begin,
                "this is not YAML: a tab stands where only spaces may; empty the line");
        if ((begin < end && !deep) || yaml_ended(r))
            break;
        if (end == r->t.n && r->p.first == end)
            return tree_refuse(&r->tree, ERROR_SYNTAX, r->p.at,
                               "the last line is blanks without a line end");
        if (begin < end)
            add_block_line(r, &b, begin, end);
        r->p.at = end;
        if (end == r->t.n)
            break;
    }
    add_last_line_ends(r, &b);
    return finish(r, (struct str){ "", 0 }, true, out);
}
