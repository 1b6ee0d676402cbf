/* SPDX-License-Identifier: Apache-2.0 */
/* flow.c: the parts of a YAML document that need no indentation: anchors, aliases, and the lists
 * and maps in brackets (flow collections, chapter 7.4).
 */
#include "base/yaml/flow.h"

bool yaml_wrong(struct yaml_reader *r, size_t at, const char *why)
{
    return tree_refuse(&r->tree, ERROR_SYNTAX, at, "this is not YAML: %s", why);
}

bool yaml_outside(struct yaml_reader *r, size_t at, const char *why)
{
    return tree_refuse(&r->tree, ERROR_SUBSET, at, "%s", why);
}

bool yaml_put_text(struct yaml_reader *r, const struct yaml_text *text, struct str anchor)
{
    r->tree.at = text->at;
    r->left_empty = false;
    return tree_scalar(&r->tree, text->text, text->plain, anchor);
}

bool yaml_put_empty(struct yaml_reader *r, size_t at, struct str anchor)
{
    struct yaml_text empty = { .at = at, .text = { "", 0 }, .plain = true };
    bool ok = yaml_put_text(r, &empty, anchor);

    r->left_empty = true;
    return ok;
}

/* The name behind '&' or '*'. YAML 1.2 allows signs in it that older readers take for the end of
 * the name, and so read another document: these are refused. */
static bool read_name(struct yaml_reader *r, struct str *name)
{
    size_t begin = ++r->p.at;

    for (; yaml_safe(yaml_peek(r, 0), true); r->p.at++) {
        char c = yaml_peek(r, 0);
        char letter = c | 0x20;

        if (!(letter >= 'a' && letter <= 'z') && !(c >= '0' && c <= '9') && !is_one_of(c, "-_./") &&
            (unsigned char)c < 0x80)
            return yaml_outside(r, r->p.at,
                                "the name of an anchor has letters, digits and - _ . / alone");
    }
    *name = (struct str){ r->t.s + begin, r->p.at - begin };
    return (name->n > 0 && !is_one_of(yaml_peek(r, 0), "[{")) ||
           yaml_wrong(r, begin - 1, "an anchor is a name with a blank behind it");
}

bool yaml_put_alias(struct yaml_reader *r)
{
    size_t begin = r->p.at;
    struct str name = { 0 };

    if (!read_name(r, &name))
        return false;
    r->tree.at = begin;
    r->left_empty = false;
    return tree_alias(&r->tree, name);
}

bool yaml_read_anchor(struct yaml_reader *r, struct str *name)
{
    *name = (struct str){ 0 };
    if (yaml_peek(r, 0) == '!')
        return yaml_outside(r, r->p.at, "tags are not read; the value's own form says what it is");
    return yaml_peek(r, 0) != '&' || read_name(r, name);
}

bool yaml_check_anchored(struct yaml_reader *r, struct str name)
{
    char c = name.s ? yaml_peek(r, 0) : '\0';

    if (c == '!')
        return yaml_read_anchor(r, &name); /* refused: a tag */
    if (c == '*')
        return yaml_wrong(r, r->p.at, "an alias cannot carry an anchor");
    return c != '&' || yaml_outside(r, r->p.at, "a value has one anchor, and a key has none");
}

bool yaml_check_key(struct yaml_reader *r, const struct yaml_text *key, size_t line)
{
    enum { KEY_MOST = 1024 };
    struct str all = { r->t.s + key->at, r->p.at - key->at };

    if (r->p.line != line)
        return yaml_wrong(r, key->at, "a key stands on one line");
    if (all.n > KEY_MOST && str_chars(all) > KEY_MOST)
        return yaml_wrong(r, key->at, "a key of more than 1024 characters needs a '?' before it");
    return true;
}

/* Passes what may stand between the parts of a list or map in brackets. */
static bool skip_in_brackets(struct yaml_reader *r, ptrdiff_t least)
{
    size_t line = r->p.line;
    bool closes;

    yaml_skip(r);
    if (r->p.line == line || r->p.at == r->t.n)
        return true;
    if (yaml_ended(r))
        return yaml_wrong(r, r->p.at, "the document ends inside brackets");
    /* A closing bracket may stand in the column of the key, where most people put it. */
    closes = is_one_of(yaml_peek(r, 0), "]}");
    return r->p.indent + closes >= least ||
           yaml_wrong(r, r->p.at, "the lines inside brackets stand deeper than their key");
}

/* A value in brackets, behind its anchor. */
static bool read_part(struct yaml_reader *r, ptrdiff_t least, struct str anchor)
{
    char c = yaml_peek(r, 0);
    struct yaml_text text;

    if (is_one_of(c, ",]}"))
        return yaml_put_empty(r, r->p.at, anchor);
    if (c == '*')
        return yaml_put_alias(r);
    if (c == '[' || c == '{')
        return yaml_read_flow(r, least, anchor);
    return yaml_read_text(r, least, true, &text) && yaml_put_text(r, &text, anchor);
}

static bool read_part_anchor(struct yaml_reader *r, ptrdiff_t least, struct str *anchor)
{
    return yaml_read_anchor(r, anchor) && (!anchor->s || skip_in_brackets(r, least)) &&
           yaml_check_anchored(r, *anchor);
}

/* The ':' of a key in brackets: behind quotes a value may follow at once (149). */
static bool flow_colon(const struct yaml_reader *r, bool quoted)
{
    return quoted ? yaml_peek(r, 0) == ':' : yaml_sign(r, ':', true);
}

/* What stands behind a key in brackets: ':' and a value, or neither. */
static bool read_member_value(struct yaml_reader *r, ptrdiff_t least, bool quoted)
{
    struct str anchor;

    if (!flow_colon(r, quoted))
        return yaml_put_empty(r, r->p.at, (struct str){ 0 });
    r->p.at++;
    return skip_in_brackets(r, least) && read_part_anchor(r, least, &anchor) &&
           read_part(r, least, anchor);
}

/* A key and its value between braces, or behind a '?' between brackets. */
static bool read_member(struct yaml_reader *r, ptrdiff_t least)
{
    struct yaml_text key;
    struct str anchor;

    if (yaml_sign(r, '?', true) && (yaml_blank(yaml_peek(r, 1)) || yaml_peek(r, 1) == '\n')) {
        r->p.at++;
        if (!skip_in_brackets(r, least))
            return false;
    }
    if (!read_part_anchor(r, least, &anchor))
        return false;
    if (yaml_sign(r, ':', true) || is_one_of(yaml_peek(r, 0), ",]}"))
        return yaml_put_empty(r, r->p.at, anchor); /* refused: the key is null */
    if (is_one_of(yaml_peek(r, 0), "*[{"))
        return read_part(r, least, anchor); /* refused: the key is no text */
    if (!yaml_read_text(r, least, true, &key) || !yaml_put_text(r, &key, anchor))
        return false;
    return skip_in_brackets(r, least) && read_member_value(r, least, !key.plain);
}

static bool read_single_pair(struct yaml_reader *r, ptrdiff_t least, const struct yaml_text *key,
                             struct str anchor)
{
    r->tree.at = key->at;
    return tree_open(&r->tree, DOC_MAP, (struct str){ 0 }) && yaml_put_text(r, key, anchor) &&
           read_member_value(r, least, !key->plain) && tree_close(&r->tree);
}

/* An item between brackets; `a: b` there is a map of one key. */
static bool read_item(struct yaml_reader *r, ptrdiff_t least)
{
    size_t begin = r->p.at, line = r->p.line;
    struct yaml_text text;
    struct str anchor;

    if (yaml_peek(r, 0) == ',')
        return yaml_wrong(r, begin, "an item is missing before this comma");
    if ((yaml_sign(r, '?', true) && !is_one_of(yaml_peek(r, 1), ",[]{}")) ||
        yaml_sign(r, ':', true)) {
        r->tree.at = begin;
        return tree_open(&r->tree, DOC_MAP, (struct str){ 0 }) && read_member(r, least) &&
               tree_close(&r->tree);
    }
    if (!read_part_anchor(r, least, &anchor))
        return false;
    if (anchor.s && yaml_sign(r, ':', true))
        return yaml_outside(r, begin, "a key cannot carry an anchor");
    if (is_one_of(yaml_peek(r, 0), "*[{,]}")) {
        if (!read_part(r, least, anchor))
            return false;
        yaml_skip_blanks(r);
        return yaml_peek(r, 0) != ':' ||
               yaml_outside(r, begin, "a key must be text, not a list or a map");
    }
    if (!yaml_read_text(r, least, true, &text))
        return false;
    if (r->p.line == line)
        yaml_skip_blanks(r);
    if (flow_colon(r, !text.plain))
        return yaml_check_key(r, &text, line) && read_single_pair(r, least, &text, anchor);
    return yaml_put_text(r, &text, anchor);
}

bool yaml_read_flow(struct yaml_reader *r, ptrdiff_t least, struct str anchor)
{
    bool list = yaml_peek(r, 0) == '[';
    char close = list ? ']' : '}';

    r->tree.at = r->p.at;
    if (!tree_open(&r->tree, list ? DOC_LIST : DOC_MAP, anchor))
        return false;
    r->p.at++;
    if (!skip_in_brackets(r, least))
        return false;
    while (yaml_peek(r, 0) != close) {
        if (!(list ? read_item(r, least) : read_member(r, least)) || !skip_in_brackets(r, least))
            return false;
        if (r->p.at == r->t.n)
            return yaml_wrong(r, r->tree.up->at, "the bracket that closes this one is missing");
        if (yaml_peek(r, 0) == close)
            break;
        if (yaml_peek(r, 0) != ',')
            return yaml_wrong(r, r->p.at, "here a comma or a closing bracket is missing");
        r->p.at++;
        if (!skip_in_brackets(r, least))
            return false;
    }
    r->p.at++;
    r->left_empty = false;
    return tree_close(&r->tree);
}
