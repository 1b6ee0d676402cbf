/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: the action `execute_plan`: a plan inside of a plan.
 *
 * The inner plan is an execution of its own, with this one as its parent, and is stopped when the
 * step's time is up. Nothing is shared but the environment and the ledger (contract 004, 6.5).
 */
#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/doc_make.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "engine/input.h"
#include "engine/plan.h"
#include "sandbox/grants.h"

struct nested {
    struct str file;
    const struct doc *plan;
};

/* clang-format off */
#define AT(member) offsetof(struct nested, member)
static const struct field nested_fields[] = {
    { "file", F_TEXT, ONE, OPTIONAL, .at = AT(file), .min = 1, .req = "R-004-165", .help = "A plan or a template, beside the file of this one." },
    { "plan", F_MAP,  ONE, OPTIONAL, .at = AT(plan),           .req = "R-004-165", .help = "The plan or template itself." },
};
#undef AT

static void one_of_both(const struct doc *d, const void *decoded, struct report *r)
{
    const struct nested *nested = decoded;

    if (!nested->file.s == !nested->plan)
        report_add(r, ABOUT_VALUE, d, CODE_INVALID_PAYLOAD, "one of 'file' and 'plan' is needed");
}

static const struct rule nested_rules[] = {
    { "R-004-165", "A nested plan is named by its file, or is written here.", one_of_both },
};
/* clang-format on */

static const struct shape nested_shape = { .name = "payload of execute_plan",
                                           .size = sizeof(struct nested),
                                           FIELDS(nested_fields),
                                           RULES(nested_rules),
                                           .code = CODE_INVALID_PAYLOAD };

/* ---- which plan ---- */

static const char *beside(const struct running *r, struct str file, struct arena *a)
{
    const char *slash = r->file ? strrchr(r->file, '/') : NULL;

    if (file.s[0] == '/' || !slash)
        return arena_text(a, file);
    return arena_printf(a, "%.*s/%.*s", (int)(slash - r->file), r->file, STR_ARG(file));
}

static struct running child_of(struct running *r, const struct nested *nested, struct arena *a,
                               struct writ_input *input)
{
    struct running child = { .ask = r->ask,
                             .parent = r,
                             .world = r->world,
                             .a = a,
                             .file = r->file,
                             .keeping = r->keeping,
                             .progress = r->progress,
                             .registries = r->registries,
                             .fleet = r->fleet,
                             .toolbox = r->toolbox,
                             .cascade = r->cascade,
                             .inner = r->inner,
                             .evidence = r->evidence,
                             .kept = r->kept };

    if (nested->plan) {
        _buf_ struct buf text = { .max = ANSWER_MAX };

        json_doc(&text, nested->plan);
        *input = (struct writ_input){ .name = "plan.json",
                                      .text = arena_text(a, buf_str(&text)),
                                      .len = text.len };
    } else {
        child.named = beside(r, nested->file, a);
        *input = (struct writ_input){ .name = child.named };
    }
    return child;
}

/* A document names only what lies beside it: a file elsewhere, or behind a link, would be read with
 * our rights, and its first lines told in an error. */
static bool leads_away(const struct running *child)
{
    const char *from = child->parent->file, *slash = from ? strrchr(from, '/') : NULL;
    char dir[PATH_MAX];
    _arena_ struct arena a = { 0 };

    from = !slash          ? "."
           : slash == from ? "/"
                           : arena_text(&a, (struct str){ from, (size_t)(slash - from) });
    return !realpath(from, dir) || !path_is_in(child->file, dir);
}

/* A plan that has itself as a step, through others too, has no end. */
static const char *circle(const struct running *child, bool named)
{
    size_t depth = 0;

    for (const struct running *up = child->parent; up; up = up->parent, depth++) {
        if (named && up->file && strcmp(up->file, child->file) == 0)
            return "it is a step of itself";
        if (str_eq(up->plan.plan.id, child->plan.plan.id))
            return "it is a step of itself";
    }
    return depth > NESTING_MAX ? "plans are nested too deeply" : NULL;
}

static bool open_child(struct running *child, struct writ_input *input, struct error *e)
{
    char real[PATH_MAX];
    struct str text;

    if (!realpath(input->name, real))
        return error_sys(e, CODE_IO, "cannot be opened");
    child->file = arena_text(child->a, str_of(real));
    if (leads_away(child))
        return error_set(e, CODE_INVALID_PAYLOAD,
                         "a nested plan lies beside the plan that has it, or below");
    if (!inner_read(child->inner, input->name, child->file, child->a, &text, e))
        return false;
    input->text = text.s;
    input->len = text.n;
    child->written = digest_of(text.s, text.n);
    child->guarded = true;
    return true;
}

/* The file is read again when the step runs, and is to be what it was when all was checked. */
static bool read_child(struct running *child, struct writ_input *input, bool named)
{
    const char *why;
    struct error e;

    if (named && !open_child(child, input, &e)) {
        child->report = report_new(child->a, input->name, (struct str){ "", 0 });
        report_error(&child->report, &e);
        return false;
    }
    if (!plan_read(input, child->world, child->a, &child->plan, &child->report))
        return false;
    why = circle(child, named);
    if (!why)
        return true;
    report_add(&child->report, ABOUT_VALUE, &child->plan.document->root, CODE_INVALID_PAYLOAD, "%s",
               why);
    return false;
}

/* What cannot be read is a wrong payload; a file that was changed meanwhile is more than that. */
static enum code unread_code(const struct problem *why)
{
    return why && why->code == CODE_PLAN_MODIFIED ? CODE_PLAN_MODIFIED : CODE_INVALID_PAYLOAD;
}

static void say_child(struct running *child, const struct step_doc *step, struct report *r)
{
    const struct problem *first;
    bool has;

    report_finish(&child->report);
    first = report_wrong(&child->report);
    has = first && first->pointer && first->pointer[0];
    if (first && child->report.text.n == 0) /* it could not even be read: there is no place in it */
        report_add(r, ABOUT_VALUE, step->payload, unread_code(first), "%s: %s", child->report.file,
                   first->msg);
    else if (first)
        report_add(r, ABOUT_VALUE, step->payload, first->code, "%s:%d:%d: %s%s%s",
                   child->report.file, first->line, first->col, has ? first->pointer : "",
                   has ? ": " : "", first->msg);
}

static size_t depth_of(const struct running *r)
{
    size_t depth = 0;

    while ((r = r->parent))
        depth++;
    return depth;
}

/* Plans below it are looked into once for each file: they may be steps of each other many times.
 * What is too deep here may have been right elsewhere. */
static bool was_right(struct running *child, const struct inner_file *known)
{
    if (!known || !known->right || depth_of(child) + known->height > NESTING_MAX)
        return false;
    child->height = known->height;
    child->once = known->once;
    return true;
}

static void keep_right(struct running *parent, const struct running *child,
                       struct inner_file *known)
{
    if (parent->height < child->height + 1)
        parent->height = child->height + 1;
    parent->once = parent->once || child->once || !child->plan.template;
    if (!known || parent->inner->settled)
        return;
    known->right = true;
    known->height = child->height;
    known->once = child->once;
}

static bool is_right(struct running *child, const struct inner_file *known, struct refused *why)
{
    bool made;

    if (was_right(child, known))
        return true;
    made = context_make(child, &child->report);
    assert(made); /* a context that could be wrong is the outermost plan's */
    return made && running_check(child, why);
}

/* A plan with an id is used once (A04-26): of two steps that have it the second could not run, and
 * so it is with those that have it in a template. */
static bool is_once(const struct running *child, const struct inner_file *known,
                    const struct step_doc *step, struct report *r)
{
    const struct plan_doc *plan = &child->plan.plan;

    if (child->inner->settled)
        return true;
    if (child->plan.template) {
        if (!known || !known->right || !known->once)
            return true;
        report_add(r, ABOUT_VALUE, step->payload, CODE_INVALID_PAYLOAD,
                   "the template is that of another step, too, and has a plan in it; a plan is "
                   "used once, make it a template");
        return false;
    }
    if (inner_use(child->inner, plan->id))
        return true;
    report_add(
        r, ABOUT_VALUE, step->payload, CODE_INVALID_PAYLOAD,
        "the plan %.*s is that of another step, too; a plan is used once, make a new one or a "
        "template",
        STR_ARG(plan->id));
    return false;
}

const char *retried_in_vain(const struct running *r, const struct step_doc *step,
                            const struct running *child)
{
    const struct retry_doc *retry = r->plan.plan.retry_policy;

    if (step->on_failure != ON_FAILURE_RETRY || !retry || retry->max_attempts < 2)
        return NULL;
    if (!child->plan.template)
        return "its plan has an id and is used once, so it is not tried again; a template would be";
    return child->once ? "a plan in it has an id and is used once: when that has run, trying again "
                         "does not help; make it a template"
                       : NULL;
}

/* Of an inner plan the first problem is told, and the others are not looked for. */
void check_plan(void *self, const struct step_doc *step, struct report *r)
{
    _arena_ struct arena a = { 0 };
    struct running *parent = self, child;
    struct inner_file *known;
    struct nested nested = { 0 };
    struct writ_input input;
    struct refused why;
    const char *vain;

    if ((parent->parent && r->errors) || !shape_decode(&nested_shape, step->payload, r, &nested))
        return;
    child = child_of(parent, &nested, &a, &input);
    if (!read_child(&child, &input, !nested.plan)) {
        say_child(&child, step, r);
        return;
    }
    known = child.named ? inner_find(child.inner, child.named, child.file) : NULL;
    if (!is_once(&child, known, step, r))
        return;
    if (!is_right(&child, known, &why)) {
        report_add(r, ABOUT_VALUE, step->payload, why.code, "%s: %s", input.name, why.message);
        return;
    }
    keep_right(parent, &child, known);
    vain = retried_in_vain(parent, step, &child);
    if (vain)
        report_add(r, ABOUT_ODD, step->payload, CODE_RETRY_WITHOUT_EFFECT, "%s", vain);
}

bool plan_child(struct running *r, const struct step_doc *step, struct running *child)
{
    struct report ignored = report_new(r->a, "payload", (struct str){ 0 });
    struct nested nested = { 0 };
    struct writ_input input;

    if (!shape_decode(&nested_shape, step->payload, &ignored, &nested))
        return false;
    *child = child_of(r, &nested, r->a, &input);
    return read_child(child, &input, !nested.plan) && context_make(child, &child->report);
}

/* ---- running it ---- */

static const char *name_in(const struct running *child, struct str id)
{
    const struct step_doc *steps = child->plan.plan.steps.v;

    for (size_t i = 0; i < child->plan.plan.steps.n; i++)
        if (str_eq(steps[i].id, id))
            return child->plan.names[i];
    return NULL;
}

/* What stopped it, by the name of the step: who reads it does not know the ids in there. */
static const char *why_ended(const struct running *child, const struct error_doc *error,
                             struct arena *a)
{
    const struct error_doc *first = error->cause && error->cause->step_id.n ? error->cause : error;
    const char *name = first->step_id.n ? name_in(child, first->step_id) : NULL;

    return name ? arena_printf(a, "step %s: %.*s", name, STR_ARG(first->message))
                : arena_text(a, error->message);
}

/* ---- what its steps leave for somebody to look at ---- */

/* Their changes, and their lanes: a list of each, of {"step":..,"execution_id":.., and what a
 * command of that name has}. */
static const char *const lefts[] = { "changes", "lane" };

struct left {
    const struct running *child;
    struct arena *a;
    struct doc *to; /* what the step came to; a list is made with its first entry */
    struct doc *lists[COUNT(lefts)];
};

/* Its other members, which go with their text. */
static void keep(const struct doc *what, struct arena *a, struct doc *to)
{
    _buf_ struct buf text = { .max = 1 << 20 };
    struct ceilings max = ceilings_default();
    struct work work = { .left = UINT32_MAX };
    const struct document *read;
    struct error e;

    json_doc(&text, what);
    if (!json_read("left", (struct str){ arena_text(a, buf_str(&text)), text.len }, &max, a, &read,
                   &e))
        return;
    for (const struct doc *d = read->root.first; d; d = d->next)
        if (!doc_get(to, arena_text(a, d->key)))
            (void)!doc_copy(d, doc_add(a, to, d->key), &work, a);
}

static void leave(struct left *l, size_t which, const char *step, struct str execution,
                  const struct doc *what)
{
    struct doc *one;

    if (!l->lists[which])
        l->lists[which] = doc_add_kind(l->a, l->to, lefts[which], DOC_LIST);
    one = doc_add_kind(l->a, l->lists[which], NULL, DOC_MAP);
    doc_add_text(l->a, one, "step", str_of(arena_text(l->a, str_of(step))));
    doc_add_text(l->a, one, "execution_id", str_of(arena_text(l->a, execution)));
    keep(what, l->a, one);
}

/* Of a command, or of a plan that is a step of the inner one. */
static void leave_of(struct left *l, struct str id, const struct doc *did)
{
    const char *name = name_in(l->child, id);

    for (size_t i = 0; i < COUNT(lefts); i++) {
        const struct doc *what = name && did ? doc_get(did, lefts[i]) : NULL;

        if (doc_first(what, DOC_MAP))
            leave(l, i, name, doc_text(did, "execution_id"), what);
        for (const struct doc *d = doc_first(what, DOC_LIST); d; d = d->next)
            leave(l, i, arena_printf(l->a, "%s/%.*s", name, STR_ARG(doc_text(d, "step"))),
                  doc_text(d, "execution_id"), d);
    }
}

static const struct doc *member_of(const struct doc *map, const char *key)
{
    return map ? doc_get(map, key) : NULL;
}

/* From its text: what steps came to went with those who did them. */
static void add_left(struct left *l, struct str result)
{
    _arena_ struct arena scratch = { 0 };
    struct ceilings max = ceilings_default();
    const struct document *read;
    const struct doc *done, *errors;
    struct error e;

    if (!json_read("result", result, &max, &scratch, &read, &e))
        return; /* it is larger than a document may be */
    done = member_of(doc_get(&read->root, "result_payload"), "steps");
    errors = member_of(member_of(doc_get(&read->root, "error"), "context"), "errors");
    for (const struct doc *d = doc_first(done, DOC_MAP); d; d = d->next)
        leave_of(l, d->key, d);
    for (const struct doc *d = doc_first(errors, DOC_LIST); d; d = d->next)
        if (!member_of(done, arena_text(&scratch, doc_text(d, "step_id")))) /* not overcome */
            leave_of(l, doc_text(d, "step_id"), doc_get(d, "context"));
}

static void ended(struct job *job, const struct running *child, const struct plan_end *end,
                  struct ending *out)
{
    struct arena *a = job->kept;
    struct doc *d = doc_root(a, DOC_MAP);
    const struct result_doc *result = &end->result;

    doc_add_text(a, d, "execution_id", str_of(arena_text(a, child->context.execution_id)));
    doc_add_text(a, d, "plan_id", str_of(arena_text(a, child->plan.plan.id)));
    doc_add_text(a, d, "status", str_of(plan_status_names[result->status]));
    doc_add_int(a, d, "steps_executed", result->steps_executed);
    doc_add_int(a, d, "steps_total", result->steps_total);
    add_left(&(struct left){ .child = child, .a = a, .to = d }, end->text);
    if (result->status == PLAN_SUCCESS) {
        out->output = d;
        out->ended_ms = end->done_ms;
        return;
    }
    out->context = d;
    out->final = !child->plan.template;
    doc_add_text(a, d, "code", str_of(arena_text(a, result->error->error_code)));
    job_failed(job, out, CODE_STEP_FAILED, "its plan ended in %s: %s",
               plan_status_names[result->status], why_ended(child, result->error, job->scratch));
}

static void run_child(struct job *job, struct running *child, struct ending *out)
{
    struct plan_end end;
    struct error e = { 0 };

    if (!context_make(child, &child->report) || !running_claim(child, &e)) {
        out->final = e.code == CODE_EXECUTION_USED;
        job_failed(job, out, CODE_STEP_FAILED, "%s", e.msg);
        return;
    }
    memcpy(job->execution, child->context.execution_id.s, UUID_TEXT - 1);
    if (running_go(child, 1, job->cancel, &end, &e))
        ended(job, child, &end, out);
    else
        job_failed(job, out, CODE_RESOURCE_EXHAUSTED, "it could not be recorded: %s", e.msg);
}

void act_plan(struct job *job, struct ending *out)
{
    _arena_ struct arena a = { 0 };
    struct report ignored = report_new(&a, "payload", (struct str){ 0 });
    const struct problem *wrong;
    struct nested nested = { 0 };
    struct writ_input input;
    struct running child;

    (void)shape_decode(&nested_shape, job->step->payload, &ignored, &nested);
    child = child_of(job->r, &nested, &a, &input);
    child.step = job->index;
    child.rerun_of = str_of(job->before);
    if (read_child(&child, &input, !nested.plan)) {
        run_child(job, &child, out);
        running_leave(&child);
        return;
    }
    report_finish(&child.report);
    wrong = report_wrong(&child.report);
    job_failed(job, out, unread_code(wrong), "%s: %s", input.name,
               wrong ? wrong->msg : "it cannot be read");
}
