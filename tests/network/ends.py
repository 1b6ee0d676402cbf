"""ends.py: the gate ends with its run, however the run ends: no process and no connection is left."""
import os
import signal

import crowds
import town
import visit
from visit import alive, decided, decisions, gates, hold, true
from toolshed import plans

CASES = []
case = visit.collector(CASES)


def gone(found):
    """Those processes end, and so does every connection they had."""
    true(found, "there was no writ-net")
    plans.until(lambda: not [pid for pid in found if alive(pid)], f"writ-net to end: {found}")
    plans.until(lambda: crowds.established() == 0, "connections to end")


@case
def N19_after_a_run_that_ended_nothing_is_left(place):
    with place.running("hold", ["allowed.test", 80, 5], allow=["allowed.test"]) as child:
        found = gates(child.pid)
        true(len(found) >= 1 and crowds.established() >= 5, (found, crowds.established()))
    hold(child.run.status == 0 and child.run.record["assurance"] == "full", child.run)
    hold("incomplete" not in child.run.record["network"], child.run)
    true(not [pid for pid in found if alive(pid)], "it outlived the run")
    gone(found)
    true(not gates(), gates())


@case
def N19_after_a_timeout_nothing_is_left(place):
    with place.running("hold", ["allowed.test", 80, 5], allow=["allowed.test"], options=["--timeout-ms=2000"]) as child:
        found = gates(child.pid)
        run = place.end_of(child)
    hold(run.record.get("cause") == "timeout", run)
    gone(found)
    hold(len(decisions(run, True, via="connect")) == 5, run)
    hold(decided(run, "allowed.test", True)["address"].startswith(town.ALLOWED), run)


@case
def N19_after_writ_is_killed_nothing_is_left(place):
    with place.running("hold", ["allowed.test", 80, 5], allow=["allowed.test"]) as child:
        found = gates(child.pid)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        gone(found)
    true(not gates(), gates())


@case
def N19_after_writ_is_told_to_end_nothing_is_left(place):
    with place.running("hold", ["allowed.test", 80, 5], allow=["allowed.test"]) as child:
        found = gates(child.pid)
        child.terminate()
        child.wait(timeout=60)
        gone(found)


# Killed from the host: the doors are shut, and shut they stay.
@case
def N06_when_the_gate_dies_nothing_gets_out_and_the_run_is_told_of(place):
    with place.running("hold", ["allowed.test", 80, 2], allow=["allowed.test"]) as child:
        found = gates(child.pid)
        for pid in found:
            os.kill(pid, signal.SIGKILL)
        gone(found)
        before = place.town.total()
        true(not gates(child.pid), "it was started anew")
    true(place.town.total() == before, "somebody got out")
    hold(child.run.record.get("exit_code") == 0, child.run)
    record = child.run.record  # what it had not told is lost, and that is told
    hold(record["network"].get("incomplete") is True and record["assurance"] == "weak", child.run)
    hold("net" in record["missing"] and "net" not in record["layers"], child.run)


@case
def N06_a_command_that_is_not_there_leaves_no_gate(place):
    run = place.reach(str(place.work / "nobody"), allow=["allowed.test"])
    hold(run.record.get("exit_code") == 127 or run.status == 127, run)
    true(not gates(), gates())


@case
def R_001_017_a_run_offline_has_no_gate(place):
    run = place.exec("/usr/bin/env")
    hold(run.record["exit_code"] == 0 and "proxy" not in run.record["stdout"]["text"].lower(), run)
    true(not gates(), gates())
    hold(not decisions(run), run)
