/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: the public function that runs a plan. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <writ/plans.h>

#include "base/json_write.h"
#include "engine/exec.h"
#include "engine/home.h"
#include "engine/input.h"
#include "engine/plan.h"
#include "engine/record.h"
#include "engine/toolbox.h"

static int by_id(const void *a, const void *b)
{
    const struct step_doc *x = *(const struct step_doc *const *)a;
    const struct step_doc *y = *(const struct step_doc *const *)b;
    int order = str_cmp(x->id, y->id);

    return order ? order : x < y ? -1 : x > y;
}

/* Steps whose id is that of one before, as a plan may have them that is refused. */
static const bool *find_again(const struct items *steps, struct arena *a)
{
    const struct step_doc *first = steps->v;
    const struct step_doc **sorted = arena_alloc(a, (steps->n + 1) * sizeof *sorted);
    bool *again = arena_alloc(a, (steps->n + 1) * sizeof *again);

    for (size_t i = 0; i < steps->n; i++)
        sorted[i] = first + i;
    qsort(sorted, steps->n, sizeof *sorted, by_id);
    for (size_t i = 1; i < steps->n; i++)
        again[sorted[i] - first] = str_eq(sorted[i]->id, sorted[i - 1]->id);
    return again;
}

static void put_names(const struct plan_read *plan, struct arena *a, struct buf *to)
{
    const struct step_doc *steps = plan->plan.steps.v;
    const bool *again = find_again(&plan->plan.steps, a);

    json_key(to, "names");
    json_open(to, '{');
    for (size_t i = 0; i < plan->plan.steps.n; i++) {
        if (steps[i].id.s && !again[i])
            json_put(to, arena_text(a, steps[i].id), plan->names[i]);
    }
    json_close(to, '}');
}

static int answer_end(struct running *r, const struct plan_end *end, char **answer)
{
    static const int ends[] = {
        [PLAN_SUCCESS] = WRIT_OK, [PLAN_PARTIAL] = WRIT_PARTIAL, [PLAN_FAILURE] = WRIT_NO
    };
    _buf_ struct buf out = { .max = ANSWER_MAX };

    json_open(&out, '{');
    json_key(&out, "result");
    buf_add(&out, end->text.s, end->text.n);
    put_names(&r->plan, r->a, &out);
    record_ids(r->entries, r->entry_count, &out);
    json_key(&out, "evidence");
    json_open(&out, '{');
    json_put_int(&out, "files", (int64_t)r->evidence->files);
    json_put_int(&out, "bytes", r->evidence->bytes);
    json_put(&out, "directory", home_evidence(r->ask->environment, r->a));
    json_close(&out, '}');
    input_problems(&r->report, &out);
    json_close(&out, '}');
    return take_answer(&out, ends[end->result.status], answer);
}

static int fail(const struct error *e, int status, char **answer)
{
    *answer = record_failure(e->code, e->msg);
    return status;
}

/* A04-6. A configuration that is wrong says nothing, which is the stricter of the two. */
static bool cascades(struct running *r)
{
    const struct settings *settings;
    struct report ignored;
    char here[PATH_MAX];

    if (r->ask->dependency_skip)
        return str_is(str_of(r->ask->dependency_skip),
                      dependency_skip_names[DEPENDENCY_SKIP_CASCADE]);
    return getcwd(here, sizeof here) && fleet_settings(r->fleet, here, &settings, &ignored) &&
           settings->dependency_skip == DEPENDENCY_SKIP_CASCADE;
}

static int run(struct running *r, char **answer)
{
    int jobs = plan_jobs(r->ask->jobs);
    struct report context = report_new(r->a, "context", (struct str){ 0 });
    struct plan_end end;
    struct error e;

    if (!plan_read(r->ask->plan, r->world, r->a, &r->plan, &r->report) && !r->plan.plan.id.s) {
        if (r->plan.document)
            plan_judge(r->ask, true, &r->plan, r->a, &r->report);
        return input_wrong(&r->report, "plan", answer);
    }
    if (!context_make(r, &context))
        return input_wrong(&context, "context", answer);
    r->cascade = cascades(r);
    if (r->ask->rerun_of)
        r->rerun_of = id_text(str_of(r->ask->rerun_of), r->a);
    if (!running_claim(r, &e))
        return fail(&e,
                    e.code == CODE_EXECUTION_USED ? WRIT_REFUSED
                    : e.code == CODE_USAGE        ? WRIT_USAGE
                                                  : WRIT_UNRECORDED,
                    answer);
    r->keeping->swift = true; /* steps do not wait for the disk; the end of the plan does */
    if (!running_go(r, jobs, r->ask->force, &end, &e))
        return fail(&e, WRIT_UNRECORDED, answer);
    return answer_end(r, &end, answer);
}

/* Is the file that of the plan? A caller may hand over a text under any name. */
static void guard_file(struct running *r)
{
    const struct writ_input *plan = r->ask->plan;
    struct digest given = digest_of(plan->text ? plan->text : "", plan->len);

    r->guarded = r->file && strcmp(plan->name, "-") != 0 && inner_digest(r->file, &r->written) &&
                 (!plan->text || memcmp(&given, &r->written, sizeof given) == 0);
}

static int run_given(const struct writ_plan *plan, char **answer)
{
    _arena_ struct arena a = { 0 };
    _keeping_ struct keeping keeping = { 0 };
    _fleet_ struct fleet fleet;
    struct registries registries;
    struct progress progress;
    struct toolbox toolbox;
    struct inner inner = { .a = &a };
    struct evidence evidence;
    struct running r = { .ask = plan,
                         .world = world_real(),
                         .a = &a,
                         .keeping = &keeping,
                         .progress = &progress,
                         .registries = &registries,
                         .fleet = &fleet,
                         .toolbox = &toolbox,
                         .inner = &inner,
                         .evidence = &evidence };
    char real[PATH_MAX];
    int status;

    if (realpath(plan->plan->name, real))
        r.file = arena_text(&a, str_of(real));
    guard_file(&r);
    evidence_open(&evidence);
    registries_open(&registries);
    fleet_open(&fleet, plan->environment, r.world);
    toolbox_open(&toolbox, plan->environment, r.world);
    toolbox_share(&toolbox, &fleet, &registries);
    progress_open(&progress, plan->progress);
    keeping_open(&keeping, plan->ledger, plan->environment, r.world, plan->force);
    r.kept = kept_new();
    status = run(&r, answer);
    running_leave(&r);
    toolbox_close(&toolbox);
    kept_free(r.kept);
    progress_close(&progress);
    registries_close(&registries);
    evidence_close(&evidence);
    return status;
}

/* Before anything is there that would have to be closed. */
int writ_run(const struct writ_plan *plan, char **answer)
{
    return plan_given(plan, answer) ? run_given(plan, answer) : WRIT_USAGE;
}
