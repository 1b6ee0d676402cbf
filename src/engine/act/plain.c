/* SPDX-License-Identifier: Apache-2.0 */
/* plain.c: the actions that only compute or tell: validate and notify. */
#include "base/doc_make.h"
#include "base/json_write.h"
#include "engine/running.h"
#include "executor/builtin.h"

enum { STEPS_MAX = 1 << 26 };

static const struct builtin *validator(void)
{
    return builtin_named(str_of("schema_validate"));
}

void check_validate(void *self, const struct step_doc *step, struct report *r)
{
    struct shape shape = *validator()->payload;

    (void)self;
    shape.name = "payload of validate"; /* no executor is called */
    shape.code = CODE_INVALID_PAYLOAD;
    (void)shape_decode(&shape, step->payload, r, arena_alloc(r->a, shape.size));
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

/* A document that is not what its schema asks for is contract 004's INVALID_PAYLOAD. */
void act_validate(struct job *job, struct ending *out)
{
    struct work work = { .left = STEPS_MAX };
    const struct doc *output = NULL, *valid;
    struct error e;

    if (!validator()->execute(job->step->payload, &work, job->kept, &output, &e)) {
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

void act_notify(struct job *job, struct ending *out)
{
    const struct world *w = job->r->world;
    struct buf *line = progress_begin(job->r->progress, "notify");

    (void)out;
    if (!line)
        return;
    json_key(line, "step_id");
    json_text(line, job->step->id);
    json_put_int(line, "index", (int64_t)job->index);
    json_key(line, "payload");
    json_doc(line, job->step->payload);
    progress_end(job->r->progress, w->wall_ms(w->self));
}
