/* SPDX-License-Identifier: Apache-2.0 */
/* record.c: what a lane came to, in the words of its event and of its record. */
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

struct failing exec_lane_failing(const struct exec *x)
{
    const struct lane *lane = &x->lane->lane;
    enum code code = lane->failure == CODE_NONE ? CODE_COMMAND_FAILED : lane->failure;
    struct failing f = { code, codes[code].retryable, codes[code].meaning };

    if (lane->failure == CODE_INVALID_TRANSITION)
        f.message = lane->aborted.msg;
    else if (lane->failure == CODE_NONE)
        f.message = "what came out is not what was expected";
    else if (lane->failure == CODE_RCH_UNAVAILABLE && x->lane->unavailable)
        f.message = x->lane->unavailable;
    else if (lane->failure == CODE_WORKER_LOST && x->now.lost)
        f.message = x->now.lost;
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

void exec_lane_record(const struct exec *x, struct buf *to)
{
    const struct exec_lane *l = x->lane;
    const struct config_worker *worker = l->plan->worker;

    json_put(to, "route", route_names[l->plan->route]);
    json_put(to, "state", route_state_names[l->lane.state]);
    json_put(to, "outcome_class", outcome_class_names[l->lane.outcome]);
    json_put(to, "class", arena_text(x->a, l->plan->command_class));
    json_put(to, "worker", worker ? arena_text(x->a, worker->name) : NULL);
    json_put_int(to, "attempt", x->attempt);
    json_put_bool(to, "downgraded", l->plan->downgraded);
    json_key(to, "manifest");
    shape_json(&manifest_shape, &l->manifest, to);
    json_key(to, "lane");
    shape_json(&lane_result_shape, &l->result, to);
    put_transcript(l, to);
}
