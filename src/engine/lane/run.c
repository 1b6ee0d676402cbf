/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: runs a command as a lane of contract 000: where the plan says, again where the
 * policy says so, elsewhere when a worker cannot be had; and leaves a transcript and a manifest. */
#include "adapter/secret.h"
#include "engine/exec.h"
#include "engine/lane.h"

#include "base/cancel.h"
#include "base/json_write.h"
#include "base/stamp.h"
#include "engine/home.h"
#include "engine/input.h"
#include "engine/lane_lost.h"
#include "engine/wired.h"

/* ---- its pace ---- */

static void hear_news(void *exec, enum pace_news news, enum cause cause)
{
    struct exec *x = exec;
    struct exec_lane *l = x->lane;

    if (news == PACE_LATE)
        lane_late(&l->lane);
    else if (news == PACE_ASKED)
        lane_asked(&l->lane, cause, lane_home_reason(&l->home, x->a));
    else
        lane_killed(&l->lane, cause);
}

static void hear_printed(void *exec, int stream, const char *bytes, size_t n)
{
    const struct exec *x = exec;

    transcript_output(&x->lane->home.transcript, stream, bytes, n);
}

struct pace exec_pace(struct exec *x)
{
    const struct exec_lane *l = x->lane;
    bool secret = (x->secrets && x->secrets->n) || (x->call && x->call->clean);
    int64_t soft;

    if (x->served)
        return x->served->pace;
    if (!l)
        return (struct pace){ .grace_ms = x->wires && !x->step ? WIRED_GRACE_MS : 0 };
    soft = l->plan->soft_timeout_secs * 1000;
    return (struct pace){ .grace_ms = l->plan->cancel_grace_secs * 1000,
                          .soft_ms = soft < x->request.sandbox->timeout_ms ? soft : 0,
                          .asks = true,
                          .news = hear_news,
                          .printed = secret ? NULL : hear_printed, /* told when it is cleaned */
                          .self = x };
}

void exec_lane_starts(struct exec *x)
{
    lane_start(&x->lane->lane);
    x->lane->started = x->lane->home.used = true;
}

/* ---- an attempt ---- */

/* In our own sandbox. */
static enum tried try_here(struct exec *x, const struct try_ask *ask)
{
    *ask->status = exec_try(x, ask->report, ask->kind, ask->e);
    return *ask->status == WRIT_OK ? TRIED_ENDED : TRIED_NOTHING;
}

enum tried try_unrun(struct exec *x, struct outcome outcome, const struct try_ask *ask)
{
    exec_open_ledger(x);
    x->outcome = outcome;
    if (x->lane->started || exec_permit(x, ask->e))
        return TRIED_ENDED;
    *ask->status = exec_refused(x, ask->e);
    return TRIED_NOTHING;
}

static enum tried try_nowhere(struct exec *x, const struct try_ask *ask)
{
    x->lane->absent = true;
    return try_unrun(x, outcome_unrun(CAUSE_SANDBOX_ERROR, STATUS_UNAVAILABLE), ask);
}

/* Somebody wanted it ended before it began. */
static enum tried end_cancelled(struct exec *x, const struct try_ask *ask)
{
    struct exec_lane *l = x->lane;

    if (!l->lane.asked)
        lane_asked(&l->lane, CAUSE_CANCELLED, lane_home_reason(&l->home, x->a));
    return try_unrun(x, outcome_waited(CAUSE_CANCELLED, 0), ask);
}

enum tried try_failed(struct exec *x, const struct try_ask *ask)
{
    x->outcome = outcome_unrun(CAUSE_SANDBOX_ERROR, STATUS_UNAVAILABLE);
    x->lane->absent = true;
    x->lane->unavailable = arena_text(x->a, str_of(ask->e->msg));
    return TRIED_ENDED;
}

static enum tried try_once(struct exec *x, const struct try_ask *ask)
{
    static enum tried (*const ways[])(struct exec * x, const struct try_ask *ask) = {
        [ROUTE_LOCAL_DIRECT] = try_here, [ROUTE_REMOTE_RCH] = try_wrap,
        [ROUTE_NOWHERE] = try_nowhere,   [ROUTE_LOCAL_WORKER] = try_far,
        [ROUTE_REMOTE_SLURM] = try_far,  [ROUTE_REMOTE_SSH] = try_far,
    };

    return ways[x->lane->plan->route](x, ask);
}

/* Without its worker, by the policy: here or nowhere. */
static bool downgrade(struct exec *x, const char *why, const struct try_ask *ask)
{
    struct exec_lane *l = x->lane;
    struct route_plan *other = arena_new(x->a, struct route_plan);

    if (!route_downgrade(&l->ask, arena_text(x->a, str_of(why)), x->a, other, ask->e))
        return false;
    lane_downgrade(&l->lane, other);
    l->plan = other;
    return true;
}

/* The worker that was to be had cannot be reached: again after a while, then without it, but not
 * for somebody who wants it ended. All of that happens in the queue. */
static enum tried try_with_patience(struct exec *x, const struct try_ask *ask)
{
    struct exec_lane *l = x->lane;
    int64_t delay;

    for (;;) {
        enum tried tried = try_once(x, ask);

        if (tried != TRIED_UNAVAILABLE)
            return tried;
        l->unavailable = arena_text(x->a, str_of(ask->e->msg));
        lane_unavailable(&l->lane, l->unavailable);
        if (l->lane.asked || cancel_asked(x->cancel))
            return end_cancelled(x, ask);
        if (!l->queued && lane_again(&l->lane, &delay)) {
            lane_retry(&l->lane, delay);
            if (!cancel_wait(x->cancel, delay, x->world))
                return end_cancelled(x, ask);
        } else if (!downgrade(x, l->unavailable, ask)) {
            *ask->status = WRIT_REFUSED;
            return TRIED_NOTHING;
        }
    }
}

/* ---- what came of it ---- */

static void attempt_ended(struct exec *x)
{
    struct exec_lane *l = x->lane;
    struct lane_end end;

    if (!x->now.lost && !l->absent)
        exec_judge(x);
    end = (struct lane_end){ .cause = x->outcome.cause,
                             .exit_code = x->outcome.exit_code,
                             .forced = x->outcome.forced,
                             .lost = x->now.lost != NULL,
                             .why_lost = x->now.lost,
                             .unavailable = l->absent };
    if (x->outcome.out.bytes)
        transcript_printed(&l->home.transcript, 1, &x->outcome.out);
    if (x->outcome.err.bytes)
        transcript_printed(&l->home.transcript, 2, &x->outcome.err);
    lane_ended(&l->lane, &end);
    x->outcome.exit_code = l->lane.exit_code;
    lane_result(&l->lane, x->request.execution_id, x->a, &l->manifest, &l->result);
}

static bool keep_shape(const struct exec *x, const char *name, const struct shape *shape,
                       const void *decoded, struct error *e)
{
    _buf_ struct buf text = { .max = ANSWER_MAX };

    shape_json(shape, decoded, &text);
    buf_addc(&text, '\n');
    return lane_home_keep(&x->lane->home, name, buf_str(&text), x->a, e);
}

/* R-000-066: what failed is handed to whoever mends it, with what it said. */
static bool keep_remediation(struct exec *x, struct error *e)
{
    static const char name[] = "remediation.json";
    _buf_ struct buf to = { .max = 1 << 20 };
    struct exec_lane *l = x->lane;
    char at[STAMP_TEXT], digest[DIGEST_TEXT];

    if (l->lane.failure != CODE_COMMAND_FAILED || x->step)
        return true;
    stamp_text(x->world->wall_ms(x->world->self), at);
    digest_text(&x->outcome.err.digest, digest);
    json_open(&to, '{');
    json_put(&to, "run_id", l->home.run_id);
    json_put(&to, "failure_code", codes[l->lane.failure].name);
    json_put(&to, "operator_action", codes[l->lane.failure].action);
    json_put(&to, "status", "open");
    json_put(&to, "opened_at", at);
    json_key(&to, "command");
    json_outside(&to, l->plan->normalized_command);
    json_put_int(&to, "exit_code", x->outcome.exit_code);
    json_put_int(&to, "stderr_bytes", x->outcome.err.bytes);
    json_put(&to, "stderr_digest", digest);
    json_put(&to, "transcript_path", l->home.transcript.path);
    json_close(&to, '}');
    buf_addc(&to, '\n');
    l->remediation = lane_home_keep(&l->home, name, buf_str(&to), x->a, e);
    return l->remediation;
}

/* Of a step the ledger has these. */
static bool keep_all(struct exec *x, struct error *e)
{
    struct exec_lane *l = x->lane;

    if (!keep_remediation(x, e) || !transcript_close(&l->home.transcript, &l->transcript, e))
        return false;
    l->home.ended = x->step || (keep_shape(x, "manifest.json", &manifest_shape, &l->manifest, e) &&
                                keep_shape(x, "result.json", &lane_result_shape, &l->result, e));
    return l->home.ended;
}

/* Between two attempts nothing of the first is left in the record of the second. */
static void forget_attempt(struct exec *x)
{
    x->attempt++;
    cow_close(&x->outcome.cow);
    x->outcome = (struct outcome){ 0 };
    x->now = (struct exec_attempt){ 0 };
    x->lane->started = x->lane->absent = false;
}

/* ---- from the first attempt to the last ---- */

/* Is there another attempt, and of what kind? */
enum next { NEXT_NONE, NEXT_AGAIN, NEXT_WITHOUT };

/* In a step the plan decides about those that took too long. A worker that took it, and then said
 * that it cannot, is gone without as if it had never been there. */
static enum next what_next(const struct exec *x, int64_t *delay)
{
    const struct exec_lane *l = x->lane;

    *delay = 0;
    if ((x->step && l->lane.failure == CODE_COMMAND_TIMEOUT) || x->waited_for != CAUSE_EXITED)
        return NEXT_NONE; /* nor does an input that did not end come again */
    if (lane_again(&l->lane, delay))
        return NEXT_AGAIN;
    return l->lane.failure == CODE_RCH_UNAVAILABLE && l->plan->route != ROUTE_NOWHERE ? NEXT_WITHOUT
                                                                                      : NEXT_NONE;
}

/* What an attempt came to is on record before the next one begins. */
static bool begin_next(struct exec *x, enum next next, int64_t delay, const struct try_ask *ask)
{
    struct exec_lane *l = x->lane;

    l->transcript = transcript_digest(&l->home.transcript);
    *ask->status = WRIT_UNRECORDED;
    if (!exec_conclude(x, NULL, ask->e))
        return exec_end_lost(x, ask->e);
    *ask->status = WRIT_REFUSED;
    if (next == NEXT_AGAIN)
        lane_retry(&l->lane, delay);
    else if (!downgrade(x, l->unavailable, ask))
        return false;
    forget_attempt(x);
    return true;
}

static enum tried try_until_it_ends(struct exec *x, const struct try_ask *ask)
{
    enum tried tried = x->lane->unwanted ? end_cancelled(x, ask) : try_with_patience(x, ask);
    int64_t delay;

    while (tried == TRIED_ENDED) {
        enum next next;

        attempt_ended(x);
        x->now.ran = true;
        next = what_next(x, &delay);
        if (next == NEXT_NONE)
            return TRIED_ENDED;
        if (!begin_next(x, next, delay, ask))
            return TRIED_NOTHING;
        tried = cancel_asked(x->cancel) || !cancel_wait(x->cancel, delay, x->world)
                    ? end_cancelled(x, ask)
                    : try_with_patience(x, ask);
    }
    return tried;
}

static void tell_caller(void *exec, enum transcript_event event, struct str line)
{
    const struct exec *x = exec;

    (void)event;
    (void)x->command->lane(x->command->lane_self, line.s, line.n);
}

static bool begin(struct exec *x, struct error *e)
{
    struct exec_lane *l = x->lane;
    struct lane_home_ask ask = { .state = home_state(x->command->environment, x->a),
                                 .execution = x->request.execution_id,
                                 .correlation = l->doc.correlation_id,
                                 .world = x->world,
                                 .cancel = x->command->cancel };

    if (x->step && !fleet_log(l->fleet, x->step->execution, &ask.log, e))
        return false;
    if (x->step)
        ask.listener = x->step->listener;
    else if (x->command->lane)
        ask.listener = (struct listener){ tell_caller, x };
    l->begun = true;
    if (!x->step)
        lane_lost_close(&(struct lane_lost_ask){ ask.state, x->command->ledger,
                                                 x->command->environment, x->world });
    if (!lane_home_open(&l->home, &ask, x->a, e))
        return false;
    x->cancel = l->home.cancel;
    lane_begin(&l->lane, l->plan, &l->home.transcript);
    l->lane.step = x->step != NULL;
    return true;
}

/* It ran, and what came of it is on record; only what it left is not kept. Where it is not on
 * record either, that is what *e says. */
static void end_unkept(struct exec *x, struct error *e)
{
    struct error lost;

    attempt_ended(x);
    x->now.ran = true;
    (void)!keep_all(x, &lost);
    if (exec_conclude(x, NULL, &lost))
        return;
    *e = lost;
    (void)exec_end_lost(x, e);
}

/* It was started, and then its walls could not be built. The ledger has that last: with what the
 * transcript came to, and the manifest. */
static void end_unbuilt(struct exec *x, const struct try_ask *ask)
{
    struct error lost;

    cow_close(&x->outcome.cow);
    x->outcome = outcome_unrun(CAUSE_SANDBOX_ERROR, STATUS_SANDBOX);
    attempt_ended(x);
    (void)!keep_all(x, &lost);
    if (exec_conclude(x, ask->e, &lost))
        return;
    *ask->e = lost;
    *ask->status = WRIT_UNRECORDED;
}

/* Nothing ran: the transcript says so. What had been started has an end like every lane; what had
 * not is none. */
static void end_refused(struct exec *x, const struct try_ask *ask)
{
    struct exec_lane *l = x->lane;
    struct buf *line = transcript_begin(&l->home.transcript, SAID_REFUSED);
    struct error lost;

    json_put(line, "code", codes[ask->e->code].name);
    json_put(line, "message", ask->e->msg);
    transcript_end(&l->home.transcript);
    if (l->started && (l->lane.state == ROUTE_RUNNING || l->lane.state == ROUTE_CANCEL_REQUESTED))
        end_unbuilt(x, ask);
    else
        (void)!transcript_close(&l->home.transcript, &l->transcript, &lost);
}

/* A worker that is not there at all is not waited for. */
static bool settle_route(struct exec *x, const struct try_ask *ask)
{
    struct exec_lane *l = x->lane;

    if (!l->unavailable || l->unwanted)
        return true;
    *ask->status = WRIT_REFUSED;
    lane_unavailable(&l->lane, l->unavailable);
    return downgrade(x, l->unavailable, ask);
}

static int run_lane(struct exec *x, const struct try_ask *ask, bool *ran)
{
    if (!lane_plan(x, ask))
        return *ask->status;
    if (!begin(x, ask->e))
        return ask->e->code == CODE_EXECUTION_USED ? WRIT_REFUSED : WRIT_UNRECORDED;
    if (!settle_route(x, ask) || try_until_it_ends(x, ask) != TRIED_ENDED) {
        if (x->now.unkept)
            end_unkept(x, ask->e);
        else
            end_refused(x, ask);
        return *ask->status;
    }
    if (!keep_all(x, ask->e) || !exec_conclude(x, NULL, ask->e)) {
        (void)exec_end_lost(x, ask->e);
        return WRIT_UNRECORDED;
    }
    *ran = true;
    return x->outcome.exit_code;
}

int exec_lane_run(struct exec *x, struct report *r, const char **kind, bool *ran, struct error *e)
{
    struct exec_lane *l = arena_new(x->a, struct exec_lane);
    int status = WRIT_BUG;
    struct try_ask ask = { r, kind, &status, e };

    x->lane = l;
    l->fleet = x->step ? x->step->fleet : &l->own;
    if (!x->step)
        fleet_open(&l->own, x->command->environment, x->world);
    return run_lane(x, &ask, ran);
}

void exec_lane_close(struct exec *x)
{
    struct exec_lane *l = x->lane;

    if (!l)
        return;
    if (l->begun)
        lane_home_close(&l->home);
    if (!x->step)
        fleet_close(&l->own);
}
