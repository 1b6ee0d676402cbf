/* SPDX-License-Identifier: Apache-2.0 */
/* build.c: the tree of a pattern to a program, in the manner of Thompson. */
#include "base/regex.h"

#include <assert.h>

#include "base/regex/parts.h"
#include "base/utf8.h"

/* What a step of a program costs of the work to read it. It takes memory as well, of which a schema
 * full of counted repetitions would have gigabytes. */
enum { STEP_COST = 64 };

static uint32_t add(struct regex *r, enum op op, uint32_t x)
{
    r->steps[r->count] = (struct step){ op, x, 0 };
    return r->count++;
}

/* Goes on behind itself, or at y, which is known later. */
static uint32_t add_split(struct regex *r)
{
    return add(r, OP_SPLIT, r->count + 1);
}

static void build(struct regex *r, const struct node *n);

static void build_one_of(struct regex *r, const struct node *n)
{
    uint32_t from = r->count;

    for (const struct node *one = n->first; one; one = one->next) {
        uint32_t split = one->next ? add_split(r) : 0;

        build(r, one);
        if (!one->next)
            break;
        (void)add(r, OP_JUMP, 0);
        r->steps[split].y = r->count;
    }
    /* The jumps of this level lead to nowhere yet: 0 is never where one of them leads. */
    for (uint32_t i = from; i < r->count; i++)
        if (r->steps[i].op == OP_JUMP && r->steps[i].x == 0)
            r->steps[i].x = r->count;
}

/* A split that goes on inside of a repeat, or behind it: the first is preferred, but by a lazy one.
 */
static void lead(struct regex *r, const struct node *repeat, uint32_t split, uint32_t inside)
{
    r->steps[split].x = repeat->lazy ? r->count : inside;
    r->steps[split].y = repeat->lazy ? inside : r->count;
}

static void build_repeat(struct regex *r, const struct node *n)
{
    const struct node *once = n->first;
    uint32_t from = r->count, split, again;

    if (once->steps == 0)
        return;
    for (uint32_t i = 0; i < n->min; i++) {
        from = r->count;
        build(r, once);
    }
    if (n->max == UINT32_MAX && n->min > 0) {
        split = add_split(r);
        lead(r, n, split, from);
        return;
    }
    if (n->max == UINT32_MAX) {
        split = add_split(r);
        build(r, once);
        again = add_split(r);
        lead(r, n, split, split + 1);
        lead(r, n, again, split + 1);
        return;
    }
    for (uint32_t i = n->min; i < n->max; i++) {
        /* Each leads past one more; those who leave early leave step by step. */
        split = add_split(r);
        build(r, once);
        lead(r, n, split, split + 1);
    }
}

static void build_group(struct regex *r, const struct node *n)
{
    (void)add(r, OP_SAVE, 2 * n->what);
    build(r, n->first);
    (void)add(r, OP_SAVE, 2 * n->what + 1);
}

static void build(struct regex *r, const struct node *n)
{
    switch (n->kind) {
    case NODE_EMPTY: break;
    case NODE_SET: (void)add(r, OP_SET, n->what); break;
    case NODE_ASSERT: (void)add(r, OP_ASSERT, n->what); break;
    case NODE_ONE_OF: build_one_of(r, n); break;
    case NODE_SEQUENCE:
        for (const struct node *one = n->first; one; one = one->next)
            build(r, one);
        break;
    case NODE_REPEAT: build_repeat(r, n); break;
    case NODE_GROUP: build_group(r, n); break;
    }
}

bool regex_program(struct pattern *p, struct regex *r)
{
    struct node *tree;

    if (p->text.n > REGEX_PATTERN)
        return error_set(p->e, ERROR_CEILING, "the pattern has %zu bytes, allowed are %d",
                         p->text.n, REGEX_PATTERN);
    if (utf8_valid(p->text) != p->text.n)
        return error_set(p->e, ERROR_ENCODING, "the pattern is not UTF-8");
    tree = regex_tree(p);
    /* Each set may part the symbols of all pieces, of which a range makes two. */
    if (!tree || !regex_spend(p, tree->steps * STEP_COST + p->set_count * (2 * p->ranges + 1)))
        return false;
    r->steps = arena_alloc(p->a, (tree->steps + 1) * sizeof *r->steps);
    build(r, tree);
    assert(r->count <= tree->steps);
    (void)add(r, OP_MATCH, 0);
    r->sets = p->sets;
    r->places = p->places;
    r->edges = p->edges;
    if (p->edges) {
        struct set word = { (struct range *)regex_word, COUNT(regex_word), 0 };

        p->sets = arena_more(p->a, p->sets, p->set_count, &p->set_room, sizeof *p->sets);
        p->sets[p->set_count++] = word;
    }
    regex_symbols_find(p->sets, p->set_count, p->a, &r->symbols);
    return true;
}

bool regex_read_within(struct str pattern, enum regex_dialect dialect, struct work *w,
                       struct arena *a, const struct regex **out, struct error *e)
{
    struct pattern p = { .text = pattern, .dialect = dialect, .a = a, .work = w, .e = e };
    struct regex *r = arena_new(a, struct regex);

    if (!regex_program(&p, r))
        return false;
    regex_cache(r, a);
    *out = r;
    return true;
}

bool regex_read(struct str pattern, enum regex_dialect dialect, struct arena *a,
                const struct regex **out, struct error *e)
{
    return regex_read_within(pattern, dialect, NULL, a, out, e);
}
