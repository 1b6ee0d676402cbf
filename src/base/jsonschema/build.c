/* SPDX-License-Identifier: Apache-2.0 */
/* build.c: a schema to a program: nodes, their rules, and no way round in circles. */
#include "base/jsonschema.h"

#include <assert.h>

#include "base/jsonschema/parts.h"

enum { JUDGE_STEPS = 200 << 20 };

struct node *node_of(struct build *b, const struct doc *d)
{
    struct place *place = place_add(b, d);

    if (place->node)
        return place->node;
    place->node = arena_new(b->a, struct node);
    place->node->at = d;
    b->todo = arena_more(b->a, b->todo, b->todo_count, &b->todo_room, sizeof(struct node *));
    b->todo[b->todo_count++] = place->node;
    return place->node;
}

struct node *node_same(struct build *b, struct node *n, const struct doc *d)
{
    struct node *other = node_of(b, d);

    n->same = arena_more(b->a, n->same, n->same_count, &n->same_room, sizeof(struct node *));
    n->same[n->same_count++] = other;
    return other;
}

/* Puts a rule where its row stands in the table. */
static void add_rule(struct build *b, struct node *n, const struct rule *rule)
{
    size_t i = n->count;

    n->rules = arena_more(b->a, n->rules, n->count, &n->room, sizeof *n->rules);
    for (; i > 0 && n->rules[i - 1].row > rule->row; i--)
        n->rules[i] = n->rules[i - 1];
    n->rules[i] = *rule;
    n->count++;
}

static void read_keyword(struct build *b, struct node *n, const struct doc *value)
{
    const struct keyword *row = keyword_named(b, n->home, value->key);
    struct rule rule = { .row = row, .at = value };

    if (!row || !row->read)
        return;
    rule.check = row->check;
    rule.kinds = row->kinds;
    if (row->read(b, n, value, &rule))
        add_rule(b, n, &rule);
}

static void read_node(struct build *b, struct node *n)
{
    struct place *place = place_of(b, n->at);
    const struct doc *d = n->at, *ref;

    n->home = place->home;
    if (!n->home)
        return;
    if (d->kind == DOC_BOOL) {
        n->always = d->truth;
        n->never = !d->truth;
        return;
    }
    ref = doc_get(d, "$ref");
    if (ref && n->home->draft == SCHEMA_DRAFT_07) {
        read_keyword(b, n, ref); /* what stands beside it does not count */
        return;
    }
    for (const struct doc *c = doc_first(d, DOC_MAP); c; c = c->next)
        read_keyword(b, n, c);
    n->always = n->count == 0;
    n->plain = true;
    for (size_t i = 0; i < n->count; i++)
        n->plain = n->plain && n->rules[i].row->say;
}

/* Nodes on a path on which the value stays the same. None may come twice. */
struct path {
    struct node *n;
    size_t next;
};

static void find_loop(struct build *b, struct node *from, struct path *path)
{
    size_t depth = 0;

    path[depth++] = (struct path){ from, 0 };
    from->loop = LOOP_OPEN;
    while (depth > 0) {
        struct path *p = &path[depth - 1];
        struct node *to;

        if (p->next == p->n->same_count) {
            p->n->loop = LOOP_DONE;
            depth--;
            continue;
        }
        to = p->n->same[p->next++];
        if (to->loop == LOOP_OPEN) {
            const struct doc *ref = doc_get(p->n->at, "$ref");

            complain(b, p->n->home, ref ? ref : p->n->at,
                     "this comes back to itself without going deeper, so it never ends");
            return;
        }
        if (to->loop == LOOP_NEW) {
            to->loop = LOOP_OPEN;
            path[depth++] = (struct path){ to, 0 };
        }
    }
}

static void find_loops(struct build *b)
{
    struct path *path = arena_alloc(b->a, (b->todo_count + 1) * sizeof *path);

    for (size_t i = 0; i < b->todo_count && !b->failed; i++)
        if (b->todo[i]->loop == LOOP_NEW)
            find_loop(b, b->todo[i], path);
}

/* Everything that is a schema in the document is read, also what nothing refers to: a mistake in it
 * is one all the same. */
static void want_all(struct build *b, const struct doc *d)
{
    const struct place *place = place_of(b, d);

    if (place && place->home)
        (void)node_of(b, d);
    if (d->kind == DOC_LIST || d->kind == DOC_MAP)
        for (const struct doc *c = d->first; c; c = c->next)
            want_all(b, c);
}

/* The work is over at this schema, its own or that of all that were read before it. */
static void say_over(struct build *b, const struct resource *home, const struct doc *at)
{
    const struct schema_series *series = b->options->series;

    if (series && series->work.left < SCHEMA_STEPS)
        complain(b, home, at,
                 "the schemas up to here take more than %d steps to read; make them smaller, above "
                 "all their patterns",
                 SCHEMA_SERIES_STEPS);
    else
        complain(b, home, at, "it takes more than %d steps to read up to here; make it smaller",
                 SCHEMA_STEPS);
}

static bool read_all(struct build *b, const struct document *schema, struct str uri,
                     struct jsonschema *out)
{
    struct resource *home = document_enter(b, schema, uri, NULL, NULL);
    const struct doc *at = &schema->root;

    if (b->failed || (!b->meta && !schema_judged(b, home, &schema->root)))
        return false;
    out->root = node_of(b, &schema->root);
    if (!b->meta)
        want_all(b, &schema->root);
    for (size_t i = 0; i < b->todo_count && !b->work.over; i++) {
        read_node(b, b->todo[i]);
        if (b->work.over && b->todo[i]->home && !b->todo[i]->home->via)
            at = b->todo[i]->at;
    }
    if (!b->failed && !b->work.over)
        find_loops(b);
    if (b->work.over)
        say_over(b, home, at);
    return !b->failed;
}

/* The schema of schemas, as a program; NULL: it cannot be read. */
static const struct jsonschema *judge_made(struct build *b, enum schema_draft draft,
                                           struct arena *a)
{
    struct schema_options options = { .draft = draft };
    struct build judge = {
        .a = a, .options = &options, .r = b->r, .meta = true, .work = { .left = SCHEMA_STEPS }
    };
    const struct document *document = meta_document(&judge, str_of(meta_uri(draft)));
    struct jsonschema *program = arena_new(a, struct jsonschema);

    program->code = b->options->schema_code ? b->options->schema_code : b->options->code;
    return document && read_all(&judge, document, str_of(meta_uri(draft)), program) ? program
                                                                                    : NULL;
}

/* Made once: for this schema, or for all of the series. */
static const struct jsonschema *judge_of(struct build *b, enum schema_draft draft)
{
    struct schema_series *series = b->options->series;
    const struct jsonschema **known = series ? &series->judges[draft] : &b->judges[draft];

    if (!*known)
        *known = judge_made(b, draft, series ? series->a : b->a);
    return *known;
}

bool schema_judged(struct build *b, const struct resource *r, const struct doc *root)
{
    const struct jsonschema *judge = judge_of(b, r->draft);
    struct work work = { .left = JUDGE_STEPS };
    struct report other = report_new(b->a, NULL, (struct str){ 0 });

    assert(judge);
    if (jsonschema_check(judge, root, b->a, &work, r->via ? &other : b->r))
        return true;
    b->failed = true;
    if (work.over)
        complain(b, r, root, "it takes more than %d steps to read; make it smaller", JUDGE_STEPS);
    for (const struct problem *p = other.first; p; p = p->next)
        if (!p->next) /* the first that was found */
            complain(b, r, root, "this is no schema, at '%s': %s", p->pointer, p->msg);
    return false;
}

bool jsonschema_read(const struct document *schema, const struct schema_options *options,
                     struct arena *a, const struct jsonschema **out, struct report *r)
{
    struct build b = { .a = a, .options = options, .r = r, .work = { .left = SCHEMA_STEPS } };
    struct jsonschema *program = arena_new(a, struct jsonschema);
    struct schema_series *series = options->series;
    uint64_t had;
    bool good;

    if (series && series->work.left < b.work.left)
        b.work = series->work;
    had = b.work.left;
    program->code = options->code;
    good = read_all(&b, schema, str_of(""), program);
    if (series) {
        series->work.over = b.work.over && had < SCHEMA_STEPS;
        series->work.left -= had - b.work.left;
    }
    if (good)
        *out = program;
    return good;
}
