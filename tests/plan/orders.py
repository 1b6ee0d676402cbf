#!/usr/bin/env python3
"""orders: which steps of a plan run, when and how often, and how time ends them.

usage: orders.py RUN_PLAN WRIT      prints TAP
"""
import pathlib
import re
import json
import os
import sqlite3
import sys
import time

import plans
from plans import alive, hold, marker, plan, python, retries, same, sh, step, touch, true, until

CASES = []
case = plans.collector(CASES)

# Fails until it has run so often as its first argument says; each time is a line in the file `times`.
NTH = 'echo once >> times; test "$(wc -l < times)" -ge "$1"'
# Its first attempt exits with 7, the next with 8, and so on.
COUNTED = 'echo once >> times; n=$(wc -l < times); '
CODES = COUNTED + 'exit $((6 + n))'
# Waits until all the files that are named are there.
WAIT = 'for name in "$@"; do until test -e "$name"; do :; done; done'
# Can be ended by nobody who asks nicely, and neither can its children.
STUBBORN = 'trap "" TERM INT HUP; (setsid sleep "$1" &); (trap "" TERM; sleep "$1" &); touch up; sleep "$1"; sleep "$1"'


def ids(*steps):
    return [one["id"] for one in steps]


def attempts(ran, index=0):
    return [line["attempt"] for line in ran.news if line["event"] == "step_started" and line["index"] == index]


def started(ran):
    return [index for _, index in ran.events("step_started")]


def gone(mark):
    """At the moment a result is there, nothing of its steps is."""
    same(alive(mark), [])


# ---- order ----

@case
def R_004_025_R_004_182_A04_7_a_step_waits_for_what_it_depends_on_and_lists_may_be_in_any_order(place):
    last = sh("cat a b c > all; echo d >> seen")
    a, b = sh("echo a | tee a >> seen"), sh("echo b | tee b >> seen")
    c = sh("cat a && echo c | tee c >> seen", after=[a])
    last["depends_on"] = ids(c, b, a)
    ran = place.comes_to("success", plan(last, a, b, c))
    same(place.lines_of("seen"), ["a", "b", "c", "d"])
    same(place.lines_of("all"), ["a", "b", "c"])
    same(started(ran), [1, 2, 3, 0])
    same((ran.result["steps_executed"], ran.result["steps_total"]), (4, 4))


@case
def R_004_159_A04_7_free_steps_run_one_at_a_time_in_the_order_of_the_list(place):
    steps = [sh('mkdir lock && echo "$1" >> seen && rmdir lock', n) for n in range(6)]
    ran = place.comes_to("success", plan(*steps))
    same(place.lines_of("seen"), [str(n) for n in range(6)])
    same(ran.events("step_started", "step_completed"),
         [(event, n) for n in range(6) for event in ("step_started", "step_completed")])


@case
def A04_7_with_jobs_so_many_steps_run_together_and_no_more(place):
    for jobs in (2, 3, 4):
        names = [f"up-{jobs}-{n}" for n in range(jobs)]
        together = [sh('touch "$1"; shift; ' + WAIT, name, *names) for name in names]  # each needs all others
        more = [sh("true") for _ in range(4)]
        ran = place.comes_to("success", plan(*together, *more), jobs=jobs)
        at_once = most = 0
        for line in ran.news:
            at_once += {"step_started": 1, "step_completed": -1}.get(line["event"], 0)
            most = max(most, at_once)
        same(most, jobs)
        same(started(ran), list(range(jobs + 4)))


@case
def A04_7_whatever_jobs_says_the_result_differs_only_in_times(place):
    def results():
        a, b = sh("echo a"), sh("exit 3", on_failure="skip")
        c = sh("exit 4", on_failure="skip")
        steps = [a, b, c, sh("echo d", after=[a]), sh("echo e")]
        fixed = {one["id"]: n for n, one in enumerate(steps)}
        for jobs in (1, 2, 3, 4):
            ran = place.comes_to("partial", plan(*steps), jobs=jobs)
            error = ran.error
            yield ([(fixed[e["step_id"]], e["error_code"], e["message"]) for e in error["context"]["errors"]],
                   fixed[error["step_id"]], error["error_code"], [fixed[i] for i in error["context"]["failed_steps"]],
                   [fixed[i] for i in error["context"]["incomplete_steps"]],
                   [(fixed[i], out["stdout"]["digest"]) for i, out in ran.result["result_payload"]["steps"].items()])
    first, *others = results()
    for other in others:
        same(other, first)


# ---- on_failure ----

@case
def R_004_053_R_004_107_R_004_113_R_004_122_R_004_083_skip_goes_on_and_the_plan_is_partial(place):
    steps = [sh("echo first"), sh("echo why >&2; exit 7", on_failure="skip"), touch("third")]
    ran = place.comes_to("partial", plan(*steps))
    same(place.there("third"), ["third"])
    same((ran.result["steps_executed"], list(ran.result["result_payload"]["steps"])), (2, ids(steps[0], steps[2])))
    same((ran.error["error_code"], ran.error["step_id"], ran.error["severity"], ran.error["recoverable"]),
         ("STEP_FAILED", steps[1]["id"], "error", True))
    same(ran.errors, ["STEP_FAILED", "STEP_SKIPPED"])
    same(ran.error["context"]["incomplete_steps"], ids(steps[1]))
    same([(e["error_code"], e["severity"]) for e in ran.result["result_payload"]["warnings"]],
         [("STEP_SKIPPED", "warn")])


@case
def R_004_067_R_004_079_A04_6_what_depends_on_a_skipped_step_is_unresolved_and_fatal(place):
    first = sh("exit 1", on_failure="skip")
    second = touch("second", after=[first])
    third = touch("third")
    ran = place.comes_to("failure", plan(touch("zeroth"), first, second, third))
    same((ran.error["error_code"], ran.error["step_id"]), ("DEPENDENCY_UNRESOLVED", second["id"]))
    same(place.there("zeroth", "second", "third"), ["zeroth"])
    line, = [line for line in ran.news if line.get("index") == 2]
    same([line[key] for key in ("event", "step_id", "attempt", "duration_ms", "code", "message", "severity", "note")],
         ["step_failed", second["id"], 0, 0, "DEPENDENCY_UNRESOLVED", ran.error["message"], "fatal", "not run"])
    shown = place.writ("run", "--progress", "lines", place.document({
        "name": "shown", "steps": [{"name": "bad", "run": ["/bin/sh", "-c", "exit 1"], "on_failure": "skip"},
                                   {"name": "next", "run": ["/usr/bin/touch", "second"], "after": ["bad"]}]}))
    told, = [line for line in shown.err.decode().splitlines() if "next" in line]
    hold("not run" in told and "DEPENDENCY_UNRESOLVED" in told and "(halts)" in told, shown)
    rows = {row["step_id"]: row for entry in place.of(ran.result["execution_id"], "manifest")
            for row in entry["body"].get("steps", ())}
    same([(rows[one]["state"], rows[one]["code"], rows[one]["message"])
          for one in ids(second, third)],
         [("not_run", "DEPENDENCY_UNRESOLVED", ran.error["message"]), ("not_run", None, None)])


@case
def R_004_127_R_004_082_A04_3_R_004_133_halt_ends_the_plan_and_what_still_runs(place):
    mark = marker()
    halts, runs = sh(WAIT + "; exit 9", "up"), sh(STUBBORN, mark)
    ran = place.comes_to("failure", plan(touch("before"), halts, runs, touch("after")), jobs=2)
    gone(mark)
    same((ran.error["error_code"], ran.error["cause"]["error_code"], ran.error["cause"]["step_id"],
          ran.error["cause"]["context"]["exit_code"]), ("EXECUTION_HALTED", "STEP_FAILED", halts["id"], 9))
    same(place.there("before", "after"), ["before"])
    same(ran.result["steps_executed"], 1)
    same(len(ran.error["context"]["incomplete_steps"]), 3)
    same([(line["index"], line["code"]) for line in ran.news if line["event"] == "step_failed"],
         [(1, "STEP_FAILED"), (2, "EXECUTION_HALTED")])


# ---- retries ----

@case
def R_004_016_R_004_017_R_004_018_R_004_019_A04_32_a_retried_step_waits_longer_each_time(place):
    ran = place.comes_to("success", plan(sh(NTH, 5, on_failure="retry"), retry_policy=retries(
        5, "STEP_FAILED", backoff_ms=4, backoff_multiplier=3.0, max_backoff_ms=30)))
    same(attempts(ran), [1, 2, 3, 4, 5])
    same(len(place.lines_of("times")), 5)
    waits = [line["wait_ms"] for line in ran.news if line["event"] == "step_retries"]
    same(waits, [4, 12, 30, 30])
    true(ran.result["duration_ms"] >= sum(waits), ran.result)
    same({line["max_attempts"] for line in ran.news if line["event"] == "step_started"}, {5})


@case
def R_004_016_R_004_107_A04_5_when_all_attempts_have_failed_the_plan_goes_on_and_is_partial(place):
    ran = place.comes_to("partial", plan(sh(NTH, 9, on_failure="retry"), touch("next"),
                                         retry_policy=retries(3, "STEP_FAILED")))
    same((attempts(ran), len(place.lines_of("times")), place.there("next")), ([1, 2, 3], 3, ["next"]))
    same(ran.errors, ["STEP_FAILED"] * 3 + ["STEP_SKIPPED"])


def told(errors):
    """Of each error which attempt it is of, and the exit code that it tells."""
    return [(e["context"]["attempt"], e["context"]["exit_code"]) for e in errors if e["error_code"] == "STEP_FAILED"]


def recorded(place, ran):
    """The PlanResult in the ledger, and of each attempt its number and its state, as the ledger has them."""
    result = place.of(ran.result["execution_id"], "plan_result")[0]["body"]
    rows = [row for entry in place.of(ran.result["execution_id"], "manifest") for row in entry["body"]["steps"]]
    return result, [(row["attempt"], row["state"], "exit" in (row["message"] or "")) for row in rows]


@case
def R_004_111_R_004_116_A04_22_every_attempt_has_its_error_in_the_result_and_in_the_ledger(place):
    ran = place.comes_to("partial", plan(sh(CODES, on_failure="retry"), touch("next"),
                                         retry_policy=retries(3, "STEP_FAILED")))
    same(told(ran.error["context"]["errors"]), [(1, 7), (2, 8), (3, 9)])
    same((ran.error["context"]["exit_code"], len(ran.error["context"]["failed_steps"])), (7, 1))  # the primary error
    result, rows = recorded(place, ran)
    same((result, rows), (ran.result, [(1, "failed", True), (2, "failed", True), (3, "failed", True),
                                       (1, "completed", False)]))
    executions = {e["context"]["execution_id"] for e in ran.error["context"]["errors"] if "exit_code" in e["context"]}
    same(len(executions), 3)
    shown = place.writ("show", ran.result["execution_id"]).out.decode()
    true(all(f"exit {code}" in shown for code in (7, 8, 9)), shown)


@case
def R_004_139_a_failure_is_recorded_with_the_errors_of_all_attempts(place):
    ran = place.comes_to("failure", plan(sh(CODES, on_failure="retry"), sh("exit 5"),
                                         retry_policy=retries(3, "STEP_FAILED")))
    errors = [error["context"]["exit_code"] for error in ran.error["context"]["errors"]
              if error["error_code"] == "STEP_FAILED"]
    same((errors, ran.error["error_code"], ran.error["cause"]["context"]["exit_code"]),
         ([7, 8, 9, 5], "EXECUTION_HALTED", 5))
    same(recorded(place, ran)[0], ran.result)


@case
def R_004_111_A04_19_a_step_that_is_completed_at_last_keeps_the_errors_of_its_attempts(place):
    for status, last in (("success", touch("next")), ("partial", sh("exit 5", on_failure="skip"))):
        (place.work / "times").unlink(missing_ok=True)
        path = place.document(plan(sh(COUNTED + "test $n = 3 || exit $((6 + n))", on_failure="retry"), last,
                                   retry_policy=retries(3, "STEP_FAILED")))
        ran = place.comes_to(status, path)
        same(told(ran.result["result_payload"]["retried_errors"]), [(1, 7), (2, 8)])
        result, rows = recorded(place, ran)
        same((result, rows[:3]), (ran.result, [(1, "failed", True), (2, "failed", True), (3, "completed", False)]))
        shown = place.writ("show", ran.result["execution_id"]).out.decode()
        true("exit 7" in shown and "exit 8" in shown, shown)
        if status == "partial":  # what was overcome is in the trace, and not why
            same([e["context"]["exit_code"] for e in ran.error["context"]["errors"] if "exit_code" in e["context"]],
                 [7, 8, 5])
            same((ran.error["context"]["exit_code"], ran.error["context"]["failed_steps"]), (5, [last["id"]]))


@case
def R_004_020_A04_5_only_codes_that_are_listed_are_retried_and_by_default_none_is(place):
    for policy in ({"max_attempts": 5}, retries(5, "STEP_TIMEOUT"), retries(1, "STEP_FAILED")):
        (place.work / "times").unlink(missing_ok=True)
        ran = place.comes_to("partial", plan(sh(NTH, 2, on_failure="retry"), sh("true"), retry_policy=policy))
        same((attempts(ran), len(place.lines_of("times"))), ([1], 1), policy)


@case
def A04_5_halt_and_skip_never_retry(place):
    for on_failure, status in (("halt", "failure"), ("skip", "partial")):
        (place.work / "times").unlink(missing_ok=True)
        ran = place.comes_to(status, plan(sh("true"), sh(NTH, 2, on_failure=on_failure),
                                          retry_policy=retries(5, "STEP_FAILED")))
        same((attempts(ran, 1), len(place.lines_of("times"))), ([1], 1))


@case
def R_004_108_R_004_132_A04_2_errors_alone_and_nothing_completed_is_a_failure(place):
    ran = place.comes_to("failure", plan(sh("exit 5", on_failure="skip"), sh("exit 6", on_failure="skip")))
    same((ran.error["error_code"], ran.error["cause"]["severity"], ran.result["steps_executed"]),
         ("STEP_FAILED", "error", 0))


# ---- what depends on a step that was skipped ----

@case
def R_004_083_R_004_107_A04_6_what_depends_on_a_skipped_step_is_skipped_where_that_is_asked_for(place):
    def documents():
        bad = sh("exit 5", on_failure="skip")
        below = touch("below", after=[bad])
        return plan(touch("first"), bad, below, touch("further", after=[below]), touch("other"))
    document = documents()
    ran = place.comes_to("partial", document, skip="cascade")
    same((ran.errors, place.there("below", "further", "other")),
         (["STEP_FAILED"] + ["STEP_SKIPPED"] * 3, ["other"]))
    same(ran.error["context"]["incomplete_steps"], ids(*document["steps"][1:4]))
    same(ran.error["error_code"], "STEP_FAILED")
    same(place.of(ran.result["execution_id"], "input")[0]["body"]["dependency_skip"], "cascade")
    for how in (None, "fail"):  # off by default
        ran = place.comes_to("failure", documents(), skip=how)
        same((ran.error["error_code"], place.there("below", "further")), ("DEPENDENCY_UNRESOLVED", []))
        same(place.of(ran.result["execution_id"], "input")[0]["body"]["dependency_skip"], "fail")
    by_hand = [place.writ("run", *words, place.document(documents())).status
               for words in ([], ["--dependency-skip", "cascade"], ["--dependency-skip", "fail"],
                             ["--dependency-skip", "never"])]
    same(by_hand, [1, 3, 1, 64])
    ran = place.run(documents(), skip="never")
    hold(ran.status == 64 and "dependency_skip is fail or cascade" in ran.record["message"], ran)


@case
def A04_6_the_users_configuration_may_ask_for_it_and_the_projects_may_not(place):
    def comes_to(how=None):
        bad = sh("exit 5", on_failure="skip")
        inner = plan(touch("first"), bad, touch("below", after=[bad]))
        return place.run(plan(step("execute_plan", {"plan": inner}, on_failure="skip"), sh("true")),
                         skip=how, env={"XDG_CONFIG_HOME": str(place.scratch / "config")})

    def told(ran):
        return ran.error["context"]["code"]
    same(told(comes_to()), "DEPENDENCY_UNRESOLVED")
    place.put("../config/writ/config.yaml", "dependency_skip: cascade\n")
    same((told(comes_to()), told(comes_to("fail"))), ("STEP_FAILED", "DEPENDENCY_UNRESOLVED"))
    place.put(".writ/config.yaml", "dependency_skip: fail\n")
    same((told(comes_to()), told(comes_to("cascade"))), ("DEPENDENCY_UNRESOLVED", "STEP_FAILED"))
    (place.scratch / "config/writ/config.yaml").unlink()
    path = place.put(".writ/config.yaml", "dependency_skip: cascade\n")
    same(told(comes_to()), "DEPENDENCY_UNRESOLVED")
    checked = place.writ("check", path)
    hold(checked.status == 65 and b"a project may only say fail" in checked.out + checked.err, checked)


# ---- time ----

@case
def R_004_027_R_004_066_R_004_076_R_004_178_R_004_179_a_step_over_its_time_dies_with_all_it_started(place):
    for on_failure in ("halt", "skip", "retry"):  # fatal, whatever is asked for
        mark = marker()
        ran = place.comes_to("failure", plan(touch("before"), sh(STUBBORN, mark, on_failure=on_failure, timeout_ms=700),
                                             touch("after"), retry_policy=retries(3, "STEP_FAILED")))
        gone(mark)
        same((ran.error["error_code"], ran.error["step_id"] is not None), ("STEP_TIMEOUT", True))
        same(place.there("up", "after"), ["up"])  # it was ended in the middle
        same(attempts(ran, 1), [1])
        (place.work / "up").unlink()


@case
def R_004_066_R_004_181_A04_4_A04_31_a_step_over_its_time_is_tried_again_where_the_plan_says_so(place):
    # Who holds the lock in the first attempt must be gone when the second begins.
    code = ("import fcntl, os, subprocess, sys, time\n"
            "lock = open('lock', 'w')\n"
            "fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
            "if os.path.exists('first'): sys.exit(0)\n"
            "open('first', 'w').close()\n"
            "subprocess.Popen(['/usr/bin/sleep', sys.argv[1]], pass_fds=[lock.fileno()], start_new_session=True)\n"
            "time.sleep(600)\n")
    mark = marker()
    ran = place.comes_to("success", plan(python(code, mark, on_failure="retry", timeout_ms=4000),
                                         retry_policy=retries(2, "STEP_TIMEOUT")))
    gone(mark)
    same([(line["event"], line.get("code")) for line in ran.news if "step" in line["event"]],
         [("step_started", None), ("step_failed", "STEP_TIMEOUT"), ("step_retries", None), ("step_started", None),
          ("step_completed", None)])
    same(place.there("first"), ["first"])


@case
def R_004_066_a_step_that_is_over_its_time_each_time_is_an_error_and_the_plan_goes_on(place):
    mark = marker()
    ran = place.comes_to("partial", plan(sh(STUBBORN, mark, on_failure="retry", timeout_ms=300), touch("next"),
                                         retry_policy=retries(2, "STEP_TIMEOUT")))
    gone(mark)
    same((attempts(ran), ran.error["error_code"], ran.error["severity"], place.there("next")),
         ([1, 2], "STEP_TIMEOUT", "error", ["next"]))


@case
def R_004_011_R_004_077_R_004_129_R_004_180_A04_30_a_plan_over_its_time_ends_with_all_that_runs(place):
    marks = marker(), marker()
    steps = [sh("echo done"), *(sh(STUBBORN, mark) for mark in marks), touch("after")]
    ran = place.comes_to("failure", plan(*steps, timeout_ms=1200), jobs=2)
    for mark in marks:
        gone(mark)
    same((ran.error["error_code"], ran.error.get("step_id")), ("PLAN_TIMEOUT", None))
    same(list(ran.result["result_payload"]["steps"]), ids(steps[0]))
    same(place.there("up", "after"), ["up"])
    same([line["code"] for line in ran.news if line["event"] == "step_failed"], ["PLAN_TIMEOUT"] * 2)


@case
def R_004_076_R_004_178_a_step_over_its_time_is_dead_though_nobody_gets_at_the_ledger(place):
    if plans.ledger.POSTGRES:
        raise plans.tap.Skip("a lock of the file")
    mark = marker()
    child = place.begin(plan(step("noop"), sh(STUBBORN, mark, timeout_ms=2500, sandbox={"timeout_ms": 600000})))
    blocker = plans.held(place, child)  # who waits for it as long as a ledger is waited for records nothing
    plans.until(lambda: not alive(mark), "the end of the command", child)
    blocker.execute("ROLLBACK")
    ran = place.end(child)
    hold(ran.status == 1 and ran.error["error_code"] == "STEP_TIMEOUT", ran)


@case
def R_004_179_A04_9_a_command_that_ended_in_time_has_done_so_however_long_its_record_takes(place):
    mark = marker()
    plans.recorded_late(place, mark, plans.until_enough(mark, timeout_ms=5000), touch("after"))
    same(place.there("after"), ["after"])


@case
def A04_30_a_step_with_more_time_than_the_plan_has_left_ends_with_the_plan(place):
    mark = marker()
    ran = place.comes_to("failure", plan(sh(STUBBORN, mark, timeout_ms=60000), timeout_ms=700))
    gone(mark)
    same(ran.error["error_code"], "PLAN_TIMEOUT")


@case
def A04_30_a_command_has_the_time_of_its_step_where_it_says_none_itself(place):
    own = {"timeout_ms": 4321}
    steps = [sh("true"), sh("true", timeout_ms=45000), sh("true", timeout_ms=200000), sh("true", sandbox=own),
             sh("true", sandbox=own, timeout_ms=45000)]
    wanted = [90000, 45000, 90000, 4321, 4321]
    document = plan(*steps, timeout_ms=90000)
    foretold = json.loads(place.writ("run", "--dry-run", "--json", place.document(document)).out)
    same([(one["timeout_ms"], one["limits"]["timeout_ms"]) for one in foretold["steps"]],
         [(ms, ms) for ms in wanted])
    outputs = place.comes_to("success", document).result["result_payload"]["steps"]
    manifests = [place.of(outputs[one["id"]]["execution_id"], "manifest")[0]["body"] for one in steps]
    same([body["limits"]["timeout_ms"] for body in manifests], wanted)
    # Within what a command may have: 1 s to 10 minutes.
    long = plan(sh("true"), sh("true", timeout_ms=999), timeout_ms=900000)
    foretold = json.loads(place.writ("run", "--dry-run", "--json", place.document(long)).out)
    same([(one["timeout_ms"], one["limits"]["timeout_ms"]) for one in foretold["steps"]],
         [(600000, 600000), (999, 1000)])


@case
def A04_34_a_command_over_the_time_that_it_gave_itself_is_a_step_that_failed(place):
    mark = marker()
    ran = place.comes_to("partial", plan(touch("before"), sh(STUBBORN, mark, sandbox={"timeout_ms": 1000},
                                                             on_failure="skip")))
    gone(mark)
    same((ran.error["error_code"], ran.error["context"]["cause"]), ("STEP_FAILED", "timeout"))


@case
def A04_31_the_wait_before_the_next_attempt_is_the_plans_time(place):
    ran = place.comes_to("failure", plan(sh("exit 1", on_failure="retry"), timeout_ms=700,
                                         retry_policy=retries(2, "STEP_FAILED", backoff_ms=50000)))
    same((ran.error["error_code"], attempts(ran)), ("PLAN_TIMEOUT", [1]))


@case
def R_004_031_R_004_068_R_004_078_R_004_128_A04_8_the_deadline_is_a_moment_of_the_clock(place):
    if plans.ledger.POSTGRES:
        raise plans.tap.Skip("a lock of the file")
    place.base  # so that there is a ledger
    mark = marker()
    blocker = sqlite3.connect(place.file, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")  # its start takes longer than its caller thought
    now = time.time()
    child = place.begin(plan(sh(STUBBORN, mark), touch("after"), timeout_ms=3000),
                        context={"environment": plans.HERE, "deadline_ms": round(now * 1000) + 6000})
    plans.until(lambda: time.time() > now + 4, "four seconds", child)
    blocker.execute("ROLLBACK")
    ran = place.end(child)
    gone(mark)
    hold(ran.status == 1 and ran.error["error_code"] == "DEADLINE_EXCEEDED", ran)
    same(place.there("up", "after"), ["up"])


@case
def R_004_199_R_004_200_A04_13_a_plan_can_be_told_that_its_time_is_up(place):
    mark = marker()
    reads, writes = os.pipe()
    child = place.begin(plan(touch("first"), sh(STUBBORN, mark), touch("after")), force=reads, fds=[reads])
    plans.until(lambda: (place.work / "up").exists(), "the second step", child)
    os.write(writes, b"!")
    ran = place.end(child)
    gone(mark)
    os.close(reads), os.close(writes)
    hold(ran.status == 1 and ran.error["error_code"] == "PLAN_TIMEOUT" and "told" in ran.error["message"], ran)
    same((place.there("first", "after"), ran.result["steps_executed"]), (["first"], 1))


@case
def a_plan_whose_time_is_up_before_it_begins_runs_no_step(place):
    reads, writes = os.pipe()
    os.write(writes, b"!")
    ran = place.end(place.begin(plan(sh("sleep 600"), touch("after")), force=reads, fds=[reads]))
    os.close(reads), os.close(writes)
    hold(ran.status == 1 and ran.error["error_code"] == "PLAN_TIMEOUT", ran)
    same(place.there("after"), [])


@case
def R_004_006_a_plan_of_1024_steps_runs_all_of_them_in_order(place):
    steps = [step("noop")]
    while len(steps) < 1024:
        steps.append(step("noop", None, steps[-1]))
    ran = place.comes_to("success", plan(*reversed(steps)), jobs=4)
    same((ran.result["steps_executed"], ran.result["steps_total"]), (1024, 1024))
    same(started(ran), list(reversed(range(1024))))


# ---- what is held ----

def held(place, runner):
    """What a plan's execution holds beside its processes: control groups, mounts, and files that are no record."""
    groups = [path for path, _, _ in os.walk("/sys/fs/cgroup") if re.search(rf"/writ-\d+-{runner}-", path)]
    mounts = [line for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines() if str(place.scratch) in line]
    files = [path for path in place.state.rglob("*") if "evidence" not in path.parts and "ledger" not in path.name]
    return groups, mounts, sorted(map(str, [*files, *(place.scratch / "tmp").iterdir()]))


@case
def R_004_141_R_004_149_after_a_failure_the_caller_has_nothing_to_clean_up(place):
    def late(mark):
        return sh(STUBBORN, mark)
    (place.scratch / "tmp").mkdir()
    place.comes_to("failure", plan(sh("exit 1")))  # what only the first plan makes stays: the ledger, its locks
    rest = held(place, 0)
    for jobs, more, steps in (
            (2, {}, lambda mark: (late(mark), sh("until test -e go; do :; done; exit 1"))),
            (1, {}, lambda mark: (late(mark) | {"timeout_ms": 1500},)),
            (1, {"timeout_ms": 1500}, lambda mark: (late(mark),)),
            (1, {}, lambda mark: (step("execute_plan", {"plan": plan(late(mark), timeout_ms=1500)}),))):
        (place.work / "up").unlink(missing_ok=True)
        mark = marker()
        child = place.begin(plan(*steps(mark), **more), jobs=jobs, env={"TMPDIR": str(place.scratch / "tmp")})
        until((place.work / "up").exists, "a step", child)
        groups, mounts, files = held(place, child.pid)
        true(alive(mark) and groups and files != rest[2], "what it holds is seen while it runs")
        place.put("work/go", "")
        ran = place.end(child)
        same((ran.status, ran.result["status"]), (1, "failure"))
        same((alive(mark), held(place, child.pid)), ([], rest))


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
