/* SPDX-License-Identifier: Apache-2.0 */
/* plain.c: the actions that only compute or tell: validate and notify. */
#include "base/cancel.h"
#include "base/doc_make.h"
#include "base/json_write.h"
#include "engine/plan.h"
#include "executor/builtin.h"

enum { STEPS_MAX = 1 << 26 };

static const struct builtin *validator(void)
{
    return builtin_named(str_of("schema_validate"));
}

/* Of what the schemas of all its steps may take together, before a plan begins. */
static uint64_t left_to_check(const struct inner *inner)
{
    uint64_t done = atomic_load(&inner->checked);

    return done < STEPS_MAX ? STEPS_MAX - done : 0;
}

static bool is_forced(void *self)
{
    const struct running *r = self;

    return cancel_asked(r->ask->force);
}

/* Only a wrong schema keeps null from being held against it. Where there is no time to find out,
 * the step does when its turn comes. */
static void check_schema(struct running *run, const struct doc *payload, struct report *r)
{
    const uint64_t left = left_to_check(run->inner);
    struct work work = { .left = left, .late = is_forced, .self = run };
    struct doc *map = doc_root(r->a, DOC_MAP);
    const struct doc *output = NULL;
    struct error e;

    for (const struct doc *d = payload->first; d; d = d->next) {
        struct doc *copy = doc_add(r->a, map, d->key);

        if (!str_is(d->key, "document") && !doc_copy(d, copy, &work, r->a))
            break;
    }
    if (!work.over && !validator()->execute(map, &work, r->a, &output, &e) && !work.over)
        report_add(r, ABOUT_VALUE, doc_place(payload, "schema"), CODE_INVALID_PAYLOAD, "%s", e.msg);
    atomic_fetch_add(&run->inner->checked, left - work.left);
}

/* Contract 004: INVALID_PAYLOAD is fatal, whatever on_failure says. */
const char *validate_ends(const struct step_doc *step, struct arena *a)
{
    if (step->on_failure == ON_FAILURE_HALT)
        return NULL;
    return arena_printf(
        a,
        "on_failure is %s, but a document that is not what its schema asks for always ends the plan",
        on_failure_names[step->on_failure]);
}

void check_validate(void *self, const struct step_doc *step, struct report *r)
{
    struct shape shape = *validator()->payload;
    const char *ends = validate_ends(step, r->a);

    shape.name = "payload of validate"; /* no executor is called */
    shape.code = CODE_INVALID_PAYLOAD;
    if (ends && step->payload->up)
        report_add(r, ABOUT_ODD, doc_place(step->payload->up, "on_failure"),
                   CODE_ON_FAILURE_WITHOUT_EFFECT, "%s", ends);
    if (shape_decode(&shape, step->payload, r, arena_alloc(r->a, shape.size)))
        check_schema(self, step->payload, r);
}

/* "the document is not what the schema asks for: /a: .. (and 2 more)" */
static const char *first_of(const struct doc *problems, struct arena *a)
{
    const struct doc *first = doc_first(problems, DOC_LIST);
    const char *told = "the document is not what the schema asks for", *more = "";
    struct str pointer = first ? doc_text(first, "pointer") : str_of("");

    if (!first)
        return told;
    if (problems->count > 1)
        more = arena_printf(a, " (and %u more)", problems->count - 1);
    return arena_printf(a, "%s: %.*s%s%.*s%s", told, STR_ARG(pointer), pointer.n ? ": " : "",
                        STR_ARG(doc_text(first, "message")), more);
}

/* Until when it may take. */
struct until {
    const struct world *world;
    int64_t mono_ms;
};

static bool is_late(void *self)
{
    const struct until *u = self;

    return u->world->mono_ms(u->world->self) > u->mono_ms;
}

/* A document that is not what its schema asks for is contract 004's INVALID_PAYLOAD. It is done on
 * the spot, and nobody else would end it. */
void act_validate(struct job *job, struct ending *out)
{
    const struct world *w = job->r->world;
    struct until until = { w, w->mono_ms(w->self) + job->attempt.budget_ms };
    struct work work = { .left = STEPS_MAX, .late = is_late, .self = &until };
    const struct doc *output = NULL, *valid;
    struct error e;

    if (!validator()->execute(job->step->payload, &work, job->kept, &output, &e)) {
        if (work.over && is_late(&until))
            job_failed(job, out, CODE_STEP_TIMEOUT, "the step's time was over");
        else
            job_failed(job, out, CODE_INVALID_PAYLOAD, "%s",
                       work.over ? "checking it would take too long" : e.msg);
        return;
    }
    valid = doc_get(output, "valid");
    out->output = output;
    if (valid && valid->kind == DOC_BOOL && valid->truth)
        return;
    out->context = output;
    job_failed(job, out, CODE_INVALID_PAYLOAD, "%s",
               first_of(doc_get(output, "problems"), job->scratch));
}

/* Who listens knows the steps of the outermost plan alone: one of them is told, and the way from
 * there to the step that speaks. */
struct buf *job_tells(const struct job *job, const char *event)
{
    const struct running *r = job->r;
    const char *inner = NULL;
    size_t index = job->index;
    struct buf *line;

    for (; r->parent; index = r->step, r = r->parent)
        inner = inner ? arena_printf(job->scratch, "%s/%s", r->plan.names[index], inner)
                      : r->plan.names[index];
    line = progress_begin(job->r->progress, event);
    if (!line)
        return NULL;
    json_put_text(line, "step_id", ((const struct step_doc *)r->plan.plan.steps.v)[index].id);
    json_put(line, "name", r->plan.names[index]);
    json_put_int(line, "index", (int64_t)index);
    if (inner)
        json_put(line, "inner", inner);
    return line;
}

void job_told(const struct job *job)
{
    const struct world *w = job->r->world;

    progress_end(job->r->progress, w->wall_ms(w->self));
}

void act_notify(struct job *job, struct ending *out)
{
    struct buf *line = job_tells(job, "notify");

    (void)out;
    if (!line)
        return;
    json_key(line, "payload");
    json_doc(line, job->step->payload);
    job_told(job);
}
