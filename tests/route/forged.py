#!/usr/bin/env python3
"""forged: lanes whose worker lies, floods, drips, repeats itself and ends anywhere (rigs/forger.py).

usage: forged.py FAKE_RCH WRIT      prints TAP

The command leaves a mark, so that a success can be told from one that was made up. WRIT_LONG=1 plays some
thousand lanes; WRIT_SEED=n the same again.
"""
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import routes
from processes import holders, kill, until
from routes import tap

sys.path.insert(1, str(routes.HERE / "rigs"))
import forger  # noqa: E402

EACH = 150 if routes.LONG else 6  # lanes of a forgery
SLOW = {"floods": 12, "drips": 20} if routes.LONG else {"floods": 1, "drips": 2}
AT_ONCE = 4
SEED = int(os.environ.get("WRIT_SEED") or random.SystemRandom().randrange(1 << 32))
SECONDS = 100
STATUSES = {0, 69, 74, 77, 125, 143, 137, 130}


class Forged(Exception):
    """What a lane must not do."""


class Lane:
    def __init__(self, place, forgery, seed):
        self.place, self.forgery, self.seed, self.mark = place, forgery, seed, routes.token()
        self.told = None

    def __str__(self):
        return f"{self.forgery} {self.seed}"

    def run(self):
        config = self.place.scratch / "configs" / self.mark
        (config / "writ").mkdir(parents=True)
        worker = {"name": "far", "kind": "pipe", "patience_secs": 4, "command": [
            sys.executable, str(routes.HERE / "rigs/forger.py"), self.forgery, str(self.seed), str(tap.WRIT)]}
        (config / "writ/config.yaml").write_text(json.dumps({"workers": [worker]}))
        as_person = self.seed % 3 == 0
        words = self.place.words("/bin/sh", "-c", 'echo hi; echo x >> "ran-$0"', self.mark, worker="far", closed=True,
                                 options=["--timeout-ms", 3000])
        began = time.monotonic()
        done = subprocess.run([tap.WRIT, *(word for word in words if not (as_person and word == "--json"))],
                              cwd=self.place.work, env=self.place.environment({"XDG_CONFIG_HOME": str(config)}),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
        self.took = time.monotonic() - began
        self.judge(done, as_person)
        try:
            until(lambda: not holders(self.mark), "nothing is left", 15, pause=0.1)
        except RuntimeError:
            left = holders(self.mark)
            kill(*left)
            raise Forged(f"left running: {left}") from None

    def judge(self, done, as_person):
        path = self.place.work / f"ran-{self.mark}"
        ran = len(path.read_text().splitlines()) if path.exists() else 0
        tail = (done.returncode, done.stdout[-1500:], done.stderr[-1500:])
        if done.returncode not in STATUSES:
            raise Forged(f"status {tail}")
        if b"\x1b" in done.stderr or (not as_person and b"\x1b" in done.stdout):
            raise Forged(f"the terminal is played with: {tail}")
        if done.returncode == 0 and not ran:
            raise Forged(f"a success that was none: {tail}")
        if ran > 3:
            raise Forged(f"it ran {ran} times: {tail}")
        self.told = str(done.returncode)
        if as_person:
            return
        record = json.loads(done.stdout)
        if (record.get("state") == "succeeded") != (done.returncode == 0):
            raise Forged(f"state {record.get('state')}: {tail}")
        if self.forgery not in ("flips", "documents", "repeats") and done.returncode == 0 and \
                record["stdout"]["text"] != "hi\n":
            raise Forged(f"output that was none: {tail}")


def play(lane):
    try:
        lane.run()
    except Exception as wrong:
        return f"{lane}: {type(wrong).__name__}: {wrong}"
    return ""


def main():
    cases, chance = tap.Tap(), random.Random(SEED)
    why = routes.plans.ground.no_sandbox()
    if why:
        print("1..0 # SKIP", why)
        return 0
    print(f"# WRIT_SEED={SEED}")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        place = routes.Routes(routes.pathlib.Path(scratch))
        before = [str(path) for path in place.scratch.rglob("*")]
        for forgery in forger.FORGERIES:
            lanes = [Lane(place, forgery, chance.randrange(1 << 30)) for _ in range(SLOW.get(forgery, EACH))]
            with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
                faults = [fault for fault in pool.map(play, lanes) if fault]
            ends = [lane.told for lane in lanes]
            count = ", ".join(f"{ends.count(end)} ended with {end}" for end in sorted(set(ends), key=str))
            longest = max((getattr(lane, "took", 0) for lane in lanes), default=0)
            cases.case(f"a_worker_that_forges_{forgery}: {len(lanes)}, {count}, {longest:.0f} s at most",
                       "\n".join(faults)[:20000])
        odd = [str(path) for path in place.scratch.rglob("*") if path.name in ("outside", "pre-commit")]
        cases.case("nothing_is_written_elsewhere", f"{set(odd) - set(before)}" if set(odd) - set(before) else "")
        fault = ""
        try:
            place.verify()
        except AssertionError as wrong:
            fault = str(wrong)
        cases.case("the_ledger_is_intact", fault)
    return cases.finish()


if __name__ == "__main__":
    sys.exit(main())
