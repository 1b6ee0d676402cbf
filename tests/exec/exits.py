#!/usr/bin/env python3
"""exits: how a command ended, what that means, and that nothing of it stays behind.

usage: exits.py WRIT      prints TAP
"""
import contextlib
import fcntl
import json
import os
import select
import signal
import subprocess
import sys

import ground
import old_program
import tap
from ground import PYTHON, expect, hold

CASES = []
case = ground.collector(CASES)

MEANINGS = {
    "0": ("success", "continue workflow"),
    "1-125": ("tool-specific error", "log and handle"),
    "126": ("permission denied", "escalate"),
    "127": ("command not found", "check allowlist"),
    "128+": ("signal termination", "log signal number"),
    "137": ("OOM killed", "increase memory or fail"),
    "143": ("SIGTERM (timeout)", "extend timeout or fail"),
    "159": ("SIGSYS (bad system call)",
            "log signal number; see whether it is a 32-bit program, which does not run inside"),
}


def ended(run, code, row, cause="exited", signal=None):
    meaning, action = MEANINGS[row]
    expect(run, exit_code=code, signal=signal, cause=cause, meaning=meaning, action=action)
    hold(run.status == code, run)


def exit_with(place, code):
    return place.exec("/bin/sh", "-c", f"exit {code}")


@case
def output_that_cannot_be_passed_on_is_told_and_captured(place):
    """A full disk is no broken pipe: nobody kills the command for it."""
    for code, status in ((0, 74), (3, 3)):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([tap.WRIT, "exec", "--", "/bin/sh", "-c",
                                   f"echo hi; sleep 0.1; echo more; sleep 0.1; touch ran{code}; exit {code}"],
                                  cwd=place.work, env=place.environment({}), stdin=subprocess.DEVNULL, stdout=full,
                                  stderr=subprocess.PIPE, timeout=60)
        run = ground.Run(done.returncode, {}, b"", done.stderr)
        hold(done.returncode == status and (place.work / f"ran{code}").exists(), run)
        hold(b"what it printed could not be passed on: No space left on device\n" in done.stderr, run)
        log = [json.loads(line) for line in place.writ("log", "--limit", "0", "--json").out.splitlines()]
        found = [e["body"] for e in log if e["body"] and "stdout" in e["body"]]
        hold([(b["stdout"]["bytes"], b["stdout"]["lost"]) for b in found if b["exit_code"] == code] ==
             [(8, "No space left on device")], run)


@case
def a_record_that_could_not_be_printed_is_74_however_the_command_ended(place):
    """Who reads JSON by the exit code would take a torn record for a whole one."""
    for code in (0, 3):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([tap.WRIT, "exec", "--json", "--", "/bin/sh", "-c", f"exit {code}"], cwd=place.work,
                                  env=place.environment({}), stdin=subprocess.DEVNULL, stdout=full,
                                  stderr=subprocess.PIPE, timeout=60)
        hold(done.returncode == 74 and b"cannot write to standard output" in done.stderr,
             ground.Run(done.returncode, {}, b"", done.stderr))


# ---- codes ----

@case
def R_001_071_R_001_074_R_001_168_zero_is_success(place):
    run = place.exec("/usr/bin/true")
    ended(run, 0, "0")
    expect(run, state="succeeded", outcome_class="success")


@case
def R_001_071_R_001_075_R_001_168_up_to_125_it_is_the_tool_that_speaks(place):
    for code in (1, 2, 64, 77, 124, 125):
        run = exit_with(place, code)
        ended(run, code, "1-125")
        expect(run, state="failed", outcome_class="failed")


@case
def R_001_076_R_001_167_R_001_168_what_cannot_be_started_is_126(place):
    place.put("work/plain", "text")
    place.put("work/garbage", b"\x7fELF garbage", 0o755)
    (place.work / "dir").mkdir()
    for command in ("./plain", "./garbage", "./dir", str(place.work / "plain")):
        run = place.exec(command)
        ended(run, 126, "126", "exec_failed")
        hold(run.record["reason"] and run.record["stdout"]["bytes"] == 0, run)


@case
def R_001_077_R_001_167_R_001_168_what_is_not_there_is_127(place):
    for command in ("no-such-command", "/usr/bin/no-such-command", "./none", "./none/deeper"):
        run = place.exec(command)
        ended(run, 127, "127", "exec_failed")
        expect(run, reason="No such file or directory", executable=None, layers=[], assurance="none")
    place.put("work/plain", "text", 0o755)
    place.put("work/script", f"#!{place.work}/plain/deeper\n", 0o755)
    run = place.exec("./script")
    ended(run, 127, "127", "exec_failed")
    expect(run, reason="Not a directory")


@case
def R_001_167_a_person_is_told_why_nothing_started(place):
    place.put("work/plain", "text")
    for command, code, why in (("no-such-command", 127, "No such file or directory"),
                               ("./plain", 126, "Permission denied")):
        run = place.writ("exec", "--", command)
        hold(run.status == code and f"{command}: {why} (exit {code})" in run.err.decode(), run)


@case
def a_person_is_told_what_a_script_lacks(place):
    for line, says in ((b"#! /no/such -x\n", b"its first line names /no/such, which is not there"),
                       (b"#!/bin/sh\r\n", b"its first line ends with CR")):
        place.put("work/script", line).chmod(0o755)
        run = place.writ("exec", "--", "./script")
        hold(run.status == 127 and says in run.err and b"(exit 127)" in run.err, run)


# As pyenv, nvm and rustup put them into PATH.
@case
def a_person_is_told_that_a_program_was_alone(place):
    shim = place.put("home/.env/shims/tool", f"#!/bin/sh\nexec {place.home}/.env/bin/tool\n")
    shim.chmod(0o755)
    place.put("home/.env/bin/tool", "#!/bin/sh\n").chmod(0o755)
    run = place.writ("exec", "--", shim)
    hold(run.status == 127 and f"of what lies around {shim} the command saw nothing else".encode() in run.err, run)
    run = place.writ("exec", f"--read={place.home}/.env", "--", shim)
    hold(run.status == 0 and run.err == b"", run)
    run = place.writ("exec", "--", "sh", "-c", "no-such-command")
    hold(run.status == 127 and b"lies around" not in run.err, run)


@case
def a_person_is_told_which_signal_is_not_of_writ_and_which_is_a_limit(place):
    for number, says in ((signal.SIGKILL, b"killed by signal 9, not by writ (exit 137)"),
                         (signal.SIGXFSZ, b"ended by signal 25: a file may have 1 GiB at most (exit 153)")):
        run = place.writ("exec", "--", "sh", "-c", f"kill -{int(number)} $$")
        hold(run.status == 128 + number and says in run.err, run)
    run = place.writ("exec", "--", "sh", "-c", "kill -TERM $$")
    hold(run.status == 143 and run.err == b"", run)


@case
def a_person_is_told_what_signal_31_may_mean_and_no_more(place):
    """Who sends itself the signal looks like any other caller, and its file is what it has left there."""
    said = b"ended by signal 31 (exit 159)\n", b"(a 32-bit program?), or the program sent it itself\n"
    place.put("work/self", "#!/bin/sh\nkill -SYS $$\n", 0o755)
    place.put("work/left", "#!/bin/sh\nrm left; mkfifo left; kill -SYS $$\n", 0o755)
    place.put("work/old", old_program.made(), 0o755)
    ended(place.exec("./self"), 159, "159", "signaled", int(signal.SIGSYS))
    for name in ("./self", "./left"):
        run = place.writ("exec", "--", name)
        hold(run.status == 159 and all(words in run.err for words in said), run)
    run = place.exec("./old")
    if run.record["cause"] == "exec_failed":  # a kernel that knows no such programs
        return
    ended(run, 159, "159", "signaled", int(signal.SIGSYS))
    run = place.writ("exec", "--", "./old")
    hold(run.status == 159 and all(words in run.err for words in said), run)


@case
def R_001_076_R_001_077_R_001_168_126_and_127_may_be_the_tools_own(place):
    ended(exit_with(place, 126), 126, "126")
    ended(exit_with(place, 127), 127, "127")


@case
def R_001_078_R_001_168_a_signal_is_128_and_its_number(place):
    for number in (signal.SIGHUP, signal.SIGABRT, signal.SIGUSR1, signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM,
                   signal.SIGRTMAX):
        run = place.python(f"import os; os.kill(os.getpid(), {int(number)})")
        ended(run, 128 + number, "128+", "signaled", int(number))
        expect(run, state="failed")


@case
def R_001_078_R_001_168_a_code_over_128_is_no_signal(place):
    for code in (128, 130, 200, 255):
        ended(exit_with(place, code), code, "128+")


@case
def R_001_079_R_001_168_137_is_memory_only_with_the_evidence(place):
    run = place.python("bytearray(200 << 20)", options=["--memory-mb=64"])
    ended(run, 137, "137", "oom", 9)
    hold(run.record["usage"]["oom_events"] >= 1, run)
    ended(exit_with(place, 137), 137, "128+")
    run = place.python("import os; os.kill(os.getpid(), 9)")
    ended(run, 137, "128+", "signaled", 9)
    expect(run, usage__oom_events=0)


@case
def R_001_080_R_001_168_143_is_time_only_with_the_evidence(place):
    ended(place.exec("/usr/bin/sleep", "50", options=["--timeout-ms=1000"]), 143, "143", "timeout", 15)
    ended(exit_with(place, 143), 143, "128+")
    ended(place.python("import os; os.kill(os.getpid(), 15)"), 143, "128+", "signaled", 15)


@case
def R_001_080_who_ends_in_peace_when_asked_has_still_run_out_of_time(place):
    run = place.python("import signal, sys, time\n"
                       "signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))\n"
                       "time.sleep(50)", options=["--timeout-ms=1000"])
    ended(run, 143, "143", "timeout")


@case
def R_001_079_R_001_080_R_001_167_a_person_is_told_which_limit_and_how_to_raise_it(place):
    run = place.writ("exec", "--timeout-ms=1000", "--", "/usr/bin/sleep", "50")
    hold(run.status == 143 and b"timeout" in run.err and b"--timeout-ms" in run.err, run)
    run = place.writ("exec", "--memory-mb=64", "--", PYTHON, "-c", "bytearray(200 << 20)")
    hold(run.status == 137 and b"out of memory: 64 MB" in run.err and b"--memory-mb" in run.err, run)
    run = place.writ("exec", "--max-children=1", "--", PYTHON, "-c",
                     "import os\ntry: os.fork() and os.fork()\nexcept OSError: pass")
    hold(b"max_children is 1" in run.err and b"--max-children" in run.err, run)
    run = place.writ("exec", "--memory-mb=64", "--", "/bin/sh", "-c", f"{PYTHON} -c 'bytearray(200 << 20)'; exit 2")
    hold(run.status == 2 and b"1 time a process was killed, out of memory: memory_mb is 64" in run.err, run)
    hold(b"--memory-mb" in run.err, run)
    for option, value in (("--no-fork", []), ("--max-children", ["0"])):
        words = " ".join([option, *value])
        run = place.writ("exec", option, *value, "--", "/bin/sh", "-c", "/bin/true; exit 3")
        hold(f"1 time a process was refused: it may start none ({words})".encode() in run.err, run)
        run = place.writ("exec", option, *value, "--", "/bin/true")
        hold(run.status == 0 and b"it may start" not in run.err, run)


@case
def R_001_168_a_code_of_writ_itself_is_told_from_one_of_the_command(place):
    place.registry(allowlist="strict")
    run = place.exec("/bin/sh", "-c", "exit 77")
    hold(run.status == 77 and "exit_code" not in run.record and run.record["code"], run)
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["/bin/sh", os.path.realpath("/bin/sh")]}})
    ended(exit_with(place, 77), 77, "1-125")


# ---- nothing stays ----

# Leaves a child behind that holds a lock, ignores every signal it can and has a session of its own.
LEAVES = """
import fcntl, os, signal, sys
r, w = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for s in range(1, 32):
            try: signal.signal(s, signal.SIG_IGN)
            except OSError: pass
        held = open("lock", "w")
        fcntl.flock(held, fcntl.LOCK_EX)
        os.write(w, b"x")
        while True: signal.pause()
    os._exit(0)
os.read(r, 1)
open("/tmp/left", "w"); open("/dev/shm/left", "w"); open("/run/left", "w")
"""
ENDS = [("pass", []), ("sys.exit(3)", []), ("os.kill(os.getpid(), 11)", []),
        ("signal.pause()", ["--timeout-ms=1000"]), ("bytearray(200 << 20)", ["--memory-mb=64"])]


def is_free(place, wait=False):
    """Has everybody let go of the lock? Who was killed has when it is gone."""
    with open(place.work / "lock") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
    return True


def children(pid):
    """Descriptors, each of which can be read when that child is gone."""
    found = []
    for thread in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it may be over by now
            with open(f"/proc/{pid}/task/{thread}/children") as pids:
                found += [os.pidfd_open(int(child)) for child in pids.read().split()]
    return found


@case
def R_001_172_no_process_and_no_group_is_left_however_it_ends(place):
    for end, options in ENDS:
        child = place.start(*options, "--", PYTHON, "-c", LEAVES + end)
        status = child.wait(60)
        if not is_free(place) or ground.groups(child.pid):
            raise AssertionError(f"after {end}, status {status}: free {is_free(place)}, {ground.groups(child.pid)}")


@case
def R_001_172_groups_are_there_while_it_runs(place):
    os.mkfifo(place.work / "fifo")
    child = place.start("--", PYTHON, "-c", "open('fifo', 'w'); open('fifo').read()")
    with open(place.work / "fifo"):  # it runs
        there = ground.groups(child.pid)
    with open(place.work / "fifo", "w"):
        pass
    if child.wait(60) != 0 or not there or ground.groups(child.pid):
        raise AssertionError(f"groups while it ran {there}, afterwards {ground.groups(child.pid)}")


@case
def R_001_172_a_killed_writ_takes_the_tree_along_and_the_next_one_tidies_up(place):
    os.mkfifo(place.work / "fifo")
    child = place.start("--", PYTHON, "-c", LEAVES + "open('fifo', 'w')\nsignal.pause()")
    with open(place.work / "fifo"):  # it runs
        tree = children(child.pid)
        child.kill()
        child.wait()
    for one in tree:  # the first process of a tree is gone when all of it is: groups are empty then
        select.select([one], [], [])
        os.close(one)
    is_free(place, wait=True)
    expect(place.exec("/usr/bin/true"), exit_code=0)
    if ground.groups(child.pid):
        raise AssertionError(f"left {ground.groups(child.pid)}")


# All places for files that do not stay are empty ones of our own, in which everything can be seen.
ALONE = """
exec 9<"$1"; shift
for d in /tmp /var/tmp /dev/shm /run; do mount -t tmpfs none $d || exit; done
mkdir -p /tmp/place/work /tmp/place/home && cd /tmp/place/work || exit
sort /proc/self/mountinfo >/tmp/place/before
HOME=/tmp/place/home WRIT_STATE=/tmp/place/state /proc/self/fd/9 "$@" >/dev/null 2>&1
sort /proc/self/mountinfo | cmp - /tmp/place/before
find /tmp /var/tmp /dev/shm /run -mindepth 1 -path /tmp/place/state -prune -o -print | sort
"""


@case
def R_001_172_no_file_and_no_mount_is_left_on_the_host(place):
    if not ground.may_everything():
        raise tap.Skip("needs mounts of its own")
    for end, options in ENDS:
        done = subprocess.run(["unshare", "--mount", "sh", "-c", ALONE, "sh", tap.WRIT, "exec", *options, "--",
                               PYTHON, "-c", LEAVES + end], capture_output=True, text=True)
        if done.stdout.split() != ["/tmp/place", "/tmp/place/before", "/tmp/place/home", "/tmp/place/work",
                                   "/tmp/place/work/lock"]:
            raise AssertionError(f"after {end}: {done.stdout}\n{done.stderr}")


if __name__ == "__main__":
    sys.exit(ground.main(CASES))
