/* SPDX-License-Identifier: Apache-2.0 */
/* read.c: a plan from the document of a caller, whether it is one or a template of one. */
#include "engine/plan_read.h"

#include "base/json_write.h"
#include "contract/kinds.h"
#include "engine/event.h"
#include "engine/input.h"
#include "plan/template.h"

enum { SHORT_ID = 8 };

/* A plan is what was written; what a template came to, when it is right, is read back to be put in
 * order. */
static bool canonical(const struct plan_read *read, bool right, struct arena *a, struct str *out,
                      struct error *e)
{
    _buf_ struct buf text = { .max = ANSWER_MAX };
    _arena_ struct arena scratch = { 0 };

    if (read->template && right) {
        shape_json(&plan_shape, &read->plan, &text);
        return body_whole(&text, e) && body_canonical(buf_str(&text), a, out, e);
    }
    json_canon(&read->document->root, &scratch, &text);
    if (!body_whole(&text, e))
        return false;
    *out = (struct str){ arena_text(a, buf_str(&text)), text.len };
    return true;
}

/* {"<step id>":name}, as a template leaves it; NULL: there is none. */
static const struct doc *names_in(const struct doc *metadata)
{
    const struct doc *writ = metadata ? doc_get(metadata, "writ") : NULL;

    return writ ? doc_get(writ, "names") : NULL;
}

const char **plan_step_names(const struct plan_doc *plan, struct arena *a)
{
    const struct doc *names = names_in(plan->metadata), *next = doc_first(names, DOC_MAP);
    const struct step_doc *steps = plan->steps.v;
    const char **out = arena_alloc(a, (plan->steps.n + 1) * sizeof *out);

    for (size_t i = 0; i < plan->steps.n; i++) {
        struct str id = steps[i].id.s ? steps[i].id : str_of("?"), name = { 0 };

        /* They mostly stand in the order of the steps. */
        if (next && str_eq(next->key, id) && next->kind == DOC_TEXT)
            name = next->text;
        else if (names)
            name = doc_text(names, arena_text(a, id));
        if (name.n == 0)
            name = (struct str){ id.s, id.n < SHORT_ID ? id.n : SHORT_ID };
        out[i] = arena_text(a, name);
        next = next ? next->next : NULL;
    }
    return out;
}

/* A document that is another kind of thing altogether is not held against the rows of a template.
 */
static bool is_another(const struct kind_row *kind, const struct doc *root, struct report *r)
{
    if (!kind || root->kind != DOC_MAP || kind->shape == &plan_shape ||
        kind->shape == &template_shape)
        return false;
    report_add(r, ABOUT_VALUE, root, CODE_KIND_UNKNOWN,
               "this looks like the kind %s; a plan or a template of one has steps", kind->name);
    return true;
}

/* Templates have no id: what has one, if nothing else, means to be a plan, and is told what it
 * lacks as one. */
static bool is_plan(const struct kind_row *kind, const struct doc *root)
{
    return kind ? kind->shape == &plan_shape : root->kind == DOC_MAP && doc_get(root, "id");
}

bool plan_decode(const struct shape *shape, const struct world *world, struct arena *a,
                 struct plan_read *out, struct report *r)
{
    const struct doc *root = &out->document->root;
    struct template_doc *template;
    bool right;

    if (shape == &plan_shape)
        return shape_decode(&plan_shape, root, r, &out->plan);
    out->template = true;
    template = arena_new(a, struct template_doc);
    right = shape_decode(&template_shape, root, r, template);
    template->written = root;
    if (right)
        template_plan(template, world, a, &out->plan);
    else
        template_actions(template, a, &out->plan);
    return right;
}

static bool decode(const struct world *world, struct arena *a, struct plan_read *out,
                   struct report *r)
{
    const struct doc *root = &out->document->root;
    const struct kind_row *kind = kind_of(root);

    return !is_another(kind, root, r) &&
           plan_decode(is_plan(kind, root) ? &plan_shape : &template_shape, world, a, out, r);
}

const char *step_purpose(const char *name, struct str plan, struct arena *a)
{
    return arena_printf(a, "step %s of plan %.*s", name, STR_ARG(plan));
}

struct str id_text(struct str id, struct arena *a)
{
    char text[UUID_TEXT];
    struct uuid uuid;

    if (!id.s || !uuid_v4(id, &uuid))
        return id;
    uuid_text(&uuid, text);
    return str_of(arena_text(a, str_of(text)));
}

bool plan_read(const struct writ_input *input, const struct world *world, struct arena *a,
               struct plan_read *out, struct report *r)
{
    struct error e;
    bool right;

    *out = (struct plan_read){ 0 };
    if (!input_read(input, a, &out->document, r))
        return false;
    right = decode(world, a, out, r);
    out->plan.id = id_text(out->plan.id, a);
    out->names = plan_step_names(&out->plan, a);
    if (canonical(out, right, a, &out->text, &e))
        return right;
    report_error(r, &e);
    return false;
}
