/* SPDX-License-Identifier: Apache-2.0 */
/* yaml.c: YAML text to a document. The only file that knows libfyaml.
 *
 * libfyaml gives events; the tree, the typing and every ceiling are ours. Its own document mode
 * would resolve aliases without a bound.
 */
#include "base/yaml.h"

#include <libfyaml.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/json_write.h"
#include "base/utf8.h"
#include "base/yaml_block.h"
#include "base/yaml_guard.h"
#include "base/yaml_scalar.h"

struct anchor {
    struct str name;
    const struct doc *value;
    struct anchor *before;
};

struct reader {
    struct fy_parser *parser;
    struct fy_diag *diag;
    struct arena *a;
    const struct ceilings *max;
    struct document *document;
    struct doc *up; /* the list or map being filled, or NULL */
    struct anchor *anchors;
    struct error *e;
    struct str key; /* read, its value not yet; key.s is NULL otherwise */
    size_t at, key_at;
    uint32_t depth, values, anchor_count;
    bool done; /* the root is complete */
};

PRINTF(4, 5)
static bool refuse(struct reader *r, int code, size_t at, const char *fmt, ...)
{
    struct at place = r->up ? doc_at(r->up) : (struct at){ .file = r->document->file };
    char msg[ERROR_MSG];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    text_place(r->document->text, at, &place.line, &place.col);
    return error_at(r->e, code, &place, "%s", msg);
}

static bool above(struct reader *r, enum ceiling which)
{
    return refuse(r, ERROR_CEILING, r->at, "%s is above %u: %s", ceiling_rows[which].name,
                  r->max->v[which], ceiling_rows[which].meaning);
}

/* What libfyaml found wrong, where it found it. */
static bool refuse_syntax(struct reader *r)
{
    struct at place = { .file = r->document->file };
    void *walk = NULL;
    const struct fy_diag_error *found = fy_diag_errors_iterate(r->diag, &walk);

    if (!found)
        return refuse(r, ERROR_SYNTAX, r->at, "this is not YAML");
    place.line = found->line;
    place.col = found->column;
    return error_at(r->e, ERROR_SYNTAX, &place, "this is not YAML: %s", found->msg);
}

/* Adds the text of a token piece by piece. fy_token_get_text() would do it in one call, but where
 * its two passes disagree it leaves memory unwritten and does not say so. */
static bool add_pieces(struct fy_token *token, struct buf *to)
{
    struct fy_token_iter *pieces = fy_token_iter_create(token);
    const struct fy_iter_chunk *piece = NULL;
    int fault = 0;

    if (!pieces)
        mem_end();
    while ((piece = fy_token_iter_chunk_next(pieces, piece, &fault)))
        buf_add(to, piece->str, piece->len);
    fy_token_iter_finish(pieces);
    fy_token_iter_destroy(pieces);
    return fault == 0;
}

static bool token_text(struct reader *r, struct fy_token *token, struct str *out)
{
    _buf_ struct buf text = { .max = r->max->v[CEILING_TEXT] };

    if (token && !add_pieces(token, &text))
        return refuse(r, ERROR_SYNTAX, r->at, "this is not YAML: the text cannot be read");
    if (!buf_ok(&text))
        return above(r, CEILING_TEXT);
    *out = (struct str){ arena_text(r->a, buf_str(&text)), text.len };
    return true;
}

/* The value that comes next: the root, an item, or the member whose key was read. */
static struct doc *place_value(struct reader *r)
{
    struct doc *d = r->up ? doc_add(r->a, r->up, r->key) : &r->document->root;

    d->at = (uint32_t)r->at;
    d->key_at = (uint32_t)r->key_at;
    r->key = (struct str){ 0 };
    return d;
}

static bool count_value(struct reader *r)
{
    return ++r->values <= r->max->v[CEILING_VALUES] || above(r, CEILING_VALUES);
}

static bool keep_anchor(struct reader *r, struct fy_token *token, const struct doc *value)
{
    struct anchor *anchor;

    if (!token)
        return true;
    if (++r->anchor_count > r->max->v[CEILING_ANCHORS])
        return above(r, CEILING_ANCHORS);
    anchor = arena_new(r->a, struct anchor);
    *anchor = (struct anchor){ .value = value, .before = r->anchors };
    r->anchors = anchor;
    return token_text(r, token, &anchor->name);
}

/* libfyaml's mark stands behind the quote or the star that begins a value. */
static void step_back(struct reader *r, const char *marks)
{
    if (r->at > 0 && r->at <= r->document->text.n && strchr(marks, r->document->text.s[r->at - 1]))
        r->at--;
}

/* Of the key or the dash before the value that comes next. An explicit key stands behind its
 * question mark, so the map counts too. */
static int column_of_parent(const struct reader *r)
{
    int up = r->up ? yaml_column(r->document->text, r->up->at) : -1;
    int key = r->key.s ? yaml_column(r->document->text, r->key_at) : up;

    return key < up ? key : up;
}

/* libfyaml takes a value on a later line that stands no deeper than its key. Inside brackets the
 * rule is another one. */
static bool stands_deeper(struct reader *r, struct str text)
{
    struct str source = r->document->text;
    bool flow = r->up && (source.s[r->up->at] == '[' || source.s[r->up->at] == '{');

    if (flow || text.n == 0 || !r->up || yaml_column(source, r->at) > column_of_parent(r))
        return true;
    return refuse(r, ERROR_SYNTAX, r->at,
                  "this is not YAML: a value must stand deeper than its key");
}

/* To the | or > that begins the text, where people look for it. */
static void step_to_header(struct reader *r)
{
    size_t at = r->at < r->document->text.n ? r->at : r->document->text.n;

    while (at > 0 && r->document->text.s[at - 1] != '|' && r->document->text.s[at - 1] != '>')
        at--;
    r->at = at > 0 ? at - 1 : r->at;
}

static bool check_block(struct reader *r, struct fy_token *token, struct str text)
{
    enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
    struct yaml_block block = { .source = r->document->text,
                                .text = text,
                                .at = r->at,
                                .column = column_of_parent(r),
                                .folded = style == FYSS_FOLDED };
    const char *why;

    if (style != FYSS_FOLDED && style != FYSS_LITERAL)
        return true;
    if (!r->up) /* its lines need not stand deeper than anything, and libfyaml drops some */
        return refuse(r, ERROR_SUBSET, r->at, "a document cannot be one block text; quote it");
    why = yaml_block(&block);
    step_to_header(r);
    return !why || refuse(r, ERROR_SUBSET, r->at, "%s", why);
}

/* A key is text. A plain word that is a number, a truth or nothing by the core schema is taken for
 * its text only where every reader would: 8080 and true, but not 0x1F, +1 or ~. */
static bool key_is_text(struct reader *r, struct str text)
{
    _buf_ struct buf canonical = { .max = r->max->v[CEILING_TEXT] };
    struct doc value = { 0 };
    const char *why;
    bool known = yaml_scalar(text, &value, &why);

    if (text.n == 0 || (known && value.kind == DOC_TEXT))
        return true;
    if (known && value.kind != DOC_NULL)
        json_put_doc(&canonical, &value);
    return str_eq(buf_str(&canonical), text) ||
           refuse(r, ERROR_SUBSET, r->at, "this key reads as a number, a truth or null; quote it");
}

static bool read_key(struct reader *r, struct fy_event *ev, struct str text, bool plain)
{
    if (memchr(text.s, '\0', text.n))
        return refuse(r, ERROR_SUBSET, r->at, "a key must not hold the character NUL");
    if (ev->scalar.anchor)
        return refuse(r, ERROR_SUBSET, r->at, "a key cannot carry an anchor");
    r->key = text;
    r->key_at = r->at;
    return !plain || key_is_text(r, text);
}

static bool read_scalar(struct reader *r, struct fy_event *ev)
{
    bool plain = !ev->scalar.value || fy_token_scalar_style(ev->scalar.value) == FYSS_PLAIN;
    struct str text;
    struct doc *d;
    const char *why;

    if (!plain)
        step_back(r, "\"'");
    if (!token_text(r, ev->scalar.value, &text) || !check_block(r, ev->scalar.value, text))
        return false;
    if (r->up && r->up->kind == DOC_MAP && !r->key.s)
        return read_key(r, ev, text, plain);
    if (!stands_deeper(r, text))
        return false;
    d = place_value(r);
    d->kind = DOC_TEXT;
    d->text = text;
    if (plain && !yaml_scalar(text, d, &why))
        return refuse(r, ERROR_NUMBER, r->at, "%.*s %s", (int)(text.n < 40 ? text.n : 40), text.s,
                      why);
    return count_value(r) && keep_anchor(r, ev->scalar.anchor, d);
}

static bool open_container(struct reader *r, enum doc_kind kind, struct fy_token *anchor)
{
    struct doc *d;

    if (r->up && r->up->kind == DOC_MAP && !r->key.s)
        return refuse(r, ERROR_SUBSET, r->at, "a key must be text, not a list or a map");
    if (++r->depth > r->max->v[CEILING_DEPTH])
        return above(r, CEILING_DEPTH);
    d = place_value(r);
    d->kind = kind;
    r->up = d;
    return count_value(r) && keep_anchor(r, anchor, d);
}

static bool close_container(struct reader *r)
{
    if (r->up->kind == DOC_MAP) {
        const struct doc *twice = doc_twice(r->up, r->a);

        if (twice)
            return refuse(r, ERROR_DUPLICATE, twice->key_at, "the key %s is given twice",
                          key_said(twice, r->a));
    }
    r->up = r->up->up;
    r->depth--;
    return true;
}

static bool copy_children(struct reader *r, const struct doc *from, struct doc *to)
{
    for (const struct doc *c = from->first; c; c = c->next) {
        struct doc *d = doc_add(r->a, to, c->key);

        d->kind = c->kind;
        d->at = c->at;
        d->key_at = c->key_at;
        if (!count_value(r))
            return false;
        if (c->kind < DOC_LIST)
            d->text = c->text;
        else if (!copy_children(r, c, d))
            return false;
    }
    return true;
}

static uint32_t height(const struct doc *d)
{
    uint32_t most = 0;

    if (d->kind < DOC_LIST)
        return 0;
    for (const struct doc *c = d->first; c; c = c->next) {
        uint32_t h = height(c);

        most = h > most ? h : most;
    }
    return most + 1;
}

static bool is_open(const struct reader *r, const struct doc *d)
{
    for (const struct doc *up = r->up; up; up = up->up)
        if (up == d)
            return true;
    return false;
}

static bool read_alias(struct reader *r, struct fy_event *ev)
{
    const struct anchor *anchor = r->anchors;
    struct str name;
    struct doc *d;

    step_back(r, "*");
    if (!token_text(r, ev->alias.anchor, &name))
        return false;
    if (r->up && r->up->kind == DOC_MAP && !r->key.s)
        return refuse(r, ERROR_SUBSET, r->at, "a key cannot be an alias");
    while (anchor && !str_eq(anchor->name, name))
        anchor = anchor->before;
    if (!anchor)
        return refuse(r, ERROR_SYNTAX, r->at, "no anchor '&%.*s' stands before this alias",
                      STR_ARG(name));
    if (is_open(r, anchor->value))
        return refuse(r, ERROR_SUBSET, r->at, "the alias '*%.*s' stands inside what it repeats",
                      STR_ARG(name));
    if (r->depth + height(anchor->value) > r->max->v[CEILING_DEPTH])
        return above(r, CEILING_DEPTH);
    d = place_value(r);
    d->kind = anchor->value->kind;
    if (d->kind < DOC_LIST)
        d->text = anchor->value->text;
    return count_value(r) && (d->kind < DOC_LIST || copy_children(r, anchor->value, d));
}

static bool refuse_tag(struct reader *r, struct fy_token *tag)
{
    const struct fy_mark *mark = fy_token_start_mark(tag);

    return refuse(r, ERROR_SUBSET, mark ? mark->input_pos : r->at,
                  "tags are not read; the value's own form says what it is");
}

static bool take_event(struct reader *r, struct fy_event *ev)
{
    switch ((int)ev->type) {
    case FYET_DOCUMENT_START:
        return !r->done || refuse(r, ERROR_SUBSET, r->at,
                                  "a second document begins here; writ "
                                  "reads one in each file");
    case FYET_DOCUMENT_END: r->done = true; return true;
    case FYET_SCALAR:
        if (ev->scalar.tag)
            return refuse_tag(r, ev->scalar.tag);
        return read_scalar(r, ev);
    case FYET_SEQUENCE_START:
        if (ev->sequence_start.tag)
            return refuse_tag(r, ev->sequence_start.tag);
        return open_container(r, DOC_LIST, ev->sequence_start.anchor);
    case FYET_MAPPING_START:
        if (ev->mapping_start.tag)
            return refuse_tag(r, ev->mapping_start.tag);
        return open_container(r, DOC_MAP, ev->mapping_start.anchor);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END: return close_container(r);
    case FYET_ALIAS: return read_alias(r, ev);
    default: return true;
    }
}

static bool read_events(struct reader *r)
{
    for (bool end = false, ok; !end;) {
        struct fy_event *ev = fy_parser_parse(r->parser);
        const struct fy_mark *mark;

        if (!ev)
            return refuse_syntax(r);
        mark = fy_event_start_mark(ev);
        if (mark)
            r->at = mark->input_pos;
        end = ev->type == FYET_STREAM_END;
        ok = take_event(r, ev);
        fy_parser_event_free(r->parser, ev);
        if (!ok)
            return false;
    }
    if (r->done)
        return true;
    return refuse(r, ERROR_SYNTAX, 0, "the document is empty");
}

static bool parse(struct reader *r, struct str text)
{
    struct fy_diag_cfg quiet;
    struct fy_parse_cfg cfg = { .flags = FYPCF_QUIET | FYPCF_JSON_NONE | FYPCF_DISABLE_DEPTH_LIMIT |
                                         FYPCF_DEFAULT_VERSION_1_2 };
    bool ok = false;

    fy_diag_cfg_default(&quiet);
    quiet.fp = NULL;
    quiet.colorize = false;
    r->diag = cfg.diag = fy_diag_create(&quiet);
    if (!r->diag)
        mem_end();
    fy_diag_set_collect_errors(r->diag, true);
    r->parser = fy_parser_create(&cfg);
    if (!r->parser)
        mem_end();
    if (fy_parser_set_string(r->parser, text.s, text.n) == 0)
        ok = read_events(r);
    else
        ok = refuse_syntax(r);
    fy_parser_destroy(r->parser);
    fy_diag_destroy(r->diag);
    return ok;
}

/* YAML reads CRLF as LF everywhere. libfyaml does not inside quotes, so it is given LF. */
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
    struct reader r = { .a = a, .max = max, .document = document, .e = e };
    enum ceiling broken;
    const char *why;
    size_t bad;

    document->file = file;
    document->text = text;
    broken = yaml_guard(text, max, &r.at);
    if (broken != CEILING_COUNT)
        return above(&r, broken);
    document->text = text = only_line_feeds(text, a);
    bad = utf8_valid(text);
    if (bad < text.n)
        return refuse(&r, ERROR_ENCODING, bad, "byte 0x%02x is not UTF-8",
                      (unsigned char)text.s[bad]);
    why = yaml_character(text, &bad);
    if (!why)
        why = yaml_directive(text, &bad);
    if (!why)
        why = yaml_end(text, &bad);
    if (why)
        return refuse(&r, ERROR_SYNTAX, bad, "%s", why);
    if (text.n == 0)
        return refuse(&r, ERROR_SYNTAX, 0, "the document is empty");
    if (!parse(&r, text))
        return false;
    *out = document;
    return true;
}
