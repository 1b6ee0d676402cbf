#!/usr/bin/env python3
"""crash: runners that are killed, disks that are full, ledgers that cannot be had or go away.

usage: crash.py [--postgres] RUN_PLAN WRIT      prints TAP

Whatever happens: no result is told that is not recorded, nothing goes on, and the ledger is intact.
"""
import contextlib
import json
import os
import random
import subprocess
import sys
import time

import plans
from plans import alive, hold, marker, new, plan, retries, same, sh, step, tap, touch, true, until

CASES = []
case = plans.collector(CASES)

POSTGRES = plans.ledger.POSTGRES
KILLS = 200 if plans.ledger.LONG else 15
STUBBORN = 'trap "" TERM; (setsid sleep "$1" &); touch up; sleep "$1"; sleep "$1"'
UNTIL_GO = "touch up; until test -e go; do :; done"


def own():
    return {"environment": plans.HERE, "execution_id": new()}


def is_up(place):
    return lambda: (place.work / "up").exists()


def left_open(place, document, execution):
    """The ledger is intact, and says of an execution that it runs: nobody has told how it ended."""
    place.verify()
    same(place.states(execution), ["planned", "running"])
    same(place.of(execution, "plan_result"), [])
    same(place.of(document["id"], "note"), [])


def known_dead(place, execution):
    """The plan and each of its steps that has no end, by the event that said so: it does not run any more."""
    events = place.log("--kind", "execution_event")
    ended = {entry["subject"] for entry in events if entry["state"] not in ("planned", "running")}
    newest = {entry["subject"]: entry["seq"] for entry in events}
    dead = {entry["subject"]: entry["seq"] for entry in events if entry.get("alive") is False}
    same(dead, {one: newest[one] for one in newest if one not in ended})
    same(place.log("--live"), [])
    for one in dead:
        shown = json.loads(place.writ("show", "--json", one).out)
        same((shown["state"], shown["alive"]), ("running", False))
    shown = place.writ("show", execution).out.decode()
    true(shown.startswith("killed  plan ") and "it does not run any more: who ran it was killed" in shown, shown)
    return dead


def shows_unended(place, execution, steps, begun):
    """Of a plan that was killed, the steps at its end have none; the first few of these had begun: as what."""
    shown = json.loads(place.writ("show", "--json", execution).out)["steps_unended"][-len(steps):]
    same([row["step_id"] for row in shown], [one["id"] for one in steps])
    for n, row in enumerate(shown):
        states = place.states(row["execution_id"]) if row["execution_id"] else []
        same(states, ["planned", "running"] if n < begun else [])
    lines = place.writ("show", execution).out.decode().splitlines()
    same([row["begun"] for row in shown], [True] * begun + [False] * (len(steps) - begun))
    told = [line.split() for line in lines if line.startswith(("  ? ", "  · "))][-len(steps):]
    same([(words[0], words[3]) for words in told], [("?", "killed")] * begun + [("·", "not")] * (len(steps) - begun))
    return [row["execution_id"] for row in shown[:begun]]


def works_again(place, document):
    """The next plan runs, and the one that was cut off is not taken up again."""
    ran = place.comes_to("success", plan(sh("echo next >> next")))
    same(place.states(ran.result["execution_id"]), ["planned", "running", "succeeded"])
    ran = place.run(document)
    hold(ran.status == 77 and ran.record["code"] == "EXECUTION_USED", ran)
    place.verify()


def no_result(ran):
    hold(ran.status == 74 and b"plan_id" not in ran.out and ran.record.get("message"), ran)


# ---- killed ----

def killed(place, document, moment, **how):
    """Kills the runner at a moment; then nothing of it is left but the beginning of its record."""
    context = own()
    child = place.begin(document, context=context, **how)
    until(moment, "the moment", child)
    live = {entry["subject"]: entry["seq"] for entry in place.log("--live")}
    child.kill()
    ran = place.end(child)
    same((ran.status, ran.out), (-9, b""))
    same(known_dead(place, context["execution_id"]), live)
    return context["execution_id"]


@case
def R_004_168_R_004_169_R_004_186_a_runner_killed_in_a_step_leaves_nothing_that_runs(place):
    mark = marker()
    document = plan(touch("first"), sh(STUBBORN, mark), touch("after"))
    execution = killed(place, document, is_up(place))
    until(lambda: not alive(mark), "the end of its processes")
    left_open(place, document, execution)
    works_again(place, document)
    same(place.there("first", "after"), ["first"])
    shows_unended(place, execution, document["steps"][-2:], begun=1)


@case
def a_step_that_had_ended_when_its_runner_was_killed_is_shown_as_it_ended(place):
    document = plan(sh("true"), sh("exit 3", on_failure="skip"), sh("touch up; sleep 60"), touch("after"))
    context = own()
    child = place.begin(document, context=context)
    until(is_up(place), "the third step", child)
    child.kill()  # mostly before the rows of the first steps are in the ledger
    place.end(child)
    lines = place.writ("show", context["execution_id"]).out.decode().splitlines()
    marks = [line.split()[0] for line in lines if " execute " in line][:4]
    true(marks in (["✓", "✗", "?", "·"], ["✓", "!", "?", "·"]), lines)  # a row tells that it was skipped
    known_dead(place, context["execution_id"])


@case
def R_004_169_a_runner_killed_with_several_steps_at_once_leaves_nothing_that_runs(place):
    marks = [marker() for _ in range(3)]
    steps = [sh(STUBBORN.replace("touch up", 'touch "up-$2"'), mark, n) for n, mark in enumerate(marks)]
    document = plan(*steps, touch("after"))
    execution = killed(place, document, lambda: len(list(place.work.glob("up-*"))) == 3, jobs=3)
    until(lambda: not any(map(alive, marks)), "the end of its processes")
    left_open(place, document, execution)
    shows_unended(place, execution, document["steps"], begun=3)
    works_again(place, document)


@case
def R_004_169_a_runner_killed_between_two_attempts_makes_no_third(place):
    document = plan(sh("echo once >> times; touch up; exit 1", on_failure="retry"),
                    retry_policy=retries(9, "STEP_FAILED", backoff_ms=50000))
    execution = killed(place, document, lambda: place.states_like("failed"))
    left_open(place, document, execution)
    works_again(place, document)
    same(place.lines_of("times"), ["once"])


@case
def A04_29_a_runner_killed_in_a_child_leaves_both_open_and_nothing_that_runs(place):
    mark = marker()
    child = plan(touch("first"), sh(STUBBORN, mark))
    document = plan(step("execute_plan", {"plan": child}), touch("after"))
    execution = killed(place, document, is_up(place))
    until(lambda: not alive(mark), "the end of its processes")
    left_open(place, document, execution)
    inner, = shows_unended(place, execution, document["steps"], begun=1)
    left_open(place, child, inner)
    shows_unended(place, inner, child["steps"][-1:], begun=1)
    same(len([entry for entry in place.log() if entry["kind"] == "plan_result"]), 0)
    works_again(place, document)


@case
def what_steps_did_is_written_down_while_another_runs(place):
    # And not only when the plan looks at its clock again, once a second: a runner may be killed before that.
    written = []
    for _ in range(5):
        context = own()
        place.run(plan(step("noop"), step("notify"), sh("sleep 0.9")), context=context)
        written.append([[row["index"] for row in entry["body"]["steps"]]
                        for entry in place.of(context["execution_id"], "manifest")])
    true([[0, 1], [2]] in written, written)


@case
def A04_15_A04_25_a_runner_killed_at_any_moment_has_told_what_is_recorded_and_no_more(place):
    seed = int(os.environ.get("WRIT_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"# seed {seed}", flush=True)
    chance, open_ones = random.Random(seed), 0
    start = time.monotonic()
    place.comes_to("success", plan(*(sh("true") for _ in range(6))))
    seconds = time.monotonic() - start
    for n in range(KILLS):
        document, context = plan(*(sh("true") for _ in range(6))), own()
        child = place.begin(document, context=context, jobs=chance.choice((1, 3)))
        time.sleep(chance.random() * seconds)  # any moment will do
        child.kill()
        ran = place.end(child)
        place.verify()
        states, results = place.states(context["execution_id"]), place.of(context["execution_id"], "plan_result")
        true(states in ([], ["planned", "running"], ["planned", "running", "succeeded"]), states)
        same(len(results), int(len(states) == 3), states)
        if ran.out:
            same(ran.result, results[0]["body"])
        open_ones += len(states) == 2
    print(f"# {open_ones} of {KILLS} in the middle", flush=True)
    place.comes_to("success", plan(sh("true")))


# ---- no ledger ----

@case
def A04_25_without_a_ledger_nothing_runs_and_there_is_no_result(place):
    place.put("plain", "no directory")
    bad = "postgres://127.0.0.1:1/none" if POSTGRES else str(place.repo / "plain" / "ledger.db")
    for how in ({"ledger": bad}, {"env": {"WRIT_LEDGER": bad}}):
        ran = place.run(plan(touch("ran")), **how)
        no_result(ran)
        same((place.there("ran"), ran.news), ([], []))


@case
def a_ledger_that_is_no_ledger_is_left_alone_and_nothing_runs(place):
    if POSTGRES:
        raise tap.Skip("a file")
    text = b"this is not a database, and it is longer than one page header" * 100
    path = place.put("outside/other.db", text)
    no_result(place.run(plan(touch("ran")), ledger=path))
    same((place.there("ran"), path.read_bytes() == text), ([], True))


@contextlib.contextmanager
def small_disk(path, size):
    path.mkdir(parents=True, exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path], capture_output=True).returncode:
        raise tap.Skip("may not mount")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", path], check=True)


def fill(path):
    """Leaves no room on the disk."""
    with open(path, "wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"x" * size)


@case
def A04_25_A04_33_a_disk_that_is_full_in_the_middle_is_said_and_there_is_no_result(place):
    if POSTGRES:
        raise tap.Skip("the server's disk")
    with small_disk(place.state, "8m"):
        place.base
        document, context = plan(sh(UNTIL_GO), touch("after")), own()
        child = place.begin(document, context=context)
        until(is_up(place), "the first step", child)
        fill(place.state / "filler")
        place.put("work/go", "")
        ran = place.end(child)
        no_result(ran)
        same(place.there("after"), [])  # what cannot be recorded does not run
        (place.state / "filler").unlink()
        left_open(place, document, context["execution_id"])
        known_dead(place, context["execution_id"])
        works_again(place, document)


@case
def a_command_whose_end_found_no_room_is_known_not_to_run(place):
    if POSTGRES:
        raise tap.Skip("the server's disk")
    with small_disk(place.state, "8m"):
        place.base
        child = place.start("--write", ".", "--", "/bin/sh", "-c", UNTIL_GO)
        until(is_up(place), "it is up", child)
        fill(place.state / "filler")
        place.put("work/go", "")
        child.communicate(timeout=plans.SECONDS)
        (place.state / "filler").unlink()
        execution, = {entry["subject"] for entry in place.log("--kind", "execution_event")}
        same(place.states(execution), ["planned", "running"])
        same(json.loads(place.writ("show", "--json", execution).out)["alive"], False)


@case
def A04_25_a_ledger_that_is_removed_in_the_middle_is_said_and_there_is_no_result(place):
    if POSTGRES:
        raise tap.Skip("a file")
    document = plan(sh(UNTIL_GO), touch("after"))
    child = place.begin(document)
    until(is_up(place), "the first step", child)
    for path in place.state.glob("ledger.db*"):
        path.unlink()
    place.put("work/go", "")
    no_result(place.end(child))


@case
def A04_25_a_server_that_dies_in_the_middle_is_said_and_there_is_no_result(place):
    if not POSTGRES:
        raise tap.Skip("a file has no server")
    mark = marker()
    document, context = plan(sh(UNTIL_GO), sh(STUBBORN, mark)), own()
    child = place.begin(document, context=context)
    until(is_up(place), "the first step", child)
    plans.ledger.databases().server.kill()
    place.put("work/go", "")
    no_result(place.end(child))
    same(alive(mark), [])
    plans.ledger.databases().server.start()
    left_open(place, document, context["execution_id"])
    works_again(place, document)


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
