/* SPDX-License-Identifier: Apache-2.0 */
/* list.c: keywords about lists. */
#include "base/jsonschema/equal.h"
#include "base/jsonschema/parts.h"

struct items {
    const struct node **prefix;
    uint32_t count;
    const struct node *rest; /* of those behind the prefix; NULL: anything */
};

/* The first of the keywords makes the rule. */
static bool items_of(struct build *b, struct node *n, struct rule *rule, struct items **out)
{
    bool first = !n->items;

    if (first)
        n->items = arena_new(b->a, struct items);
    *out = n->items;
    rule->with = n->items;
    return first;
}

bool read_prefix(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    struct items *items;
    bool first = items_of(b, n, rule, &items);

    items->prefix = arena_alloc(b->a, (value->count + 1) * sizeof *items->prefix);
    for (const struct doc *c = doc_first(value, DOC_LIST); c; c = c->next)
        items->prefix[items->count++] = node_of(b, c);
    return first;
}

bool read_items(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    struct items *items;
    bool first;

    if (value->kind == DOC_LIST) /* as draft-07 has it */
        return read_prefix(b, n, value, rule);
    first = items_of(b, n, rule, &items);
    items->rest = node_of(b, value);
    return first;
}

/* Beside a list of items it is what they leave over; otherwise there is nothing left over. */
bool read_additional_items(struct build *b, struct node *n, const struct doc *value,
                           struct rule *rule)
{
    const struct doc *list = doc_get(n->at, "items");
    struct items *items;
    bool first;

    if (!list || list->kind != DOC_LIST)
        return false;
    first = items_of(b, n, rule, &items);
    items->rest = node_of(b, value);
    return first;
}

bool check_items(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    const struct items *items = rule->with;
    uint32_t i = 0;
    bool ok = true;

    if (!work_do(c->w, d->count))
        return false;
    for (const struct doc *child = d->first; child; child = child->next, i++) {
        const struct node *node = i < items->count ? items->prefix[i] : items->rest;

        if (!node)
            break;
        mark(c, m, i);
        if (node->never && i >= items->count) {
            ok = refuse(c, ABOUT_VALUE, child, "item %u is one too many, %u %s allowed", i,
                        items->count, items->count == 1 ? "is" : "are");
        } else {
            ok = schema_apply(c, node, child, NULL) && ok;
        }
        if (!ok && c->quick)
            return false;
    }
    return ok;
}

struct contains {
    const struct node *node;
    uint32_t least, most;
};

static uint32_t count_of(struct build *b, const struct node *n, const char *key, uint32_t otherwise)
{
    const struct doc *d = doc_get(n->at, key);

    if (!d || !is_number(d) || number_of(d) < 0 || !keyword_named(b, n->home, str_of(key)))
        return otherwise;
    return number_of(d) > UINT32_MAX ? UINT32_MAX : (uint32_t)number_of(d);
}

bool read_contains(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    struct contains *contains = arena_new(b->a, struct contains);

    contains->node = node_of(b, value);
    contains->least = count_of(b, n, "minContains", 1);
    contains->most = count_of(b, n, "maxContains", UINT32_MAX);
    rule->with = contains;
    return true;
}

bool check_contains(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    const struct contains *contains = rule->with;
    _buf_ struct buf subject = { .max = ERROR_MSG };
    uint32_t found = 0, i = 0;
    bool quick = c->quick;

    c->quick = true;
    for (const struct doc *child = d->first; child; child = child->next, i++) {
        if (!schema_apply(c, contains->node, child, NULL))
            continue;
        found++;
        mark(c, m, i);
        if (found >= contains->least && !m && contains->most == UINT32_MAX)
            break;
    }
    c->quick = quick;
    if (found >= contains->least && found <= contains->most)
        return true;
    if (is_quiet(c))
        return refuse(c, ABOUT_VALUE, d, " ");
    say_subject(d, &subject);
    return refuse(
        c, ABOUT_VALUE, d, "%s must have at %s %u item%s as 'contains' wants, this has %u",
        subject.s, found < contains->least ? "least" : "most",
        found < contains->least ? contains->least : contains->most,
        (found < contains->least ? contains->least : contains->most) == 1 ? "" : "s", found);
}

bool read_unique(struct build *b, struct node *n, const struct doc *value, struct rule *rule)
{
    (void)b;
    (void)n;
    (void)rule;
    return value->kind == DOC_BOOL && value->truth;
}

struct item {
    uint64_t hash;
    const struct doc *is;
};

static int by_hash(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->is->at > y->is->at) - (x->is->at < y->is->at);
}

/* The second of two equal items, or NULL: equal ones have equal hashes, so they are neighbours. */
static const struct doc *item_twice(struct run *c, const struct item *items, size_t n,
                                    const struct doc **first)
{
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j > 0 && items[j - 1].hash == items[i].hash && !c->w->over; j--)
            if (work_do(c->w, 1) && value_same(items[j - 1].is, items[i].is, c->a, c->w)) {
                *first = items[j - 1].is;
                return items[i].is;
            }
    return NULL;
}

bool check_unique(struct run *c, const struct rule *rule, const struct doc *d, struct marks *m)
{
    _buf_ struct buf subject = { .max = ERROR_MSG }, other = { .max = ERROR_MSG };
    const struct doc *twice, *first = NULL;
    struct item *items;
    size_t at, n = 0;

    (void)rule;
    (void)m;
    if (d->count < 2)
        return true;
    if (!work_do(c->w, 4 * d->count))
        return false;
    words_take(c, d->count * sizeof *items / sizeof(uint64_t), &at);
    items = (struct item *)(void *)&c->words[at];
    for (const struct doc *child = d->first; child; child = child->next)
        items[n++] = (struct item){ value_hash(child, c->w), child };
    qsort(items, n, sizeof *items, by_hash);
    twice = item_twice(c, items, n, &first);
    c->used = at;
    if (!twice)
        return !c->w->over;
    if (is_quiet(c))
        return refuse(c, ABOUT_VALUE, twice, " ");
    say_subject(twice, &subject);
    say_subject(first, &other);
    return refuse(c, ABOUT_VALUE, twice, "%s is the same as %s, each may be there once", subject.s,
                  other.s);
}
