/* SPDX-License-Identifier: Apache-2.0 */
/* event_rules.c: what must hold between the fields of an event (contract 002, section 7). */
#include "contract/event_rules.h"

#include "base/stamp.h"
#include "contract/event_doc.h"

/* A member of the payload, or the payload itself; where there is no payload, no rule comes here. */
static const struct doc *payload_place(const struct doc *d, const char *key)
{
    return doc_place(doc_get(d, "payload"), key);
}

static bool state_is(const struct event_doc *ev, enum event_state state)
{
    return ev->payload && ev->state == (int)state;
}

/* What is there but wrong was reported by its row. */
static bool left_out(const struct doc *d, const char *key)
{
    return !doc_get(doc_get(d, "payload"), key);
}

void event_snapshot_order(const struct doc *d, const void *event, struct report *r)
{
    const struct event_doc *ev = event;
    struct stamp snapshot, created;
    const char *why;

    if (!ev->payload || !ev->payload->snapshotAt.s || !ev->createdAt.s)
        return;
    if (!stamp_read(ev->payload->snapshotAt, &snapshot, &why) ||
        !stamp_read(ev->createdAt, &created, &why))
        return;
    if (stamp_cmp(&snapshot, &created) > 0)
        report_add(r, ABOUT_VALUE, payload_place(d, "snapshotAt"), CODE_VALIDATION_ERROR,
                   "snapshotAt %.*s is later than createdAt %.*s; it must not be",
                   STR_ARG(ev->payload->snapshotAt), STR_ARG(ev->createdAt));
}

void event_repeats_another(const struct doc *d, const void *event, struct report *r)
{
    const struct event_doc *ev = event;

    if (ev->payload && ev->lineage && ev->payload->executionId.n &&
        str_eq(ev->lineage->rerunOfExecutionId, ev->payload->executionId))
        report_add(r, ABOUT_VALUE, doc_place(doc_get(d, "lineage"), "rerunOfExecutionId"),
                   CODE_VALIDATION_ERROR,
                   "an execution cannot repeat itself: a rerun has an executionId of its own");
}

void event_failed_has_error(const struct doc *d, const void *event, struct report *r)
{
    const struct event_doc *ev = event;

    if (state_is(ev, EVENT_FAILED) && !ev->payload->error && left_out(d, "error"))
        report_add(r, ABOUT_VALUE, payload_place(d, "error"), CODE_VALIDATION_ERROR,
                   "a failed event needs payload.error");
}

void event_cancelled_has_reason(const struct doc *d, const void *event, struct report *r)
{
    const struct event_doc *ev = event;

    if (state_is(ev, EVENT_CANCELLED) && !ev->payload->cancelReason.s &&
        left_out(d, "cancelReason"))
        report_add(r, ABOUT_VALUE, payload_place(d, "cancelReason"), CODE_VALIDATION_ERROR,
                   "a cancelled event needs payload.cancelReason");
}

void event_succeeded_has_result(const struct doc *d, const void *event, struct report *r)
{
    const struct event_doc *ev = event;

    if (state_is(ev, EVENT_SUCCEEDED) && !ev->payload->result && left_out(d, "result"))
        report_add(r, ABOUT_ODD, payload_place(d, "result"), CODE_RESULT_MISSING,
                   "a succeeded event should have payload.result");
}

void event_ended_badly_has_no_result(const struct doc *d, const void *event, struct report *r)
{
    const struct event_doc *ev = event;

    if ((state_is(ev, EVENT_FAILED) || state_is(ev, EVENT_CANCELLED)) && ev->payload->result)
        report_add(r, ABOUT_VALUE, payload_place(d, "result"), CODE_VALIDATION_ERROR,
                   "a %s event must not have payload.result", event_state_names[ev->state]);
}

void event_stale_is_blocked(const struct doc *d, const void *event, struct report *r)
{
    const struct event_doc *ev = event;
    const struct event_error *error;

    if (!ev->payload || ev->payload->coherenceStatus != COHERENCE_STALE)
        return;
    if (ev->state != CHOICE_NONE && ev->state != EVENT_FAILED)
        report_add(r, ABOUT_VALUE, doc_get(d, "state"), CODE_VALIDATION_ERROR,
                   "a stale event must be failed, not %s", event_state_names[ev->state]);
    error = ev->payload->error;
    if (!error)
        return;
    if (error->code.s && !str_is(error->code, codes[CODE_COHERENCE_BLOCKED].name))
        report_add(r, ABOUT_VALUE, doc_get(payload_place(d, "error"), "code"),
                   CODE_VALIDATION_ERROR, "a stale event has error.code %s, not %s",
                   codes[CODE_COHERENCE_BLOCKED].name, said(error->code, r->a));
    if (error->retryable)
        report_add(r, ABOUT_VALUE, doc_get(payload_place(d, "error"), "retryable"),
                   CODE_VALIDATION_ERROR, "a stale event has error.retryable false, not true");
}

void event_error_is_expected(const struct doc *d, const void *event, struct report *r)
{
    const struct event_doc *ev = event;

    if (ev->payload && ev->payload->error && ev->state != CHOICE_NONE && ev->state != EVENT_FAILED)
        report_add(r, ABOUT_ODD, payload_place(d, "error"), CODE_ERROR_UNEXPECTED,
                   "a %s event carries an error; only failed ones should",
                   event_state_names[ev->state]);
}
