/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: `writ run`: runs a plan, and shows how it goes and how it ended. */
#include <inttypes.h>
#include <unistd.h>

#include <writ/plans.h>

#include "base/json_write.h"
#include "base/num.h"
#include "base/utf8.h"
#include "base/world.h"
#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/given.h"
#include "cli/keeper.h"
#include "cli/order.h"
#include "cli/print.h"
#include "cli/run_lines.h"
#include "cli/run_live.h"
#include "cli/run_summary.h"
#include "cli/run_watch.h"

/* ---- how it is followed ---- */

enum progress { AUTO, LIVE, LINES, JSON, NONE, PROGRESSES };

static const char *const progress_names[PROGRESSES] = { "auto", "live", "lines", "json", "none" };

/* Can what stderr is be drawn on? */
static bool can_draw(const struct args *args)
{
    struct str term = str_of("");

    for (const char *const *e = args->environment; *e; e++)
        if (str_begins(str_of(*e), "TERM="))
            term = str_of(*e + sizeof "TERM=" - 1);
    return isatty(STDERR_FILENO) && term.n && !str_is(term, "dumb");
}

static bool read_progress(const struct args *args, enum progress *out)
{
    const char *typed = args_get(args, "progress");

    *out = AUTO;
    for (enum progress p = AUTO; typed && p < PROGRESSES; p++)
        if (strcmp(typed, progress_names[p]) == 0)
            *out = p;
    if (typed && strcmp(typed, progress_names[*out]) != 0)
        return false;
    if (*out == AUTO)
        *out = can_draw(args) ? LIVE : LINES;
    return true;
}

/* ---- what was typed ---- */

struct typed {
    const char *set[GIVEN_MAX + 1], *weak[GIVEN_MAX + 1];
    int64_t jobs;
    enum progress progress;
    bool json;
};

/* Standard output is read by a program. */
static bool for_program(const struct typed *t)
{
    return t->json || t->progress == JSON;
}

/* The values of an option that may be given more than once. */
static void gather(const struct args *args, const char *option, const char *out[GIVEN_MAX + 1])
{
    size_t n = 0;

    for (size_t i = 0; i < args->given_count; i++)
        if (strcmp(args->given[i].option, option) == 0)
            out[n++] = args->given[i].value;
    out[n] = NULL;
}

static const char *bad_set(const char *const *set)
{
    for (; *set; set++)
        if (**set == '=' || !strchr(*set, '=') || utf8_valid(str_of(*set)) != strlen(*set))
            return *set;
    return NULL;
}

static int usage(const struct args *args, struct typed *t)
{
    const char *jobs = args_get(args, "jobs"), *policy = args_get(args, "policy");
    const char *context = args_get(args, "context"), *skip = args_get(args, "dependency-skip");

    *t = (struct typed){ .jobs = 1, .json = args_get(args, "json") };
    gather(args, "set", t->set);
    gather(args, "allow-weak", t->weak);
    if (!read_progress(args, &t->progress))
        say("--progress is auto, live, lines, json or none; '%s' is not known",
            args_get(args, "progress"));
    else if (t->json && args_get(args, "progress") && t->progress == JSON)
        say("the last line of --progress json has the result; give it or --json, not both");
    else if (args_get(args, "dry-run") && t->progress == JSON)
        say("--dry-run runs nothing that --progress json could follow; --json has what would run");
    else if (jobs && (!num_int(str_of(jobs), &t->jobs) || t->jobs < 1 || t->jobs > WRIT_JOBS_MAX))
        say("--jobs is 1 to %d; '%s' is not", WRIT_JOBS_MAX, jobs);
    else if (policy && strcmp(policy, "block") != 0 && strcmp(policy, "draft_only") != 0)
        say("--policy is block or draft_only; '%s' is not known", policy);
    else if (skip && strcmp(skip, "fail") != 0 && strcmp(skip, "cascade") != 0)
        say("--dependency-skip is fail or cascade; '%s' is not known", skip);
    else if (bad_set(t->set))
        say("--set takes KEY=VALUE, in UTF-8; '%s' is not that", bad_set(t->set));
    else if (context && strcmp(context, "-") == 0 && strcmp(args->operands[0], "-") == 0)
        say("only one of plan and context can be standard input");
    else
        return WRIT_OK;
    say("try: writ run --help");
    return WRIT_USAGE;
}

/* ---- what is told at the end ---- */

static void tell_problems(const struct writ_input *input, const struct doc *answer)
{
    const struct doc *problems = doc_get(answer, "problems");
    struct str file = str_of(strcmp(input->name, "-") == 0 ? "standard input" : input->name);

    if (doc_first(problems, DOC_LIST))
        (void)answer_list(file, problems, false);
}

static void print_result(const struct doc *result)
{
    _buf_ struct buf json = { .max = SIZE_MAX / 2 };

    json_doc(&json, result);
    out_json(json.s);
}

/* Who follows the lines learns of the end in any case. */
static void print_end_line(const struct doc *result)
{
    _buf_ struct buf json = { .max = SIZE_MAX / 2 }, event = { .max = 1 << 10 };

    buf_addf(&event, "plan_execution_%.*s", STR_ARG(doc_text(result, "status")));
    json_open(&json, '{');
    json_put(&json, "event", event.s);
    json_key(&json, "result");
    json_doc(&json, result);
    json_put_int(&json, "at", doc_whole(result, "completed_at"));
    json_close(&json, '}');
    out_json(json.s);
}

static void tell_end(const struct typed *t, const struct run_state *s, const struct doc *answer)
{
    const struct doc *result = doc_get(answer, "result");
    _buf_ struct buf line = { .max = 1 << 10 };

    if (t->progress == JSON && !s->ended)
        print_end_line(result);
    if (t->json)
        print_result(result);
    if (!for_program(t))
        run_summary_show(s, answer);
    else if (t->progress == LIVE || t->progress == LINES) {
        run_summary_line(result, &line);
        err(PLAIN, "%.*s: %s\n", STR_ARG(s->name), line.s);
    }
}

static int tell(const struct typed *t, struct run_state *s, const struct writ_plan *plan,
                char *answer, int status)
{
    _arena_ struct arena a = { 0 };
    const struct doc *d = answer_read(answer, &a);

    if (!doc_get(d, "result"))
        return keeper_tell(answer, status, for_program(t));
    if (!t->json)
        tell_problems(plan->plan, d);
    run_state_names(s, doc_get(d, "names"));
    tell_end(t, s, d);
    writ_free(answer);
    return status;
}

/* ---- running it ---- */

/* The steps and their names, from what was shown before it runs; the rest of that is let go of. */
static void learn(const struct typed *t, const char *shown, struct run_state *out)
{
    _arena_ struct arena a = { 0 };
    const struct world *world = world_real();

    run_state_plan(out, answer_read(shown, &a), t->jobs, world->wall_ms(world->self));
}

/* Runs it, and shows how it goes. What the thread that shows may still have when we leave is kept.
 */
static int run_followed(const struct typed *t, const struct writ_plan *plan, char *take_shown)
{
    static struct run_live live;
    static struct run_lines lines;
    static struct run_view view;
    static struct run_state state;
    static struct run_watch watch;
    struct run_state unknown = { .name = str_of("plan") };
    struct writ_plan run = *plan;
    struct error e;
    char *answer;
    int status;

    learn(t, take_shown, &state);
    writ_free(take_shown);
    if (t->progress == LIVE)
        run_live_view(&live, &view);
    else if (t->progress == LINES)
        run_lines_view(&lines, &view);
    else if (t->progress == JSON)
        run_json_view(&view);
    if (!run_watch_begin(&watch, &state, &view, &e)) {
        say("%s", e.msg);
        return WRIT_UNAVAILABLE;
    }
    run.progress = t->progress == NONE ? -1 : watch.progress[1]; /* nobody looks: nobody writes */
    run.force = watch.force;
    status = writ_run(&run, &answer);
    if (!t->json && status != WRIT_UNRECORDED)
        print_is_recorded();
    if (!run_watch_end(&watch))
        return tell(t, &unknown, plan, answer, status);
    status = tell(t, &state, plan, answer, status);
    run_state_free(&state);
    run_live_free(&live);
    run_lines_free(&lines);
    return status;
}

/* A document that is wrong: what is said of it names its places. */
static int run_wrong(const struct typed *t, const struct writ_plan *plan)
{
    struct run_state unknown = { .name = str_of("plan"), .told = true }; /* nothing began */
    char *answer;
    int status = writ_run(plan, &answer);

    return tell(t, &unknown, plan, answer, status);
}

static int dry_run(const struct typed *t, const struct writ_plan *plan)
{
    _arena_ struct arena a = { 0 };
    char *answer;
    int status = writ_plan_order(plan, &answer);
    const struct doc *order = answer_read(answer, &a);

    if (t->json || !doc_get(order, "steps"))
        return keeper_tell(answer, status, t->json);
    order_show(order);
    writ_free(answer);
    return status;
}

static int run(const struct args *args)
{
    _arena_ struct arena a = { 0 };
    const char *context_name = args_get(args, "context");
    struct writ_input input, context = { .name = context_name };
    struct typed t;
    struct writ_plan plan = { .plan = &input,
                              .context = context_name ? &context : NULL,
                              .environment = args->environment,
                              .ledger = args_get(args, "ledger"),
                              .policy = args_get(args, "policy"),
                              .dependency_skip = args_get(args, "dependency-skip"),
                              .rerun_of = args_get(args, "rerun-of"),
                              .progress = -1,
                              .force = -1 };
    char *shown;
    int status = usage(args, &t);

    if (status != WRIT_OK)
        return status;
    plan.set = t.set;
    plan.weak = t.weak;
    plan.jobs = (int)t.jobs;
    /* Once, though the plan is asked for more often: what is shown is what runs. */
    if (!given_read(args->operands[0], for_program(&t), &a, &input))
        return WRIT_WRONG;
    if (args_get(args, "dry-run"))
        return dry_run(&t, &plan);
    status = writ_plan_show(&plan, &shown);
    if (status == WRIT_OK)
        return run_followed(&t, &plan, shown);
    writ_free(shown);
    return run_wrong(&t, &plan);
}

/* clang-format off */
const struct command cmd_run = {
    .name = "run",
    .operands = "PLAN",
    .summary = "run a plan: its steps in order, each under its contract",
    .about = "Runs a plan, or a template of one, to its end, and records it. Progress is shown on "
             "stderr: a live view on a terminal, else a line for each change and every 15 s. The "
             "outcome is printed on stdout: status, failures and what to do about them, where it "
             "is recorded. With --json the PlanResult alone is on stdout. Ctrl-C ends it as if "
             "its time were up (PLAN_TIMEOUT, recorded); a second one, half a second later, "
             "leaves at once. Exit 0 when every step succeeded, 3 when some did, 1 when it "
             "failed; 65 when the document is wrong, 74 when it could not be recorded or printed.",
    .examples = { { "writ run audit.yaml --set repo=.",     "a plan, with a key of its environment" },
                  { "writ run audit.yaml --dry-run",        "what would run, in which order; nothing does" },
                  { "writ run ci.yaml --jobs 4",            "up to four steps at a time" },
                  { "writ run ci.yaml --json > result.json", "the result for programs, the live view for you" } },
    .options = { { "context",    "FILE",   NULL,     "keys of the environment; or a context, whose plan, if it has one, is this one; - is standard input" },
                 { "set",        "K=V",    NULL,     "a key of the environment", .many = true },
                 { "jobs",       "N",      NULL,     "steps that may run at the same time; default 1" },
                 { "policy",     "POLICY", NULL,     "what to do where inputs are not coherent: block (the default) or draft_only", .words = "block draft_only" },
                 { "dependency-skip", "HOW", NULL, "what becomes of a step whose dependency was skipped: fail (the default) ends the plan, cascade skips the step, too; else what dependency_skip of the user's configuration says", .words = "fail cascade" },
                 { "rerun-of",   "ID",     NULL,     "the execution in the ledger that this one repeats, by its whole id: recorded, and shown by writ show; nothing of it is continued" },
                 { "dry-run",    NULL,     NULL,     "show what would run and what would be refused, and run nothing; exit 1 when the plan would be refused before anything runs" },
                 { "progress",   "HOW",    NULL,     "auto, live, lines, json (lines of JSON on stdout with ids and names of steps, in the last the result, or code and message where there is none; a notice of about 1 MiB or more is left out, and the next line has how many were as \"lost\") or none", .words = "auto live lines json none" },
                 { "allow-weak", "LAYER",  "layers", "run without a layer that this machine lacks", .many = true },
                 { "ledger",     "LEDGER", NULL,     "where it is recorded: a file or postgres://.., else WRIT_LEDGER, else the usual one" },
                 { "json",       NULL,     NULL,     "the PlanResult as one JSON object, and nothing else on stdout" } },
    .least = 1,
    .most = 1,
    .greets = true,
    .run = run,
};
/* clang-format on */
