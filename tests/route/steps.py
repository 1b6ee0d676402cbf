#!/usr/bin/env python3
"""steps: lanes in plans: what is said of them before they run, and while they do.

usage: steps.py FAKE_RCH WRIT      prints TAP
"""
import json
import sys

import routes
from routes import (LOCAL, NOWHERE, RCH, SHORT, WAYS, WORKER, WRAPPED, hold, pipe, plan_of, prints, ready, same, true,
                    wrapper)

CASES = []
case = routes.collector(CASES)

GONE = {"name": "gone", "kind": "wrap", "command": ["/nowhere/rch"]}
LAYERS = "cgroup, landlock, mount, net, pid, seccomp, user"


def dry(place, *payloads):
    """What a dry run says of the steps: for programs, and for people."""
    _, path = plan_of(place, *payloads)
    said, shown = place.writ("run", "--dry-run", "--json", path), place.writ("run", "--dry-run", path)
    hold(said.status == 0 and shown.status == 0, said)
    return json.loads(said.out)["steps"], " ".join(shown.out.decode().split())


def problems(place, said):
    hold(said.status in (1, 65), said)
    same(place.there("ran"), [])
    return [(one["pointer"], one["code"], one["message"]) for one in json.loads(said.out)["problems"]]


def follow(place, *payloads, status=0):
    """The lines of progress about lanes, and what a person is told in plain lines."""
    _, path = plan_of(place, *payloads)
    said = place.writ("run", "--progress=json", path)
    hold(said.status == status, said)
    _, path = plan_of(place, *payloads)
    shown = place.writ("run", path)
    hold(shown.status == status, shown)
    news = [json.loads(line) for line in said.out.splitlines()]
    return [line for line in news if line["event"] in ("step_lane", "step_held")], shown.err.decode()


# ---- before it runs ----

@case
def a_dry_run_tells_where_a_lane_goes_and_what_holds_it(place):
    ready(place)
    steps, text = dry(place, *(prints("exit 0", **how) for how, _ in WAYS))
    for step, (how, route) in zip(steps, WAYS):
        lane = step["lane"]
        same((lane["class"], lane["route"], lane["worker"]), ("generic", route, how.get("worker")))
        same((lane["sandboxed"], lane["otherwise"], lane["unavailable"]),
             (route != WRAPPED, LOCAL if how else None, None))
        same(sorted(step["limits"]) == ["timeout_ms"], route == WRAPPED)
        worker = f" on worker {how['worker']}" if how else ""
        true(f"class generic{worker}, route {route}" in text, text)
    same(text.count("no other limit: it runs outside of the sandbox"), 1)


@case
def X_2_a_dry_run_tells_the_time_of_the_class(place):
    ready(place)
    own = prints("exit 0", **{"class": "short"}) | {"sandbox": {"timeout_ms": 1500}}
    steps, _ = dry(place, prints("exit 0", **{"class": "short"}), own, {"inputs": {"command": "/usr/bin/true"}})
    same([step["timeout_ms"] for step in steps][:2], [2000, 1500])
    same([step["lane"] is None for step in steps], [False, False, True])


@case
def a_dry_run_tells_of_the_lanes_of_an_inner_plan(place):
    ready(place)
    for order in (0, 1):
        inner, _ = plan_of(place, *[prints("exit 0", worker="rch"), prints("exit 0", **{"class": "short"}),
                                    {"inputs": {"command": "/bin/true"}}][:: 1 - 2 * order])
        names = [step["id"][:8] for step in inner["steps"]][:: 1 - 2 * order]
        outer = routes.plans.plan(routes.plans.step("execute_plan", {"plan": inner}))
        path = place.put("outside/outer.json", json.dumps(outer))
        said, shown = place.writ("run", "--dry-run", "--json", path), place.writ("run", "--dry-run", path)
        hold(said.status == 0 and shown.status == 0, said)
        step, = json.loads(said.out)["steps"]
        same({lane["step"]: (lane["class"], lane["route"], lane["sandboxed"]) for lane in step["lane"]},
             {names[0]: ("generic", WRAPPED, False), names[1]: ("short", LOCAL, True)})
        same((step["limits"], step["timeout_ms"]), (None, 300000))
        text = " ".join(shown.out.decode().split())
        true(f"{names[0]}: class generic on worker rch, route {WRAPPED}" in text, text)
        same(text.count("outside of the sandbox"), 1)


@case
def no_lane_outside_of_the_sandbox_is_left_out_for_others(place):
    ready(place)
    inner, _ = plan_of(place, *[prints("exit 0")] * 40, *[prints("exit 0", worker="rch")] * 7)
    outer = routes.plans.plan(routes.plans.step("execute_plan", {"plan": inner}))
    said = place.writ("run", "--dry-run", "--json", place.put("outside/outer.json", json.dumps(outer)))
    step, = json.loads(said.out)["steps"]
    same([lane["sandboxed"] for lane in step["lane"]], [True] * 25 + [False] * 7)
    same([lane["step"] for lane in step["lane"]][25:], [one["id"][:8] for one in inner["steps"]][40:])


@case
def a_dry_run_names_the_inner_step_that_it_warns_of(place):
    ready(place)
    inner = routes.plans.plan(routes.plans.step("validate", {"schema": {}, "document": 1}, on_failure="skip"),
                              routes.plans.step("execute", {"inputs": {"command": "/bin/true"}}))
    outer = routes.plans.plan(routes.plans.step("execute_plan", {"plan": inner}))
    said = place.writ("run", "--dry-run", "--json", place.put("outside/outer.json", json.dumps(outer)))
    hold(said.status == 0, said)
    step, = json.loads(said.out)["steps"]
    text, = step["warnings"]
    true(text.startswith(f"step {inner['steps'][0]['id'][:8]} of ") and "on_failure is skip" in text, text)


@case
def a_dry_run_tells_of_a_worker_that_is_not_there(place):
    ready(place)
    place.configure(GONE)
    steps, text = dry(place, prints("exit 0", worker="gone"), prints("exit 0", worker="gone", fallback="fail_closed"))
    here, nowhere = (step["lane"] for step in steps)
    same((here["route"], here["worker"], nowhere["route"]), (LOCAL, None, NOWHERE))
    true("/nowhere/rch" in here["unavailable"] and here["unavailable"] in text, text)
    same((steps[0]["refused"], steps[1]["refused"]["code"], steps[1]["refused"]["sure"]),
         (None, "rch_unavailable", False))


@case
def a_dry_run_tells_what_a_wrapper_cannot_hold(place):
    ready(place)
    asks, sets = prints("exit 0", worker="rch"), prints("exit 0", worker="rch")
    asks["sandbox"] = {"memory_mb": 64}
    sets["inputs"]["environment"] = {"MODE": "dry"}
    steps, _ = dry(place, asks, sets)
    same([(step["refused"]["code"], step["refused"]["sure"]) for step in steps],
         [("LAYER_MISSING", True), ("ARGUMENT_REFUSED", True)])


BAD = (prints("touch ran", **{"class": "cargo_test"}), prints("touch ran", **{"class": "nope"}),
       prints("touch ran", worker="nobody"), prints("touch ran", **{"class": "go", "worker": "nobody"}))
FOUND = [("/steps/1/payload/route/class", "is no command of the class cargo_test"),
         ("/steps/2/payload/route/class", "no class is called 'nope'; there are cargo_build"),
         ("/steps/3/payload/route/worker", "there is no worker 'nobody'; known are pipe, rch"),
         ("/steps/4/payload/route/class", "is no command of the class go"),
         ("/steps/4/payload/route/worker", "there is no worker 'nobody'")]


def are_found(place, found, expected):
    same([(pointer, code) for pointer, code, _ in found], [(pointer, "INVALID_PAYLOAD") for pointer, _ in expected])
    for (_, _, message), (_, words) in zip(found, expected):
        true(words in message, message)


@case
def a_lane_that_does_not_suit_is_found_before_anything_runs(place):
    ready(place)
    place.project(SHORT, {"class_id": "go", "allowed_prefixes": ["go test"], "hard_timeout_secs": 60})
    plan, path = plan_of(place, prints("touch ran"), *BAD)
    are_found(place, problems(place, place.writ("run", "--dry-run", "--json", path)), FOUND)
    said = place.writ("run", "--json", path)
    hold(said.status == 1 and place.there("ran") == [], said)
    result = json.loads(said.out)
    same((result["steps_executed"], result["error"]["error_code"]), (0, "INVALID_PAYLOAD"))
    same([one["pointer"] for one in result["error"]["context"]["problems"]], [pointer for pointer, _ in FOUND])


@case
def a_check_finds_what_needs_no_configuration(place):
    ready(place)
    _, path = plan_of(place, prints("touch ran"), *BAD)
    are_found(place, problems(place, place.writ("check", "--json", path)), FOUND[:1])


@case
def a_lane_of_an_inner_plan_that_does_not_suit_is_found_too(place):
    ready(place)
    inner, _ = plan_of(place, BAD[1])
    outer = routes.plans.plan(routes.plans.step("execute", prints("touch ran")),
                              routes.plans.step("execute_plan", {"plan": inner}))
    path = place.put("outside/outer.json", json.dumps(outer))
    (pointer, _, message), = problems(place, place.writ("run", "--dry-run", "--json", path))
    true(pointer == "/steps/1/payload" and "no class is called 'nope'" in message, message)
    hold(place.writ("run", path).status == 1 and place.there("ran") == [], pointer)


@case
def a_configuration_that_is_wrong_is_found_before_anything_runs(place):
    ready(place)
    place.put(".writ/config.yaml", "classes: 7\n")
    _, path = plan_of(place, {"inputs": {"command": "/usr/bin/touch", "arguments": ["ran"]}}, prints("exit 0"))
    (pointer, code, message), = problems(place, place.writ("run", "--dry-run", "--json", path))
    same((pointer, code), ("/steps/1/payload/route", "INVALID_PAYLOAD"))
    true(".writ/config.yaml: " in message, message)
    hold(place.writ("run", path).status == 1 and place.there("ran") == [], message)


# ---- while it runs ----

@case
def who_follows_a_plan_sees_where_lanes_ran_and_what_did_not_hold_them(place):
    ready(place)
    news, text = follow(place, *(prints("exit 0", **how) for how, _ in WAYS))
    same([(line["event"], line["index"], line["class"], line["route"], line["worker"], line["downgraded"])
          for line in news],
         [("step_held", i, "generic", route, how.get("worker"), False) for i, (how, route) in enumerate(WAYS)])
    same([", ".join(line["missing"]) for line in news if line["route"] == WRAPPED], [LAYERS])
    same(text.count(f": it was held by less than the default: without {LAYERS}\n"),
         sum(", ".join(line["missing"]) == LAYERS for line in news))


@case
def who_follows_a_plan_sees_a_downgrade_in_the_words_of_exec(place):
    ready(place)
    place.configure(GONE)
    news, text = follow(place, prints("exit 0", worker="gone"))
    same([line["said"]["event"] for line in news[:-1]], ["unavailable", "downgrade"])
    same((news[-1]["event"], news[-1]["route"], news[-1]["downgraded"]), ("step_held", LOCAL, True))
    said = place.writ(*(word for word in place.words("/bin/true", worker="gone") if word != "--json"))
    words = [line.removeprefix("writ: ") for line in said.err.decode().splitlines()]
    true(len(words) == 2 and words[1].startswith("route downgrade: "), words)
    for one in words:
        true(f": {one}\n" in text, text)


@case
def a_worker_that_has_no_room_is_named_where_its_lane_waits(place):
    ready(place)
    place.configure(wrapper(name="busy", command=[str(RCH)]))
    _, path = plan_of(place, prints("exit 0", worker="busy"))
    said = place.writ("run", path, env={"FAKE_RCH_EXEC": "exit 75"})
    hold(said.status == 0 and b": rch_unavailable (worker busy): retry 1 in 1.0 s\n" in said.err, said)


@case
def of_an_inner_plan_the_step_is_named(place):
    ready(place)
    inner, _ = plan_of(place, prints("exit 0", worker="rch"))
    outer = routes.plans.plan(routes.plans.step("execute_plan", {"plan": inner}))
    said = place.writ("run", "--progress=json", place.put("outside/outer.json", json.dumps(outer)))
    line, = (json.loads(line) for line in said.out.splitlines() if b'"step_held"' in line)
    same((line["index"], line["inner"], line["route"]), (0, inner["steps"][0]["id"][:8], WRAPPED))


# ---- when it has ended ----

def ended(place, make):
    """What its steps came to, and what a person who did not follow it is told."""
    said = place.writ("run", "--json", place.put("outside/plan.json", json.dumps(make())))
    hold(said.status == 0, said)
    shown = place.writ("run", "--progress=none", place.put("outside/plan.json", json.dumps(make())))
    hold(shown.status == 0, shown)
    steps = json.loads(said.out)["result_payload"]["steps"].values()
    return list(steps), " ".join(shown.out.decode().split())


@case
def what_a_plan_came_to_tells_of_its_lanes(place):
    ready(place)
    place.configure(GONE)
    steps, text = ended(place, lambda: plan_of(place, prints("exit 0", worker="gone"), prints("exit 0"),
                                               {"inputs": {"command": "/bin/true"}})[0])
    same(["lane" in step for step in steps], [True, True, False])
    for step, (downgraded, meant) in zip(steps, [(True, WRAPPED), (False, None)]):
        lane = step["lane"]
        same((lane["class"], lane["route"], lane["worker"], lane["missing"]), ("generic", LOCAL, None, []))
        same((lane["downgraded"], lane["downgraded_from"]), (downgraded, meant))
    same(text.count("route downgrade"), 1)
    true(f": route downgrade, {WRAPPED} to {LOCAL}" in text, text)


@case
def what_a_plan_came_to_tells_of_the_lanes_of_an_inner_one(place):
    ready(place)
    inner = [plan_of(place, prints("exit 0"), prints("exit 0", worker="rch"))[0] for _ in range(2)]
    names = [[step["id"][:8] for step in one["steps"]] for one in inner]
    steps, text = ended(place, lambda: routes.plans.plan(routes.plans.step("execute_plan", {"plan": inner.pop()})))
    here, there = steps[0]["lane"]
    same((here["route"], there["route"], there["worker"]), (LOCAL, WRAPPED, "rch"))
    same([lane["step"] for lane in (here, there)], names[1])
    true(here["execution_id"] != there["execution_id"], steps)
    same(", ".join(there["missing"]), LAYERS)
    same(text.count(f"/{names[0][1]}: it was held by less than the default: without {LAYERS}"), 1)


if __name__ == "__main__":
    sys.exit(routes.main(CASES))
