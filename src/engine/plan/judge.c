/* SPDX-License-Identifier: Apache-2.0 */
/* judge.c: what is wrong with what the steps of a plan ask for, where it does not run. */
#include <limits.h>
#include <stdlib.h>

#include "engine/plan.h"
#include "engine/toolbox.h"

void plan_judge(const struct writ_plan *ask, bool set, const struct plan_read *plan,
                struct arena *a, struct report *r)
{
    struct report ignored = report_new(a, "context", (struct str){ 0 });
    _toolbox_ struct toolbox toolbox;
    _fleet_ struct fleet fleet = { 0 };
    struct inner inner = { .a = a };
    struct running run = { .ask = ask,
                           .world = world_real(),
                           .a = a,
                           .plan = *plan,
                           .fleet = set ? &fleet : NULL,
                           .toolbox = &toolbox,
                           .inner = &inner };
    const struct handlers handlers = { deeds_find, &run, deeds_near, deeds_why };
    struct refused why = { 0 };
    char real[PATH_MAX];

    toolbox_open(&toolbox, ask->environment, run.world);
    fleet_open(&fleet, ask->environment, run.world);
    if (realpath(ask->plan->name, real))
        run.file = arena_text(a, str_of(real));
    inner.unset = !set || !context_make(&run, &ignored);
    handlers_check(&handlers, &run.plan.plan, &plan->document->root, r);
    if (!inner.unset)
        why = context_refusal(&run, NULL);
    if (why.code)
        report_add(r, ABOUT_VALUE, &plan->document->root, why.code, "%s", why.message);
}
