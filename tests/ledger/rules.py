#!/usr/bin/env python3
"""rules: which execution an event belongs to, whether it is a second one, and what may follow what.

usage: rules.py [--postgres] WRIT      prints TAP
"""
import copy
import functools
import itertools
import json
import re
import sys
import uuid

import ledger
from ledger import ABSENT, BLOCKED, STATES, same, stamp, true

CASES = []
case = ledger.collector(CASES)

UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
EDGES = {  # section 4, and A02-4: from, to -> how the attempt goes on
    ("planned", "running"): "same",
    ("running", "succeeded"): "same",
    ("running", "failed"): "same",
    ("running", "cancelled"): "same",
    ("failed", "planned"): "higher",
    ("failed", "running"): "higher",
}
RETRY = {"code": "VALIDATION_ERROR", "message": "try again", "retryable": True}


# ---- identity ----

@case
def R_002_002_R_002_013_tenant_robot_and_id_together_name_an_execution(place):
    owners = [{"tenantId": t, "robotId": r} for t in ("t-1", "t-2") for r in ("r-1", "r-2")]
    ids = place.accept(*(place.event(state, **owner) for owner in owners
                         for state in ("planned", "running")))
    same(len(set(ids)), 8)
    place.accept(place.event("succeeded", **owners[0]))
    for owner in owners[1:]:  # what one came to binds no other
        place.accept(place.event("failed", **owner))
    place.refuse("INVALID_TRANSITION", place.event("failed", **owners[0]))


@case
def R_002_014_R_002_015_attempt_and_state_tell_the_events_of_an_execution_apart(place):
    failed = {"error": RETRY}
    ids = place.accept(place.event("planned"), place.event("running"), place.event("failed", **failed),
                       place.event("planned", attempt=2), place.event("running", attempt=2),
                       place.event("failed", attempt=2, **failed), place.event("running", attempt=9),
                       place.event("succeeded", attempt=9))
    same(len(set(ids)), 8)
    entries = place.log("--kind", "execution_event")
    same([(entry["attempt"], entry["state"]) for entry in entries],
         [(1, "planned"), (1, "running"), (1, "failed"), (2, "planned"), (2, "running"),
          (2, "failed"), (9, "running"), (9, "succeeded")])


@case
def R_002_003_R_002_005_R_002_006_an_event_is_an_entry_that_keeps_all_of_it(place):
    event = place.event("planned", workflowVersion="w-7", agentVersion="a-9", externalRefs={"url": "x"},
                        durationMs=1.5)
    id, = place.accept(event)
    entry = place.entry(id)
    same(entry["body"], event)
    same((entry["kind"], entry["subject"], entry["tenant"], entry["robot"], entry["state"],
          entry["attempt"], entry["policy"]),
         ("execution_event", "exec-1", "t-1", "r-1", "planned", 1, "block"), entry)
    same((entry["ledger_id"], entry["createdAt"], entry["erased"]), (id, event["createdAt"], False), entry)


@case
def R_002_004_an_execution_without_an_id_is_given_one(place):
    first, second = place.append(place.event(executionId=ABSENT), place.event(executionId=ABSENT))
    for answer in (first, second):
        same(answer["status"], "appended", answer)
        true(UUID.fullmatch(answer["execution"]), answer)
        same(place.entry(answer["ledger_id"])["body"]["payload"]["executionId"], answer["execution"])
    true(first["execution"] != second["execution"], (first, second))


@case
def A02_10_what_the_ledger_is_left_to_say_is_in_the_entry(place):
    event = place.event(createdAt=ABSENT, snapshotAt=ABSENT, coherenceStatus=ABSENT)
    id, = place.accept(event)
    entry = place.entry(id)
    same(entry["body"]["payload"]["snapshotAt"], place.base[1])  # A02-20: of the newest it rests on
    same(entry["body"]["payload"]["coherenceStatus"], "coherent")
    same(entry["body"]["createdAt"], entry["createdAt"])
    true(place.base[1] <= entry["createdAt"] <= entry["recordedAt"], entry)


@case
def A02_10_the_moment_of_recording_never_goes_back(place):
    old = "2001-01-01T00:00:00.000Z"
    place.chain("exec-1", *STATES[:3])
    place.accept(place.event(execution="exec-2", createdAt=stamp(ledger.instant(place.base[1]) + 5)))
    moments = [entry["recordedAt"] for entry in place.log()]
    same(moments, sorted(moments))
    true(moments[0] > old, moments)


@case
def R_002_008_R_002_009_A02_18_a_rerun_is_another_execution_that_names_the_first(place):
    place.chain("exec-1", "planned", "running", "failed")
    place.chain("exec-2", *STATES[:3], rerunOfExecutionId="exec-1")
    first, second = (place.one("show", name) for name in ("exec-1", "exec-2"))
    same((first["state"], first["attempt"], first["reruns"]), ("failed", 1, ["exec-2"]), first)
    same((second["state"], second["rerun_of"]), ("succeeded", "exec-1"), second)


# ---- the same event again ----

def as_often(place, answers, id):
    """Every answer says: that is the entry there was."""
    for answer in answers:
        same((answer["status"], answer["ledger_id"]), ("duplicate", id), answer)
    same(len(place.log("--kind", "execution_event")), 1)


@case
def R_002_007_R_002_016_the_same_event_again_is_the_same_entry(place):
    event = place.event()
    id, = place.accept(event)
    as_often(place, place.append(*[event] * 5), id)
    as_often(place, [place.append(event)[0] for _ in range(3)], id)
    same(place.rejects(), [])


@case
def R_002_016_A02_6_when_it_was_sent_and_how_it_was_written_does_not_matter(place):
    event = place.event(durationMs=100, result={"ä": [1, 2.5], "b": None, "a": "\u2028"})
    id, = place.accept(event)
    later = event | {"createdAt": stamp(ledger.instant(event["createdAt"]) + 60000)}
    turned = {name: event[name] for name in reversed(event)}
    turned["payload"] = {name: event["payload"][name] for name in reversed(event["payload"])}
    spaced = json.dumps(event, separators=(" , ", " :\t")).encode()
    number = json.dumps(event).replace('"durationMs": 100', '"durationMs": 1.00E2').encode()
    answers = place.append(later, turned, spaced, number, policy="draft_only")  # A02-14
    as_often(place, answers, id)


@case
def R_002_010_R_002_016_A02_6_lineage_is_a_set(place):
    base = place.base[0]
    ids = [place.enter({"n": n}, f"subject-{n}")["ledger_id"] for n in range(3)]
    moment = place.entry(ids[-1])["createdAt"]
    orders = [list(order) for order in itertools.permutations(ids)] + [ids + ids[:2]]
    events = [place.event(dependsOnLedgerIds=order, snapshotAt=moment, createdAt=moment)
              for order in orders]
    id, = place.accept(events[0])
    as_often(place, place.append(*events), id)
    for some in (ids[:2], ids + [base]):
        place.refuse("IDEMPOTENCY_CONFLICT", place.event(dependsOnLedgerIds=some, snapshotAt=moment,
                                                         createdAt=moment))


def changed(value):
    """Values of the same type that are not this one."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, (int, float)):
        return [value + 1, value + 0.5]
    if isinstance(value, str):
        return [value + "x", value.upper() if value.upper() != value else value.lower()]
    return [{"more": 1}, value | {"more": None}] if value != {"more": 1} else [{}]


@case
def R_002_017_any_difference_in_the_payload_is_a_conflict(place):
    earlier = place.base_of("partial")
    late = place.entry(place.enter({"late": 1}, "late")["ledger_id"])["createdAt"]
    event = place.event("failed", coherenceStatus="partial", error=BLOCKED, durationMs=7, externalRefs={"a": 1},
                        cancelReason="why", extra={"deep": [1, {"x": 2}]}, snapshotAt=late,
                        createdAt=stamp(ledger.instant(late) + 60000))
    id, = place.accept(event)
    values = {name: changed(event["payload"][name]) for name in event["payload"]
              if name not in ("executionId", "executionContractVersion", "attempt", "snapshotAt",
                              "coherenceStatus", "error")}
    values |= {"error": [BLOCKED | {"message": "other"}, BLOCKED | {"more": 1}],
               "snapshotAt": [earlier[1], stamp(ledger.instant(late) + 1)], "coherenceStatus": ["stale"],
               "extra": [{"deep": [1, {"x": 3}]}, {"deep": [{"x": 2}, 1]}, None, ABSENT],
               "durationMs": [7.0000001, ABSENT], "cancelReason": ["", ABSENT], "externalRefs": [{}, ABSENT]}
    true(len(values) >= 12, values)
    variants = []
    for name, new in values.items():
        for value in new:
            variant = copy.deepcopy(event)
            variant["payload"][name] = value
            if value is ABSENT:
                del variant["payload"][name]
            variants.append(variant)
    variants += [copy.deepcopy(event) | {"payload": event["payload"] | {"new": None}}]
    for variant, answer in zip(variants, place.append(*variants), strict=True):
        same((answer["status"], answer.get("code")), ("refused", "IDEMPOTENCY_CONFLICT"), (variant, answer))
    as_often(place, place.append(event), id)
    same(len(place.rejects()), len(variants))


@case
def R_002_018_any_difference_in_the_lineage_is_a_conflict(place):
    base = place.base[0]
    more = place.enter({"b": 2}, "more")["ledger_id"]
    moment = place.entry(more)["createdAt"]
    times = {"snapshotAt": moment, "createdAt": moment}
    event = place.event(rerunOfExecutionId="exec-0", **times)
    event["lineage"]["note"] = {"x": 1}
    id, = place.accept(event)
    for change in ({"dependsOnLedgerIds": [more]}, {"dependsOnLedgerIds": [base, more]},
                   {"rerunOfExecutionId": "exec-00"}, {"rerunOfExecutionId": ""}, {"note": {"x": 2}},
                   {"note": None}, {"another": 1}):
        variant = copy.deepcopy(event)
        variant["lineage"] |= change
        true(place.refuse("IDEMPOTENCY_CONFLICT", variant)["pointer"].startswith(f"/lineage/{list(change)[0]}"))
    for name in ("rerunOfExecutionId", "note"):
        variant = copy.deepcopy(event)
        del variant["lineage"][name]
        place.refuse("IDEMPOTENCY_CONFLICT", variant, "/lineage")
    as_often(place, place.append(event), id)


MISSING = "which is missing here"
DIFFERENT = [  # where, what stands there instead, the place that is named, and what is said of it
    (("payload", "target"), "other", "/payload/target", "with another value here"),
    (("payload", "durationMs"), 7.5, "/payload/durationMs", "with another value here"),
    (("payload", "durationMs"), "7", None, None),  # no event at all
    (("payload", "own", "a~/b", 1, "x"), 3, "/payload/own/a~0~1b/1/x", "with another value here"),
    (("payload", "own", "a~/b"), [1], "/payload/own/a~0~1b", "with more items here"),
    (("payload", "own", "a~/b"), [1, {"x": 2}, 0], "/payload/own/a~0~1b/2", "without this item"),
    (("payload", "own"), [1], "/payload/own", "with another value here"),
    (("payload", "own"), ABSENT, "/payload", f"with 'own', {MISSING}"),
    (("payload", "new"), None, "/payload/new", "without this member"),
    (("lineage", "rerunOfExecutionId"), "exec-00", "/lineage/rerunOfExecutionId", "with another value here"),
    (("lineage", "rerunOfExecutionId"), ABSENT, "/lineage", f"with 'rerunOfExecutionId', {MISSING}"),
    (("lineage", "new"), [], "/lineage/new", "without this member"),
]


@case
def R_002_017_R_002_018_a_conflict_is_pointed_at(place):
    base = place.base[0]
    event = place.event(rerunOfExecutionId="exec-0", durationMs=7, own={"a~/b": [1, {"x": 2}]})
    more = place.enter({"b": 2}, "more")["ledger_id"]
    event["payload"]["snapshotAt"] = event["createdAt"] = place.entry(more)["createdAt"]
    event["lineage"]["dependsOnLedgerIds"] = [base]
    rows = DIFFERENT + [
        (("lineage", "dependsOnLedgerIds"), [base, more, base], "/lineage/dependsOnLedgerIds/1", "without this id"),
        (("lineage", "dependsOnLedgerIds"), [more], None, "IDs"),
    ]
    variants = []
    for path, value, _, _ in rows:
        variant = copy.deepcopy(event)
        at = functools.reduce(lambda tree, name: tree[name], path[:-1], variant)
        at[path[-1]] = value
        if value is ABSENT:
            del at[path[-1]]
        variants.append(variant)
    # What came in one batch with the event is told the same as what came later.
    together = place.append(event, *variants)
    same(together[0]["status"], "appended", together[0])
    for answers in (together[1:], place.append(*variants)):
        for (path, _, pointer, how), answer in zip(rows, answers, strict=True):
            if how == "IDs":  # either of two ids may be the first that differs
                true(answer["pointer"] in ("/lineage/dependsOnLedgerIds", "/lineage/dependsOnLedgerIds/0"), answer)
            elif how:
                same((answer["pointer"], answer["code"]), (pointer, "IDEMPOTENCY_CONFLICT"), (path, answer))
                same(answer["message"], f"{together[0]['ledger_id']} already says what attempt 1 came to as "
                     f"'planned', {how}", answer)
            else:
                same(answer["code"], "VALIDATION_ERROR", answer)
    place.refuse("IDEMPOTENCY_CONFLICT", event | {"lineage": event["lineage"] | {"dependsOnLedgerIds": [base, more]}},
                 "/lineage/dependsOnLedgerIds/1")
    same({reject["pointer"] for reject in place.rejects()} >= {"/payload/target", "/lineage/new"}, True)


@case
def A02_6_a_lineage_that_lacks_an_id_is_pointed_at(place):
    base = place.base[0]
    more = place.enter({"b": 2}, "more")["ledger_id"]
    moment = place.entry(more)["createdAt"]
    times = {"snapshotAt": moment, "createdAt": moment}
    place.accept(place.event(dependsOnLedgerIds=[base, more], **times))
    answer = place.refuse("IDEMPOTENCY_CONFLICT", place.event(dependsOnLedgerIds=[more, more], **times),
                          "/lineage/dependsOnLedgerIds")
    true(answer["message"].endswith(f"with '{base}', {MISSING}"), answer)


@case
def A02_9_members_nobody_knows_are_kept(place):
    event = place.event(own={"a": [1, 2]}) | {"zone": "x"}
    event["lineage"]["why"] = "because"
    id, = place.accept(event)
    same(place.entry(id)["body"], event)
    # Beside payload and lineage they do not decide what is the same; the first writer's are kept.
    answer, = place.append(event | {"zone": "y", "other": 1})
    same((answer["status"], answer["ledger_id"], place.entry(id)["body"]), ("duplicate", id, event), answer)
    for part in ("payload", "lineage"):
        place.refuse("IDEMPOTENCY_CONFLICT", event | {part: event[part] | {"other": 1}})


# ---- states ----

def taken_to(place, execution, state):
    """Events that bring an execution to this state in its second attempt."""
    way = {"planned": ["planned"], "running": ["planned", "running"]}.get(state, ["planned", "running", state])
    first = [place.event(s, execution, **({"error": RETRY} if s == "failed" else {}))
             for s in ("planned", "running", "failed")]
    return first + [place.event(s, execution, attempt=2, **({"error": RETRY} if s == "failed" else {}))
                    for s in way]


def outcome(there, last, to, attempt):
    """What sections 3 and 4 say to an event after these."""
    if (attempt, to) in there:
        return "duplicate", None
    how = EDGES.get((last, to))
    if how == "same" and attempt == 2 or how == "higher" and attempt > 2:
        return "appended", None
    return "refused", "INVALID_TRANSITION"


@case
def R_002_015_R_002_020_R_002_021_R_002_022_R_002_023_R_002_024_R_002_025_R_002_026_R_002_027_every_pair(place):
    events, expected = [], []
    for last, to, attempt in itertools.product(STATES, STATES, (1, 2, 3, 7)):
        execution = f"{last}-{to}-{attempt}"
        before = taken_to(place, execution, last)
        there = {(event["payload"]["attempt"], event["state"]) for event in before}
        events += before
        expected += [("appended", None)] * len(before)
        more = {"error": RETRY} if to == "failed" else {}
        events.append(place.event(to, execution, attempt=attempt, **more))
        expected.append(outcome(there, last, to, attempt))
    for event, answer, verdict in zip(events, place.append(*events), expected, strict=True):
        same((answer["status"], answer.get("code")), verdict, (event["payload"], answer))
    same(len(place.log("--kind", "execution_event")), sum(status == "appended" for status, _ in expected))


@case
def R_002_028_R_002_029_nothing_follows_an_end(place):
    for end in ("succeeded", "cancelled"):
        place.chain(end, "planned", "running", end)
        for state, attempt in itertools.product(STATES, (1, 2, 100)):
            if attempt > 1 or state not in ("planned", "running", end):
                place.refuse("INVALID_TRANSITION", place.event(state, end, attempt=attempt))


@case
def R_002_020_A02_2_an_execution_begins_as_planned_in_attempt_1(place):
    for state, attempt in itertools.product(STATES, (1, 2, 3)):
        if (state, attempt) != ("planned", 1):
            place.refuse("INVALID_TRANSITION", place.event(state, f"{state}-{attempt}", attempt=attempt))
    same(place.log("--kind", "execution_event"), [])
    place.accept(place.event())


@case
def R_002_008_A02_3_what_is_not_retryable_is_not_tried_again(place):
    place.chain("exec-1", "planned", "running")
    place.accept(place.event("failed", error=RETRY | {"retryable": False}))
    for state in ("planned", "running"):
        place.refuse("INVALID_TRANSITION", place.event(state, attempt=2))


@case
def R_002_020_A02_3_an_event_of_an_earlier_attempt_is_no_retry(place):
    place.chain("exec-1", "planned", "running", "failed")
    place.accept(*(place.event(state, attempt=2) for state in ("planned", "running")),
                 place.event("failed", attempt=2, error=RETRY | {"retryable": False}))
    place.refuse("INVALID_TRANSITION", place.event("cancelled", attempt=1), "/state")
    place.refuse("INVALID_TRANSITION", place.event("cancelled", attempt=1, coherenceStatus="partial"), "/state")


@case
def A02_17_an_error_may_have_any_code(place):
    for n, code in enumerate(("IDEMPOTENCY_CONFLICT", "MODEL_OUTPUT_INVALID", "VALIDATION_ERROR", "tool said no")):
        place.chain(f"e-{n}", "planned", "running")
        place.accept(place.event("failed", f"e-{n}", error=RETRY | {"code": code}))


# ---- what an event rests on ----

@case
def R_002_052_check_and_append_have_one_verdict_of_what_is_left_out(place):
    left = ("snapshotAt", "coherenceStatus", "createdAt", "executionId", "target", "attempt", "tenantId", "state")
    for n, name in enumerate(left):
        event = place.event(execution=f"e-{n}")
        for part in (event, event["payload"]):
            part.pop(name, None)
        run = place.writ("check", "--as", "event", place.put("event.json", ledger.text_of(event)))
        answer, = place.append(event)
        same(run.status == 0, answer["status"] == "appended", (name, run, answer))
        same(run.status == 0, n < 4, (name, run))


@case
def R_002_068_A02_11_what_an_event_rests_on_is_there(place):
    stranger = f"led-{uuid.uuid4()}"
    for ids in (["led-100", "led-200"], [stranger], [place.base[0], stranger], ["x"], [place.base[0] + " "],
                [place.base[0].upper()], [place.base[0][4:]]):
        answer = place.refuse("LINEAGE_MISSING", place.event(dependsOnLedgerIds=ids))
        true(answer["pointer"].startswith("/lineage/dependsOnLedgerIds"), answer)
    same(place.log("--kind", "execution_event"), [])


@case
def R_002_011_R_002_068_what_an_event_rests_on_is_not_newer_than_its_snapshot(place):
    moment = ledger.instant(place.base[1])
    for ms in (1, 1000, 86400000):
        place.refuse("LINEAGE_LATER", place.event(snapshotAt=stamp(moment - ms)))
    place.accept(place.event(snapshotAt=stamp(moment)))
    for n, later in enumerate((stamp(moment + 1), stamp(moment + 5000))):
        place.accept(place.event(execution=f"later-{n}", snapshotAt=later, createdAt=later))
    sub = place.base[1].removesuffix("Z")
    place.refuse("LINEAGE_LATER", place.event(execution="sub", snapshotAt=stamp(moment - 1)[:-1] + "999Z"))
    place.accept(place.event(execution="sub", snapshotAt=sub + "000001Z", createdAt=sub + "000001Z"))


@case
def R_002_068_an_event_may_rest_on_events_too(place):
    id, = place.accept(place.event())
    events = [place.event(execution="exec-2", dependsOnLedgerIds=[id]),
              place.event(execution="exec-3", dependsOnLedgerIds=[id, place.base[0]])]
    two, three = place.accept(*events)
    shown = place.one("show", id)
    same(sorted(entry["ledger_id"] for entry in shown["used_by"]), sorted([two, three]), shown)
    same([entry["ledger_id"] for entry in shown["rests_on"]], [place.base[0]], shown)


@case
def R_002_066_A02_19_times_are_compared_as_moments_not_as_text(place):
    moment = place.base[1]
    east = f"{moment.removesuffix('Z')}+00:00"
    place.accept(place.event(snapshotAt=east, createdAt=moment))
    shifted = stamp(ledger.instant(moment) + 7200000).removesuffix("Z") + "+02:00"
    place.accept(place.event(execution="exec-2", snapshotAt=shifted, createdAt=moment))
    place.refuse("VALIDATION_ERROR", place.event(execution="exec-3", snapshotAt=stamp(ledger.instant(moment) + 1)),
                 "/payload/snapshotAt")
    place.refuse("VALIDATION_ERROR", place.event(execution="exec-3", createdAt=moment[:10]), "/createdAt")


if __name__ == "__main__":
    sys.exit(ledger.main(CASES))
