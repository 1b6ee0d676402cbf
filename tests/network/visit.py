"""visit.py: a project in the town for every case, and commands in it that go out by name.

A case is a function under @case, named by the ids it proves. It is given a Visit; before it nothing
was seen by any server, and after it nobody may have spoken to one who must not be spoken to.
"""
import contextlib
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent / "adapter"), str(HERE.parent / "exec")]
import ground  # noqa: E402
import tap  # noqa: E402
import toolshed  # noqa: E402
from ground import PYTHON, REAL_PYTHON, TOUCH, expect, hold, printed, refused  # noqa: E402,F401
from toolshed import true  # noqa: E402,F401

PROXY = "http://127.0.0.1:3128"
CURL = "/usr/bin/curl"
STATE = {}  # what run.py hands over: the town, the hostile program, who plays


WORDS = {True: "allowed", False: "refused"}


def decisions(run, verdict=None, **like):
    """What was decided about hosts, as the record has it; only those that are like this."""
    found = (run.record.get("network") or {}).get("connections") or []
    like |= {} if verdict is None else {"verdict": WORDS[verdict]}
    return [one for one in found if all(one.get(name) == value for name, value in like.items())]


def decided(run, host, verdict, **like):
    """The record has such a decision; the first of them."""
    found = decisions(run, verdict, host=host, **like)
    if not found:
        raise AssertionError(f"not {WORDS[verdict]}: {host} {like or ''} in\n"
                             + "\n".join(map(json.dumps, decisions(run)[:20])) + f"\n{run.err[-300:]!r}\n"
                             + json.dumps({name: run.record.get(name) for name in ("exit_code", "stdout", "stderr")}))
    return found[0]


class Visit(toolshed.Toolshed):
    def __init__(self, scratch):
        super().__init__(scratch)
        shutil.rmtree(self.repo / ".writ")  # a person's own command needs no registry
        self.town, self.hostile, self.user = STATE["town"], STATE["hostile"], STATE["user"]
        self.put("work/act", self.hostile.read_bytes(), 0o755)

    def reach(self, *command, allow=(), deny=(), options=(), **more):
        """A command at level api that may reach these hosts."""
        lists = [f"--allow-host={host}" for host in allow] + [f"--deny-host={host}" for host in deny]
        return self.exec(*command, options=["--net=api", *lists, *options], **more)

    def act(self, name, *words, **how):
        """An act of the hostile program, each try of which must have ended as it must."""
        run = self.reach(str(self.work / "act"), name, *map(str, words), **how)
        hold(run.record.get("exit_code") == 0 and run.status == 0, run)
        return run

    def curl(self, *words, **how):
        return self.reach(CURL, "-sS", "--max-time", "30", *words, **how)

    def code(self, text, *words, **how):
        """Lines of Python that go out."""
        return self.reach(PYTHON, "-c", text, *words, **how)

    def inside(self, act, given=None, **how):
        """An act of inside.py; the run, and what it printed."""
        run = self.reach(*self.acting(act, given), **how)
        hold(run.record.get("exit_code") == 0, run)
        return run, json.loads(run.record["stdout"]["text"])

    def acting(self, act, given=None):
        self.put("work/inside.py", (HERE / "inside.py").read_bytes())
        return PYTHON, "-I", "inside.py", act, json.dumps(given)

    # ---- runs that are looked at while they last ----

    @contextlib.contextmanager
    def running(self, act, given=None, allow=(), options=()):
        """An act of inside.py that has come to its point. It goes on when the block ends."""
        lists = [f"--allow-host={host}" for host in allow]
        out, err = open(self.scratch / "said", "w+b"), open(self.scratch / "complained", "w+b")
        command = [tap.WRIT, "exec", "--json", "--net=api", *lists, *options, "--", *self.acting(act, given)]
        child = subprocess.Popen(list(map(str, command)), cwd=self.work, env=self.environment({}),
                                 stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        child.files = out, err
        try:
            toolshed.plans.until((self.work / "ready").exists, f"{act} to be ready", child)
            yield child
            self.put("work/go", "")
            child.run = self.end_of(child)
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()

    @staticmethod
    def end_of(child):
        """The run that it was."""
        status = child.wait(timeout=120)
        texts = []
        for file in child.files:
            file.seek(0)
            texts.append(file.read())
        try:
            record = json.loads(texts[0])
        except ValueError:
            record = {}
        return ground.Run(status, record, *texts)

    def seen(self, **like):
        """The requests that came to servers."""
        return [one for one in self.town.seen if all(getattr(one, name) == value for name, value in like.items())]

    def untouched(self, address, run):
        """Nobody came to that address."""
        if self.town.came(address):
            raise AssertionError(f"{self.town.came(address)} came to {address}: {self.seen(address=address)}")
        return run


# ---- who is alive ----

def state_of(pid):
    """(how it is, whose child it is) of a process; one that is gone is X."""
    try:
        words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return words[0], int(words[1])
    except (OSError, IndexError):
        return "X", 0


def alive(pid):
    return state_of(pid)[0] not in "ZX"


def gates(of=None):
    """The processes called writ-net below a process. Those whose parent died are ours (run.py)."""
    top, found = of or os.getpid(), []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if pathlib.Path("/proc", entry, "comm").read_text().strip() != "writ-net" or not alive(entry):
                continue
            above = int(entry)
            while above > 1 and above != top:
                above = state_of(above)[1]
            found += [int(entry)] if above == top else []
    return found


def kilobytes(pid, what):
    """VmHWM, VmRSS and the like, of a process."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(text.split(f"{what}:")[1].split()[0])


def collector(cases):
    """The decorator that marks a case."""
    def case(function):
        @functools.wraps(function)
        def play(scratch):
            visit = Visit(scratch)
            visit.town.begin()
            function(visit)
            visit.town.finish()

        cases.append(play)
        return function

    return case


def needs(path):
    """A case is skipped where a program is not installed."""
    def wrap(function):
        @functools.wraps(function)
        def play(visit):
            if not pathlib.Path(path).exists():
                raise tap.Skip(f"{path} is not installed")
            function(visit)

        return play

    return wrap
