/* SPDX-License-Identifier: Apache-2.0 */
/* route.c: where a command of a class goes, decided before anything runs. */
#include "route/route.h"

#include <stdlib.h>

#include "contract/inputs.h"

/* ---- the command ---- */

/* A00-6: lanes are checked as documents, too; here it is what everything rests on. */
static bool is_plain(struct str raw, struct error *e)
{
    if (inputs_shell_chars(raw) == 0 && !memchr(raw.s, '\n', raw.n) && !memchr(raw.s, '\r', raw.n))
        return true;
    return error_set(e, CODE_CONTRACT_INVALID,
                     "raw_command holds characters a shell would read; pass the command as argv");
}

/* Without the worker's own wrapper around it: wrapping it again changes nothing (A00-7). */
static struct words unwrap(struct words words, const struct config_worker *worker)
{
    struct words inner = command_unwrap(words);
    const struct str *wrapper = worker ? worker->command.v : NULL;
    size_t n = worker && worker->kind == WORKER_WRAP ? worker->command.n : 0;

    if (inner.n < words.n || n == 0 || words.n <= n + 2)
        return inner;
    for (size_t i = 0; i < n; i++)
        if (!str_eq(words.v[i], wrapper[i]))
            return words;
    if (!str_is(words.v[n], "exec") || !str_is(words.v[n + 1], "--"))
        return words;
    return (struct words){ words.v + n + 2, words.n - n - 2 };
}

bool route_words(const struct lane_doc *lane, struct arena *a, struct words *out, struct error *e)
{
    bool list = lane->argv.n > 0;

    if (!list && lane->raw_command.n && !is_plain(lane->raw_command, e))
        return false;
    *out = list ? (struct words){ lane->argv.v, lane->argv.n }
                : command_split(command_collapse(lane->raw_command, a), a);
    return true;
}

static bool read_command(const struct route_ask *ask, struct arena *a, struct route_plan *out,
                         struct error *e)
{
    const struct lane_doc *lane = ask->lane;
    bool list = lane->argv.n > 0;

    if (!route_words(lane, a, &out->words, e))
        return false;
    out->words = unwrap(out->words, ask->worker);
    if (out->words.n == 0 || out->words.v[0].n == 0)
        return error_set(e, CODE_CONTRACT_INVALID, "there is no command to route");
    if (list) {
        out->normalized_command = command_join(out->words, a);
        if (!out->normalized_command.s)
            return error_set(e, CODE_CEILING, "the command as a line has more than %d bytes",
                             LINE_MAX_BYTES);
    } else {
        const struct str *last = &out->words.v[out->words.n - 1];
        const char *begin = out->words.v[0].s;

        out->normalized_command = (struct str){ begin, (size_t)(last->s + last->n - begin) };
    }
    return true;
}

/* ---- its class ---- */

static int class_is(const void *id, const void *class)
{
    return str_cmp(*(const struct str *)id, ((const struct class_doc *)class)->class_id);
}

/* As many names as a message has room for: those of a project may be many and long. */
static bool no_class(const struct items *list, struct str id, struct error *e)
{
    enum { NAMES_MOST = 16, NAMES_BYTES = 300 };
    _arena_ struct arena a = { 0 };
    _buf_ struct buf all = { .max = ERROR_MSG };
    const struct class_doc *class = list->v;
    const char **names = arena_alloc(&a, list->n * sizeof *names), *near;
    size_t told = 0;

    for (size_t i = 0; i < list->n; i++)
        names[i] = arena_text(&a, class[i].class_id);
    near = str_nearest(id, names, list->n);
    for (; told < list->n && told < NAMES_MOST; told++) {
        if (all.len + class[told].class_id.n > NAMES_BYTES)
            break;
        buf_addf(&all, "%s%s", told ? ", " : "", names[told]);
    }
    if (told < list->n)
        buf_addf(&all, told ? " and %zu more" : "%zu of long names", list->n - told);
    return error_set(e, CODE_CONTRACT_INVALID, "no class is called %s%s%s%s; there are %s",
                     said(id, &a), near ? " (did you mean '" : "", near ? near : "",
                     near ? "'?)" : "", all.len ? all.s : "none");
}

/* Classes are lexical. NULL: there is none of that id. */
static const struct class_doc *find_class(const struct items *list, struct str id)
{
    return list->n ? bsearch(&id, list->v, list->n, sizeof(struct class_doc), class_is) : NULL;
}

/* They are almost always in the order of the classes. */
static bool take_timeouts(const struct route_doc *contract, const struct class_doc *class,
                          struct route_plan *out, struct error *e)
{
    const struct items *profiles = &contract->timeout_profiles;
    const struct timeout_doc *timeout = profiles->v;
    struct str id = class->class_id;
    size_t at = (size_t)(class - (const struct class_doc *)contract->command_classes.v);

    if (at >= profiles->n || !str_eq(timeout[at].class_id, id))
        for (at = 0; at < profiles->n && !str_eq(timeout[at].class_id, id);)
            at++;
    if (at == profiles->n)
        return error_set(e, CODE_CONTRACT_INVALID, "the class '%.*s' has no timeouts", STR_ARG(id));
    out->soft_timeout_secs = timeout[at].soft_timeout_secs;
    out->hard_timeout_secs = timeout[at].hard_timeout_secs;
    out->cancel_grace_secs = timeout[at].cancel_grace_secs;
    return true;
}

/* ---- where it goes ---- */

static const struct policy_doc *policy_named(const struct route_doc *contract, const char *id)
{
    const struct policy_doc *policy = contract->route_policies.v;

    for (size_t i = 0; i < contract->route_policies.n; i++)
        if (str_is(policy[i].policy_id, id))
            return &policy[i];
    return NULL;
}

static void go_without(const struct route_ask *ask, struct route_plan *out)
{
    bool closed = ask->fallback == FALLBACK_FAIL_CLOSED;

    out->reason = REASON_RCH_UNAVAILABLE;
    out->downgraded = true;
    out->unavailable = ask->unavailable ? ask->unavailable : "the worker is not available";
    out->policy =
        policy_named(ask->contract, closed ? "fail_closed" : "local_fallback_on_rch_unavailable");
    closed = closed || (out->policy && out->policy->route == ROUTE_NOWHERE);
    out->route = closed ? ROUTE_NOWHERE : ROUTE_LOCAL_DIRECT;
}

/* A00-4: force beats preference. */
static void choose(const struct route_ask *ask, bool force, struct route_plan *out)
{
    const struct policy_doc *again;

    if (!force && !ask->named && !ask->lane->prefer_remote) {
        out->route = ROUTE_LOCAL_DIRECT;
        out->reason = REASON_CALLER_LOCAL;
    } else if (!ask->worker || !ask->available) {
        go_without(ask, out);
    } else {
        out->route = worker_kinds[ask->worker->kind].route;
        out->reason = force ? REASON_FORCE_RCH : REASON_PREFER_REMOTE;
        out->policy = policy_named(ask->contract, "remote_rch_default");
        out->worker = ask->worker;
    }
    /* What the caller wants here decides where, and no policy; how often is what holds here. */
    again = out->reason == REASON_CALLER_LOCAL
                ? policy_named(ask->contract, "local_fallback_on_rch_unavailable")
                : out->policy;
    if (again && again->retry_strategy == RETRY_BOUNDED_BACKOFF)
        out->max_retries = again->max_retries;
}

/* R-000-058. Workers that writ itself speaks to are given the words as they are. */
static void wrap(struct route_plan *out, struct arena *a)
{
    const struct items *command =
        out->worker && out->worker->command.n ? &out->worker->command : &worker_rch.command;
    size_t before = command->n + 2;
    struct str *words, front;
    char *line;

    out->routed_command = out->normalized_command;
    out->routed_words = out->words;
    if (!out->worker || out->worker->kind != WORKER_WRAP)
        return;
    words = arena_raw(a, (before + out->words.n) * sizeof *words);
    memcpy(words, command->v, command->n * sizeof *words);
    words[before - 2] = (struct str){ "exec", 4 };
    words[before - 1] = (struct str){ "--", 2 };
    memcpy(words + before, out->words.v, out->words.n * sizeof *words);
    out->routed_words = (struct words){ words, before + out->words.n };
    front = command_join((struct words){ words, before }, a);
    line = arena_raw(a, front.n + out->normalized_command.n + 2);
    memcpy(line, front.s, front.n);
    line[front.n] = ' ';
    memcpy(line + front.n + 1, out->normalized_command.s, out->normalized_command.n);
    line[front.n + 1 + out->normalized_command.n] = '\0';
    out->routed_command = (struct str){ line, front.n + 1 + out->normalized_command.n };
}

bool route_plan(const struct route_ask *ask, struct arena *a, struct route_plan *out,
                struct error *e)
{
    const struct lane_doc *lane = ask->lane;
    struct route_plan plan = {
        .command_id = lane->command_id,
        .command_class = lane->command_class,
        .correlation_id = lane->correlation_id,
        .scenario_id = lane->scenario_id.n ? lane->scenario_id : lane->command_class,
        .state = ROUTE_PLANNED,
        .manifest_fields = &ask->contract->artifact_manifest_fields,
    };
    const struct items *list = &ask->contract->command_classes;
    const struct class_doc *class = find_class(list, lane->command_class);

    if (!class)
        return no_class(list, lane->command_class, e);
    if (!take_timeouts(ask->contract, class, &plan, e) || !read_command(ask, a, &plan, e) ||
        !command_allowed(plan.normalized_command, class, e))
        return false;
    choose(ask, class->force_rch, &plan);
    wrap(&plan, a);
    *out = plan;
    return true;
}

bool route_downgrade(const struct route_ask *ask, const char *why, struct arena *a,
                     struct route_plan *out, struct error *e)
{
    struct route_ask without = *ask;

    without.available = false;
    without.unavailable = why;
    return route_plan(&without, a, out, e);
}

/* ---- states ---- */

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

struct words route_triggers(const struct route_doc *contract, struct str state, struct arena *a)
{
    const struct transition_doc *edge = contract->state_transitions.v;
    struct str *triggers = arena_alloc(a, contract->state_transitions.n * sizeof *triggers);
    size_t n = 0;

    for (size_t i = 0; i < contract->state_transitions.n; i++)
        if (str_eq(edge[i].from_state, state))
            triggers[n++] = edge[i].trigger;
    qsort(triggers, n, sizeof *triggers, by_text);
    return (struct words){ triggers, n };
}

static bool is_listed(const struct str *texts, size_t n, struct str text)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(texts[i], text))
            return true;
    return false;
}

/* Every state that an edge has at either end, each once. */
static struct words states_of(const struct route_doc *contract, struct arena *a)
{
    const struct transition_doc *edge = contract->state_transitions.v;
    struct str *states = arena_alloc(a, 2 * contract->state_transitions.n * sizeof *states);
    size_t n = 0;

    for (size_t i = 0; i < 2 * contract->state_transitions.n; i++) {
        struct str one = i % 2 ? edge[i / 2].to_state : edge[i / 2].from_state;

        if (!is_listed(states, n, one))
            states[n++] = one;
    }
    qsort(states, n, sizeof *states, by_text);
    return (struct words){ states, n };
}

static bool no_state(struct words states, struct str state, struct arena *a, struct error *e)
{
    _buf_ struct buf list = { .max = ERROR_MSG };

    for (size_t i = 0; i < states.n; i++)
        buf_addf(&list, "%s%.*s", i ? ", " : "", STR_ARG(states.v[i]));
    return error_set(e, CODE_INVALID_TRANSITION, "%s is no state, allowed %s", said(state, a),
                     list.len ? list.s : "none");
}

static bool refuse(const struct route_doc *contract, struct str state, struct str trigger,
                   struct error *e)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf allowed = { .max = ERROR_MSG };
    struct words triggers = route_triggers(contract, state, &a);
    struct words states = states_of(contract, &a);

    if (!is_listed(states.v, states.n, state))
        return no_state(states, state, &a, e);
    for (size_t i = 0; i < triggers.n; i++)
        buf_addf(&allowed, "%s%.*s", i ? ", " : "", STR_ARG(triggers.v[i]));
    return error_set(e, CODE_INVALID_TRANSITION, "%s does not lead anywhere from %s, allowed %s",
                     said(trigger, &a), said(state, &a),
                     allowed.len ? allowed.s : "nothing: it is an end");
}

bool route_next(const struct route_doc *contract, struct str state, struct str trigger,
                struct str *to, struct error *e)
{
    const struct transition_doc *edge = contract->state_transitions.v;

    for (size_t i = 0; i < contract->state_transitions.n; i++) {
        if (str_eq(edge[i].from_state, state) && str_eq(edge[i].trigger, trigger)) {
            *to = edge[i].to_state;
            return true;
        }
    }
    return refuse(contract, state, trigger, e);
}
