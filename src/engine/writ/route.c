/* SPDX-License-Identifier: Apache-2.0 */
/* route.c: the public functions of contract 000 by hand: contract, plan, advance. */
#include <string.h>

#include <writ/routes.h>

#include "base/json_write.h"
#include "contract/names.h"
#include "engine/config.h"
#include "engine/given.h"
#include "engine/home.h"
#include "engine/input.h"
#include "engine/record.h"
#include "route/route.h"
#include "route/workers.h"

/* What one question is about. */
struct asked {
    struct arena *a;
    struct settings settings;
    struct route_doc contract;
    struct lane_doc lane;
    struct report r; /* of what was read last, and its kind */
    const char *kind;
};

/* Contract 000, R-000-062: a contract is checked before anything is done by it. */
static bool read_contract(struct asked *q, const struct writ_input *given,
                          const char *const *environment)
{
    const struct document *document;

    q->kind = "config";
    if (!settings_here(environment, q->a, &q->settings, &q->r))
        return false;
    q->contract = q->settings.contract;
    if (!given)
        return true;
    q->kind = "route";
    q->contract = (struct route_doc){ 0 };
    return input_read(given, q->a, &document, &q->r) &&
           shape_decode(&route_shape, &document->root, &q->r, &q->contract);
}

int writ_route_contract(const char *const *environment, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct asked q = { .a = &a };

    if (!given_here(answer))
        return WRIT_UNAVAILABLE;
    if (!read_contract(&q, NULL, environment))
        return input_wrong(&q.r, q.kind, answer);
    shape_json(&route_shape, &q.contract, &out);
    return take_answer(&out, WRIT_OK, answer);
}

/* ---- plan ---- */

/* What a person typed has no ids yet: they are those of its execution. */
static bool read_lane(struct asked *q, const struct writ_route *route)
{
    const struct document *document;
    struct str *words;
    size_t n = 0;

    if (route->lane) {
        q->kind = "lane";
        return input_read(route->lane, q->a, &document, &q->r) &&
               shape_decode(&lane_shape, &document->root, &q->r, &q->lane);
    }
    while (route->argv && route->argv[n])
        n++;
    words = arena_alloc(q->a, (n + 1) * sizeof *words);
    for (size_t i = 0; i < n; i++)
        words[i] = str_of(route->argv[i]);
    q->lane = (struct lane_doc){ .command_class = str_of(route->class_id ? route->class_id : ""),
                                 .prefer_remote = route->remote,
                                 .argv = { words, n } };
    return true;
}

static bool find_worker(const struct asked *q, const char *name, struct route_ask *ask,
                        struct error *e)
{
    _buf_ struct buf known = { .max = ERROR_MSG };

    ask->named = name != NULL;
    ask->worker = settings_worker(&q->settings, str_of(name ? name : ""));
    if (ask->worker && !(name && !*name))
        return true;
    for (size_t i = 0; i < q->settings.worker_count; i++)
        buf_addf(&known, "%s%.*s", i ? ", " : "", STR_ARG(q->settings.workers[i].name));
    return error_set(e, CODE_CONTRACT_INVALID, "no worker is called '%s'; there are %s", name,
                     known.s);
}

/* Whether a worker is there is found out only when it is wanted. */
static bool make_plan(const struct writ_route *route, struct route_ask *ask, struct arena *a,
                      struct route_plan *out, struct error *e)
{
    const char *writ = home_writ(route->environment, a);
    struct error gone;

    ask->available = !route->available || strcmp(route->available, "yes") == 0;
    if (!ask->available)
        ask->unavailable = "it is not available, as the caller says";
    if (!route_plan(ask, a, out, e))
        return false;
    if (route->available || !out->worker ||
        worker_available(out->worker, (char *const *)route->environment, writ, -1, &gone))
        return true;
    return route_downgrade(ask, arena_text(a, str_of(gone.msg)), a, out, e);
}

static bool choose_fallback(const struct asked *q, const char *given, struct route_ask *ask,
                            struct error *e)
{
    int fallback = given ? name_at(fallback_names, str_of(given)) : CHOICE_NONE;

    if (given && fallback < 0)
        return error_set(e, CODE_CONTRACT_INVALID, "fallback is '%s', must be local or fail_closed",
                         given);
    ask->fallback = settings_fallback(&q->settings, fallback);
    return true;
}

static bool is_given(const struct writ_route *route, char **answer)
{
    if (!route->lane &&
        (!given(route->class_id, "class_id", answer) || !given(route->argv, "argv", answer) ||
         !given(route->argv[0], "argv[0]", answer)))
        return false;
    if (!route->available || strcmp(route->available, "yes") == 0 ||
        strcmp(route->available, "no") == 0)
        return true;
    *answer = record_failure(CODE_USAGE, "available is neither yes nor no");
    return false;
}

int writ_route_plan(const struct writ_route *route, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct asked q = { .a = &a };
    struct route_ask ask = { .contract = &q.contract, .lane = &q.lane };
    struct route_plan plan;
    struct error e;

    if (!is_given(route, answer))
        return WRIT_USAGE;
    if (!given_here(answer))
        return WRIT_UNAVAILABLE;
    if (!read_contract(&q, route->contract, route->environment) || !read_lane(&q, route))
        return input_wrong(&q.r, q.kind, answer);
    if (!find_worker(&q, route->worker, &ask, &e) ||
        !choose_fallback(&q, route->fallback, &ask, &e) || !make_plan(route, &ask, &a, &plan, &e)) {
        *answer = record_failure(e.code, e.msg);
        return WRIT_REFUSED;
    }
    route_plan_json(&plan, &out);
    return take_answer(&out, WRIT_OK, answer);
}

/* ---- advance ---- */

static int stays(const struct asked *q, struct str state, struct str trigger,
                 const struct error *why, char **answer)
{
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct words allowed = route_triggers(&q->contract, state, q->a);

    json_open(&out, '{');
    json_put(&out, "code", codes[why->code].name);
    json_put(&out, "message", why->msg);
    json_put_outside(&out, "state", state);
    json_put_outside(&out, "trigger", trigger);
    json_key(&out, "allowed");
    json_open(&out, '[');
    for (size_t i = 0; i < allowed.n; i++)
        json_text(&out, allowed.v[i]);
    json_close(&out, ']');
    json_close(&out, '}');
    return take_answer(&out, WRIT_NO, answer);
}

int writ_route_advance(const struct writ_input *contract, const char *state, const char *trigger,
                       const char *const *environment, char **answer)
{
    _arena_ struct arena a = { 0 };
    _buf_ struct buf out = { .max = ANSWER_MAX };
    struct asked q = { .a = &a };
    struct str next;
    struct error e;

    if (!given(state, "state", answer) || !given(trigger, "trigger", answer))
        return WRIT_USAGE;
    if (!given_here(answer))
        return WRIT_UNAVAILABLE;
    if (!read_contract(&q, contract, environment))
        return input_wrong(&q.r, q.kind, answer);
    if (!route_next(&q.contract, str_of(state), str_of(trigger), &next, &e))
        return stays(&q, str_of(state), str_of(trigger), &e, answer);
    json_open(&out, '{');
    json_put(&out, "state", state);
    json_put(&out, "trigger", trigger);
    json_put_text(&out, "next", next);
    json_close(&out, '}');
    return take_answer(&out, WRIT_OK, answer);
}
