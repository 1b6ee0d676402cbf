/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c: keywords that hold other schemas against the same value. */
#include "base/jsonschema/parts.h"

/* ---- references ---- */

bool read_ref(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    const struct anchor *anchor;
    const struct doc *target =
        value->kind == DOC_TEXT ? reference_find(b, n->home, value, &anchor) : NULL;

    if (!target)
        return false;
    if (target->kind != DOC_MAP && target->kind != DOC_BOOL) {
        complain(b, n->home, value, "%s points to something that is no schema",
                 said(value->text, b->a));
        return false;
    }
    rule->with = node_same(b, n, target);
    return true;
}

bool check_ref(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    return schema_apply(c, rule->with, d, m);
}

struct dynamic {
    const struct node *node;
    struct str anchor;
};

/* It is a plain reference, unless it names a $dynamicAnchor. */
bool read_dynamic_ref(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    const struct anchor *anchor = NULL;
    struct dynamic *dynamic;

    if (value->kind != DOC_TEXT || !reference_find(b, n->home, value, &anchor))
        return false;
    if (!anchor) {
        rule->check = check_ref;
        return read_ref(b, n, value, rule);
    }
    dynamic = arena_new(b->a, struct dynamic);
    *dynamic = (struct dynamic){ node_of(b, anchor->at), anchor->name };
    rule->with = dynamic;
    return true;
}

/* The outermost resource on the way here that has the anchor decides. */
bool check_dynamic_ref(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    const struct dynamic *dynamic = rule->with;
    const struct node *node = dynamic->node;

    for (const struct scope *s = c->scope; s; s = s->up)
        for (const struct anchor *a = s->home->dynamic; a; a = a->next) {
            if (!work_do(c->w, 1))
                return false;
            if (str_eq(a->name, dynamic->anchor))
                node = a->node;
        }
    return schema_apply(c, node, d, m);
}

/* ---- allOf, anyOf, oneOf, not ---- */

bool read_branches(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    const struct node **nodes = arena_alloc(b->a, (value->count + 1) * sizeof(struct node *));

    for (const struct doc *c = doc_first(value, DOC_LIST); c; c = c->next)
        nodes[rule->number++] = node_same(b, n, c);
    rule->with = nodes;
    return true;
}

bool check_all(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    const struct node *const *nodes = rule->with;
    bool ok = true;

    for (uint32_t i = 0; i < rule->number && (ok || !c->quick); i++)
        ok = schema_apply(c, nodes[i], d, m) && ok;
    return ok;
}

/* Does it fit, without a word; what was looked at counts only if it does. */
static bool try(struct run *c, const struct node *n, const struct doc *d, struct marks *m)
{
    struct marks tried = { 0 };
    bool quick = c->quick, ok;
    size_t used = c->used;

    if (m)
        tried = marks_new(c, d);
    c->quick = true;
    ok = schema_apply(c, n, d, m ? &tried : NULL);
    c->quick = quick;
    if (ok && m)
        marks_join(c, m, &tried);
    c->used = used;
    return ok;
}

static struct tally tally_of(struct run *c, const struct node *n, const struct doc *d)
{
    struct tally tally = { .about = d }, *before = c->tally;

    c->tally = &tally;
    (void)schema_apply(c, n, d, NULL);
    c->tally = before;
    return tally;
}

static bool is_nearer(const struct tally *a, const struct tally *b)
{
    if (a->kinds != b->kinds)
        return a->kinds < b->kinds;
    if (a->choices != b->choices)
        return a->choices < b->choices;
    return a->errors < b->errors;
}

/* The kinds that the branches allow; 0 where one of them does not say. */
static uint32_t kinds_of(const struct rule *rule)
{
    const struct node *const *nodes = rule->with;
    uint32_t kinds = 0;

    for (uint32_t i = 0; i < rule->number; i++) {
        const struct rule *first = nodes[i]->count ? nodes[i]->rules : NULL;

        if (!first || first->check != check_type)
            return 0;
        kinds |= first->number;
    }
    return kinds;
}

COLD static bool refuse_kinds(struct run *c, const struct rule *rule, const struct doc *d)
{
    _buf_ struct buf subject = { .max = ERROR_MSG }, found = { .max = ERROR_MSG };

    say_subject(d, &subject);
    doc_say(d, &found);
    if (kinds_of(rule)) {
        _buf_ struct buf allowed = { .max = ERROR_MSG };

        say_kinds(kinds_of(rule), &allowed);
        return refuse(c, ABOUT_VALUE, d, "%s must be %s, this is %s", subject.s,
                      buf_str(&allowed).s, found.s);
    }
    return refuse(c, ABOUT_VALUE, d, "%s is %s, which is none of the %u things that %s allows",
                  subject.s, found.s, rule->number, rule->row->name);
}

/* None of the branches fits: the problems of the one that came nearest are what helps most. */
COLD static bool refuse_branches(struct run *c, const struct rule *rule, const struct doc *d)
{
    const struct node *const *nodes = rule->with;
    const char *note = c->note;
    struct tally best = { 0 };
    uint32_t nearest = 0, alike = 0;

    if (is_quiet(c))
        return refuse(c, ABOUT_VALUE, d, " ");
    for (uint32_t i = 0; i < rule->number; i++) {
        struct tally tally = tally_of(c, nodes[i], d);
        bool nearer = i == 0 || is_nearer(&tally, &best);

        alike = nearer ? 1 : alike + !is_nearer(&best, &tally);
        if (nearer) {
            best = tally;
            nearest = i;
        }
    }
    if (c->w->over)
        return false;
    if (best.kinds > 0 || best.errors == 0)
        return refuse_kinds(c, rule, d);
    if (rule->number > 1)
        c->note = arena_printf(c->a,
                               alike > 1 ? " (or one of the others that %s allows)"
                                         : " (the nearest that %s allows)",
                               rule->row->name);
    (void)schema_apply(c, nodes[nearest], d, NULL);
    c->note = note;
    return false;
}

bool check_any(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    const struct node *const *nodes = rule->with;
    bool any = false;

    for (uint32_t i = 0; i < rule->number && (!any || m); i++)
        any = try(c, nodes[i], d, m) || any;
    if (any || c->quick || c->w->over)
        return any;
    return refuse_branches(c, rule, d);
}

bool check_one(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    const struct node *const *nodes = rule->with;
    _buf_ struct buf subject = { .max = ERROR_MSG };
    uint32_t fit[2], n = 0;

    for (uint32_t i = 0; i < rule->number && n < 2; i++)
        if (try(c, nodes[i], d, m))
            fit[n++] = i;
    if (n == 1)
        return true;
    if (is_quiet(c))
        return refuse(c, ABOUT_VALUE, d, " ");
    if (n == 0)
        return refuse_branches(c, rule, d);
    say_subject(d, &subject);
    return refuse(c, ABOUT_VALUE, d, "%s fits oneOf/%u and oneOf/%u, it must fit one alone",
                  subject.s, fit[0], fit[1]);
}

bool read_not(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    rule->with = node_same(b, n, value);
    return true;
}

bool check_not(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    _buf_ struct buf subject = { .max = ERROR_MSG }, found = { .max = ERROR_MSG };

    (void)m;
    if (!try(c, rule->with, d, NULL))
        return true;
    if (is_quiet(c))
        return refuse(c, ABOUT_VALUE, d, " ");
    say_subject(d, &subject);
    doc_say(d, &found);
    return refuse(c, ABOUT_VALUE, d, "%s is %s, which is what 'not' excludes", subject.s, found.s);
}

/* ---- if ---- */

struct when {
    const struct node *is, *then, *otherwise;
};

static const struct node *beside(struct build *b, struct node *n, const char *key)
{
    const struct doc *d = doc_get(n->at, key);

    return d ? node_same(b, n, d) : NULL;
}

bool read_if(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    struct when *when = arena_new(b->a, struct when);

    when->is = node_same(b, n, value);
    when->then = beside(b, n, "then");
    when->otherwise = beside(b, n, "else");
    rule->with = when;
    return true;
}

bool check_if(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    const struct when *when = rule->with;
    const struct node *next;

    if (!when->then && !when->otherwise && !m)
        return true;
    next = try(c, when->is, d, m) ? when->then : when->otherwise;
    return !next || schema_apply(c, next, d, m);
}

/* ---- what nothing else has looked at ---- */

bool read_unevaluated(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    n->keeps = true;
    rule->with = node_of(b, value);
    return true;
}

/* The last of the rules: all others have left their marks. */
bool check_unevaluated(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    const struct node *node = rule->with;
    uint32_t i = 0;
    bool ok = true;

    if (!m || !work_do(c->w, d->count) || m->count != (d->count + 63) / 64)
        return true;
    for (const struct doc *child = d->first; child; child = child->next, i++) {
        if (is_marked(c, m, i))
            continue;
        mark(c, m, i);
        if (node->never && child->key.s)
            ok = refuse(c, ABOUT_KEY, child, "%s is not allowed here",
                        is_quiet(c) ? "" : said(child->key, c->a));
        else if (node->never)
            ok = refuse(c, ABOUT_VALUE, child, "item %u is one too many", i);
        else
            ok = schema_apply(c, node, child, NULL) && ok;
        if (!ok && c->quick)
            return false;
    }
    return ok;
}
