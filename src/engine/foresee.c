/* SPDX-License-Identifier: Apache-2.0 */
/* foresee.c: what will be said to a step, found out without running anything of the plan.
 *
 * Who decides is the same as when the step runs: exec_foresee() for commands, call_find() and
 * tool_lets_reach() for calls. Whether this machine can hold a command is tried with one that does
 * nothing, once for all steps. Files that earlier steps may make are not asked for. An inner plan
 * is refused where a step of it is.
 */
#include "engine/foresee.h"

#include <string.h>

#include "adapter/callable.h"
#include "base/json_write.h"
#include "engine/call.h"
#include "engine/call_servers.h"
#include "engine/event.h"
#include "engine/exec.h"
#include "engine/idle.h"
#include "engine/lane.h"
#include "sandbox/process.h"

enum { INNER_MOST = 32 }; /* lanes and warnings that are told of an inner plan's steps */

static struct foreseen refused(const struct running *r, enum code code, const char *message,
                               bool unsure)
{
    return (struct foreseen){ .code = code,
                              .message = arena_text(r->a, str_of(message)),
                              .unsure = unsure };
}

/* ---- a command ---- */

/* With the least that a command can reach on the disk: no step is refused for what another asks. */
static struct foreseen try_walls(const struct running *r)
{
    struct error e;
    struct idle idle;
    unsigned weak;

    idle_prepare(&idle, r->ask->environment, FS_MINIMAL, r->inner->a);
    if (idle.x.program.missing ||
        (exec_weak(r->ask->weak, r->inner->a, &weak, &e) && idle_run(&idle, weak, NULL, &e)))
        return (struct foreseen){ 0 };
    return (struct foreseen){ .code = (enum code)e.code,
                              .message = arena_text(r->inner->a, str_of(e.msg)) };
}

/* Of a layer that is missing the caller has said whether he does without it, for all steps. */
static struct foreseen ask_machine(const struct running *r)
{
    struct inner *inner = r->inner;

    if (!inner->walls) {
        struct foreseen *walls = arena_new(inner->a, struct foreseen);

        *walls = try_walls(r);
        inner->walls = walls;
    }
    return *inner->walls;
}

/* Who does without namespaces is held by lists alone, which cannot say all that a step may ask for.
 */
static bool lists_admit(const struct running *r, const struct exec *x, struct error *e)
{
    struct process_ask lists = { .grants = &x->reach.grants,
                                 .absent = &x->reach.absent,
                                 .limits = x->request.sandbox,
                                 .cwd = x->reach.cwd,
                                 .owner = x->reach.owner,
                                 .group = x->reach.group };
    unsigned weak;

    return !exec_weak(r->ask->weak, r->a, &weak, e) || !process_is_needed(weak) ||
           process_admits(&lists, e);
}

/* What is not there yet may be made by a step before, and be listed by its real path. */
static bool may_come(const struct exec *x)
{
    return x->request.route || (x->program.missing && memchr(x->request.inputs->command.s, '/',
                                                             x->request.inputs->command.n));
}

/* The route where its worker could not be reached after all; NULL: it has none. */
static const char *other_route(const struct exec *x)
{
    const struct exec_lane *l = x->lane;
    struct route_plan without;
    struct error e;

    if (!l->plan->worker || !route_downgrade(&l->ask, "it cannot be reached", x->a, &without, &e))
        return NULL;
    return route_names[without.route];
}

/* Its settings go before its answer is written: of names there are copies. */
static const struct foreseen_lane *lane_of(const struct running *r, const struct exec *x)
{
    const struct route_plan *plan = x->lane->plan;
    const struct config_worker *worker = plan->worker;
    struct foreseen_lane *lane = arena_new(r->a, struct foreseen_lane);

    *lane = (struct foreseen_lane){ .class_id = x->request.route->class_id,
                                    .route = route_names[plan->route],
                                    .reason = route_reason_names[plan->reason],
                                    .worker = worker ? arena_text(r->a, worker->name) : NULL,
                                    .unavailable = plan->unavailable,
                                    .otherwise = other_route(x),
                                    .timeout_ms = x->request.sandbox->timeout_ms,
                                    .wrapped = exec_wrapped(x) };
    return lane;
}

/* A worker is there or not as it is now; what it would say to the command is its own. */
static struct foreseen ask_lane(const struct running *r, struct exec *x)
{
    struct report report = report_new(r->a, "config", (struct str){ 0 });
    struct error e = { 0 };
    const char *kind;
    int status;
    struct try_ask ask = { &report, &kind, &status, &e };
    struct foreseen f = { 0 };

    if (!lane_foresee(x, &ask))
        return status == WRIT_WRONG ? f : refused(r, (enum code)e.code, e.msg, false);
    if (x->lane->plan->route == ROUTE_NOWHERE)
        f = refused(r, CODE_RCH_UNAVAILABLE,
                    arena_printf(r->a, "%s, and it may not run here", x->lane->plan->unavailable),
                    true);
    f.lane = lane_of(r, x);
    return f;
}

static struct foreseen ask_registry(const struct running *r, struct exec *x)
{
    struct error e = { 0 };
    struct report report = report_new(r->a, "request", (struct str){ 0 });
    struct foreseen walls;

    if (!exec_read(x, &report))
        return (struct foreseen){ 0 }; /* its check has said so */
    if (!exec_see(x, &e))
        return refused(r, (enum code)e.code, e.msg, true);
    report = report_new(r->a, "registry", (struct str){ 0 });
    if (!exec_registry(x, &report)) {
        const struct problem *wrong;

        report_finish(&report);
        wrong = report_wrong(&report);
        return refused(r, CODE_INVALID_PAYLOAD,
                       arena_printf(r->a, "registry: %s", wrong ? wrong->msg : "it is wrong"),
                       false);
    }
    if (!exec_foresee(x, &e))
        return refused(r, (enum code)e.code, e.msg, may_come(x));
    if (x->request.route)
        return ask_lane(r, x); /* it may run elsewhere */
    if (x->program.missing)
        return (struct foreseen){ 0 }; /* or not at all */
    walls = ask_machine(r);
    if (!walls.code && !lists_admit(r, x, &e))
        return refused(r, (enum code)e.code, e.msg, false);
    return walls;
}

static void warn(const struct running *r, struct foreseen *f, const char *const *texts, size_t n)
{
    const char **all = arena_alloc(r->a, (f->warned_count + n + 1) * sizeof *all);

    for (size_t i = 0; i < f->warned_count; i++)
        all[i] = f->warned[i];
    for (size_t i = 0; i < n; i++)
        all[f->warned_count++] = arena_text(r->a, str_of(texts[i]));
    f->warned = all;
}

static struct foreseen foresee_command(struct running *r, const struct step_doc *step)
{
    struct writ_command command = {
        .environment = r->ask->environment, .weak = r->ask->weak, .live = { -1, -1 }, .cancel = -1
    };
    struct exec_step of = { .payload = step->payload,
                            .registries = r->registries,
                            .fleet = r->fleet };
    struct exec x = {
        .command = &command, .step = &of, .world = r->world, .a = r->a, .store = -1, .cancel = -1
    };
    struct foreseen f = ask_registry(r, &x);
    const struct tool_doc *tool = x.admission.tool;

    if (!f.code && tool && tool->status == TOOL_DEPRECATED)
        warn(r, &f,
             (const char *[]){
                 arena_printf(r->a, "the tool %.*s is deprecated", STR_ARG(tool->tool_id)) },
             1);
    return f;
}

/* ---- a call ---- */

/* What it starts, without the arguments that its parameters come to. */
static struct foreseen foresee_executable(struct running *r, struct tool_call *c,
                                          struct str executable)
{
    struct call_request request = { .command = executable };
    struct writ_command command = {
        .environment = r->ask->environment, .weak = r->ask->weak, .live = { -1, -1 }, .cancel = -1
    };
    struct exec_call how = { .registry = c->registry };
    struct exec x = {
        .command = &command, .call = &how, .world = r->world, .a = r->a, .store = -1, .cancel = -1
    };

    c->world = r->world; /* for its name and its time; versions were left out before */
    how.request = call_request(c, &request);
    return ask_registry(r, &x);
}

static struct foreseen foresee_server(struct running *r, struct tool_call *c)
{
    struct items command = servers_command(c);
    struct error e;

    if (command.n)
        return foresee_executable(r, c, ((const struct str *)command.v)[0]);
    (void)servers_unnamed(arena_text(r->a, c->adapter->doc.interface->mcp->server), &e);
    return refused(r, (enum code)e.code, e.msg, false);
}

static struct foreseen foresee_call(struct running *r, const struct step_doc *step,
                                    const struct deed *deed)
{
    struct writ_call ask = { .environment = r->ask->environment, .cancel = -1 };
    struct tool_call c = { .box = r->toolbox, .ask = &ask, .a = r->a, .given = step->payload };
    struct foreseen f = { 0 };
    struct error e = { 0 };
    int status;

    if (!call_find(&c, deed->adapter, deed->operation, &status))
        return refused(r, (enum code)c.error.code, c.error.msg, false);
    if (callable_reaches_out(c.adapter) && !tool_lets_reach(c.tool, &e))
        f = refused(r, (enum code)e.code, e.msg, false);
    else if (c.adapter->doc.type == ADAPTER_CLI)
        f = foresee_executable(r, &c, c.adapter->doc.interface->cli->executable);
    else if (c.adapter->doc.type == ADAPTER_MCP &&
             c.adapter->doc.interface->mcp->transport == TRANSPORT_STDIO)
        f = foresee_server(r, &c);
    warn(r, &f, c.warnings, c.warning_count);
    return f;
}

/* ---- a plan ---- */

/* "step tests of build: what is to be said" */
static const char *of_step(const struct running *r, const struct running *child, size_t step,
                           const char *said)
{
    return arena_printf(r->a, "step %s of %.*s: %s", child->plan.names[step],
                        STR_ARG(child->plan.plan.name), said);
}

static void warn_of(const struct running *r, struct foreseen *f, const char *text)
{
    f->cut = f->cut || f->warned_count == INNER_MOST;
    if (f->warned_count < INNER_MOST)
        warn(r, f, &text, 1);
}

static bool is_told_first(const struct foreseen_lane *lane)
{
    return lane->wrapped || lane->unavailable;
}

/* Where there is no room, the last that is like most others goes for one that is not. */
static size_t room_for(struct foreseen *f, const struct foreseen_lane *lane)
{
    size_t n = f->inner_count;

    if (n < INNER_MOST)
        return f->inner_count++;
    f->cut = true;
    while (is_told_first(lane) && n-- > 0)
        if (!is_told_first(&f->inner[n]))
            return n;
    return INNER_MOST;
}

static void add_lane(const struct running *r, struct foreseen *f, const struct foreseen_lane *lane,
                     const char *step)
{
    size_t n = room_for(f, lane);

    if (n == INNER_MOST)
        return;
    if (!f->inner)
        f->inner = arena_alloc(r->a, INNER_MOST * sizeof *f->inner);
    memmove(f->inner + n, f->inner + n + 1, (f->inner_count - n - 1) * sizeof *f->inner);
    n = f->inner_count - 1;
    f->inner[n] = *lane;
    f->inner[n].step =
        lane->step ? arena_printf(r->a, "%s/%s", step, lane->step) : arena_text(r->a, str_of(step));
}

/* The first step of it that would be refused, and what the others before it come to. A step that
 * may be skipped is told as well: it is not what was meant. */
static struct foreseen foresee_steps(struct running *r, struct running *child)
{
    static const char *const more[] = { "more is to be said of its steps than fits here" };
    struct foreseen all = { 0 };

    for (size_t i = 0; i < child->plan.plan.steps.n && !all.code; i++) {
        struct foreseen f = foresee(child, (const struct step_doc *)child->plan.plan.steps.v + i);

        if (f.code) {
            all.code = f.code;
            all.message = of_step(r, child, i, f.message);
            all.unsure = f.unsure;
        }
        for (size_t k = 0; k < f.warned_count; k++)
            warn_of(r, &all, of_step(r, child, i, f.warned[k]));
        if (f.lane)
            add_lane(r, &all, f.lane, child->plan.names[i]);
        for (size_t k = 0; k < f.inner_count; k++)
            add_lane(r, &all, &f.inner[k], child->plan.names[i]);
        all.cut = all.cut || f.cut;
    }
    if (all.cut)
        warn(r, &all, more, 1);
    return all;
}

struct foreseen foresee_used(const struct running *r, struct str id)
{
    const struct keep *keep = r->inner->before;
    struct foreseen f = { 0 };
    struct asked_entry before;
    struct error e;

    if (keep && id.s &&
        keep->kind->newest_input(keep->store, str_of(EVENT_TENANT), id, &before, r->a, &e) &&
        before.there)
        f = refused(
            r, CODE_EXECUTION_USED,
            arena_printf(r->a, "%.*s was run before; it is used once, make a new one", STR_ARG(id)),
            false);
    return f;
}

/* Of a file that many steps have it is found out once. */
static struct foreseen foresee_child(struct running *r, struct running *child,
                                     struct inner_file *known)
{
    struct foreseen f = { 0 };

    if (known && known->foreseen)
        return *known->foreseen;
    if (!child->plan.template)
        f = foresee_used(child, child->plan.plan.id);
    if (!f.code)
        f = foresee_steps(r, child);
    if (known)
        known->foreseen =
            memcpy(arena_new(r->inner->a, struct foreseen), &f, sizeof *known->foreseen);
    return f;
}

static struct foreseen foresee_plan(struct running *r, const struct step_doc *step)
{
    struct inner_file *known;
    struct running child;
    struct foreseen f = { 0 };
    const char *vain;

    if (!plan_child(r, step, &child))
        return f; /* its check has said so */
    known = child.named ? inner_find(r->inner, child.named, child.file) : NULL;
    child.once = known && known->once;
    vain = retried_in_vain(r, step, &child);
    f = foresee_child(r, &child, known);
    if (vain)
        warn(r, &f, &vain, 1);
    return f;
}

/* ---- all ---- */

static struct foreseen foresee_validate(const struct running *r, const struct step_doc *step)
{
    const char *ends = validate_ends(step, r->a);
    struct foreseen f = { 0 };

    if (ends)
        warn(r, &f, &ends, 1);
    return f;
}

struct foreseen foresee(struct running *r, const struct step_doc *step)
{
    const struct deed *deed = (const struct deed *)deeds_find(r, step->action);

    if (deed && deed->act == act_execute)
        return foresee_command(r, step);
    if (deed && deed->act == act_call)
        return foresee_call(r, step, deed);
    if (deed && deed->act == act_plan)
        return foresee_plan(r, step);
    if (deed && deed->act == act_validate)
        return foresee_validate(r, step);
    return (struct foreseen){ 0 };
}

static void put_lane(const struct foreseen_lane *lane, struct buf *to)
{
    json_open(to, '{');
    if (lane->step)
        json_put(to, "step", lane->step);
    json_put_text(to, "class", lane->class_id);
    json_put(to, "route", lane->route);
    json_put(to, "route_reason", lane->reason);
    json_put(to, "worker", lane->worker);
    json_put(to, "unavailable", lane->unavailable);
    json_put(to, "otherwise", lane->otherwise);
    json_put_bool(to, "sandboxed", !lane->wrapped);
    json_close(to, '}');
}

static void put_lanes(const struct foreseen *f, struct buf *to)
{
    json_key(to, "lane");
    if (f->lane) {
        put_lane(f->lane, to);
    } else if (f->inner_count) {
        json_open(to, '[');
        for (size_t i = 0; i < f->inner_count; i++)
            put_lane(&f->inner[i], to);
        json_close(to, ']');
    } else {
        json_nil(to);
    }
}

void foresee_put(const struct foreseen *f, struct buf *to)
{
    json_key(to, "refused");
    if (f->code) {
        json_open(to, '{');
        json_put(to, "code", codes[f->code].name);
        json_put(to, "message", f->message);
        json_put_bool(to, "sure", !f->unsure);
        json_close(to, '}');
    } else {
        json_nil(to);
    }
    json_key(to, "warnings");
    json_open(to, '[');
    for (size_t i = 0; i < f->warned_count; i++)
        json_text(to, str_of(f->warned[i]));
    json_close(to, ']');
    put_lanes(f, to);
}
