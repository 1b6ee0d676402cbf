#!/usr/bin/env python3
"""gate: what the coherence of its inputs lets an execution come to.

usage: gate.py [--postgres] WRIT      prints TAP
"""
import itertools
import sys
import time

import ledger
import vault
from ledger import ABSENT, BLOCKED, REVIEW, STATES, same, stamp, true

CASES = []
case = ledger.collector(CASES)

ALL = list(itertools.product(("coherent", "partial", "stale"), ("block", "draft_only"), (True, False)))
RUNS = [("coherent", "block", True), ("coherent", "draft_only", True), ("partial", "draft_only", True)]
STOPPED = {  # cells in which nothing may run: what the gate says in place of running
    ("coherent", "block", False): "COHERENCE_GATE_PLANNED_ONLY",
    ("coherent", "draft_only", False): "COHERENCE_GATE_PLANNED_ONLY",
    ("partial", "block", True): "COHERENCE_BLOCKED",
    ("partial", "block", False): "COHERENCE_BLOCKED",
    ("partial", "draft_only", False): "PARTIAL_REQUIRES_REVIEW",
    ("stale", "block", True): "COHERENCE_BLOCKED",
    ("stale", "block", False): "COHERENCE_BLOCKED",
    ("stale", "draft_only", True): "COHERENCE_BLOCKED",
    ("stale", "draft_only", False): "COHERENCE_BLOCKED",
}

UNSAID = {"coherenceStatus": ABSENT, "snapshotAt": ABSENT, "createdAt": ABSENT}  # left to the ledger


def name_of(cell, *more):
    return "-".join(map(str, (*cell, *more)))


def fields(cell):
    return {"coherenceStatus": cell[0], "dryRun": cell[2]}


def verdicts(place, cell, execution, **more):
    """What a gate could write: blocked, and to be reviewed."""
    return [place.verdict(execution, **fields(cell) | more), place.review(execution, **fields(cell) | more)]


def fits(cell, event):
    """Is this what section 5 wants written in this cell?"""
    code = STOPPED.get(cell)
    return (code == "COHERENCE_BLOCKED" and event["state"] == "failed" or
            code == REVIEW and event["state"] == "cancelled")


@case
def R_002_001_R_002_036_the_matrix_is_the_contract_s_own_and_nothing_here_changes_it(place):
    place.put(".writ/config.yaml", "gate: open\npolicy: draft_only\n")
    for env in ({}, {"WRIT_POLICY": "draft_only", "WRIT_GATE": "open"}):
        table, = (t for t in place.one("explain", "gate", env=env)["tables"] if t["table"] == "gate")
        rows = {(row["coherence"], row["policy"], row["dry_run"]): row for row in table["rows"]}
        same(set(rows), set(ALL))
        same(len(table["rows"]), len(ALL))
        for cell, row in rows.items():
            same((row["runs"], row["code"]), (cell in RUNS, STOPPED.get(cell, "")), row)
            same(row["draft"], cell == ("partial", "draft_only", True), row)
        place.refuse("COHERENCE_BLOCKED", place.event(coherenceStatus="partial"))


@case
def R_002_030_R_002_033_what_may_run_may_succeed_fail_and_be_cancelled(place):
    for cell, end in itertools.product(RUNS, STATES[2:]):
        for state in ("planned", "running", end):
            answer, = place.append(place.event(state, name_of(cell, end), **fields(cell)), policy=cell[1])
            same((answer["status"], answer.get("draft", False)), ("appended", cell[0] == "partial"), answer)


@case
def R_002_031_coherent_work_that_would_publish_stays_planned(place):
    for cell in (cell for cell in ALL if cell[0] == "coherent" and not cell[2]):
        place.accept(place.event("planned", name_of(cell), **fields(cell)), policy=cell[1])
        place.refuse("COHERENCE_GATE_PLANNED_ONLY", place.event("running", name_of(cell), **fields(cell)),
                     policy=cell[1])
        for end in STATES[2:]:
            place.refuse("INVALID_TRANSITION", place.event(end, name_of(cell), **fields(cell)), policy=cell[1])
        same(place.one("show", name_of(cell))["state"], "planned")


@case
def R_002_032_R_002_034_R_002_036_what_the_gate_stops_is_not_even_planned(place):
    for cell in (cell for cell in STOPPED if cell[0] == "partial"):
        place.refuse(STOPPED[cell], place.event("planned", name_of(cell), **fields(cell)), policy=cell[1])
    same(place.log("--kind", "execution_event"), [])


@case
def R_002_032_R_002_034_R_002_035_R_002_036_A02_2_the_gate_writes_what_the_cell_says_and_nothing_else(place):
    for cell in ALL:
        for n, event in enumerate(verdicts(place, cell, name_of(cell))):
            answer, = place.append(event | {"payload": event["payload"] | {"executionId": name_of(cell, n)}},
                                   policy=cell[1])
            same(answer["status"], "appended" if fits(cell, event) else "refused", (cell, event, answer))
    same(len(place.log("--kind", "execution_event")), sum(1 for cell in ALL if STOPPED.get(cell) in
                                                          ("COHERENCE_BLOCKED", REVIEW)))


@case
def R_002_032_R_002_035_A02_12_what_the_gate_blocked_is_not_retryable(place):
    for cell in (cell for cell in ALL if STOPPED.get(cell) == "COHERENCE_BLOCKED"):
        for error in (BLOCKED | {"retryable": True}, BLOCKED | {"code": "MODEL_OUTPUT_INVALID"}):
            answer, = place.append(place.verdict(name_of(cell), **fields(cell), error=error), policy=cell[1])
            same(answer["status"], "refused", (cell, error, answer))
        place.accept(place.verdict(name_of(cell), **fields(cell)), policy=cell[1])
        for state, attempt in itertools.product(("planned", "running"), (2, 3)):
            place.refuse("INVALID_TRANSITION", place.event(state, name_of(cell), attempt=attempt))


@case
def a_duplicate_is_told_as_it_is_stored_whatever_policy_it_is_sent_with(place):
    cell = "partial", "block", True
    for policy, event in (("block", place.verdict("blocked", **fields(cell))),
                          ("draft_only", place.event("planned", "drafted", **fields(cell)))):
        for sent, status in ((policy, "appended"), ("block", "duplicate"), ("draft_only", "duplicate")):
            answer, = place.append(event, policy=sent)
            same((answer["status"], answer.get("draft", False)), (status, policy == "draft_only"), (sent, answer))
    both = [place.event(state, "both", **fields(cell)) for state in ("planned", "running")]
    place.accept(*both, policy="draft_only")
    for answer in place.append(*both, *both, policy="block"):
        same((answer["status"], answer["draft"]), ("duplicate", True), answer)


@case
def R_002_034_what_waits_for_review_says_so(place):
    cell = "partial", "draft_only", False
    for reason in ("a person asked", "", "partial_requires_review", "PARTIAL_REQUIRES_REVIEW "):
        answer, = place.append(place.review("e", cancelReason=reason), policy="draft_only")
        same(answer["status"], "refused", (reason, answer))
    place.accept(place.review(name_of(cell)), policy="draft_only")


@case
def R_002_073_R_002_074_R_002_075_stale_is_failed_blocked_and_not_retryable_under_any_policy(place):
    for (_, policy, dry), state in itertools.product(ALL[8:], STATES):
        if state != "failed":
            place.refuse("VALIDATION_ERROR", place.event(state, "s", coherenceStatus="stale", dryRun=dry),
                         "/state", policy=policy)
    for error, pointer in ((BLOCKED | {"code": "X"}, "/payload/error/code"),
                           (BLOCKED | {"retryable": True}, "/payload/error/retryable")):
        place.refuse("VALIDATION_ERROR", place.verdict("s", coherenceStatus="stale", error=error), pointer)


@case
def A02_1_COHERENCE_BLOCKED_belongs_to_the_gate(place):
    for cell in RUNS:
        for state in ("planned", "running"):
            place.accept(place.event(state, name_of(cell), **fields(cell)), policy=cell[1])
        answer, = place.append(place.event("failed", name_of(cell), **fields(cell), error=BLOCKED), policy=cell[1])
        same(answer["status"], "refused", answer)
        place.accept(place.event("failed", name_of(cell), **fields(cell)), policy=cell[1])


@case
def R_002_033_A02_14_the_policy_is_kept_beside_the_event(place):
    place.accept(place.event(coherenceStatus="partial"), policy="draft_only")
    place.accept(place.event(execution="exec-2"))
    entries = place.log("--kind", "execution_event")
    same([entry["policy"] for entry in entries], ["draft_only", "block"])
    same([set(entry["body"]["payload"]) & {"policy"} for entry in entries], [set(), set()])
    run = place.writ("ledger", "append", "-", "--policy", "shrug", stdin=b"{}")
    same(run.status, 64, run)


# ---- within an attempt, and from one to the next ----

@case
def R_002_011_A02_3_coherence_and_snapshot_do_not_change_within_an_attempt(place):
    later = stamp(ledger.instant(place.base[1]) + 1000)
    changes = {"coherenceStatus": {"coherenceStatus": "partial"}, "dryRun": {"dryRun": False},
               "snapshotAt": {"snapshotAt": later, "createdAt": later}}
    place.accept(place.event(), policy="draft_only")
    for state in ("running", "succeeded"):
        for name, change in changes.items():
            place.refuse("VALIDATION_ERROR", place.event(state, **change), f"/payload/{name}", policy="draft_only")
        place.accept(place.event(state))


@case
def A02_3_a_snapshot_is_held_to_below_the_millisecond_and_to_the_leap_second(place):
    pairs = [("2030-01-01T00:00:00.1234567Z", "2030-01-01T00:00:00.1234568Z"),
             ("2029-12-31T23:59:60Z", "2029-12-31T23:59:59.999Z")]
    for n, (then, now) in enumerate([*pairs, *(pair[::-1] for pair in pairs)]):
        def event(state, moment):
            return place.event(state, f"exec-{n}", snapshotAt=moment, createdAt="2030-01-02T00:00:00Z")
        place.accept(event("planned", then))
        place.refuse("VALIDATION_ERROR", event("running", now), "/payload/snapshotAt")
        place.accept(event("running", then))


@case
def A02_3_the_next_attempt_is_judged_anew(place):
    later = stamp(ledger.instant(place.base[1]) + 1000)
    place.chain("exec-1", "planned", "running", "failed")
    place.accept(place.event("planned", attempt=2, coherenceStatus="partial", snapshotAt=later, createdAt=later),
                 policy="draft_only")


@case
def A02_3_a_retry_found_stale_is_refused_and_kept_as_a_reject(place):
    old = place.enter({"n": 1}, "same")["ledger_id"]
    moment = place.entry(old)["createdAt"]
    rests = {"dependsOnLedgerIds": [old], "snapshotAt": moment, "createdAt": moment}
    place.chain("exec-1", "planned", "running", "failed", **rests)
    place.enter({"n": 2}, "same")
    for n, (state, claimed) in enumerate((("planned", "coherent"), ("running", "coherent"), ("planned", ABSENT),
                                          ("running", "partial"))):
        place.refuse("COHERENCE_BLOCKED", place.event(state, attempt=2, **rests | {"coherenceStatus": claimed}))
        same(len(place.rejects()), n + 1)
    place.refuse("COHERENCE_BLOCKED", place.verdict(attempt=2, **rests | {"coherenceStatus": "stale"}))
    reject = place.rejects()[0]
    same((reject["code"], reject["subject"], reject["tenant"]), ("COHERENCE_BLOCKED", "exec-1", "t-1"), reject)
    same(place.one("show", "exec-1")["attempt"], 1)


@case
def A02_3_what_is_left_out_later_is_what_the_attempt_began_with(place):
    old = place.enter({"n": 1}, "same")["ledger_id"]
    begun = place.event("planned", dependsOnLedgerIds=[old], **UNSAID)
    id, = place.accept(begun)
    place.enter({"n": 2}, "same")  # from here on it would be stale
    answer, = place.append(begun)
    same((answer["status"], answer["ledger_id"]), ("duplicate", id), answer)
    for state in ("running", "succeeded"):
        id, = place.accept(place.event(state, dependsOnLedgerIds=[old], **UNSAID))
        same(place.entry(id)["body"]["payload"]["coherenceStatus"], "coherent")


@case
def A02_3_an_earlier_attempt_that_is_sent_again_is_known(place):
    old = place.enter({"n": 1}, "same")["ledger_id"]
    first = [place.event(state, dependsOnLedgerIds=[old], **UNSAID) for state in ("planned", "running", "failed")]
    ids = place.accept(*first)
    place.accept(place.event("planned", attempt=2, dependsOnLedgerIds=[old], **UNSAID))
    place.enter({"n": 2}, "same")  # from here on it would be stale
    for event, id in zip(first, ids):
        answer, = place.append(event)
        same((answer["status"], answer["ledger_id"]), ("duplicate", id), answer)


@case
def A02_3_a_moment_is_continued_in_the_words_it_began_with(place):
    for n, moment in enumerate(("2029-12-31T23:59:60.25Z", "2030-01-01T01:00:00+01:00", "2030-01-01T00:00:00.1234567Z")):
        def event(state, **more):
            return place.event(state, f"exec-{n}", createdAt=moment, **more)
        place.accept(event("planned", snapshotAt=moment))
        ids = place.accept(event("running", snapshotAt=ABSENT), event("failed", snapshotAt=ABSENT))
        same([place.entry(id)["body"]["payload"]["snapshotAt"] for id in ids], [moment] * 2)
        answer, = place.append(event("planned", snapshotAt=ABSENT))
        same(answer["status"], "duplicate", answer)


@case
def A02_3_what_stands_before_it_in_one_batch_holds_for_it(place):
    moment = stamp(ledger.instant(place.base[1]) + 1)
    times = {"createdAt": moment}
    ids = place.accept(place.event("planned", snapshotAt=moment, **times),
                       place.event("running", snapshotAt=ABSENT, coherenceStatus=ABSENT, **times),
                       place.event("succeeded", snapshotAt=ABSENT, coherenceStatus=ABSENT, **times))
    same({place.entry(id)["body"]["payload"]["snapshotAt"] for id in ids}, {moment})


@case
def R_002_012_A02_20_an_event_of_the_same_batch_overtakes_as_one_before_it_does(place):
    between, = place.accept(place.event("planned", "between"))
    answers = place.append(place.event("running", "between"),
                           place.event("planned", "after", dependsOnLedgerIds=[between], **UNSAID),
                           place.event("succeeded", "between"))
    same([(answer["status"], answer.get("code")) for answer in answers],
         [("appended", None), ("refused", "COHERENCE_BLOCKED"), ("appended", None)])
    place.verify()


@case
def R_002_012_A02_20_many_that_leave_it_to_the_ledger_stand_in_one_batch(place):
    events = [place.event(state, f"exec-{n}", **UNSAID) for n in range(200) for state in ("planned", "running")]
    same(len(set(place.accept(*events))), 400)
    same([answer["status"] for answer in place.append(*events)], ["duplicate"] * 400)
    place.verify()


# ---- coherence as the ledger sees it: A02-20 ----

@case
def R_002_012_a_claim_that_differs_from_what_the_ledger_computes_is_refused_with_both(place):
    for computed in ("coherent", "partial", "stale"):
        id, moment = place.base_of(computed)
        rests = {"dependsOnLedgerIds": [id], "snapshotAt": moment, "createdAt": moment}
        for claimed in {"coherent", "partial", "stale"} - {computed}:
            event = place.verdict if claimed == "stale" else place.event
            for policy in ("block", "draft_only"):
                answer = place.refuse("VALIDATION_ERROR", event(execution="e", **rests | {"coherenceStatus": claimed}),
                                      "/payload/coherenceStatus", policy=policy)
                true(answer["message"].startswith(f"coherenceStatus is {claimed}, and the ledger computes {computed}"),
                     answer)
                true(computed == "coherent" or id in answer["message"], answer)
    same(place.log("--kind", "execution_event"), [])


@case
def R_002_012_R_002_033_inputs_that_are_missing_are_partial_and_the_policy_decides(place):
    id = place.enter({"n": 1}, "mine")["ledger_id"]
    between, = place.accept(place.event(execution="between", dependsOnLedgerIds=[id], **UNSAID))
    place.one("ledger", "erase", id, "--reason", "a person asked for it")
    for n, ids in enumerate(([id], [between], [place.base[0], id])):
        event = place.event(execution=f"e-{n}", dependsOnLedgerIds=ids, **UNSAID)
        answer = place.refuse("COHERENCE_BLOCKED", event, policy="block")
        true("partial" in answer["message"], answer)
        answer, = place.append(event, policy="draft_only")
        same((answer["status"], answer["draft"]), ("appended", True), answer)
        same(place.entry(answer["ledger_id"])["body"]["payload"]["coherenceStatus"], "partial")
        place.refuse("PARTIAL_REQUIRES_REVIEW", place.event(execution=f"r-{n}", dependsOnLedgerIds=ids, dryRun=False,
                                                           **UNSAID), policy="draft_only")


@case
def R_002_012_an_attempt_that_has_begun_goes_on_with_what_it_began_with(place):
    id = place.enter({"n": 1}, "mine")["ledger_id"]
    moment = place.entry(id)["createdAt"]
    rests = {"dependsOnLedgerIds": [id], "snapshotAt": moment, "createdAt": moment}
    planned = place.event(**rests)
    place.accept(planned)
    place.enter({"n": 2}, "mine")
    place.accept(place.event("running", **rests))
    same(place.append(planned)[0]["status"], "duplicate")
    place.accept(place.event("failed", **rests))

@case
def R_002_012_A02_20_inputs_that_nothing_overtook_are_coherent(place):
    ids = [place.enter({"n": n}, f"subject-{n}")["ledger_id"] for n in range(3)]
    id, = place.accept(place.event(dependsOnLedgerIds=ids, **UNSAID))
    payload = place.entry(id)["body"]["payload"]
    same(payload["coherenceStatus"], "coherent")
    same(payload["snapshotAt"], place.entry(ids[-1])["createdAt"])


@case
def R_002_012_A02_20_an_input_that_was_overtaken_is_stale(place):
    old = place.enter({"n": 1}, "same")["ledger_id"]
    place.enter({"n": 2}, "same")
    place.refuse("COHERENCE_BLOCKED", place.event(dependsOnLedgerIds=[old], **UNSAID))
    id, = place.accept(place.verdict(dependsOnLedgerIds=[old], **UNSAID))
    same(place.entry(id)["body"]["payload"]["coherenceStatus"], "stale")


@case
def R_002_012_A02_20_of_two_inputs_of_one_moment_the_later_entry_overtakes(place):
    first, second = (place.enter({"n": n}, "same") for n in range(2))
    vault.of(place).sql(f"UPDATE entries SET created = (SELECT created FROM entries WHERE seq = {first['seq']})"
                        f" WHERE seq = {second['seq']}")
    first, second = first["ledger_id"], second["ledger_id"]
    same(place.entry(first)["createdAt"], place.entry(second)["createdAt"])
    place.refuse("COHERENCE_BLOCKED", place.event(execution="on-first", dependsOnLedgerIds=[first], **UNSAID))
    place.accept(place.event(execution="on-second", dependsOnLedgerIds=[second], **UNSAID))


@case
def R_002_012_A02_20_what_rests_on_an_overtaken_input_is_stale_one_hop_away(place):
    old = place.enter({"n": 1}, "same")["ledger_id"]
    moment = place.entry(old)["createdAt"]
    between, = place.accept(place.event(dependsOnLedgerIds=[old], snapshotAt=moment, createdAt=moment))
    fresh, = place.accept(place.event(execution="before", dependsOnLedgerIds=[between], **UNSAID))
    same(place.entry(fresh)["body"]["payload"]["coherenceStatus"], "coherent")
    place.enter({"n": 2}, "same")
    place.refuse("COHERENCE_BLOCKED", place.event(execution="after", dependsOnLedgerIds=[between], **UNSAID))


@case
def R_002_012_A02_20_an_id_that_repeats_is_weighed_once(place):
    # Nobody else may append meanwhile.
    many = 8000
    old = place.enter({"n": 1}, "same")["ledger_id"]
    moment = place.entry(old)["createdAt"]
    between, = place.accept(place.event(dependsOnLedgerIds=[old] * many, snapshotAt=moment, createdAt=moment))
    begun = time.monotonic()
    fresh, = place.accept(place.event(execution="before", dependsOnLedgerIds=[between] * many, **UNSAID))
    same(place.entry(fresh)["body"]["payload"]["coherenceStatus"], "coherent")
    place.enter({"n": 2}, "same")
    place.refuse("COHERENCE_BLOCKED", place.event(execution="after", dependsOnLedgerIds=[between] * many, **UNSAID))
    true(time.monotonic() - begun < 20, f"it took {time.monotonic() - begun} s")


@case
def R_002_012_A02_20_a_newer_input_of_another_tenant_overtakes_nothing(place):
    mine = place.enter({"n": 1}, "same", tenant="t-1")["ledger_id"]
    place.enter({"n": 2}, "same", tenant="t-2")
    place.accept(place.event(dependsOnLedgerIds=[mine], **UNSAID))


@case
def A02_20_what_was_entered_last_is_the_newest_also_when_the_clock_was_set_back(place):
    old = place.enter({"n": 1}, "same")["ledger_id"]
    vault.of(place).sql(f"UPDATE entries SET created = created + 3600000 WHERE seq = {place.entry(old)['seq']}")
    new = place.enter({"n": 2}, "same")["ledger_id"]
    same(place.enter({"n": 2}, "same", status="duplicate")["ledger_id"], new)
    place.refuse("COHERENCE_BLOCKED", place.event(execution="old", dependsOnLedgerIds=[old], **UNSAID))
    for state in STATES[:3]:
        place.accept(place.event(state, "new", dependsOnLedgerIds=[new], **UNSAID))


if __name__ == "__main__":
    sys.exit(ledger.main(CASES))
