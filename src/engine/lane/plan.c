/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: what a request's route asks for, and what the settings here make of it. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/json_write.h"
#include "engine/home.h"
#include "engine/input.h"
#include "engine/lane.h"

/* ---- the lane's document ---- */

static struct words words_of(const struct request_inputs *inputs, struct arena *a)
{
    const struct str *arguments = inputs->arguments.v;
    size_t n = 1 + inputs->arguments.n;
    struct str *words = arena_alloc(a, n * sizeof *words);

    words[0] = inputs->command;
    for (size_t i = 1; i < n; i++)
        words[i] = arguments[i - 1];
    return (struct words){ words, n };
}

static struct items items_of(struct words words, struct arena *a)
{
    struct str *copy = arena_alloc(a, words.n * sizeof *copy);

    for (size_t i = 0; i < words.n; i++)
        copy[i] = words.v[i];
    return (struct items){ copy, words.n };
}

static struct str or_execution(const struct request_doc *request, struct str given)
{
    return given.n ? given : request->execution_id;
}

static struct lane_doc make_doc(const struct request_doc *request, struct arena *a)
{
    const struct request_route *route = request->route;
    struct words words = words_of(request->inputs, a);

    return (struct lane_doc){
        .command_class = route->class_id,
        .command_id = or_execution(request, route->command_id),
        .correlation_id = or_execution(request, route->correlation_id),
        .raw_command = command_join(words, a),
        .prefer_remote = route->remote,
        .argv = items_of(words, a),
        .scenario_id = route->scenario_id,
    };
}

/* ---- the worker ---- */

static bool no_worker(const struct settings *s, struct str name, struct arena *a, struct error *e)
{
    _buf_ struct buf list = { .max = 1024 };

    for (size_t i = 0; i < s->worker_count; i++)
        buf_addf(&list, "%s%.*s", i ? ", " : "", STR_ARG(s->workers[i].name));
    return error_set(e, CODE_WORKER_UNKNOWN,
                     "there is no worker %s; known are %.*s. Workers are named in your own "
                     "configuration, writ/config.yaml",
                     said(name, a), STR_ARG(buf_str(&list)));
}

static struct route_ask make_ask(const struct settings *s, const struct lane_doc *doc,
                                 const struct request_route *route)
{
    return (struct route_ask){ .contract = &s->contract,
                               .lane = doc,
                               .worker = settings_worker(s, route->worker),
                               .named = route->worker.n > 0,
                               .available = true,
                               .fallback = settings_fallback(s, route->fallback) };
}

static bool has_worker(const struct exec_lane *l, const struct request_route *route,
                       struct arena *a, struct error *e)
{
    return l->ask.worker || !route->worker.n || no_worker(l->settings, route->worker, a, e);
}

/* Whether a worker is there is found out only when it is wanted. */
static void look_for_worker(struct exec *x)
{
    struct exec_lane *l = x->lane;
    struct error why;

    if (!l->plan->worker || fleet_available(l->fleet, l->plan->worker, x->cancel, &why))
        return;
    l->unavailable = arena_text(x->a, str_of(why.msg));
    l->unwanted = cancel_asked(x->cancel);
}

/* ---- the request that runs ---- */

static void put_words(struct words words, struct buf *to)
{
    json_key(to, "command");
    json_text(to, words.v[0]);
    json_key(to, "arguments");
    json_open(to, '[');
    for (size_t i = 1; i < words.n; i++)
        json_text(to, words.v[i]);
    json_close(to, ']');
}

static void put_inputs(const struct doc *inputs, struct words words, struct arena *a,
                       struct buf *to)
{
    json_key(to, "inputs");
    json_open(to, '{');
    put_words(words, to);
    for (const struct doc *m = inputs->first; m; m = m->next) {
        if (str_is(m->key, "command") || str_is(m->key, "arguments"))
            continue;
        json_key(to, arena_text(a, m->key));
        json_doc(to, m);
    }
    json_close(to, '}');
}

/* A00-7: of `rch exec -- cargo test` the command is cargo test. What runs is asked for as such,
 * here and on a worker; what was asked for stays on record. */
static void unwrap(struct exec *x, struct words words)
{
    struct request_inputs *inputs = arena_new(x->a, struct request_inputs);
    struct writ_command *command = arena_new(x->a, struct writ_command);
    _buf_ struct buf text = { .max = ANSWER_MAX };
    size_t gone = 1 + x->request.inputs->arguments.n - words.n;

    if (gone == 0)
        return;
    *inputs = *x->request.inputs;
    inputs->command = words.v[0];
    inputs->arguments = items_of((struct words){ words.v + 1, words.n - 1 }, x->a);
    x->request.inputs = inputs;
    *command = *x->command;
    if (command->argv)
        command->argv += gone;
    x->command = command;
    json_open(&text, '{');
    for (const struct doc *m = x->asked->first; m; m = m->next) {
        if (str_is(m->key, "inputs")) {
            put_inputs(m, words, x->a, &text);
            continue;
        }
        json_key(&text, arena_text(x->a, m->key));
        json_doc(&text, m);
    }
    json_close(&text, '}');
    x->request_text = (struct str){ arena_text(x->a, buf_str(&text)), text.len };
}

/* a lane has the time of its class, or less if the caller asks for less. */
static void set_time(struct exec *x)
{
    const struct doc *sandbox = doc_get(x->asked, "sandbox");
    int64_t hard = x->lane->plan->hard_timeout_secs * 1000;
    bool asked = sandbox && doc_get(sandbox, "timeout_ms");

    if (!asked || x->request.sandbox->timeout_ms > hard)
        exec_set_time(x, hard);
}

static void set_argv(struct exec *x, struct words words)
{
    x->argv = arena_alloc(x->a, (words.n + 1) * sizeof *x->argv);
    for (size_t i = 0; i < words.n; i++)
        x->argv[i] = arena_text(x->a, words.v[i]);
    x->program.missing = ENOENT; /* until it is looked for */
}

bool lane_plan(struct exec *x, const struct try_ask *ask)
{
    struct exec_lane *l = x->lane;
    struct route_plan *plan = arena_new(x->a, struct route_plan);
    const char *here = exec_here(x);

    *ask->status = WRIT_REFUSED;
    if (!here)
        return error_sys(ask->e, CODE_PATH_REFUSED, "the current directory has no name");
    *ask->kind = "config";
    if (!fleet_settings(l->fleet, here, &l->settings, ask->report)) {
        report_goes_on_in(ask->report, x->a);
        *ask->status = WRIT_WRONG;
        return false;
    }
    *ask->kind = "request";
    l->doc = make_doc(&x->request, x->a);
    l->ask = make_ask(l->settings, &l->doc, x->request.route);
    if (!has_worker(l, x->request.route, x->a, ask->e) || !route_plan(&l->ask, x->a, plan, ask->e))
        return false;
    l->plan = plan;
    look_for_worker(x);
    unwrap(x, l->plan->words);
    set_time(x);
    set_argv(x, l->plan->words);
    return true;
}

bool lane_admit(struct exec *x, const struct try_ask *ask)
{
    struct admit_ask admit = { .person = x->person,
                               .approved = x->request.approval != NULL,
                               .fs = (enum fs_level)x->request.sandbox->filesystem->level,
                               .net = request_net_level(x->request.sandbox->network),
                               .tool_id = x->request.tool_id,
                               .command = x->request.inputs->command };

    struct program_ask find = { .command = arena_text(x->a, x->request.inputs->command),
                                .cwd = exec_here(x) };
    struct program here;

    *ask->status = WRIT_WRONG;
    *ask->kind = "registry";
    if (!registry_above(x->step ? x->step->registries : NULL, fleet_root(x->lane->fleet),
                        x->command->environment, x->a, &x->registry, ask->report))
        return false;
    admit.registry = x->registry;
    program_find(&find, x->a, &here);
    if (here.real)
        admit.executable = str_of(here.real);
    admit.same = exec_same_entries(x, here.real);
    *ask->status = WRIT_REFUSED;
    return admit_command(&admit, x->a, &x->admission, ask->e);
}

/* ---- before anything runs ---- */

/* The configuration itself is for `writ check`. */
static bool suit_settings(struct fleet *fleet, const struct doc *payload,
                          const struct settings **out, struct report *r)
{
    char here[PATH_MAX];
    const struct problem *wrong;
    struct report report;

    if (!getcwd(here, sizeof here) || here[0] != '/')
        return false; /* what runs there says so */
    if (fleet_settings(fleet, here, out, &report))
        return true;
    report_goes_on_in(&report, r->a);
    report_finish(&report);
    wrong = report_wrong(&report);
    report_add(r, ABOUT_VALUE, doc_place(payload, "route"), CODE_INVALID_PAYLOAD, "%s: %s",
               report.file, wrong ? wrong->msg : "it is wrong");
    return false;
}

/* Whether a worker can be reached is no matter of the document. */
static void suit_route(const struct settings *s, const struct request_doc *request,
                       const struct doc *route, struct report *r)
{
    struct lane_doc doc = make_doc(request, r->a);
    struct route_ask ask = make_ask(s, &doc, request->route);
    struct route_plan ignored;
    struct error e;

    if (!route_plan(&ask, r->a, &ignored, &e))
        report_add(r, ABOUT_VALUE, doc_place(route, "class"), CODE_INVALID_PAYLOAD, "%s", e.msg);
    if (!s->workers || ask.worker || !ask.named)
        return;
    (void)no_worker(s, request->route->worker, r->a, &e);
    report_add(r, ABOUT_VALUE, doc_place(route, "worker"), CODE_INVALID_PAYLOAD, "%s", e.msg);
}

void lane_suits(struct fleet *fleet, const struct doc *payload, const struct request_doc *request,
                struct report *r)
{
    struct settings shipped = { 0 };
    const struct settings *s = &shipped;

    if (!request->route)
        return;
    if (fleet && !suit_settings(fleet, payload, &s, r))
        return;
    if (!fleet && !class_named(request->route->class_id))
        return; /* a configuration may have it */
    if (!fleet)
        route_shipped(r->a, &shipped.contract);
    suit_route(s, request, doc_place(payload, "route"), r);
}

bool lane_foresee(struct exec *x, const struct try_ask *ask)
{
    struct exec_lane *l = arena_new(x->a, struct exec_lane);
    struct route_plan *without = arena_new(x->a, struct route_plan);

    x->lane = l;
    l->fleet = x->step->fleet;
    if (!lane_plan(x, ask))
        return false;
    if (!l->unavailable)
        return !exec_wrapped(x) || lane_may_be_wrapped(x, ask->e);
    l->plan = without;
    return route_downgrade(&l->ask, l->unavailable, x->a, without, ask->e);
}
