/* SPDX-License-Identifier: Apache-2.0 */
/* filter.c: the expressions of filters, and whether their types fit (RFC
 * 9535, 2.3.5, 2.4).
 */
#include "base/jsonpath/parts.h"

/* clang-format off */
static const struct function functions[] = {
    { "length", FUNCTION_LENGTH, TYPE_VALUE,   1, { TYPE_VALUE } },
    { "count",  FUNCTION_COUNT,  TYPE_VALUE,   1, { TYPE_NODES } },
    { "match",  FUNCTION_MATCH,  TYPE_LOGICAL, 2, { TYPE_VALUE, TYPE_VALUE } },
    { "search", FUNCTION_SEARCH, TYPE_LOGICAL, 2, { TYPE_VALUE, TYPE_VALUE } },
    { "value",  FUNCTION_VALUE,  TYPE_VALUE,   1, { TYPE_NODES } },
};

static const struct { const char *text; enum compare compare; } compares[] = {
    { "==", COMPARE_EQ }, { "!=", COMPARE_NE }, { "<=", COMPARE_LE }, { ">=", COMPARE_GE },
    { "<",  COMPARE_LT }, { ">",  COMPARE_GT },
};
/* clang-format on */

static bool operand(struct path *p, struct expr *x);
static bool either(struct path *p, struct expr *out);

static struct expr *expr_copy(struct path *p, const struct expr *x)
{
    struct expr *copy = arena_new(p->a, struct expr);

    *copy = *x;
    return copy;
}

static void expr_add(struct path *p, struct expr *up, const struct expr *x)
{
    struct expr *copy = expr_copy(p, x);

    if (up->last)
        up->last->next = copy;
    else
        up->first = copy;
    up->last = copy;
}

/* --- functions --- */

static bool name_goes_on(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static const struct function *function_named(struct path *p)
{
    size_t from = p->at, end = from;
    struct str name;

    while (end < p->text.n && name_goes_on(p->text.s[end]))
        end++;
    name = (struct str){ p->text.s + from, end - from };
    p->at = end;
    if (jsonpath_peek(p) != '(') {
        (void)jsonpath_expected(p, "'(' after the name of a function");
        return NULL;
    }
    for (size_t i = 0; i < COUNT(functions); i++)
        if (str_is(name, functions[i].name))
            return &functions[i];
    (void)jsonpath_wrong(p, from, "found '%.*s', expected length, count, match, search or value",
                         name.n > 40 ? 40 : (int)name.n, name.s);
    return NULL;
}

/* An argument has the type that the function wants of it. */
static bool fits(struct path *p, size_t at, const struct expr *x, enum type wanted)
{
    bool query = x->kind == EXPR_QUERY;

    if (wanted == TYPE_NODES)
        return query || jsonpath_wrong(p, at, "found a value, expected a query such as @.*");
    if (query && !x->query.singular)
        return jsonpath_wrong(p, at, "this query may select many values, expected one value");
    return x->kind != EXPR_FUNCTION || x->function->result == TYPE_VALUE ||
           jsonpath_wrong(p, at, "%s() is true or false, expected a value", x->function->name);
}

static bool arguments(struct path *p, struct expr *call)
{
    for (size_t i = 0; i < call->function->count; i++) {
        struct expr x = { 0 };
        size_t at;

        jsonpath_blanks(p);
        if (i > 0 && !jsonpath_eat(p, ","))
            return jsonpath_expected(p, "',' and another argument");
        jsonpath_blanks(p);
        at = p->at;
        if (!operand(p, &x) || !fits(p, at, &x, call->function->takes[i]))
            return false;
        expr_add(p, call, &x);
    }
    jsonpath_blanks(p);
    return jsonpath_eat(p, ")") || jsonpath_expected(p, "')' after the last argument");
}

/* A pattern that stands in the path is read once. */
static void fix_pattern(struct path *p, struct expr *call)
{
    const struct expr *pattern = call->last;
    struct error why;

    if (!pattern || pattern == call->first || pattern->kind != EXPR_LITERAL ||
        pattern->literal.kind != DOC_TEXT)
        return;
    call->is_fixed = true;
    if (!regex_read(pattern->literal.text, REGEX_I, p->a, &call->fixed, &why))
        call->fixed = NULL;
}

static bool function(struct path *p, struct expr *x)
{
    x->kind = EXPR_FUNCTION;
    x->function = function_named(p);
    if (!x->function || !jsonpath_deeper(p))
        return false;
    p->at++;
    if (!arguments(p, x))
        return false;
    p->depth--;
    fix_pattern(p, x);
    return true;
}

/* --- operands and comparisons --- */

static bool operand(struct path *p, struct expr *x)
{
    char c = jsonpath_peek(p);

    if (c == '@' || c == '$') {
        p->at++;
        x->kind = EXPR_QUERY;
        x->query.absolute = c == '$';
        return jsonpath_query(p, &x->query);
    }
    if (jsonpath_follows(p)) {
        x->kind = EXPR_LITERAL;
        return jsonpath_literal(p, &x->literal);
    }
    if (c >= 'a' && c <= 'z')
        return function(p, x);
    return jsonpath_expected(p, "@, $, a function or a literal");
}

/* The operator that comes next, or NULL. */
static bool compare_follows(struct path *p, enum compare *out)
{
    for (size_t i = 0; i < COUNT(compares); i++) {
        if (jsonpath_eat(p, compares[i].text)) {
            *out = compares[i].compare;
            return true;
        }
    }
    return false;
}

static bool stands_alone(struct path *p, size_t at, const struct expr *x)
{
    if (x->kind == EXPR_LITERAL)
        return jsonpath_expected(p, "a comparison: a literal alone is no test");
    return x->kind != EXPR_FUNCTION || x->function->result == TYPE_LOGICAL ||
           jsonpath_wrong(p, at, "%s() is a value: expected a comparison", x->function->name);
}

/* A test, or a comparison if `may_compare`. */
static bool comparison(struct path *p, bool may_compare, struct expr *out)
{
    struct expr left = { 0 }, right = { 0 };
    size_t at = p->at, behind;

    if (!operand(p, &left))
        return false;
    behind = p->at;
    jsonpath_blanks(p);
    if (!may_compare || !compare_follows(p, &out->compare)) {
        p->at = behind;
        *out = left;
        return stands_alone(p, at, &left);
    }
    jsonpath_blanks(p);
    behind = p->at;
    if (!fits(p, at, &left, TYPE_VALUE) || !operand(p, &right) ||
        !fits(p, behind, &right, TYPE_VALUE))
        return false;
    out->kind = EXPR_COMPARE;
    expr_add(p, out, &left);
    expr_add(p, out, &right);
    return true;
}

/* --- logic --- */

static bool basic(struct path *p, struct expr *out)
{
    struct expr inner = { 0 };
    bool not = jsonpath_eat(p, "!");

    if (not )
        jsonpath_blanks(p);
    if (jsonpath_eat(p, "(")) {
        if (!jsonpath_deeper(p))
            return false;
        jsonpath_blanks(p);
        if (!either(p, &inner))
            return false;
        jsonpath_blanks(p);
        p->depth--;
        if (!jsonpath_eat(p, ")"))
            return jsonpath_expected(p, "')'");
    } else if (!comparison(p, !not, &inner)) {
        return false;
    }
    if (!not )
        *out = inner;
    else
        *out = (struct expr){ .kind = EXPR_NOT, .first = expr_copy(p, &inner) };
    return true;
}

/* Some of `part` with an operator between them, as one expression; one alone is itself. */
static bool chain(struct path *p, enum expr_kind kind, bool (*part)(struct path *, struct expr *),
                  struct expr *out)
{
    const char *between = kind == EXPR_OR ? "||" : "&&";

    out->kind = kind;
    for (;;) {
        struct expr one = { 0 };
        size_t behind;

        if (!part(p, &one))
            return false;
        expr_add(p, out, &one);
        behind = p->at;
        jsonpath_blanks(p);
        if (!jsonpath_eat(p, between)) {
            p->at = behind; /* the blanks belong to what comes next */
            break;
        }
        jsonpath_blanks(p);
    }
    if (out->first == out->last)
        *out = *out->first;
    return true;
}

static bool both(struct path *p, struct expr *out)
{
    return chain(p, EXPR_AND, basic, out);
}

static bool either(struct path *p, struct expr *out)
{
    return chain(p, EXPR_OR, both, out);
}

bool jsonpath_filter(struct path *p, const struct expr **out)
{
    struct expr x = { 0 };

    if (!either(p, &x))
        return false;
    *out = expr_copy(p, &x);
    return true;
}
