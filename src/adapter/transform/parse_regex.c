/* SPDX-License-Identifier: Apache-2.0 */
/* parse_regex.c: output as the named groups of a pattern see it. */
#include "adapter/transform_parts.h"
#include "base/regex.h"

static bool read_pattern(const struct regex_options *o, struct arena *a,
                         const struct regex_groups **out, struct error *e)
{
    const struct str *names;

    if (!regex_groups_read(o->pattern, o->multiline, a, out, e))
        return false;
    return regex_groups_names(*out, &names) > 0 ||
           error_set(e, CODE_TRANSFORM_FAILED,
                     "the pattern has no group with a name, as in (?<name>..)");
}

void regex_fits(const struct doc *d, const void *decoded, struct report *r)
{
    const struct regex_options *o = decoded;
    const struct regex_groups *pattern;
    struct error e = { 0 };

    if (o->pattern.n && !read_pattern(o, r->a, &pattern, &e))
        report_add(r, ABOUT_VALUE, doc_place(d, "pattern"), CODE_VALIDATION_ERROR, "%s", e.msg);
}

/* What each group matched; null where it took no part. */
static bool fill(const struct making *m, struct doc *map, const struct str *names,
                 const struct str *groups, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct doc *d = made(m, map, names[i], groups[i].s ? DOC_TEXT : DOC_NULL);

        if (!d)
            return making_over(m);
        if (groups[i].s)
            d->text = groups[i];
    }
    return true;
}

static bool add_all(const struct making *m, struct regex_walk *walk, const struct str *names,
                    size_t n, struct doc *list)
{
    struct str whole, groups[REGEX_GROUPS];

    while (regex_walk_next(walk, &whole, groups)) {
        struct doc *map = made(m, list, (struct str){ 0 }, DOC_MAP);

        if (!map)
            return making_over(m);
        if (!fill(m, map, names, groups, n))
            return false;
    }
    return !m->w->over || making_over(m);
}

bool parse_regex(const struct making *m, const void *options, struct str text,
                 const struct doc **out)
{
    const struct regex_options *o = options;
    struct doc *root = doc_root(m->a, o->all ? DOC_LIST : DOC_MAP);
    struct str whole, groups[REGEX_GROUPS];
    const struct regex_groups *pattern;
    struct regex_walk *walk;
    const struct str *names;
    size_t n;

    if (!read_pattern(o, m->a, &pattern, m->e) ||
        !regex_walk_begin(pattern, text, m->w, m->a, &walk, m->e))
        return false;
    n = regex_groups_names(pattern, &names);
    *out = root;
    if (o->all)
        return add_all(m, walk, names, n, root);
    if (regex_walk_next(walk, &whole, groups))
        return fill(m, root, names, groups, n);
    return m->w->over ? making_over(m)
                      : error_set(m->e, CODE_TRANSFORM_FAILED, "%s matches nothing in it",
                                  said(o->pattern, m->a));
}
