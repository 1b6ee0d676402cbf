/* SPDX-License-Identifier: Apache-2.0 */
/* regex_build.c: the tree of a pattern to a program, in the manner of Thompson. */
#include <assert.h>

#include "base/regex_parts.h"
#include "base/utf8.h"

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
        split = add(r, OP_SPLIT, from);
        r->steps[split].y = r->count;
        return;
    }
    if (n->max == UINT32_MAX) {
        split = add_split(r);
        build(r, once);
        again = add(r, OP_SPLIT, split + 1);
        r->steps[split].y = r->steps[again].y = r->count;
        return;
    }
    for (uint32_t i = n->min; i < n->max; i++) {
        /* Each leads past one more; those who leave early leave step by step. */
        split = add_split(r);
        build(r, once);
        r->steps[split].y = r->count;
    }
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
    }
}

bool regex_read(struct str pattern, enum regex_dialect dialect, struct arena *a,
                const struct regex **out, struct error *e)
{
    struct pattern p = { .text = pattern, .dialect = dialect, .a = a, .e = e };
    struct regex *r = arena_new(a, struct regex);
    struct node *tree;

    if (pattern.n > REGEX_PATTERN)
        return error_set(e, ERROR_CEILING, "the pattern has %zu bytes, allowed are %d", pattern.n,
                         REGEX_PATTERN);
    if (utf8_valid(pattern) != pattern.n)
        return error_set(e, ERROR_ENCODING, "the pattern is not UTF-8");
    tree = regex_tree(&p);
    if (!tree)
        return false;
    r->steps = arena_alloc(a, (tree->steps + 1) * sizeof *r->steps);
    build(r, tree);
    assert(r->count <= tree->steps);
    (void)add(r, OP_MATCH, 0);
    r->sets = p.sets;
    r->places = p.places;
    r->edges = p.edges;
    if (p.edges) {
        struct set word = { (struct range *)regex_word, COUNT(regex_word), 0 };

        p.sets = arena_more(a, p.sets, p.set_count, &p.set_room, sizeof *p.sets);
        p.sets[p.set_count++] = word;
    }
    regex_symbols_find(p.sets, p.set_count, a, &r->symbols);
    regex_cache(r, a);
    *out = r;
    return true;
}
