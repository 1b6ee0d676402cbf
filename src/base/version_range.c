/* SPDX-License-Identifier: Apache-2.0 */
/* version_range.c: ranges of versions. Bounds are held against a version as they are written, so
 * that none has to be computed. */
#include "base/doc.h"
#include "base/version.h"

enum op { OP_GE, OP_LE, OP_GT, OP_LT, OP_EQ, OP_CARET, OP_TILDE, OP_PLAIN };

/* The longer ones first; OP_PLAIN is what has none of these. */
static const char *const ops[] = { ">=", "<=", ">", "<", "=", "^", "~" };

struct comparison {
    enum op op;
    int given; /* numbers that are said, 0..3; the version is whole where it is 3 */
    struct version v;
};

struct version_range {
    struct comparison *comparison;
    size_t n, room;
    struct version_range *next; /* the set behind || */
};

static bool is_any(struct str t)
{
    return str_is(t, "x") || str_is(t, "X") || str_is(t, "*");
}

/* 1.2.3-rc.1, or up to two numbers with x or * for the rest: 1, 1.2, 1.x, 1.2.*, *. */
static bool read_partial(struct str text, struct comparison *c)
{
    static const struct str zero = { "0", 1 };
    bool open = false;
    size_t at = 0;
    int parts = 0;

    c->given = 3;
    if (version_read(text, &c->v))
        return true;
    c->v = (struct version){ { zero, zero, zero }, { 0 } };
    c->given = 0;
    for (bool more = true; more; parts++) {
        size_t end = at;
        struct str part;

        while (end < text.n && text.s[end] != '.')
            end++;
        part = (struct str){ text.s + at, end - at };
        more = end < text.n;
        at = end + 1;
        if (parts == 3 || (!is_any(part) && open))
            return false;
        open = open || is_any(part);
        if (!open)
            c->v.number[c->given++] = part;
    }
    /* What is left are plain numbers: with zeros behind them they make a version. */
    for (int i = 0; i < c->given; i++) {
        struct str n = c->v.number[i];

        for (size_t k = 0; k < n.n; k++)
            if (n.s[k] < '0' || n.s[k] > '9')
                return false;
        if (n.n == 0 || (n.n > 1 && n.s[0] == '0'))
            return false;
    }
    return c->given < 3;
}

static bool read_comparison(struct str text, struct comparison *c)
{
    c->op = OP_PLAIN;
    for (size_t i = 0; i < COUNT(ops) && c->op == OP_PLAIN; i++)
        if (str_begins(text, ops[i]))
            c->op = (enum op)i;
    if (c->op != OP_PLAIN) {
        size_t n = strlen(ops[c->op]);

        text = (struct str){ text.s + n, text.n - n };
    }
    return text.n > 0 && read_partial(text, c);
}

/* The next word: what stands between blanks, or a ||. A comparison may have blanks behind its
 * sign. */
static struct str next_word(struct str *rest)
{
    const char *s = rest->s;
    size_t begin = 0, end;

    while (begin < rest->n && s[begin] == ' ')
        begin++;
    end = begin;
    while (end < rest->n && is_one_of(s[end], "<>=^~"))
        end++;
    while (end > begin && end < rest->n && s[end] == ' ')
        end++;
    while (end < rest->n && s[end] != ' ' && s[end] != '|')
        end++;
    if (end == begin && end + 1 < rest->n && s[end] == '|' && s[end + 1] == '|')
        end += 2;
    else if (end == begin && end < rest->n)
        end++;
    *rest = (struct str){ s + end, rest->n - end };
    return (struct str){ s + begin, end - begin };
}

/* Takes the blanks out of a word: only those behind its sign can be there. */
static struct str close_up(struct str word, struct arena *a)
{
    char *text = arena_text(a, word);
    size_t n = 0;

    for (size_t i = 0; i < word.n; i++)
        if (word.s[i] != ' ')
            text[n++] = word.s[i];
    return (struct str){ text, n };
}

bool version_range_read(struct str text, struct arena *a, const struct version_range **out,
                        struct error *e)
{
    struct version_range *first = arena_new(a, struct version_range), *set = first;
    struct str rest = text;

    for (struct str word; (word = next_word(&rest)).n > 0;) {
        if (str_is(word, "||") && set->n > 0) {
            set = set->next = arena_new(a, struct version_range);
            continue;
        }
        set->comparison =
            arena_more(a, set->comparison, set->n, &set->room, sizeof *set->comparison);
        if (!read_comparison(close_up(word, a), &set->comparison[set->n++]))
            return error_set(e, ERROR_SYNTAX, "%s is not a comparison such as >=1.2.0, ^1.2 or 1.x",
                             said(word, a));
    }
    if (set->n == 0)
        return error_set(e, ERROR_SYNTAX, "%s has no comparison %s; '*' is any version",
                         said(text, a), set == first ? "in it" : "behind ||");
    *out = first;
    return true;
}

/* The first numbers alone. */
static int numbers_cmp(const struct version *a, const struct version *b, int first)
{
    struct version x = *a, y = *b;

    for (int i = first; i < 3; i++)
        x.number[i] = y.number[i] = (struct str){ "0", 1 };
    x.pre = y.pre = (struct str){ 0 };
    return version_cmp(&x, &y);
}

/* ^ keeps the numbers up to the first that is not 0; where all are, those that are said. */
static int kept(const struct comparison *c)
{
    for (int i = 0; i < c->given; i++)
        if (!str_is(c->v.number[i], "0"))
            return i + 1;
    return c->given;
}

static bool holds(const struct comparison *c, const struct version *v)
{
    int order = c->given == 3 ? version_cmp(v, &c->v) : numbers_cmp(v, &c->v, c->given);

    switch (c->op) {
    case OP_GE: return order >= 0;
    case OP_LE: return order <= 0;
    case OP_GT: return order > 0;
    case OP_LT: return order < 0;
    case OP_PLAIN:
    case OP_EQ: return order == 0;
    case OP_CARET: return order >= 0 && numbers_cmp(v, &c->v, kept(c)) == 0;
    case OP_TILDE: return order >= 0 && numbers_cmp(v, &c->v, c->given < 2 ? c->given : 2) == 0;
    }
    return false;
}

static bool in_set(const struct version *v, const struct version_range *set)
{
    bool named = v->pre.n == 0;

    for (size_t i = 0; i < set->n; i++) {
        const struct comparison *c = &set->comparison[i];

        if (!holds(c, v))
            return false;
        named = named || (c->v.pre.n > 0 && numbers_cmp(v, &c->v, 3) == 0);
    }
    return named;
}

bool version_in(const struct version *v, const struct version_range *range)
{
    for (; range; range = range->next)
        if (in_set(v, range))
            return true;
    return false;
}
