#!/usr/bin/env python3
"""crash: a commit that is killed before any of its system calls leaves each file old or new; the next one
finishes it, and an undo takes it back. One that meets somebody else's change there stops, and can be undone.

usage: crash.py [--user] FORGE WRIT      prints TAP
"""
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import uuid

import forged
import tap
from forged import DIR, Link, done, hold

CASES = []
case = forged.collector(CASES)

BEFORE = {"a": "a\n", "d": "d\n", "dir": DIR, "dir/z": "z\n", "file": "file\n", "link": Link("a")}
AFTER = {"a": ("A\n", 0o755), "d": None, "dir": "now a file\n", "dir/z": None, "file": ("directory", 0o750),
         "file/in": "in\n", "new": ("directory", 0o550), "new/f": "f\n", "link": Link("b")}

TRACEME, DETACH, SYSCALL, SETOPTIONS, SYSCALL_INFO = 0, 17, 24, 0x4200, 0x420e
SYSGOOD, EXITKILL = 1, 0x100000
ENTRY = 1  # the call is about to be made

# Calls that leave something on the disk: between two of them nothing changes.
CALLS = {
    "x86_64": {1, 18, 74, 75, 77, 82, 83, 84, 87, 88, 90, 91, 258, 260, 263, 264, 266, 268, 316, 452},
    "aarch64": {34, 35, 36, 38, 46, 52, 53, 54, 64, 68, 82, 83, 276, 452},
}.get(os.uname().machine)
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def leaves_something(pid):
    """Is it on the way into a call that changes the disk? Where that cannot be told, every call counts."""
    info = ctypes.create_string_buffer(128)
    if libc.ptrace(SYSCALL_INFO, pid, len(info), info) < 32:
        return True
    return info.raw[0] == ENTRY and (not CALLS or int.from_bytes(info.raw[24:32], sys.byteorder) in CALLS)


def stopped_at(ground, n, *args):
    """Runs `writ commit` up to its n-th call that changes the disk. Its process id; None: it ended before."""
    pid = os.fork()
    if pid == 0:
        null = os.open("/dev/null", os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        os.chdir(ground.root)
        if libc.ptrace(TRACEME, 0, None, None) != 0:
            os._exit(99)
        os.kill(os.getpid(), signal.SIGSTOP)
        os.execve(tap.WRIT, [str(tap.WRIT), "commit", *args, ground.run], ground.environment())
    _, status = os.waitpid(pid, 0)
    if not os.WIFSTOPPED(status):
        raise tap.Skip("programs may not be traced here")
    libc.ptrace(SETOPTIONS, pid, None, EXITKILL | SYSGOOD)
    while True:
        libc.ptrace(SYSCALL, pid, None, None)
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            return None
        n -= leaves_something(pid)
        if n == 0:
            break
    return pid


def killed_at(ground, n, *args):
    """The same, and it is killed there. False: it ended before."""
    pid = stopped_at(ground, n, *args)
    if pid:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return pid is not None


class Again:
    """A forged run that can be put back to where it began."""

    def __init__(self, ground, before=None, after=None):
        self.g = ground
        ground.forge(before or BEFORE, after or AFTER)
        shutil.copytree(ground.state, ground.outside / "state", symlinks=True)
        shutil.copytree(ground.root, ground.outside / "root", symlinks=True)

    def back(self):
        for name in ("state", "root"):
            place = self.g.root.parent / name
            for path in place.rglob("*"):
                if path.is_dir() and not path.is_symlink():
                    path.chmod(0o700)
            shutil.rmtree(place)
            shutil.copytree(self.g.outside / name, place, symlinks=True)
        return self.g

    def steps(self, *args):
        """How many of them it takes to its end."""
        low, high = 1, 1
        while killed_at(self.back_for(args), high, *args):
            low, high = high, high * 2
        while low < high - 1:
            middle = (low + high) // 2
            if killed_at(self.back_for(args), middle, *args):
                low = middle
            else:
                high = middle
        return high

    def back_for(self, args):
        ground = self.back()
        if "--undo" in args:
            done(ground.commit())
        return ground


STRIDE = 1 if os.environ.get("WRIT_LONG") else 5  # of the calls; all of them take minutes on a slow disk


def every_step(ground, args, check, trees=(), stride=STRIDE):
    again = Again(ground, *trees)
    last = again.steps(*args)
    for n in range(1, last, stride):
        g = again.back_for(args)
        if not killed_at(g, n, *args):
            break
        try:
            g.old_or_new()
            check(g)
        except AssertionError as wrong:
            raise AssertionError(f"killed at call {n} of {last}: {wrong}") from None
    return last


def ended(g):
    """No execution in the ledger is left running but the one that was killed before its journal, and that is told."""
    running = [e for e, states in g.events().items() if states[-1] == "running"]
    if len(running) > 1:
        raise AssertionError(f"left running: {g.events()}")
    if not set(running) <= set(told_as_killed(g)):
        raise AssertionError(f"left running: {running}, told as killed: {told_as_killed(g)}")


def told_as_killed(g):
    log = subprocess.run([tap.WRIT, "log", "--limit", "0", "--json"], env=g.environment(), capture_output=True, check=True)
    return [entry["subject"] for entry in map(json.loads, log.stdout.splitlines()) if entry.get("alive") is False]


@case
def a_commit_that_was_killed_is_finished_by_another(g):
    def check(ground):
        done(ground.commit())
        ground.has(ground.after)
        ended(ground)

    every_step(g, (), check)


@case
def a_commit_that_was_killed_is_taken_back(g):
    def check(ground):
        answer = ground.undo()
        if answer.status == 77:  # it had not begun
            hold("nothing of this run" in answer.answer["message"], answer)
        else:
            done(answer)
        ground.has(ground.before)

    every_step(g, (), check)


@case
def an_undo_that_was_killed_is_finished_by_another(g):
    def check(ground):
        answer = ground.undo()
        if answer.status == 77:  # it had come to its end
            hold("nothing of this run" in answer.answer["message"], answer)
        else:
            done(answer)
        ground.has(ground.before)

    every_step(g, ("--undo",), check)


TURNED = ({"d": DIR, "d/b": "1\n", "l": Link("/nowhere")},
          {"d": Link("/nowhere"), "d/b": None, "l": DIR, "l/f": "f\n"})


@case
def what_becomes_a_link_or_was_one_is_finished_or_taken_back(g):
    turn = iter(range(1 << 20))

    def check(ground):
        tree, answer = (ground.after, ground.commit()) if next(turn) % 2 else (ground.before, ground.undo())
        if answer.status == 77:  # it had not begun
            hold("nothing of this run" in answer.answer["message"], answer)
        else:
            done(answer)
        ground.has(tree)
        hold(ground.writ("discard", "--json", ground.run).status == 0, answer)

    every_step(g, (), check, TURNED, 1)


@case
def a_link_of_somebody_else_keeps_nothing_from_being_taken_back(g):
    trap = g.outside / "trap"
    trap.mkdir()
    left = []

    def check(ground):
        path = ground.root / "l"
        path.rename(ground.outside / str(uuid.uuid4()))
        path.symlink_to(trap)
        answer = ground.undo()
        if answer.status != 77:  # it had begun, and had not come to its end
            done(answer)
            ground.has({"d": DIR, "d/b": "1\n"}, ["d", "d/b"])
            left.extend(row["path"] for row in answer.answer["left"])
            hold(ground.writ("discard", "--json", ground.run).status == 0, answer)
        hold(os.readlink(path) == str(trap) and not list(trap.iterdir()), answer)

    every_step(g, (), check, TURNED, 2)
    if not {str(g.root / "l"), str(g.root / "l/f")} <= set(left):
        raise AssertionError(f"left: {set(left)}")


@case
def a_link_that_is_put_on_the_way_meanwhile_leads_nowhere(g):
    again = Again(g)
    last = again.steps()
    trap = g.outside / "trap"
    for n in range(1, last, STRIDE):
        ground = again.back()
        shutil.rmtree(trap, ignore_errors=True)
        trap.mkdir()
        (trap / "z").write_text("z\n")
        pid = stopped_at(ground, n)
        if not pid:
            break
        for name in ("dir", "file", "new"):
            path = ground.root / name
            if path.exists():
                path.chmod(0o700)
                path.rename(ground.outside / f"{name}-{n}")
            path.symlink_to(trap)
        libc.ptrace(DETACH, pid, None, None)
        os.waitpid(pid, 0)
        left = sorted(path.name for path in trap.iterdir())
        if left != ["z"] or (trap / "z").read_text() != "z\n":
            raise AssertionError(f"at call {n} of {last}: {left}")


def goes_on(pid):
    """What was stopped, to its end; its exit code."""
    libc.ptrace(DETACH, pid, None, None)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def saves(path):
    """As an editor does it: what is there now is another file."""
    draft = path.with_name("draft")
    draft.write_text("mine\n")
    draft.rename(path)


def way_out(ground, name, ended_with):
    """Whatever became of it, nothing lies beside, the change of somebody else stays, and the run can be given up."""
    ground.clean()
    if ended_with == 0:  # it came too late to be seen, or was made where nothing was due
        return
    if ended_with == 77:
        ground.has(ground.before | {name: "mine\n"})
        hold("nothing of this run" in ground.undo().answer["message"], ground.undo())
    else:
        if ended_with != 3:
            raise AssertionError(f"it ended with {ended_with}")
        refused = ground.commit()
        hold(refused.status == 77 and "--undo" in refused.answer["message"] and refused.answer["begun"], refused)
        answer = ground.undo()
        done(answer)
        hold(str(ground.root / name) in [row["path"] for row in answer.answer["left"]], answer)
        inside = {up: ("directory", 0o750) for up in [name.split("/")[0]] if up == "file" and "/" in name}
        ground.has(ground.before | inside | {name: "mine\n"})
    answer = ground.writ("discard", "--json", ground.run)
    hold(answer.status == 0, answer)


@case
def what_somebody_saves_meanwhile_stays_and_the_rest_is_taken_back(g):
    again = Again(g)
    last = again.steps()
    met = set()
    for k, name in enumerate(("a", "d", "file/in")):
        for n in range(1 + k, last, STRIDE):
            ground = again.back()
            pid = stopped_at(ground, n)
            if not pid:
                break
            if (ground.root / name).parent.is_dir() and (ground.root / name).parent.stat().st_mode & 0o200:
                saves(ground.root / name)
            met.add(ended_with := goes_on(pid))
            try:
                way_out(ground, name, ended_with)
            except AssertionError as wrong:
                raise AssertionError(f"{name} at call {n} of {last}: {wrong}") from None
    if not {3, 77} <= met:
        raise AssertionError(f"it ended with {met} only")


@case
def an_undo_that_meets_a_change_is_finished_without_it(g):
    again = Again(g)
    last = again.steps("--undo")
    met = set()
    for n in range(1, last, STRIDE):
        ground = again.back_for(("--undo",))
        pid = stopped_at(ground, n, "--undo")
        if not pid:
            break
        saves(ground.root / "a")
        met.add(ended_with := goes_on(pid))
        try:
            ground.clean()
            if ended_with == 77:
                ground.has(ground.after | {"a": "mine\n"})
            elif ended_with == 3:
                done(ground.undo())
                ground.has(ground.before | {"a": "mine\n"})
        except AssertionError as wrong:
            raise AssertionError(f"at call {n} of {last}: {wrong}") from None
    if not {3, 77} <= met:
        raise AssertionError(f"it ended with {met} only")


if __name__ == "__main__":
    sys.exit(forged.main(CASES))
