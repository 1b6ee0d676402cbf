"""tap.py: runs writ and prints TAP; the ground the other files of this folder stand on."""
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
from typing import NamedTuple

if len(sys.argv) < 2:  # else a test would run itself in the place of writ, again and again
    sys.exit(f"usage: {sys.argv[0]} [OPTION...] WRIT")
FILES = pathlib.Path(__file__).resolve().parent / "files"
WRIT = pathlib.Path(sys.argv[-1]).resolve()
MEMORY_MB, SECONDS = 400, 5  # what writ may take at most, whatever it is given
ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
if "detect_leaks" in os.environ.get("ASAN_OPTIONS", ""):  # looking for leaks takes seconds at every end of a program
    ENV["ASAN_OPTIONS"] = os.environ["ASAN_OPTIONS"]
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    if signal.getsignal(number) == signal.SIG_IGN:  # by who started us: it is not to reach writ, as a handler does not
        signal.signal(number, lambda *_: None)


class Answer(NamedTuple):
    status: int
    out: bytes
    err: bytes
    peak_mb: float


def run(command, stdin=None, env=None, memory_mb=2048, seconds=15, **more):
    """Runs a command (a list, or a line for sh) and waits. It cannot eat the machine: at the
    ceiling of its address space it fails, and after `seconds` it is killed (status -9)."""
    def held():
        limit = memory_mb << 20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        more = {"stdin": stdin or subprocess.DEVNULL, "stdout": out, "stderr": err} | more
        child = subprocess.Popen(["timeout", "-s", "KILL", str(seconds),
                                  *(["sh", "-c", command] if isinstance(command, str) else command)],
                                 env=ENV | (env or {}), preexec_fn=held, **more)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return Answer(child.returncode, out.read(), err.read(), usage.ru_maxrss / 1024)


class Tap:
    """Counts cases; finish() prints the plan and is the exit status."""

    def __init__(self):
        self.count = self.failed = 0

    def case(self, name, fault="", skip=""):
        """One case: it failed when there is a fault, which is what a person should read."""
        self.count += 1
        self.failed += bool(fault)
        name = name.replace("#", "").replace("\n", " ")
        print(f"{'not ' if fault else ''}ok {self.count} - {name}{' # SKIP ' + skip if skip else ''}")
        for line in fault.splitlines():
            print(f"# {line}")
        sys.stdout.flush()

    def finish(self):
        print(f"1..{self.count}")
        return 1 if self.failed else 0


# ---- cases that are functions ----

class Skip(Exception):
    """Raised by a case that cannot be played here; says why."""


def collector(cases):
    """The decorator that marks a case: a function that is given a scratch directory. Its docstring
    is its name, else its own name is; what it raises is its fault."""
    def case(function):
        cases.append(function)
        return function

    return case


def insist(truth, answer):
    """What a case is about; the answer is shown when it does not hold."""
    if not truth:
        raise AssertionError(f"status {answer.status}, {answer.peak_mb:.0f} MB\n"
                             f"stdout {answer.out[-600:]!r}\nstderr {answer.err[-600:]!r}")


def writ(*args, **more):
    """Runs writ; whatever the case is about, it must keep its house rules."""
    answer = run([WRIT, *args], seconds=SECONDS, **more)
    insist(answer.status in (0, 64, 65, 74), answer)
    insist(answer.peak_mb < MEMORY_MB, answer)
    return answer


def play(functions):
    cases = Tap()
    for function in functions:
        fault = skip = ""
        with tempfile.TemporaryDirectory() as scratch:
            try:
                function(pathlib.Path(scratch))
            except Skip as why:
                skip = str(why)
            except Exception as wrong:
                fault = f"{type(wrong).__name__}: {wrong}"
        cases.case(function.__doc__ or function.__name__, fault, skip)
    return cases.finish()
