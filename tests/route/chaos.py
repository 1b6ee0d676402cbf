#!/usr/bin/env python3
"""chaos: lanes and plans whose worker, channel or writ itself is killed at a moment of chance.

usage: chaos.py --pipe|--ssh|--slurm FAKE_RCH WRIT      prints TAP

Each lane leaves marks on the disk when it begins and when it has ended. Whatever was killed: nobody is
told of a success that was none, no command begins twice, the ledger is intact, and nothing is left
running. WRIT_LONG=1 plays a thousand lanes by the three of them; WRIT_SEED=n plays the same moments again.
"""
import concurrent.futures
import contextlib
import json
import os
import random
import subprocess
import sys
import time

import routes
from routes import same, tap, token, true
from processes import Missing, children, descendants, holders, kill, name_of, parent, until, words_of

KIND = next((word[2:] for word in sys.argv if word in ("--pipe", "--ssh", "--slurm")), "pipe")
ROUTE = {"pipe": "local_worker", "ssh": "remote_ssh", "slurm": "remote_slurm"}[KIND]
LANES = {"pipe": 340, "ssh": 330, "slurm": 330}[KIND] if routes.LONG else 24
PLANS = 60 if routes.LONG else 6
STEPS = 8
AT_ONCE = 4
MANY = 10  # lanes, of which at least one is hit by what is meant for it
START = {"pipe": 0.1, "ssh": 0.8, "slurm": 0.4}[KIND]  # about as long as it takes to reach it, in seconds
SEED = int(os.environ.get("WRIT_SEED") or random.SystemRandom().randrange(1 << 32))
SECONDS = 120
VICTIMS = ("worker", "guard", "client", "nothing") + (() if KIND == "pipe" else ("carrier", "session"))
CARRIERS = {"ssh": "ssh", "slurm": "srun"}

# srun does not see that slurmstepd was killed (22.05), so the channel stays open and silent: what ends
# such a lane is its time.
DEADLINE_MS = 8000
SILENT = ("session",) if KIND == "slurm" else ()

# $0 is the lane's token, $1 how long it takes, $2 its exit code.
SCRIPT = ('echo begun >> "begun-$0"; setsid sh -c "sleep 600; :" "$0" </dev/null >/dev/null 2>&1 & '
          'sleep "$1"; echo done > "done-$0"; exit "$2"')


class Lost(Exception):
    """What a lane must not do."""


# ---- who is who: everything of a lane has its token in its arguments or its environment ----

def is_worker(pid):
    return b"--stdio" in words_of(pid) and name_of(pid).startswith("writ")


def topmost(pids):
    """Not what it started, which looks like it."""
    return [pid for pid in pids if parent(pid) not in pids][:1]


def worker_of(mark):
    return topmost([pid for pid in holders(mark, "environ") if is_worker(pid)])


def carrier_of(mark):
    return topmost([pid for pid in holders(mark, "environ") if name_of(pid) == CARRIERS.get(KIND)])


def guard_of(client):
    """What stands between writ and what carries: its child, whatever it is."""
    return [pid for pid in children(client.pid) if not is_worker(pid)][:1]


def session_of(mark):
    """What serves the carrier on the other side: sshd for this client, slurmstepd for this step."""
    for pid in worker_of(mark):
        above, found = parent(pid), []
        while above > 1 and name_of(above) not in ("sshd", "slurmstepd"):
            above = parent(above)
        while above > 1 and name_of(above) in ("sshd", "slurmstepd") and name_of(parent(above)) == name_of(above):
            found, above = [*found, above], parent(above)  # the last is the server itself
        if name_of(above) == "slurmstepd":
            found.append(above)
        return found
    return []


def victims(what, mark, client):
    return {"worker": lambda: worker_of(mark), "carrier": lambda: carrier_of(mark), "guard": lambda: guard_of(client),
            "session": lambda: session_of(mark), "client": lambda: [client.pid], "nothing": list}[what]()


def nothing_left(mark):
    """Channels take a moment to be seen closed; nothing here ends by itself that soon."""
    try:
        until(lambda: not holders(mark), "nothing is left", pause=0.05)
    except RuntimeError:
        left = holders(mark)
        kill(*left)
        raise Lost(f"left running: {left}") from None


# ---- a lane ----

class Lane:
    def __init__(self, place, chance, config, victim):
        self.place, self.mark = place, token()
        self.takes, self.code = chance.uniform(0, 0.6), chance.choice((0, 0, 7))
        self.victim, self.begun_first = victim, chance.random() < 0.6
        self.moment = chance.uniform(0, self.takes if self.begun_first else START)
        self.closed = chance.random() < 0.5
        self.config = place.scratch / "configs" / self.mark
        self.killed = []
        (self.config / "writ").mkdir(parents=True)
        (self.config / "writ/config.yaml").write_text(json.dumps({"workers": [config(self.mark)]}))

    def __str__(self):
        return (f"{self.mark}: takes {self.takes:.3f} s, exits with {self.code}, {self.victim} {self.killed} killed "
                f"{self.moment:.3f} s after {'it began' if self.begun_first else 'the start'}, {'fail closed' if self.closed else 'falls back'}")

    def environment(self):
        return self.place.environment({"XDG_CONFIG_HOME": str(self.config), "CHAOS": self.mark,
                                       **self.place.more})

    def run(self):
        out, err = (self.place.scratch / f"{name}-{self.mark}" for name in ("out", "err"))
        words = self.place.words("/bin/sh", "-c", SCRIPT, self.mark, f"{self.takes:.3f}", self.code, worker="far",
                                 closed=self.closed, options=["--timeout-ms", DEADLINE_MS])
        client = subprocess.Popen([tap.WRIT, *words], cwd=self.place.work, env=self.environment(),
                                  stdin=subprocess.DEVNULL, stdout=open(out, "wb"), stderr=open(err, "wb"))
        status = self.harm(client)
        self.judge(status, out.read_bytes(), err.read_bytes())

    def harm(self, client):
        """Waits for the moment, kills, and waits for the end: its status."""
        try:
            until(lambda: client.poll() is not None or not self.begun_first or self.has_begun(), "it has begun",
                  pause=0.01)
            with contextlib.suppress(subprocess.TimeoutExpired):
                client.wait(self.moment)
            if client.poll() is None:
                self.killed = victims(self.victim, self.mark, client)
                kill(*self.killed)
            status = client.wait(SECONDS)
        finally:
            client.kill()
            client.wait()
        nothing_left(self.mark)
        return status

    def has_begun(self):
        return any(self.place.work.glob(f"begun-{self.mark}*"))

    # ---- what it must have come to ----

    def count(self, name):
        path = self.place.work / f"{name}-{self.mark}"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def judge(self, status, out, err):
        if self.count("begun") > (3 if self.victim in SILENT else 1):  # time that is up is tried again
            raise Lost(f"it began {self.count('begun')} times")
        if status == -9:
            return self.judge_dead(out)
        try:
            record = json.loads(out)
        except ValueError:
            raise Lost(f"no record, status {status}: {err[-800:]!r}") from None
        self.judge_record(status, record, err)

    def is_lost(self, execution):
        last = self.place.entry(self.place.log("--execution", execution, "--kind", "execution_event")[-1]["ledger_id"])
        return last["body"]["payload"].get("error", {}).get("code") == "worker_lost"

    def judge_dead(self, out):
        """writ was killed: nothing is told, or all of it, and the ledger does not say that it ended, but for a lane
        after it, which says that it was lost."""
        if self.victim != "client":
            raise Lost("nobody killed writ")
        for execution in self.executions():
            states = self.place.states(execution)
            if states and states[-1] not in ("planned", "running") and not (self.count("done") or self.is_lost(execution)):
                raise Lost(f"the ledger says {states}")
            if states and states[-1] == "succeeded" and self.code != 0:
                raise Lost(f"the ledger says {states}, and it ended with {self.code}")
        if out and not self.count("done"):
            raise Lost(f"it told {out[-300:]!r}")

    def executions(self):
        """The lanes that were begun for this command."""
        for path in self.place.state.glob("lanes/run-*/transcript.jsonl"):
            with contextlib.suppress(OSError):
                if self.mark in path.read_text(errors="replace"):
                    yield path.parent.name.removeprefix("run-")

    def judge_record(self, status, record, err):
        if "lane" not in record:
            raise Lost(f"status {status}: {json.dumps(record)[:1500]}")
        ran, done = self.count("begun"), self.count("done")
        failure = record["lane"].get("failure_code")
        told = (record["state"], record["exit_code"], failure)
        here = record["route"] == "local_direct"
        if status != record["exit_code"]:
            raise Lost(f"status {status} of {told}")
        if done and told == (("succeeded", 0, None) if self.code == 0 else ("failed", self.code, "command_failed")):
            if not here and record["route"] != ROUTE:
                raise Lost(f"route {record['route']}")
            if here and not (record["downgraded"] and not self.closed):
                raise Lost("it ran here")
        elif told[0::2] == ("failed", "rch_unavailable") and status == 69 and not ran and self.closed:
            pass  # it never began
        elif told[0::2] == ("failed", "worker_lost") and status == 69 and self.killed:
            pass  # nobody knows
        elif told == ("failed", 143, "command_timeout") and self.victim in SILENT and self.killed:
            pass  # nobody knows, and nobody can
        else:
            raise Lost(f"it told {told}, route {record['route']}; begun {ran}, done {done}: {err[-800:]!r}")
        if self.victim == "nothing" and told[2] not in (None, "command_failed"):
            raise Lost(f"nothing was killed, and it told {told}: {err[-800:]!r}")
        same(self.place.states(record["execution_id"])[-1], record["state"])
        self.told = "lost" if failure == "worker_lost" else "absent" if failure == "rch_unavailable" else (
            "here" if here else "there")

    told = "dead"


def play(lane):
    """The fault of a lane, or nothing."""
    try:
        lane.run()
    except Exception as wrong:
        return f"{lane}\n{type(wrong).__name__}: {wrong}"
    return ""


# ---- a plan ----

def plan_of(place, chance, mark):
    """Steps that go to the worker two at a time; each leaves its marks."""
    def payload(n):
        return {"inputs": {"command": "/bin/sh", "arguments": ["-c", SCRIPT, f"{mark}-{n}",
                                                               f"{chance.uniform(0, 0.3):.3f}", "0"]},
                "sandbox": {"timeout_ms": DEADLINE_MS}, "route": {"class": "generic", "worker": "far", "fallback": "fail_closed"}}

    return routes.plans.plan(*(routes.plans.step("execute", payload(n), on_failure="skip") for n in range(STEPS)))


class Plan(Lane):
    def __init__(self, place, chance, config, victim):
        super().__init__(place, chance, config, victim)
        self.moment, self.document = chance.uniform(0, 0.6 if self.begun_first else START), plan_of(place, chance, self.mark)

    def run(self):
        path = self.place.put(f"outside/plan-{self.mark}.json", json.dumps(self.document))
        out, err = (self.place.scratch / f"{name}-{self.mark}" for name in ("out", "err"))
        client = subprocess.Popen([tap.WRIT, "run", "--json", "--jobs", "2", path], cwd=self.place.work,
                                  env=self.environment(), stdin=subprocess.DEVNULL, stdout=open(out, "wb"),
                                  stderr=open(err, "wb"))
        status = self.harm(client)
        self.judge_plan(status, out.read_bytes(), err.read_bytes())

    def judge_plan(self, status, out, err):
        begun = [self.begun(n) for n in range(STEPS)]
        done = [(self.place.work / f"done-{self.mark}-{n}").exists() for n in range(STEPS)]
        if max(begun) > 1:
            raise Lost(f"a step began twice: {begun}")
        if status == -9:
            true(self.victim == "client" and not out, f"killed: {self.victim}, told {out[-300:]!r}")
            return
        result = json.loads(out)
        steps = result["result_payload"]["steps"]
        for n, step in enumerate(self.document["steps"]):
            if step["id"] in steps and not done[n]:  # only those that were completed are listed
                raise Lost(f"step {n} is told a success: {steps[step['id']]}")
        if (result["status"] == "success") != (all(done) and status == 0):
            raise Lost(f"{result['status']}, status {status}, done {done}: {err[-500:]!r}")
        if self.victim == "nothing" and result["status"] != "success":
            raise Lost(f"nothing was killed, and it told {out[-1500:]!r}")
        self.told = result["status"]

    def begun(self, n):
        path = self.place.work / f"begun-{self.mark}-{n}"
        return len(path.read_text().splitlines()) if path.exists() else 0


# ---- all of it ----

def workers(held, place):
    """What reaches the worker of this kind: a function of a lane's token."""
    def command(mark):
        """writ there, which has the token in its environment; ssh's words hold no variables."""
        path = place.scratch / "configs" / mark / "writ-there"
        path.write_text(f'#!/bin/sh\nexec env WRIT_STATE={place.scratch}/far CHAOS={mark} {tap.WRIT} "$@"\n')
        path.chmod(0o755)
        return [str(path)]

    if KIND == "pipe":
        return lambda mark: {"name": "far", "kind": "pipe"}
    if KIND == "ssh":
        import ssh
        box = held.enter_context(ssh.sshd())
        return lambda mark: {"name": "far", "kind": "ssh", "host": box.host, "options": box.options,
                             "command": command(mark)}
    import slurm
    cluster = held.enter_context(slurm.slurm())
    job = cluster.allocate()
    place.more = cluster.env
    return lambda mark: {"name": "far", "kind": "slurm", "options": cluster.within(job),
                         "command": command(mark)}


def report(cases, name, lanes):
    """One case for all lanes with the same victim."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        faults = list(zip(lanes, pool.map(play, lanes)))
    for victim in VICTIMS:
        mine = [(lane, fault) for lane, fault in faults if lane.victim == victim]
        hit = sum(bool(lane.killed) for lane, _ in mine)
        ends = [lane.told for lane, _ in mine]
        count = ", ".join(f"{ends.count(end)} {end}" for end in sorted(set(ends)))
        missed = len(mine) >= MANY and victim != "nothing" and not hit
        cases.case(f"{name}_{KIND}_{victim}_killed: {len(mine)}, {hit} hit, {count}",
                   "\n".join([fault for _, fault in mine if fault] + missed * ["nobody was hit"])[:20000])


def main():
    cases, chance = tap.Tap(), random.Random(SEED)
    why = routes.plans.ground.no_sandbox()
    if why:
        print("1..0 # SKIP", why)
        return 0
    print(f"# WRIT_SEED={SEED}")
    with contextlib.ExitStack() as held:
        scratch = held.enter_context(routes.plans.tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        place = routes.Routes(routes.pathlib.Path(scratch))
        place.more = {}
        try:
            config = workers(held, place)
        except Missing as why:
            print(f"1..0 # SKIP {why}")
            return 0
        started = time.monotonic()

        def each(kind, count):
            return [kind(place, chance, config, VICTIMS[n % len(VICTIMS)]) for n in range(count)]

        report(cases, "lanes", each(Lane, LANES))
        place.registry({"tool_id": "TL-1", "scope": {"commands": ["/bin/sh", os.path.realpath("/bin/sh")],
                                                     "filesystem": "extended"}})
        report(cases, "plans", each(Plan, PLANS))
        fault = ""
        try:
            place.verify()
        except AssertionError as wrong:
            fault = str(wrong)
        cases.case("the_ledger_is_intact", fault)
        left = {pid: name_of(pid) for pid in descendants(os.getpid()) if is_worker(pid)}
        cases.case("no_worker_is_left", f"{left}" if left else "")
        print(f"# {LANES} lanes and {PLANS} plans in {time.monotonic() - started:.0f} s")
    return cases.finish()


if __name__ == "__main__":
    sys.exit(main())
