/* SPDX-License-Identifier: Apache-2.0 */
/* plan_graph.c: unique ids, known dependencies, no circles; in a template, of names.
 *
 * They are found through a sorted index and every dependency is walked once, so a plan of 1024
 * steps with a million dependencies still takes no time.
 */
#include "contract/plan_graph.h"

#include "contract/plan_doc.h"

/* A name of a step has up to 100 characters, and a circle shows up to eight. */
enum { CIRCLE_MAX = 960 };

/* The steps as the rules see them. */
struct graph {
    const struct graph_words *words;
    const char *steps; /* decoded */
    size_t n;
    const struct doc **docs; /* as they are written, by their place */
    struct entry *index;     /* those that have an id, sorted by it */
    size_t indexed;
    size_t *twin; /* of a step, the next that has its id; 0: none */
    bool *again;  /* has a step before it the same id? */
};

struct entry {
    struct str id;
    size_t step;
    size_t first; /* the first step that has this id */
};

/* A member of a decoded step. */
static const void *member(const struct graph *g, size_t step, size_t at)
{
    return g->steps + step * g->words->step_size + at;
}

static struct str id_of(const struct graph *g, size_t step)
{
    return *(const struct str *)member(g, step, g->words->id_at);
}

static const struct items *edges_of(const struct graph *g, size_t step)
{
    return member(g, step, g->words->edges_at);
}

static int by_place(const struct entry *x, const struct entry *y)
{
    return (x->step > y->step) - (x->step < y->step);
}

static int by_id(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = str_cmp_letters(x->id, y->id);

    return order != 0 ? order : by_place(x, y);
}

static int by_name(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = str_cmp(x->id, y->id);

    return order != 0 ? order : by_place(x, y);
}

static int id_is(const void *id, const void *entry)
{
    return str_cmp_letters(*(const struct str *)id, ((const struct entry *)entry)->id);
}

static int name_is(const void *name, const void *entry)
{
    return str_cmp(*(const struct str *)name, ((const struct entry *)entry)->id);
}

static const struct entry *find(const struct graph *g, struct str id)
{
    return id.s && g->indexed > 0 ? bsearch(&id, g->index, g->indexed, sizeof *g->index,
                                            g->words->by_name ? name_is : id_is)
                                  : NULL;
}

/* The nth child of a list, for its place; NULL when there is none. */
static const struct doc *nth(const struct doc *list, size_t n)
{
    const struct doc *c = doc_first(list, DOC_LIST);

    while (c && n-- > 0)
        c = c->next;
    return c;
}

/* Where ids stand more than once, the steps that share one are one for who looks for circles. */
static void find_twins(struct graph *g)
{
    for (size_t i = 1; i < g->indexed; i++) {
        const struct entry *before = &g->index[i - 1];
        struct entry *e = &g->index[i];

        if ((g->words->by_name ? str_cmp : str_cmp_letters)(before->id, e->id) != 0)
            continue;
        e->first = before->first;
        g->twin[before->step] = e->step;
        g->again[e->step] = true;
    }
}

static struct graph graph_of(const struct graph_words *words, const struct doc *d,
                             const struct items *steps, struct arena *a)
{
    struct graph g = { .words = words, .steps = steps->v, .n = steps->n };
    const struct doc *step = doc_first(doc_get(d, "steps"), DOC_LIST);

    g.docs = arena_alloc(a, (g.n + 1) * sizeof *g.docs);
    g.index = arena_alloc(a, (g.n + 1) * sizeof *g.index);
    g.twin = arena_alloc(a, (g.n + 1) * sizeof *g.twin);
    g.again = arena_alloc(a, g.n + 1);
    for (size_t i = 0; i < g.n; i++, step = step ? step->next : NULL) {
        g.docs[i] = step;
        if (id_of(&g, i).s)
            g.index[g.indexed++] = (struct entry){ id_of(&g, i), i, i };
    }
    qsort(g.index, g.indexed, sizeof *g.index, words->by_name ? by_name : by_id);
    find_twins(&g);
    return g;
}

void graph_unique(const struct graph_words *words, const struct doc *d, const struct items *steps,
                  struct report *r)
{
    int (*same)(struct str a, struct str b) = words->by_name ? str_cmp : str_cmp_letters;
    struct graph g = graph_of(words, d, steps, r->a);

    for (size_t i = 1; i < g.indexed; i++) {
        const struct entry *first = &g.index[i - 1], *again = &g.index[i];

        if (same(first->id, again->id) == 0)
            report_add(r, ABOUT_VALUE, doc_get(g.docs[again->step], words->id),
                       CODE_INVALID_PAYLOAD,
                       "'%.*s' is the %s of step %zu already; %ss are unique within a %s",
                       STR_ARG(again->id), words->id, first->step, words->id, words->document);
    }
}

static const char **id_texts(const struct graph *g, struct arena *a)
{
    const char **ids = arena_alloc(a, (g->indexed + 1) * sizeof *ids);

    for (size_t i = 0; i < g->indexed; i++)
        ids[i] = arena_text(a, g->index[i].id);
    return ids;
}

void graph_known(const struct graph_words *words, const struct doc *d, const struct items *steps,
                 struct report *r)
{
    struct graph g = graph_of(words, d, steps, r->a);
    const char **ids = id_texts(&g, r->a);
    bool few = g.indexed <= PLAN_STEPS_MAX; /* to look through more would take its time */

    for (size_t i = 0; i < g.n; i++) {
        const struct doc *entry = doc_first(doc_get(g.docs[i], words->edges), DOC_LIST);
        const struct items *edges = edges_of(&g, i);
        const struct str *wanted = edges->v;

        for (size_t j = 0; j < edges->n && entry; j++, entry = entry->next) {
            const char *near;

            if (!wanted[j].s || find(&g, wanted[j]))
                continue;
            near = few && !report_full(r) ? str_nearest(wanted[j], ids, g.indexed) : NULL;
            report_add(r, ABOUT_VALUE, entry, CODE_DEPENDENCY_UNRESOLVED,
                       "no step has the %s '%.*s'%s%s%s", words->id, STR_ARG(wanted[j]),
                       near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
        }
    }
}

/* Walks from step to step along their edges. A step is `open` while the walk is inside it: to meet
 * an open one again is to have gone in a circle. Of steps that share an id the walk enters the
 * first, and goes on with the edges of the others. */
struct walk {
    const struct graph *graph;
    size_t *trail, *twin, *next; /* the steps walked into, whose edges, and how many are done */
    size_t depth;
    bool *open, *done;
};

static struct walk walk_new(const struct graph *graph, struct arena *a)
{
    size_t n = graph->n + 1;

    return (struct walk){ .graph = graph,
                          .trail = arena_alloc(a, n * sizeof(size_t)),
                          .twin = arena_alloc(a, n * sizeof(size_t)),
                          .next = arena_alloc(a, n * sizeof(size_t)),
                          .open = arena_alloc(a, n),
                          .done = arena_alloc(a, n) };
}

static void enter(struct walk *w, size_t step)
{
    w->open[step] = true;
    w->trail[w->depth] = w->twin[w->depth] = step;
    w->next[w->depth++] = 0;
}

/* Its number, or its name where it has one. */
static void say_step(const struct graph *g, size_t step, struct buf *to)
{
    if (g->words->by_name)
        buf_addf(to, "%.*s", STR_ARG(id_of(g, step)));
    else
        buf_addf(to, "%zu", step);
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
        say_step(w->graph, w->trail[i], to);
        buf_adds(to, " -> ");
    }
    say_step(w->graph, again, to);
}

static void found_circle(const struct walk *w, size_t edge, size_t again, struct report *r)
{
    const struct graph *g = w->graph;
    const struct doc *step = g->docs[w->twin[w->depth - 1]];
    _buf_ struct buf circle = { .max = CIRCLE_MAX }, itself = { .max = CIRCLE_MAX };

    if (report_full(r)) { /* it is only counted */
        report_add(r, ABOUT_VALUE, step, CODE_INVALID_PAYLOAD, "a circle");
        return;
    }
    say_circle(w, again, &circle);
    say_step(g, again, &itself);
    report_add(r, ABOUT_VALUE, nth(doc_get(step, g->words->edges), edge), CODE_INVALID_PAYLOAD,
               "step %s waits for itself: %s", itself.s, circle.s);
}

/* To the next that has its id, or one step back. */
static void leave(struct walk *w)
{
    size_t top = w->depth - 1, twin = w->graph->twin[w->twin[top]];

    if (twin) {
        w->twin[top] = twin;
        w->next[top] = 0;
        return;
    }
    w->open[w->trail[top]] = false;
    w->done[w->trail[top]] = true;
    w->depth--;
}

/* One edge further, or one step back. */
static void step_on(struct walk *w, struct report *r)
{
    size_t edge = w->next[w->depth - 1]++;
    const struct items *edges = edges_of(w->graph, w->twin[w->depth - 1]);
    const struct entry *to;

    if (edge == edges->n) {
        leave(w);
        return;
    }
    to = find(w->graph, ((const struct str *)edges->v)[edge]);
    if (!to || w->done[to->first])
        return;
    if (w->open[to->first])
        found_circle(w, edge, to->first, r);
    else
        enter(w, to->first);
}

void graph_acyclic(const struct graph_words *words, const struct doc *d, const struct items *steps,
                   struct report *r)
{
    struct graph g = graph_of(words, d, steps, r->a);
    struct walk w = walk_new(&g, r->a);

    for (size_t i = 0; i < g.n; i++) {
        if (w.done[i] || g.again[i])
            continue;
        enter(&w, i);
        while (w.depth > 0)
            step_on(&w, r);
    }
}

/* ---- the rules of a plan ---- */

static const struct graph_words plan_words = {
    .document = "plan",
    .id = "id",
    .edges = "depends_on",
    .step_size = sizeof(struct step_doc),
    .id_at = offsetof(struct step_doc, id),
    .edges_at = offsetof(struct step_doc, depends_on),
};

void plan_ids_unique(const struct doc *d, const void *decoded, struct report *r)
{
    graph_unique(&plan_words, d, &((const struct plan_doc *)decoded)->steps, r);
}

void plan_dependencies_known(const struct doc *d, const void *decoded, struct report *r)
{
    graph_known(&plan_words, d, &((const struct plan_doc *)decoded)->steps, r);
}

void plan_acyclic(const struct doc *d, const void *decoded, struct report *r)
{
    graph_acyclic(&plan_words, d, &((const struct plan_doc *)decoded)->steps, r);
}

void plan_retry_codes(const struct doc *d, const void *decoded, struct report *r)
{
    retry_codes(doc_get(d, "retry_policy"), ((const struct plan_doc *)decoded)->retry_policy, r);
}

void retry_codes(const struct doc *policy, const struct retry_doc *decoded, struct report *r)
{
    const struct doc *entry =
        policy ? doc_first(doc_get(policy, "retryable_error_codes"), DOC_LIST) : NULL;
    const struct items *listed = decoded ? &decoded->retryable_error_codes : NULL;

    for (size_t i = 0; entry && listed && i < listed->n; i++, entry = entry->next) {
        struct str name = ((const struct str *)listed->v)[i];
        const struct code_row *row = &codes[code_named(name)];

        if (name.s && row->severity && strcmp(row->severity, "fatal") == 0)
            report_add(r, ABOUT_ODD, entry, CODE_RETRY_WITHOUT_EFFECT,
                       "%s is fatal and is never tried again", row->name);
    }
}
