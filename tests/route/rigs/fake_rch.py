#!/usr/bin/env python3
"""fake_rch: the wrapper that tests put in rch's place does what it is told.

usage: fake_rch.py FAKE_RCH     prints TAP
"""
import os
import pathlib
import signal
import subprocess
import sys
import uuid

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent),
                str(pathlib.Path(__file__).resolve().parents[2] / "faces")]
import processes  # noqa: E402
import tap  # noqa: E402

CASES = []
case = tap.collector(CASES)
RCH = pathlib.Path(sys.argv[1]).resolve()


def rch(*words, **env):
    return subprocess.run([RCH, *words], capture_output=True, text=True, env=processes.ENV | env,
                          timeout=processes.SECONDS)


def same(found, expected):
    if found != expected:
        raise AssertionError(f"found {found!r}, expected {expected!r}")


@case
def it_runs_what_it_is_given_word_by_word(scratch):
    done = rch("exec", "--", "printf", "[%s]", "two words", "", "*")
    same((done.returncode, done.stdout, done.stderr), (0, "[two words][][*]", ""))
    same(rch("exec", "--", "sh", "-c", "exit 7").returncode, 7)
    same(rch("--version").returncode, 0)
    same([rch(*words).returncode for words in ((), ("exec",), ("exec", "--"), ("run", "--", "true"))], [64] * 4)


@case
def it_refuses_always_or_some_times_and_notes_each_call(scratch):
    log = scratch / "log"
    same(rch("exec", "--", "touch", str(scratch / "ran"), FAKE_RCH_EXEC="exit 75").returncode, 75)
    codes = [rch("exec", "--", "touch", str(scratch / "ran"), FAKE_RCH_EXEC="exit 69 2",
                 FAKE_RCH_LOG=str(log)).returncode for _ in range(3)]
    same(codes, [69, 69, 0])
    same(rch("--version", FAKE_RCH_PROBE="exit 1", FAKE_RCH_LOG=str(log)).returncode, 1)
    same(log.read_text().splitlines(), [f"exec touch {scratch}/ran"] * 3 + ["probe"])
    same((scratch / "ran").exists(), True)


def ignores(pid, number):
    """Whatever else it ignores, as those do whom nohup has started."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split("SigIgn:")[1].split()[0], 16) >> (number - 1) & 1


@case
def it_hangs_and_hears_or_does_not_hear_that_it_should_end(scratch):
    for how, code in (("hang", -signal.SIGTERM), ("deaf", -signal.SIGKILL)):
        child = subprocess.Popen([RCH, "exec", "--", "true"],
                                 env=processes.ENV | {"FAKE_RCH_EXEC": how, "FAKE_RCH_LOG": str(scratch / how)})
        processes.until((scratch / how).exists, "it noted the call")
        processes.until(lambda: how == "hang" or ignores(child.pid, signal.SIGTERM), "it is deaf")
        child.terminate()
        if how == "deaf":
            child.kill()
        same(child.wait(processes.SECONDS), code)


@case
def it_dies_leaves_a_child_behind_and_prints_much(scratch):
    same(rch("exec", "--", "true", FAKE_RCH_EXEC="signal 11").returncode, -11)
    mark = f"{600 + uuid.uuid4().int % 10**9 / 10**9:.9f}"
    same(rch("exec", "--", "true", FAKE_RCH_EXEC=f"stay {mark}").returncode, 0)
    left = processes.until(lambda: processes.holders(mark, "cmdline"), "the child that stays")
    processes.kill(*left)
    same(len(left), 1)
    same(rch("exec", "--", "echo", FAKE_RCH_EXEC="print 1000000").stdout, "x" * 1000000 + "\n")
    same(rch("exec", "--", "true", FAKE_RCH_EXEC="dance").returncode, 64)


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(tap.play(CASES))
