/* SPDX-License-Identifier: Apache-2.0 */
/* read.c: a pattern's text to a tree, by the grammar of its dialect. */
#include <stdarg.h>
#include <stdio.h>

#include "base/regex/parts.h"
#include "base/utf8.h"

bool regex_wrong(struct pattern *p, size_t at, const char *fmt, ...)
{
    char what[ERROR_MSG / 2];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    return error_set(p->e, ERROR_SYNTAX, "%s, at character %zu of the pattern", what,
                     str_chars((struct str){ p->text.s, at }) + 1);
}

bool regex_spend(struct pattern *p, size_t steps)
{
    uint32_t most = steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX;

    if (!p->work || work_do(p->work, most))
        return true;
    return error_set(p->e, ERROR_CEILING, "no work is left to read the pattern");
}

static size_t next(const struct pattern *p, uint32_t *point)
{
    size_t n = utf8_step(p->text.s + p->at, p->text.s + p->text.n);

    *point = n ? utf8_get(p->text.s + p->at, n) : 0;
    return n;
}

uint32_t regex_peek(const struct pattern *p)
{
    uint32_t point;

    (void)next(p, &point);
    return point;
}

uint32_t regex_take(struct pattern *p)
{
    uint32_t point;

    p->at += next(p, &point);
    return point;
}

bool regex_eat(struct pattern *p, char c)
{
    if (regex_end(p) || p->text.s[p->at] != c)
        return false;
    p->at++;
    return true;
}

/* Does the pattern go on with this? */
static bool eats(struct pattern *p, const char *text)
{
    if (!str_begins((struct str){ p->text.s + p->at, p->text.n - p->at }, text))
        return false;
    p->at += strlen(text);
    return true;
}

/* --- the tree --- */

static struct node *node_new(struct pattern *p, enum node_kind kind, uint32_t what)
{
    struct node *n = arena_new(p->a, struct node);

    n->kind = kind;
    n->what = what;
    n->steps = kind == NODE_SET || kind == NODE_ASSERT;
    return n;
}

/* Sums of steps stay just above the ceiling, so that nothing can flow over. */
static uint32_t bounded(uint64_t steps)
{
    return steps > REGEX_STEPS ? REGEX_STEPS + 1 : (uint32_t)steps;
}

static void node_add(struct node *up, struct node *n)
{
    uint64_t between = up->kind == NODE_ONE_OF && up->first ? 2 : 0;

    if (up->last)
        up->last->next = n;
    else
        up->first = n;
    up->last = n;
    up->steps = bounded(up->steps + between + n->steps);
}

static struct node *set_node(struct pattern *p, struct set *set, size_t at)
{
    /* It is put in order and held against all others. */
    if (!regex_spend(p, 1 + set->n + p->set_count))
        return NULL;
    regex_set_order(set);
    for (size_t i = 0; i < p->set_count; i++)
        if (p->sets[i].n == set->n &&
            (set->n == 0 || memcmp(p->sets[i].v, set->v, set->n * sizeof *set->v) == 0))
            return node_new(p, NODE_SET, (uint32_t)i);
    p->ranges += set->n;
    if (p->ranges > REGEX_RANGES) {
        (void)regex_wrong(p, at, "more than %d ranges of characters", REGEX_RANGES);
        return NULL;
    }
    p->sets = arena_more(p->a, p->sets, p->set_count, &p->set_room, sizeof *p->sets);
    p->sets[p->set_count] = *set;
    return node_new(p, NODE_SET, (uint32_t)p->set_count++);
}

static struct node *assert_node(struct pattern *p, enum assert_kind kind)
{
    p->places = true;
    p->edges |= kind == ASSERT_EDGE || kind == ASSERT_NO_EDGE;
    return node_new(p, NODE_ASSERT, kind);
}

/* --- repetition --- */

static bool number(struct pattern *p, uint32_t *out)
{
    size_t from = p->at;
    uint64_t n = 0;

    for (; !regex_end(p) && p->text.s[p->at] >= '0' && p->text.s[p->at] <= '9'; p->at++)
        n = n > UINT32_MAX ? n : n * 10 + (uint64_t)(p->text.s[p->at] - '0');
    *out = n >= UINT32_MAX ? UINT32_MAX - 1 : (uint32_t)n;
    return p->at > from || regex_wrong(p, p->at, "a repetition in {} is {2}, {2,} or {2,5}");
}

static bool counted(struct pattern *p, struct node *repeat)
{
    size_t at = p->at;

    if (!number(p, &repeat->min))
        return false;
    repeat->max = repeat->min;
    if (regex_eat(p, ',')) {
        repeat->max = UINT32_MAX;
        if (regex_peek(p) != '}' && !number(p, &repeat->max))
            return false;
    }
    if (!regex_eat(p, '}'))
        return regex_wrong(p, p->at, "a repetition in {} is {2}, {2,} or {2,5}");
    return repeat->min <= repeat->max ||
           regex_wrong(p, at, "a repetition has its smaller number first");
}

/* x{2,5} is written out: xx(x(x(x)?)?)?, x{2,} is xx+ (or xxx*). */
static uint32_t repeat_steps(const struct node *repeat)
{
    uint64_t once = repeat->first->steps, n;

    if (once == 0)
        return 0;
    if (repeat->max == UINT32_MAX)
        n = repeat->min == 0 ? once + 2 : once * repeat->min + 1;
    else
        n = once * repeat->min + (once + 1) * (repeat->max - repeat->min);
    return bounded(n);
}

/* The quantifier behind an atom, if there is one. */
static struct node *quantified(struct pattern *p, struct node *atom)
{
    struct node *repeat = node_new(p, NODE_REPEAT, 0);
    size_t at = p->at;

    repeat->max = UINT32_MAX;
    if (regex_eat(p, '+'))
        repeat->min = 1;
    else if (regex_eat(p, '?'))
        repeat->max = 1;
    else if (regex_eat(p, '{')) {
        if (!counted(p, repeat))
            return NULL;
    } else if (!regex_eat(p, '*'))
        return atom;
    if (p->dialect == REGEX_ECMA)
        repeat->lazy = regex_eat(p, '?'); /* other parts, but the same texts */
    node_add(repeat, atom);
    repeat->steps = repeat_steps(repeat);
    if (repeat->steps <= REGEX_STEPS)
        return repeat;
    (void)regex_wrong(p, at, "repetitions that come to more than %d steps when written out",
                      REGEX_STEPS);
    return NULL;
}

/* --- atoms --- */

static struct node *one_of(struct pattern *p);

/* A name: letters, digits, _ and $, and what lies beyond ASCII. */
static bool group_name(struct pattern *p, struct str *out)
{
    size_t from = p->at;

    while (!regex_end(p) && !regex_eat(p, '>')) {
        uint32_t c = regex_take(p);

        if (c < 0x80 && c != '$' &&
            !regex_set_has(&(struct set){ (struct range *)regex_word, 4, 0 }, c))
            return regex_wrong(p, from, "the name of a group has letters, digits, _ and $");
    }
    if (p->at <= from + 1 || p->text.s[p->at - 1] != '>' ||
        is_one_of(p->text.s[from], "0123456789"))
        return regex_wrong(p, from, "a group has a name, as in (?<name>..)");
    *out = (struct str){ p->text.s + from, p->at - 1 - from };
    return true;
}

/* The name is without bytes where the group has none. */
static bool group_kind(struct pattern *p, struct str *name)
{
    size_t at = p->at - 1;

    if (p->dialect == REGEX_I || !regex_eat(p, '?') || regex_eat(p, ':'))
        return true;
    if (eats(p, "=") || eats(p, "!") || eats(p, "<=") || eats(p, "<!"))
        return regex_wrong(p, at,
                           "look-around is not regular: it would cost more than linear time");
    if (regex_eat(p, '<') || (p->grouped && eats(p, "P<")))
        return group_name(p, name);
    return regex_wrong(p, at, "found '(?', expected '(?:' or '(?<name>'");
}

/* The node that remembers where a group of that name begins and ends; itself where nobody asks. */
static bool group_begin(struct pattern *p, size_t at, struct str name, struct node **out)
{
    *out = NULL;
    if (!p->grouped || name.n == 0)
        return true;
    for (uint32_t i = 0; i < p->name_count; i++)
        if (str_eq(p->names[i], name))
            return regex_wrong(p, at, "two groups have the same name");
    if (p->name_count == REGEX_GROUPS)
        return regex_wrong(p, at, "more than %d groups have names", REGEX_GROUPS);
    *out = node_new(p, NODE_GROUP, p->name_count);
    p->names[p->name_count++] = name;
    return true;
}

static struct node *group_end(struct node *remembers, struct node *inside)
{
    if (!remembers)
        return inside;
    node_add(remembers, inside);
    remembers->steps = bounded(remembers->steps + UINT64_C(2));
    return remembers;
}

static struct node *group(struct pattern *p)
{
    size_t at = p->at - 1;
    struct node *n, *remembers;
    struct str name = { 0 };

    if (!group_kind(p, &name) || !group_begin(p, at, name, &remembers))
        return NULL;
    if (++p->depth > REGEX_DEPTH) {
        (void)regex_wrong(p, at, "groups inside each other, more than %d deep", REGEX_DEPTH);
        return NULL;
    }
    n = one_of(p);
    p->depth--;
    if (!n)
        return NULL;
    if (regex_eat(p, ')'))
        return group_end(remembers, n);
    (void)regex_wrong(p, at, "a group that no ')' ends");
    return NULL;
}

static struct node *plain(struct pattern *p, size_t at)
{
    struct set set = { 0 };
    uint32_t c = regex_take(p);

    if (c < 0x80 && is_one_of((char)c, "*+?{}])")) {
        (void)regex_wrong(p, at, "found '%c', which must be written '\\%c'", (char)c, (char)c);
        return NULL;
    }
    regex_set_add(&set, p->a, c, c);
    return set_node(p, &set, at);
}

static struct node *dot(struct pattern *p, size_t at)
{
    static const struct range lines[] = { { '\n', '\n' }, { '\r', '\r' }, { 0x2028, 0x2029 } };
    struct set set = { 0 };

    for (size_t i = 0; i < (p->dialect == REGEX_I ? 2 : COUNT(lines)); i++)
        regex_set_add(&set, p->a, lines[i].lo, lines[i].hi);
    regex_set_turn(&set, p->a);
    return set_node(p, &set, at);
}

static struct node *atom(struct pattern *p)
{
    struct set set = { 0 };
    size_t at = p->at;

    if (regex_eat(p, '('))
        return group(p);
    if (regex_eat(p, '.'))
        return dot(p, at);
    if (regex_eat(p, '['))
        return regex_bracket(p, &set) ? set_node(p, &set, at) : NULL;
    if (regex_eat(p, '\\'))
        return regex_escape(p, &set) ? set_node(p, &set, at) : NULL;
    return plain(p, at);
}

/* RFC 9485 has no anchors in its grammar, but each of the engines it maps to takes ^ and $ for
 * them, and so does the suite of RFC 9535. */
static struct node *assertion(struct pattern *p)
{
    if (regex_eat(p, '^'))
        return assert_node(p, ASSERT_BEGIN);
    if (regex_eat(p, '$'))
        return assert_node(p, ASSERT_END);
    if (p->dialect == REGEX_ECMA && eats(p, "\\b"))
        return assert_node(p, ASSERT_EDGE);
    if (p->dialect == REGEX_ECMA && eats(p, "\\B"))
        return assert_node(p, ASSERT_NO_EDGE);
    return NULL;
}

static struct node *sequence(struct pattern *p)
{
    struct node *all = node_new(p, NODE_SEQUENCE, 0);

    while (!regex_end(p) && regex_peek(p) != '|' && (regex_peek(p) != ')' || p->depth == 0)) {
        struct node *n = assertion(p);

        if (!n)
            n = atom(p);
        else if (p->dialect == REGEX_ECMA && !regex_end(p) && is_one_of(p->text.s[p->at], "*+?{")) {
            (void)regex_wrong(p, p->at, "an assertion cannot be repeated");
            return NULL;
        }
        n = n ? quantified(p, n) : NULL;
        if (!n)
            return NULL;
        node_add(all, n);
    }
    return all;
}

static struct node *one_of(struct pattern *p)
{
    struct node *n = sequence(p), *all;

    if (!n || regex_peek(p) != '|')
        return n;
    all = node_new(p, NODE_ONE_OF, 0);
    node_add(all, n);
    while (regex_eat(p, '|')) {
        n = sequence(p);
        if (!n)
            return NULL;
        node_add(all, n);
    }
    return all;
}

struct node *regex_tree(struct pattern *p)
{
    struct node *n = one_of(p);

    if (!n || n->steps <= REGEX_STEPS)
        return n;
    (void)error_set(p->e, ERROR_CEILING, "the pattern comes to more than %d steps", REGEX_STEPS);
    return NULL;
}
