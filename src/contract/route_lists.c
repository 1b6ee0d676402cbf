/* SPDX-License-Identifier: Apache-2.0 */
/* route_lists.c: which names a route contract lists, and in which order (invariants 1 and 2). */
#include "contract/route_lists.h"

#include "contract/classes.h"
#include "contract/names.h"
#include "contract/route_names.h"

/* ---- the fixed lists ---- */

static void refuse_strangers(const struct doc *list, const char *const *wanted, struct report *r)
{
    for (const struct doc *c = doc_first(list, DOC_LIST); c; c = c->next) {
        if (c->kind == DOC_TEXT && c->text.n && name_at(wanted, c->text) < 0)
            report_add(r, ABOUT_VALUE, c, CODE_CONTRACT_INVALID, "%.*s has an extra name %s",
                       STR_ARG(list->key), said(c->text, r->a));
    }
}

/* An empty list is refused as such: the names it lacks need no listing. */
static void exactly(const struct doc *d, const char *key, const char *const *wanted,
                    struct report *r)
{
    const struct doc *list = doc_get(d, key);
    struct names names = names_of(list, NULL, r->a);

    for (size_t i = 0; wanted[i] && names.n; i++) {
        if (!names_find(&names, str_of(wanted[i])))
            report_add(r, ABOUT_VALUE, list, CODE_CONTRACT_INVALID, "%s misses the name '%s'", key,
                       wanted[i]);
    }
    refuse_strangers(list, wanted, r);
}

void route_request_fields(const struct doc *d, const void *route, struct report *r)
{
    (void)route;
    exactly(d, "required_request_fields", lane_request_fields, r);
}

void route_result_fields(const struct doc *d, const void *route, struct report *r)
{
    (void)route;
    exactly(d, "required_result_fields", lane_result_fields, r);
}

void route_manifest_fields(const struct doc *d, const void *route, struct report *r)
{
    (void)route;
    exactly(d, "artifact_manifest_fields", lane_manifest_fields, r);
}

/* ---- invariant 1: lists of texts ---- */

static void lexical(const struct doc *list, struct report *r)
{
    const struct doc *before = NULL;

    for (const struct doc *c = doc_first(list, DOC_LIST); c; c = c->next) {
        if (c->kind != DOC_TEXT)
            continue;
        if (before && str_cmp(before->text, c->text) > 0)
            report_add(r, ABOUT_VALUE, c, CODE_CONTRACT_INVALID,
                       "%s comes after %s, must be in lexical order", said(c->text, r->a),
                       said(before->text, r->a));
        before = c;
    }
}

static void unique(const struct doc *list, struct report *r)
{
    struct names names = names_of(list, NULL, r->a);

    names_twice(&names, "", r);
}

/* Every list of texts in the contract. */
static void each_list(const struct doc *d, struct report *r,
                      void (*check)(const struct doc *list, struct report *r))
{
    check(doc_get(d, "required_request_fields"), r);
    check(doc_get(d, "required_result_fields"), r);
    check(doc_get(d, "artifact_manifest_fields"), r);
    for (const struct doc *c = doc_first(doc_get(d, "command_classes"), DOC_LIST); c; c = c->next)
        check(doc_get(c, "allowed_prefixes"), r);
}

void route_texts_lexical(const struct doc *d, const void *route, struct report *r)
{
    (void)route;
    each_list(d, r, lexical);
}

void route_texts_unique(const struct doc *d, const void *route, struct report *r)
{
    (void)route;
    each_list(d, r, unique);
}

/* ---- invariant 2: classes and their timeouts ---- */

void route_classes_lexical(const struct doc *d, const void *route, struct report *r)
{
    const struct doc *list = doc_get(d, "command_classes");
    struct names names = names_of(list, "class_id", r->a);
    struct str before = { 0 };

    (void)route;
    names_twice(&names, "class ", r);
    for (const struct doc *c = doc_first(list, DOC_LIST); c; c = c->next) {
        struct str id = doc_text(c, "class_id");

        if (id.n && before.n && str_cmp(before, id) > 0)
            report_add(r, ABOUT_VALUE, doc_get(c, "class_id"), CODE_CONTRACT_INVALID,
                       "class %s comes after %s, must be in lexical order", said(id, r->a),
                       said(before, r->a));
        before = id.n ? id : before;
    }
}

void route_profiles_match(const struct doc *d, const void *route, struct report *r)
{
    struct names ids = names_of(doc_get(d, "command_classes"), "class_id", r->a);
    struct names profiles = names_of(doc_get(d, "timeout_profiles"), "class_id", r->a);

    (void)route;
    names_twice(&profiles, "timeout profile ", r);
    for (size_t i = 0; i < ids.n; i++) {
        if (!names_find(&profiles, ids.v[i].text))
            report_add(r, ABOUT_VALUE, ids.v[i].at, CODE_CONTRACT_INVALID,
                       "class %s has no timeout profile", said(ids.v[i].text, r->a));
    }
    for (size_t i = 0; i < profiles.n; i++) {
        if (!names_find(&ids, profiles.v[i].text))
            report_add(r, ABOUT_VALUE, profiles.v[i].at, CODE_CONTRACT_INVALID,
                       "timeout profile %s has no class", said(profiles.v[i].text, r->a));
    }
}
