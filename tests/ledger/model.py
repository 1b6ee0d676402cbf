#!/usr/bin/env python3
"""model: random events, judged by the ledger and by a second reading of the contract.

usage: model.py [--postgres] WRIT      prints TAP

The model below was written from contract 002 and its decisions. WRIT_SEED=N plays a run again.
"""
import os
import random
import sys
from typing import NamedTuple

import ledger
from ledger import ABSENT, BLOCKED, REVIEW, STATES, instant, same, stamp

CASES = []
case = ledger.collector(CASES)

COUNT = 100_000 if ledger.LONG else 10_000
AFTER = {"planned": {"running"}, "running": {"succeeded", "failed", "cancelled"}}  # in the same attempt
AGAIN = {"planned", "running"}  # after failed, in a higher one


class Kept(NamedTuple):
    """An event that is in the ledger."""
    event: dict
    policy: str  # of its attempt
    id: list  # filled in when the ledger has answered


# ---- the second reading ----

def gate(coherence, policy, dry):
    """Section 5: may it run; if not, the one event that the gate writes, and the code."""
    if coherence == "stale" or coherence == "partial" and policy == "block":
        return False, "failed", "COHERENCE_BLOCKED"
    if dry:
        return True, None, None
    if coherence == "partial":
        return False, "cancelled", REVIEW
    return False, "planned", "COHERENCE_GATE_PLANNED_ONLY"


def shape(event):
    """Section 7, as far as events here break it."""
    payload, state = event["payload"], event["state"]
    error = payload.get("error")
    if instant(payload["snapshotAt"]) > instant(event["createdAt"]):
        return False
    if state == "failed" and error is None or state == "cancelled" and "cancelReason" not in payload:
        return False
    if state in ("failed", "cancelled") and "result" in payload:
        return False
    if payload["coherenceStatus"] == "stale":
        return state == "failed" and error["code"] == "COHERENCE_BLOCKED" and error["retryable"] is False
    return True


def claims(event):
    """The code, if this event says what only the gate may say."""
    payload = event["payload"]
    if event["state"] == "failed" and payload["error"]["code"] == "COHERENCE_BLOCKED":
        return "COHERENCE_BLOCKED"
    if event["state"] == "cancelled" and payload["cancelReason"] == REVIEW:
        return REVIEW
    return None


def content(event):
    ids = sorted(set(event["lineage"]["dependsOnLedgerIds"]))
    return event["payload"], event["lineage"] | {"dependsOnLedgerIds": ids}


def warnings(event):
    payload, found = event["payload"], []
    if event["state"] == "succeeded" and "result" not in payload:
        found.append("RESULT_MISSING")
    if "error" in payload and event["state"] != "failed":
        found.append("ERROR_UNEXPECTED")
    return sorted(found)


def spot(event):
    return event["payload"]["attempt"], event["state"]


class Model:
    def __init__(self):
        self.created = {}  # every entry's id -> its createdAt
        self.runs = {}     # (tenant, robot, execution) -> what it has, in order
        self.worse = {}    # of inputs that were erased or have a newer one: partial or stale
        self.events = {}   # the id of an event -> what is kept of it

    def run(self, event):
        return self.runs.setdefault((event["tenantId"], event["robotId"], event["payload"]["executionId"]), [])

    def coherence(self, ids, below=True):
        """A02-20, of what the lineage names and of what that names."""
        found = {self.worse.get(id, "coherent") for id in ids}
        for kept in (self.events[id] for id in ids if id in self.events):
            if self.run(kept.event)[-1] is not kept:
                found.add("stale")
            if below:
                found.add(self.coherence(kept.event["lineage"]["dependsOnLedgerIds"], below=False))
        return next(status for status in ("stale", "partial", "coherent") if status in found)

    def judge(self, event, policy):
        """What must be answered: appended, duplicate, or the code of a refusal; and the entry."""
        if not shape(event) or event["lineage"].get("rerunOfExecutionId") == event["payload"]["executionId"]:
            return "VALIDATION_ERROR", None
        for id in event["lineage"]["dependsOnLedgerIds"]:
            if id not in self.created:
                return "LINEAGE_MISSING", None
            if self.created[id] > instant(event["payload"]["snapshotAt"]):
                return "LINEAGE_LATER", None
        run = self.run(event)
        for kept in run:
            if spot(kept.event) == spot(event):
                same_content = content(kept.event) == content(event)
                return ("duplicate", kept) if same_content else ("IDEMPOTENCY_CONFLICT", None)
        if run and run[-1].event["payload"]["attempt"] == event["payload"]["attempt"]:
            policy = run[-1].policy  # A02-3: the gate is asked once an attempt
        fault = self.follows(event, policy, run[-1].event) if run else self.begins(event, policy)
        if fault:
            return fault, None
        run.append(Kept(event, policy, []))
        return "appended", run[-1]

    def begins(self, event, policy):
        """A02-2: planned, or the verdict of the gate."""
        attempt, state = spot(event)
        if attempt != 1 or state != "planned" and not claims(event):
            return "INVALID_TRANSITION"
        return self.claimed(event) or self.gated(event, policy)

    def claimed(self, event):
        """What it says of its inputs has to be so when it begins an attempt."""
        computed = self.coherence(event["lineage"]["dependsOnLedgerIds"])
        return None if event["payload"]["coherenceStatus"] == computed else "VALIDATION_ERROR"

    def follows(self, event, policy, last):
        attempt, state = spot(event)
        last_attempt, last_state = spot(last)
        payload, before = event["payload"], last["payload"]
        if attempt == last_attempt:
            if state not in AFTER.get(last_state, ()):
                return "INVALID_TRANSITION"
            if any(payload[name] != before[name] for name in ("coherenceStatus", "snapshotAt", "dryRun")):
                return "VALIDATION_ERROR"
            return self.gated(event, policy)
        if last_state != "failed" or attempt < last_attempt:
            return "INVALID_TRANSITION"
        computed = self.coherence(event["lineage"]["dependsOnLedgerIds"])
        if gate(computed, policy, payload["dryRun"])[1] == "failed":
            return "COHERENCE_BLOCKED"  # A02-3: no retry with such inputs
        if not before["error"]["retryable"] or state not in AGAIN:
            return "INVALID_TRANSITION"
        return self.claimed(event) or self.gated(event, policy)

    def gated(self, event, policy):
        """A02-1: the gate's codes are the gate's; and what it stops is stopped."""
        payload = event["payload"]
        runs, ends, code = gate(payload["coherenceStatus"], policy, payload["dryRun"])
        claimed = claims(event)
        if claimed:
            right = not runs and (event["state"], claimed) == (ends, code)
            kept = claimed == REVIEW or payload["error"]["retryable"] is False
            return None if right and kept else "VALIDATION_ERROR"
        return None if runs or event["state"] == ends else code


# ---- chance ----

class Chance(random.Random):
    """Makes events; most go somewhere, the rest are what a confused client would send."""

    def __init__(self, seed, place, model):
        super().__init__(seed)
        self.place, self.model, self.open = place, model, []

    def lineage(self):
        ids = self.sample(self.good if self.random() < 0.7 else self.sources, self.randint(1, 3))
        moment = max(self.model.created[id] for id in ids) + self.choice((0, 0, 0, 1, 7))
        odd = self.random()
        if odd < 0.02:
            ids.append("led-100")
        elif odd < 0.05:
            moment -= 8
        return {"dependsOnLedgerIds": ids, "snapshotAt": stamp(moment),
                "createdAt": stamp(moment + self.choice((0, 0, 3, 500, -1) if odd > 0.9 else (0, 3)))}

    def fresh(self, state, name, attempt, **more):
        lineage = {name: value for name, value in more.items() if name in ("dependsOnLedgerIds", "snapshotAt", "createdAt")}
        lineage = lineage or self.lineage()
        known = [id for id in lineage["dependsOnLedgerIds"] if id in self.model.created]
        status = self.model.coherence(known) if self.random() < 0.8 else self.choice(("coherent", "partial", "stale"))
        members = lineage | {"coherenceStatus": status,
                                    "dryRun": self.random() < 0.8, "attempt": attempt} | more
        return self.place.event(state, name, tenantId=self.choice(("t-1", "t-1", "t-2")),
                                robotId=self.choice(("r-1", "r-2")), **members | self.outcome(state, members))

    def outcome(self, state, members):
        """What an event of this state says about how it went."""
        if state == "failed":
            code = "COHERENCE_BLOCKED" if members["coherenceStatus"] != "coherent" and self.random() < 0.8 \
                else self.choice(("MODEL_OUTPUT_INVALID", "X", "COHERENCE_BLOCKED"))
            more = {"error": BLOCKED | {"code": code, "retryable": self.random() < 0.5 and code != BLOCKED["code"]}}
        elif state == "cancelled":
            more = {"cancelReason": self.choice((REVIEW, "a person asked"))}
        else:
            more = {"result": {"n": self.randrange(9)}} if self.random() < 0.7 and state == "succeeded" else \
                {"result": ABSENT} if state == "succeeded" else {}
        odd = self.random()
        if odd < 0.03:
            more |= {"result": {"odd": True}}
        elif odd < 0.06:
            more |= {"error": BLOCKED | {"code": "X", "retryable": True}}
        elif odd < 0.07:
            more |= {"error": ABSENT} if "error" in more else {}
        return more

    def going_on(self):
        """What may follow in an execution that has begun, or nearly."""
        run = self.model.runs[self.choice(self.open)]
        last = run[-1].event
        attempt, state = spot(last)
        if state in ("succeeded", "cancelled"):
            state, attempt = self.choice(STATES), attempt + self.choice((0, 0, 1))
        elif state == "failed":
            state, attempt = self.choice(("planned", "running", *STATES)), attempt + self.choice((1, 1, 3, 0))
        else:
            state = self.choice(sorted(AFTER[state]) * 3 + list(STATES))
            attempt += self.random() < 0.05
        members = {"coherenceStatus": last["payload"]["coherenceStatus"], "dryRun": last["payload"]["dryRun"]}
        more = self.lineage()
        if attempt == spot(last)[0] and self.random() < 0.95:
            more = {"dependsOnLedgerIds": last["lineage"]["dependsOnLedgerIds"],
                    "snapshotAt": last["payload"]["snapshotAt"], "createdAt": last["createdAt"]}
        elif self.random() < 0.3:
            members["coherenceStatus"] = self.choice(("coherent", "partial", "stale"))
        made = self.fresh(state, last["payload"]["executionId"], attempt, **more | members)
        return made | {"tenantId": last["tenantId"], "robotId": last["robotId"]}

    def again(self):
        """An event that is in the ledger, the same or nearly."""
        old = self.choice(self.model.runs[self.choice(self.open)]).event
        made = old | {"payload": dict(old["payload"]), "lineage": dict(old["lineage"])}
        odd = self.random()
        if odd < 0.3:
            made["createdAt"] = stamp(instant(old["createdAt"]) + 1000)
        elif odd < 0.5:
            ids = old["lineage"]["dependsOnLedgerIds"]
            made["lineage"]["dependsOnLedgerIds"] = [*reversed(ids), ids[0]]
        elif odd < 0.6:
            made["payload"]["target"] = "another"
        elif odd < 0.65:
            made["lineage"]["rerunOfExecutionId"] = "e-0"
        elif odd < 0.7:
            made["payload"]["extra"] = {"x": self.randrange(3)}
        return made

    def event(self, n):
        kind = self.random()
        if not self.open or kind < 0.2:
            return self.fresh("planned" if self.random() < 0.8 else self.choice(STATES), f"e-{n // 2}", 1)
        if kind < 0.75:
            return self.going_on()
        if kind < 0.9:
            return self.again()
        return self.fresh(self.choice(STATES), f"e-{self.randrange(n + 1)}", self.choice((1, 1, 2, 3)))


def play(place, chance, model, size, n):
    """One batch: what is expected of each event, and what the ledger says."""
    policy = chance.choice(("block", "draft_only"))
    events, expected = [], []
    for k in range(size):
        event = chance.event(n + k)
        events.append(event)
        expected.append(model.judge(event, policy))
        if expected[-1][0] == "appended" and len(model.run(event)) == 1:
            chance.open.append((event["tenantId"], event["robotId"], event["payload"]["executionId"]))
    for event, (verdict, kept), answer in zip(events, expected, place.append(*events, policy=policy), strict=True):
        about = f"policy {policy}: {event}\n{answer}"
        same(answer.get("code") or answer["status"], verdict, about)
        if verdict == "appended":
            kept.id.append(answer["ledger_id"])
            model.created[answer["ledger_id"]] = instant(event["createdAt"])
            model.events[answer["ledger_id"]] = kept
            same(sorted(warning["code"] for warning in answer["warnings"]), warnings(event), about)
        elif verdict == "duplicate":
            same(answer["ledger_id"], kept.id[0], about)
    chance.sources = chance.sources[:11] + chance.sample(sorted(model.created), min(8, len(model.created)))
    return [verdict for verdict, _ in expected]


@case
def R_002_015_R_002_016_R_002_017_R_002_018_R_002_036_random_events_meet_the_verdict_of_a_second_reading(place):
    seed = int(os.environ.get("WRIT_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"# seed {seed}", flush=True)
    model = Model()
    chance = Chance(seed, place, model)
    for n in range(8):
        id = place.enter({"n": n}, f"input-{n}")["ledger_id"]
        model.created[id] = instant(place.entry(id)["createdAt"])
    chance.good = sorted(model.created)
    for status in ("coherent", "partial", "stale"):
        id, moment = place.base_of(status)
        model.created[id] = instant(moment)
        model.worse[id] = status
    chance.sources = sorted(model.created)
    verdicts = []
    while len(verdicts) < COUNT:
        verdicts += play(place, chance, model, min(chance.choice((1, 20, 200, 700)), COUNT - len(verdicts)),
                         len(verdicts))
    tally = {name: verdicts.count(name) for name in sorted(set(verdicts))}
    print("#", tally, flush=True)
    same(len(tally) >= 10, True, tally)  # every way to be answered was met
    entries = place.log("--kind", "execution_event")
    kept = {kept.id[0]: kept.event for run in model.runs.values() for kept in run}
    same({entry["ledger_id"]: entry["body"] for entry in entries} == kept, True, "the log has other events")
    same(len(entries), tally["appended"])
    same(len(place.rejects()), len(verdicts) - tally["appended"] - tally["duplicate"])
    place.verify()


if __name__ == "__main__":
    sys.exit(ledger.main(CASES))
