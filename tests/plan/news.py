#!/usr/bin/env python3
"""news: what a plan tells while it runs, to those who read it, read late, or never do.

usage: news.py RUN_PLAN WRIT      prints TAP
"""
import contextlib
import json
import os
import pty
import socket
import sys
import tty

import plans
from plans import execute, hold, plan, same, sh, step, true, until

CASES = []
case = plans.collector(CASES)

UNTIL_GO = "touch up; until test -e go; do :; done"
NOTICE = {"text": "x" * 3000}
LINES = {"plan": 2, "noop": 2, "notify": 3, "execute": 2}  # of a plan, and of a step that completes


def lines_due(document):
    return LINES["plan"] + sum(LINES[one["action"]] for one in document["steps"])


@contextlib.contextmanager
def pipe():
    reads, writes = os.pipe()
    try:
        yield reads, writes
    finally:
        os.close(reads)


def take(fd):
    """What can be read now."""
    os.set_blocking(fd, False)
    found = b""
    with contextlib.suppress(BlockingIOError):
        while data := os.read(fd, 1 << 16):
            found += data
    return found


def parsed(data):
    """Whole lines, each of them JSON."""
    true(not data or data.endswith(b"\n"), data[-200:])
    return [json.loads(line) for line in data.splitlines()]


def is_success(ran, steps):
    hold(ran.status == 0 and ran.result["status"] == "success" and ran.result["steps_executed"] == steps, ran)


# ---- what is told ----

@case
def R_004_097_each_thing_that_happens_is_a_line_with_its_members(place):
    a = sh("exit 1", on_failure="retry")
    document = plan(a, sh("printf x > out", outputs={"output_files": ["out"]}), step("notify", {"a": 1}),
                    retry_policy=plans.retries(2, "STEP_FAILED", backoff_ms=1))
    ran = place.comes_to("partial", document)
    members = {"plan_started": {"execution_id", "plan_id", "name", "steps_total", "timeout_ms", "deadline_ms", "jobs"},
               "step_started": {"step_id", "name", "index", "attempt", "max_attempts"},
               "step_completed": {"step_id", "name", "index", "attempt", "duration_ms", "note"},
               "step_failed": {"step_id", "name", "index", "attempt", "duration_ms", "code", "message", "severity",
                               "on_failure", "note", "last_words"},
               "step_retries": {"step_id", "name", "index", "attempt", "wait_ms"},
               "notify": {"step_id", "name", "index", "payload"}, "plan_execution_partial": {"result"}}
    same({line["event"] for line in ran.news}, set(members))
    for line in ran.news:
        same(set(line), members[line["event"]] | {"event", "at"}, line)
        true("step_id" not in line or line["step_id"] == document["steps"][line["index"]]["id"], line)
        true("step_id" not in line or line["name"] == line["step_id"][:8], line)
    times = [line["at"] for line in ran.news]
    same(times, sorted(times))


@case
def R_004_097_a_line_about_a_step_has_the_name_that_the_plan_gives_it(place):
    named, bare = sh("true"), step("notify", {"a": 1})
    document = plan(named, bare, metadata={"writ": {"names": {named["id"]: "build it"}}})
    ran = place.comes_to("success", document)
    told = [(line["event"], line["name"]) for line in ran.news if "step_id" in line]
    short = bare["id"][:8]
    same(told, [("step_started", "build it"), ("step_completed", "build it"), ("step_started", short),
                ("notify", short), ("step_completed", short)])


@case
def a_plan_that_nobody_listens_to_runs_the_same(place):
    ran = place.end(place.begin(plan(step("notify", NOTICE), sh("true"))))
    is_success(ran, 2)


# ---- who does not read ----

@case
def R_004_086_R_004_087_R_004_088_R_004_089_a_plan_ends_the_same_while_nobody_has_read(place):
    document = plan(*(step("notify", NOTICE) for _ in range(100)), sh("true"))
    with pipe() as (reads, writes):
        ran = place.end(place.begin(document, progress=writes, fds=[writes]))  # nothing was read until here
        os.close(writes)
        news = parsed(take(reads))
    is_success(ran, 101)
    true(0 < len(news) < lines_due(document), len(news))
    same(news[0]["event"], "plan_started")
    kept, = place.of(ran.result["execution_id"], "plan_result")
    same(kept["body"], ran.result)


@case
def R_004_086_R_004_089_lines_that_were_lost_are_counted_in_the_next_that_is_not(place):
    document = plan(*(step("notify", NOTICE) for _ in range(50)), sh(UNTIL_GO), step("noop"))
    with pipe() as (reads, writes):
        child = place.begin(document, progress=writes, fds=[writes])
        until(lambda: (place.work / "up").exists(), "the last step but one", child)
        before = parsed(take(reads))
        place.put("work/go", "")
        ran = place.end(child)
        os.close(writes)
        after = parsed(take(reads))
    is_success(ran, 52)
    lost = [line["lost"] for line in before + after if "lost" in line]
    true("lost" in after[0] and after[0]["event"] in ("step_started", "step_completed"), after[0])
    same(len(before) + len(after) + sum(lost), lines_due(document))


@case
def R_004_087_R_004_088_a_reader_that_goes_away_changes_nothing(place):
    for early in (True, False):
        (place.work / "go").unlink(missing_ok=True)
        (place.work / "up").unlink(missing_ok=True)
        document = plan(step("notify", NOTICE), sh(UNTIL_GO), *(step("notify", NOTICE) for _ in range(20)), sh("true"))
        reads, writes = os.pipe()
        if early:
            os.close(reads)
        child = place.begin(document, progress=writes, fds=[writes])
        os.close(writes)
        until(lambda: (place.work / "up").exists(), "the second step", child)
        if not early:
            os.close(reads)
        place.put("work/go", "")
        is_success(place.end(child), 23)


@case
def R_004_087_a_failure_and_a_partial_end_stay_what_they_are(place):
    for status, steps in ((1, [sh("false")]), (3, [sh("true"), sh("false", on_failure="skip")])):
        reads, writes = os.pipe()
        os.close(reads)
        ran = place.end(place.begin(plan(*steps), progress=writes, fds=[writes]))
        os.close(writes)
        same(ran.status, status, ran.record)


def unread(place, document, ours, theirs):
    """What a reader gets that begins to read when the last step runs."""
    child = place.begin(document, progress=theirs, fds=[theirs])
    until(lambda: (place.work / "up").exists(), "the last step but one", child)
    before = take(ours)
    place.put("work/go", "")
    ran = place.end(child)
    is_success(ran, len(document["steps"]))
    news = parsed(before + take(ours))
    lost = sum(line.get("lost", 0) for line in news)
    true(lost > 0, "nothing was lost")
    true(lines_due(document) - 4 < len(news) + lost <= lines_due(document), len(news))  # the last may be lost, too


@case
def R_004_086_a_reader_behind_a_socket_holds_nothing_up(place):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        unread(place, plan(*(step("notify", {"text": "x" * 300000}) for _ in range(8)), sh(UNTIL_GO), step("noop")),
               ours.fileno(), theirs.fileno())


@case
def R_004_086_a_terminal_that_is_not_read_holds_nothing_up(place):
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    try:
        unread(place, plan(*(step("notify", {"text": "x" * 20000}) for _ in range(8)), sh(UNTIL_GO), step("noop")),
               ours, theirs)
    finally:
        os.close(ours), os.close(theirs)


@case
def R_004_086_a_descriptor_that_cannot_be_written_changes_nothing(place):
    with open(os.devnull, "rb") as wrong, open("/dev/full", "wb") as full:
        for fd in (wrong.fileno(), full.fileno(), 987):
            ran = place.end(place.begin(plan(step("notify", NOTICE), execute("/usr/bin/true")), progress=fd,
                                        fds=[fd] if fd != 987 else []))
            is_success(ran, 2)


if __name__ == "__main__":
    sys.exit(plans.main(CASES))
