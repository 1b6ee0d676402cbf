/* SPDX-License-Identifier: Apache-2.0 */
/* parse_json.c: output that is JSON, JSON on each line, or YAML: read as documents are. */
#include "adapter/transform_parts.h"
#include "base/json_read.h"
#include "base/yaml.h"

/* The reader's place goes into the words: the error's own place is that of the transform. */
static bool misread(const struct making *m, size_t line)
{
    const struct at at = m->e->at;

    if (at.line == 0)
        return false;
    return error_wrap(m->e, "line %zu, column %d", line + (size_t)at.line - 1, at.col);
}

static const char blanks[] = " \t\r\n";

bool parse_json(const struct making *m, const void *options, struct str text,
                const struct doc **out)
{
    struct ceilings max = ceilings_answer();
    const struct document *document;

    (void)options;
    if (str_only(text, blanks))
        return error_set(m->e, CODE_TRANSFORM_FAILED, "there is nothing to read");
    if (!json_read("output", text, &max, m->a, &document, m->e))
        return misread(m, 1);
    *out = &document->root;
    return true;
}

/* Gives a value of a list what was read; it takes the children over. */
static void take_over(struct doc *to, const struct doc *read)
{
    struct doc *up = to->up;

    *to = *read;
    to->up = up;
    if (to->kind == DOC_LIST || to->kind == DOC_MAP)
        for (struct doc *c = to->first; c; c = c->next)
            c->up = to;
}

/* Of what was read: those inside of it. As deep as the reader lets it be. */
static size_t values_in(const struct doc *d)
{
    size_t n = 0;

    if (d->kind != DOC_LIST && d->kind != DOC_MAP)
        return 0;
    for (const struct doc *c = d->first; c; c = c->next)
        n += 1 + values_in(c);
    return n;
}

bool parse_json_lines(const struct making *m, const void *options, struct str text,
                      const struct doc **out)
{
    struct ceilings max = ceilings_answer();
    struct doc *list = doc_root(m->a, DOC_LIST);
    const struct document *document;
    size_t inside;

    (void)options;
    for (size_t line = 1; text.n > 0; line++) {
        struct str one = line_next(&text);
        struct doc *item;

        if (str_only(one, blanks))
            continue;
        item = work_do(m->w, work_text(one)) ? made(m, list, (struct str){ 0 }, DOC_NULL) : NULL;
        if (!item)
            return making_over(m);
        if (!json_read("output", one, &max, m->a, &document, m->e))
            return misread(m, line);
        inside = values_in(&document->root);
        if (!may_make(m, inside))
            return making_over(m);
        *m->values += (uint32_t)inside;
        take_over(item, &document->root);
    }
    *out = list;
    return true;
}

bool parse_yaml(const struct making *m, const void *options, struct str text,
                const struct doc **out)
{
    struct ceilings max = ceilings_answer();
    const struct document *document;

    (void)options;
    if (!yaml_read("output", text, &max, m->a, &document, m->e))
        return misread(m, 1);
    *out = &document->root;
    return true;
}
