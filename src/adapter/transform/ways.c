/* SPDX-License-Identifier: Apache-2.0 */
/* ways.c: a spec by the table of its ways: a name, or a name with options. */
#include "adapter/transform_parts.h"

enum { WAYS_MOST = 16, ALLOWED_SAY = 512, FOUND_SAY = 256 };

/* clang-format off */
const struct column way_columns[WAY_COLUMNS] = {
    { "name",    COLUMN_TEXT, offsetof(struct way, name) },
    { "options", COLUMN_TEXT, offsetof(struct way, options) },
    { "meaning", COLUMN_TEXT, offsetof(struct way, about) },
};
/* clang-format on */

static const struct way *named(const struct ways *all, struct str name)
{
    for (size_t i = 0; i < all->n; i++)
        if (str_is(name, all->v[i].name))
            return &all->v[i];
    return NULL;
}

static void unknown(const struct ways *all, enum about about, const struct doc *d, struct str name,
                    struct report *r)
{
    _buf_ struct buf allowed = { .max = ALLOWED_SAY };
    const char *names[WAYS_MOST], *near;

    for (size_t i = 0; i < all->n && i < WAYS_MOST; i++) {
        names[i] = all->v[i].name;
        buf_addf(&allowed, "%s%s", i ? ", " : "", names[i]);
    }
    near = str_nearest(name, names, all->n);
    report_add(r, about, d, CODE_VALIDATION_ERROR, "%s: %s is not one of %s%s%s%s", all->what,
               said(name, r->a), buf_str(&allowed).s, near ? " (did you mean '" : "",
               near ? near : "", near ? "'?)" : "");
}

/* The member of a spec that names the way; NULL after a complaint. */
static const struct doc *naming(const struct ways *all, const struct doc *spec, struct report *r)
{
    const struct doc *found = NULL;

    for (const struct doc *c = spec->first; c; c = c->next) {
        if (!named(all, c->key))
            continue;
        if (found) {
            report_add(r, ABOUT_KEY, c, CODE_VALIDATION_ERROR, "%s: '%.*s' and '%.*s': name one",
                       all->what, STR_ARG(found->key), STR_ARG(c->key));
            return NULL;
        }
        found = c;
    }
    if (!found && spec->first)
        unknown(all, ABOUT_KEY, spec->first, spec->first->key, r);
    else if (!found)
        report_add(r, ABOUT_VALUE, spec, CODE_VALIDATION_ERROR, "%s: {} names nothing", all->what);
    return found;
}

/* Lends a member to another map: it keeps its place and what it is in. */
static void lend(struct doc *to, const struct doc *member, struct arena *a)
{
    struct doc *d = doc_add(a, to, member->key);

    *d = *member;
    d->next = NULL;
}

/* The options, wherever they stand, as one map. False after a complaint. */
static bool gather(const struct way *way, const struct doc *spec, const struct doc *name,
                   struct doc *to, struct report *r)
{
    _buf_ struct buf found = { .max = FOUND_SAY };
    struct doc main = { .kind = DOC_TEXT, .at = name->at, .up = (struct doc *)name };

    *to = *spec;
    to->first = to->last = NULL;
    to->count = 0;
    for (const struct doc *c = doc_first(name, DOC_MAP); c; c = c->next)
        lend(to, c, r->a);
    if (name->kind == DOC_TEXT && way->main) {
        main.key = str_of(way->main);
        main.text = name->text;
        lend(to, &main, r->a);
    } else if (name->kind != DOC_MAP && name->kind != DOC_NULL) {
        doc_say(name, &found);
        report_add(r, ABOUT_VALUE, name, CODE_VALIDATION_ERROR,
                   "'%s' is %s, must be a map of its options", way->name, found.s);
        return false;
    }
    for (const struct doc *c = spec->first; c; c = c->next)
        if (c != name)
            lend(to, c, r->a);
    if (doc_twice(to, r->a)) {
        report_add(r, ABOUT_VALUE, name, CODE_VALIDATION_ERROR, "%s is given twice",
                   said(doc_twice(to, r->a)->key, r->a));
        return false;
    }
    return true;
}

static bool decode(const struct way *way, const struct doc *given, struct report *r,
                   const void **options)
{
    uint32_t before = r->errors;
    void *to;

    if (!way->shape && given->first) {
        report_add(r, ABOUT_KEY, given->first, CODE_VALIDATION_ERROR, "'%s' has no options",
                   way->name);
        return false;
    }
    if (!way->shape)
        return true;
    to = arena_alloc(r->a, way->shape->size);
    *options = to;
    return shape_decode(way->shape, given, r, to) && r->errors == before;
}

bool way_read(const struct ways *all, const struct doc *spec, struct report *r,
              const struct way **out, const void **options)
{
    _buf_ struct buf found = { .max = FOUND_SAY };
    struct doc given = *spec;
    const struct doc *name = spec;

    if (spec->kind != DOC_TEXT && spec->kind != DOC_MAP) {
        doc_say(spec, &found);
        report_add(r, ABOUT_VALUE, spec, CODE_VALIDATION_ERROR,
                   "%s: %s is no name, and no name with options such as {csv: {header: false}}",
                   all->what, found.s);
        return false;
    }
    if (spec->kind == DOC_TEXT) {
        *out = named(all, spec->text);
        if (!*out)
            unknown(all, ABOUT_VALUE, spec, spec->text, r);
        given.kind = DOC_MAP;
        given.first = given.last = NULL;
        given.count = 0;
        return *out && decode(*out, &given, r, options);
    }
    name = naming(all, spec, r);
    if (!name)
        return false;
    *out = named(all, name->key);
    return *out && gather(*out, spec, name, &given, r) && decode(*out, &given, r, options);
}

bool way_of(const struct ways *all, const struct doc *spec, const struct making *m,
            const struct way **out, const void **options)
{
    struct report r = report_new(m->a, "", (struct str){ 0 });

    *options = NULL;
    if (way_read(all, spec, &r, out, options))
        return true;
    return error_set(m->e, CODE_TRANSFORM_FAILED, "%s", r.first ? r.first->msg : "wrong");
}
