/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c: the errors of an execution, in the order they happened, and as trees. */
#include "plan/trace.h"

#include "base/utf8.h"

static const struct document empty = { .root = { .kind = DOC_MAP } };

/* What others say may be long, and a program's last words need not be UTF-8. */
static struct str fit(const char *message, struct arena *a)
{
    static const char unknown[] = "\xef\xbf\xbd"; /* U+FFFD */
    const char *end = message + strlen(message);
    _buf_ struct buf text = { .max = (size_t)4 * ERROR_MESSAGE_CHARS };

    for (size_t chars = 0; message < end && chars < ERROR_MESSAGE_CHARS; chars++) {
        size_t n = utf8_step(message, end);

        buf_add(&text, n ? message : unknown, n ? n : sizeof unknown - 1);
        message += n ? n : 1;
    }
    return (struct str){ arena_text(a, buf_str(&text)), text.len };
}

const struct error_doc *error_make(const struct fault *fault, struct arena *a)
{
    const struct code_row *code = &codes[fault->code];
    struct error_doc *error = arena_new(a, struct error_doc);

    *error = (struct error_doc){
        .error_code = str_of(code->name),
        .message = fault->message ? fit(fault->message, a) : str_of(code->meaning),
        .step_id = fault->step_id,
        .severity = fault->severity,
        .recoverable = severities[fault->severity].recoverable,
        .cause = fault->cause,
        .context = fault->context && fault->context->kind == DOC_MAP ? fault->context : &empty.root,
    };
    return error;
}

void trace_add(struct trace *t, const struct error_doc *error, struct arena *a)
{
    t->v = arena_more(a, t->v, t->n, &t->room, sizeof *t->v);
    t->v[t->n++] = (struct traced){ .error = error };
}

void trace_remove(struct trace *t, const struct error_doc *error)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n; i++)
        if (t->v[i].error != error)
            t->v[n++] = t->v[i];
    t->n = n;
}

/* An error has the text of its step's id, not a copy. */
void trace_overcome(struct trace *t, size_t first, struct str step_id)
{
    for (size_t i = first; i < t->n; i++)
        if (t->v[i].error->step_id.s == step_id.s)
            t->v[i].overcome = true;
}

static size_t rank_of(const struct error_doc *error, const struct plan_doc *plan,
                      const size_t *order)
{
    const struct step_doc *steps = plan->steps.v;
    size_t rank = 0;

    while (rank < plan->steps.n && steps[order[rank]].id.s != error->step_id.s)
        rank++;
    return rank;
}

struct ranked {
    size_t rank, place;
    struct traced traced;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank)
                              : (x->place > y->place) - (x->place < y->place);
}

void trace_order(struct trace *t, const struct plan_doc *plan, const size_t *order, struct arena *a)
{
    struct ranked *ranked = arena_alloc(a, (t->n + 1) * sizeof *ranked);

    for (size_t i = 0; i < t->n; i++)
        ranked[i] = (struct ranked){ rank_of(t->v[i].error, plan, order), i, t->v[i] };
    qsort(ranked, t->n, sizeof *ranked, by_rank);
    for (size_t i = 0; i < t->n; i++)
        t->v[i] = ranked[i].traced;
}

const struct error_doc *trace_first(const struct trace *t, enum severity severity)
{
    for (size_t i = 0; i < t->n; i++)
        if (!t->v[i].overcome && t->v[i].error->severity == (int)severity)
            return t->v[i].error;
    return NULL;
}

void tree_share(struct doc *to, const struct doc *from)
{
    struct doc at = *to;

    *to = *from;
    to->key = at.key;
    to->key_at = at.key_at;
    to->up = at.up;
    to->next = at.next;
}

/* Causes are as deep as we make them: a plan's error and under it a step's. What is not there is
 * null, as the contract prints it. */
void error_tree(const struct error_doc *error, struct doc *to, struct arena *a)
{
    struct doc *cause;

    to->kind = DOC_MAP;
    doc_add_text(a, to, "error_code", error->error_code);
    doc_add_text(a, to, "message", error->message);
    if (error->step_id.s)
        doc_add_text(a, to, "step_id", error->step_id);
    else
        (void)doc_add_kind(a, to, "step_id", DOC_NULL);
    doc_add_text(a, to, "severity", str_of(severities[error->severity].name));
    doc_add_bool(a, to, "recoverable", error->recoverable);
    cause = doc_add_kind(a, to, "cause", DOC_NULL);
    if (error->cause)
        error_tree(error->cause, cause, a);
    tree_share(doc_add_kind(a, to, "context", DOC_NULL), error->context);
}
