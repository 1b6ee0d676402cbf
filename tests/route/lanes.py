#!/usr/bin/env python3
"""lanes: commands of a class, as people run them: here, on a worker of this machine, by a wrapper.

usage: lanes.py FAKE_RCH WRIT      prints TAP

Whatever a lane comes to, routes.py looks whether its result, manifest, transcript and ledger are there
and say the same.
"""
import fcntl
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

import routes
from routes import (LOCAL, RCH, SHORT, STAYS, WALLED, WAYS, WORKER, WRAPPED, begin, ended, hold, marker, moves, ready,
                    pipe, same, tap, true, until, wrapper)

CASES = []
case = routes.collector(CASES)


# ---- what comes of one ----

@case
def R_000_006_R_000_017_R_000_018_R_000_019_R_000_020_R_000_021_R_000_022_R_000_023_every_result_is_whole(place):
    ready(place)
    for how, route in WAYS:
        run = place.sh("echo out; echo err >&2; exit $1", 0, **how)
        ended(run, "succeeded", 0, route=route)
        same((run.record["stdout"]["text"], run.record["stderr"]["text"]), ("out\n", "err\n"))
        same(place.path_of(run), moves("running", "succeeded"))
        result = run.record["lane"]
        line = "/bin/sh -c 'echo out; echo err >&2; exit $1' sh 0"
        same(result["routed_command"], f"{RCH} exec -- {line}" if route == WRAPPED else line)
        same(result["command_id"], run.record["execution_id"])  # nobody gave it another name
        same(result["route_reason"], "prefer_remote" if how else "caller_local")


@case
def an_id_is_no_path(place):
    ready(place)
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["/usr/bin/true"], "filesystem": "extended"}})
    for id in ("x", "x/../../../pwned", "..", "a b"):
        path = place.request("/usr/bin/true", execution_id=id, route={"class": "generic"})
        run = place.writ("exec", "--json", "-f", path)
        same((run.status, json.loads(run.out)["execution_id"]), (0, id))
    same(list(place.scratch.rglob("pwned*")), [])
    same(sorted(one.name[:5] for one in (place.state / "lanes").iterdir() if one.is_dir())[-1], "run-x")
    same(len([one for one in (place.state / "lanes").iterdir() if one.is_dir()]), 4)


@case
def R_000_018_R_000_071_R_000_072_ids_that_are_given_are_kept(place):
    ready(place)
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["/usr/bin/true"], "filesystem": "extended"}})
    for worker in (None, "pipe"):
        route = {"class": "generic", "command_id": "Build #7", "correlation_id": "ticket-12",
                 "scenario_id": "nightly"} | ({"worker": worker} if worker else {})
        run = place.complete(place.writ("exec", "--json", "-f", place.request("/usr/bin/true", route=route)))
        ended(run, "succeeded", 0, route=WORKER if worker else LOCAL)
        same(run.record["lane"]["command_id"], "Build #7")
        same((run.record["manifest"]["trace_id"], run.record["manifest"]["scenario_id"]),
             ("trace-ticket-12", "nightly"))


@case
def R_000_070_R_000_071_R_000_072_R_000_073_R_000_074_R_000_075_R_000_076_R_000_077_the_manifest_of_every_ending(place):
    ready(place)
    for how, route in WAYS:
        for code, state, outcome in ((0, "succeeded", "success"), (7, "failed", "failed")):
            run = place.sh("exit $1", code, **how)
            ended(run, state, code, "command_failed" if code else None, route)
            manifest = run.record["manifest"]
            true(re.fullmatch(r"run-[0-9a-f-]{36}", manifest["run_id"]), manifest)
            same((manifest["scenario_id"], manifest["outcome_class"], manifest["worker_route"]),
                 ("generic", outcome, route))
            same(manifest["trace_id"], "trace-" + run.record["execution_id"])
            true(f"exit $1' sh {code}" in manifest["command_provenance"], manifest)
            true(place.transcript(run).is_file(), manifest)
            for name in ("run_id", "scenario_id", "trace_id"):
                true(re.fullmatch(r"[a-z0-9._:/-]+", manifest[name]), manifest)


@case
def R_000_078_the_same_input_leaves_the_same_lineage(place):
    ready(place)

    def trace(how):
        run = place.sh("echo same; exit 3", **how)
        text = place.transcript(run).read_text().replace(run.record["execution_id"], "ID")
        kept = [{name: value for name, value in json.loads(line).items() if name != "ts"}
                for line in text.splitlines()]
        manifest = json.dumps(run.record["manifest"]).replace(run.record["execution_id"], "ID")
        return kept, manifest

    for how, _ in WAYS:
        same(trace(how), trace(how))


# The same words and the same texts are in tests/unit/route/test_route_plan.c, of a command that is only planned.
@case
def R_000_078_a_run_has_the_lineage_of_a_plan(place):
    ready(place)
    line = "/bin/echo 'two words' 'it'\\''s'"
    for how, route in WAYS:
        run = ended(place.lane("/bin/echo", "two words", "it's", **how), "succeeded", 0, route=route)
        same(run.record["manifest"]["command_provenance"],
             f"generic sha256:f31095962619ca028a76578f266d1c707dc4e7242c69467610f6a69b548b8e9c {line}")
        same(run.record["lane"]["routed_command"], f"{RCH} exec -- {line}" if route == WRAPPED else line)


@case
def R_000_002_R_000_078_what_is_planned_is_what_runs(place):
    ready(place)
    run = ended(place.lane("/usr/bin/env", "printf", "%s", "two words", worker="pipe"), "succeeded", 0)
    said = place.writ("route", "plan", "--json", "--class", "generic", "--worker", "pipe", "--", "/usr/bin/env",
                      "printf", "%s", "two words")
    hold(said.status == 0, said)
    plan, told = json.loads(said.out), place.told(run, "planned")[0]
    for name in ("route", "route_reason", "policy_id", "worker", "routed_command", "timeouts", "max_retries"):
        same(told[name], plan[name])
    same((plan["state"], run.record["lane"]["routed_command"]), ("planned", plan["routed_command"]))


@case
def R_000_066_what_failed_can_be_mended_its_stderr_and_a_remediation_are_kept(place):
    ready(place)
    for how, route in WAYS:
        run = ended(place.sh("echo why >&2; exit 7", **how), "failed", 7, "command_failed", route)
        path = place.lane_of(run) / "remediation.json"
        same(run.record["remediation"], str(path))
        remedy = json.loads(path.read_text())
        same((remedy["status"], remedy["failure_code"], remedy["exit_code"], remedy["run_id"]),
             ("open", "command_failed", 7, run.record["manifest"]["run_id"]))
        true("stderr" in remedy["operator_action"], remedy)
        same(remedy["stderr_digest"], "sha256:" + hashlib.sha256(b"why\n").hexdigest())
        output, printed = place.told(run, "output", "printed")
        same((output["stream"], output["text"]), ("stderr", "why\n"))
        same((printed["stream"], printed["bytes"], "text" in printed), ("stderr", 4, False))
        run = ended(place.sh("true", **how), "succeeded", 0)
        true(not (place.lane_of(run) / "remediation.json").exists(), run.record["remediation"])


def digest_of(path):
    return "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()


@case
def R_000_006_R_000_076_a_lane_whose_writ_was_killed_gets_its_end_from_the_next(place):
    ready(place)
    for how, route in WAYS:
        mark = routes.marker()
        child = place.begin("/bin/sh", "-c", 'echo said; echo "$0" >/dev/null; touch up; sleep "$1"', "sh", mark, **how)
        until((place.work / "up").exists, "it is up", child)
        name, = place.running()
        told = place.state / "lanes" / name / "transcript.jsonl"
        until(lambda: '"text":"said\\n"' in told.read_text(), "what it printed is there as it came", child)
        (place.work / "up").unlink()
        child.kill()
        child.wait()
        until(lambda: not routes.alive(mark), "nothing of it is left")
        with open(place.state / "open_lanes" / name) as lane:
            fcntl.flock(lane, fcntl.LOCK_EX)  # those of writ's own processes that held it are gone, too
        true(not (told.parent / "result.json").exists(), name)
        with open(told, "a") as torn:
            torn.write('{"ts":"half a li')
        place.sh("exit 0", **how)
        manifest, result = (json.loads((told.parent / f"{one}.json").read_text()) for one in ("manifest", "result"))
        same((result["state"], result["outcome_class"], result["exit_code"], result["failure_code"], result["route"]),
             ("failed", "failed", 69, "worker_lost", route))
        same((result["artifact_manifest"], manifest["run_id"], manifest["worker_route"]), (manifest, name, route))
        for one in ("manifest", "result"):
            same(place.writ("check", told.parent / f"{one}.json").status, 0)
        last = [json.loads(line) for line in told.read_text().splitlines()][-1]
        true((last["event"], last["state"]) == ("ended", "failed") and "was killed" in last["message"], last)
        same(place.states(name.removeprefix("run-")), ["planned", "running", "failed"])
        shown = place.one("show", name.removeprefix("run-"))
        same((shown["transcript"]["state"], shown["transcript"]["digest"]), ("intact", digest_of(told)))
        same((place.running(), list((place.state / "open_lanes").iterdir())), ([], []))
        place.verify()


@case
def R_001_007_no_transcript_has_a_secret_that_was_printed(place):
    ready(place)
    secret = "s3cr3t-of-a-lane"
    run = place.lane("/bin/sh", "-c", 'echo "<$TOKEN>"; echo "<$TOKEN>" >&2', env={"GIVEN": secret},
                     options=["--env", "TOKEN=env:GIVEN"])
    true("<" in run.record["stdout"]["text"], run.record)
    for path in filter(pathlib.Path.is_file, place.state.rglob("*")):
        true(secret.encode() not in path.read_bytes(), path)


@case
def R_000_076_a_transcript_that_was_changed_is_noticed(place):
    ready(place)
    run = place.sh("echo said")
    shown = place.one("show", run.record["execution_id"])
    same(shown["transcript"], {"path": run.record["transcript"]["path"], "digest": digest_of(place.transcript(run)),
                               "state": "intact"})
    text = place.transcript(run).read_text()
    place.transcript(run).write_text(text.replace("said", "sung"))
    same(place.one("show", run.record["execution_id"])["transcript"]["state"], "changed")
    hold(b"was changed since it was recorded" in place.writ("show", run.record["execution_id"]).out, run)
    place.transcript(run).unlink()
    same(place.one("show", run.record["execution_id"])["transcript"]["state"], "missing")


@case
def R_000_066_a_remediation_is_listed_and_closed(place):
    ready(place)
    run = place.sh("echo why >&2; exit 7")
    place.sh("exit 0")
    name = run.record["manifest"]["run_id"]
    listed = place.one("route", "remediation")["remediations"]
    same([(one["run_id"], one["status"]) for one in listed], [(name, "open")])
    hold(place.writ("route", "remediation", name, "--close", "").status == 64, run)
    closed = place.one("route", "remediation", name, "--close", "the test was wrong")
    same((closed["status"], closed["reason"], closed["exit_code"]), ("closed", "the test was wrong", 7))
    same(place.one("route", "remediation", name), closed)
    same(place.one("route", "remediation"), {"remediations": []})
    hold(place.writ("route", "remediation", name, "--close", "again").status == 1, run)


@case
def R_000_011_R_000_012_R_000_013_R_000_015_a_document_of_contract_000_runs(place):
    ready(place)
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["/bin/echo", os.path.realpath("/bin/echo")],
                                                 "filesystem": "extended"}})
    lane = {"command_class": "generic", "command_id": "c-1", "correlation_id": "nightly-1", "prefer_remote": False,
            "raw_command": "/bin/echo  two   words"}
    for more, said in (({}, "two words\n"), ({"argv": ["/bin/echo", "two  words"], "scenario_id": "s-1"}, "two  words\n")):
        path = place.put("lane.json", json.dumps(lane | more))
        run = place.complete(place.writ("exec", "--json", "-f", path))
        ended(run, "succeeded", 0, route=LOCAL)
        manifest = run.record["manifest"]
        same((run.record["stdout"]["text"], run.record["lane"]["command_id"], manifest["trace_id"],
              manifest["scenario_id"]), (said, "c-1", "trace-nightly-1", more.get("scenario_id", "generic")))
    for change, status, words in (({"raw_command": "/bin/echo 'quoted'"}, 65, b"argv"), ({"command_id": ""}, 65, b"command_id"),
                                  ({"raw_command": "/bin/cat x"}, 77, b"COMMAND_NOT_ALLOWED"),
                                  ({"command_class": "none_such"}, 77, b"no class is called")):
        path = place.put("lane.json", json.dumps(lane | change))
        run = place.writ("exec", "--json", "-f", path)
        hold(run.status == status and words in run.out, run)


@case
def R_000_018_R_000_071_R_000_072_ids_are_given_by_options(place):
    ready(place)
    run = place.lane("/bin/true", options=["--command-id", "c-9", "--correlation-id", "night-9", "--scenario-id", "s-9"])
    manifest = run.record["manifest"]
    same((run.record["lane"]["command_id"], manifest["trace_id"], manifest["scenario_id"]), ("c-9", "trace-night-9", "s-9"))
    run = place.writ("exec", "--scenario-id", "s-9", "--", "/bin/true")
    hold(run.status == 64 and b"--class" in run.err, run)


@case
def A00_2_what_cannot_be_started_has_failed(place):
    ready(place)
    place.put("work/plain", "text")
    place.put("work/noise", "\x7f", mode=0o755)
    for how, route in WALLED:
        for command, code, why in (("/nowhere/to/be/found", 127, "No such file or directory"),
                                   ("./plain", 126, "Permission denied"), ("./noise", 126, "Exec format error")):
            run = ended(place.lane(command, **how), "failed", code, "command_failed", route)
            same(place.path_of(run), moves("running", "failed"))
            same(run.record["reason"], why)


@case
def R_000_067_a_transcript_is_whole_and_its_digest_is_recorded(place):
    ready(place)
    for how, _ in WAYS:
        run = place.sh("echo out", **how)
        same(run.record["transcript"]["path"], str(place.transcript(run)))
        same(run.record["transcript"]["digest"], "sha256:" + hashlib.sha256(place.transcript(run).read_bytes()).hexdigest())


@case
def what_was_a_lane_is_shown_as_one(place):
    ready(place)
    place.configure(pipe(), wrapper(), {"name": "gone", "kind": "wrap", "command": ["/nowhere/rch"]})
    for how, told in (({}, f", route {LOCAL}"), ({"worker": "pipe"}, f" on pipe, route {WORKER}"),
                      ({"worker": "rch"}, f" on rch, route {WRAPPED}"),
                      ({"worker": "gone"}, f", route {LOCAL} (downgraded from {WRAPPED}: ")):
        run = place.sh("exit 0", **how)
        shown = place.writ("show", run.record["execution_id"]).out.decode()
        true(f"\n  lane       generic{told}" in shown, shown)
        true(f"\n  transcript {place.transcript(run)}\n" in shown, shown)
        record = run.record
        same((record["downgraded_from"], record["downgraded"]), (WRAPPED, True) if "gone" in str(how) else (None, False))
        true((record["unavailable"] or "") in shown, shown)
    plain = place.writ("exec", "--json", "--", "/bin/true")
    shown = place.writ("show", json.loads(plain.out)["execution_id"]).out
    true(b"\n  lane " not in shown and b"\n  transcript" not in shown, shown)


# ---- what a class allows ----

def refused(place, *words, of):
    said = place.writ(*place.words(*words, of=of))
    hold(said.status in (65, 77), said)
    return said.out.decode() + said.err.decode()


@case
def R_000_057_A00_5_cargo_testify_is_not_cargo_test(place):
    ready(place)
    text = refused(place, "cargo", "testify", of="cargo_test")
    true("cargo test" in text and "cargo testify" in text, text)
    for words in (("cargo",), ("cargo", "build"), ("cargotest",), ("/bin/cargo", "test"), ("cargo", "test;id")):
        refused(place, *words, of="cargo_test")
    true("nonsense" in refused(place, "true", of="nonsense"), "the class is named")


@case
def A00_6_quotes_in_a_line_are_refused_with_the_advice_to_pass_an_argv(place):
    lane = {"command_class": "generic", "command_id": "c", "correlation_id": "c", "prefer_remote": False}
    for raw in ('echo "two words"', "echo 'x'", "echo a;id", "echo `id`", "echo $HOME", "echo a\\ b", "a\nb", "a | b",
                "a > b", "a & b"):
        path = place.put("lane.json", json.dumps(lane | {"raw_command": raw}))
        for said in (place.writ("check", "--as", "lane", path), place.writ("route", "plan", "-f", path)):
            hold(said.status == 65 and b"argv" in said.out + said.err, said)
    path = place.put("lane.json", json.dumps(lane | {"raw_command": "echo two words", "argv": ["echo", "two words"]}))
    said = place.writ("route", "plan", "--json", "-f", path)
    hold(said.status == 0 and json.loads(said.out)["normalized_command"] == "echo 'two words'", said)


@case
def R_000_003_R_000_058_A00_4_A00_7_cargo_goes_to_rch_and_is_wrapped_once(place):
    place.put("work/bin/cargo", '#!/bin/sh\necho "cargo $*"\n', mode=0o755)
    (place.work / "bin/rch").symlink_to(RCH)  # what it is called where nobody configures it
    path = f"{place.work}/bin:/usr/bin:/bin"
    for words in (("cargo", "test", "-p", "x"), ("rch", "exec", "--", "cargo", "test", "-p", "x")):
        run = ended(place.lane(*words, of="cargo_test", env={"PATH": path}), "succeeded", 0, route=WRAPPED)
        same(run.record["stdout"]["text"], "cargo test -p x\n")
        same((run.record["lane"]["routed_command"], run.record["lane"]["route_reason"]),
             ("rch exec -- cargo test -p x", "force_rch"))


@case
def a_lane_of_a_persons_own_prints_as_it_goes_and_ends_with_its_code(place):
    ready(place)
    for how, _ in WAYS:
        words = [word for word in place.words("/bin/sh", "-c", "echo out; echo err >&2; exit 9", **how)
                 if word != "--json"]
        said = place.writ(*words)
        hold((said.status, said.out) == (9, b"out\n") and b"err\n" in said.err, said)


@case
def a_registry_lets_the_same_command_run_here_and_on_a_worker(place):
    ready(place)
    link = pathlib.Path("/bin/touch")  # another name of /usr/bin/touch, where /bin is a link
    place.registry({"tool_id": "TL-1", "scope": {"commands": [str(link)], "filesystem": "extended"}})
    for command in {str(link), str(link.resolve().with_name("touch")), "touch"}:
        for how, _ in WALLED:
            path = place.request(command, "ran", route={"class": "generic"} | how)
            said = place.writ("exec", "--json", "-f", path)
            hold(said.status == 0, said)


@case
def a_directory_whose_name_is_no_text_is_not_taken_for_another_on_a_worker(place):
    ready(place)
    here, other = os.fsencode(place.work) + b"/d\xff", place.work / "d\ufffd"
    os.mkdir(here)
    other.mkdir()
    words = [tap.WRIT, *place.words("/usr/bin/touch", "ran", worker="pipe")]
    said = subprocess.run(words, cwd=here, env=place.environment({}), stdin=subprocess.DEVNULL, capture_output=True)
    true(said.returncode == 77 and b"not UTF-8" in said.stdout, said)
    same((os.listdir(here), list(other.iterdir())), ([], []))


@case
def a_lane_that_cannot_be_written_down_does_not_run(place):
    ready(place)
    place.state.mkdir(exist_ok=True)
    (place.state / "lanes").write_text("in the way")
    said = place.writ(*place.words("/usr/bin/touch", "ran"))
    hold(said.status == 74, said)
    same(place.there("ran"), [])


@case
def a_lane_that_nobody_could_end_does_not_run_and_leaves_no_pipe(place):
    ready(place)
    for files in range(4, 12):  # one of these is too few for the pipe, and enough for what is opened before
        said = subprocess.run(["prlimit", f"--nofile={files}", tap.WRIT, *place.words("/usr/bin/touch", "ran")],
                              cwd=place.work, env=place.environment({}), stdin=subprocess.DEVNULL, capture_output=True)
        true(said.returncode != 0, said)
        same((files, place.running(), place.there("ran")), (files, [], []))


@case
def what_of_a_lane_cannot_be_kept_is_named_once(place):
    ready(place)
    child = begin(place, STAYS, marker())
    name, = place.running()
    path = place.state / "lanes" / name / "manifest.json"
    path.mkdir()  # in the way
    same(place.writ("cancel", name).status, 0)
    status, out = child.wait(), (place.scratch / "out").read_bytes()
    true(status == 74 and out.count(str(path).encode()) == 1, out)


@case
def an_id_that_was_refused_was_not_used(place):
    ready(place)
    lanes, id = place.state / "lanes", "3f6d2a10-9f6e-4c1d-8a55-0d3f1b7c9e21"
    path = place.request("/usr/bin/true", execution_id=id, route={"class": "generic"})
    for _ in range(2):
        said = place.writ("exec", "--json", "-f", path)
        true(said.status == 77 and b"registry" in said.out, said)
        same(os.listdir(lanes), ["refused-" + id])
        last = (lanes / ("refused-" + id) / "transcript.jsonl").read_text().splitlines()[-1]
        same(json.loads(last)["event"], "refused")
    (lanes / ("run-" + id)).write_text("in the way")
    same(json.loads(place.writ("exec", "--json", "-f", path).out)["code"], "EXECUTION_USED")
    (lanes / ("run-" + id)).unlink()
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["/usr/bin/true"], "filesystem": "extended"}})
    ended(place.complete(place.writ("exec", "--json", "-f", path)), "succeeded", 0)
    same(json.loads(place.writ("exec", "--json", "-f", path).out)["code"], "EXECUTION_USED")
    same(sorted(os.listdir(lanes)), ["refused-" + id, "run-" + id])


if __name__ == "__main__":
    sys.exit(routes.main(CASES))
