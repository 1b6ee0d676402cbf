#!/usr/bin/env python3
"""told: what workers and wrappers tell of a run, what is kept of it, and what a record says then.

usage: told.py FAKE_RCH WRIT      prints TAP
"""
import base64
import hashlib
import json
import pathlib
import resource
import shutil
import subprocess
import sys
import time

import routes
from routes import (WALLED, WAYS, WORKER, WRAPPED, ended, hold, pipe, plan_of, prints, ready, same, teller, true,
                    until)
from processes import children

CASES = []
case = routes.collector(CASES)

# ---- in a plan ----

def steps(place, *payloads, options=()):
    """What each step of a plan came to, in their order."""
    plan, path = plan_of(place, *payloads)
    said = place.writ("run", "--json", *options, path)
    hold(said.status in (0, 1, 3), said)
    result = json.loads(said.out)
    errors = result["error"]["context"]["errors"] if result["error"] else []
    did = {error["step_id"]: error["context"] for error in reversed(errors)} | result["result_payload"]["steps"]
    return [did[one["id"]] for one in plan["steps"]]


@case
def what_a_step_printed_is_kept_wherever_it_ran(place):
    ready(place)
    for how, route in WAYS:
        did, = steps(place, prints(f"echo {route}; echo err {route} >&2", **how))
        same((place.kept(did["stdout"]["evidence"]), place.kept(did["stderr"]["evidence"])),
             (f"{route}\n".encode(), f"err {route}\n".encode()))


@case
def the_last_words_of_a_step_are_the_last_wherever_it_ran(place):
    ready(place)
    for how, route in WAYS:
        did, = steps(place, prints(f"seq 100000 >&2; echo FATAL {route} >&2; exit 3", **how))
        same((did["stderr"]["truncated"], did["last_words"].split("\n")[-3:]), (True, ["100000", f"FATAL {route}", ""]))
        true(did["last_words"].split("\n")[0].isdigit(), did["last_words"])


@case
def what_a_step_printed_before_its_worker_went_away_is_kept(place):
    place.configure(teller("prints_and_dies"))
    did, = steps(place, prints("exit 0", worker="prints_and_dies"))
    same((did["cause"], place.kept(did["stdout"]["evidence"])), ("lost", b"last words\n"))


def held_after(place, deaths):
    """Descriptors, and children that nobody waited for, of a plan in which workers died, while it goes on."""
    for name in ("up", "seen"):
        (place.work / name).unlink(missing_ok=True)
    dying = [prints("exit 0", worker="dies", fallback="fail_closed")] * deaths
    _, path = plan_of(place, *dying, prints("touch up; while [ ! -e seen ]; do sleep 0.05; done"))
    child = place.start(["run", "--json", path])
    until((place.work / "up").exists, "the last step", child)
    held = len(list(pathlib.Path(f"/proc/{child.pid}/fd").iterdir()))
    dead = [pid for pid in children(child.pid) if state_of(pid) == "Z"]
    (place.work / "seen").touch()
    same(child.wait(60), 3)
    return held, dead


def state_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][:1]
    except OSError:
        return ""


@case
def workers_that_died_leave_a_plan_nothing_to_hold(place):
    place.configure(teller("dies"))
    few, many = held_after(place, 1), held_after(place, 4)
    hold(many[0] < few[0] + 3, (few, many))  # the step that goes on may have one more or fewer, each death would have one
    same((few[1], many[1]), ([], []))


# ---- by a wrapper, whose walls are not ours ----

def refused(place, said, *words):
    hold(said.status in (77, 125) and all(word in said.out + said.err for word in words), said)
    same(place.there("ran"), [])


@case
def what_a_wrapper_cannot_hold_is_refused(place):
    ready(place)
    for options in (["--deterministic=fixed"], ["--memory-mb=64"], ["--cpu-cores=1"], ["--no-fork"], ["--fs=standard"],
                    ["--net=offline"]):
        said = place.writ(*place.words("/usr/bin/touch", "ran", worker="rch", options=options))
        refused(place, said, b"LAYER_MISSING", b"rch")


@case
def the_record_of_a_wrapped_run_says_what_held(place):
    ready(place)
    record = ended(place.sh("exit 0", worker="rch"), "succeeded", 0, route=WRAPPED).record
    same((record["layers"], record["assurance"], record["paths"], list(record["limits"])), ([], "none", [], ["timeout_ms"]))
    said = place.writ(*(word for word in place.words("/bin/echo", "said", worker="rch") if word != "--json"))
    hold(said.status == 0 and b"held by less than the default" in said.err, said)
    true(record["checks"]["IV-04"].startswith("not held: "), record["checks"])
    true("deterministic" not in record and "network" not in record, record)


@case
def a_wrapper_has_the_callers_environment_and_what_a_person_adds(place):
    ready(place)
    run = place.sh('echo "$MODE $KEPT"', worker="rch", options=["--env=MODE=dry run"], env={"MODE": "wet", "KEPT": "kept"})
    same(ended(run, "succeeded", 0, route=WRAPPED).record["stdout"]["text"], "dry run kept\n")
    for name in ("PATH", "LD_PRELOAD"):
        said = place.writ(*place.words("/usr/bin/touch", "ran", worker="rch", options=[f"--env={name}={place.work}"]))
        refused(place, said, name.encode(), b"rch")


@case
def a_document_adds_nothing_to_the_environment_of_a_wrapper(place):
    ready(place)
    place.registry({"tool_id": "TL-1", "scope": {"commands": ["/usr/bin/touch"], "filesystem": "extended"}})
    path = place.request("/usr/bin/touch", "ran", route={"class": "generic", "worker": "rch"}, inputs={"environment": {"MODE": "dry"}})
    refused(place, place.writ("exec", "--json", "-f", path), b"MODE", b"rch")


# ---- what a worker says of itself ----

@case
def the_command_is_ours_to_tell_and_its_walls_are_told_when_it_has_ended(place):
    place.configure(teller("claims_before"))
    run = ended(place.lane("/bin/echo", "said", worker="claims_before"), "succeeded", 0, route=WORKER)
    record = run.record
    same((record["command"], record["checks"]), (["/bin/echo", "said"], {"IV-01": "allowed: teller"}))
    same((record["layers"], record["assurance"], record["missing"]), ([], "none", ["user"]))
    true("executable" not in record and "stdin" not in record, record)


@case
def what_it_reads_is_ours_to_tell_wherever_it_ran(place):
    ready(place)
    path = place.put("outside/words", "some words\n")
    here, there = (place.lane("/bin/cat", options=[f"--stdin={path}"], **how).record for how, _ in WALLED)
    same((here["stdout"]["text"], here["stdin"]), (there["stdout"]["text"], there["stdin"]))
    same((there["stdin"]["bytes"], there["stdin"]["digest"]), (11, there["stdout"]["digest"]))


@case
def who_tells_of_a_command_before_it_may_run_is_not_believed_and_others_go_on(place):
    early = ("ends_early", "prints_early", "refuses_in_a_list", "refuses_in_no_words")
    place.configure(*map(teller, early))
    for mode in early:
        run = ended(place.lane("/bin/true", worker=mode), "failed", 69, "worker_lost", WORKER)
        same((run.record["cause"], place.states(run.record["execution_id"])), ("lost", ["planned", "running", "failed"]))
    did = steps(place, prints("exit 0", worker="ends_early"), prints("echo fine"))
    same([(one["cause"], one["exit_code"]) for one in did], [("lost", 69), ("exited", 0)])


def refused_late(place, mode):
    """A run that was told to go and never ran: how `writ exec` ended, and its end in the ledger, which is whole."""
    place.configure(teller(mode))
    said = place.writ(*place.words("/bin/true", worker=mode))
    home, = place.state.glob("lanes/run-*")
    execution = home.name.removeprefix("run-")
    same(place.states(execution), ["planned", "running", "failed"])
    entries = [place.entry(entry["ledger_id"]) for entry in place.log("--execution", execution)]
    manifest, = (entry["body"] for entry in entries if "transcript" in entry["body"])
    transcript = (home / "transcript.jsonl").read_bytes()
    same(manifest["transcript"]["digest"], "sha256:" + hashlib.sha256(transcript).hexdigest())
    same((manifest["cause"], manifest["lane"]), ("sandbox_error", json.loads((home / "result.json").read_text())))
    end = entries[-1]["body"]["payload"]["error"]
    line, = (line for line in map(json.loads, transcript.splitlines()) if line["event"] == "refused")
    true(all("there are no walls" in one["message"] for one in (end, line)), (end, line))
    same(line["code"], end["code"])
    return said, end


@case
def what_was_started_and_then_had_no_walls_is_whole_in_the_ledger(place):
    said, end = refused_late(place, "refuses_late")
    same((said.status, json.loads(said.out)["code"], end["code"]), (125, "LAYER_MISSING", "LAYER_MISSING"))


@case
def what_was_started_and_then_found_a_path_changed_never_ran(place):
    said, end = refused_late(place, "finds_a_path_changed")
    same((said.status, json.loads(said.out)["code"], end["code"], end["retryable"]), (77, "PATH_CHANGED", "PATH_CHANGED", True))


@case
def any_other_refusal_of_what_was_told_to_go_is_not_believed(place):
    late = ("forbids_late", "prints_and_finds_a_path_changed")
    place.configure(*map(teller, late))
    for mode in late:
        run = ended(place.lane("/bin/true", worker=mode), "failed", 69, "worker_lost", WORKER)
        same((mode, run.record["cause"]), (mode, "lost"))


@case
def who_goes_away_after_its_time_was_up_is_lost_and_not_tried_again(place):
    ready(place)
    place.configure(teller("dies_at_stop"))
    run = ended(place.lane("/bin/true", of="short", worker="dies_at_stop"), "failed", 69, "worker_lost", WORKER)
    asked, = place.told(run, "asked")
    same((asked["why"], run.record["cause"], place.told(run, "retry")), ("timeout", "lost", []))
    true(run.record["duration_ms"] >= 2000, run.record)


@case
def an_end_that_cannot_be_is_not_believed(place):
    ends = {"cancels_itself": "cause is 'cancelled', and nobody here asked it to end",
            "is_late_at_once": "cause is 'timeout', and its time was not up",
            "loses_itself": "cause is 'lost', which no worker tells",
            "had_no_walls": "cause is 'sandbox_error', which no worker tells",
            "exits_by_a_signal": "signal is 9, and cause is 'exited': who exits was not killed"}
    place.configure(*map(teller, ends))
    for mode, why in ends.items():
        run = ended(place.lane("/bin/true", worker=mode), "failed", 69, "worker_lost", WORKER)
        why = f"the worker {mode} is not believed: its record: {why}"
        same((run.record["cause"], run.record["reason"]), ("lost", why))
        end, = place.told(run, "ended")
        last = place.log("--execution", run.record["execution_id"])[-1]
        same((end["message"], place.entry(last["ledger_id"])["body"]["payload"]["error"]["message"]), (why, why))
        said = place.writ(*(word for word in place.words("/bin/true", worker=mode) if word != "--json"))
        hold(said.status == 69 and why.encode() in said.err and b"went away" not in said.err, said)


@case
def why_a_worker_is_lost_is_told(place):
    place.configure(teller("prints_and_dies"), teller("refuses_in_no_words"))
    for mode, why in (("prints_and_dies", "went away"), ("refuses_in_no_words", "cannot be believed")):
        run = ended(place.lane("/bin/true", worker=mode), "failed", 69, "worker_lost", WORKER)
        true(why in run.record["reason"], run.record["reason"])


@case
def what_is_not_told_as_a_record_tells_it_is_not_believed(place):
    shapeless = {"denies_in_part": "/denials/0", "denies_too_many": "/denials", "allows_numbers": "/network/allowed_by_project/0",
                 "reaches_for_too_many": "/network/connections"}
    place.configure(*map(teller, shapeless))
    for mode, member in shapeless.items():
        run = ended(place.lane("/bin/true", worker=mode), "failed", 69, "worker_lost", WORKER)
        true(f"not believed: its record: {member}: " in run.record["reason"], run.record["reason"])
        same((mode, run.record["cause"], run.record["denials"]), (mode, "lost", []))
        said = place.writ(*(word for word in place.words("/bin/true", worker=mode) if word != "--json"))
        hold(said.status == 69, said)


@case
def of_many_hosts_that_were_refused_a_few_are_said_and_a_few_hundred_told_apart(place):
    place.configure(teller("reaches_for_many"))
    run = ended(place.lane("/bin/true", worker="reaches_for_many"), "succeeded", 0)
    same(len(run.record["network"]["connections"]), 2048)
    said = place.writ(*(word for word in place.words("/bin/true", worker="reaches_for_many") if word != "--json"))
    hold(said.status == 0 and said.err.count(b"was not reached") == 5 and b"and at least 251 more" in said.err, said)
    shown = place.writ("show", run.record["execution_id"])
    hold(shown.out.count(b" refused: not allowed") == 256 and b"and others: see" in shown.out, shown)


@case
def of_many_denials_a_few_are_said(place):
    place.configure(teller("denies_many"))
    same(len(ended(place.lane("/bin/true", worker="denies_many"), "succeeded", 0).record["denials"]), 1024)
    said = place.writ(*(word for word in place.words("/bin/true", worker="denies_many") if word != "--json"))
    hold(said.status == 0 and said.err.count(b"although it is denied") == 16 and b"and 1008 more" in said.err, said)


@case
def of_a_record_that_is_not_believed_nothing_is_left(place):
    place.configure(teller("contradicts_itself"))
    run = ended(place.lane("/bin/true", worker="contradicts_itself", options=["--output-file=made"]), "failed", 69, "worker_lost")
    same((run.record["cause"], run.record["output_files"], run.record["artifacts"]), ("lost", [], []))
    same((run.record["files_truncated"], "unkept" in run.record), (False, False))
    true("its record: stdout: bytes is 10, and 0 came" in run.record["reason"], run.record["reason"])


@case
def nothing_takes_longer_on_a_worker_than_it_was_waited_for(place):
    place.configure(teller("took_for_ever"))
    before = time.monotonic()
    run = ended(place.lane("/bin/true", worker="took_for_ever"), "succeeded", 0)
    true(run.record["duration_ms"] <= (time.monotonic() - before) * 1000, run.record["duration_ms"])


@case
def a_file_of_another_size_or_elsewhere_is_not_believed(place):
    lies = {"leaves_a_larger_file": f"output_files: bytes of 'made' is {1 << 40}, and the file that came has 5",
            "leaves_another_file": "output_files: path is 'another', and 'made' was asked for",
            "leaves_a_file_of_the_root": "artifacts: path is '/etc/passwd', which is not below the working directory",
            "leaves_a_file_above": "artifacts: path is 'made/../../passwd', which is not below the working directory"}
    place.configure(*map(teller, lies))
    for mode, why in lies.items():
        run = ended(place.lane("/bin/true", worker=mode, options=["--output-file=made", "--artifact=*"]), "failed", 69, "worker_lost")
        same((mode, run.record["cause"], run.record["output_files"], run.record["artifacts"]), (mode, "lost", [], []))
        same(run.record["reason"], f"the worker {mode} is not believed: its record: {why}")


@case
def a_file_that_was_asked_for_and_is_not_told_of_is_missing_as_here(place):
    place.configure(pipe(), teller("leaves_a_file"))
    asked = ["--output-file=made", "--output-file=d/other"]
    here, there, told = (place.sh("echo made > made", options=asked, **how).record["output_files"]
                         for how in ({}, {"worker": "pipe"}, {"worker": "leaves_a_file"}))
    same([(one["path"], one["state"]) for one in told], [("made", "collected"), ("d/other", "missing")])
    same((here, there), (told, told))


# ---- what cannot be kept ----

@case
def what_a_full_disk_does_not_take_is_told_wherever_it_ran(place):
    ready(place)
    for how, _ in WAYS:
        words = [word for word in place.words("/bin/echo", "said", **how) if word != "--json"]
        with open("/dev/full", "wb") as disk:
            said = subprocess.run([routes.tap.WRIT, *words], cwd=place.work, env=place.environment(None),
                                  stdin=subprocess.DEVNULL, stdout=disk, stderr=subprocess.PIPE)
        same((how, said.returncode), (how, 74))


def full(place):
    """The evidence store takes nothing."""
    (place.state / "evidence").mkdir(parents=True)
    (place.state / "evidence/sha256").write_text("in the way")


def recorded(place, came_to):
    """What the ledger has of the last run, which has its end."""
    manifests = [place.entry(entry["ledger_id"]) for entry in place.log("--kind", "manifest")]
    last = [entry for entry in manifests if "cause" in entry["body"]][-1]
    same(place.states(last["subject"]), ["planned", "running", came_to])
    return last["body"]


def unkept(place, script, came_to, **how):
    """It ran, and who asked for its files is told that they were not kept."""
    said = place.writ(*place.words("/bin/sh", "-c", script, options=["--output-file=made", "--artifact=ma*"], **how))
    hold(said.status == 74 and "it ran" in json.loads(said.out)["message"], said)
    return recorded(place, came_to)


@case
def R_001_171_files_that_cannot_be_kept_are_missed_alike_here_and_on_a_worker(place):
    ready(place)
    full(place)
    for code, came_to in ((0, "succeeded"), (7, "failed")):
        here, there = (unkept(place, f"echo 1 > made; exit {code}", came_to, **how) for how, _ in WALLED)
        for member in ("exit_code", "cause", "output_files", "artifacts"):
            same((member, here[member]), (member, there[member]))
        same([one["state"] for one in there["output_files"] + there["artifacts"]], ["not_kept"] * 2)
        same(there["unkept"], "on the worker pipe: " + here["unkept"])


@case
def R_001_171_a_file_that_came_and_cannot_be_kept_here_is_no_fault_of_its_worker(place):
    place.configure(teller("leaves_a_file"), teller("keeps_no_file"))
    run = ended(place.lane("/bin/true", worker="leaves_a_file", options=["--output-file=made"]), "succeeded", 0)
    one, = run.record["output_files"]
    same((one["state"], place.kept(one["digest"])), ("collected", b"made\n"))
    shutil.rmtree(place.state / "evidence")
    full(place)
    record = unkept(place, "exit 0", "succeeded", worker="leaves_a_file")
    same([one["state"] for one in record["output_files"]], ["not_kept"])
    true("evidence store" in record["unkept"], record)
    record = unkept(place, "exit 0", "failed", worker="keeps_no_file")  # the output file that was asked for did not come
    same([one["state"] for one in record["artifacts"]], ["not_kept"])
    true("did not say why" in record["unkept"], record)


@case
def what_a_step_printed_on_a_worker_and_cannot_be_kept_leaves_it_its_end(place):
    place.configure(pipe(), teller("prints"))
    full(place)
    for how in ({}, {"worker": "pipe"}, {"worker": "prints"}):
        _, path = plan_of(place, prints("echo said", **how))
        said = place.writ("run", "--json", path)
        error = json.loads(said.out)["error"]
        hold(said.status == 1 and "it ran" in json.dumps(error), said)
        record = recorded(place, "succeeded")
        same((record["cause"], record["exit_code"], record["stdout"]["bytes"]), ("exited", 0, 5))
        true("kept" in record["unkept"], record)


# ---- records that are too long ----

MANY = """d=$(printf 'd%.0s' $(seq 1 240)); mkdir -p out/$d/$d; cd out/$d/$d; f=$(printf 'f%.0s' $(seq 1 200)); i=0
while [ $i -lt 9000 ]; do : > $f$i; i=$((i+1)); done; echo made"""


@case
def a_record_that_no_frame_holds_comes_with_its_lists_cut_and_others_go_on(place):
    ready(place)
    many = prints(MANY, worker="pipe") | {"outputs": {"artifacts": ["out/*/*/*"]}}
    beside = prints("while [ ! -e up ]; do sleep 0.05; done; sleep 1; echo fine", worker="pipe")
    many["inputs"]["arguments"][1] += "; cd ../../..; touch up"
    did = steps(place, beside, many, options=["--jobs=2"])
    same([(one["cause"], one["exit_code"]) for one in did], [("exited", 0)] * 2)
    same(place.kept(did[0]["stdout"]["evidence"]), b"fine\n")
    true(1000 < len(did[1]["artifacts"]) < 9000, len(did[1]["artifacts"]))
    run = place.lane("/bin/sh", "-c", MANY, worker="pipe", options=["--artifact=out/*/*/*"])
    same((run.status, run.record["files_truncated"]), (0, True))


@case
def R_001_026_names_that_are_no_text_come_as_they_are(place):
    ready(place)
    run = place.lane("/bin/sh", "-c", "for n in 376 377; do echo $n > \"$(printf 'a\\'$n)\"; done", worker="pipe",
                     options=["--artifact=a*"])
    found = ended(run, "succeeded", 0).record["artifacts"]
    same([base64.b64decode(one["path_base64"]) for one in found], [b"a\xfe", b"a\xff"])
    same([place.kept(one["digest"]) for one in found], [b"376\n", b"377\n"])


# ---- all that a record says ----

@case
def a_record_says_of_a_run_on_a_worker_all_that_it_says_of_one_here(place):
    ready(place)
    here, there = (ended(place.sh("exit 0", options=["--deterministic=fixed"], **how), "succeeded", 0).record
                   for how, _ in WALLED)
    same(sorted(there), sorted(here))


# ---- what is fixed ----

@case
def the_same_fixed_request_draws_the_same_here_and_on_a_worker(place):
    ready(place)
    draw = ("/usr/bin/head", "-c16", "/dev/urandom")
    runs = [place.lane(*words, options=["--deterministic=fixed"], **how) for how, _ in WALLED for words in (draw, (*draw, "-q"))]
    here, other, there, other_there = (run.record for run in runs)
    for one, two in ((here, there), (other, other_there)):
        same((one["stdout"]["digest"], one["deterministic"]), (two["stdout"]["digest"], two["deterministic"]))
        same(one["request"]["inputs_digest"], two["request"]["inputs_digest"])
    true(here["stdout"]["digest"] != other["stdout"]["digest"], "who asks for something else draws something else")


@case
def a_wrapper_has_as_many_descriptors_as_our_caller(place):
    ready(place)
    own = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, own[1]))
    try:
        run = place.sh("ulimit -Sn", worker="rch")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, own)
    same(run.record["stdout"]["text"], "200\n")


if __name__ == "__main__":
    sys.exit(routes.main(CASES))
