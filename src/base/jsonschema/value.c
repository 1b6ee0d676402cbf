/* SPDX-License-Identifier: Apache-2.0 */
/* value.c: keywords about one value: its type, its number, its text. */
#include <inttypes.h>

#include "base/doc_same.h"
#include "base/jsonschema/decimal.h"
#include "base/jsonschema/equal.h"
#include "base/jsonschema/formats.h"
#include "base/jsonschema/parts.h"
#include "base/regex.h"

/* ---- type ---- */

static const struct {
    const char *name;
    uint32_t kinds;
    const char *said;
} types[] = {
    { "string", IS_TEXT, "a text" },
    { "number", IS_INT | IS_NUMBER, "a number" },
    { "integer", IS_INT | IS_WHOLE, "a whole number" },
    { "object", IS_MAP, "a map" },
    { "array", IS_LIST, "a list" },
    { "null", IS_NULL, "null" },
    { "boolean", IS_BOOL, "true or false" },
};

static uint32_t type_named(struct str name)
{
    for (size_t i = 0; i < COUNT(types); i++)
        if (str_is(name, types[i].name))
            return types[i].kinds;
    return 0;
}

bool read_type(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    (void)b;
    (void)n;
    if (value->kind == DOC_TEXT)
        rule->number = type_named(value->text);
    for (const struct doc *c = doc_first(value, DOC_LIST); c; c = c->next)
        if (c->kind == DOC_TEXT)
            rule->number |= type_named(c->text);
    return true;
}

bool check_type(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    (void)c;
    (void)m;
    return rule->number & 1U << d->kind ||
           (d->kind == DOC_NUMBER && rule->number & IS_WHOLE && decimal_whole(d));
}

void say_kinds(uint32_t kinds, struct buf *to)
{
    size_t count = 0, n = 0;

    for (size_t i = 0; i < COUNT(types); i++)
        count += (types[i].kinds & kinds) == types[i].kinds;
    for (size_t i = 0; i < COUNT(types); i++) {
        if ((types[i].kinds & kinds) != types[i].kinds)
            continue;
        buf_addf(to, "%s%s", n == 0 ? "" : n + 1 == count ? " or " : ", ", types[i].said);
        n++;
    }
}

void say_type(const struct rule *rule, const struct doc *d, struct buf *to)
{
    buf_adds(to, "must be ");
    say_kinds(rule->number, to);
    buf_adds(to, ", this is ");
    doc_say(d, to);
}

/* ---- const, enum ---- */

bool read_const(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    (void)b;
    (void)n;
    (void)value;
    (void)rule;
    return true;
}

bool check_const(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    (void)m;
    return value_same(rule->at, d, c->a, c->w);
}

void say_const(const struct rule *rule, const struct doc *d, struct buf *to)
{
    buf_adds(to, "must be ");
    doc_say(rule->at, to);
    buf_adds(to, ", this is ");
    doc_say(d, to);
}

/* The values of an enum in the order of their hashes. */
struct choice {
    uint64_t hash;
    const struct doc *value;
};

static int by_hash(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;

    return (x->hash > y->hash) - (x->hash < y->hash);
}

bool read_enum(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    struct choice *choices = arena_alloc(b->a, (value->count + 1) * sizeof *choices);

    (void)n;
    rule->with = choices;
    for (const struct doc *c = doc_first(value, DOC_LIST); c; c = c->next)
        choices[rule->number++] = (struct choice){ value_hash(c, &b->work), c };
    qsort(choices, rule->number, sizeof *choices, by_hash);
    return true;
}

bool check_enum(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    enum { FEW = 4 };
    const struct choice *choices = rule->with;
    uint32_t from = 0, to = rule->number;
    uint64_t hash;

    (void)m;
    if (to <= FEW) {
        while (from < to && !value_same(choices[from].value, d, c->a, c->w))
            from++;
        return from < to;
    }
    hash = value_hash(d, c->w);
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;

        if (choices[middle].hash < hash)
            from = middle + 1;
        else
            to = middle;
    }
    for (; from < rule->number && choices[from].hash == hash; from++)
        if (value_same(choices[from].value, d, c->a, c->w))
            return true;
    return false;
}

void say_enum(const struct rule *rule, const struct doc *d, struct buf *to)
{
    enum { SHOWN = 12 };
    uint32_t n = 0;

    buf_adds(to, rule->number ? "must be one of " : "must be one of none, so nothing fits");
    for (const struct doc *c = doc_first(rule->at, DOC_LIST); c && n < SHOWN; c = c->next, n++) {
        buf_adds(to, n ? ", " : "");
        doc_say(c, to);
    }
    if (rule->number > n)
        buf_addf(to, " and %u more", rule->number - n);
    buf_adds(to, ", this is ");
    doc_say(d, to);
}

/* ---- numbers ---- */

bool read_number(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    (void)b;
    (void)n;
    (void)rule;
    return is_number(value);
}

bool check_minimum(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    (void)c;
    (void)m;
    return doc_number_cmp(d, rule->at) >= 0;
}

bool check_maximum(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    (void)c;
    (void)m;
    return doc_number_cmp(d, rule->at) <= 0;
}

bool check_above(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    (void)c;
    (void)m;
    return doc_number_cmp(d, rule->at) > 0;
}

bool check_below(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    (void)c;
    (void)m;
    return doc_number_cmp(d, rule->at) < 0;
}

static void say_number(const char *phrase, const struct rule *rule, const struct doc *d,
                       struct buf *to)
{
    buf_addf(to, "must be %s ", phrase);
    doc_say(rule->at, to);
    buf_adds(to, ", this is ");
    doc_say(d, to);
}

void say_minimum(const struct rule *rule, const struct doc *d, struct buf *to)
{
    say_number("at least", rule, d, to);
}

void say_maximum(const struct rule *rule, const struct doc *d, struct buf *to)
{
    say_number("at most", rule, d, to);
}

void say_above(const struct rule *rule, const struct doc *d, struct buf *to)
{
    say_number("more than", rule, d, to);
}

void say_below(const struct rule *rule, const struct doc *d, struct buf *to)
{
    say_number("less than", rule, d, to);
}

bool read_multiple(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    struct decimal *decimal = arena_new(b->a, struct decimal);

    (void)n;
    rule->with = decimal;
    return is_number(value) && decimal_of(value, decimal);
}

bool check_multiple(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    (void)m;
    if (d->kind == DOC_INT && rule->at->kind == DOC_INT)
        return d->whole % rule->at->whole == 0;
    return work_do(c->w, 8) && decimal_divides(rule->with, d);
}

void say_multiple(const struct rule *rule, const struct doc *d, struct buf *to)
{
    say_number("a multiple of", rule, d, to);
}

/* ---- how much ---- */

/* A count above what any document has is as good as none. */
bool read_count(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    double v = is_number(value) ? number_of(value) : 0;

    (void)b;
    (void)n;
    rule->number = v < 0 ? 0 : v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
    return is_number(value);
}

/* The bytes mostly tell: a character has 1 to 4. */
bool check_least_chars(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    size_t n = d->text.n, least = rule->number;

    (void)m;
    return n >= least &&
           (n / 4 >= least || (work_do(c->w, (uint32_t)(n / 64)) && str_chars(d->text) >= least));
}

bool check_most_chars(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    size_t n = d->text.n, most = rule->number;

    (void)m;
    return n <= most ||
           (n / 4 <= most && work_do(c->w, (uint32_t)(n / 64)) && str_chars(d->text) <= most);
}

static void say_count(const struct rule *rule, const char *which, const char *what, size_t found,
                      struct buf *to)
{
    buf_addf(to, "must have at %s %u %s%s, this has %zu", which, rule->number, what,
             rule->number == 1 ? "" : "s", found);
}

void say_least_chars(const struct rule *rule, const struct doc *d, struct buf *to)
{
    say_count(rule, "least", "character", str_chars(d->text), to);
}

void say_most_chars(const struct rule *rule, const struct doc *d, struct buf *to)
{
    say_count(rule, "most", "character", str_chars(d->text), to);
}

bool check_least(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    (void)c;
    (void)m;
    return d->count >= rule->number;
}

bool check_most(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    (void)c;
    (void)m;
    return d->count <= rule->number;
}

void say_least(const struct rule *rule, const struct doc *d, struct buf *to)
{
    say_count(rule, "least", d->kind == DOC_LIST ? "item" : "member", d->count, to);
}

void say_most(const struct rule *rule, const struct doc *d, struct buf *to)
{
    say_count(rule, "most", d->kind == DOC_LIST ? "item" : "member", d->count, to);
}

/* ---- pattern, format ---- */

const struct regex *pattern_of(struct build *b, const struct node *n, const struct doc *d,
                               struct str text)
{
    const struct regex *regex;
    struct name *name;
    struct error e;

    if (!work_do(&b->work, 1 + (uint32_t)(text.n / 8)))
        return NULL;
    name = schema_name_add(&b->patterns, text, b->a, &b->work);
    if (name->is || !work_do(&b->work, PATTERN_STEPS))
        return b->work.over ? NULL : name->is;
    if (regex_read_within(text, REGEX_ECMA, &b->work, b->a, &regex, &e))
        name->is = (void *)regex;
    else if (!b->work.over)
        complain(b, n->home, d, "the pattern %s cannot be used: %s", said(text, b->a), e.msg);
    return name->is;
}

bool read_pattern(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    rule->with = value->kind == DOC_TEXT ? pattern_of(b, n, value, value->text) : NULL;
    return rule->with != NULL;
}

bool check_pattern(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    bool found = regex_search(rule->with, d->text, c->w, &c->scratch);

    (void)m;
    arena_reset(&c->scratch);
    return found;
}

void say_pattern(const struct rule *rule, const struct doc *d, struct buf *to)
{
    buf_adds(to, "must match ");
    doc_say(rule->at, to);
    buf_adds(to, ", this is ");
    doc_say(d, to);
}

bool read_format(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    if (value->kind != DOC_TEXT ||
        !(b->options->formats || n->home->vocabularies & VOCABULARY_FORMAT ||
          (b->options->formats_of_draft_7 && n->home->draft == SCHEMA_DRAFT_07)))
        return false;
    rule->with = format_named(value->text);
    return rule->with != NULL;
}

bool check_format(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    const struct format *format = rule->with;

    (void)m;
    return work_do(c->w, format->steps + (uint32_t)(d->text.n / 64)) && format->fits(d->text);
}

void say_format(const struct rule *rule, const struct doc *d, struct buf *to)
{
    const struct format *format = rule->with;

    buf_addf(to, "must be %s such as %s, this is ", format->said, format->example);
    doc_say(d, to);
}
