/* SPDX-License-Identifier: Apache-2.0 */
/* route_names.c: the names in a route contract, sorted. */
#include "contract/route_names.h"

#include "contract/codes.h"

static int by_text(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    int order = str_cmp(x->text, y->text);

    return order != 0 ? order : (x->at->at > y->at->at) - (x->at->at < y->at->at);
}

struct names names_of(const struct doc *list, const char *key, struct arena *a)
{
    const struct doc *first = doc_first(list, DOC_LIST);
    struct names names = { 0 };

    if (!first)
        return names;
    names.v = arena_alloc(a, list->count * sizeof *names.v);
    for (const struct doc *c = first; c; c = c->next) {
        const struct doc *at = key ? doc_get(c, key) : c;

        if (at && at->kind == DOC_TEXT && at->text.n)
            names.v[names.n++] = (struct name){ at->text, at, c };
    }
    qsort(names.v, names.n, sizeof *names.v, by_text);
    return names;
}

static int text_is(const void *text, const void *name)
{
    return str_cmp(*(const struct str *)text, ((const struct name *)name)->text);
}

const struct name *names_find(const struct names *names, struct str text)
{
    return names->n ? bsearch(&text, names->v, names->n, sizeof *names->v, text_is) : NULL;
}

void names_twice(const struct names *names, const char *what, struct report *r)
{
    for (size_t i = 1; i < names->n; i++) {
        if (str_eq(names->v[i - 1].text, names->v[i].text))
            report_add(r, ABOUT_VALUE, names->v[i].at, CODE_CONTRACT_INVALID,
                       "%s%s is there already, allowed once", what, said(names->v[i].text, r->a));
    }
}

void names_missing(const struct doc *list, const char *key, const char *what, const char *name,
                   struct report *r)
{
    struct names names = names_of(list, key, r->a);

    if (list && list->kind == DOC_LIST && !names_find(&names, str_of(name)))
        report_add(r, ABOUT_VALUE, list, CODE_CONTRACT_INVALID, "missing %s '%s'", what, name);
}
