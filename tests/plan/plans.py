"""plans.py: a fresh repository and ledger for every case, and plans that are run in it.

usage of the tests here: NAME.py [--postgres] RUN_PLAN WRIT      prints TAP

RUN_PLAN (run_plan.c) is a program with the library in it. It tells what happens while it runs and can
be told that the time is up; what a person can do is done by `writ` itself.
"""
import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "executor"))
import desk  # noqa: E402
import ground  # noqa: E402
import ledger  # noqa: E402
import tap  # noqa: E402
from desk import canon, digest  # noqa: E402
from ground import PYTHON, REAL_PYTHON, hold  # noqa: E402
from ledger import same, true  # noqa: E402

RUN_PLAN = pathlib.Path(sys.argv[-2]).resolve()
COMMANDS = [REAL_PYTHON, "/usr/bin/touch", "/usr/bin/sleep", "/usr/bin/true", "/usr/bin/false",
            os.path.realpath("/bin/sh"), "/usr/bin/head", "/usr/bin/env"]
STATUSES = {"success": 0, "failure": 1, "partial": 3}
SECONDS = 120
HERE = {"working_directory": "."}  # the environment that plan() requires


class Ran(NamedTuple):
    status: int
    record: dict  # the answer
    out: bytes
    err: bytes
    news: list

    @property
    def result(self):
        return self.record["result"]

    @property
    def error(self):
        return self.record["result"]["error"]

    @property
    def errors(self):
        """The codes of all errors, in their order."""
        return [error["error_code"] for error in self.error["context"]["errors"]]

    def events(self, *kinds):
        """(event, place of the step) of the news of these kinds."""
        return [(line["event"], line.get("index")) for line in self.news if not kinds or line["event"] in kinds]


# ---- documents ----

def new():
    return str(uuid.uuid4())


def step(action, payload=None, *after, on_failure="halt", **members):
    """A step; `after` are steps."""
    return {"id": new(), "action": action, "payload": payload if payload is not None else {},
            "depends_on": [one["id"] for one in after], "on_failure": on_failure} | members


def execute(command, *arguments, after=(), inputs=None, sandbox=None, outputs=None, **members):
    payload = {"inputs": {"command": command, "arguments": list(map(str, arguments))} | (inputs or {})}
    payload |= {"sandbox": sandbox} if sandbox else {}
    payload |= {"outputs": outputs} if outputs else {}
    return step("execute", payload, *after, **members)


def sh(script, *arguments, **members):
    return execute("/bin/sh", "-c", script, "sh", *arguments, **members)


def python(code, *arguments, **members):
    return execute(PYTHON, "-c", code, *arguments, **members)


def touch(name, **members):
    return execute("/usr/bin/touch", name, **members)


def plan(*steps, **members):
    return {"id": new(), "version": 1, "created_at": 1760000000000, "name": "a plan", "steps": list(steps),
            "context_requirements": ["working_directory"]} | members


def retries(attempts, *codes, **members):
    return {"max_attempts": attempts, "retryable_error_codes": list(codes)} | members


# ---- processes ----

def marker():
    """An argument of `sleep` that no other process has."""
    return f"{600 + uuid.uuid4().int % 10**9 / 10**9:.9f}"


def alive(mark):
    """The processes that have the marker among their arguments, and are no plan's runner."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):  # it may be gone by now
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if any(mark.encode() in word for word in words):
                found.append(b" ".join(words).decode(errors="replace"))
    return found


def until(truth, what, child=None):
    """Looks until it is so; a minute without it is a fault, and so is the end of the child."""
    end = time.monotonic() + 60
    while not truth():
        true(time.monotonic() < end, f"waited in vain: {what}")
        true(child is None or child.poll() is None, f"it ended before: {what}")
        time.sleep(0.005)  # lets others work; nothing depends on how long it is
    return True


class Plans(desk.Desk):
    def __init__(self, scratch, address=None):
        super().__init__(scratch, address)
        self.registry({"tool_id": "TL-1", "scope": {"commands": COMMANDS, "filesystem": "extended"}})

    def environment(self, more):
        """A program that has the library is no neighbour of the workers: it is told where they are."""
        return super().environment({"WRIT_LIBEXEC": str(tap.WRIT.parent)} | (more or {}))

    def document(self, document, name="work/plan.json"):
        return self.put(name, document if isinstance(document, (str, bytes)) else json.dumps(document))

    # ---- running ----

    def command(self, document, context=None, set=(), jobs=None, ledger=None, policy=None, progress=None,
                force=None, skip=None, rerun=None):
        path = document if isinstance(document, pathlib.Path) else self.document(document)
        if not isinstance(context, (pathlib.Path, type(None))):
            context = self.put("context.json", json.dumps(context))
        given = []
        for pair in set:
            given += ["--set", pair]
        for name, value in (("context", context), ("jobs", jobs), ("ledger", ledger), ("policy", policy),
                            ("progress", progress), ("force", force), ("dependency-skip", skip),
                            ("rerun-of", rerun)):
            given += [] if value is None else [f"--{name}", value]
        return [*map(str, [RUN_PLAN, *given, path])]

    def begin(self, document, env=None, fds=(), **how):
        """Lets a plan run while we do something else. What it prints goes into a file."""
        child = subprocess.Popen(self.command(document, **how), cwd=self.work, env=self.environment(env),
                                 stdin=subprocess.DEVNULL, stdout=open(self.scratch / "out", "w+b"),
                                 stderr=open(self.scratch / "err", "w+b"), pass_fds=fds)
        return child

    def end(self, child, news=()):
        """Waits for it."""
        try:
            status = child.wait(timeout=SECONDS)
        finally:
            child.kill()  # what has ended does not mind
        out, err = ((self.scratch / name).read_bytes() for name in ("out", "err"))
        try:
            record = json.loads(out)
        except ValueError:
            record = {}
        return Ran(status, record, out, err, list(news))

    def run(self, document, **how):
        """Runs it to its end, and keeps what it tells."""
        with tempfile.TemporaryFile() as news:
            ran = self.end(self.begin(document, progress=news.fileno(), fds=[news.fileno()], **how))
            news.seek(0)
            return ran._replace(news=[json.loads(line) for line in news.read().splitlines()])

    def comes_to(self, status, document, **how):
        """Runs it; it must end in this status, and in a result that is right."""
        ran = self.run(document, **how)
        hold(ran.status == STATUSES[status] and ran.record.get("result"), ran)
        result, error = ran.result, ran.result["error"]
        hold(result["status"] == status and (error is None) == (status == "success"), ran)
        hold(0 <= result["steps_executed"] <= result["steps_total"], ran)
        hold(sorted(result["result_payload"]["steps"]) == sorted(ran.result["result_payload"]["steps"])
                    and len(result["result_payload"]["steps"]) == result["steps_executed"], ran)
        for one in [error, *error["context"]["errors"]] if error else []:
            same(list(one), ["error_code", "message", "step_id", "severity", "recoverable", "cause", "context"], one)
        if status == "failure":
            hold(error["severity"] == "fatal" and error["recoverable"] is False, ran)
        self.check("result", result)
        return ran

    def check(self, kind, document):
        """A document is what the contract says."""
        run = self.writ("check", "--as", kind, self.put("checked.json", json.dumps(document)))
        hold(run.status == 0, run)

    # ---- looking ----

    def there(self, *names):
        return [name for name in names if (self.work / name).exists()]

    def lines_of(self, name):
        """What steps have added to a file, one line each."""
        path = self.work / name
        return path.read_text().split("\n")[:-1] if path.exists() else []

    def kept(self, digest):
        """The bytes that are kept under a digest."""
        found = [path for path in self.state.rglob("*") if digest.removeprefix("sha256:") in str(path).replace("/", "")
                 and path.is_file()]
        true(found, f"nothing is kept under {digest}")
        return found[0].read_bytes()

    def of(self, subject, *kinds):
        """The entries of the ledger about an id."""
        return [entry for entry in self.log() if entry["subject"] == subject and
                (not kinds or entry["kind"] in kinds)]

    def states(self, execution):
        return [entry["state"] for entry in self.of(execution, "execution_event")]

    def states_like(self, state):
        """Executions of commands that came to this state."""
        run = self.writ("log", "--json", "--limit", "0", "--state", state)
        return [line for line in run.out.splitlines() if b'"exec"' in line] if run.status == 0 else []


def until_enough(mark, **members):
    return sh('touch up; until [ -e enough ]; do sleep 0.01; done; : "$1"', mark, **members)


def held(place, child):
    """Keeps everybody else from the ledger once the command has begun, which is recorded before."""
    until(lambda: (place.work / "up").exists(), "the command", child)
    blocker = sqlite3.connect(place.file, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    return blocker


def recorded_late(place, mark, *steps, **members):
    """A plan whose first step has 5 s, and is over in time; what it came to is recorded later, and is a success."""
    if ledger.POSTGRES:
        raise tap.Skip("a lock of the file")
    child = place.begin(plan(*steps, **members))
    blocker = held(place, child)
    now = time.time()
    (place.work / "enough").touch()
    until(lambda: not alive(mark), "the end of the command", child)
    until(lambda: time.time() > now + 5.5, "the end of its time", child)
    blocker.execute("ROLLBACK")
    ran = place.end(child)
    hold(ran.status == 0 and ran.result["status"] == "success", ran)


def collector(cases):
    return ground.collector(cases, Plans)


def main(cases):
    return ledger.main(cases, sandbox=True)


__all__ = ["canon", "digest", "hold", "same", "true"]
