#!/usr/bin/env python3
"""route: configurations of a project and of a user, as they are found, put together and refused.

usage: route.py WRIT        prints TAP
"""
import json
import subprocess
import sys

import tap
from tap import WRIT, insist

CASES = []
case = tap.collector(CASES)

GO = "{class_id: go_test, allowed_prefixes: [go test], hard_timeout_secs: 600}"
SHIPPED_CLASS = "classes: [{class_id: cargo_test, allowed_prefixes: ['*'], hard_timeout_secs: 1}]\n"
ZIG = "{class_id: zig_test, allowed_prefixes: [zig test], hard_timeout_secs: 60}"


class Place:
    """A repository, a home, and a directory for programs; nothing else is in PATH."""

    def __init__(self, scratch):
        self.home, self.project, self.bin = scratch / "home", scratch / "project", scratch / "bin"
        self.below = self.project / "a/b"
        for one in (self.home, self.below, self.bin):
            one.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", self.project], check=True)
        self.users = self.home / ".config/writ/config.yaml"
        self.projects = self.project / ".writ/config.yaml"

    def put(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def program(self, name, text="exit 0"):
        self.put(self.bin / name, f"#!/bin/sh\n{text}\n")
        (self.bin / name).chmod(0o755)

    def run(self, *args, **more):
        env = {"PATH": str(self.bin), "HOME": str(self.home)} | more.pop("env", {})
        return tap.run(["/usr/bin/env", "-i", *(f"{k}={v}" for k, v in env.items()), WRIT, *args],
                       **{"cwd": self.below} | more)

    def classes(self, **more):
        answer = self.run("route", "contract", **more)
        insist(answer.status == 0, answer)
        return [one["class_id"] for one in json.loads(answer.out)["command_classes"]]

    def plan(self, *args, **more):
        answer = self.run("route", "plan", "--json", *args, **more)
        insist(answer.status == 0, answer)
        return json.loads(answer.out)

    def wrong(self, path, *words, verb=("route", "contract"), **more):
        """The document is refused, wherever it is used, and named."""
        answer = self.run(*verb, **more)
        insist(answer.status == 65 and str(path).encode() in answer.err, answer)
        for word in words:
            insist(word.encode() in answer.err, answer)
        return answer


# ---- where they are found ----

@case
def R_000_001_without_one_it_is_what_ships(scratch):
    """R-000-001: without a configuration it is what ships, the same bytes wherever one asks"""
    place = Place(scratch)
    there, here = place.run("route", "contract"), place.run("route", "contract", cwd="/")
    insist(there.status == 0 and there.out == here.out, there)
    (scratch / "c.json").write_bytes(there.out)
    insist(place.run("check", scratch / "c.json").status == 0, there)


@case
def both(scratch):
    """classes of the project and of the user are both there, sorted, and the contract holds"""
    place = Place(scratch)
    place.put(place.users, f"classes: [{ZIG}]\n")
    place.put(place.projects, f"classes: [{GO}]\n")
    names = place.classes()
    assert names == sorted(names) and {"go_test", "zig_test", "generic"} < set(names), names
    (scratch / "c.json").write_bytes(place.run("route", "contract").out)
    checked = place.run("check", scratch / "c.json")
    insist(checked.status == 0, checked)
    plan = place.plan("--class", "go_test", "--", "go", "test", "./...")
    assert plan["route"] == "local_direct" and plan["timeouts"]["soft_timeout_secs"] == 600, plan


@case
def top(scratch):
    """the project's is found from its top, and what lies further down is nobody's word"""
    place = Place(scratch)
    place.put(place.below / ".writ/config.yaml", f"classes: [{GO}]\n")
    assert "go_test" not in place.classes()
    place.put(place.project.parent / ".writ/config.yaml", f"classes: [{ZIG}]\n")
    assert "zig_test" in place.classes()
    place.put(place.projects, f"classes: [{GO}]\n")  # the nearest alone
    names = place.classes()
    assert "go_test" in names and "zig_test" not in names, names


@case
def users(scratch):
    """the user's is in XDG_CONFIG_HOME, else in ~/.config; a relative one is no directory"""
    place = Place(scratch)
    place.put(place.users, f"classes: [{ZIG}]\n")
    place.put(scratch / "xdg/writ/config.yaml", f"classes: [{GO}]\n")
    assert "zig_test" in place.classes()
    assert "go_test" in place.classes(env={"XDG_CONFIG_HOME": str(scratch / "xdg")})
    assert "zig_test" in place.classes(env={"XDG_CONFIG_HOME": "xdg"})
    assert "zig_test" not in place.classes(env={"HOME": "."})


# ---- what they may not say ----

@case
def project_names_no_worker(scratch):
    """a project names no worker, and is told where they belong"""
    place = Place(scratch)
    place.put(place.projects, "workers: [{name: gpu, kind: wrap, command: [./evil]}]\nremote: gpu\n")
    for verb in (("route", "contract"), ("route", "advance", "planned", "enqueue"),
                 ("route", "plan", "--class", "generic", "--", "true")):
        place.wrong(place.projects, "/workers: 'workers' belongs in the user's own",
                    "/remote: 'remote' belongs in the user's own", verb=verb)


@case
def project_is_not_lax(scratch):
    """a project may be strict about falling back, not lax; the stricter of all words holds"""
    place = Place(scratch)
    plan = ("--class", "cargo_test", "--available", "no", "--", "cargo", "test")
    assert place.plan(*plan)["route"] == "local_direct"
    assert place.plan("--fallback", "fail_closed", *plan)["route"] == "none"
    place.put(place.projects, "fallback: local\n")
    place.wrong(place.projects, "/fallback: fallback is local, a project may only say fail_closed")
    place.put(place.projects, "fallback: fail_closed\n")
    place.put(place.users, "fallback: local\n")
    closed = place.plan("--fallback", "local", *plan)
    assert (closed["route"], closed["policy_id"]) == ("none", "fail_closed"), closed
    place.projects.unlink()
    assert place.plan(*plan)["route"] == "local_direct"
    place.put(place.users, "fallback: fail_closed\n")
    assert place.plan(*plan)["route"] == "none"


@case
def shipped(scratch):
    """nobody changes what a class that ships means"""
    place = Place(scratch)
    for path in (place.projects, place.users):
        place.put(path, SHIPPED_CLASS)
        place.wrong(path, "/classes/0/class_id: 'cargo_test' is a class that writ ships")
        path.unlink()


@case
def check_says_the_same(scratch):
    """writ check refuses what is refused in use; of workers the place of the file decides"""
    place = Place(scratch)
    named = "workers: [{name: gpu, kind: ssh, host: gpu}]\nremote: gpu\n"
    for path, text, word in ((place.projects, named, "/workers: 'workers' belongs in the user's own"),
                             (place.users, SHIPPED_CLASS, "'cargo_test' is a class that writ ships"),
                             (place.projects, SHIPPED_CLASS, "'cargo_test' is a class that writ ships")):
        place.put(path, text)
        answer = place.run("check", path.name, cwd=path.parent)
        insist(answer.status == 65 and word.encode() in answer.out, answer)
        path.unlink()
    place.put(place.users, named)
    insist(place.run("check", place.users).status == 0, place.run("check", place.users))


@case
def twice(scratch):
    """of two documents with one class, the project's is the wrong one"""
    place = Place(scratch)
    place.put(place.users, f"classes: [{GO}]\n")
    place.put(place.projects, f"classes:\n- {ZIG}\n- {GO}\n")
    place.wrong(place.projects, f":3:14: /classes/1/class_id: 'go_test' is a class of {place.users}")


HOSTILE = {
    "a key twice": "classes: []\nclasses: []\n",
    "an anchor that names itself": "classes: &a [*a]\n",
    "aliases that grow": "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
        f"{chr(ord('b') + i)}: &{chr(ord('b') + i)} [{', '.join(['*' + chr(ord('a') + i)] * 9)}]\n"
        for i in range(9)) + "classes: *j\n",
    "a merge": f"base: &b {GO}\nclasses: [{{<<: *b}}]\n",
    "a tag": "classes: !!python/object:os.system []\n",
    "two documents": "classes: []\n---\nclasses: []\n",
    "no map": "- classes\n",
    "an unknown member": "classes: []\nshell: sh\n",
    "a member that is null": "classes: null\n",
    "bytes that are no text": b"classes: [\xff\xfe]\n",
    "a NUL": b"classes: []\0\n",
}


def refuses(name, text):
    def check(scratch):
        place = Place(scratch)
        place.projects.parent.mkdir()
        place.projects.write_bytes(text if isinstance(text, bytes) else text.encode())
        answer = place.wrong(place.projects)
        insist(answer.peak_mb < tap.MEMORY_MB and answer.out == b"", answer)

    check.__doc__ = f"hostile: {name}"
    CASES.append(check)


for one_name, one_text in HOSTILE.items():
    refuses(one_name, one_text)


@case
def very_many(scratch):
    """hostile: a hundred thousand classes are refused in no time"""
    place = Place(scratch)
    place.projects.parent.mkdir()
    place.projects.write_text(json.dumps({"classes": [
        {"class_id": f"c{i}", "allowed_prefixes": ["a"], "hard_timeout_secs": 1} for i in range(60000)]}))
    answer = place.wrong(place.projects, "")
    insist(answer.peak_mb < tap.MEMORY_MB, answer)


# ---- workers ----

@case
def workers(scratch):
    """a worker of the user's is where remote goes; its kind is the route"""
    place = Place(scratch)
    place.put(place.users, "workers:\n- {name: gpu, kind: ssh, host: gpu.example}\n"
              "- {name: many, kind: slurm}\nremote: gpu\n")
    make = ("--class", "make_build", "--available", "yes")
    assert place.plan(*make, "--", "make")["route"] == "local_direct"
    there = place.plan(*make, "--remote", "--", "make")
    assert (there["route"], there["worker"], there["routed_command"]) == ("remote_ssh", "gpu", "make")
    assert place.plan(*make, "--worker", "many", "--", "make")["route"] == "remote_slurm"
    assert place.plan(*make, "--worker", "local", "--", "make")["route"] == "local_worker"
    rch = place.plan(*make, "--worker", "rch", "--", "make")
    assert (rch["route"], rch["routed_command"]) == ("remote_rch", "rch exec -- make"), rch
    unknown = place.run("route", "plan", *make, "--worker", "x", "--", "make")
    insist(unknown.status == 77 and b"there are gpu, many, rch, local" in unknown.err, unknown)


@case
def R_000_059_whether_it_is_there_is_found_out(scratch):
    """R-000-059: whether the worker is there is found out, and only when it is wanted"""
    place = Place(scratch)
    cargo = ("--class", "cargo_test", "--", "cargo", "test")
    gone = place.plan(*cargo)
    assert gone["route"] == "local_direct" and gone["downgraded"], gone
    assert gone["route_reason"] == "rch_unavailable" and "rch" in gone["unavailable"], gone
    place.program("rch")
    there = place.plan(*cargo)
    assert there["route"] == "remote_rch" and not there["downgraded"], there
    place.program("rch", f": > {scratch}/asked; exit 3")
    place.plan("--class", "make_build", "--", "make")
    place.plan("--class", "cargo_test", "--available", "yes", "--", "cargo", "test")
    assert not (scratch / "asked").exists()
    refused = place.plan(*cargo)
    assert (scratch / "asked").exists() and refused["route"] == "local_direct", refused


# ---- contracts and states by hand ----

SHIPPED = {("planned", "enqueue"): "queued", ("queued", "start"): "running",
           ("running", "cancel"): "cancel_requested", ("running", "exit_zero"): "succeeded",
           ("running", "exit_nonzero"): "failed", ("cancel_requested", "cancel_completed"): "cancelled",
           ("cancel_requested", "cancel_timeout"): "failed"}


@case
def R_000_063_R_000_064_R_000_065_every_pair(scratch):
    """R-000-063, 064, 065: every pair of a state and a trigger is as declared, or refused alike"""
    place = Place(scratch)
    states = {one for pair, to in SHIPPED.items() for one in (pair[0], to)}
    for state in sorted(states):
        allowed = sorted(trigger for one, trigger in SHIPPED if one == state)
        for trigger in sorted({trigger for _, trigger in SHIPPED}):
            answer = place.run("route", "advance", state, trigger, "--json")
            found = json.loads(answer.out)
            if (state, trigger) in SHIPPED:
                insist(answer.status == 0 and found["next"] == SHIPPED[state, trigger], answer)
                continue
            insist(answer.status == 1 and found["code"] == "invalid_transition", answer)
            insist((found["state"], found["allowed"]) == (state, allowed) and "next" not in found, answer)
            insist(place.run("route", "advance", state, trigger, "--json").out == answer.out, answer)


@case
def A00_6_a_line_as_one_word(scratch):
    """A00-6: a whole line as one word is refused with the advice to pass an argv"""
    place = Place(scratch)
    answer = place.run("route", "plan", "--class", "cargo_test", 'cargo test "a b"')
    insist(answer.status == 77 and b"each an item of argv" in answer.err, answer)
    answer = place.run("route", "plan", "--class", "cargo_test", "cargo", "build", "a b")
    insist(answer.status == 77 and b"argv" not in answer.err, answer)


@case
def no_state(scratch):
    """what is no state is told as such, with the states there are"""
    answer = Place(scratch).run("route", "advance", "foo", "cancel")
    insist(answer.status == 1 and b"'foo' is no state, allowed cancel_requested, cancelled, failed" in answer.err, answer)


@case
def R_000_062_no_state_follows_by_a_contract_that_is_wrong(scratch):
    """R-000-062: a contract that breaks a rule moves nothing and plans nothing"""
    place = Place(scratch)
    contract = json.loads(place.run("route", "contract").out)
    mine = scratch / "mine.json"
    mine.write_text(json.dumps(contract))
    insist(place.run("route", "advance", "planned", "enqueue", "--contract", mine).out == b"queued\n",
           place.run("route", "advance", "planned", "enqueue", "--contract", mine))
    for member, broken in (("state_transitions", contract["state_transitions"][1:]),
                           ("command_classes", contract["command_classes"][::-1]),
                           ("route_policies", contract["route_policies"][:1]),
                           ("failure_taxonomy", []), ("contract_version", "doctor-exec-adapter-v2")):
        mine.write_text(json.dumps(contract | {member: broken}))
        for verb in (("advance", "planned", "enqueue"),
                     ("plan", "--class", "cargo_test", "--available=yes", "--",
                      "cargo", "test")):
            answer = place.run("route", *verb[:1], "--contract", mine, *verb[1:])
            insist(answer.status == 65 and answer.out == b"" and member.encode() in answer.err, answer)


@case
def a_contract_of_ones_own(scratch):
    """by another contract a command may be of another class, and states have other names"""
    place = Place(scratch)
    contract = json.loads(place.run("route", "contract").out)
    contract["command_classes"] = [dict(contract["command_classes"][4], class_id="mine",
                                        allowed_prefixes=["cargo mine"])]
    contract["timeout_profiles"] = [dict(contract["timeout_profiles"][4], class_id="mine")]
    contract["state_transitions"].append({"from_state": "failed", "trigger": "mend", "to_state": "mended"})
    mine = scratch / "mine.json"
    mine.write_text(json.dumps(contract))
    plan = place.plan("--contract", mine, "--class", "mine", "--available=yes", "--", "cargo", "mine")
    assert plan["route"] == "remote_rch", plan
    moved = place.run("route", "advance", "failed", "mend", "--contract", mine)
    insist(moved.out == b"mended\n", moved)
    insist(place.run("route", "advance", "failed", "mend").status == 1, moved)


# ---- doctor ----

def routes(place, **more):
    answer = place.run("doctor", "--json", **more)
    found = json.loads(answer.out)["routes"]
    for one in found:
        insist(list(one) == ["route", "worker", "open", "detail", "mend"], answer)
        insist(one["detail"] and (one["open"] or one["mend"]), answer)
    return answer, {one["worker"] or one["route"]: one for one in found}


@case
def doctor(scratch):
    """doctor tells which routes are open; a closed one changes nothing about the rest"""
    place = Place(scratch)
    bare, found = routes(place)
    assert found["local_direct"]["open"] and found["local"]["open"], found
    for name, program in (("rch", "rch"), ("remote_ssh", "ssh"), ("remote_slurm", "srun")):
        assert not found[name]["open"] and program in found[name]["detail"], found
        place.program(program)
    furnished, found = routes(place)
    assert all(one["open"] for one in found.values()), found
    insist(bare.status == furnished.status, bare)
    text = place.run("doctor")
    insist("route remote_ssh" in text.out.decode() and text.status == bare.status, text)


@case
def doctor_names_workers(scratch):
    """doctor lists the user's workers by their names"""
    place = Place(scratch)
    place.put(place.users, "workers: [{name: gpu, kind: ssh, host: gpu.example}]\n")
    assert not routes(place)[1]["gpu"]["open"]
    place.program("ssh")
    answer, found = routes(place)
    insist(found["gpu"]["open"] is None and "gpu.example: not asked" in found["gpu"]["detail"], answer)
    insist("--worker gpu --fail-closed" in found["gpu"]["mend"], answer)
    insist("? route gpu" in place.run("doctor").out.decode(), place.run("doctor"))
    insist("remote_ssh" not in found, answer)


@case
def doctor_names_what_is_started(scratch):
    """doctor says of a worker with a command of its own how that is called"""
    place = Place(scratch)
    place.put(place.users, "workers: [{name: odd, kind: pipe, command: [/bin/true, 'a b']}, "
                           "{name: nice, kind: wrap, command: [/usr/bin/env, wrapper]}]\n")
    answer, found = routes(place)
    insist(found["odd"]["detail"] == "/bin/true 'a b' worker --stdio, here", answer)
    insist(found["nice"]["detail"] == "/usr/bin/env wrapper exec -- ..", answer)
    insist(found["local"]["detail"] == "writ worker --stdio, here", answer)


@case
def doctor_of_wrong_ones(scratch):
    """doctor tells that a configuration is wrong, and what to type"""
    place = Place(scratch)
    before = place.run("doctor")
    place.put(place.projects, "classes: 7\n")
    answer, found = routes(place)
    insist(answer.status == before.status, answer)
    assert found[None]["mend"] == f"writ check {place.projects}" and not found[None]["open"], found


if __name__ == "__main__":
    sys.exit(tap.play(CASES))
