/* SPDX-License-Identifier: Apache-2.0 */
/* handler.c: has every step of a plan a handler, and does its payload suit it? */
#include "plan/handler.h"

static void not_found(const struct handlers *h, struct str action, const struct doc *at,
                      struct report *r)
{
    const char *near = h->near ? h->near(h->self, action) : NULL;
    const char *why = h->why ? h->why(h->self, action) : NULL;

    if (why)
        report_add(r, ABOUT_VALUE, at, CODE_ACTION_NOT_FOUND, "there is no action %s: %s",
                   said(action, r->a), why);
    else if (near)
        report_add(r, ABOUT_VALUE, at, CODE_ACTION_NOT_FOUND,
                   "there is no action %s (did you mean '%s'?)", said(action, r->a), near);
    else
        report_add(r, ABOUT_VALUE, at, CODE_ACTION_NOT_FOUND,
                   "there is no action %s; `writ explain actions` tells what there is",
                   said(action, r->a));
}

void handlers_check(const struct handlers *h, const struct plan_doc *decoded,
                    const struct doc *plan, struct report *r)
{
    const struct step_doc *steps = decoded->steps.v;
    const struct doc *place = doc_first(doc_get(plan, "steps"), DOC_LIST);

    for (size_t i = 0; i < decoded->steps.n && i < PLAN_STEPS_MAX;
         i++, place = place ? place->next : NULL) {
        const struct handler *handler;

        if (!steps[i].action.s) /* its row has said so */
            continue;
        handler = h->find(h->self, steps[i].action);
        if (!handler)
            not_found(h, steps[i].action, place ? doc_place(place, "action") : plan, r);
        else if (handler->check && steps[i].payload)
            handler->check(handler->self, &steps[i], r);
    }
}
