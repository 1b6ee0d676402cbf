"""route.py: where steps that go through a worker are raced: a fresh repository, and plans of /bin/true.

Contestants are measured by turns, each turn in another order, and compared by the median.
"""
import contextlib
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/route/rigs"))
import processes  # noqa: E402

SECONDS = 300
TOOLS = {"tools": [{"tool_id": "t", "name": "t", "owner": "us", "status": "active",
                    "scope": {"commands": ["/bin/true", "/usr/bin/true"]}}]}


class Ground:
    def __init__(self, writ, *workers, **env):
        self.writ = pathlib.Path(writ).resolve()
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="writ-bench-"))
        self.work = self.home / "work"
        self.work.mkdir()
        self.env = processes.ENV | {"HOME": str(self.home), "WRIT_STATE": str(self.home / "state"),
                                    "XDG_CONFIG_HOME": str(self.home)} | env
        subprocess.run(["git", "init", "-q", self.work], check=True, env=self.env)
        self.put(self.work / ".writ/tools.yaml", TOOLS)
        self.put(self.home / "writ/config.yaml", {"workers": list(workers)})

    def put(self, path, document):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document))
        return path

    def plan(self, name, steps, worker=None):
        """A plan of so many steps, which run here or on a worker."""
        route = {"route": {"class": "generic", "worker": worker, "fallback": "fail_closed"}} if worker else {}
        return self.put(self.work / f"{name}.json", {
            "name": name, "steps": [{"name": f"s{n}", "run": ["/bin/true"]} | route for n in range(steps)]})

    def run(self, plan, jobs=1):
        """How long the plan takes, in seconds. One that does not succeed is no measurement."""
        self.command(self.writ, "run", plan, "--jobs", jobs, "--progress", "none")

    def command(self, *words):
        done = subprocess.run([*map(str, words)], cwd=self.work, env=self.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
        if done.returncode != 0:
            sys.exit(f"{words}: {done.returncode}\n{done.stdout[-2000:]}")

    def close(self):
        shutil.rmtree(self.home, ignore_errors=True)


@contextlib.contextmanager
def ground(writ, *workers, **env):
    it = Ground(writ, *workers, **env)
    try:
        yield it
    finally:
        it.close()


def race(turns, **contestants):
    """The median of what each takes, in seconds."""
    took, chance = {name: [] for name in contestants}, random.Random(1)
    for _ in range(turns):
        for name in chance.sample(sorted(contestants), len(contestants)):
            start = time.perf_counter()
            contestants[name]()
            took[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in took.items()}


def line(name, seconds, steps, note=""):
    print(f"  {name:<52} {seconds / steps * 1e6:9.0f} us a step  {note}".rstrip(), flush=True)


def skip(what, why):
    print(f"{what}: skipped, {why}")
    return 0


def program(default):
    """The writ that is measured: named, or the one that was built beside us."""
    path = sys.argv[1] if len(sys.argv) > 1 else default
    if not os.access(path, os.X_OK):
        sys.exit(f"there is no {path}")
    return path
