/* SPDX-License-Identifier: Apache-2.0 */
/* out.c: what is done to output: parse, extract, format. */
#include "adapter/transform_parts.h"
#include "base/json_read.h"
#include "base/jsonpath.h"
#include "base/pointer.h"

/* ---- parse ---- */

/* What is a text in a document is read as bytes are; what is read already stays. */
bool change_parse(const struct making *m, const struct doc *spec, struct value *value)
{
    const struct doc *d = value->doc;
    bool reads_documents =
        spec->kind == DOC_TEXT && (str_is(spec->text, "json") || str_is(spec->text, "yaml"));

    if (d && d->kind != DOC_TEXT && reads_documents)
        return true;
    if (d && d->kind != DOC_TEXT)
        return unfit(m, d, "text");
    if (!parse_output(spec, d ? d->text : value->bytes, m->a, &d, m->e))
        return false;
    *value = (struct value){ .doc = d };
    return true;
}

/* ---- extract ---- */

/* The document there is; bytes are read as JSON. */
static bool read_value(const struct making *m, struct value *value)
{
    static const struct doc json = { .kind = DOC_TEXT, .text = { "json", 4 } };

    return value->doc || parse_output(&json, value->bytes, m->a, &value->doc, m->e);
}

/* Values are copied: a path can select one of them very often, and what is written out in the end
 * must be paid for. */
static bool copied(const struct making *m, const struct doc *from, struct doc *to)
{
    return doc_copy(from, to, m->w, m->a) || making_over(m);
}

static bool nothing_there(const struct making *m, const struct doc *spec)
{
    return error_set(m->e, CODE_TRANSFORM_FAILED, "there is nothing at %s", said(spec->text, m->a));
}

static bool by_path(const struct making *m, const struct doc *spec, const struct doc *d,
                    struct doc **out)
{
    const struct jsonpath *path;
    struct nodes nodes = { 0 };

    if (!jsonpath_read(spec->text, m->a, &path, m->e))
        return false;
    if (!jsonpath_run(path, d, m->a, m->w, &nodes))
        return making_over(m);
    if (jsonpath_singular(path)) {
        *out = doc_root(m->a, DOC_NULL);
        return nodes.n > 0 ? copied(m, nodes.v[0], *out) : nothing_there(m, spec);
    }
    *out = doc_root(m->a, DOC_LIST);
    for (size_t i = 0; i < nodes.n; i++)
        if (!copied(m, nodes.v[i], doc_add(m->a, *out, (struct str){ 0 })))
            return false;
    return true;
}

static bool by_pointer(const struct making *m, const struct doc *spec, const struct doc *d,
                       struct doc **out)
{
    struct pointer pointer;

    if (!pointer_read(spec->text, m->a, &pointer, m->e))
        return false;
    d = pointer_find(&pointer, d, m->w);
    if (m->w->over)
        return making_over(m);
    if (!d)
        return nothing_there(m, spec);
    *out = doc_root(m->a, DOC_NULL);
    return copied(m, d, *out);
}

bool change_extract(const struct making *m, const struct doc *spec, struct value *value)
{
    struct value now = *value;
    struct doc *found = NULL;

    if (spec->kind != DOC_TEXT)
        return unfit(m, spec, "a JSONPath or a JSON Pointer");
    if (!read_value(m, &now))
        return false;
    if (str_begins(spec->text, "$") ? !by_path(m, spec, now.doc, &found)
                                    : !by_pointer(m, spec, now.doc, &found))
        return false;
    *value = (struct value){ .doc = found };
    return true;
}

/* ---- format ---- */

bool change_format(const struct making *m, const struct doc *spec, struct value *value)
{
    _buf_ struct buf to = { .max = BYTES_MOST };
    struct doc *text = doc_root(m->a, DOC_TEXT);
    const struct way *way;
    const void *options;

    if (!way_of(&formats, spec, m, &way, &options))
        return false;
    if (!value->doc && way->format == format_text)
        return true; /* whatever the bytes are */
    if (!value->doc && !is_text(value->bytes, m->e))
        return error_wrap(m->e, "%s", way->name);
    text->text = value->bytes.n ? value->bytes : str_of("");
    if (!way->format(m, options, value->doc ? value->doc : text, &to))
        return error_wrap(m->e, "%s", way->name);
    if (!buf_ok(&to))
        return error_set(m->e, CODE_TRANSFORM_FAILED, "%s: more than %d bytes", way->name,
                         BYTES_MOST);
    *value = (struct value){ .bytes = { arena_text(m->a, buf_str(&to)), to.len } };
    return true;
}
