/* SPDX-License-Identifier: Apache-2.0 */
/* lane.c: moves a lane along the declared edges and writes each move down. */
#include "route/lane.h"

#include "base/json_write.h"
#include "contract/backoff.h"

/* ---- moving ---- */

static bool is_aborted(const struct lane *l)
{
    return l->failure == CODE_INVALID_TRANSITION;
}

/* A00-10: the state stays, and no edge is invented. */
static void abort_lane(struct lane *l, enum route_trigger by)
{
    struct buf *line = transcript_begin(l->transcript, SAID_ABORTED);

    l->failure = CODE_INVALID_TRANSITION;
    l->outcome = OUTCOME_FAILED;
    if (l->exit_code == 0)
        l->exit_code = STATUS_FAILED;
    json_put_int(line, "attempt", l->attempt);
    json_put(line, "state", route_state_names[l->state]);
    json_put(line, "trigger", route_trigger_names[by]);
    json_key(line, "allowed");
    json_open(line, '[');
    for (size_t i = 0; i < ROUTE_EDGES; i++) {
        if (route_edges[i].from == l->state)
            json_text(line, str_of(route_trigger_names[route_edges[i].by]));
    }
    json_close(line, ']');
    json_put(line, "message", l->aborted.msg);
    transcript_end(l->transcript);
}

static bool move(struct lane *l, enum route_trigger by)
{
    enum route_state from = l->state;
    struct buf *line;

    if (is_aborted(l))
        return false;
    if (!route_advance(from, by, &l->state, &l->aborted)) {
        abort_lane(l, by);
        return false;
    }
    line = transcript_begin(l->transcript, SAID_STATE);
    json_put_int(line, "attempt", l->attempt);
    json_put(line, "from", route_state_names[from]);
    json_put(line, "trigger", route_trigger_names[by]);
    json_put(line, "to", route_state_names[l->state]);
    transcript_end(l->transcript);
    return true;
}

/* An attempt from the start. Zero would be a success: it has failed until it is known better. */
static void renew(struct lane *l)
{
    l->attempt++;
    l->state = l->plan->state;
    l->failure = CODE_NONE;
    l->outcome = OUTCOME_FAILED;
    l->exit_code = STATUS_FAILED;
    l->asked = l->killed = l->nowhere = false;
    (void)move(l, TRIGGER_ENQUEUE);
}

/* ---- what happens ---- */

static const char *policy_of(const struct route_plan *plan, struct arena *a)
{
    return plan->policy ? arena_text(a, plan->policy->policy_id) : NULL;
}

/* The members that `writ route plan` has, too, mean the same. */
static void say_planned(struct lane *l)
{
    const struct route_plan *plan = l->plan;
    struct buf *line = transcript_begin(l->transcript, SAID_PLANNED);
    _arena_ struct arena a = { 0 };

    json_put_outside(line, "command_id", plan->command_id);
    json_put_outside(line, "command_class", plan->command_class);
    json_put_outside(line, "command_provenance", lane_provenance(plan, &a));
    json_put_outside(line, "scenario_id",
                     plan->scenario_id.n ? plan->scenario_id : plan->command_class);
    json_put(line, "route", route_names[plan->route]);
    json_put(line, "route_reason", route_reason_names[plan->reason]);
    json_put(line, "policy_id", policy_of(plan, &a));
    json_put(line, "worker", plan->worker ? arena_text(&a, plan->worker->name) : NULL);
    json_put_outside(line, "routed_command", plan->routed_command);
    json_key(line, "timeouts");
    json_open(line, '{');
    json_put_int(line, "soft_timeout_secs", plan->soft_timeout_secs);
    json_put_int(line, "hard_timeout_secs", plan->hard_timeout_secs);
    json_put_int(line, "cancel_grace_secs", plan->cancel_grace_secs);
    json_close(line, '}');
    json_put_int(line, "max_retries", plan->max_retries);
    json_put_bool(line, "downgraded", plan->downgraded);
    json_put(line, "unavailable", plan->unavailable);
    transcript_end(l->transcript);
}

void lane_begin(struct lane *l, const struct route_plan *plan, struct transcript *transcript)
{
    *l = (struct lane){ .plan = plan, .route = plan->route, .transcript = transcript };
    say_planned(l);
    renew(l);
}

void lane_start(struct lane *l)
{
    if (!is_aborted(l))
        l->failure = CODE_NONE; /* the worker took it after all */
    if (move(l, TRIGGER_START) && l->asked)
        (void)move(l, TRIGGER_CANCEL);
}

void lane_late(struct lane *l)
{
    struct buf *line = transcript_begin(l->transcript, SAID_LATE);

    json_put_int(line, "attempt", l->attempt);
    json_put_int(line, "after_secs", l->plan->soft_timeout_secs);
    json_put_int(line, "hard_timeout_secs", l->plan->hard_timeout_secs);
    transcript_end(l->transcript);
}

static const char *asker(const struct lane *l, enum cause cause)
{
    return cause != CAUSE_CANCELLED ? cause_names[cause] : l->step ? "step" : "operator";
}

/* A person cancels no step (A04-13): it is for its time that it is ended (A00-3). */
static enum cause cause_in(const struct lane *l, enum cause cause)
{
    return l->step && cause == CAUSE_CANCELLED ? CAUSE_TIMEOUT : cause;
}

void lane_asked(struct lane *l, enum cause cause, const char *reason)
{
    struct buf *line = transcript_begin(l->transcript, SAID_ASKED);

    json_put_int(line, "attempt", l->attempt);
    json_put(line, "why", asker(l, cause));
    json_put(line, "reason", reason);
    transcript_end(l->transcript);
    if (!l->asked)
        l->asked_for = cause_in(l, cause);
    l->asked = true;
    l->person |= cause_in(l, cause) == CAUSE_CANCELLED;
    if (l->state != ROUTE_QUEUED && l->state != ROUTE_CANCEL_REQUESTED)
        (void)move(l, TRIGGER_CANCEL);
}

void lane_killed(struct lane *l, enum cause cause)
{
    struct buf *line = transcript_begin(l->transcript, SAID_KILLED);

    json_put_int(line, "attempt", l->attempt);
    json_put(line, "why", cause == CAUSE_CANCELLED ? asker(l, cause) : "grace");
    json_put_int(line, "cancel_grace_secs", l->plan->cancel_grace_secs);
    transcript_end(l->transcript);
    l->killed = true;
}

static void put_worker(const struct lane *l, struct buf *to)
{
    json_key(to, "worker");
    if (l->plan->worker)
        json_outside(to, l->plan->worker->name);
    else
        json_nil(to);
}

void lane_unavailable(struct lane *l, const char *why)
{
    struct buf *line = transcript_begin(l->transcript, SAID_UNAVAILABLE);

    put_worker(l, line);
    json_put_int(line, "attempt", l->attempt);
    json_put(line, "message", why);
    transcript_end(l->transcript);
    if (l->state == ROUTE_QUEUED && !is_aborted(l))
        l->failure = CODE_RCH_UNAVAILABLE;
}

/* ---- going elsewhere, and trying again ---- */

void lane_downgrade(struct lane *l, const struct route_plan *plan)
{
    bool failed = l->state == ROUTE_FAILED && l->failure == CODE_RCH_UNAVAILABLE;
    _arena_ struct arena a = { 0 };
    struct buf *line;

    if (is_aborted(l))
        return;
    if (!failed && l->state != ROUTE_QUEUED) {
        (void)move(l, TRIGGER_ENQUEUE);
        return;
    }
    line = transcript_begin(l->transcript, SAID_DOWNGRADE);
    json_put(line, "from", route_names[l->route]);
    json_put(line, "to", route_names[plan->route]);
    json_put(line, "policy_id", policy_of(plan, &a));
    json_put(line, "message", plan->unavailable);
    transcript_end(l->transcript);
    l->plan = plan;
    l->route = plan->route;
    l->retries = 0;
    l->failure = CODE_NONE;
    if (failed)
        renew(l);
}

bool lane_again(const struct lane *l, int64_t *delay_ms)
{
    struct backoff policy = backoff_route;

    policy.max_attempts = l->plan->max_retries; /* after the first (A00-8) */
    if (l->person || !codes[l->failure].retryable || (l->state == ROUTE_QUEUED && l->asked) ||
        !backoff_again(&policy, l->retries))
        return false;
    *delay_ms = backoff_delay(&policy, l->retries + 1);
    return true;
}

void lane_retry(struct lane *l, int64_t delay_ms)
{
    bool queued = l->state == ROUTE_QUEUED;
    struct buf *line;
    int64_t least;

    if (!lane_again(l, &least)) {
        (void)move(l, TRIGGER_ENQUEUE);
        return;
    }
    l->retries++;
    line = transcript_begin(l->transcript, SAID_RETRY);
    json_put(line, "code", codes[l->failure].name);
    put_worker(l, line);
    json_put_int(line, "retry", l->retries);
    json_put_int(line, "attempt", queued ? l->attempt : l->attempt + 1);
    json_put_int(line, "delay_ms", delay_ms);
    transcript_end(l->transcript);
    if (queued)
        l->failure = CODE_NONE;
    else
        renew(l);
}

/* ---- the end ---- */

static void say_ended(struct lane *l, const char *why_lost)
{
    _arena_ struct arena a = { 0 };
    struct manifest_doc manifest = lane_manifest(l, &a);
    struct buf *line = transcript_begin(l->transcript, SAID_ENDED);

    json_put_int(line, "attempt", l->attempt);
    json_put(line, "state", route_state_names[l->state]);
    json_put(line, "outcome_class", outcome_class_names[l->outcome]);
    json_put_int(line, "exit_code", l->exit_code);
    json_put(line, "failure_code", l->failure ? codes[l->failure].name : NULL);
    if (why_lost)
        json_put(line, "message", why_lost);
    json_put_outside(line, "command_provenance", manifest.command_provenance);
    json_put_outside(line, "scenario_id", manifest.scenario_id);
    json_put_outside(line, "transcript_path", manifest.transcript_path);
    json_put(line, "worker_route", route_names[manifest.worker_route]);
    transcript_end(l->transcript);
}

/* The way to the end; from cancel_requested, what fails does so by the edge that is left. */
static bool go_to_end(struct lane *l, const struct ending_row *row)
{
    enum route_trigger by = row->by;

    if (row->unstarted && l->state == ROUTE_QUEUED && !move(l, TRIGGER_START))
        return false;
    if (row->stopped && l->state == ROUTE_RUNNING && !move(l, TRIGGER_CANCEL))
        return false;
    if (by == TRIGGER_EXIT_NONZERO && l->state == ROUTE_CANCEL_REQUESTED)
        by = TRIGGER_CANCEL_TIMEOUT;
    return move(l, by);
}

static enum outcome_class outcome_in(enum route_state state)
{
    return state == ROUTE_SUCCEEDED   ? OUTCOME_SUCCESS
           : state == ROUTE_CANCELLED ? OUTCOME_CANCELLED
                                      : OUTCOME_FAILED;
}

static bool is_end(enum route_state state)
{
    return state == ROUTE_SUCCEEDED || state == ROUTE_FAILED || state == ROUTE_CANCELLED;
}

void lane_ended(struct lane *l, const struct lane_end *end)
{
    struct lane_end how = *end;
    const struct ending_row *row;

    how.cause = cause_in(l, end->cause);
    row = lane_ending(&how, l->asked ? l->asked_for : CAUSE_EXITED, l->killed);
    if (!is_end(l->state)) {
        l->exit_code = lane_exit_code(row, end);
        l->nowhere =
            row->ending == ENDING_UNAVAILABLE || (row->stopped && l->state == ROUTE_QUEUED);
    }
    l->person |= how.cause == CAUSE_CANCELLED;
    if (go_to_end(l, row)) {
        l->failure = row->failure;
        l->outcome = outcome_in(l->state);
    } else if (l->exit_code == 0) {
        l->exit_code = STATUS_FAILED;
    }
    say_ended(l, end->why_lost);
}
