/* SPDX-License-Identifier: Apache-2.0 */
/* block.c: block texts that libfyaml 0.7.12 reads wrongly.
 *
 * Where an empty | or > stands inside another map or list, the lines after it become its text,
 * though they stand no deeper than its key: the keys that follow are gone. And of the empty lines
 * between a line of a > text and a deeper one, the first is lost. Both give another value than was
 * written and say nothing, so we look at the lines ourselves and refuse. Lines end in LF here:
 * bad_character() in guard.c has refused every carriage return that yaml.c left.
 */
#include "base/yaml/block.h"

#include "base/own.h"

enum line_kind { LINE_NONE, LINE_EMPTY, LINE_TEXT, LINE_DEEPER };

int yaml_column(struct str source, size_t offset)
{
    size_t begin = offset;

    while (begin > 0 && source.s[begin - 1] != '\n')
        begin--;
    return (int)(offset - begin);
}

static size_t spaces(struct str t, size_t at)
{
    size_t n = 0;

    while (at + n < t.n && t.s[at + n] == ' ')
        n++;
    return n;
}

static size_t next_line(struct str t, size_t at)
{
    while (at < t.n && t.s[at] != '\n')
        at++;
    return at < t.n ? at + 1 : at;
}

/* The first line that holds more than blanks; the end of the text where there is none. */
static size_t first_line(struct str t, size_t at)
{
    while (at < t.n) {
        size_t n = spaces(t, at);

        if (at + n < t.n && t.s[at + n] != '\n')
            return at;
        at = next_line(t, at);
    }
    return at;
}

/* The line at `at` in a block indented by so many spaces; LINE_NONE behind its end. */
static enum line_kind kind_of_line(struct str t, size_t at, size_t indent)
{
    size_t n = spaces(t, at);

    if (at + n == t.n || (n <= indent && t.s[at + n] == '\n'))
        return at + n == t.n ? LINE_NONE : LINE_EMPTY;
    if (n < indent)
        return LINE_NONE;
    return n > indent || t.s[at + n] == '\t' ? LINE_DEEPER : LINE_TEXT;
}

static bool loses_lines(struct str source, size_t at, size_t indent)
{
    enum line_kind before = LINE_NONE, kind;
    bool gap = false;

    for (; (kind = kind_of_line(source, at, indent)) != LINE_NONE; at = next_line(source, at)) {
        if (kind == LINE_DEEPER && before == LINE_TEXT && gap)
            return true;
        gap = kind == LINE_EMPTY;
        before = gap ? before : kind;
    }
    return false;
}

const char *yaml_block(const struct yaml_block *b)
{
    size_t ours = first_line(b->text, 0), theirs = first_line(b->source, b->at), found;

    if (ours == b->text.n)
        return NULL;
    found = spaces(b->source, theirs);
    if ((int)found <= b->column)
        return "the text after | or > must stand deeper than its key; an empty one is written \"\"";
    if (b->folded && loses_lines(b->source, theirs, found - spaces(b->text, ours)))
        return "in a text after >, no empty line may stand before a deeper one; use |";
    return NULL;
}
