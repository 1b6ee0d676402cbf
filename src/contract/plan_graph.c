/* SPDX-License-Identifier: Apache-2.0 */
/* plan_graph.c: unique ids, known dependencies, no circles.
 *
 * Ids are found through a sorted index and every dependency is walked once, so a plan of 1024
 * steps with a million dependencies still takes no time.
 */
#include "contract/plan_graph.h"

#include "contract/plan_doc.h"

/* A step's place in the plan, sorted by id. */
struct entry {
    struct str id;
    size_t step;
};

struct index {
    struct entry *v;
    size_t n;
};

static int by_id(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = str_cmp_letters(x->id, y->id);

    return order != 0 ? order : (x->step > y->step) - (x->step < y->step);
}

static struct index index_steps(const struct plan_doc *plan, struct arena *a)
{
    const struct step_doc *steps = plan->steps.v;
    struct index index = { arena_alloc(a, plan->steps.n * sizeof(struct entry)), 0 };

    for (size_t i = 0; i < plan->steps.n; i++)
        if (steps[i].id.s)
            index.v[index.n++] = (struct entry){ steps[i].id, i };
    qsort(index.v, index.n, sizeof *index.v, by_id);
    return index;
}

static int id_is(const void *id, const void *entry)
{
    return str_cmp_letters(*(const struct str *)id, ((const struct entry *)entry)->id);
}

static const struct entry *find(const struct index *index, struct str id)
{
    return id.s ? bsearch(&id, index->v, index->n, sizeof *index->v, id_is) : NULL;
}

/* The nth child of a list, for its place; NULL when there is none. */
static const struct doc *nth(const struct doc *list, size_t n)
{
    const struct doc *c = doc_first(list, DOC_LIST);

    while (c && n-- > 0)
        c = c->next;
    return c;
}

/* The steps as they are written, by their place in the plan. */
static const struct doc **step_docs(const struct doc *plan, size_t n, struct arena *a)
{
    const struct doc **docs = arena_alloc(a, (n + 1) * sizeof *docs);
    const struct doc *step = doc_first(doc_get(plan, "steps"), DOC_LIST);

    for (size_t i = 0; i < n && step; i++, step = step->next)
        docs[i] = step;
    return docs;
}

void plan_ids_unique(const struct doc *d, const void *decoded, struct report *r)
{
    const struct plan_doc *plan = decoded;
    struct index index = index_steps(plan, r->a);
    const struct doc **docs = step_docs(d, plan->steps.n, r->a);

    for (size_t i = 1; i < index.n; i++) {
        const struct entry *first = &index.v[i - 1], *again = &index.v[i];

        if (str_cmp_letters(first->id, again->id) == 0)
            report_add(r, ABOUT_VALUE, doc_get(docs[again->step], "id"), CODE_INVALID_PAYLOAD,
                       "'%.*s' is the id of step %zu already; ids are unique within a plan",
                       STR_ARG(again->id), first->step);
    }
}

static const char **id_texts(const struct index *index, struct arena *a)
{
    const char **ids = arena_alloc(a, (index->n + 1) * sizeof *ids);

    for (size_t i = 0; i < index->n; i++)
        ids[i] = arena_text(a, index->v[i].id);
    return ids;
}

void plan_dependencies_known(const struct doc *d, const void *decoded, struct report *r)
{
    const struct plan_doc *plan = decoded;
    const struct step_doc *steps = plan->steps.v;
    struct index index = index_steps(plan, r->a);
    const struct doc **docs = step_docs(d, plan->steps.n, r->a);
    const char **ids = id_texts(&index, r->a);
    bool few = index.n <= PLAN_STEPS_MAX; /* to look through more would take its time */

    for (size_t i = 0; i < plan->steps.n; i++) {
        const struct doc *entry = doc_first(doc_get(docs[i], "depends_on"), DOC_LIST);
        const struct str *wanted = steps[i].depends_on.v;

        for (size_t j = 0; j < steps[i].depends_on.n && entry; j++, entry = entry->next) {
            const char *near;

            if (!wanted[j].s || find(&index, wanted[j]))
                continue;
            near = few && !report_full(r) ? str_nearest(wanted[j], ids, index.n) : NULL;
            report_add(r, ABOUT_VALUE, entry, CODE_DEPENDENCY_UNRESOLVED,
                       "no step has the id '%.*s'%s%s%s", STR_ARG(wanted[j]),
                       near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
        }
    }
}

/* Walks from step to step along depends_on. A step is `open` while the walk is inside it: to meet
 * an open one again is to have gone in a circle. */
struct walk {
    const struct step_doc *steps;
    const struct index *index;
    const struct doc **docs;
    size_t *trail, *next; /* the steps walked into, and for each how many edges are done */
    size_t depth;
    bool *open, *done;
};

static struct walk walk_new(const struct doc *d, const struct plan_doc *plan,
                            const struct index *index, struct arena *a)
{
    size_t n = plan->steps.n + 1;

    return (struct walk){ .steps = plan->steps.v,
                          .index = index,
                          .docs = step_docs(d, plan->steps.n, a),
                          .trail = arena_alloc(a, n * sizeof(size_t)),
                          .next = arena_alloc(a, n * sizeof(size_t)),
                          .open = arena_alloc(a, n),
                          .done = arena_alloc(a, n) };
}

static void enter(struct walk *w, size_t step)
{
    w->open[step] = true;
    w->trail[w->depth] = step;
    w->next[w->depth++] = 0;
}

/* "2 -> 0 -> 2", from where the circle begins; of a long one the first steps and the last. */
static void say_circle(const struct walk *w, size_t again, struct buf *to)
{
    enum { SHOWN = 6 };
    size_t begin = 0;

    while (w->trail[begin] != again)
        begin++;
    for (size_t i = begin; i < w->depth; i++) {
        if (i == begin + SHOWN && i + 1 < w->depth) {
            buf_adds(to, "… -> ");
            i = w->depth - 1;
        }
        buf_addf(to, "%zu -> ", w->trail[i]);
    }
    buf_addf(to, "%zu", again);
}

static void found_circle(const struct walk *w, size_t edge, size_t again, struct report *r)
{
    const struct doc *step = w->docs[w->trail[w->depth - 1]];
    _buf_ struct buf circle = { .max = 512 };

    if (report_full(r)) { /* it is only counted */
        report_add(r, ABOUT_VALUE, step, CODE_INVALID_PAYLOAD, "a circle");
        return;
    }
    say_circle(w, again, &circle);
    report_add(r, ABOUT_VALUE, nth(doc_get(step, "depends_on"), edge), CODE_INVALID_PAYLOAD,
               "step %zu waits for itself: %s", again, circle.s);
}

/* One edge further, or one step back. */
static void step_on(struct walk *w, struct report *r)
{
    size_t step = w->trail[w->depth - 1], edge = w->next[w->depth - 1]++;
    const struct items *edges = &w->steps[step].depends_on;
    const struct entry *to;

    if (edge == edges->n) {
        w->open[step] = false;
        w->done[step] = true;
        w->depth--;
        return;
    }
    to = find(w->index, ((const struct str *)edges->v)[edge]);
    if (!to || w->done[to->step])
        return;
    if (w->open[to->step])
        found_circle(w, edge, to->step, r);
    else
        enter(w, to->step);
}

void plan_acyclic(const struct doc *d, const void *decoded, struct report *r)
{
    const struct plan_doc *plan = decoded;
    struct index index = index_steps(plan, r->a);
    struct walk w = walk_new(d, plan, &index, r->a);

    for (size_t i = 0; i < plan->steps.n; i++) {
        if (w.done[i])
            continue;
        enter(&w, i);
        while (w.depth > 0)
            step_on(&w, r);
    }
}

void plan_retry_codes(const struct doc *d, const void *decoded, struct report *r)
{
    const struct plan_doc *plan = decoded;
    const struct doc *policy = doc_get(d, "retry_policy");
    const struct doc *entry =
        policy ? doc_first(doc_get(policy, "retryable_error_codes"), DOC_LIST) : NULL;
    const struct items *listed =
        plan->retry_policy ? &plan->retry_policy->retryable_error_codes : NULL;

    for (size_t i = 0; entry && listed && i < listed->n; i++, entry = entry->next) {
        struct str name = ((const struct str *)listed->v)[i];
        const struct code_row *row = &codes[code_named(name)];

        if (name.s && row->severity && strcmp(row->severity, "fatal") == 0)
            report_add(r, ABOUT_ODD, entry, CODE_RETRY_WITHOUT_EFFECT,
                       "%s is fatal and is never tried again", row->name);
    }
}
