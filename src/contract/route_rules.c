/* SPDX-License-Identifier: Apache-2.0 */
/* route_rules.c: the safety invariants of contract 000, from the third on. */
#include "contract/route_rules.h"

#include <inttypes.h>

#include "contract/route_names.h"
#include "contract/states.h"

/* ---- invariant 3: remote by force is for cargo ---- */

bool route_is_cargo(struct str prefix)
{
    return str_is(prefix, "cargo") || str_begins(prefix, "cargo ");
}

void route_force_is_cargo(const struct doc *d, const void *route, struct report *r)
{
    (void)route;
    for (const struct doc *c = doc_first(doc_get(d, "command_classes"), DOC_LIST); c; c = c->next) {
        const struct doc *force = doc_get(c, "force_rch");

        if (!force || force->kind != DOC_BOOL || !force->truth)
            continue;
        for (const struct doc *p = doc_first(doc_get(c, "allowed_prefixes"), DOC_LIST); p;
             p = p->next) {
            if (p->kind == DOC_TEXT && p->text.n && !route_is_cargo(p->text))
                report_add(r, ABOUT_VALUE, p, CODE_CONTRACT_INVALID,
                           "%s is not a cargo command, as force_rch asks", said(p->text, r->a));
        }
    }
}

/* ---- invariant 4: policies ---- */

void route_policy_remote(const struct doc *d, const void *route, struct report *r)
{
    (void)route;
    names_missing(doc_get(d, "route_policies"), "policy_id", "policy", "remote_rch_default", r);
}

void route_policy_fallback(const struct doc *d, const void *route, struct report *r)
{
    (void)route;
    names_missing(doc_get(d, "route_policies"), "policy_id", "policy",
                  "local_fallback_on_rch_unavailable", r);
}

/* Of two of one name nobody could tell which one holds. */
void route_policies_unique(const struct doc *d, const void *route, struct report *r)
{
    struct names names = names_of(doc_get(d, "route_policies"), "policy_id", r->a);

    (void)route;
    names_twice(&names, "policy ", r);
}

/* ---- invariant 5: timeouts ---- */

void route_soft_within_hard(const struct doc *d, const void *route, struct report *r)
{
    (void)route;
    for (const struct doc *c = doc_first(doc_get(d, "timeout_profiles"), DOC_LIST); c;
         c = c->next) {
        int64_t soft = doc_whole(c, "soft_timeout_secs"), hard = doc_whole(c, "hard_timeout_secs");

        if (soft && hard && soft > hard)
            report_add(r, ABOUT_VALUE, doc_get(c, "soft_timeout_secs"), CODE_CONTRACT_INVALID,
                       "soft_timeout_secs is %" PRId64
                       ", must not be above hard_timeout_secs, %" PRId64,
                       soft, hard);
    }
}

void route_default_within_hard(const struct doc *d, const void *route, struct report *r)
{
    struct names profiles = names_of(doc_get(d, "timeout_profiles"), "class_id", r->a);

    (void)route;
    for (const struct doc *c = doc_first(doc_get(d, "command_classes"), DOC_LIST); c; c = c->next) {
        const struct name *profile = names_find(&profiles, doc_text(c, "class_id"));
        int64_t wanted = doc_whole(c, "default_timeout_secs");
        int64_t hard = profile ? doc_whole(profile->item, "hard_timeout_secs") : 0;

        if (wanted && hard && wanted > hard)
            report_add(r, ABOUT_VALUE, doc_get(c, "default_timeout_secs"), CODE_CONTRACT_INVALID,
                       "default_timeout_secs is %" PRId64
                       ", must not be above hard_timeout_secs, %" PRId64,
                       wanted, hard);
    }
}

/* ---- invariant 6: transitions ---- */

struct edge {
    struct str from, by;
    const struct doc *at;
};

static int by_start(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    int order = str_cmp(x->from, y->from);

    if (order == 0)
        order = str_cmp(x->by, y->by);
    return order != 0 ? order : (x->at->at > y->at->at) - (x->at->at < y->at->at);
}

void route_edges_unique(const struct doc *d, const void *route, struct report *r)
{
    const struct doc *list = doc_get(d, "state_transitions");
    const struct doc *first = doc_first(list, DOC_LIST);
    struct edge *edges;
    size_t n = 0;

    (void)route;
    if (!first)
        return;
    edges = arena_alloc(r->a, list->count * sizeof *edges);
    for (const struct doc *c = first; c; c = c->next) {
        struct edge edge = { doc_text(c, "from_state"), doc_text(c, "trigger"), c };

        if (edge.from.n && edge.by.n)
            edges[n++] = edge;
    }
    qsort(edges, n, sizeof *edges, by_start);
    for (size_t i = 1; i < n; i++) {
        if (str_eq(edges[i - 1].from, edges[i].from) && str_eq(edges[i - 1].by, edges[i].by))
            report_add(r, ABOUT_VALUE, edges[i].at, CODE_CONTRACT_INVALID,
                       "%s --%s--> is there already, allowed once", said(edges[i].from, r->a),
                       said(edges[i].by, r->a));
    }
}

static void has_edge(const struct doc *d, enum route_state from, enum route_trigger by,
                     enum route_state to, struct report *r)
{
    const struct doc *list = doc_get(d, "state_transitions");

    for (const struct doc *c = doc_first(list, DOC_LIST); c; c = c->next) {
        if (str_is(doc_text(c, "from_state"), route_state_names[from]) &&
            str_is(doc_text(c, "trigger"), route_trigger_names[by]) &&
            str_is(doc_text(c, "to_state"), route_state_names[to]))
            return;
    }
    if (list && list->kind == DOC_LIST)
        report_add(r, ABOUT_VALUE, list, CODE_CONTRACT_INVALID, "missing transition %s --%s--> %s",
                   route_state_names[from], route_trigger_names[by], route_state_names[to]);
}

void route_edge_cancel(const struct doc *d, const void *route, struct report *r)
{
    (void)route;
    has_edge(d, ROUTE_RUNNING, TRIGGER_CANCEL, ROUTE_CANCEL_REQUESTED, r);
}

void route_edge_cancel_completed(const struct doc *d, const void *route, struct report *r)
{
    (void)route;
    has_edge(d, ROUTE_CANCEL_REQUESTED, TRIGGER_CANCEL_COMPLETED, ROUTE_CANCELLED, r);
}

void route_edge_cancel_timeout(const struct doc *d, const void *route, struct report *r)
{
    (void)route;
    has_edge(d, ROUTE_CANCEL_REQUESTED, TRIGGER_CANCEL_TIMEOUT, ROUTE_FAILED, r);
}

/* ---- invariant 7: failures ---- */

static void has_code(const struct doc *d, enum code code, struct report *r)
{
    names_missing(doc_get(d, "failure_taxonomy"), "code", "code", codes[code].name, r);
}

void route_code_command_failed(const struct doc *d, const void *route, struct report *r)
{
    (void)route;
    has_code(d, CODE_COMMAND_FAILED, r);
}

void route_code_command_timeout(const struct doc *d, const void *route, struct report *r)
{
    (void)route;
    has_code(d, CODE_COMMAND_TIMEOUT, r);
}

void route_code_invalid_transition(const struct doc *d, const void *route, struct report *r)
{
    (void)route;
    has_code(d, CODE_INVALID_TRANSITION, r);
}

void route_code_rch_unavailable(const struct doc *d, const void *route, struct report *r)
{
    (void)route;
    has_code(d, CODE_RCH_UNAVAILABLE, r);
}

void route_codes_unique(const struct doc *d, const void *route, struct report *r)
{
    struct names names = names_of(doc_get(d, "failure_taxonomy"), "code", r->a);

    (void)route;
    names_twice(&names, "code ", r);
}
