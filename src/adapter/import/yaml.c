/* SPDX-License-Identifier: Apache-2.0 */
/* yaml.c: writes maps and lists as blocks, texts plain where nobody could misread them. */
#include "adapter/import_yaml.h"

#include "base/json_write.h"
#include "base/utf8.h"

enum { INDENT = 2, BLANKS_MOST = 100, OPEN_MOST = 100 };

/* Words that are something else than a text in one schema of YAML or another. */
static const char *const not_texts[] = { "true", "false", "null", "yes", "no", "on",
                                         "off",  "y",     "n",    "inf", "nan" };

static bool is_plain(struct str t)
{
    static const char inner[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";

    if (t.n == 0 || t.n > 200 ||
        !is_one_of(t.s[0], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/"))
        return false;
    for (size_t i = 0; i < t.n; i++)
        if (!is_one_of(t.s[i], inner))
            return false;
    for (size_t i = 0; i < COUNT(not_texts); i++)
        if (t.n == strlen(not_texts[i]) && str_cmp_letters(t, str_of(not_texts[i])) == 0)
            return false;
    return true;
}

bool yaml_must_escape(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } rows[] = { { 0x00, 0x1f },     { 0x7f, 0x9f },     { 0x61c, 0x61c },   { 0x200b, 0x200f },
                 { 0x2028, 0x202e }, { 0x2066, 0x2069 }, { 0xfeff, 0xfeff }, { 0xfffe, 0xffff } };

    for (size_t i = 0; i < COUNT(rows); i++)
        if (c >= rows[i].first && c <= rows[i].last)
            return true;
    return false;
}

/* Our reader counts brackets wherever they stand (base/yaml/guard.c). A text that leaves some open,
 * or many at once, has them escaped; all others are easier to read as they are. */
static bool leaves_open(struct str t)
{
    size_t open = 0, most = 0;

    for (size_t i = 0; i < t.n; i++) {
        if (is_one_of(t.s[i], "[{"))
            open++;
        else if (is_one_of(t.s[i], "]}") && open > 0)
            open--;
        most = open > most ? open : most;
    }
    return open > 0 || most > OPEN_MOST;
}

static void put_quoted(struct buf *to, struct str t)
{
    const char *end = t.s + t.n;
    bool brackets = leaves_open(t);
    size_t blanks = 0, step;

    buf_addc(to, '"');
    for (const char *s = t.s; s < end; s += step) {
        uint32_t c;

        step = utf8_step(s, end);
        c = step ? utf8_get(s, step) : 0xfffd;
        blanks = c == ' ' ? blanks + 1 : 0;
        if (c == '"' || c == '\\')
            buf_addf(to, "\\%c", (char)c);
        else if (c == '\n')
            buf_adds(to, "\\n");
        else if (yaml_must_escape(c) || blanks > BLANKS_MOST || !step ||
                 (brackets && is_one_of(*s, "[{]}")))
            buf_addf(to, "\\u%04X", (unsigned)c);
        else
            buf_add(to, s, step);
        step = step ? step : 1;
    }
    buf_addc(to, '"');
}

static void put_text(struct buf *to, struct str t)
{
    if (is_plain(t))
        buf_add(to, t.s, t.n);
    else
        put_quoted(to, t);
}

static void put_scalar(struct buf *to, const struct doc *d)
{
    _buf_ struct buf json = { .max = 64 };

    if (d->kind == DOC_TEXT) {
        put_text(to, d->text);
        return;
    }
    if (d->kind == DOC_LIST || d->kind == DOC_MAP) {
        buf_adds(to, d->kind == DOC_LIST ? "[]" : "{}");
        return;
    }
    json_doc(&json, d); /* by itself: JSON looks at what stands before it */
    buf_add(to, json.s, json.len);
}

static bool is_block(const struct doc *d)
{
    return (d->kind == DOC_LIST || d->kind == DOC_MAP) && d->count > 0;
}

/* Short lists of scalars fit a line. */
static bool is_flow(const struct doc *d)
{
    size_t n = 0;

    for (const struct doc *c = doc_first(d, DOC_LIST); c; c = c->next) {
        if (is_block(c))
            return false;
        n += 2 + (c->kind == DOC_TEXT ? c->text.n : 8);
    }
    return d->kind == DOC_LIST && n < 80;
}

static void put_flow(struct buf *to, const struct doc *d)
{
    buf_addc(to, '[');
    for (const struct doc *c = d->first; c; c = c->next) {
        put_scalar(to, c);
        buf_adds(to, c->next ? ", " : "");
    }
    buf_addc(to, ']');
}

static void put_indent(struct buf *to, int n)
{
    for (int i = 0; i < n; i++)
        buf_addc(to, ' ');
}

/* `at`: the column of its members. `begun`: the first of them stands on a line that is there. */
static void put_block(struct buf *to, const struct doc *d, int at, bool begun)
{
    for (const struct doc *c = d->first; c; c = c->next) {
        if (!begun)
            put_indent(to, at);
        begun = false;
        if (d->kind == DOC_MAP) {
            put_text(to, c->key);
            buf_addc(to, ':');
        } else {
            buf_addc(to, '-');
        }
        if (!is_block(c) || is_flow(c)) {
            buf_addc(to, ' ');
            if (is_block(c))
                put_flow(to, c);
            else
                put_scalar(to, c);
            buf_addc(to, '\n');
        } else if (d->kind == DOC_LIST) {
            buf_addc(to, ' ');
            put_block(to, c, at + INDENT, true);
        } else {
            buf_addc(to, '\n');
            put_block(to, c, at + INDENT, false);
        }
    }
}

void yaml_write(const struct doc *d, struct buf *to)
{
    if (is_block(d)) {
        put_block(to, d, 0, false);
        return;
    }
    put_scalar(to, d);
    buf_addc(to, '\n');
}
