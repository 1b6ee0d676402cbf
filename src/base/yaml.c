/* SPDX-License-Identifier: Apache-2.0 */
/* yaml.c: YAML text to a document. The only file that knows libfyaml.
 *
 * libfyaml gives events; the tree, the typing and every ceiling are ours (yaml/tree.c). Its own
 * document mode would resolve aliases without a bound.
 */
#include "base/yaml.h"

#include <libfyaml.h>

#include "base/utf8.h"
#include "base/yaml/block.h"
#include "base/yaml/guard.h"
#include "base/yaml/tree.h"

struct reader {
    struct fy_parser *parser;
    struct fy_diag *diag;
    struct yaml_tree tree;
    bool done; /* the document has ended */
};

/* Most who write "name: a: b" mean a text with a colon. */
static const char *advice(const char *msg)
{
    return strstr(msg, "nested block mapping") ? "; put a value that has ': ' in it in quotes" : "";
}

/* What libfyaml found wrong, where it found it. */
static bool refuse_syntax(struct reader *r)
{
    struct at place = { .file = r->tree.document->file };
    void *walk = NULL;
    const struct fy_diag_error *found = fy_diag_errors_iterate(r->diag, &walk);

    if (!found)
        return tree_refuse(&r->tree, ERROR_SYNTAX, r->tree.at, "this is not YAML");
    place.line = found->line;
    place.col = found->column;
    return error_at(r->tree.e, ERROR_SYNTAX, &place, "this is not YAML: %s%s", found->msg,
                    advice(found->msg));
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
    _buf_ struct buf text = { .max = r->tree.max->v[CEILING_TEXT] };

    if (token && !add_pieces(token, &text))
        return tree_refuse(&r->tree, ERROR_SYNTAX, r->tree.at,
                           "this is not YAML: the text cannot be read");
    if (!buf_ok(&text))
        return tree_above(&r->tree, CEILING_TEXT);
    *out = (struct str){ arena_text(r->tree.a, buf_str(&text)), text.len };
    return true;
}

/* libfyaml's mark stands behind the quote or the star that begins a value. */
static void step_back(struct reader *r, const char *marks)
{
    if (r->tree.at > 0 && r->tree.at <= r->tree.document->text.n &&
        strchr(marks, r->tree.document->text.s[r->tree.at - 1]))
        r->tree.at--;
}

/* libfyaml takes a value on a later line that stands no deeper than its key. Inside brackets the
 * rule is another one. */
static bool stands_deeper(struct reader *r, struct str text)
{
    struct str source = r->tree.document->text;
    bool flow = r->tree.up && (source.s[r->tree.up->at] == '[' || source.s[r->tree.up->at] == '{');

    if (flow || text.n == 0 || !r->tree.up || tree_wants_key(&r->tree) ||
        yaml_column(source, r->tree.at) > tree_parent_column(&r->tree))
        return true;
    return tree_refuse(&r->tree, ERROR_SYNTAX, r->tree.at,
                       "this is not YAML: a value must stand deeper than its key");
}

/* To the | or > that begins the text, where people look for it. */
static void step_to_header(struct reader *r)
{
    size_t at = r->tree.at < r->tree.document->text.n ? r->tree.at : r->tree.document->text.n;

    while (at > 0 && r->tree.document->text.s[at - 1] != '|' &&
           r->tree.document->text.s[at - 1] != '>')
        at--;
    r->tree.at = at > 0 ? at - 1 : r->tree.at;
}

static bool check_block(struct reader *r, struct fy_token *token, struct str text)
{
    enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
    struct yaml_block block = { .source = r->tree.document->text,
                                .text = text,
                                .at = r->tree.at,
                                .folded = style == FYSS_FOLDED };
    const char *why;

    if (style != FYSS_FOLDED && style != FYSS_LITERAL)
        return true;
    if (!r->tree.up) /* its lines need not stand deeper than anything, and libfyaml drops some */
        return tree_refuse(&r->tree, ERROR_SUBSET, r->tree.at,
                           "a document cannot be one block text; quote it");
    block.column = tree_parent_column(&r->tree); /* looks back to where its line begins */
    why = yaml_block(&block);
    step_to_header(r);
    return !why || tree_refuse(&r->tree, ERROR_SUBSET, r->tree.at, "%s", why);
}

/* The name of an anchor, or one without bytes. */
static bool anchor_name(struct reader *r, struct fy_token *token, struct str *out)
{
    *out = (struct str){ 0 };
    return !token || token_text(r, token, out);
}

static bool read_scalar(struct reader *r, struct fy_event *ev)
{
    bool plain = !ev->scalar.value || fy_token_scalar_style(ev->scalar.value) == FYSS_PLAIN;
    struct str text, anchor;

    if (!plain)
        step_back(r, "\"'");
    return token_text(r, ev->scalar.value, &text) && check_block(r, ev->scalar.value, text) &&
           stands_deeper(r, text) && anchor_name(r, ev->scalar.anchor, &anchor) &&
           tree_scalar(&r->tree, text, plain, anchor);
}

static bool read_open(struct reader *r, enum doc_kind kind, struct fy_token *anchor)
{
    struct str name;

    return anchor_name(r, anchor, &name) && tree_open(&r->tree, kind, name);
}

static bool read_alias(struct reader *r, struct fy_event *ev)
{
    struct str name;

    step_back(r, "*");
    return token_text(r, ev->alias.anchor, &name) && tree_alias(&r->tree, name);
}

static bool refuse_tag(struct reader *r, struct fy_token *tag)
{
    const struct fy_mark *mark = fy_token_start_mark(tag);

    return tree_refuse(&r->tree, ERROR_SUBSET, mark ? mark->input_pos : r->tree.at,
                       "tags are not read; the value's own form says what it is");
}

static bool take_event(struct reader *r, struct fy_event *ev)
{
    switch ((int)ev->type) {
    case FYET_DOCUMENT_START:
        return !r->done || tree_refuse(&r->tree, ERROR_SUBSET, r->tree.at,
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
        return read_open(r, DOC_LIST, ev->sequence_start.anchor);
    case FYET_MAPPING_START:
        if (ev->mapping_start.tag)
            return refuse_tag(r, ev->mapping_start.tag);
        return read_open(r, DOC_MAP, ev->mapping_start.anchor);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END: return tree_close(&r->tree);
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
            r->tree.at = mark->input_pos;
        end = ev->type == FYET_STREAM_END;
        ok = take_event(r, ev);
        fy_parser_event_free(r->parser, ev);
        if (!ok)
            return false;
    }
    if (r->done)
        return true;
    return tree_refuse(&r->tree, ERROR_SYNTAX, 0, "the document is empty");
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
    struct reader r = { .tree = { .a = a, .max = max, .document = document, .e = e } };
    enum ceiling broken;
    const char *why;
    size_t bad;

    document->file = file;
    document->text = text;
    broken = yaml_guard(text, max, &r.tree.at);
    if (broken != CEILING_COUNT)
        return tree_above(&r.tree, broken);
    if (str_begins(text, "\xef\xbb\xbf"))
        text = (struct str){ text.s + 3, text.n - 3 }; /* a byte order mark says nothing */
    document->text = text = only_line_feeds(text, a);
    bad = utf8_valid(text);
    if (bad < text.n)
        return tree_refuse(&r.tree, ERROR_ENCODING, bad, "byte 0x%02x is not UTF-8",
                           (unsigned char)text.s[bad]);
    if (text.n == 0)
        return tree_refuse(&r.tree, ERROR_SYNTAX, 0, "the document is empty");
    why = yaml_refused(text, &bad);
    if (why)
        return tree_refuse(&r.tree, ERROR_SYNTAX, bad, "%s", why);
    if (!parse(&r, text))
        return false;
    *out = document;
    return true;
}
