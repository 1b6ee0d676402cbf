"""toolshed.py: a fresh repository with a registry and adapters for every case, and real calls in it.

usage of the tests here: NAME.py RUN_PLAN WRIT      prints TAP
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "rigs"), str(HERE.parent / "plan")]
import peers  # noqa: E402
import plans  # noqa: E402
from plans import REAL_PYTHON, hold, plan, same, step, true  # noqa: E402,F401

DATES = {"created": "2026-01-16", "updated": "2026-01-16"}
APPROVED = {"by": "somebody", "at": "2026-01-16", "reason": "a test"}
SECRET = "s3cret-Pl4nted/+value=="  # whatever happens, nobody finds it afterwards


def adapter(name, kind, interface, **members):
    """An adapter; what it leaves out is filled in."""
    return {"adapter_id": f"ADP-{name}", "name": name, "version": "1.0.0", "tool_id": f"TL-{name}", "type": kind,
            "interface": {kind: interface},
            "metadata": {"author": "somebody", "status": "active"} | DATES} | members


def cli(name, executable, *base, mapping=None, **members):
    return adapter(name, "cli", {"executable": executable, "base_args": list(base), "arg_mapping": mapping or {}},
                   **members)


def script(name, code, mapping=None, **members):
    """An adapter whose tool is a few lines of Python; they see their arguments as sys.argv[1:]."""
    members = {"operations": {"run": {}}} | members
    return cli(name, REAL_PYTHON, "-c", code, mapping=mapping or {"word": "{word}"}, **members)


def retry(attempts, *codes, backoff_ms=1):
    return {"retry": {"max_attempts": attempts, "backoff_ms": backoff_ms, "retryable_codes": list(codes)}}


def tool(name, **scope):
    """A tool of the registry: it may run Python, and all operations."""
    return {"tool_id": f"TL-{name}", "approval": APPROVED,
            "scope": {"commands": [REAL_PYTHON], "operations": ["*"]} | scope}


class Toolshed(plans.Plans):
    def stock(self, *adapters, tools=None):
        """Puts adapters into the project, and a registry that lists their tools."""
        for one in adapters:
            self.put(f".writ/adapters/{one['name']}.yaml", json.dumps(one))
        self.registry(*(tools if tools is not None else [tool(one["name"]) for one in adapters]))

    def call(self, name, *words, params=None, env=None, options=(), at=None):
        """The answer of `writ call --json`; whatever it is, the ledger is intact and no secret is anywhere."""
        given = [*words]
        if params is not None:
            given += ["--params", self.put("outside/params.json", json.dumps(params))]
        run = self.writ("call", "--json", name, *given, *options, env=env, at=at)
        try:
            run = run._replace(record=json.loads(run.out))
        except ValueError:
            hold(False, run)
        self.no_secret(run)
        return run

    def fine(self, name, *words, **how):
        """The output of a call that succeeds."""
        run = self.call(name, *words, **how)
        hold(run.status == 0 and run.record["ok"] and run.record["error"] is None, run)
        self.recorded(run)
        for key in ("output", "text", "base64"):
            if key in run.record:
                return run.record[key]
        return hold(False, run)

    def fails(self, status, code, name, *words, told=(), **how):
        """A call that does not succeed says why."""
        run = self.call(name, *words, **how)
        problem = run.record.get("error") or run.record.get("problems", [{}])[0]
        hold(run.status == status and problem.get("code") == code, run)
        for word in told:
            hold(word in problem["message"], run)
        self.recorded(run)
        return run

    def look(self, name):
        """The answer of `writ check --json` to an adapter of the project."""
        run = self.writ("check", "--json", f"{self.repo}/.writ/adapters/{name}.yaml")
        return run._replace(record=json.loads(run.out))

    def never(self, code, file, name, *words, at, told=(), **how):
        """A call that can never be made: `writ check` tells it, and the call is refused for the same reason."""
        checked = self.look(file)
        run = self.fails(65, code, name, *words, told=told, **how)
        problem = checked.record["problems"][0]
        hold(checked.status == 65 and (problem["pointer"], problem["severity"]) == (at, "error"), checked)
        same(problem["message"], run.record["problems"][0]["message"])
        return run

    def recorded(self, run):
        """Every attempt that says it ran is an execution in the ledger that ended as it says."""
        for attempt in run.record.get("attempts", []):
            if "execution_id" not in attempt:
                continue
            states = [entry["state"] for entry in self.log("--execution", attempt["execution_id"])
                      if entry["kind"] == "execution_event"]
            # what was run may succeed and its output still not fit the adapter
            fits = attempt["ok"] or attempt["code"] == "TRANSFORM_FAILED"
            hold(states[:2] == ["planned", "running"] and (states[2] == "succeeded") == fits, run)

    def no_secret(self, run):
        """Neither in what was said nor in anything that is kept."""
        hold(SECRET.encode() not in run.out + run.err, run)
        for path in self.state.rglob("*"):
            if path.is_file() and SECRET.encode() in path.read_bytes():
                raise AssertionError(f"the secret is in {path}")

    def executions(self, run):
        return [attempt.get("execution_id") for attempt in run.record["attempts"]]


def collector(cases):
    return plans.ground.collector(cases, Toolshed)


def missing(function):
    """A case that needs somebody else's program is skipped where that is not installed."""
    def play(place):
        try:
            function(place)
        except peers.Missing as why:
            raise plans.tap.Skip(str(why)) from None
    play.__name__ = function.__name__
    return play
