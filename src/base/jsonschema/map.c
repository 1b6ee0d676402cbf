/* SPDX-License-Identifier: Apache-2.0 */
/* map.c: keywords about maps. Those about members share one walk over them. */
#include "base/jsonschema/parts.h"
#include "base/regex.h"

struct pattern {
    const struct regex *regex;
    const struct node *node;
};

struct property {
    struct str key;
    const struct node *node;     /* NULL: it is only needed */
    const struct property *next; /* in the schema */
    bool needed;
};

struct members {
    struct names names; /* of struct property */
    const struct property *first;
    struct pattern *patterns;
    size_t pattern_count;
    const struct node *rest; /* additionalProperties */
    const struct doc *required;
    uint32_t needed;
};

/* The first of the keywords makes the rule. */
static bool members_of(struct build *b, struct node *n, struct rule *rule, struct members **out)
{
    bool first = !n->members;

    if (first)
        n->members = arena_new(b->a, struct members);
    *out = n->members;
    rule->with = n->members;
    return first;
}

static struct property *property_of(struct build *b, struct members *m, struct str key)
{
    struct name *name = schema_name_add(&m->names, key, b->a, &b->work);

    if (!name->is) {
        struct property *property = arena_new(b->a, struct property);

        property->key = key;
        name->is = property;
    }
    return name->is;
}

bool read_properties(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    struct property *before = NULL;
    struct members *m;
    bool first = members_of(b, n, rule, &m);

    for (const struct doc *c = doc_first(value, DOC_MAP); c; c = c->next) {
        struct property *property = property_of(b, m, c->key);

        property->node = node_of(b, c);
        *(before ? &before->next : &m->first) = property;
        before = property;
    }
    return first;
}

bool read_patterns(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    struct members *m;
    bool first = members_of(b, n, rule, &m);

    m->patterns = arena_alloc(b->a, (value->count + 1) * sizeof *m->patterns);
    for (const struct doc *c = doc_first(value, DOC_MAP); c; c = c->next) {
        struct pattern *pattern = &m->patterns[m->pattern_count];

        pattern->regex = pattern_of(b, n, c, c->key);
        if (b->work.over)
            break;
        m->pattern_count += pattern->regex != NULL;
        pattern->node = node_of(b, c);
    }
    return first;
}

bool read_additional(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    struct members *m;
    bool first = members_of(b, n, rule, &m);

    m->rest = node_of(b, value);
    return first;
}

bool read_required(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    struct members *m;
    bool first = members_of(b, n, rule, &m);

    m->required = value;
    for (const struct doc *c = doc_first(value, DOC_LIST); c; c = c->next) {
        struct property *property = c->kind == DOC_TEXT ? property_of(b, m, c->text) : NULL;

        m->needed += property && !property->needed;
        if (property)
            property->needed = true;
    }
    return first;
}

static const struct doc *member(struct run *c, const struct doc *map, struct str key)
{
    const struct doc *d = map->first;

    if (!work_do(c->w, 1 + map->count / 4))
        return NULL;
    while (d && !str_eq(d->key, key))
        d = d->next;
    return d;
}

COLD static void say_missing(struct run *c, const struct members *m, const struct doc *d)
{
    _buf_ struct buf subject = { .max = ERROR_MSG };

    if (is_quiet(c)) {
        (void)refuse(c, ABOUT_VALUE, d, " ");
        return;
    }
    say_subject(d, &subject);
    for (const struct doc *key = doc_first(m->required, DOC_LIST); key && !c->w->over;
         key = key->next)
        if (key->kind == DOC_TEXT && !member(c, d, key->text))
            (void)refuse(c, ABOUT_VALUE, d, "%s needs %s", subject.s, said(key->text, c->a));
}

/* Nothing is allowed that the schema does not name: perhaps it is a slip of the pen. */
COLD static void say_stranger(struct run *c, const struct members *m, const struct doc *d)
{
    enum { NAMES_MAX = 256 };
    const char *names[NAMES_MAX], *near;
    bool few = d->up->count < NAMES_MAX / 4;
    size_t n = 0;

    if (is_quiet(c)) {
        (void)refuse(c, ABOUT_KEY, d, " ");
        return;
    }
    for (size_t i = 0; i < m->names.room && n < NAMES_MAX; i++) {
        const struct property *property = m->names.v[i].is;
        bool there = few && member(c, d->up, m->names.v[i].key);

        if (property && property->node && !there)
            names[n++] = arena_text(c->a, m->names.v[i].key);
    }
    near = str_nearest(d->key, names, n);
    if (near)
        (void)refuse(c, ABOUT_KEY, d, "%s is not allowed here (did you mean '%s'?)",
                     said(d->key, c->a), near);
    else
        (void)refuse(c, ABOUT_KEY, d, "%s is not allowed here", said(d->key, c->a));
}

static bool rest_holds(struct run *c, const struct members *m, const struct doc *d)
{
    if (!m->rest->never)
        return schema_apply(c, m->rest, d, NULL);
    say_stranger(c, m, d);
    return false;
}

static bool patterns_hold(struct run *c, const struct members *m, const struct doc *d, bool *known)
{
    bool ok = true;

    for (size_t i = 0; i < m->pattern_count; i++) {
        bool fits = regex_search(m->patterns[i].regex, d->key, c->w, &c->scratch);

        arena_reset(&c->scratch);
        if (!fits)
            continue;
        *known = true;
        ok = schema_apply(c, m->patterns[i].node, d, NULL) && ok;
    }
    return ok;
}

/* Who writes documents mostly keeps to the order of the schema: the next is looked at first. */
static inline const struct property *property_named(struct run *c, const struct members *m,
                                                    struct str key, const struct property *next)
{
    const struct name *name;

    if (next && str_eq(next->key, key))
        return next;
    name = schema_name_find(&m->names, key, c->w);
    return name ? name->is : NULL;
}

bool check_members(struct run *c, const struct rule *rule, const struct doc *d, struct marks *marks)
{
    const struct members *m = rule->with;
    const struct property *next = m->first;
    uint32_t found = 0, index = 0;
    bool ok = true;

    if (!work_do(c->w, d->count))
        return false;
    for (const struct doc *child = d->first; child; child = child->next, index++) {
        const struct property *property = property_named(c, m, child->key, next);
        bool known = property && property->node;

        next = property ? property->next : next;
        found += property && property->needed;
        if (known)
            ok = schema_apply(c, property->node, child, NULL) && ok;
        if (m->pattern_count > 0)
            ok = patterns_hold(c, m, child, &known) && ok;
        if (!known && m->rest)
            ok = rest_holds(c, m, child) && ok;
        if (known || m->rest)
            mark(c, marks, index);
        if (!ok && c->quick)
            return false;
    }
    if (found == m->needed)
        return ok;
    say_missing(c, m, d);
    return false;
}

bool read_one(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    (void)n;
    rule->with = node_of(b, value);
    return true;
}

/* A name is held against the schema as a text that stands where the key does. */
bool check_names(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    bool ok = true;

    (void)m;
    for (const struct doc *child = d->first; child && (ok || !c->quick); child = child->next) {
        struct doc name = *child;

        name.kind = DOC_TEXT;
        name.text = child->key;
        name.at = child->key_at;
        name.count = 0;
        ok = schema_apply(c, rule->with, &name, NULL) && ok;
    }
    return ok;
}

/* ---- what one member asks of the whole ---- */

struct dependents {
    struct names names; /* of struct dependent */
};

struct dependent {
    const struct doc *needs; /* a list of names, or NULL */
    const struct node *node; /* NULL, or a schema of the whole map */
};

bool read_dependent(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    struct dependents *all = arena_new(b->a, struct dependents);

    for (const struct doc *c = doc_first(value, DOC_MAP); c; c = c->next) {
        struct dependent *one = arena_new(b->a, struct dependent);

        if (c->kind == DOC_LIST)
            one->needs = c;
        else
            one->node = node_same(b, n, c);
        schema_name_add(&all->names, c->key, b->a, &b->work)->is = one;
    }
    rule->with = all;
    return true;
}

static bool needs_are_there(struct run *c, const struct doc *needs, const struct doc *d)
{
    bool ok = true;

    for (const struct doc *key = needs->first; key; key = key->next) {
        if (key->kind != DOC_TEXT || member(c, d, key->text))
            continue;
        ok = false;
        if (is_quiet(c))
            return refuse(c, ABOUT_VALUE, d, " ");
        (void)refuse(c, ABOUT_VALUE, d, "where there is %s there must be %s, too",
                     said(needs->key, c->a), said(key->text, c->a));
    }
    return ok;
}

bool check_dependent(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    const struct dependents *all = rule->with;
    bool ok = true;

    if (!work_do(c->w, d->count))
        return false;
    for (const struct doc *child = d->first; child; child = child->next) {
        const struct name *name = schema_name_find(&all->names, child->key, c->w);
        const struct dependent *one = name ? name->is : NULL;

        if (one && one->needs)
            ok = needs_are_there(c, one->needs, d) && ok;
        if (one && one->node)
            ok = schema_apply(c, one->node, d, m) && ok;
        if (!ok && c->quick)
            return false;
    }
    return ok;
}
