/* SPDX-License-Identifier: Apache-2.0 */
/* graph_show.c: the steps of a plan as a tree, for people.
 *
 * A step may wait for several, and a tree has room for one: it stands below the one that is
 * completed last, and a word behind it names the others. A ↓ stands before what follows the step
 * above it.
 */
#include "cli/graph.h"
#include "cli/print.h"

enum {
    NOWHERE = -1,
    BRANCH = 3,     /* columns of a level */
    LEVELS = 12,    /* that are drawn; of what lies deeper, the last so many */
    NAMES_MOST = 48 /* columns that names may push what follows to */
};

/* By the place of a step: where it stands in the tree. Roots stand below nothing. */
struct node {
    long up, first, last, next;
    size_t depth, wave;
    bool follows; /* one of several that follow each other, in the column of the one above */
};

struct tree {
    const struct graph *graph;
    struct node *nodes;
    long first, last;
};

/* The wave of a step is known when those of all it waits for are. */
static bool set_wave(struct tree *t, size_t step)
{
    const struct graph_step *s = &t->graph->steps[step];
    size_t wave = 1;

    for (size_t i = 0; i < s->after_count; i++) {
        size_t before = t->nodes[s->after[i]].wave;

        if (before == 0)
            return false;
        wave = before + 1 > wave ? before + 1 : wave;
    }
    t->nodes[step].wave = wave;
    return true;
}

/* Is one of two steps completed after the other? In the same wave: as the list has them. */
static bool is_later(const struct tree *t, size_t one, size_t other)
{
    size_t wave = t->nodes[one].wave, other_wave = t->nodes[other].wave;

    return wave == other_wave ? one > other : wave > other_wave;
}

static long find_up(const struct tree *t, size_t step)
{
    const struct graph_step *s = &t->graph->steps[step];
    size_t up;

    if (s->after_count == 0)
        return NOWHERE;
    up = s->after[0];
    for (size_t i = 1; i < s->after_count; i++)
        if (is_later(t, s->after[i], up))
            up = s->after[i];
    return (long)up;
}

static void hang(struct tree *t, size_t step)
{
    struct node *node = &t->nodes[step];
    long *first, *last;

    node->up = find_up(t, step);
    first = node->up == NOWHERE ? &t->first : &t->nodes[node->up].first;
    last = node->up == NOWHERE ? &t->last : &t->nodes[node->up].last;
    if (*last == NOWHERE)
        *first = (long)step;
    else
        t->nodes[*last].next = (long)step;
    *last = (long)step;
}

/* Every pass finds at least one wave more, since nothing goes in a circle. */
static struct tree grow(const struct graph *g, struct arena *a)
{
    struct tree t = { g, arena_alloc(a, g->n * sizeof(struct node)), NOWHERE, NOWHERE };

    for (size_t i = 0; i < g->n; i++)
        t.nodes[i] = (struct node){ NOWHERE, NOWHERE, NOWHERE, NOWHERE, 0, 0, false };
    for (size_t known = 0; known < g->n;)
        for (size_t i = 0; i < g->n; i++)
            known += t.nodes[i].wave == 0 && set_wave(&t, i);
    for (size_t i = 0; i < g->n; i++)
        hang(&t, i);
    return t;
}

/* The step drawn after this one: below it, beside it, or beside one above it. */
static long following(const struct tree *t, long at)
{
    if (t->nodes[at].first != NOWHERE)
        return t->nodes[at].first;
    while (at != NOWHERE && t->nodes[at].next == NOWHERE)
        at = t->nodes[at].up;
    return at == NOWHERE ? NOWHERE : t->nodes[at].next;
}

static bool is_only_one(const struct tree *t, const struct node *n)
{
    return n->up != NOWHERE && t->nodes[n->up].first == t->nodes[n->up].last;
}

/* A long row of steps, each after the one before, would be a staircase: it goes straight down. */
static void set_depths(struct tree *t)
{
    for (long i = t->first; i != NOWHERE; i = following(t, i)) {
        struct node *n = &t->nodes[i], *up = n->up == NOWHERE ? NULL : &t->nodes[n->up];

        n->follows = up && is_only_one(t, n) && is_only_one(t, up);
        if (up)
            n->depth = n->follows ? up->depth : up->depth + 1;
    }
}

/* Columns of the lines before a name. */
static size_t indent_of(const struct node *n)
{
    size_t levels = n->depth + 1;

    return BRANCH * (levels > LEVELS ? LEVELS + 1 : levels);
}

static void show_lines(const struct tree *t, long at)
{
    const char *parts[LEVELS];
    bool same_column = false;
    size_t n = 0;

    for (long i = at; i != NOWHERE && n < LEVELS; i = t->nodes[i].up) {
        bool last = t->nodes[i].next == NOWHERE, follows = t->nodes[i].follows;

        if (i == at)
            parts[n++] = follows ? "↓  " : last ? "└─ " : "├─ ";
        else if (!same_column)
            parts[n++] = last ? "   " : "│  ";
        same_column = follows;
    }
    if (t->nodes[at].depth >= LEVELS)
        out(DIM, "…  ");
    while (n-- > 0)
        out(DIM, "%s", parts[n]);
}

/* "also after count, hash-sources; on failure: skip" */
static void say_rest(const struct tree *t, long at, struct buf *to)
{
    const struct graph_step *s = &t->graph->steps[at];
    const char *before = "also after ";

    for (size_t i = 0; i < s->after_count; i++) {
        if ((long)s->after[i] == t->nodes[at].up)
            continue;
        buf_addf(to, "%s%.*s", before, STR_ARG(t->graph->steps[s->after[i]].name));
        before = ", ";
    }
    if (!str_is(s->on_failure, "halt"))
        buf_addf(to, "%son failure: %.*s", to->len ? "; " : "", STR_ARG(s->on_failure));
}

static void show_step(const struct tree *t, long at, size_t width, size_t what_width)
{
    const struct graph_step *s = &t->graph->steps[at];
    size_t column = indent_of(&t->nodes[at]), name = width > column ? width - column : 0;
    _buf_ struct buf rest = { .max = 1 << 20 };
    struct str what = str_of(s->what);

    show_lines(t, at);
    if (print_room(column) < name)
        name = print_room(column);
    out_cell(BOLD, s->name, name);
    column += name;
    say_rest(t, at, &rest);
    if (print_room(column) > 2) {
        out(PLAIN, "  ");
        out_cell(PLAIN, what,
                 print_room(column + 2) < what_width ? print_room(column + 2)
                 : rest.len                          ? what_width
                                                     : print_columns(what));
        column += 2 + what_width;
    }
    if (rest.len && print_room(column) > 2) {
        out(PLAIN, "  ");
        out_cut(DIM, buf_str(&rest), print_room(column + 2));
    }
    out(PLAIN, "\n");
}

void graph_show(const struct graph *g)
{
    _arena_ struct arena a = { 0 };
    struct tree t = grow(g, &a);
    size_t width = 0, what_width = 0;

    set_depths(&t);
    for (size_t i = 0; i < g->n; i++) {
        size_t wide = indent_of(&t.nodes[i]) + print_columns(g->steps[i].name);
        size_t what = print_columns(str_of(g->steps[i].what));

        width = wide > width ? wide : width;
        what_width = what > what_width ? what : what_width;
    }
    if (print_person() && width > NAMES_MOST)
        width = NAMES_MOST;
    out(BOLD, "%.*s", STR_ARG(g->name));
    out(DIM, "  %zu step%s\n", g->n, g->n == 1 ? "" : "s");
    for (long i = t.first; i != NOWHERE; i = following(&t, i))
        show_step(&t, i, width, what_width);
}
