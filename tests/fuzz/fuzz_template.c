/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_template.c: any document, taken for a template: one that is right comes to a plan that is
 * right, and every value of its payloads has a place in the document. */
#include <assert.h>

#include "base/doc_read.h"
#include "base/json_read.h"
#include "plan/template.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_places(const struct doc *d, size_t length)
{
    _buf_ struct buf pointer = { .max = 1 << 20 };

    doc_pointer(d, &pointer);
    assert(str_begins(buf_str(&pointer), "/steps/"));
    assert(d->at <= length);
    if (d->kind == DOC_LIST || d->kind == DOC_MAP)
        for (const struct doc *c = d->first; c; c = c->next)
            check_places(c, length);
}

static void check_plan(const struct plan_doc *plan, struct arena *a)
{
    _buf_ struct buf json = { .max = 1 << 28 };
    const struct document *made;
    struct plan_doc *again = arena_new(a, struct plan_doc);
    struct ceilings max = ceilings_none();
    struct report r;
    struct error e;
    bool right;

    shape_json(&plan_shape, plan, &json);
    right = json_read("plan", buf_str(&json), &max, a, &made, &e);
    assert(right);
    r = report_new(a, "plan", made->text);
    right = shape_decode(&plan_shape, &made->root, &r, again);
    assert(right);
}

/* What a command came to is right in a request, too. */
static void check_payload(const struct step_doc *step, bool run, struct arena *a)
{
    struct request_doc *request = arena_new(a, struct request_doc);
    struct report r = report_new(a, "payload", (struct str){ 0 });
    bool right = !run || shape_decode(&execute_shape, step->payload, &r, request);

    assert(right);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _arena_ struct arena a = { 0 };
    struct ceilings max = ceilings_default();
    struct template_doc *t = arena_new(&a, struct template_doc);
    struct fake_world world;
    struct plan_doc plan;
    const struct document *d;
    struct report r;
    struct error e;

    if (!doc_read("fuzz", (struct str){ (const char *)data, size }, &max, &a, &d, &e))
        return 0;
    r = report_new(&a, "fuzz", d->text);
    if (!shape_decode(&template_shape, &d->root, &r, t))
        return 0;
    fake_world_init(&world, 1766000000);
    t->written = &d->root;
    template_plan(t, &world.world, &a, &plan);
    check_plan(&plan, &a);
    for (size_t i = 0; i < plan.steps.n; i++) {
        const struct step_doc *step = (const struct step_doc *)plan.steps.v + i;

        check_places(step->payload, d->text.n);
        check_payload(step, ((const struct template_step *)t->steps.v)[i].run.n > 0, &a);
    }
    return 0;
}
