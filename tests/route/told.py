#!/usr/bin/env python3
"""told: what workers and wrappers tell of a run, what is kept of it, and what a record says then.

usage: told.py FAKE_RCH WRIT      prints TAP
"""
import json
import pathlib
import sys

import routes
from routes import WAYS, hold, pipe, ready, same

CASES = []
case = routes.collector(CASES)
TELLER = pathlib.Path(__file__).resolve().parent / "rigs/teller.py"


def teller(mode):
    return pipe(mode, command=[sys.executable, str(TELLER), mode])


# ---- in a plan ----

def steps(place, *payloads):
    """What each step of a plan came to, in their order."""
    place.registry({"tool_id": "TL-1", "scope": {"commands": routes.plans.COMMANDS, "filesystem": "extended"}})
    listed = [routes.plans.step("execute", payload, on_failure="skip") for payload in payloads]
    said = place.writ("run", "--json", place.put("outside/plan.json", json.dumps(routes.plans.plan(*listed))))
    hold(said.status in (0, 1, 3), said)
    result = json.loads(said.out)
    errors = result["error"]["context"]["errors"] if "error" in result else []
    did = {error["step_id"]: error["context"] for error in reversed(errors)} | result["result_payload"]["steps"]
    return [did[one["id"]] for one in listed]


def prints(script, **route):
    return {"inputs": {"command": "/bin/sh", "arguments": ["-c", script]}, "route": {"class": "generic"} | route}


@case
def what_a_step_printed_is_kept_wherever_it_ran(place):
    ready(place)
    for how, route in WAYS:
        did, = steps(place, prints(f"echo {route}; echo err {route} >&2", **how))
        same((place.kept(did["stdout"]["evidence"]), place.kept(did["stderr"]["evidence"])),
             (f"{route}\n".encode(), f"err {route}\n".encode()))


@case
def what_a_step_printed_before_its_worker_went_away_is_kept(place):
    place.configure(teller("prints_and_dies"))
    did, = steps(place, prints("exit 0", worker="prints_and_dies"))
    same((did["cause"], place.kept(did["stdout"]["evidence"])), ("lost", b"last words\n"))


if __name__ == "__main__":
    sys.exit(routes.main(CASES))
