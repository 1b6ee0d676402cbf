/* SPDX-License-Identifier: Apache-2.0 */
/* condition.c: what must be true of a document, as rule_evaluate's rules say it. */
#include "executor/condition.h"

#include "base/doc_make.h"
#include "base/doc_same.h"
#include "base/pointer.h"
#include "base/regex.h"
#include "executor/builtin_run.h"

/* A pattern has a program and room to run it in: some 64 KiB, which are paid for by steps. */
enum { SAY = 256, PATTERN_STEPS = 20000 };

/* What is asked of one fact. */
struct asked {
    struct str pointer;
    int op;                  /* a row of ops[] */
    const struct doc *value; /* NULL: none is said */
};

struct condition {
    const struct part *part;
    struct condition *first, *next; /* of all, any and not: what they are made of */
    struct asked asked;
    struct pointer pointer;
    const struct regex *pattern; /* of matches */
};

/* Facts are looked at through this. */
struct looking {
    const struct doc *facts;
    struct work *w;
    struct arena *a;
};

/* ---- the ops: `fact` is NULL where there is none ---- */

static bool is_eq(const struct looking *l, const struct doc *fact, const struct condition *c)
{
    return fact && doc_same(fact, c->asked.value, l->w, l->a);
}

static bool is_ne(const struct looking *l, const struct doc *fact, const struct condition *c)
{
    return !is_eq(l, fact, c) && !l->w->over;
}

/* Two numbers or two texts; the order of texts is that of their characters. False: neither. */
static bool compare(const struct looking *l, const struct doc *fact, const struct condition *c,
                    int *order)
{
    const struct doc *value = c->asked.value;

    if (!fact || !work_do(l->w, 1))
        return false;
    if (doc_is_number(fact) && doc_is_number(value)) {
        *order = doc_number_cmp(fact, value);
        return true;
    }
    if (fact->kind != DOC_TEXT || value->kind != DOC_TEXT || !work_do(l->w, work_text(fact->text)))
        return false;
    *order = str_cmp(fact->text, value->text);
    return true;
}

static bool is_lt(const struct looking *l, const struct doc *fact, const struct condition *c)
{
    int order;

    return compare(l, fact, c, &order) && order < 0;
}

static bool is_le(const struct looking *l, const struct doc *fact, const struct condition *c)
{
    int order;

    return compare(l, fact, c, &order) && order <= 0;
}

static bool is_gt(const struct looking *l, const struct doc *fact, const struct condition *c)
{
    int order;

    return compare(l, fact, c, &order) && order > 0;
}

static bool is_ge(const struct looking *l, const struct doc *fact, const struct condition *c)
{
    int order;

    return compare(l, fact, c, &order) && order >= 0;
}

static bool has_item(const struct looking *l, const struct doc *list, const struct doc *item)
{
    for (const struct doc *i = list->first; i; i = i->next)
        if (doc_same(i, item, l->w, l->a))
            return true;
    return false;
}

static bool is_in(const struct looking *l, const struct doc *fact, const struct condition *c)
{
    return fact && has_item(l, c->asked.value, fact);
}

static bool contains(const struct looking *l, const struct doc *fact, const struct condition *c)
{
    const struct doc *value = c->asked.value;

    if (fact && fact->kind == DOC_LIST)
        return has_item(l, fact, value);
    if (!fact || fact->kind != DOC_TEXT || value->kind != DOC_TEXT ||
        !work_do(l->w, work_text(fact->text) + work_text(value->text)))
        return false;
    return memmem(fact->text.s, fact->text.n, value->text.s, value->text.n) != NULL;
}

static bool exists(const struct looking *l, const struct doc *fact, const struct condition *c)
{
    (void)l;
    return (fact != NULL) == (!c->asked.value || c->asked.value->truth);
}

static bool matches(const struct looking *l, const struct doc *fact, const struct condition *c)
{
    return fact && fact->kind == DOC_TEXT && regex_whole(c->pattern, fact->text, l->w, l->a);
}

/* ---- what an op can use as its value ---- */

static bool fits_any(const struct doc *value)
{
    return value != NULL;
}

static bool fits_ordered(const struct doc *value)
{
    return value && (value->kind == DOC_TEXT || doc_is_number(value));
}

static bool fits_list(const struct doc *value)
{
    return value && value->kind == DOC_LIST;
}

static bool fits_text(const struct doc *value)
{
    return value && value->kind == DOC_TEXT;
}

static bool fits_truth(const struct doc *value)
{
    return !value || value->kind == DOC_BOOL;
}

/* clang-format off */
enum { OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_IN, OP_CONTAINS, OP_EXISTS, OP_MATCHES };

static const char *const op_names[] = {
    "eq", "ne", "lt", "le", "gt", "ge", "in", "contains", "exists", "matches", NULL
};

static const struct op {
    bool (*holds)(const struct looking *l, const struct doc *fact, const struct condition *c);
    bool (*fits)(const struct doc *value);
    const char *needs;
} ops[] = {
    [OP_EQ]       = { is_eq,    fits_any,     "a 'value'" },
    [OP_NE]       = { is_ne,    fits_any,     "a 'value'" },
    [OP_LT]       = { is_lt,    fits_ordered, "a 'value' that is a number or a text" },
    [OP_LE]       = { is_le,    fits_ordered, "a 'value' that is a number or a text" },
    [OP_GT]       = { is_gt,    fits_ordered, "a 'value' that is a number or a text" },
    [OP_GE]       = { is_ge,    fits_ordered, "a 'value' that is a number or a text" },
    [OP_IN]       = { is_in,    fits_list,    "a 'value' that is a list" },
    [OP_CONTAINS] = { contains, fits_any,     "a 'value'" },
    [OP_EXISTS]   = { exists,   fits_truth,   "no 'value', or one that is true or false" },
    [OP_MATCHES]  = { matches,  fits_text,    "a 'value' that is a text: an I-Regexp" },
};

#define AT(member) offsetof(struct asked, member)
static const struct field asked_fields[] = {
    { "pointer", F_TEXT,   ONE, NEEDED,   .at = AT(pointer), .help = "Which fact, as a JSON pointer." },
    { "op",      F_CHOICE, ONE, NEEDED,   .at = AT(op), .choices = op_names, .help = "What is asked of it." },
    { "value",   F_ANY,    ONE, OPTIONAL, .at = AT(value), .help = "What it is held against." },
};
#undef AT
/* clang-format on */

static const struct shape asked_shape = { .name = "condition",
                                          .size = sizeof(struct asked),
                                          FIELDS(asked_fields),
                                          .code = CODE_EXECUTOR_EXCEPTION };

/* ---- conditions made of conditions ---- */

static bool all_hold(const struct looking *l, const struct condition *c);
static bool any_holds(const struct looking *l, const struct condition *c);
static bool not_holds(const struct looking *l, const struct condition *c);

static const struct part {
    const char *key;
    enum doc_kind kind; /* of what stands behind the key */
    const char *needs;
    bool (*holds)(const struct looking *l, const struct condition *c);
} parts[] = {
    { "all", DOC_LIST, "a list of conditions", all_hold },
    { "any", DOC_LIST, "a list of conditions", any_holds },
    { "not", DOC_MAP, "a condition", not_holds },
};

static bool holds(const struct looking *l, const struct condition *c)
{
    if (!work_do(l->w, 1))
        return false;
    if (c->part)
        return c->part->holds(l, c);
    return ops[c->asked.op].holds(l, pointer_find(&c->pointer, l->facts, l->w), c) && !l->w->over;
}

static bool all_hold(const struct looking *l, const struct condition *c)
{
    for (const struct condition *one = c->first; one; one = one->next)
        if (!holds(l, one))
            return false;
    return true;
}

static bool any_holds(const struct looking *l, const struct condition *c)
{
    for (const struct condition *one = c->first; one; one = one->next)
        if (holds(l, one))
            return true;
    return false;
}

static bool not_holds(const struct looking *l, const struct condition *c)
{
    return !holds(l, c->first) && !l->w->over;
}

bool condition_holds(const struct condition *c, const struct doc *facts, struct work *w,
                     struct arena *a)
{
    struct looking l = { facts, w, a };

    return holds(&l, c);
}

/* ---- reading ---- */

COLD static bool refuse(const struct doc *d, struct error *e, const char *says, const char *what)
{
    _buf_ struct buf pointer = { .max = SAY };

    doc_pointer(d, &pointer);
    return error_set(e, CODE_EXECUTOR_EXCEPTION, "%s: %s%s", buf_str(&pointer).s, says, what);
}

static bool read_asked(const struct doc *d, struct condition *c, struct work *w, struct arena *a,
                       struct error *e)
{
    const struct doc *value;
    struct error why;

    if (!payload_read(&asked_shape, d, a, &c->asked, e))
        return false;
    value = c->asked.value;
    if (!ops[c->asked.op].fits(value))
        return refuse(d, e, "this op needs ", ops[c->asked.op].needs);
    if (!pointer_read(c->asked.pointer, a, &c->pointer, &why))
        return refuse(d, e, why.msg, "");
    if (c->asked.op != OP_MATCHES)
        return true;
    if (!work_do(w, PATTERN_STEPS))
        return work_is_over(e);
    return regex_read(value->text, REGEX_I, a, &c->pattern, &why) || refuse(value, e, why.msg, "");
}

static bool read_condition(const struct doc *d, struct condition *c, struct work *w,
                           struct arena *a, struct error *e);

/* What stands behind all, any or not. */
static bool read_parts(const struct doc *value, struct condition *c, struct work *w,
                       struct arena *a, struct error *e)
{
    bool list = c->part->kind == DOC_LIST;
    struct condition **to = &c->first;

    for (const struct doc *one = list ? value->first : value; one; one = list ? one->next : NULL) {
        *to = arena_new(a, struct condition);
        if (!read_condition(one, *to, w, a, e))
            return false;
        to = &(*to)->next;
    }
    return true;
}

static bool read_condition(const struct doc *d, struct condition *c, struct work *w,
                           struct arena *a, struct error *e)
{
    const struct doc *value = NULL;

    if (!work_do(w, 4 * WORK_VALUE))
        return work_is_over(e);
    if (d->kind != DOC_MAP)
        return refuse(d, e, "a condition must be a map", "");
    for (size_t i = 0; i < COUNT(parts) && !value; i++) {
        value = doc_get(d, parts[i].key);
        c->part = value ? &parts[i] : NULL;
    }
    if (!value && !doc_get(d, "pointer"))
        return refuse(d, e, "a condition needs 'pointer' and 'op', or one of all, any and not", "");
    if (!value)
        return read_asked(d, c, w, a, e);
    if (d->count > 1)
        return refuse(d, e, "all, any and not stand alone; put conditions together with all", "");
    if (value->kind != c->part->kind)
        return refuse(value, e, "must be ", c->part->needs);
    return read_parts(value, c, w, a, e);
}

bool condition_read(const struct doc *d, struct work *w, struct arena *a,
                    const struct condition **out, struct error *e)
{
    struct condition *c = arena_new(a, struct condition);

    if (!read_condition(d, c, w, a, e))
        return false;
    *out = c;
    return true;
}
