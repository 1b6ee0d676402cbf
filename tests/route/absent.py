#!/usr/bin/env python3
"""absent: lanes whose worker cannot be had: refused, tried again, run here instead, or not at all.

usage: absent.py FAKE_RCH WRIT      prints TAP

Whatever a lane comes to, routes.py looks whether its result, manifest, transcript and ledger are there
and say the same.
"""
import json
import signal
import sys

import routes
from routes import (LOCAL, NOWHERE, SHORT, WORKER, WRAPPED, ended, hold, marker, nothing_left, pipe, ready, same,
                    teller, until, wrapper)

CASES = []
case = routes.collector(CASES)


# ---- workers that cannot be had ----

@case
def R_000_069_A00_8_a_worker_that_goes_away_is_tried_three_times_then_it_runs_here_in_the_same_walls(place):
    ready(place)
    place.configure({"name": "gone", "kind": "ssh", "host": "box", "options": ["-F", "/dev/null", "-p", "1"],
                     "patience_secs": 5}, pipe())
    direct = place.sh("echo x >> begun")
    (place.work / "begun").unlink()
    run = ended(place.sh("echo x >> begun", worker="gone"), "succeeded", 0, route=LOCAL)
    same(len(place.told(run, "unavailable")), 3)
    down, = place.told(run, "downgrade")
    same((down["from"], down["to"], down["policy_id"]), ("remote_ssh", LOCAL, "local_fallback_on_rch_unavailable"))
    same((run.record["downgraded"], run.record["lane"]["route_reason"]), (True, "rch_unavailable"))
    same(len(place.lines_of("begun")), 1)
    for name in ("layers", "assurance", "limits"):
        same(run.record[name], direct.record[name])


@case
def who_waits_for_a_worker_that_another_reaches_for_can_be_called_off(place):
    ready(place)
    place.configure({"name": "mute", "kind": "pipe", "command": ["/bin/sh", "-c", "exec sleep 600"],
                     "patience_secs": 500}, pipe())
    place.put(".writ/tools.yaml", json.dumps({"tools": [{
        "tool_id": "t", "name": "t", "owner": "us", "status": "active",
        "scope": {"commands": ["/bin/true", "/usr/bin/true"]}}]}))
    there = {"route": {"class": "generic", "worker": "mute", "fallback": "fail_closed"}}
    path = place.put("plan.yaml", json.dumps({
        "name": "waits", "timeout_ms": 4000,
        "steps": [{"name": name, "run": ["/bin/true"], "timeout_ms": ms} | there
                  for name, ms in (("patient", 400000), ("next", 400000))]}))
    run = place.writ("run", path, "--jobs", "2", "--json")
    hold(b"PLAN_TIMEOUT" in run.out, run)


@case
def what_is_not_wanted_any_more_before_it_begins_is_run_nowhere(place):
    place.configure(teller("never_ready", patience_secs=20), teller("refuses_at_stop", patience_secs=20))
    for worker in ("never_ready", "refuses_at_stop"):
        child = place.begin("/usr/bin/touch", "ran", worker=worker)
        until((place.work / "heard").exists, "it was sent", child)
        child.send_signal(signal.SIGINT)
        run = ended(place.end(child), "cancelled", 130, route=WORKER)
        same((place.told(run, "downgrade", "retry"), len(place.told(run, "asked")), place.there("ran")), ([], 1, []))
        (place.work / "heard").unlink()


# ---- workers that have no room ----

@case
def A00_8_a_worker_without_room_is_tried_again_and_then_gone_without(place):
    place.configure(teller("has_no_room"), teller("has_room_later"))
    why = "the worker has_no_room has no room for it: the worker runs as much as it can"
    run = ended(place.lane("/bin/true", worker="has_no_room"), "succeeded", 0, route=LOCAL)
    same([line["message"] for line in place.told(run, "unavailable")], [why] * 3)
    same((len(place.told(run, "downgrade")), place.told(run, "refused")), (1, []))
    run = ended(place.lane("/bin/true", worker="has_no_room", options=["--fail-closed"]), "failed", 69, "rch_unavailable", NOWHERE)
    run = ended(place.lane("/bin/true", worker="has_room_later"), "succeeded", 0, route=WORKER)
    same(len(place.told(run, "unavailable")), 1)


def at_once(place, worker, steps, **more):
    """What a plan says whose steps go to a worker of one slot."""
    place.configure(teller(worker, patience_secs=20))
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["/bin/true"], "filesystem": "extended"}})
    payload = {"inputs": {"command": "/bin/true"},
               "route": {"class": "generic", "worker": worker, "fallback": "fail_closed"}}
    plan = routes.plans.plan(*(routes.plans.step("execute", payload, **more) for _ in range(steps)))
    return place.writ("run", "--json", "--jobs=4", place.put("outside/plan.json", json.dumps(plan)))


@case
def a_worker_is_sent_no_more_at_once_than_it_has_slots(place):
    said = at_once(place, "has_one_slot", 4)
    hold(said.status == 0 and b"a second one" not in said.out, said)


@case
def who_waits_for_a_slot_waits_no_longer_than_its_step_may_take(place):
    said = at_once(place, "never_ready_for_one", 2, timeout_ms=1000, on_failure="skip")
    error = json.loads(said.out)["error"]
    same((said.status, error["error_code"], error["context"]["exit_code"]), (1, "STEP_TIMEOUT", 143))
    same(place.there("heard"), ["heard"])


@case
def a_probe_is_not_waited_for_by_who_calls_it_off(place):
    place.configure(wrapper(probe=["/bin/sh", "-c", "touch heard; exec sleep 600"], patience_secs=500))
    child = place.begin("/usr/bin/touch", "ran", worker="rch")
    until((place.work / "heard").exists, "it is probed", child)
    child.send_signal(signal.SIGINT)
    run = ended(place.end(child), "cancelled", 130)
    same((place.told(run, "downgrade", "retry"), len(place.told(run, "asked")), place.there("ran")), ([], 1, []))


@case
def a_worker_that_is_called_off_while_it_is_reached_for_is_run_nowhere(place):
    tried = "echo >> heard; [ $(wc -l < heard) -lt 3 ] || exec sleep 600"  # at the last attempt it hangs
    place.configure(pipe("mute", command=["/bin/sh", "-c", tried], patience_secs=500))
    child = place.begin("/usr/bin/touch", "ran", worker="mute")
    until(lambda: place.there("heard") and len(place.lines_of("heard")) == 3, "it is reached for", child)
    child.send_signal(signal.SIGINT)
    run = ended(place.end(child), "cancelled", 130)
    same((place.told(run, "downgrade"), len(place.told(run, "asked")), place.there("ran")), ([], 1, []))


@case
def a_step_whose_time_is_up_before_it_begins_is_run_nowhere(place):
    place.configure(teller("never_ready", patience_secs=20))
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["/usr/bin/touch"], "filesystem": "extended"}})
    payload = {"inputs": {"command": "/usr/bin/touch", "arguments": ["ran"]},
               "route": {"class": "generic", "worker": "never_ready"}}
    plan = routes.plans.plan(routes.plans.step("execute", payload, timeout_ms=1000))
    said = place.writ("run", "--json", place.put("outside/plan.json", json.dumps(plan)))
    hold(said.status == 1 and b"STEP_TIMEOUT" in said.out, said)
    same((place.there("heard"), place.there("ran")), (["heard"], []))


@case
def R_000_005_R_000_069_a_wrapper_whose_probe_fails_is_not_asked_and_the_downgrade_is_told(place):
    ready(place)
    direct, log = place.sh("echo x >> begun"), place.scratch / "log"
    for how in ("exit 1", "hang", "signal 9"):
        log.unlink(missing_ok=True)
        (place.work / "begun").unlink(missing_ok=True)
        place.configure(wrapper(patience_secs=1), remote="rch")
        run = place.sh("echo x >> begun", remote=True, env={"FAKE_RCH_PROBE": how, "FAKE_RCH_LOG": str(log)})
        ended(run, "succeeded", 0, route=LOCAL)
        same((run.record["downgraded"], run.record["lane"]["route_reason"]), (True, "rch_unavailable"))
        down, = place.told(run, "downgrade")
        same((down["from"], down["to"], down["policy_id"]), (WRAPPED, LOCAL, "local_fallback_on_rch_unavailable"))
        same(set(log.read_text().splitlines()), {"probe"})
        same((len(place.lines_of("begun")), run.record["layers"]), (1, direct.record["layers"]))


@case
def X_12_A00_8_a_wrapper_that_refuses_is_unavailable_and_its_codes_are_not_the_commands(place):
    ready(place)
    log = place.scratch / "log"
    for code in routes.REFUSALS:
        log.unlink(missing_ok=True)
        run = place.sh("exit 0", worker="rch", env={"FAKE_RCH_EXEC": f"exit {code}", "FAKE_RCH_LOG": str(log)})
        ended(run, "succeeded", 0, route=LOCAL)
        calls = [line for line in log.read_text().splitlines() if line.startswith("exec")]
        down, = place.told(run, "downgrade")
        same((len(calls), down["from"], down["to"]), (3, WRAPPED, LOCAL))
    run = place.sh("exit 0", worker="rch", env={"FAKE_RCH_EXEC": "exit 70"})
    ended(run, "failed", 70, "command_failed", WRAPPED)


@case
def what_a_wrapper_said_when_it_refused_is_in_the_transcript(place):
    script = "echo looked; echo no machine is free >&2; exit 75"
    place.configure(wrapper(command=["/bin/sh", "-c", script], probe=["/bin/true"]))
    run = ended(place.sh("exit 0", worker="rch"), "succeeded", 0, route=LOCAL)
    same([(line["stream"], line["text"]) for line in place.told(run, "output")],
         [("stdout", "looked\n"), ("stderr", "no machine is free\n")] * 3)


@case
def A00_8_a_wrapper_that_refuses_at_first_takes_it_in_the_end(place):
    ready(place)
    log = place.scratch / "log"
    run = place.sh("echo x >> begun", worker="rch", env={"FAKE_RCH_EXEC": "exit 75 2", "FAKE_RCH_LOG": str(log)})
    ended(run, "succeeded", 0, route=WRAPPED)
    calls = [line for line in log.read_text().splitlines() if line.startswith("exec")]
    same((len(calls), len(place.lines_of("begun")), place.told(run, "downgrade")), (3, 1, []))


@case
def files_that_go_in_are_counted_once_however_often_it_is_tried(place):
    ready(place)
    for name in ("one", "two"):
        (place.work / name).write_text(name)
    run = place.sh("exit 0", worker="rch", env={"FAKE_RCH_EXEC": "exit 75"}, options=["--input-file=one", "--input-file=two"])
    ended(run, "succeeded", 0, route=LOCAL)
    same(len(run.record["input_files"]), 2)


@case
def fail_closed_ends_with_69_and_nothing_runs(place):
    ready(place)
    refusing = {"FAKE_RCH_EXEC": "exit 75"}
    by_name = lambda: place.sh("touch ran", worker="rch", closed=True, env=refusing)  # noqa: E731
    by_probe = lambda: place.sh("touch ran", worker="rch", closed=True, env={"FAKE_RCH_PROBE": "exit 1"})  # noqa: E731

    def by(where):
        def ask():
            ready(place, **({"fallback": "fail_closed"} if where == "user" else {}))
            if where == "project":
                place.project(SHORT, fallback="fail_closed")
            return place.sh("touch ran", worker="rch", env=refusing)
        return ask

    for ask in (by_name, by_probe, by("user"), by("project")):
        run = ended(ask(), "failed", 69, "rch_unavailable", NOWHERE)
        same(place.path_of(run)[-2:], ["running", "failed"])
        same(place.there("ran"), [])


@case
def a_project_is_stricter_about_falling_back_and_never_laxer(place):
    ready(place, fallback="fail_closed")
    place.project(SHORT, fallback="local")
    said = place.writ(*place.words("/usr/bin/touch", "ran", worker="rch"), env={"FAKE_RCH_EXEC": "exit 75"})
    hold(said.status in (64, 65, 69), said)
    same(place.there("ran"), [])


@case
def a_project_names_no_workers(place):
    place.project(SHORT, workers=[wrapper("mine")])
    said = place.writ(*place.words("/usr/bin/touch", "ran", worker="mine"))
    hold(said.status in (64, 65) and b"workers" in said.out + said.err, said)
    same(place.there("ran"), [])


@case
def a_wrapper_that_dies_or_leaves_something_behind_is_told_as_it_is(place):
    ready(place)
    run = place.sh("touch ran", worker="rch", env={"FAKE_RCH_EXEC": "signal 9"})
    hold(run.record["state"] == "failed" and run.status != 0, run)
    same(place.there("ran"), [])
    mark = marker()
    run = ended(place.sh("true", worker="rch", env={"FAKE_RCH_EXEC": f"stay {mark}"}), "succeeded", 0)
    nothing_left(place, mark)
    run = ended(place.sh("true", worker="rch", env={"FAKE_RCH_EXEC": "print 30000000"}), "succeeded", 0)
    same((run.record["stdout"]["bytes"], run.record["stdout"]["truncated"]), (30000000, True))


@case
def a_wrapper_that_hangs_is_ended_at_the_hard_timeout(place):
    ready(place)
    for how in ("hang", "deaf"):
        run = place.sh("touch ran", worker="rch", of="short", env={"FAKE_RCH_EXEC": how})
        ended(run, "failed", 143, "command_timeout", WRAPPED)
        same((len(place.told(run, "killed")), place.there("ran")), (0 if how == "hang" else 3, []))


@case
def a_worker_nobody_named_is_refused(place):
    ready(place)
    said = place.writ(*place.words("/usr/bin/touch", "ran", worker="elsewhere"))
    hold(said.status not in (0, 70) and b"elsewhere" in said.out + said.err and b"pipe" in said.out + said.err, said)
    same(place.there("ran"), [])


if __name__ == "__main__":
    sys.exit(routes.main(CASES))
