/* SPDX-License-Identifier: Apache-2.0 */
/* yaml.c: YAML text to a document, by the grammar of YAML 1.2.2 without tags.
 *
 * One pass, without tokens: what a line holds is known from its first characters, and a key from
 * the ':' behind its text. The texts are read in yaml/text.c; the tree, the typing and the ceilings
 * are in yaml/tree.c, which also bounds the depth and so the recursion here.
 */
#include "base/yaml.h"

#include "base/utf8.h"
#include "base/yaml/flow.h"

/* What may stand where a value of a block list or block map is expected. */
enum {
    SAME_LINE = 1,   /* a block list or map, in the line of the sign before it */
    SAME_COLUMN = 2, /* a block list that stands no deeper than its key */
};

static bool read_value(struct yaml_reader *r, ptrdiff_t parent, unsigned how);

/* May a block list or a block map begin here? */
static bool check_begin(struct yaml_reader *r, unsigned how)
{
    size_t at = r->p.at;

    if (at != r->p.first && !(how & SAME_LINE))
        return yaml_wrong(
            r, at,
            "invalid nested block mapping on the same line; put a value that has ': ' in "
            "it in quotes");
    while (at > r->p.line && r->t.s[at - 1] == ' ')
        at--;
    return at == r->p.line || r->t.s[at - 1] != '\t' ||
           yaml_wrong(r, at - 1, "a tab stands where only spaces may; indent with spaces");
}

/* Says what is wrong with a line that no list or map goes on with. */
static bool refuse_line(struct yaml_reader *r, size_t at)
{
    if (r->left_empty)
        return yaml_wrong(r, at, "a value must stand deeper than its key");
    return yaml_wrong(r, at, "neither a key with ':' behind it nor an item of the list before");
}

/* Goes to the next line of a block list or map: is that one in its column? */
static bool next_line(struct yaml_reader *r, ptrdiff_t column, bool *more)
{
    *more = false;
    yaml_skip(r);
    if (yaml_ended(r))
        return true;
    if (r->p.at != r->p.first)
        return yaml_wrong(r, r->p.at, "a value ends before this, in the same line");
    if (r->p.indent < (ptrdiff_t)(r->p.first - r->p.line))
        return yaml_wrong(r, r->p.line + (size_t)r->p.indent,
                          "a tab stands where only spaces may; indent with spaces");
    if (r->p.indent > column)
        return yaml_wrong(r, r->p.at, "this line stands deeper than the one it belongs to");
    *more = r->p.indent == column;
    return true;
}

static bool read_list(struct yaml_reader *r, struct str anchor)
{
    ptrdiff_t column = (ptrdiff_t)(r->p.at - r->p.line);
    bool more = true;

    r->tree.at = r->p.at;
    if (!tree_open(&r->tree, DOC_LIST, anchor))
        return false;
    while (more && yaml_sign(r, '-', false)) {
        r->p.at++;
        if (!read_value(r, column, SAME_LINE) || !next_line(r, column, &more))
            return false;
    }
    return tree_close(&r->tree);
}

/* Behind a '?': a key, and in a later line a ':' with its value. */
static bool read_explicit(struct yaml_reader *r, ptrdiff_t column)
{
    bool more;

    r->p.at++;
    if (!read_value(r, column, SAME_LINE | SAME_COLUMN) || !next_line(r, column, &more))
        return false;
    if (!more || !yaml_sign(r, ':', false))
        return yaml_put_empty(r, r->p.at, (struct str){ 0 });
    r->p.at++;
    return read_value(r, column, SAME_LINE | SAME_COLUMN);
}

/* The text of a key in a line of its own. */
static bool read_key(struct yaml_reader *r, ptrdiff_t column, struct yaml_text *key)
{
    size_t line = r->p.line;
    char c = yaml_peek(r, 0);
    struct str anchor;

    if (!yaml_read_anchor(r, &anchor))
        return false;
    if (anchor.s)
        return yaml_outside(r, r->p.first, "a key cannot carry an anchor");
    if (c == '*')
        return yaml_outside(r, r->p.at, "a key cannot be an alias");
    if (c == '[' || c == '{')
        return yaml_outside(r, r->p.at, "a key must be text, not a list or a map");
    if (is_one_of(c, "|>") || yaml_sign(r, '-', false))
        return refuse_line(r, r->p.at);
    if (yaml_sign(r, ':', false)) {
        *key = (struct yaml_text){ .at = r->p.at, .text = { "", 0 }, .plain = true };
        return true; /* refused as a key that is null */
    }
    if (!yaml_read_text(r, column + 1, false, key))
        return false;
    yaml_skip_blanks(r);
    if (!yaml_sign(r, ':', false))
        return refuse_line(r, key->at);
    return yaml_check_key(r, key, line);
}

/* A map in that column. Its first key may have been read already. */
static bool read_map(struct yaml_reader *r, ptrdiff_t column, struct str anchor,
                     const struct yaml_text *first)
{
    bool more = true;

    r->tree.at = first ? first->at : r->p.at;
    if (!tree_open(&r->tree, DOC_MAP, anchor))
        return false;
    for (; more; first = NULL) {
        struct yaml_text key;
        bool ok;

        if (!first && yaml_sign(r, '?', false)) {
            ok = read_explicit(r, column);
        } else {
            if (first)
                key = *first;
            ok = (first || read_key(r, column, &key)) && yaml_put_text(r, &key, (struct str){ 0 });
            r->p.at += ok;
            ok = ok && read_value(r, column, SAME_COLUMN);
        }
        if (!ok || !next_line(r, column, &more))
            return false;
    }
    return tree_close(&r->tree);
}

/* A text, or the map whose first key it is. */
static bool read_text_or_map(struct yaml_reader *r, ptrdiff_t parent, unsigned how,
                             struct str anchor, bool anchor_here)
{
    struct yaml_place begin = r->p;
    struct yaml_text text;

    if (!yaml_read_text(r, parent + 1, false, &text))
        return false;
    if (r->p.line == begin.line)
        yaml_skip_blanks(r);
    if (!yaml_sign(r, ':', false))
        return yaml_put_text(r, &text, anchor);
    if (!yaml_check_key(r, &text, begin.line))
        return false;
    if (anchor_here)
        return yaml_outside(r, begin.at, "a key cannot carry an anchor");
    if (begin.at != begin.first && !(how & SAME_LINE))
        return check_begin(r, how); /* the ':' is the place to look at */
    return read_map(r, (ptrdiff_t)(begin.at - begin.line), anchor, &text);
}

/* A value of a block list or map, or the root, behind its anchor; the next character is its first.
 */
static bool read_content(struct yaml_reader *r, ptrdiff_t parent, unsigned how, struct str anchor,
                         bool anchor_here)
{
    size_t begin = r->p.at;
    char c = yaml_peek(r, 0);
    struct yaml_text text;

    if (yaml_sign(r, '-', false))
        return check_begin(r, how) && read_list(r, anchor);
    if (anchor_here && yaml_sign(r, ':', false))
        return yaml_outside(r, begin, "a key cannot carry an anchor");
    if (yaml_sign(r, '?', false) || yaml_sign(r, ':', false))
        return check_begin(r, how) && read_map(r, (ptrdiff_t)(begin - r->p.line), anchor, NULL);
    if (c == '|' || c == '>')
        return yaml_read_block(r, parent, &text) && yaml_put_text(r, &text, anchor);
    if (c != '*' && c != '[' && c != '{')
        return read_text_or_map(r, parent, how, anchor, anchor_here);
    if (!(c == '*' ? yaml_put_alias(r) : yaml_read_flow(r, parent + 1, anchor)))
        return false;
    yaml_skip_blanks(r);
    if (!yaml_sign(r, ':', false))
        return true;
    return yaml_outside(r, begin,
                        c == '*' ? "a key cannot be an alias"
                                 : "a key must be text, not a list or a map");
}

/* Does a value stand here, or is it empty? */
static bool has_value(const struct yaml_reader *r, ptrdiff_t parent, unsigned how)
{
    if (yaml_ended(r))
        return false;
    return r->p.at != r->p.first || r->p.indent > parent ||
           (r->p.indent == parent && (how & SAME_COLUMN) && yaml_sign(r, '-', false));
}

/* The value behind a sign of the list or map in that column; -1 at the root. */
static bool read_value(struct yaml_reader *r, ptrdiff_t parent, unsigned how)
{
    size_t sign = r->p.at;
    struct str anchor = { 0 };
    bool anchor_here = false;

    yaml_skip(r);
    if (has_value(r, parent, how)) {
        size_t line = r->p.line;

        if (!yaml_read_anchor(r, &anchor))
            return false;
        yaml_skip(r);
        anchor_here = anchor.s && r->p.line == line;
        if (anchor.s)
            how &= ~(unsigned)SAME_LINE;
        if (!yaml_check_anchored(r, anchor))
            return false;
    }
    if (!has_value(r, parent, how))
        return yaml_put_empty(r, sign, anchor);
    return read_content(r, parent, how, anchor, anchor_here);
}

/* One line that begins with a percent sign: %YAML is looked at, all others say nothing (82). */
static bool read_directive(struct yaml_reader *r, bool *version)
{
    const char *end = memchr(r->t.s + r->p.at, '\n', r->t.n - r->p.at);
    struct str rest = str_from(r->t, r->p.at), word;
    size_t begin = r->p.at;

    rest.n = end ? (size_t)(end - rest.s) : rest.n;
    r->p.at += rest.n;
    word = str_word(&rest, " \t");
    if (!str_is(word, "%YAML"))
        return true;
    if (*version)
        return yaml_wrong(r, begin, "a document has one %YAML");
    *version = true;
    word = str_word(&rest, " \t");
    if (!str_is(word, "1.2"))
        return tree_refuse(&r->tree, ERROR_SYNTAX, begin, "only %%YAML 1.2 is read");
    word = str_word(&rest, " \t");
    return word.n == 0 || *word.s == '#' || yaml_wrong(r, begin, "behind %YAML 1.2 stands nothing");
}

/* Everything before the document, its --- included. */
static bool read_beginning(struct yaml_reader *r)
{
    bool directive = false, version = false;

    yaml_begin_line(r);
    yaml_skip(r);
    while (r->p.at == r->p.line && yaml_peek(r, 0) == '%') {
        directive = true;
        if (!read_directive(r, &version))
            return false;
        yaml_skip(r);
    }
    if (yaml_marker(r, "---")) {
        r->p.at += 3;
        return true;
    }
    if (directive)
        return tree_refuse(&r->tree, ERROR_SYNTAX, r->p.at,
                           "after a directive the document begins with ---");
    return !yaml_ended(r) || tree_refuse(&r->tree, ERROR_SYNTAX, 0, "the document is empty");
}

/* Nothing but comments and document ends stand behind the document. */
static bool read_end(struct yaml_reader *r)
{
    yaml_skip(r);
    if (!yaml_ended(r))
        return refuse_line(r, r->p.at);
    while (yaml_marker(r, "...")) {
        size_t line = r->p.line;

        r->p.at += 3;
        yaml_skip(r);
        if (r->p.line == line && r->p.at < r->t.n)
            return yaml_wrong(r, r->p.at, "behind ... stands nothing");
    }
    return r->p.at == r->t.n ||
           yaml_outside(r, r->p.at,
                        "a second document begins here; writ reads one in each "
                        "file");
}

/* What no YAML may hold, and what others than we take for a line end or for nothing at all. */
static const char *bad_character(struct str t, size_t i)
{
    static const struct {
        const char *bytes, *why;
    } rows[] = {
        { "\xef\xbb\xbf", "a byte order mark inside the document" },
        { "\xef\xbf\xbe", "a character that YAML does not have" },
        { "\xef\xbf\xbf", "a character that YAML does not have" },
        { "\xc2\x85", "a line end of older YAML (U+0085); write it as \\N in double quotes" },
        { "\xe2\x80\xa8", "a line end of older YAML (U+2028); write it as \\L in double quotes" },
        { "\xe2\x80\xa9", "a line end of older YAML (U+2029); write it as \\P in double quotes" },
    };
    unsigned char c = (unsigned char)t.s[i];

    if (c == '\r')
        return "a carriage return without a line feed; lines end in LF or CRLF";
    if ((c < ' ' && c != '\t' && c != '\n') || c == 0x7f)
        return "a control character is no YAML";
    for (size_t k = 0; c > 0x7f && k < COUNT(rows); k++)
        if (str_begins(str_from(t, i), rows[k].bytes))
            return rows[k].why;
    return c == 0xc2 && (unsigned char)t.s[i + 1] < 0xa0 ? "a control character is no YAML" : NULL;
}

static bool check_characters(struct yaml_reader *r)
{
    size_t bad = utf8_valid(r->t);

    if (bad < r->t.n)
        return tree_refuse(&r->tree, ERROR_ENCODING, bad, "byte 0x%02x is not UTF-8",
                           (unsigned char)r->t.s[bad]);
    for (size_t i = 0; i < r->t.n; i++) {
        unsigned char c = (unsigned char)r->t.s[i];
        const char *why = c < ' ' || c >= 0x7f ? bad_character(r->t, i) : NULL;

        if (why)
            return tree_refuse(&r->tree, ERROR_SYNTAX, i, "%s", why);
    }
    return true;
}

/* The text with LF for CRLF: itself, or a copy. */
static struct str only_line_feeds(struct str text, struct arena *a)
{
    char *copy, *to;

    if (!memmem(text.s, text.n, "\r\n", 2))
        return text;
    copy = to = arena_text(a, text);
    for (size_t i = 0; i < text.n; i++)
        if (text.s[i] != '\r' || i + 1 == text.n || text.s[i + 1] != '\n')
            *to++ = text.s[i];
    return (struct str){ copy, (size_t)(to - copy) };
}

bool yaml_read(const char *file, struct str text, const struct ceilings *max, struct arena *a,
               const struct document **out, struct error *e)
{
    struct document *document = arena_new(a, struct document);
    struct yaml_reader r = { .tree = { .a = a, .max = max, .document = document, .e = e },
                             .words = { .max = max->v[CEILING_TEXT] } };
    bool ok;

    document->file = file;
    document->text = text;
    if (text.n > max->v[CEILING_YAML_BYTES])
        return tree_above(&r.tree, CEILING_YAML_BYTES);
    if (str_begins(text, "\xef\xbb\xbf"))
        text = (struct str){ text.s + 3, text.n - 3 }; /* a byte order mark says nothing */
    document->text = r.t = only_line_feeds(text, a);
    ok = check_characters(&r) && read_beginning(&r) && read_value(&r, -1, 0) && read_end(&r);
    buf_free(&r.words);
    if (ok)
        *out = document;
    return ok;
}
