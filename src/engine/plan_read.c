/* SPDX-License-Identifier: Apache-2.0 */
/* plan_read.c: a plan from the document of a caller. */
#include "engine/plan_read.h"
#include "base/json_write.h"
#include "engine/input.h"
bool plan_read(const struct writ_input *input, const struct world *world, struct arena *a,
               struct plan_read *out, struct report *r)
{
    _buf_ struct buf canon = { .max = ANSWER_MAX };
    bool ok;
    (void)world;
    if (!input_read(input, a, &out->document, r))
        return false;
    ok = shape_decode(&plan_shape, &out->document->root, r, &out->plan);
    json_canon(&out->document->root, a, &canon);
    out->text = (struct str){ arena_text(a, buf_str(&canon)), canon.len };
    out->names = arena_alloc(a, (out->plan.steps.n + 1) * sizeof *out->names);
    for (size_t i = 0; i < out->plan.steps.n; i++)
        out->names[i] = arena_printf(a, "%.8s", ((struct step_doc *)out->plan.steps.v)[i].id.s);
    return ok;
}
