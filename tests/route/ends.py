#!/usr/bin/env python3
"""ends: lanes that take too long, and lanes that somebody wants ended.

usage: ends.py FAKE_RCH WRIT      prints TAP

Whatever a lane comes to, routes.py looks whether its result, manifest, transcript and ledger are there
and say the same.
"""
import fcntl
import json
import os
import signal
import struct
import subprocess
import sys
import termios
import time

import routes
from routes import (ANY, DEAF, LOCAL, SHORT, STAYS, WALLED, WAYS, begin, ended, hold, marker, moves, nothing_left,
                    ready, same, true, until)

CASES = []
case = routes.collector(CASES)


# ---- readers ----

@case
def nobody_waits_for_ever_for_who_does_not_read_what_is_left(place):
    ready(place)
    for how, _ in WAYS:
        words = place.words("/bin/sh", "-c", "head -c 300000 /dev/zero; exec sleep 600", **how)
        unread, full = os.pipe()
        child = subprocess.Popen([routes.tap.WRIT, *(word for word in words if word != "--json")], cwd=place.work,
                                 env=place.environment({}), stdin=subprocess.DEVNULL, stdout=full,
                                 stderr=subprocess.PIPE)
        os.close(full)
        until(lambda: waiting_in(unread) >= 65536, "the pipe is full", child)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=100)  # one that waited for ever would not end
        os.close(unread)
        true(child.returncode == 143 and b"could not be passed on" in err, (how, child.returncode, err))


@case
def what_was_printed_counts_where_it_comes_behind_a_cancellation(place):
    ready(place)
    for times, event, came_to in ((1, "asked", ("cancelled", None)), (2, "killed", ("failed", "command_failed"))):
        gate, over = place.scratch / f"gate{times}", place.work / f"over{times}"
        place.configure(routes.pipe("narrow", command=[sys.executable, str(routes.HERE / "rigs/narrow.py"), str(gate),
                                                       "20000", str(routes.tap.WRIT)]))
        words = place.words("/bin/sh", "-c", f"head -c 250000 /dev/zero; touch {over.name}", worker="narrow",
                            closed=True)
        out = open(place.scratch / "out", "w+b")
        child = subprocess.Popen([routes.tap.WRIT, *(word for word in words if word != "--json")], cwd=place.work,
                                 env=place.environment({}), stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=subprocess.PIPE)
        until(over.exists, "the command is over", child)
        name, = place.running()
        told = place.state / "lanes" / name / "transcript.jsonl"
        for _ in range(times):
            cancel(place, name)
        until(lambda: f'"event":"{event}"' in told.read_text(), f"it is {event}", child)
        gate.touch()
        _, err = child.communicate(timeout=100)
        last = json.loads(told.read_text().splitlines()[-1])
        true((last["state"], last["failure_code"]) == came_to, (last, err))
        same(out.seek(0, os.SEEK_END), 250000)


def waiting_in(fd):
    return struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"    "))[0]


# ---- time ----

@case
def R_000_004_a_soft_timeout_warns_and_no_more(place):
    ready(place)
    for how, route in WAYS:
        run = ended(place.sh("sleep 1.3", of="short", **how), "succeeded", 0, route=route)
        late, = place.told(run, "late")
        same((late["after_secs"], late["hard_timeout_secs"]), (1, 2))
        same(place.path_of(run), moves("running", "succeeded"))
        same(place.told(run, "asked", "killed"), [])


@case
def R_000_004_R_000_067_a_hard_timeout_is_cancelled_and_failed_with_143(place):
    ready(place)
    mark = marker()
    run = ended(place.sh(STAYS, mark, of="short"), "failed", 143, "command_timeout", LOCAL)
    same(place.path_of(run), ["planned"] + ["queued", "running", "cancel_requested", "failed"] * 3)
    same(place.told(run, "state")[-1]["trigger"], "cancel_timeout")
    same([asked["why"] for asked in place.told(run, "asked")], ["timeout"] * 3)
    same(place.told(run, "killed"), [])  # it heard SIGTERM
    same(run.record["cause"], "timeout")
    nothing_left(place, mark)


@case
def R_000_004_a_command_that_does_not_hear_is_killed_after_its_grace(place):
    ready(place)
    mark = marker()
    run = ended(place.sh(DEAF, mark, of="short"), "failed", 143, "command_timeout", LOCAL)
    same(place.path_of(run), ["planned"] + ["queued", "running", "cancel_requested", "failed"] * 3)
    same(len(place.told(run, "killed")), 3)
    nothing_left(place, mark)


@case
def R_000_067_A00_8_a_timeout_is_tried_again_twice_wherever_and_each_attempt_is_recorded(place):
    ready(place)
    for how, route in WAYS:
        mark = marker()
        (place.work / "begun").unlink(missing_ok=True)
        run = ended(place.sh(DEAF, mark, of="short", **how), "failed", 143, "command_timeout", route)
        same((route, len(place.lines_of("begun"))), (route, 3))
        same([(line["code"], line["delay_ms"]) for line in place.told(run, "retry")],
             [("command_timeout", 1000), ("command_timeout", 2000)])
        same(len(place.told(run, "killed")), 3)
        attempts = [(entry["attempt"], entry["state"]) for entry in place.log("--execution", run.record["execution_id"])
                    if entry["kind"] == "execution_event"]
        same(attempts, [(n, state) for n in (1, 2, 3) for state in ("planned", "running", "failed")])
        same(run.record["attempt"], 3)
        nothing_left(place, mark)


@case
def nothing_of_an_attempt_before_is_open_in_the_next(place):
    ready(place)
    place.configure(routes.wrapper(probe=["/bin/false"]))  # so it runs here, and is tried again
    child = place.begin("/bin/sleep", "9", of="short", worker="rch", options=["--write-mode", "cow"])
    most = {}
    while child.poll() is None:
        said = [path.read_text() for path in place.state.glob("lanes/run-*/transcript.jsonl")]
        tried = "".join(said).count('"event":"retry"')
        try:
            most[tried] = max(most.get(tried, 0), len(os.listdir(f"/proc/{child.pid}/fd")))
        except FileNotFoundError:  # it has just ended
            break
        time.sleep(0.05)
    run = ended(place.end(child), "failed", 143, "command_timeout", LOCAL)
    same((run.record["attempt"], sorted(most)), (3, [0, 1, 2]))
    true(most[2] <= most[0] + 2, most)  # a layer has two, and one more may be open for a moment


@case
def an_attempt_that_never_ran_has_no_changes_to_commit(place):
    ready(place)
    place.configure(routes.wrapper(probe=["/bin/false"]))  # so it runs here, and is tried again
    child = place.begin("/bin/sh", "-c", "echo first > left; sleep 9", of="short", worker="rch",
                        options=["--write-mode", "cow"])
    until(lambda: any('"event":"retry"' in path.read_text()
                      for path in place.state.glob("lanes/run-*/transcript.jsonl")), "the first to be over", child)
    child.send_signal(signal.SIGINT)
    run = ended(place.end(child), "cancelled", failure=ANY)
    same((run.record["attempt"], run.record.get("changes", {}).get("list", [])), (2, []))
    said = place.writ("commit", run.record["execution_id"])
    hold(said.status != 0 and not (place.work / "left").exists(), said)


@case
def A00_8_a_command_that_failed_is_not_tried_again(place):
    ready(place)
    for how, route in WAYS:
        (place.work / "begun").unlink(missing_ok=True)
        run = ended(place.sh("echo x >> begun; exit 7", **how), "failed", 7, "command_failed", route)
        same((len(place.lines_of("begun")), place.told(run, "retry")), (1, []))


@case
def X_2_the_callers_shorter_time_holds_and_a_longer_does_not(place):
    ready(place)
    mark = marker()
    run = place.sh(STAYS, mark, of="short", options=["--timeout-ms", "1000"])
    ended(run, "failed", 143, "command_timeout")
    same(place.told(run, "late"), [])  # it was over before it was late
    run = place.sh(STAYS, mark, of="short", options=["--timeout-ms", "60000"])
    ended(run, "failed", 143, "command_timeout")
    nothing_left(place, mark)


@case
def R_000_004_what_ends_by_itself_after_its_time_while_writ_is_stopped_was_late(place):
    ready(place)
    for how, _ in WALLED:
        child = begin(place, "touch up; test -e again || { touch again; sleep 3; }", marker(), of="short", **how)
        child.send_signal(signal.SIGSTOP)
        time.sleep(4)
        child.send_signal(signal.SIGCONT)
        run = place.end(child)
        end, asked = place.told(run, "ended")[0], place.told(run, "asked")
        same((end["failure_code"], end["exit_code"], [line["why"] for line in asked]),
             ("command_timeout", 143, ["timeout"]))
        for name in ("up", "again"):
            (place.work / name).unlink(missing_ok=True)


@case
def A00_9_a_default_that_is_shorter_than_the_hard_timeout_ends_nothing(place):
    place.project(SHORT | {"default_timeout_secs": 1})
    ended(place.sh("sleep 1.2", of="short"), "succeeded", 0)
    for kind in ("config", "route"):
        told = place.writ("explain", kind, "--json").out
        true(b"what ends a command is its hard timeout" in told, told)


@case
def the_hint_after_a_timeout_says_whose_time_it_was(place):
    ready(place)
    for options, why in (([], b"2.0 s: the hard timeout of the class short\n"),
                         (["--timeout-ms", "1200"], b"1.2 s, as asked for; the hard timeout of the class short is 2 s\n"),
                         (["--timeout-ms", "9000"], b"2.0 s: the hard timeout of the class short\n")):
        said = place.writ("exec", "--class", "short", *options, "--", "/bin/sleep", "9")
        hold(said.status == 143 and b"it had " + why in said.err, said)


# ---- in a plan ----

HEARS = 'trap "touch heard; exit 0" TERM; echo $$ > up; sleep "$1" & wait'


def run_step(place, how, mark, **members):
    """A lane in a step that has this long, and what its transcript tells."""
    payload = {"inputs": {"command": "/bin/sh", "arguments": ["-c", HEARS, "sh", mark]},
               "route": {"class": "short"} | how}
    plan = routes.plans.plan(routes.plans.step("execute", payload, **members))
    said = place.writ("run", "--json", place.put("outside/plan.json", json.dumps(plan)))
    hold(said.status == 1, said)
    nothing_left(place, mark)
    transcript = max(place.state.glob("lanes/plan-*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
    return {line["event"]: line for line in map(json.loads, transcript.read_text().splitlines())}


@case
def R_000_004_in_a_step_it_is_asked_at_the_time_of_its_class_and_killed_at_that_of_its_step(place):
    ready(place)
    place.registry({"tool_id": "TL-1", "scope": {"commands": routes.plans.COMMANDS, "filesystem": "extended"}})
    for how, _ in WAYS:
        told = run_step(place, how, marker())
        same((how, place.there("heard"), "asked" in told, "killed" in told), (how, ["heard"], True, False))
        (place.work / "heard").unlink()
        told = run_step(place, how, marker(), timeout_ms=1000)
        same((how, told["asked"]["why"], told["killed"]["why"]), (how, "step", "step"))
        same((told["ended"]["failure_code"], told["ended"]["exit_code"]), ("command_timeout", 143))
        if how:  # a worker is told both in one breath: it may have heard the first
            (place.work / "heard").unlink(missing_ok=True)
        same(place.there("heard"), [])


# ---- being asked to end ----

def cancel(place, run_id, *options):
    said = place.writ("cancel", *options, run_id)
    hold(said.status == 0, said)


@case
def R_000_004_A00_3_cancelled_means_that_a_person_asked_by_the_runs_name(place):
    ready(place)
    for how, route in WAYS:
        mark = marker()
        child = begin(place, STAYS, mark, **how)
        name, = place.running()
        cancel(place, name)
        run = ended(place.end(child), "cancelled", route=route)
        same(place.path_of(run), moves("running", "cancel_requested", "cancelled"))
        asked, = place.told(run, "asked")
        same((asked["why"], run.record["manifest"]["run_id"]), ("operator", name))
        hold(run.status != 0, run)
        nothing_left(place, mark)


@case
def R_000_004_ctrl_c_and_sigterm_cancel(place):
    ready(place)
    for how, route in WAYS:
        for number in (signal.SIGINT, signal.SIGTERM):
            mark = marker()
            child = begin(place, STAYS, mark, **how)
            child.send_signal(number)
            run = ended(place.end(child), "cancelled", route=route)
            same(place.path_of(run), moves("running", "cancel_requested", "cancelled"))
            nothing_left(place, mark)


@case
def R_000_004_A00_3_who_does_not_end_in_its_grace_is_killed_and_has_failed(place):
    ready(place)
    for how, route in WAYS:
        mark = marker()
        child = begin(place, DEAF, mark, of="short", options=["--timeout-ms", "2000"], **how)
        child.send_signal(signal.SIGINT)
        run = ended(place.end(child), "failed", route=route, failure=ANY)
        same(place.path_of(run), moves("running", "cancel_requested", "failed"))
        same(place.told(run, "state")[-1]["trigger"], "cancel_timeout")
        same(place.told(run, "retry"), [])  # a person asked: nobody tries again
        hold(run.status != 0, run)
        nothing_left(place, mark)


@case
def A00_3_of_who_was_asked_to_end_and_killed_the_record_says_so_and_why(place):
    ready(place)
    for how, route in WAYS:
        mark = marker()
        child = begin(place, DEAF, mark, **how)
        for _ in range(2):  # the grace of its class is ten seconds
            cancel(place, place.running()[0], "--reason", "wrong branch")
        run = ended(place.end(child), "failed", 137, "command_failed", route)
        same((run.record["cause"], run.record["cancel_reason"]), ("cancelled", "wrong branch"))
        true("killed" in run.record["meaning"] and "look at what it did" in run.record["action"], run.record)
        last = place.log("--execution", run.record["execution_id"])[-1]
        error = place.entry(last["ledger_id"])["body"]["payload"]["error"]
        true("asked to end (wrong branch), did not, and was killed; what it did may not be whole" in error["message"], error)
        shown = place.writ("show", run.record["execution_id"])
        hold(b"\n  reason     wrong branch\n" in shown.out, shown)
        nothing_left(place, mark)


@case
def of_who_ended_in_time_the_reason_is_told_once(place):
    ready(place)
    child = begin(place, STAYS, marker())
    cancel(place, place.running()[0], "--reason", "wrong branch")
    run = ended(place.end(child), "cancelled")
    same((run.record["cancel_reason"], run.record["meaning"]), ("wrong branch", "cancelled"))
    shown = place.writ("show", run.record["execution_id"])
    hold(shown.out.count(b"\n  reason     wrong branch\n") == 1, shown)


def insist(child):
    """Sooner than half a second after the first, another one tells nothing new."""
    until(lambda: child.poll() is not None or child.send_signal(signal.SIGINT), "its end")


@case
def a_second_ctrl_c_kills_at_once(place):
    ready(place)
    for how, route in WAYS:
        mark = marker()
        child = begin(place, DEAF, mark, **how)  # the grace of its class is ten seconds
        child.send_signal(signal.SIGINT)
        transcript, = place.state.glob(f"lanes/{place.running()[0]}/transcript.jsonl")
        until(lambda: "cancel_requested" in transcript.read_text(), "it was asked", child)
        insist(child)
        run = ended(place.end(child), "failed", route=route, failure=ANY)
        true(run.record.get("duration_ms", 0) < 10000, run.record)
        nothing_left(place, mark)


@case
def who_is_told_twice_before_he_hears_was_told_twice(place):
    ready(place)

    for how, route in WAYS:
        mark = marker()
        child = begin(place, DEAF, mark, **how)  # the grace of its class is ten seconds
        name, = place.running()
        child.send_signal(signal.SIGSTOP)
        cancel(place, name)
        cancel(place, name)
        child.send_signal(signal.SIGCONT)
        run = ended(place.end(child), "failed", route=route, failure=ANY)
        true(run.record.get("duration_ms", 0) < 10000, run.record)
        nothing_left(place, mark)
    child = begin(place, STAYS, mark)
    cancel(place, place.running()[0], "--reason", "one\ntwo\nthree")  # is said once
    run = ended(place.end(child), "cancelled")
    same(place.told(run, "killed"), [])
    true("one two three" in json.dumps(place.told(run, "asked")), run.record)
    child = begin(place, STAYS, mark)
    cancel(place, place.running()[0], "--reason", "x" + "é" * 120)  # is cut between two characters
    run = ended(place.end(child), "cancelled")
    same([asked["reason"] for asked in place.told(run, "asked")], ["x" + "é" * 99])


@case
def one_wish_that_comes_as_several_signals_leaves_the_grace(place):
    ready(place)
    for how, route in WAYS:
        mark = marker()
        child = begin(place, STAYS, mark, **how)
        child.send_signal(signal.SIGSTOP)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTERM):
            child.send_signal(number)
        child.send_signal(signal.SIGCONT)
        run = ended(place.end(child), "cancelled", route=route)
        same(place.told(run, "killed"), [])
        nothing_left(place, mark)


@case
def who_was_killed_is_not_told_as_cancelled(place):
    ready(place)
    for options, again, line in (([], False, b""), (["--class", "short"], False, b"did not end within 1 s of being"),
                                 (["--class", "generic"], True, b"asked to end and told again, and is killed")):
        child = place.start(["exec", *options, "--", "/bin/sh", "-c", DEAF, "sh", marker()])
        until((place.work / "up").exists, "it is up", child)
        (place.work / "up").unlink()
        child.send_signal(signal.SIGINT)
        if again:
            transcript, = place.state.glob(f"lanes/{place.running()[0]}/transcript.jsonl")
            until(lambda: "cancel_requested" in transcript.read_text(), "it was asked", child)
            insist(child)
        said = routes.plans.Plans.end(place, child)
        hold(said.status == 137 and b"asked to end, it did not, and was killed after" in said.err, said)
        hold(line in said.err and b"cancelled" not in said.err, said)
        hold(not again or b"did not end within" not in said.err, said)


@case
def a_lane_whose_writ_was_killed_is_known_not_to_run(place):
    ready(place)
    ended(place.sh("true"), "succeeded", 0)
    same([*(place.state / "running").iterdir()], [])  # who ended leaves nothing
    mark = marker()
    child = begin(place, STAYS, mark)
    name, = place.running()
    show = lambda *options: place.writ("show", *options, name.removeprefix("run-")).out.decode()
    true("none yet: it runs" in show() and json.loads(show("--json"))["alive"] is True, show())
    child.kill()
    child.wait()
    nothing_left(place, mark)
    true(show().startswith("killed  exec ") and json.loads(show("--json"))["alive"] is False, show())
    true("who ran it was killed or could not record it, and left no manifest of it" in " ".join(show().split()), show())
    same(json.loads(show("--json"))["state"], "running")  # the ledger is as it was
    (path,) = (place.state / "running").iterdir()
    path.rename(path.with_name(path.name.split("@")[0] + "@elsewhere"))  # whose writ may live
    true(json.loads(show("--json"))["alive"] is None and "it still runs, or who ran it was killed" in show(), show())


@case
def cancel_of_what_does_not_run_says_so(place):
    ready(place)
    run = place.sh("true")
    for name in (run.record["manifest"]["run_id"], "run-00000000-0000-4000-8000-000000000000", "../../etc", "nonsense"):
        said = place.writ("cancel", name)
        hold(said.status != 0 and said.err and not said.out, said)


@case
def R_000_004_R_000_070_X_7_a_lane_is_cancelled_by_the_name_that_its_manifest_gives_it(place):
    ready(place)
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["/usr/bin/sleep"], "filesystem": "extended"}})
    (place.state / "lanes/run-nightly.1of2").mkdir(parents=True)  # another that begins so
    for id, name in (("ABCDEF01-1111-4111-8111-111111111111", "run-abcdef01-1111-4111-8111-111111111111"),
                     ("nightly.1", "run-nightly.1"), ("a/b/../c d", "run-a/b/../c d"), ("tiny", "run-tiny"),
                     ("run-twice", "run-run-twice"), ("run-once", "run-once")):
        path = place.request("/usr/bin/sleep", "60", execution_id=id, route={"class": "generic"})
        child = place.start(["exec", "--json", "-f", path])
        until(place.running, "it runs", child)
        cancel(place, name)
        same(routes.plans.Plans.end(place, child).record["state"], "cancelled")


if __name__ == "__main__":
    sys.exit(routes.main(CASES))
