/* SPDX-License-Identifier: Apache-2.0 */
/* config_extend.c: the route contract that writ ships, and the classes that people added. */
#include "contract/config_doc.h"

struct added {
    const struct config_class *class;
    const struct doc *written; /* its class_id */
    size_t document, n;
};

static int by_class(const void *a, const void *b)
{
    const struct added *x = a, *y = b;
    int order = str_cmp(x->class->class_id, y->class->class_id);

    if (order == 0)
        order = (x->document > y->document) - (x->document < y->document);
    return order != 0 ? order : (x->n > y->n) - (x->n < y->n);
}

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* All classes of all documents, sorted. */
static struct added *gather(const struct doc *const *documents,
                            const struct config_doc *const *configs, size_t n, struct arena *a,
                            size_t *count)
{
    struct added *all;
    size_t most = 0;

    for (size_t i = 0; i < n; i++)
        most += configs[i]->classes.n;
    all = arena_alloc(a, (most + 1) * sizeof *all);
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        const struct config_class *class = configs[i]->classes.v;
        const struct doc *d = doc_first(doc_get(documents[i], "classes"), DOC_LIST);

        for (size_t k = 0; d && k < configs[i]->classes.n; k++, d = d->next)
            if (class[k].class_id.n)
                all[(*count)++] = (struct added){ &class[k], doc_get(d, "class_id"), i, k };
    }
    qsort(all, *count, sizeof *all, by_class);
    return all;
}

/* The root of a document comes first in it. */
static const char *file_of(const struct doc *root)
{
    return ((const struct document *)root)->file;
}

static void report_taken(const struct added *all, size_t count, const struct doc *const *documents,
                         struct report *r)
{
    for (size_t i = 0; i < count; i++) {
        struct str id = all[i].class->class_id;

        if (i && str_eq(all[i - 1].class->class_id, id))
            report_add(r, ABOUT_VALUE, all[i].written, CODE_CONTRACT_INVALID,
                       "%s is a class of %s already; choose another id", said(id, r->a),
                       file_of(documents[all[i - 1].document]));
    }
}

/* Invariant 1: texts are lexical. People need not care about their order. */
static struct items sorted(const struct items *texts, struct arena *a)
{
    struct str *copy = arena_alloc(a, texts->n * sizeof *copy);

    memcpy(copy, texts->v, texts->n * sizeof *copy);
    qsort(copy, texts->n, sizeof *copy, by_text);
    return (struct items){ copy, texts->n };
}

static int64_t or_hard(int64_t secs, const struct config_class *c)
{
    return secs ? secs : c->hard_timeout_secs;
}

static struct class_doc class_of(const struct config_class *c, struct arena *a)
{
    return (struct class_doc){ .class_id = c->class_id,
                               .label = c->label.n ? c->label : c->class_id,
                               .allowed_prefixes = sorted(&c->allowed_prefixes, a),
                               .force_rch = c->force_rch,
                               .default_timeout_secs = or_hard(c->default_timeout_secs, c) };
}

static struct timeout_doc timeout_of(const struct config_class *c)
{
    return (struct timeout_doc){ .class_id = c->class_id,
                                 .soft_timeout_secs = or_hard(c->soft_timeout_secs, c),
                                 .hard_timeout_secs = c->hard_timeout_secs,
                                 .cancel_grace_secs = c->cancel_grace_secs };
}

/* Classes and timeouts are in the same order, as invariant 2 has it, and stay so. */
static void merge(const struct added *all, size_t count, struct arena *a, struct route_doc *out)
{
    size_t shipped = out->command_classes.n, n = shipped + count, from = 0, k = 0;
    const struct class_doc *old_class = out->command_classes.v;
    const struct timeout_doc *old_timeout = out->timeout_profiles.v;
    struct class_doc *class = arena_alloc(a, n * sizeof *class);
    struct timeout_doc *timeout = arena_alloc(a, n * sizeof *timeout);

    for (size_t i = 0; i < n; i++) {
        if (k == count ||
            (from < shipped && str_cmp(old_class[from].class_id, all[k].class->class_id) < 0)) {
            class[i] = old_class[from];
            timeout[i] = old_timeout[from++];
        } else {
            class[i] = class_of(all[k].class, a);
            timeout[i] = timeout_of(all[k++].class);
        }
    }
    out->command_classes = (struct items){ class, n };
    out->timeout_profiles = (struct items){ timeout, n };
}

bool route_extended(const struct doc *const *documents, const struct config_doc *const *configs,
                    size_t n, struct arena *a, struct route_doc *out, struct report *r)
{
    uint32_t before = r->errors;
    size_t count;
    const struct added *all = gather(documents, configs, n, a, &count);

    report_taken(all, count, documents, r);
    if (r->errors != before)
        return false;
    route_shipped(a, out);
    merge(all, count, a, out);
    return true;
}
