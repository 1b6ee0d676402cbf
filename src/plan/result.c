/* SPDX-License-Identifier: Apache-2.0 */
/* result.c: what a plan's result is made of: trees of outputs and errors, and its text. */
#include "plan/result.h"

#include "base/json_write.h"

/* More than a thousand steps with the largest output each. */
#define RESULT_BYTES ((size_t)1 << 30)

/* Where a plan was refused there may be more steps than ids. */
static struct str id_of(const struct steps *s, size_t step)
{
    const struct step_doc *steps = s->context->plan->steps.v;

    return steps ? steps[step].id : (struct str){ 0 };
}

static bool is_completed(const struct steps *s, size_t step)
{
    return s->v && s->v[step].state == STEP_COMPLETED;
}

static void add_error(struct doc *list, const struct error_doc *error, struct arena *a)
{
    error_tree(error, doc_add_kind(a, list, NULL, DOC_NULL), a);
}

/* Adds the list of those errors, where there are any. */
static void add_list(struct doc *to, const char *key, const struct trace *t, bool overcome,
                     struct arena *a)
{
    struct doc *list = NULL;

    for (size_t i = 0; i < t->n; i++) {
        const struct traced *one = &t->v[i];

        if (overcome ? !one->overcome : one->error->severity != SEVERITY_WARN)
            continue;
        if (!list)
            list = doc_add_kind(a, to, key, DOC_LIST);
        add_error(list, one->error, a);
    }
}

const struct doc *result_payload(const struct steps *s, struct arena *a)
{
    struct doc *payload = doc_root(a, DOC_MAP);
    struct doc *given = doc_add_kind(a, payload, "steps", DOC_MAP);

    for (size_t i = 0; i < s->n; i++) {
        struct doc *output;

        if (!is_completed(s, i))
            continue;
        output = doc_add(a, given, id_of(s, i));
        output->kind = DOC_MAP;
        if (s->v[i].output)
            tree_share(output, s->v[i].output);
    }
    add_list(payload, "warnings", &s->trace, false, a);
    add_list(payload, "retried_errors", &s->trace, true, a);
    return payload;
}

const struct doc *result_errors(const struct trace *t, struct arena *a)
{
    struct doc *list = doc_root(a, DOC_LIST);

    for (size_t i = 0; i < t->n; i++)
        add_error(list, t->v[i].error, a);
    return list;
}

const struct doc *result_failed(const struct trace *t, struct arena *a)
{
    struct doc *list = doc_root(a, DOC_LIST);
    const char *last = NULL; /* the errors of a step follow each other */

    for (size_t i = 0; i < t->n; i++) {
        const struct error_doc *error = t->v[i].error;

        if (!error->step_id.s || error->severity == SEVERITY_WARN || t->v[i].overcome ||
            error->step_id.s == last)
            continue;
        last = error->step_id.s;
        doc_add_text(a, list, NULL, error->step_id);
    }
    return list;
}

const struct doc *result_incomplete(const struct steps *s, struct arena *a)
{
    struct doc *list = doc_root(a, DOC_LIST);

    for (size_t i = 0; i < s->n; i++)
        if (!is_completed(s, i) && id_of(s, i).s)
            doc_add_text(a, list, NULL, id_of(s, i));
    return list;
}

const struct doc *result_context(const struct doc *own, const struct findings *findings,
                                 struct arena *a)
{
    const struct {
        const char *key;
        const struct doc *value;
    } added[] = {
        { "errors", findings->errors },
        { "failed_steps", findings->failed },
        { "incomplete_steps", findings->incomplete },
    };
    struct doc *context = doc_root(a, DOC_MAP);

    for (const struct doc *d = doc_first(own, DOC_MAP); d; d = d->next) {
        bool ours = false;

        for (size_t i = 0; i < COUNT(added); i++)
            ours |= str_is(d->key, added[i].key);
        if (!ours)
            tree_share(doc_add(a, context, d->key), d);
    }
    for (size_t i = 0; i < COUNT(added); i++)
        tree_share(doc_add_kind(a, context, added[i].key, DOC_NULL), added[i].value);
    return context;
}

/* Names of files, and what a message tells of them, may be any bytes; what is told and recorded is
 * JSON. */
bool result_text(const struct result_doc *result, struct arena *a, struct str *out, struct error *e)
{
    _buf_ struct buf raw = { .max = RESULT_BYTES }, text = { .max = RESULT_BYTES };

    shape_json(&result_shape, result, &raw);
    json_clean(&text, buf_str(&raw));
    text.full |= raw.full;
    if (!buf_ok(&text))
        return error_set(e, CODE_CEILING, "the result of the plan has more than %zu bytes",
                         RESULT_BYTES);
    *out = (struct str){ arena_text(a, buf_str(&text)), text.len };
    return true;
}
