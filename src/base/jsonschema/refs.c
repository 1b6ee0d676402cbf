/* SPDX-License-Identifier: Apache-2.0 */
/* refs.c: what a reference means: a URI, and a pointer or an anchor behind it. */
#include <stdio.h>

#include "base/json_read.h"
#include "base/jsonschema/parts.h"
#include "base/jsonschema_uri.h"

const struct document *meta_document(struct build *b, struct str uri)
{
    struct ceilings max = ceilings_default();
    const struct document *document = NULL;
    const char *text = meta_text(uri, b->a);
    struct error e;

    if (text && !json_read("meta-schema", str_of(text), &max, b->a, &document, &e))
        return NULL;
    return document;
}

/* NULL after a complaint. */
static const struct resource *resource_find(struct build *b, const struct resource *home,
                                            struct str uri, const struct doc *reference)
{
    const struct name *known = schema_name_find(&b->uris, uri, &b->work);
    const struct doc *via = home->via ? home->via : reference;
    const char *why = "give that schema along with this one";
    const struct document *document;
    struct resource *r;

    if (known)
        return known->is;
    document = meta_document(b, uri);
    if (document)
        return document_enter(b, document, uri, home, via);
    document = document_given(b, uri, &why);
    if (!document) {
        complain(b, home, reference, "%s is not known here; %s", said(reference->text, b->a), why);
        return NULL;
    }
    r = document_enter(b, document, uri, home, via);
    return schema_judged(b, r, &document->root) ? r : NULL;
}

/* One step of a JSON pointer, with "~1" for "/" and "~0" for "~". */
static const struct doc *step(struct build *b, const struct doc *d, struct str token)
{
    char *key = arena_text(b->a, token);
    size_t n = 0;
    uint32_t index = 0;

    if (!work_do(&b->work, 1 + d->count))
        return NULL;
    for (size_t i = 0; i < token.n; i++) {
        bool escape = token.s[i] == '~' && i + 1 < token.n && is_one_of(token.s[i + 1], "01");

        key[n++] = !escape ? token.s[i] : token.s[i + 1] == '1' ? '/' : '~';
        i += escape;
    }
    for (const struct doc *c = d->kind == DOC_LIST || d->kind == DOC_MAP ? d->first : NULL; c;
         c = c->next, index++) {
        char digits[16];

        (void)snprintf(digits, sizeof digits, "%u", index);
        if (d->kind == DOC_MAP ? str_eq(c->key, (struct str){ key, n })
                               : str_is((struct str){ key, n }, digits))
            return c;
    }
    return NULL;
}

static const struct doc *pointer_find(struct build *b, const struct resource *r, struct str pointer)
{
    const struct doc *d = r->root, *up;
    struct place *place;

    for (size_t i = 0; d && i < pointer.n;) {
        size_t end = ++i;

        while (end < pointer.n && pointer.s[end] != '/')
            end++;
        d = step(b, d, (struct str){ pointer.s + i, end - i });
        i = end;
    }
    if (!d)
        return NULL;
    /* What no keyword holds is a schema all the same, once it is referred to. */
    for (up = d; up && !(place_of(b, up) && place_of(b, up)->home); up = up->up) {
    }
    place = up ? place_of(b, up) : NULL;
    if (place && up != d)
        index_schema(b, d, place->home);
    return d;
}

const struct doc *reference_find(struct build *b, const struct resource *home,
                                 const struct doc *reference, const struct anchor **dynamic)
{
    struct str fragment, uri = uri_in(b, home, reference->text);
    const struct resource *r;
    const struct name *name;
    const struct anchor *anchor;
    const struct doc *found;

    *dynamic = NULL;
    if (b->work.over)
        return NULL;
    uri = uri_part(uri, &fragment);
    fragment = uri_decode(fragment, b->a);
    r = resource_find(b, home, uri, reference);
    if (!r)
        return NULL;
    if (fragment.n == 0 || fragment.s[0] == '/') {
        found = pointer_find(b, r, fragment);
        if (!found)
            complain(b, home, reference, "%s points to nothing", said(reference->text, b->a));
        return found;
    }
    name = schema_name_find(&b->anchors, anchor_name(b, r->uri, fragment), &b->work);
    anchor = name ? name->is : NULL;
    if (!anchor) {
        complain(b, home, reference, "there is no anchor %s in %s", said(fragment, b->a),
                 uri.n ? said(uri, b->a) : "this schema");
        return NULL;
    }
    *dynamic = anchor->node ? anchor : NULL;
    return anchor->at;
}
