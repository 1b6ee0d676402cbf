#!/usr/bin/env python3
"""model: random plans, run by plan_run() and by a second reading of contract 004.

usage: model.py [--seed N] [--count N] PLAY      prints TAP

The model below was written from contract 004 and the decisions A04-* alone. It says what must come
of a scenario: the result, every call through the seams with its time, and the news. Where the texts
leave two answers, the rule is said at its place, after RULE.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys

import scenes

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "faces"))
import tap  # noqa: E402

LONG = bool(os.environ.get("WRIT_LONG"))
SEED, COUNT, FRESH = 4004, 300_000 if LONG else 20_000, 500
BATCH = 500

# Section 4; and of other contracts: all that is not critical there is an error here.
FATAL = {"CONTEXT_MISSING", "INVALID_PAYLOAD", "PLAN_TIMEOUT", "DEADLINE_EXCEEDED", "DEPENDENCY_UNRESOLVED",
         "ACTION_NOT_FOUND", "RESOURCE_EXHAUSTED", "UNKNOWN_ERROR"}
WARN = {"STEP_SKIPPED"}
STATUSES = ("success", "partial", "failure")


# ---- the second reading ----

def error(code, severity, step=None, cause=None, context=None):
    made = {"error_code": code, "severity": severity, "recoverable": severity != "fatal",  # A04-20
            "step_id": None if step is None else scenes.step_id(step), "cause": cause}
    if context:
        made["context"] = context
    return made


def mark(step, attempt):
    """What the hands of play.c give with an ending."""
    return {} if (step + attempt) % 3 == 0 else {"attempt": attempt}


class Same:
    """Errors that are in it are those themselves, not others that say the same."""
    def __init__(self, errors):
        self.ids = {id(error) for error in errors}

    def __contains__(self, error):
        return id(error) in self.ids


class Over(Exception):
    """The plan has failed: its error, in its first and only argument."""


class Step:
    def __init__(self, place, doc, script):
        self.place, self.script = place, script
        self.needs = [scenes.place_of(id) for id in doc.get("depends_on", ())]
        self.on_failure, self.timeout = doc["on_failure"], doc.get("timeout_ms")
        self.state = "waiting"  # then running, resting (before it is tried again), completed, skipped
        self.attempt = self.began = self.order = 0
        self.ends = self.limit = self.due = None
        self.output, self.errors = None, []

    def settled(self):
        return self.state in ("completed", "skipped")


class Model:
    def __init__(self, scene, eager=False, as_met=False):
        context = scene["context"]
        plan = context["plan"]
        self.scene, self.context, self.plan = scene, context, plan
        self.eager, self.as_met = eager, as_met  # where one answer is as right as the other, see verdict()
        self.steps = [Step(n, doc, scene["script"][n]) for n, doc in enumerate(plan["steps"])]
        self.policy = {"max_attempts": 1, "backoff_ms": 0, "backoff_multiplier": 1.0, "max_backoff_ms": 60000,
                       "retryable_error_codes": []} | plan.get("retry_policy", {})
        self.timeout = plan.get("timeout_ms", 300000)
        to_deadline = context["deadline_ms"] - scene["wall"]
        self.limit = max(0, min(self.timeout, to_deadline))
        self.limit_code = "PLAN_TIMEOUT" if self.timeout <= to_deadline else "DEADLINE_EXCEEDED"  # A04-8
        self.forced = scene["forced"] if scene["forced"] >= 0 else None
        self.now = self.begun = 0
        self.tied = False  # several jobs, or a step and the caller's wish, met in one millisecond
        self.raised, self.trace, self.did, self.news = [], [], [], []

    def error(self, *args, **more):
        self.raised.append(error(*args, **more))
        return self.raised[-1]

    # -- steps --

    def begin(self, step):
        step.attempt += 1
        step.state, step.began, step.order = "running", self.now, self.begun
        self.begun += 1
        ms, step.code = step.script[min(step.attempt, len(step.script)) - 1]
        step.ends = None if ms < 0 else self.now + ms
        own = step.timeout or self.timeout  # null inherits the plan's
        step.limit = self.now + own
        budget = min(own, self.limit - self.now)  # A04-30
        if self.scene["holds"] and (step.ends is None or step.ends > self.now + budget):
            step.ends, step.code = self.now + budget, "STEP_TIMEOUT"
        self.did.append(["begin", self.now, step.place, step.attempt, budget])
        self.news.append(["step_started", self.now, step.place, step.attempt])

    def completed(self, step):
        step.state, step.output = "completed", mark(step.place, step.attempt)
        self.news.append(["step_completed", self.now, step.place, step.attempt, self.now - step.began])

    def failed(self, step, code, context):
        retryable = code in self.policy["retryable_error_codes"]
        severity = "fatal" if code in FATAL or code == "STEP_TIMEOUT" and not retryable else "error"  # A04-4
        if step.on_failure == "retry":
            context = context | {"attempt": step.attempt}
        own_error = self.error(code, severity, step.place, context=context)
        self.trace.append(own_error)  # every attempt's (5.2.2, 5.3.9)
        step.errors.append(own_error)
        self.news.append(["step_failed", self.now, step.place, step.attempt, self.now - step.began, code, severity])
        if severity == "error" and step.on_failure == "retry" and retryable \
                and step.attempt < self.policy["max_attempts"]:  # A04-5
            step.state, wait = "resting", self.backoff(step.attempt)
            step.due = self.now + wait
            self.news.append(["step_retries", self.now, step.place, step.attempt + 1, wait])
            return
        step.state = "failed"
        if severity == "fatal":
            raise Over(own_error)
        if step.on_failure == "halt":  # A04-3: an error where it is raised, fatal as the plan's
            self.trace.append(self.error("EXECUTION_HALTED", "error", cause=own_error))
            raise Over(error("EXECUTION_HALTED", "fatal", cause=own_error))
        self.skip(step)

    def skip(self, step):
        step.state = "skipped"
        self.trace.append(self.error("STEP_SKIPPED", "warn", step.place))

    def backoff(self, attempt):
        """A04-32. RULE: half a millisecond is rounded up."""
        p = self.policy
        return int(min(p["backoff_ms"] * p["backoff_multiplier"] ** (attempt - 1), p["max_backoff_ms"]) + 0.5)

    # -- order and time --

    def start(self):
        """A04-7: the smallest place first. RULE: a step that rests keeps its seat."""
        while True:
            free = sum(step.state in ("running", "resting") for step in self.steps) < self.scene["jobs"]
            step = next((step for step in self.steps if self.can_begin(step, free)), None)
            if not step:
                return
            self.turn(step)

    def can_begin(self, step, free):
        if step.state == "resting":
            return step.due <= self.now
        return free and step.state == "waiting" and all(self.steps[n].settled() for n in step.needs)

    def turn(self, step):
        missing = [n for n in step.needs if self.steps[n].state != "completed"]
        if not missing:
            self.begin(step)
        elif self.scene["cascade"]:
            self.not_begun(step, "STEP_SKIPPED", "warn")
            self.skip(step)
        else:  # A04-6
            self.not_begun(step, "DEPENDENCY_UNRESOLVED", "fatal")
            self.trace.append(self.error("DEPENDENCY_UNRESOLVED", "fatal", step.place))
            raise Over(self.trace[-1])

    def not_begun(self, step, code, severity):
        self.news.append(["step_failed", self.now, step.place, 0, 0, code, severity])

    def things(self):
        """What may happen next: when, its rank among those of the same millisecond, its place among its like, what
        it does. RULE: what has ended comes first, in the order it was begun; then the caller's wish; the plan's
        limit; those of steps, in the order they were begun; and at last what is begun. What has ended by the
        plan's limit is heard, but nothing is begun then.

        No text decides when in its millisecond a step is begun: as soon as it can (`eager`), or when all else has
        been heard."""
        things = [(self.limit, 2, 0, self.plan_limit)]
        if self.forced is not None:
            things.append((self.forced, 1, 0, self.force))
        for step in self.steps:
            if step.state == "running":
                if step.ends is not None:
                    things.append((step.ends, 0, step.order, lambda step=step: self.ended(step)))
                things.append((step.limit, 3, step.order, lambda step=step: self.step_limit(step)))
            elif step.state == "resting":
                things.append((step.due, 4, step.place, lambda: None))  # start() begins it
        return things

    def next_thing(self):
        things = self.things()
        moment, _, _, happens = min(things, key=lambda thing: thing[:3])
        self.now = max(self.now, moment)
        if self.scene["jobs"] > 1 or self.forced == self.now:
            self.tied |= sum(thing[0] <= self.now for thing in things) > 1
        happens()

    def next_news(self):
        return min(moment for moment, rank, *_ in self.things() if rank < 4)

    def ended(self, step):
        if step.code == "STEP_TIMEOUT" and self.now >= self.limit:  # A04-30: what it ran out of was the plan's
            step.state = "over"
            self.news.append(["step_failed", self.now, step.place, step.attempt, self.now - step.began,
                              self.limit_code, "fatal"])
            self.plan_limit()
        elif step.code:
            self.failed(step, step.code, mark(step.place, step.attempt))
        else:
            self.completed(step)

    def step_limit(self, step):
        self.did.append(["stop", self.now, step.place])
        self.failed(step, "STEP_TIMEOUT", mark(step.place, 0))

    def in_order(self, failed):
        """The trace in execution order: that of one job (A04-7: with more jobs a result differs only in times). Of a
        plan that failed it may be as it was met: with more jobs it has met other things."""
        if failed and self.as_met:
            met = {id(error): n for n, error in enumerate(self.raised)}
            return sorted(self.trace, key=lambda error: met[id(error)])
        rank, left = {None: len(self.steps)}, list(self.steps)
        while left:
            step = next(step for step in left if all(scenes.step_id(n) in rank for n in step.needs))
            rank[scenes.step_id(step.place)] = len(rank) - 1
            left.remove(step)
        return sorted(self.trace, key=lambda error: rank[error["step_id"]])

    def plan_limit(self):
        self.trace.append(self.error(self.limit_code, "fatal"))
        raise Over(self.trace[-1])

    def force(self):  # A04-13
        self.trace.append(self.error("PLAN_TIMEOUT", "fatal"))
        raise Over(self.trace[-1])

    def halt(self, why):
        """5.3.3. What was running is told to have failed, which is no error of its own."""
        late = why["error_code"] in ("PLAN_TIMEOUT", "DEADLINE_EXCEEDED")
        told = (why["error_code"], "fatal") if late else ("EXECUTION_HALTED", "error")
        running = sorted((step for step in self.steps if step.state == "running"), key=lambda step: step.order)
        self.did += sorted(["stop", self.now, step.place] for step in running)
        self.news += [["step_failed", self.now, step.place, step.attempt, self.now - step.began, *told]
                      for step in running]

    # -- the end --

    def play(self):
        try:
            while not all(step.settled() for step in self.steps):
                if self.now < (self.limit if self.eager else self.next_news()):
                    self.start()
                if not all(step.settled() for step in self.steps):
                    self.next_thing()
            why = None
        except Over as over:
            why = over.args[0]
            self.halt(why)
        self.trace = self.in_order(why) if self.trace else []
        done = [step for step in self.steps if step.state == "completed"]
        status = "failure"
        if not why:
            # A04-22. RULE: an error of a step that was completed in the end is not why the plan was not.
            first = next((e for e in self.trace if e["severity"] == "error" and e not in self.overcome(done)), None)
            if len(done) == len(self.steps):
                status = "success"
            elif done:
                status, why = "partial", first
            else:  # A04-2
                why = first | {"severity": "fatal", "recoverable": False, "cause": first}
        return self.result(status, why, done)

    def overcome(self, done):
        """The errors of attempts that were made again, and better."""
        return Same(e for step in done for e in step.errors)

    def result(self, status, why, done):
        payload = {"steps": {scenes.step_id(step.place): step.output for step in done}}
        warnings = [e for e in self.trace if e["severity"] == "warn"]
        overcome = self.overcome(done)
        retried = [e for e in self.trace if e in overcome]
        if warnings:
            payload["warnings"] = warnings
        if retried:
            payload["retried_errors"] = retried
        result = {"plan_id": self.plan["id"], "execution_id": self.context["execution_id"], "status": status,
                  "completed_at": self.scene["wall"] + self.now, "duration_ms": self.now,
                  "steps_executed": len(done), "steps_total": len(self.steps), "result_payload": payload}
        result["error"] = None
        incomplete = [step.place for step in self.steps if step.state != "completed"]
        if why:
            own = [e["step_id"] for e in self.trace
                   if e["step_id"] and e["severity"] != "warn" and e not in overcome]
            result["error"] = why | {"context": why.get("context", {}) | {
                "errors": self.trace,
                "failed_steps": list(dict.fromkeys(own)),
                "incomplete_steps": [scenes.step_id(n) for n in incomplete]}}
        self.duties(status, why, incomplete)
        return result if self.scene["persists"] else None

    def duties(self, status, why, incomplete):
        """5.1, 5.2, 5.3: what of the ordered actions is seen from outside."""
        did, now = self.did, self.now
        did.append(["persist", now, STATUSES.index(status)])
        if not self.scene["persists"]:  # A04-25
            did.append(["release", now])
            return
        did.append([f"plan_execution_{status}", now])
        if status == "success":
            did += [["complete", now], ["release", now]]
        elif status == "partial":
            did += [["incomplete", now, *incomplete], ["release", now]]
        else:
            did += [["release", now], ["alarm", now, why["error_code"], "fatal"]]


def expected(scene, **which):
    """What must come of it; and whether that depends on the order of things in one millisecond."""
    model = Model(scene, **which)
    result = model.play()
    return {"result": result, "did": model.did, "news": model.news, "wrong": []}, model.tied


# ---- holding the two against each other ----

def bare(value):
    """Without the words for people, and without what is the same as not being there."""
    if isinstance(value, dict):
        error = "error_code" in value
        return {key: bare(member) for key, member in value.items()
                if not (error and (key == "message" or key == "context" and not member))}
    return [bare(member) for member in value] if isinstance(value, list) else value


def differences(want, got, at=""):
    """Where two answers differ, as lines for people."""
    if type(want) is not type(got):
        return [f"{at or '/'}: model {json.dumps(want)}, plan_run {json.dumps(got)}"]
    if isinstance(want, dict):
        keys = [*want, *(key for key in got if key not in want)]
        return [line for key in keys for line in
                (differences(want[key], got[key], f"{at}/{key}") if key in want and key in got else
                 [f"{at}/{key}: only {'model' if key in want else 'plan_run'} has it: "
                  f"{json.dumps(want.get(key, got.get(key)))}"])]
    if isinstance(want, list) and len(want) == len(got):
        return [line for n, pair in enumerate(zip(want, got)) for line in differences(*pair, f"{at}/{n}")]
    return [] if want == got else [f"{at or '/'}: model {json.dumps(want)}, plan_run {json.dumps(got)}"]


class Player:
    def __init__(self, program):
        self.program = program

    def play(self, batch):
        """The answers to as many scenarios as it got through, and what it said at its end."""
        text = "".join(json.dumps(scene, separators=(",", ":")) + "\n" for scene in batch)
        done = subprocess.run([self.program], input=text, capture_output=True, text=True, timeout=600)
        said = done.stderr.strip() or f"status {done.returncode}" if done.returncode else ""
        return [bare(json.loads(line)) for line in done.stdout.splitlines()], said

    def differs(self, scene):
        answers, said = self.play([scene])
        return [said] if not answers else \
            differences(expected(scene)[0], answers[0]) if verdict(scene, answers[0])[0] == "no" else []


def verdict(scene, answer):
    """yes, no, or open: things met in one millisecond, and plan_run() took a third way through it; and what was
    expected."""
    want, tied = expected(scene)
    if answer == want:
        return "yes", want
    for eager, as_met in ((False, True), (True, False), (True, True)):
        other, also_tied = expected(scene, eager=eager, as_met=as_met)
        if answer == other:
            return "yes", want
        tied |= also_tied
    return "open" if tied and answer and not answer["wrong"] else "no", want


class Difference(Exception):
    """A scenario that differs, as small as it could be made."""


def judge(batch, answers):
    """Holds the answers to a batch against the model: the first scenario that differs, or None, and how each ended."""
    ends = []
    for n, scene in enumerate(batch):
        said, want = verdict(scene, answers[n] if n < len(answers) else None)
        if said == "no":
            return scene, ends
        result = want["result"] or {"status": "not persisted"}
        ends.append("left open" if said == "open" else
                    " ".join((result["status"], (result.get("error") or {}).get("error_code", ""))).strip())
    return None, ends


def compare(player, seed, count):
    """Plays `count` scenarios; how often each end was met."""
    chance, tally, before = scenes.Chance(seed), collections.Counter(), None
    print(f"# seed {seed}, {count} scenarios", flush=True)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        for start in range(0, count + BATCH, BATCH):  # one batch is played while the next is made
            batch = [chance.scene() for _ in range(min(BATCH, max(0, count - start)))]
            now = batch, pool.submit(player.play, batch)
            wrong, ends = judge(before[0], before[1].result()[0]) if before else (None, [])
            if wrong:
                raise Difference(explain(player, seed, wrong))
            tally.update(ends)
            before = now
    if tally["left open"] * 20 > count:
        raise Difference(f"seed {seed}: {tally['left open']} scenarios were left open")
    return tally


def explain(player, seed, scene):
    small = scenes.smallest(scene, player.differs)
    return "\n".join([f"seed {seed}; the smallest scenario that differs:", json.dumps(small),
                      *player.differs(small)[:20]])


# ---- the cases ----

CASES = []
case = tap.collector(CASES)


@case
def R_004_085_R_004_101_R_004_120_R_004_144_random_plans_end_as_a_second_reading_says(player, how):
    tally = compare(player, how.seed, how.count)
    print("#", ", ".join(f"{end} {n}" for end, n in sorted(tally.items())), flush=True)
    if how.count >= 5000 and len(tally) < 18:
        raise Difference("not every end was met")


@case
def fresh_random_plans_end_as_a_second_reading_says(player, how):
    compare(player, random.SystemRandom().randrange(1 << 32), FRESH)


@case
def R_004_159_jobs_change_the_times_of_a_result_and_nothing_else(player, how):
    """A04-7: as long as nothing ends the plan early, a result with more jobs differs only in times."""
    chance, kept = scenes.Chance(how.seed), 0
    for _ in range(FRESH // BATCH + 4):
        alone = [scenes.unhurried(chance.scene()) for _ in range(BATCH)]
        together = [scene | {"jobs": chance.choice((2, 3, 4))} for scene in alone]
        for scene, one, many in zip(alone, player.play(alone)[0], player.play(together)[0], strict=True):
            if one["result"]["status"] == "failure":
                continue
            kept += 1
            results = [{key: value for key, value in answer["result"].items()
                        if key not in ("completed_at", "duration_ms")} for answer in (one, many)]
            if json.dumps(results[0]) != json.dumps(results[1]):  # the order of members, too
                raise Difference("\n".join([json.dumps(scene), "model: one job, plan_run: several",
                                            *differences(*results)]))
    if not kept:
        raise Difference("there was nothing to compare")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--seed", type=int)
    options.add_argument("--count", type=int)
    options.add_argument("play")
    how = options.parse_args()
    cases = CASES[:1] if how.seed is not None or how.count else CASES
    how.seed, how.count = SEED if how.seed is None else how.seed, how.count or COUNT
    player, lines = Player(how.play), tap.Tap()
    for function in cases:
        fault = ""
        try:
            function(player, how)
        except Difference as wrong:
            fault = str(wrong)
        lines.case(function.__name__, fault)
    return lines.finish()


if __name__ == "__main__":
    sys.exit(main())
