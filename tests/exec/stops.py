#!/usr/bin/env python3
"""stops: runs that are called off, and runs whose writ is stopped or not listened to itself.

usage: stops.py UNENDING WRIT      prints TAP
"""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import ground
import tap
from ground import Run, expect, hold

CASES = []
case = ground.collector(CASES)

WAYS = [[], ["--class", "generic"], ["--deterministic", "fixed"]]


@contextlib.contextmanager
def running(place, *args, **how):
    """`writ exec`, and a FIFO that says when its command runs, and then when its tree is dead."""
    fifo = place.work / "fifo"
    os.mkfifo(fifo)
    child = subprocess.Popen([tap.WRIT, "exec", *args], cwd=place.work, env=place.environment({}),
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
    try:
        with open(fifo, "rb") as says:
            hold(says.read(1) == b"x", Run(None, {}, b"", b"it did not begin"))
            yield child, says
    finally:
        fifo.unlink()
        if child.poll() is None:
            child.send_signal(signal.SIGCONT)
            child.kill()
        child.communicate()


def ended(child):
    out, err = child.communicate(timeout=60)
    return Run(child.returncode, json.loads(out), out, err)


# ---- called off ----

GIVES_IN = "exec 3>fifo; trap 'exit %d' TERM; printf x >&3; while :; do sleep 0.05; done"


@case
def R_001_071_R_001_168_who_is_called_off_and_ends_with_0_has_not_succeeded(place):
    for code, told in ((0, 130), (7, 7)):
        with running(place, "--json", "--", "/bin/sh", "-c", GIVES_IN % code) as (child, _):
            child.send_signal(signal.SIGINT)
            run = ended(child)
        hold(run.status == told, run)
        expect(run, cause="cancelled", exit_code=told, signal=None, state="cancelled")
        hold(run.record["meaning"] != "success" and "continue" not in run.record["action"], run)


@case
def who_is_called_off_is_told_with_the_exit_code(place):
    with running(place, "--", "/bin/sh", "-c", GIVES_IN % 7) as (child, _):
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
    hold(child.returncode == 7 and re.search(rb"writ: cancelled after [0-9.]+ s [(]exit 7[)]\n", err),
         Run(child.returncode, {}, b"", err))


@case
def what_the_caller_has_ignored_does_not_call_it_off(place):
    goes_on = "exec 3>fifo; printf x >&3; read -r line <go; exit 5"
    for way in WAYS[:2]:
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
            os.mkfifo(place.work / "go")
            with running(place, "--json", "--write", ".", *way, "--", "/bin/sh", "-c", goes_on,
                         preexec_fn=lambda: signal.signal(number, signal.SIG_IGN)) as (child, _):
                child.send_signal(number)  # as a closed terminal does to nohup
                (place.work / "go").write_text("go\n")
                run = ended(child)
            (place.work / "go").unlink()
            hold(run.status == 5, run)


# ---- whose walls are taken away ----

def replace(path):
    beside = path.with_name("beside")
    beside.write_text("another")
    beside.rename(path)  # as editors save, and git its configuration


@case
def R_001_016_who_is_no_longer_kept_from_a_file_is_ended(place):
    for take_away in (replace, os.unlink):
        for name, options, rule in ((".env", ["--deny", ".env"], "denied"), (".envrc", [], "protected")):
            for way in WAYS:
                path = place.put("work/" + name, "text")
                with running(place, "--json", *options, *way, "--", "/bin/sh", "-c", NEVER) as (child, says):
                    take_away(path)
                    hold(says.read() == b"", Run(None, {}, b"", b"it still runs"))
                    run = ended(child)
                hold(run.status == 137, run)
                expect(run, cause="violation", exit_code=137, state="failed", meaning="a wall or a limit did not hold",
                       missing=["mount"], denials=[dict(path=str(path), act="replaced", rule=rule, undone=False)])
                hold(run.record["layers"] and "mount" not in run.record["layers"], run)
                path.unlink(missing_ok=True)


# ---- beside whom somebody works ----

@case
def R_001_016_what_somebody_makes_meanwhile_is_not_lost(place):
    (place.work / "sub").mkdir()
    os.mkfifo(place.work / "again")
    with running(place, "--json", "--write=sub", "--deny=sub/none", "--", "/bin/sh", "-c",
                 "exec 3>fifo; printf x >&3; read line <again") as (child, _):
        place.put("work/.envrc", "an hour's work")
        (place.work / "sub").rename(place.work / "old")
        (place.work / "sub").symlink_to(place.outside)
        (place.work / "again").write_text("go on\n")
        run = ended(child)
    aside = place.work / (".envrc.writ-" + run.record["execution_id"][:8])
    expect(run, denials=[dict(path=f"{place.work}/.envrc", act="created", rule="protected", undone=True,
                              moved_to=str(aside))])
    hold(aside.read_text() == "an hour's work" and os.readlink(place.work / "sub") == str(place.outside), run)


# ---- whose directory another run moves, and puts a link to somebody's in its place ----

@case
def R_001_015_R_001_167_what_another_run_moves_leads_writ_nowhere_else(place):
    for swap in ("mv way away && ln -s {}/victim way", "mv way away", "mv way away && mkdir -p way/in/.ssh"):
        inner, ssh = place.work / "way/in", place.outside / "victim/in/.ssh"
        for directory in (inner, ssh):
            directory.mkdir(parents=True, exist_ok=True)
        os.mkfifo(inner / "go")
        script = "cat go; printf x >.envrc; mkdir .vscode; exec cat /dev/null"
        child = subprocess.Popen([tap.WRIT, "exec", "--json", "--", "/bin/sh", "-c", script], cwd=inner,
                                 env=place.environment({}), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open(inner / "go", "wb"):  # it runs
            expect(place.exec("/bin/sh", "-c", swap.format(place.outside)), exit_code=0)
        run = ended(child)
        left = sorted(os.listdir(place.work / "away/in"))
        hold(ssh.is_dir() and ".envrc" not in left and ".vscode" not in left, run)
        hold([(row["path"], row["undone"]) for row in run.record["denials"]] ==
             [(f"{inner}/.envrc", True), (f"{inner}/.vscode", True)], run)
        hold(not (place.work / "way").is_dir() or (place.work / "way").is_symlink() or (inner / ".ssh").is_dir(), run)
        subprocess.run(["rm", "-rf", place.work / "way", place.work / "away"], check=True)


# ---- stopped ----

# How they end when nobody stops them: one ends by itself, after its time, and one does not at all.
LATE = "exec 3>fifo; printf x >&3; sleep 1.5"
NEVER = "exec 3>fifo; printf x >&3; while :; do sleep 1; done"


def while_stopped(place, script, *options):
    """What is told of a run that has 1 s, and whose writ was stopped until its tree was dead."""
    with running(place, "--json", "--timeout-ms=1000", *options, "--", "/bin/sh", "-c", script) as (child, says):
        child.send_signal(signal.SIGSTOP)
        hold(says.read() == b"", Run(None, {}, b"", b"it lives"))
        child.send_signal(signal.SIGCONT)
        return ended(child)


@case
def R_001_011_R_001_080_R_001_164_an_end_after_its_time_is_a_timeout_whoever_slept(place):
    for options in WAYS:
        run = while_stopped(place, LATE, *options)
        hold(run.status == 143, run)
        expect(run, cause="timeout", exit_code=143)
        hold(run.record["duration_ms"] >= 1000, run)


@case
def R_001_011_R_001_164_a_command_does_not_outlive_its_time_while_writ_is_stopped(place):
    for options in (WAYS[0], WAYS[2]):
        run = while_stopped(place, NEVER, *options)
        hold(run.status == 143, run)
        expect(run, cause="timeout", exit_code=143, signal=9)


@case
def R_001_011_what_ended_in_its_time_counts_also_when_that_is_heard_late(place):
    with running(place, "--json", "--timeout-ms=2000", "--", "/bin/sh", "-c",
                 "exec 3>fifo; printf x >&3; exit 5") as (child, says):
        child.send_signal(signal.SIGSTOP)
        hold(says.read() == b"", Run(None, {}, b"", b"it lives"))
        time.sleep(2.5)  # its time runs out while nobody listens
        child.send_signal(signal.SIGCONT)
        run = ended(child)
    hold(run.status == 5, run)
    expect(run, cause="exited", exit_code=5)
    hold(run.record["duration_ms"] <= 2000, run)


# ---- not listened to ----

@case
def R_001_011_a_reader_that_comes_late_does_not_make_a_run_longer(place):
    begin = time.monotonic()
    with running(place, "--timeout-ms=1000", "--", "/bin/sh", "-c",
                 "exec 3>fifo; printf x >&3; exec yes") as (child, says):
        hold(says.read() == b"", Run(None, {}, b"", b"it lives"))
        time.sleep(3)  # nobody reads: that is what is looked at
        waited_ms = (time.monotonic() - begin) * 1000
        child.communicate(timeout=60)
    log = [json.loads(line) for line in place.writ("log", "--limit", "0", "--json").out.splitlines()]
    found = [e["body"] for e in log if e["body"] and "duration_ms" in e["body"]]
    run = Run(child.returncode, found[0], b"", b"")
    expect(run, cause="timeout", exit_code=143)
    hold(1000 <= run.record["duration_ms"] < waited_ms - 1500, run)


# ---- not ended by the kernel ----

UNENDING = pathlib.Path(sys.argv[-2]).resolve()


@contextlib.contextmanager
def unending(place, how, *args):
    """writ whose first process of the run does not die; with the number of writ."""
    child = subprocess.Popen([UNENDING, how, tap.WRIT, "exec", *args], cwd=place.work, env=place.environment({}),
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        yield child
    finally:
        if child.poll() is None:
            child.kill()
            child.communicate()


def given_up(child, status, words):
    """Ten seconds at most from now on, and it says why."""
    try:
        out, err = child.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        child.kill()
        hold(False, Run(None, {}, b"", b"it still waits"))
    hold(child.returncode == status and words in err and out == b"", Run(child.returncode, {}, out, err))


@case
def R_001_011_a_run_that_the_kernel_does_not_end_is_not_waited_for(place):
    with unending(place, "running", "--timeout-ms=1000", "--", "/bin/sleep", "60") as child:
        time.sleep(1)
        given_up(child, 74, b"has not ended its processes")


@case
def R_001_011_a_sandbox_that_the_kernel_does_not_build_is_not_waited_for(place):
    with unending(place, "built", "--timeout-ms=1000", "--", "/bin/sleep", "60") as child:
        time.sleep(3)  # its time, and the time it has to end
        given_up(child, 125, b"was not built in time")


@case
def R_001_071_who_calls_it_off_is_not_kept_waiting_by_the_kernel(place):
    for number in (signal.SIGTERM, signal.SIGINT):
        with unending(place, "running", "--", "/bin/sh", "-c", "touch ready; exec sleep 60") as child:
            while not (place.work / "ready").exists() and child.poll() is None:
                time.sleep(0.01)
            writ = int(pathlib.Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()[0])
            os.kill(writ, number)
            given_up(child, 74, b"has not ended its processes")
            (place.work / "ready").unlink()


if __name__ == "__main__":
    sys.exit(ground.main(CASES))
