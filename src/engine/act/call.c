/* SPDX-License-Identifier: Apache-2.0 */
/* call.c: an operation of an adapter as an action: the payload is its parameters. */
#include "engine/call.h"
#include "base/doc_make.h"
#include "base/json_write.h"
#include "engine/deeds.h"
#include "engine/input.h"
#include "engine/plan.h"

/* NULL: none was made. */
static const struct attempt_end *last_of(const struct tool_call *c)
{
    return c->attempts && c->attempt_count ? &c->attempts[c->attempt_count - 1] : NULL;
}

/* What it gave, by digest: what came is evidence, and its output is that after the transforms. */
static struct doc *end_doc(const struct tool_call *c, struct arena *a)
{
    const struct attempt_end *last = last_of(c);
    struct doc *d = doc_root(a, DOC_MAP);

    doc_add_text(a, d, "adapter_id", str_of(arena_text(a, c->adapter->doc.adapter_id)));
    doc_add_text(a, d, "operation", str_of(arena_text(a, c->operation)));
    doc_add_int(a, d, "attempts", (int64_t)c->attempt_count);
    if (!last)
        return d;
    if (last->execution.n)
        doc_add_text(a, d, "execution_id", str_of(arena_text(a, last->execution)));
    if (last->exit_code >= 0)
        doc_add_int(a, d, "exit_code", last->exit_code);
    if (last->status)
        doc_add_int(a, d, "status", last->status);
    return d;
}

static void add_output(const struct tool_call *c, struct arena *a, struct doc *d)
{
    _buf_ struct buf bytes = { .max = ANSWER_MAX };
    char text[DIGEST_TEXT];
    struct digest digest;

    if (c->output.doc)
        json_canon(c->output.doc, a, &bytes);
    else
        buf_add(&bytes, c->output.bytes.s, c->output.bytes.n);
    digest = digest_of(bytes.s, bytes.len);
    digest_text(&digest, text);
    doc_add_int(a, d, "output_bytes", (int64_t)bytes.len);
    doc_add_text(a, d, "output_digest", str_of(arena_text(a, str_of(text))));
    if (!last_of(c)->kept[0].bytes)
        return;
    digest_text(&last_of(c)->kept[0].digest, text);
    doc_add_text(a, d, "evidence", str_of(arena_text(a, str_of(text))));
}

static void count_evidence(const struct tool_call *c, struct evidence *e)
{
    for (size_t i = 0; i < c->attempt_count; i++)
        for (size_t k = 0; k < COUNT(c->attempts[i].kept); k++)
            if (c->attempts[i].kept[k].bytes)
                evidence_add(e, &c->attempts[i].kept[k].digest, c->attempts[i].kept[k].bytes);
}

static enum code code_of(const struct tool_call *c, int status)
{
    if (status == WRIT_UNRECORDED)
        return CODE_RESOURCE_EXHAUSTED;
    if (c->error.code == CODE_LAYER_MISSING)
        return CODE_LAYER_MISSING;
    if (status == WRIT_NO_SANDBOX)
        return CODE_UNKNOWN_ERROR;
    if (c->error.code == CODE_PARAMETER_REFUSED || c->error.code == CODE_ENCODING ||
        status == WRIT_WRONG)
        return CODE_INVALID_PAYLOAD;
    return c->error.code == CODE_EXECUTION_HALTED ? CODE_EXECUTION_HALTED : CODE_STEP_FAILED;
}

static void failed(struct job *job, struct tool_call *c, int status, struct ending *out)
{
    const struct attempt_end *last = last_of(c);
    struct doc *d = last ? end_doc(c, job->kept) : doc_root(job->kept, DOC_MAP);

    doc_add_text(job->kept, d, "code", str_of(codes[c->error.code].name));
    out->context = d;
    if (last && last->told)
        out->last_words = arena_text(job->kept, str_of(last->told));
    if (!last || !last->ran)
        out->note = "refused";
    job_failed(job, out, code_of(c, status), "%s", call_why_not(c));
}

/* Parameters that its transforms refuse are refused before anything runs. */
void check_call(void *self, const struct step_doc *step, struct report *r)
{
    struct running *running = self;
    struct writ_call ask = { .cancel = -1 };
    struct tool_call c = {
        .box = running->toolbox, .ask = &ask, .a = r->a, .given = step->payload
    };
    struct str adapter, operation;
    int status;

    if (deeds_split(step->action, &adapter, &operation) &&
        !call_find(&c, adapter, operation, &status))
        report_add(r, ABOUT_VALUE, step->payload, CODE_INVALID_PAYLOAD, "%s", call_why_not(&c));
}

void act_call(struct job *job, struct ending *out)
{
    struct running *r = job->r;
    struct writ_call ask = { .adapter = arena_text(job->scratch, job->deed->adapter),
                             .operation = arena_text(job->scratch, job->deed->operation),
                             .environment = r->ask->environment,
                             .ledger = r->ask->ledger,
                             .weak = r->ask->weak,
                             .cancel = job->cancel };
    struct exec_step step;
    struct tool_call c = { .box = r->toolbox,
                           .ask = &ask,
                           .step = &step,
                           .world = r->world,
                           .a = job->scratch,
                           .given = job->step->payload };
    const struct attempt_end *last;
    struct doc *d;
    int status;

    job_step(job, &step);
    c.purpose = step.purpose;
    status = call_run(&c);
    count_evidence(&c, r->evidence);
    last = last_of(&c);
    if (last && last->execution.n == UUID_TEXT - 1)
        memcpy(job->execution, last->execution.s, UUID_TEXT - 1);
    if (status != WRIT_OK) {
        failed(job, &c, status, out);
        return;
    }
    d = end_doc(&c, job->kept);
    add_output(&c, job->kept, d);
    out->output = d;
    out->ended_ms = last->ended_ms;
}
