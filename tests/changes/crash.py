#!/usr/bin/env python3
"""crash: a commit that is killed at any of its system calls leaves each file old or new; the next one
finishes it, and an undo takes it back.

usage: crash.py [--user] FORGE WRIT      prints TAP
"""
import ctypes
import os
import pathlib
import shutil
import signal
import sys

import forged
import tap
from forged import DIR, Link, done, hold

CASES = []
case = forged.collector(CASES)

BEFORE = {"a": "a\n", "d": "d\n", "dir": DIR, "dir/z": "z\n", "file": "file\n", "link": Link("a")}
AFTER = {"a": ("A\n", 0o755), "d": None, "dir": "now a file\n", "dir/z": None, "file": ("directory", 0o750),
         "file/in": "in\n", "new": ("directory", 0o550), "new/f": "f\n", "link": Link("b")}

TRACEME, CONT, SYSCALL, SETOPTIONS, EXITKILL = 0, 7, 24, 0x4200, 0x100000
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def killed_at(ground, n, *args):
    """Runs `writ commit` and kills it when it comes to its n-th system call. False: it ended before."""
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
    libc.ptrace(SETOPTIONS, pid, None, EXITKILL)
    stops = 0
    while stops < 2 * n:  # one on the way in, one on the way out
        libc.ptrace(SYSCALL, pid, None, None)
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            return False
        stops += 1
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return True


def fresh(ground, scratch):
    """The same run on a tree as it was."""
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(ground.root.parent / "kept", scratch, symlinks=True)
    return scratch


class Again:
    """A forged run that can be put back to where it began."""

    def __init__(self, ground):
        self.g = ground
        ground.forge(BEFORE, AFTER)
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
        """How many system calls it takes to its end."""
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


STRIDE = int(os.environ.get("WRIT_CRASH_STRIDE", "3"))


def every_step(ground, args, check):
    again = Again(ground)
    last = again.steps(*args)
    for n in range(1, last, STRIDE):
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
    """No execution in the ledger is left running but the one that was killed after its last word."""
    running = [e for e, states in g.events().items() if states[-1] == "running"]
    if len(running) > 1:
        raise AssertionError(f"left running: {g.events()}")


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


if __name__ == "__main__":
    sys.exit(forged.main(CASES))
