#!/usr/bin/env python3
"""jobs: what becomes of a lane's job in Slurm: killed or stopped at a moment of chance, queued, limited.

usage: jobs.py FAKE_RCH WRIT      prints TAP

The Slurm is the test's own (rigs/slurm.py); each lane has a job of its own there. WRIT_LONG=1 plays 200
kills; WRIT_SEED=n plays the same moments again.
"""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.argv.insert(1, "--slurm")
import chaos  # noqa: E402
import routes  # noqa: E402
import slurm  # noqa: E402
from processes import holders, kill, name_of  # noqa: E402
from processes import until as until_within  # noqa: E402
from routes import hold, same, tap, true, until  # noqa: E402

KILLS = 200 if routes.LONG else 20
AT_ONCE = 4
GONE = 10  # seconds, in which a job is gone after writ has answered
WAYS = [(victim, how) for how in (signal.SIGKILL, signal.SIGSTOP) for victim in ("worker", "carrier", "session",
                                                                                  "client", "nothing")]


class Jobs:
    """The lanes' place and their Slurm. A job is known by its comment."""

    def __init__(self, scratch, cluster):
        self.place, self.cluster = routes.Routes(pathlib.Path(scratch)), cluster
        self.place.more = cluster.env

    def listed(self, mark, what="%i %T"):
        """squeue's lines of the jobs with that comment."""
        said = self.cluster.run("squeue", "-h", "-o", f"%k {what}").stdout
        return [line.removeprefix(mark + " ") for line in said.splitlines() if line.startswith(mark + " ")]

    def gone(self, mark, seconds=GONE):
        try:
            until_within(lambda: not self.listed(mark), "the job is gone", seconds, pause=0.3)
        except RuntimeError:
            return False
        return True

    def worker(self, mark, **more):
        path = self.place.scratch / "configs" / mark / "writ-there"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/sh\nexec env WRIT_STATE={self.place.scratch}/far CHAOS={mark} {tap.WRIT} "$@"\n')
        path.chmod(0o755)
        return {"name": "far", "kind": "slurm", "options": [f"--comment={mark}"], "command": [str(path)]} | more


class Job(chaos.Lane):
    def __init__(self, jobs, chance, victim, how):
        super().__init__(jobs.place, chance, jobs.worker, victim)
        self.jobs, self.how, self.left_told = jobs, how, False

    def __str__(self):
        return f"{super().__str__()} by {self.how.name}"

    def harm(self, client):
        """Waits for the moment, kills or stops, waits for the end, and looks whether the job is gone."""
        try:
            with contextlib.suppress(RuntimeError):
                until_within(lambda: client.poll() is not None or not self.begun_first or self.has_begun(), "it began", 20)
            with contextlib.suppress(subprocess.TimeoutExpired):
                client.wait(self.moment)
            if client.poll() is None:
                self.killed = chaos.victims(self.victim, self.mark, client)
                for pid in self.killed:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, self.how)
            if self.victim == "client" and self.killed and self.how == signal.SIGSTOP:
                time.sleep(1)  # one that is stopped never answers
                client.kill()
            status = client.wait(chaos.SECONDS)
        finally:
            client.kill()
            client.wait()
        self.stays = not self.jobs.gone(self.mark)
        for pid in self.killed if self.victim == "session" and self.how == signal.SIGSTOP else ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)  # a daemon that is killed keeps Slurm busy for minutes
        if self.victim != "session":
            kill(*[pid for pid in self.killed if pid != client.pid])
        return status

    def judge(self, status, out, err):
        if self.stays:  # a daemon of Slurm that is stopped ends nothing; then that is told
            if self.victim != "session" or self.how != signal.SIGSTOP:
                raise chaos.Lost(f"its job is there {GONE} s after writ answered: {self.jobs.listed(self.mark)}, "
                                 f"status {status} {out[-1500:]!r} {err[-500:]!r}")
            if b"is not gone" not in out:
                raise chaos.Lost(f"its job is there, and that is not told: {out[-2500:]!r} {err[-500:]!r}")
            if not self.jobs.gone(self.mark, 60):
                raise chaos.Lost(f"its job stays: {self.jobs.listed(self.mark)}")
        if status == -9:
            return self.judge_dead(out)
        record = json.loads(out)
        state, failure = record["state"], record["lane"].get("failure_code")
        if state == "succeeded" and not (self.count("done") and self.code == 0):
            raise chaos.Lost("it told a success that was none")
        if self.count("begun") > 1 and failure != "command_timeout":
            raise chaos.Lost(f"it began {self.count('begun')} times: {failure}")
        self.told = failure or state


def killed_at_a_moment_of_chance(jobs, cases):
    """No job of ours is left 10 s after writ has answered."""
    chance = chaos.random.Random(chaos.SEED)
    lanes = [Job(jobs, chance, *WAYS[n % len(WAYS)]) for n in range(KILLS)]
    with chaos.concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        faults = list(zip(lanes, pool.map(chaos.play, lanes)))
    for victim, how in WAYS:
        mine = [(lane, fault) for lane, fault in faults if (lane.victim, lane.how) == (victim, how)]
        ends = [lane.told for lane, _ in mine]
        count = ", ".join(f"{ends.count(end)} {end}" for end in sorted(set(ends)))
        cases.case(f"no_job_is_left_{victim}_{how.name}: {len(mine)}, {sum(bool(lane.killed) for lane, _ in mine)} hit, "
                   f"{count}", "\n".join(fault for _, fault in mine if fault)[:20000])


# ---- a case each ----

CASES = []
case = tap.collector(CASES)


@contextlib.contextmanager
def full(jobs):
    """All that there is, is taken; what comes is queued. The block may call what it is given to free it."""
    job = jobs.cluster.allocate(f"-N{len(slurm.NODES)}", "--exclusive")
    try:
        yield lambda: jobs.cluster.run("scancel", job)
    finally:
        jobs.cluster.run("scancel", job)


def lane(jobs, mark, *command, env=None, **how):
    return jobs.place.lane(*command, worker="far", env={"CHAOS": mark} | jobs.cluster.env | (env or {}), **how)


def start(jobs, mark, *command, **how):
    return jobs.place.begin(*command, worker="far", env={"CHAOS": mark} | jobs.cluster.env, **how)


@case
def R_000_059_a_job_that_is_queued_is_waited_for(jobs):
    mark = routes.token()
    jobs.place.configure(jobs.worker(mark, patience_secs=1))
    with full(jobs) as free:
        child = start(jobs, mark, "/bin/echo", "there", options=["--timeout-ms", 60000])
        until(lambda: any("PENDING" in line for line in jobs.listed(mark)), "it is queued", child)
        time.sleep(3)
        same(child.poll(), None)
        free()
        run = jobs.place.end(child)
    routes.ended(run, "succeeded", 0, route="remote_slurm")
    same((jobs.place.told(run, "downgrade", "unavailable"), jobs.listed(mark)), ([], []))


@case
def R_000_059_a_job_is_queued_no_longer_than_the_run_may_take(jobs):
    mark, began = routes.token(), time.monotonic()
    jobs.place.configure(jobs.worker(mark, patience_secs=1))
    with full(jobs):
        run = lane(jobs, mark, "/usr/bin/touch", "ran", options=["--timeout-ms", 4000])
    true(time.monotonic() - began < 60, "it waited too long")
    routes.ended(run, "failed", 143, "command_timeout", "remote_slurm")
    why, = jobs.place.told(run, "unavailable")
    hold("PENDING" in why["message"] and "in the queue" in why["message"], run)
    same((jobs.place.there("ran"), jobs.listed(mark)), ([], []))


@case
def R_000_059_who_says_how_long_falls_back_then(jobs):
    mark = routes.token()
    jobs.place.configure(jobs.worker(mark, patience_secs=1, queue_secs=2))
    with full(jobs):
        run = lane(jobs, mark, "/bin/echo", "here", options=["--timeout-ms", 60000])
    routes.ended(run, "succeeded", 0, route="local_direct")
    same((len(jobs.place.told(run, "unavailable")), len(jobs.place.told(run, "downgrade")), jobs.listed(mark)),
         (1, 1, []))


@case
def R_000_069_where_there_is_no_slurm_it_runs_here(jobs):
    mark = routes.token()
    conf = jobs.place.put("outside/slurm.conf", "".join(
        "SlurmctldPort=1\nMessageTimeout=2\n" if line.startswith(("SlurmctldPort", "MessageTimeout")) else line
        for line in (jobs.cluster.home / "slurm.conf").read_text().splitlines(keepends=True)))
    jobs.place.configure(jobs.worker(mark, patience_secs=2))
    run = lane(jobs, mark, "/bin/echo", "here", env={"SLURM_CONF": str(conf)})
    routes.ended(run, "succeeded", 0, route="local_direct")
    same(len(jobs.place.told(run, "downgrade")), 1)


@case
def a_job_asks_for_what_the_run_may_use_and_has_a_name_and_a_time_of_its_own(jobs):
    mark = routes.token()
    jobs.place.configure(jobs.worker(mark))
    child = start(jobs, mark, "/bin/sleep", "2", options=["--timeout-ms", 61000, "--memory-mb", 300, "--cpu-cores", 2])
    until(lambda: jobs.listed(mark), "it is there", child)
    shown = jobs.listed(mark, "%j %T %m %C %l")[0].split()
    true(shown[0].startswith("writ-") and len(shown[0]) > 20, shown)
    same((shown[2], shown[3]), ("428M", "2"))
    minutes = int(shown[4].split(":")[0])
    true(6 <= minutes <= 8, shown)
    routes.ended(jobs.place.end(child), "succeeded", 0, route="remote_slurm")
    same(jobs.listed(mark), [])


@case
def lanes_of_a_plan_at_once_have_a_job_each_and_use_them_again(jobs):
    mark = routes.token()
    jobs.place.configure(jobs.worker(mark))
    jobs.place.registry({"tool_id": "TL-1", "scope": {"commands": ["/bin/sh", os.path.realpath("/bin/sh")],
                                                      "filesystem": "extended"}})
    script = 'echo "$SLURM_JOB_ID" > /dev/null; cat /proc/self/cgroup > /dev/null; sleep 1; echo x >> "ran-$0"'
    payloads = [{"inputs": {"command": "/bin/sh", "arguments": ["-c", script, str(n)]},
                 "route": {"class": "generic", "worker": "far", "fallback": "fail_closed"}} for n in range(6)]
    path = jobs.place.put("plan.json", json.dumps(routes.plans.plan(*(routes.plans.step("execute", one)
                                                                      for one in payloads))))
    child = subprocess.Popen([tap.WRIT, "run", "--json", "--jobs", "2", path], cwd=jobs.place.work,
                             env=jobs.place.environment({"CHAOS": mark} | jobs.cluster.env), stdin=subprocess.DEVNULL,
                             stdout=open(jobs.place.scratch / "out", "w+b"), stderr=subprocess.DEVNULL)
    seen = set()
    while child.poll() is None:
        seen.update(line.split()[0] for line in jobs.listed(mark))
        time.sleep(0.1)
    told = (jobs.place.scratch / "out").read_text()
    same((child.returncode, len(jobs.place.there(*(f"ran-{n}" for n in range(6))))), (0, 6)) if len(seen) == 2 else \
        true(False, (seen, told[-1500:]))
    same(jobs.gone(mark), True)


def main():
    cases = tap.Tap()
    why = routes.plans.ground.no_sandbox()
    if why:
        print("1..0 # SKIP", why)
        return 0
    print(f"# WRIT_SEED={chaos.SEED}")
    only = os.environ.get("WRIT_ONLY", "")
    try:
        with slurm.slurm() as cluster:
            for function in CASES if not os.environ.get("WRIT_KILLS") else ():
                if only not in function.__name__:
                    continue
                with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
                    fault = ""
                    try:
                        function(Jobs(scratch, cluster))
                    except Exception as wrong:
                        fault = f"{type(wrong).__name__}: {wrong}"[:5000]
                    cases.case(function.__name__, fault)
            if not only:
                with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
                    killed_at_a_moment_of_chance(Jobs(scratch, cluster), cases)
                left = {pid: name_of(pid) for pid in holders(str(cluster.home), "environ") if chaos.is_worker(pid)}
                cases.case("no_worker_is_left", f"{left}" if left else "")
    except slurm.Missing as why:
        print(f"1..0 # SKIP {why}")
        return 0
    return cases.finish()


if __name__ == "__main__":
    sys.exit(main())
