/* SPDX-License-Identifier: Apache-2.0 */
/* template.c: new ids for names, defaults for what was left out; nothing else.
 *
 * What a step runs is put together from the values of the user's own document, each with the place
 * it has there: a later complaint about a payload points at the line that was written.
 */
#include "plan/template.h"

#include "base/digest.h"
#include "base/doc_make.h"
#include "base/json_write.h"

/* A step's place in the template, sorted by its name. */
struct named {
    struct str name;
    size_t step;
};

struct making {
    const struct template_doc *template;
    const struct world *world;
    struct arena *a;
    struct named *index;
    struct str *ids; /* of the steps, by their place */
};

static struct str new_id(const struct making *m)
{
    struct uuid id = m->world->new_id(m->world->self);
    char text[UUID_TEXT];

    uuid_text(&id, text);
    return str_of(arena_text(m->a, str_of(text)));
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static void name_steps(struct making *m)
{
    const struct template_step *steps = m->template->steps.v;
    size_t n = m->template->steps.n;

    m->index = arena_alloc(m->a, n * sizeof *m->index);
    m->ids = arena_alloc(m->a, n * sizeof *m->ids);
    for (size_t i = 0; i < n; i++) {
        m->index[i] = (struct named){ steps[i].name, i };
        m->ids[i] = new_id(m);
    }
    qsort(m->index, n, sizeof *m->index, by_name);
}

static struct items ids_of(const struct making *m, const struct items *names)
{
    struct str *ids;

    if (names->n == 0)
        return (struct items){ 0 };
    ids = arena_alloc(m->a, names->n * sizeof *ids);
    for (size_t i = 0; i < names->n; i++) {
        struct named wanted = { ((const struct str *)names->v)[i], 0 };
        const struct named *found =
            bsearch(&wanted, m->index, m->template->steps.n, sizeof *m->index, by_name);

        if (found)
            ids[i] = m->ids[found->step];
    }
    return (struct items){ ids, names->n };
}

/* ---- payloads ---- */

/* A new member of a map; it has the place of `like`, and its pointer is the one of `up`. */
static struct doc *add_like(struct arena *a, struct doc *map, const char *key,
                            const struct doc *like, struct doc *up)
{
    struct doc *made = doc_add(a, map, str_of(key));

    made->kind = DOC_MAP;
    made->at = like->at;
    made->key_at = like->key_at;
    made->up = up;
    return made;
}

/* A value of the user as a member of a made map, under the name it has: what is inside of it is
 * shared, so that all of it keeps its place. NULL: nothing. */
static void add_shared(struct arena *a, struct doc *map, const struct doc *from)
{
    struct doc *made;

    if (!from)
        return;
    made = doc_add(a, map, from->key);
    *made = *from;
    made->next = NULL;
}

/* The same for a text, under another name: it hangs below the text it stands for. */
static void add_text_of(struct arena *a, struct doc *map, const char *key, struct doc *text)
{
    struct doc *made = add_like(a, map, key, text, text);

    made->kind = DOC_TEXT;
    made->text = text->text;
}

/* The member of a map, as one that values may hang below. */
static struct doc *member(const struct doc *map, const char *key)
{
    struct doc *c = map->kind == DOC_MAP ? map->first : NULL;

    while (c && !str_is(c->key, key))
        c = c->next;
    return c;
}

/* {command, arguments, ..}: all of it is in `run`, or in the inputs beside it. */
static void add_inputs(struct arena *a, struct doc *payload, struct doc *run,
                       const struct doc *given)
{
    struct doc *command = run->first;
    struct doc *inputs = given ? add_like(a, payload, "inputs", given, given->up)
                               : add_like(a, payload, "inputs", run, command);
    struct doc *arguments;

    add_text_of(a, inputs, "command", command);
    if (command->next) {
        arguments = add_like(a, inputs, "arguments", run, command);
        arguments->kind = DOC_LIST;
        arguments->first = command->next;
        arguments->last = run->last;
        arguments->count = run->count - 1;
    }
    for (const struct doc *c = doc_first(given, DOC_MAP); c; c = c->next)
        add_shared(a, inputs, c);
}

/* The payload of a command, with the pointer of `run`. */
static const struct doc *command_payload(const struct template_step *step,
                                         const struct doc *written, struct arena *a)
{
    static const char *const shared[] = { "sandbox", "outputs", "approval", "route" };
    struct doc *payload = doc_root(a, DOC_MAP), *run = member(written, "run");

    payload->at = run->at;
    payload->key_at = run->key_at;
    payload->key = run->key;
    payload->up = run->up;
    if (step->tool.s)
        add_text_of(a, payload, "tool_id", member(written, "tool"));
    add_inputs(a, payload, run, doc_get(written, "inputs"));
    for (size_t i = 0; i < COUNT(shared); i++)
        add_shared(a, payload, doc_get(written, shared[i]));
    return payload;
}

/* Nothing, at the step that says nothing. */
static const struct doc *empty_payload(const struct doc *written, struct arena *a)
{
    struct doc *payload = doc_root(a, DOC_MAP);

    payload->at = payload->key_at = written->at;
    payload->key = str_of("payload");
    payload->up = written->first->up;
    return payload;
}

/* ---- the plan ---- */

static void make_steps(const struct making *m, struct plan_doc *out)
{
    const struct template_step *from = m->template->steps.v;
    const struct doc *written = doc_get(m->template->written, "steps")->first;
    size_t n = m->template->steps.n;
    struct step_doc *to = arena_alloc(m->a, n * sizeof *to);

    for (size_t i = 0; i < n; i++, written = written->next) {
        bool run = from[i].run.n > 0;

        to[i] = (struct step_doc){ .id = m->ids[i],
                                   .action = run ? str_of("execute") : from[i].action,
                                   .payload = from[i].payload,
                                   .depends_on = ids_of(m, &from[i].after),
                                   .on_failure = from[i].on_failure,
                                   .timeout_ms = from[i].timeout_ms };
        if (run)
            to[i].payload = command_payload(&from[i], written, m->a);
        else if (!to[i].payload)
            to[i].payload = empty_payload(written, m->a);
    }
    out->steps = (struct items){ to, n };
}

void template_actions(const struct template_doc *t, struct arena *a, struct plan_doc *out)
{
    const struct template_step *from = t->steps.v;
    const struct doc *written = doc_first(doc_get(t->written, "steps"), DOC_LIST);
    struct step_doc *to = arena_alloc(a, (t->steps.n + 1) * sizeof *to);

    for (size_t i = 0; i < t->steps.n; i++, written = written->next)
        if (from[i].action.s)
            to[i] = (struct step_doc){ .action = from[i].action,
                                       .payload = doc_get(written, "payload")
                                                      ? from[i].payload
                                                      : empty_payload(written, a) };
    *out = (struct plan_doc){ .steps = { to, t->steps.n } };
}

/* The user's metadata, and what the plan was made from. */
static const struct doc *make_metadata(const struct making *m)
{
    const struct template_step *steps = m->template->steps.v;
    struct doc *metadata = doc_root(m->a, DOC_MAP), *writ, *names;
    _buf_ struct buf canon = { .max = SIZE_MAX / 2 };
    struct digest digest;
    char text[DIGEST_TEXT];

    for (const struct doc *c = doc_first(m->template->metadata, DOC_MAP); c; c = c->next)
        add_shared(m->a, metadata, c);
    json_canon(m->template->written, m->a, &canon);
    digest = digest_of(canon.s, canon.len);
    digest_text(&digest, text);
    writ = doc_add_kind(m->a, metadata, "writ", DOC_MAP);
    names = doc_add_kind(m->a, writ, "names", DOC_MAP);
    for (size_t i = 0; i < m->template->steps.n; i++)
        doc_add_text(m->a, names, m->ids[i].s, steps[i].name);
    doc_add_text(m->a, writ, "template", str_of(arena_text(m->a, str_of(text))));
    return metadata;
}

static struct items requirements(const struct template_doc *t, struct arena *a)
{
    struct str *usual;

    if (t->needs.n > 0)
        return t->needs;
    usual = arena_new(a, struct str);
    *usual = str_of(TEMPLATE_KEY);
    return (struct items){ usual, 1 };
}

void template_plan(const struct template_doc *t, const struct world *w, struct arena *a,
                   struct plan_doc *out)
{
    struct making m = { .template = t, .world = w, .a = a };

    *out = (struct plan_doc){ .id = new_id(&m),
                              .name = t->name,
                              .version = 1,
                              .created_at = w->wall_ms(w->self),
                              .priority = t->priority,
                              .timeout_ms = t->timeout_ms,
                              .estimated_duration_ms = t->estimated_duration_ms,
                              .context_requirements = requirements(t, a),
                              .tags = t->tags,
                              .retry_policy = t->retry };
    name_steps(&m);
    make_steps(&m, out);
    out->metadata = make_metadata(&m);
}
