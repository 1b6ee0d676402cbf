/* SPDX-License-Identifier: Apache-2.0 */
/* format_yaml.c: YAML that reads back as the same, by our reader and by those of YAML 1.1.
 *
 * A text is written plain only where nobody could take it for anything else; all others are between
 * double quotes, on one line, as JSON has them. Long runs of blanks and brackets that nothing
 * closes are escaped, because our reader has ceilings for them (base/yaml/guard.c).
 */
#include "adapter/transform_parts.h"
#include "base/json_write.h"
#include "base/number.h"
#include "base/utf8.h"
#include "base/yaml_scalar.h"

enum {
    BLANKS_MOST = 500,    /* in a row */
    BRACKETS_MOST = 2000, /* open at once */
    KEY_MOST = 500,       /* bytes of a key on the line of its value; YAML allows 1024 characters */
    PLAIN_MOST = 200,
};

struct yaml {
    const struct making *m;
    struct buf *to;
    uint32_t open; /* brackets, as the guard counts them: those in texts, too */
};

/* ---- texts ---- */

/* What YAML 1.1 takes for a truth. */
static bool is_old_truth(struct str t)
{
    static const char *const words[] = { "y", "n", "yes", "no", "on", "off" };

    for (size_t i = 0; i < COUNT(words); i++)
        if (str_cmp_letters(t, str_of(words[i])) == 0)
            return true;
    return false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_plain(struct str t)
{
    struct doc d = { 0 };
    const char *why;

    if (t.n == 0 || t.n > PLAIN_MOST || (!is_letter(t.s[0]) && t.s[0] != '/') ||
        t.s[t.n - 1] == ' ')
        return false;
    for (size_t i = 0; i < t.n; i++) {
        bool good = is_letter(t.s[i]) || (t.s[i] >= '0' && t.s[i] <= '9') ||
                    is_one_of(t.s[i], "-./@+=,()") || (t.s[i] == ' ' && t.s[i + 1] != ' ');

        if (!good)
            return false;
    }
    return !is_old_truth(t) && yaml_scalar(t, &d, &why) && d.kind == DOC_TEXT;
}

/* The end of what can be copied as it is. */
static size_t run_of(struct str t, size_t i)
{
    while (i < t.n && (unsigned char)t.s[i] >= ' ' && (unsigned char)t.s[i] < 0x7f &&
           !is_one_of(t.s[i], "\"\\ [{]}"))
        i++;
    return i;
}

/* A character that JSON writes as it is, and YAML does not: by its number. */
static bool is_odd(uint32_t c)
{
    return c == 0x7f || (c >= 0x80 && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff ||
           c == 0xfffe || c == 0xffff;
}

static void put_char(struct yaml *y, struct str t, size_t i, size_t n)
{
    static const char letters[0x20] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'
    };
    unsigned char c = (unsigned char)t.s[i];
    uint32_t point = utf8_get(t.s + i, n);

    if (c == '"' || c == '\\' || (c < ' ' && letters[c]))
        buf_addf(y->to, "\\%c", c < ' ' ? letters[c] : c);
    else if (c < ' ' || is_odd(point))
        buf_addf(y->to, "\\u%04x", (unsigned)point);
    else
        buf_add(y->to, t.s + i, n);
}

/* A bracket is written as it is until too many are open. */
static void put_bracket(struct yaml *y, char c)
{
    bool opens = c == '[' || c == '{';

    if (opens && y->open >= BRACKETS_MOST) {
        buf_addf(y->to, "\\x%02x", (unsigned)c);
        return;
    }
    buf_addc(y->to, c);
    if (opens)
        y->open++;
    else if (y->open > 0)
        y->open--;
}

static void put_quoted(struct yaml *y, struct str t)
{
    size_t blanks = 0;

    buf_addc(y->to, '"');
    for (size_t i = 0, n; i < t.n; i += n) {
        n = run_of(t, i) - i;
        if (n > 0) {
            buf_add(y->to, t.s + i, n);
            blanks = 0;
            continue;
        }
        n = utf8_step(t.s + i, t.s + t.n);
        n = n ? n : 1;
        blanks = t.s[i] == ' ' ? blanks + 1 : 0;
        if (blanks > BLANKS_MOST)
            buf_adds(y->to, "\\x20");
        else if (is_one_of(t.s[i], "[{]}"))
            put_bracket(y, t.s[i]);
        else
            put_char(y, t, i, n);
        blanks = blanks > BLANKS_MOST ? 0 : blanks;
    }
    buf_addc(y->to, '"');
}

static void put_text(struct yaml *y, struct str t)
{
    if (is_plain(t))
        buf_add(y->to, t.s, t.n);
    else
        put_quoted(y, t);
}

/* A number of YAML 1.1 that has an exponent has a point before it. */
static void put_number(struct yaml *y, const struct doc *d)
{
    _buf_ struct buf text = { .max = NUMBER_MAX };
    size_t n = 0;

    (void)scalar_text(d, &text);
    while (n < text.len && !is_one_of(text.s[n], "eE"))
        n++;
    buf_add(y->to, text.s, n);
    if (n == text.len)
        return;
    buf_adds(y->to, memchr(text.s, '.', n) ? "" : ".0");
    buf_add(y->to, text.s + n, text.len - n);
}

/* ---- lists and maps ---- */

static bool has_children(const struct doc *d)
{
    return (d->kind == DOC_LIST || d->kind == DOC_MAP) && d->first;
}

static void put_leaf(struct yaml *y, const struct doc *d)
{
    switch (d->kind) {
    case DOC_NULL: buf_adds(y->to, "null"); return;
    case DOC_BOOL: buf_adds(y->to, d->truth ? "true" : "false"); return;
    case DOC_INT: (void)scalar_text(d, y->to); return;
    case DOC_NUMBER: put_number(y, d); return;
    case DOC_TEXT: put_text(y, d->text); return;
    case DOC_LIST: buf_adds(y->to, "[]"); return;
    case DOC_MAP: buf_adds(y->to, "{}"); return;
    }
}

static void indent(struct yaml *y, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++)
        buf_add(y->to, "  ", 2);
}

/* What stands before a value: a dash, or its key. A long key stands on a line of its own. */
static void put_head(struct yaml *y, const struct doc *d, uint32_t depth)
{
    if (d->up->kind == DOC_LIST) {
        buf_addc(y->to, '-');
        return;
    }
    if (d->key.n > KEY_MOST) {
        buf_adds(y->to, "? ");
        put_text(y, d->key);
        buf_addc(y->to, '\n');
        indent(y, depth);
    } else {
        put_text(y, d->key);
    }
    buf_addc(y->to, ':');
}

/* The next value below top, going up as far as needed. */
static const struct doc *after(const struct doc *d, const struct doc *top, uint32_t *depth)
{
    while (d != top && !d->next) {
        d = d->up;
        --*depth;
    }
    return d == top ? NULL : d->next;
}

bool format_yaml(const struct making *m, const void *options, const struct doc *d, struct buf *to)
{
    struct yaml y = { m, to, 0 };
    const struct doc *top = d;
    uint32_t depth = 0;

    (void)options;
    if (!has_children(d)) {
        put_leaf(&y, d);
        buf_addc(to, '\n');
        return true;
    }
    for (d = d->first; d; d = after(d, top, &depth)) {
        indent(&y, depth);
        put_head(&y, d, depth);
        /* Down to the first that has no children. */
        while (has_children(d)) {
            bool beside = d->up->kind == DOC_LIST;

            d = d->first;
            depth++;
            buf_addc(to, beside ? ' ' : '\n');
            if (!beside)
                indent(&y, depth);
            put_head(&y, d, depth);
        }
        buf_addc(to, ' ');
        put_leaf(&y, d);
        buf_addc(to, '\n');
    }
    return true;
}
