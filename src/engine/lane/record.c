/* SPDX-License-Identifier: Apache-2.0 */
/* record.c: what a lane came to, in the words of its event and of its record. */
#include "base/doc_make.h"
#include "base/json_write.h"
#include "engine/exec.h"
#include "engine/lane.h"

enum event_state exec_lane_came_to(const struct exec *x)
{
    static const enum event_state states[] = {
        [OUTCOME_SUCCESS] = EVENT_SUCCEEDED,
        [OUTCOME_FAILED] = EVENT_FAILED,
        [OUTCOME_CANCELLED] = EVENT_CANCELLED,
    };

    return states[x->lane->lane.outcome];
}

/* Somebody asked it to end, and it did not (A00-3): it has failed, and nobody knows how far it was.
 */
static const char *why_killed(const struct exec *x)
{
    const char *reason = exec_lane_reason(x);

    return arena_printf(x->a,
                        "exit %d: it was asked to end%s%s%s, did not, and was killed; "
                        "what it did may not be whole",
                        x->outcome.exit_code, reason ? " (" : "", reason ? reason : "",
                        reason ? ")" : "");
}

struct failing exec_lane_failing(const struct exec *x)
{
    const struct lane *lane = &x->lane->lane;
    enum code code = lane->failure == CODE_NONE ? CODE_COMMAND_FAILED : lane->failure;
    struct failing f = { code, codes[code].retryable, codes[code].meaning };

    if (lane->failure == CODE_INVALID_TRANSITION)
        f.message = lane->aborted.msg;
    else if (exec_shortfall(x, x->a))
        f.message = exec_shortfall(x, x->a);
    else if (lane->failure == CODE_RCH_UNAVAILABLE && x->lane->unavailable)
        f.message = x->lane->unavailable;
    else if (lane->failure == CODE_WORKER_LOST && x->now.lost)
        f.message = x->now.lost;
    else if (lane->failure == CODE_COMMAND_FAILED && x->outcome.cause == CAUSE_CANCELLED)
        f.message = why_killed(x);
    else if (lane->failure == CODE_COMMAND_FAILED)
        f.message = arena_printf(x->a, "exit %d: %s", x->outcome.exit_code,
                                 exit_meaning(x->outcome.exit_code, x->outcome.cause)->meaning);
    return f;
}

const char *exec_lane_reason(const struct exec *x)
{
    return lane_home_reason(&x->lane->home, x->a);
}

static void put_transcript(const struct exec_lane *l, struct buf *to)
{
    char digest[DIGEST_TEXT];

    digest_text(&l->transcript, digest);
    json_key(to, "transcript");
    json_open(to, '{');
    json_put(to, "path", l->home.transcript.path);
    json_put(to, "digest", digest);
    json_close(to, '}');
    json_put(to, "remediation", l->remediation);
}

static const char *worker_of(const struct exec *x)
{
    const struct config_worker *worker = x->lane->plan->worker;

    return worker ? arena_text(x->a, worker->name) : NULL;
}

/* The route by which it would have gone to its worker; NULL: it went where it was meant to. */
static const char *meant_for(const struct exec_lane *l)
{
    const struct config_worker *worker = l->plan->downgraded ? l->ask.worker : NULL;

    return worker ? route_names[worker_kinds[worker->kind].route] : NULL;
}

static void add_text_or_null(struct arena *a, struct doc *to, const char *key, const char *text)
{
    if (text)
        doc_add_text(a, to, key, str_of(arena_text(a, str_of(text))));
    else
        (void)doc_add_kind(a, to, key, DOC_NULL);
}

void exec_lane_held(const struct exec *x, struct arena *a, struct doc *to)
{
    const struct route_plan *plan = x->lane->plan;

    doc_add_text(a, to, "class",
                 (struct str){ arena_text(a, plan->command_class), plan->command_class.n });
    doc_add_text(a, to, "route", str_of(route_names[plan->route]));
    add_text_or_null(a, to, "worker", worker_of(x));
    doc_add_bool(a, to, "downgraded", plan->downgraded);
    add_text_or_null(a, to, "downgraded_from", meant_for(x->lane));
    exec_add_missing(x, a, to);
}

void exec_lane_record(const struct exec *x, struct buf *to)
{
    const struct exec_lane *l = x->lane;

    json_put(to, "route", route_names[l->plan->route]);
    json_put(to, "state", route_state_names[l->lane.state]);
    json_put(to, "outcome_class", outcome_class_names[l->lane.outcome]);
    json_put(to, "class", arena_text(x->a, l->plan->command_class));
    json_put(to, "worker", worker_of(x));
    json_put_int(to, "attempt", x->attempt);
    json_put_int(to, "hard_timeout_secs", l->plan->hard_timeout_secs);
    json_put_bool(to, "downgraded", l->plan->downgraded);
    json_put(to, "downgraded_from", meant_for(l));
    json_put(to, "unavailable", l->plan->unavailable);
    json_put(to, "cancel_reason", exec_lane_reason(x));
    json_put(to, "left_elsewhere", l->left);
    json_key(to, "manifest");
    shape_json(&manifest_shape, &l->manifest, to);
    json_key(to, "lane");
    shape_json(&lane_result_shape, &l->result, to);
    put_transcript(l, to);
}
