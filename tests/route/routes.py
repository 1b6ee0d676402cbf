"""routes.py: a fresh repository, ledger and configuration for every case, and lanes that run in it.

usage of the tests here: NAME.py [OPTION...] FAKE_RCH WRIT      prints TAP

FAKE_RCH (rigs/fake_rch.c) stands in rch's place.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "rigs"), str(HERE.parent / "plan")]
import plans  # noqa: E402
import processes  # noqa: E402
import tap  # noqa: E402
from plans import alive, hold, ledger, marker, same, true, until  # noqa: E402,F401

RCH = pathlib.Path(sys.argv[-2]).resolve()
LONG = ledger.LONG
RESULT = ("artifact_manifest", "command_id", "exit_code", "outcome_class", "route", "routed_command", "state")
MANIFEST = ("command_provenance", "outcome_class", "run_id", "scenario_id", "trace_id", "transcript_path",
            "worker_route")
REFUSALS = (69, 75)
SHORT = {"class_id": "short", "allowed_prefixes": ["*"], "soft_timeout_secs": 1, "hard_timeout_secs": 2,
         "cancel_grace_secs": 1}


def pipe(name="pipe", **more):
    return {"name": name, "kind": "pipe"} | more


def wrapper(name="rch", **more):
    return {"name": name, "kind": "wrap", "command": [str(RCH)], "probe": [str(RCH), "--version"],
            "refusals": list(REFUSALS)} | more


def teller(mode, **more):
    """One that runs nothing, and tells what that mode of rigs/teller.py says."""
    return pipe(mode, command=[sys.executable, str(HERE / "rigs/teller.py"), mode]) | more


class Routes(plans.Plans):
    def __init__(self, scratch, address=None):
        super().__init__(scratch, address)
        (self.repo / ".writ/tools.yaml").unlink()  # what a person runs needs no registry
        self.settings = scratch / "config"

    def environment(self, more):
        return super().environment({"XDG_CONFIG_HOME": str(self.settings)} | (more or {}))

    def configure(self, *workers, **members):
        """The user's configuration; JSON is YAML."""
        path = self.settings / "writ/config.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"workers": list(workers)} | members))

    def project(self, *classes, **members):
        """The project's: its classes, and no more than fail_closed."""
        given = {"classes": list(classes)} if classes else {}
        self.put(".writ/config.yaml", json.dumps(given | members))

    # ---- lanes ----

    def words(self, *command, of="generic", worker=None, remote=False, closed=False, options=()):
        return ["exec", "--json", "--class", of, *(["--worker", worker] if worker else []),
                *(["--remote"] if remote else []), *(["--fail-closed"] if closed else []), *map(str, options), "--",
                *map(str, command)]

    def lane(self, *command, env=None, **how):
        """Runs it to its end; its record is as it must be, whatever it came to."""
        run = self.writ(*self.words(*command, **how), env=env)
        return self.complete(run)

    def sh(self, script, *arguments, **how):
        return self.lane("/bin/sh", "-c", script, "sh", *arguments, **how)

    def begin(self, *command, env=None, **how):
        """Lets it run while we do something else. What it prints goes into a file."""
        return self.start(self.words(*command, **how), env)

    def start(self, words, env=None):
        return subprocess.Popen([tap.WRIT, *words], cwd=self.work,
                                env=self.environment(env), stdin=subprocess.DEVNULL,
                                stdout=open(self.scratch / "out", "w+b"),
                                stderr=open(self.scratch / "err", "w+b"))

    def end(self, child, news=()):
        ran = super().end(child, news)
        return self.complete(plans.ground.Run(ran.status, ran.record, ran.out, ran.err))

    def complete(self, run):
        """R-000-006: every lane has a whole result, a manifest and a transcript, and is in the ledger."""
        try:
            run = run._replace(record=json.loads(run.out))
        except ValueError:
            hold(False, run)
        record = run.record
        hold("lane" in record, run)
        result, manifest = record["lane"], record["manifest"]
        same(sorted(set(RESULT) - set(result)), [])
        same(sorted(manifest), sorted(MANIFEST))
        same(result["artifact_manifest"], manifest)
        for name, document in (("result", result), ("manifest", manifest)):
            path = self.lane_of(run) / f"{name}.json"
            same(json.loads(path.read_text()), document)
            hold(self.writ("check", path).status == 0, run)
        for name in ("exit_code", "outcome_class", "route", "state"):
            same(record[name], result[name])
        same(manifest["run_id"], "run-" + record["execution_id"])
        same((manifest["outcome_class"], manifest["worker_route"]), (record["outcome_class"], record["route"]))
        last = self.told(run)[-1]
        same({name: last[name] for name in MANIFEST}, manifest)  # R-000-077: one name, one value, wherever it is told
        for name in ("run_id", "scenario_id", "trace_id"):
            true(re.fullmatch("[a-z0-9._:/-]+", manifest[name]), manifest)
        same((last["event"], last["state"], last["exit_code"]), ("ended", record["state"], record["exit_code"]))
        hold(run.status == record["exit_code"] and not self.running(), run)
        self.is_recorded(run)
        return run

    def is_recorded(self, run):
        """The ledger has it, by its parts, and says the same."""
        entries = self.log("--execution", run.record["execution_id"])
        states = [entry["state"] for entry in entries if entry["kind"] == "execution_event"]
        hold(states and states[-1] == run.record["state"], run)
        about = json.dumps([self.one("show", entry["ledger_id"]) for entry in entries])
        hold(run.record["manifest"]["transcript_path"] in about, run)
        self.verify()

    # ---- looking ----

    def lane_of(self, run):
        """Its directory."""
        return self.state / "lanes" / ("run-" + run.record["execution_id"])

    def transcript(self, run):
        return pathlib.Path(run.record["manifest"]["transcript_path"])

    def told(self, run, *events):
        """What its transcript tells of these events, or all of it; each line as doctor-logging-v1 has it."""
        manifest = run.record["manifest"]
        lines = [json.loads(line) for line in self.transcript(run).read_text().splitlines()]
        for line in lines:
            same((line["run_id"], line["trace_id"]), (manifest["run_id"], manifest["trace_id"]))
        return [line for line in lines if not events or line["event"] in events]

    def path_of(self, run):
        """The states it went through, from the transcript; each by the one before."""
        moves = self.told(run, "state")
        return ["planned"] + [line["to"] for line in moves]

    def running(self):
        """The ids of lanes that have not ended."""
        return [path.parent.name for path in self.state.glob("lanes/run-*/cancel")]


ANY = object()


def ended(run, state, code=None, failure=None, route=None):
    """It came to this."""
    record = run.record | run.record["lane"]
    outcome = {"succeeded": "success", "failed": "failed", "cancelled": "cancelled"}[state]
    hold((record["state"], record["outcome_class"]) == (state, outcome), run)
    hold(code is None or record["exit_code"] == code, run)
    hold(failure is ANY or record.get("failure_code") == failure, run)
    hold(route is None or record["route"] == route, run)
    return run


# ---- lanes of these tests ----

LOCAL, WORKER, WRAPPED, NOWHERE = "local_direct", "local_worker", "remote_rch", "none"
STAYS = 'echo "$0" >> begun; (setsid sleep "$1" </dev/null >/dev/null 2>&1 &); touch up; sleep "$1"; touch done'
DEAF = 'trap "" TERM; ' + STAYS.replace('sleep "$1"; touch', 'sleep "$1"; sleep "$1"; touch')
WAYS = (({}, LOCAL), ({"worker": "pipe"}, WORKER), ({"worker": "rch"}, WRAPPED))
WALLED = WAYS[:2]  # where the walls are ours


def ready(place, **members):
    """Every way there is, and a class whose time is short."""
    place.configure(pipe(), wrapper(), **members)
    place.project(SHORT)
    return place


def begin(place, script, mark, **how):
    """Lets a script run until it is under way."""
    child = place.begin("/bin/sh", "-c", script, "sh", mark, **how)
    until((place.work / "up").exists, "it is up", child)
    (place.work / "up").unlink()
    return child


def nothing_left(place, mark):
    until(lambda: not alive(mark), "nothing of it is left")
    same(place.there("done"), [])


def moves(*rest):
    return ["planned", "queued", *rest]


# ---- lanes as steps ----

def prints(script, **route):
    """The payload of a step that is a lane."""
    return {"inputs": {"command": "/bin/sh", "arguments": ["-c", script]}, "route": {"class": "generic"} | route}


def plan_of(place, *payloads):
    """A plan of such steps, and its file; its commands are listed."""
    place.registry({"tool_id": "TL-1", "scope": {"commands": plans.COMMANDS, "filesystem": "extended"}})
    plan = plans.plan(*(plans.step("execute", payload, on_failure="skip") for payload in payloads))
    return plan, place.put("outside/plan.json", json.dumps(plan))


def collector(cases):
    return plans.ground.collector(cases, Routes)


def main(cases):
    return ledger.main(cases, sandbox=True)


def token():
    return f"lane-{uuid.uuid4()}"
