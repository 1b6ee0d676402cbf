/* SPDX-License-Identifier: Apache-2.0 */
/* handler.c: has every step of a plan a handler, and does its payload suit it? */
#include "plan/handler.h"

void handlers_check(const struct handlers *h, const struct plan_doc *decoded,
                    const struct doc *plan, struct report *r)
{
    const struct step_doc *steps = decoded->steps.v;
    const struct doc *place = doc_first(doc_get(plan, "steps"), DOC_LIST);

    for (size_t i = 0; i < decoded->steps.n; i++, place = place ? place->next : NULL) {
        const struct handler *handler;

        if (!steps[i].action.s) /* its row has said so */
            continue;
        handler = h->find(h->self, steps[i].action);
        if (!handler)
            report_add(r, ABOUT_VALUE, place ? doc_place(place, "action") : plan,
                       CODE_ACTION_NOT_FOUND, "there is no action %s", said(steps[i].action, r->a));
        else if (handler->check && steps[i].payload)
            handler->check(handler->self, &steps[i], r);
    }
}
