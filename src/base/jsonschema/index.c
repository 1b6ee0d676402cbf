/* SPDX-License-Identifier: Apache-2.0 */
/* index.c: which schemas there are, and by which URIs and anchors they are known. */
#include <stdarg.h>
#include <stdio.h>

#include "base/jsonschema/parts.h"
#include "base/jsonschema_uri.h"

/* ---- places: from the address of a value to what is known about it ---- */

struct places {
    struct {
        const struct doc *at;
        struct place *is;
    } * v;
    size_t room, count;
};

static size_t slot(const struct places *p, const struct doc *d)
{
    size_t i = hash_mix((uint64_t)(uintptr_t)d, 0) & (p->room - 1);

    while (p->v[i].at && p->v[i].at != d)
        i = (i + 1) & (p->room - 1);
    return i;
}

struct place *place_of(struct build *b, const struct doc *d)
{
    return b->places ? b->places->v[slot(b->places, d)].is : NULL;
}

struct place *place_add(struct build *b, const struct doc *d)
{
    enum { ROOM_FIRST = 64 };
    struct places *p = b->places, old;
    size_t i;

    if (!p)
        p = b->places = arena_new(b->a, struct places);
    if (2 * (p->count + 1) > p->room) {
        old = *p;
        p->room = old.room ? 2 * old.room : ROOM_FIRST;
        p->v = arena_alloc(b->a, p->room * sizeof *p->v);
        for (i = 0; i < old.room; i++)
            if (old.v[i].at)
                p->v[slot(p, old.v[i].at)] = old.v[i];
    }
    i = slot(p, d);
    if (!p->v[i].at) {
        p->v[i].at = d;
        p->v[i].is = arena_new(b->a, struct place);
        p->count++;
    }
    return p->v[i].is;
}

void complain(struct build *b, const struct resource *home, const struct doc *d, const char *fmt,
              ...)
{
    _buf_ struct buf pointer = { .max = 1024 };
    int code = b->options->schema_code ? b->options->schema_code : b->options->code;
    char msg[ERROR_MSG];
    va_list ap;

    b->failed = true;
    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    if (!home->via) {
        report_add(b->r, ABOUT_VALUE, d, code, "%s", msg);
        return;
    }
    doc_pointer(d, &pointer);
    report_add(b->r, ABOUT_VALUE, home->via, code, "in %s, at '%s': %s", said(home->uri, b->a),
               buf_str(&pointer).s, msg);
}

/* ---- resources ---- */

static const struct {
    const char *name;
    enum vocabulary is;
} vocabularies[] = {
    { "core", VOCABULARY_CORE },
    { "applicator", VOCABULARY_APPLICATOR },
    { "unevaluated", VOCABULARY_UNEVALUATED },
    { "validation", VOCABULARY_VALIDATION },
    { "format-annotation", VOCABULARY_CORE },
    { "format-assertion", VOCABULARY_FORMAT },
    { "meta-data", VOCABULARY_CORE },
    { "content", VOCABULARY_CORE },
};

static const char vocabulary_home[] = "https://json-schema.org/draft/2020-12/vocab/";

enum {
    VOCABULARY_USUAL =
        VOCABULARY_CORE | VOCABULARY_APPLICATOR | VOCABULARY_UNEVALUATED | VOCABULARY_VALIDATION,
};

/* The vocabularies that a meta-schema of somebody's own asks for. */
static void read_vocabularies(struct build *b, struct resource *r, const struct doc *list,
                              const struct doc *at)
{
    if (!list)
        return;
    r->vocabularies = VOCABULARY_CORE;
    for (const struct doc *v = doc_first(list, DOC_MAP); v; v = v->next) {
        enum vocabulary is = 0;
        struct str name = v->key;

        if (str_begins(name, vocabulary_home))
            name =
                (struct str){ name.s + strlen(vocabulary_home), name.n - strlen(vocabulary_home) };
        for (size_t i = 0; i < COUNT(vocabularies); i++)
            if (name.s != v->key.s && str_is(name, vocabularies[i].name))
                is = vocabularies[i].is;
        r->vocabularies |= is;
        if (!is && v->kind == DOC_BOOL && v->truth)
            complain(b, r, at, "its $schema needs the vocabulary %s, which is not known here",
                     said(v->key, b->a));
    }
}

const struct document *document_given(struct build *b, struct str uri, const char **why)
{
    const struct schema_options *o = b->options;

    for (size_t i = 0; i < o->known_count; i++) {
        struct str fragment, known = uri_part(str_of(o->known[i].uri), &fragment);

        if (!work_do(&b->work, 1))
            return NULL;
        if (str_eq(known, uri))
            return o->known[i].document;
    }
    return o->find ? o->find(o->self, arena_text(b->a, uri), why) : NULL;
}

static bool is_draft(struct str uri, enum schema_draft *draft)
{
    for (enum schema_draft i = SCHEMA_2020_12; i <= SCHEMA_DRAFT_07; i++)
        if (str_is(uri, meta_uri(i))) {
            *draft = i;
            return true;
        }
    return false;
}

/* What $schema says about a resource. */
static void read_draft(struct build *b, struct resource *r, const struct doc *says)
{
    struct str fragment, uri;
    const struct document *meta;
    const char *why = NULL;

    if (!says || says->kind != DOC_TEXT)
        return;
    uri = uri_part(says->text, &fragment);
    if (is_draft(uri, &r->draft)) {
        r->vocabularies = VOCABULARY_USUAL;
        return;
    }
    meta = document_given(b, uri, &why);
    if (meta && is_draft(uri_part(doc_text(&meta->root, "$schema"), &fragment), &r->draft)) {
        r->vocabularies = VOCABULARY_USUAL;
        read_vocabularies(b, r, doc_get(&meta->root, "$vocabulary"), says);
        return;
    }
    complain(b, r, says, "$schema is %s; known are %s and %s#", said(says->text, b->a),
             meta_uri(SCHEMA_2020_12), meta_uri(SCHEMA_DRAFT_07));
}

struct str uri_in(struct build *b, const struct resource *home, struct str reference)
{
    if (!work_do(&b->work, (uint32_t)(home->uri.n + reference.n)))
        return str_of("");
    return uri_resolve(home->uri, reference, b->a);
}

struct str anchor_name(struct build *b, struct str uri, struct str anchor)
{
    if (!work_do(&b->work, (uint32_t)(uri.n + anchor.n)))
        return str_of("");
    return str_of(arena_printf(b->a, "%.*s#%.*s", STR_ARG(uri), STR_ARG(anchor)));
}

static void add_anchor(struct build *b, struct resource *home, const struct doc *d, struct str name,
                       bool dynamic)
{
    struct anchor *anchor = arena_new(b->a, struct anchor);
    struct name *known =
        schema_name_add(&b->anchors, anchor_name(b, home->uri, name), b->a, &b->work);
    struct anchor *before = known->is;

    *anchor = (struct anchor){ .name = name, .at = d, .home = home };
    if (before && before->at != d) {
        complain(b, home, d, "the anchor %s is given twice", said(name, b->a));
        return;
    }
    if (!before || dynamic)
        known->is = anchor;
    if (dynamic) {
        anchor->node = node_of(b, d);
        anchor->next = home->dynamic;
        home->dynamic = anchor;
    }
}

static struct resource *add_resource(struct build *b, const struct resource *up, struct str uri,
                                     const struct doc *d)
{
    struct resource *r = arena_new(b->a, struct resource);
    struct name *known = schema_name_add(&b->uris, uri, b->a, &b->work);
    const struct resource *before = known->is;

    *r = *up;
    r->uri = uri;
    r->root = d;
    r->dynamic = NULL;
    if (before && before->root != d && before->root)
        complain(b, r, d, "the $id %s is given twice", said(uri, b->a));
    else
        known->is = r;
    return r;
}

/* The resource that d is in: its own where it has an $id. */
static struct resource *own_resource(struct build *b, const struct doc *d, struct resource *home)
{
    const struct doc *id = doc_get(d, "$id");
    bool top = d == home->root;
    struct str fragment, uri;

    if (top)
        read_draft(b, home, doc_get(d, "$schema"));
    if (!id || id->kind != DOC_TEXT || (home->draft == SCHEMA_DRAFT_07 && doc_get(d, "$ref")))
        return home;
    uri = uri_part(uri_in(b, home, id->text), &fragment);
    if (home->draft == SCHEMA_DRAFT_07 && id->text.n > 0 && id->text.s[0] == '#')
        return home;
    if (top && str_eq(uri, home->uri))
        return home;
    home = add_resource(b, home, uri, d);
    if (!top)
        read_draft(b, home, doc_get(d, "$schema"));
    return home;
}

static void read_anchors(struct build *b, const struct doc *d, struct resource *home)
{
    const struct doc *id = doc_get(d, "$id"), *name = doc_get(d, "$anchor");

    if (home->draft == SCHEMA_DRAFT_07) {
        if (id && id->kind == DOC_TEXT && id->text.n > 1 && !doc_get(d, "$ref") &&
            id->text.s[0] == '#')
            add_anchor(b, home, d, (struct str){ id->text.s + 1, id->text.n - 1 }, false);
        return;
    }
    if (name && name->kind == DOC_TEXT)
        add_anchor(b, home, d, name->text, false);
    name = doc_get(d, "$dynamicAnchor");
    if (name && name->kind == DOC_TEXT)
        add_anchor(b, home, d, name->text, true);
}

static void index_below(struct build *b, const struct doc *value, enum holds holds,
                        struct resource *home)
{
    if (holds == HOLDS_ONE || (holds == HOLDS_ONE_OR_LIST && value->kind != DOC_LIST)) {
        index_schema(b, value, home);
        return;
    }
    for (const struct doc *c = doc_first(value, holds == HOLDS_MAP ? DOC_MAP : DOC_LIST); c;
         c = c->next)
        index_schema(b, c, home);
}

/* As deep as a document may be, which has a ceiling. */
void index_schema(struct build *b, const struct doc *d, struct resource *home)
{
    struct place *place = place_of(b, d);

    if ((place && place->home) || (d->kind != DOC_MAP && d->kind != DOC_BOOL) ||
        !work_do(&b->work, 1 + d->count))
        return;
    if (d->kind == DOC_MAP)
        home = own_resource(b, d, home);
    place_add(b, d)->home = home;
    if (d->kind == DOC_BOOL)
        return;
    read_anchors(b, d, home);
    for (const struct doc *c = d->first; c; c = c->next) {
        const struct keyword *row = keyword_named(b, home, c->key);

        if (row && row->holds != HOLDS_NONE)
            index_below(b, c, row->holds, home);
    }
}

struct resource *document_enter(struct build *b, const struct document *document, struct str uri,
                                const struct resource *from, const struct doc *via)
{
    struct resource first = { .draft = from ? from->draft : b->options->draft,
                              .vocabularies = VOCABULARY_USUAL,
                              .via = via };
    struct resource *r = add_resource(b, &first, uri, &document->root);

    index_schema(b, &document->root, r);
    /* By its own $id or by the URI it was given under, it is the same. */
    if (place_of(b, &document->root))
        r = place_of(b, &document->root)->home;
    schema_name_add(&b->uris, uri, b->a, &b->work)->is = r;
    return r;
}
